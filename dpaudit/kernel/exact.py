"""Formulas as the kernel computes them: whole numbers, fractions, and expressions of real numbers.

Whatever is whole or rational is said as a whole number or fraction, which the kernel computes
exactly; around it stands an expression (`expr` of the prelude), which it encloses.
"""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal

from dpaudit.recheck.numbers import Refused, tree, value

Sort = Literal["Z", "Q", "R"]
ORDER = "ZQR"
TERMS = 300
"""Of the series of the normal distribution function: enough for arguments up to 11."""
OPERATIONS: dict[type, str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
CONSTRUCTORS: dict[type, str] = {ast.Add: "Add", ast.Sub: "Sub", ast.Mult: "Mul", ast.Div: "Div"}
RELATIONS = {ast.Lt: "Lt", ast.LtE: "Le", ast.Gt: "Lt", ast.GtE: "Le", ast.Eq: "Eq"}
BACKWARDS = (ast.Gt, ast.GtE)


class Unsaid(Exception):
    """What a formula has that cannot be said to the kernel in this way."""


@dataclass(frozen=True)
class Name:
    """A name's sort and Coq name; for a whole one, the range that it runs through."""

    sort: Sort
    text: str
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True)
class Said:
    """A formula in Coq's words, its sort, and between what it lies where it is whole."""

    sort: Sort
    text: str
    low: int | None = None
    high: int | None = None

    def at(self, sort: Sort) -> str:
        """The same as a member of a larger sort."""
        if self.sort == sort:
            return self.text
        if sort == "Q":
            return f"(inject_Z {self.text})"
        if ORDER.index(sort) < ORDER.index(self.sort):
            raise Unsaid(f"not of sort {sort}: {self.text}")
        return f"({'Int' if self.sort == 'Z' else 'Rat'} {self.text})"

    @property
    def nonnegative(self) -> bool:
        return self.low is not None and self.low >= 0


def number(x: Fraction) -> Said:
    """A rational as it is."""
    if x.denominator == 1:
        n = int(x)
        return Said("Z", f"({n})" if n < 0 else str(n), n, n)
    return Said("Q", f"({x.numerator} # {x.denominator})")


@dataclass
class Sayer:
    """Says formulas of one part; `sides` are relations that its rounding rests on."""

    names: dict[str, Name]
    at: dict[str, Fraction] = field(default_factory=dict)
    sides: list[str] = field(default_factory=list)
    enclosed: bool = False
    """Whether sums of fractions are enclosed, which is faster, not added up exactly."""

    def __call__(self, node: Any) -> Said:
        node = tree(node) if isinstance(node, str) else node
        match node:
            case ast.Constant(value=int() | float() as x):
                return number(Fraction(str(x)))
            case ast.Name(id=i) if i in self.names:
                known = self.names[i]
                return Said(known.sort, known.text, known.low, known.high)
            case ast.Name(id=i) if i in self.at:
                return number(self.at[i])
            case ast.Name(id="pi"):
                return Said("R", "Pi")
            case ast.UnaryOp(op=ast.USub(), operand=x):
                return self.minus(self(x))
            case ast.BinOp(left=a, op=ast.Pow(), right=b):
                return self.power(self(a), self(b))
            case ast.BinOp(left=a, op=op, right=b):
                return self.arithmetic(type(op), self(a), self(b))
            case ast.Call(func=ast.Name(id="sum" | "prod" as f), args=[t, ast.Name(id=v), lo, hi]):
                return self.summed(f, t, v, self(lo), self(hi))
            case ast.Call(func=ast.Name(id="floor" | "ceil" as f), args=[x]):
                inner = self(x)
                if inner.sort == "R":
                    return self.rounded_real(f, node, inner)
                return self.rounded(f, inner)
            case ast.Call(func=ast.Name(id=f), args=args):
                return self.call(f, [self(x) for x in args])
            case ast.IfExp(test=test, body=yes, orelse=no):
                return self.choice(test, yes, no)
        raise Unsaid(f"not said: {ast.unparse(node)}")

    def minus(self, a: Said) -> Said:
        if a.sort == "R":
            return Said("R", f"(Neg {a.text})")
        ends = (None if x is None else -x for x in (a.high, a.low))
        return Said(a.sort, f"(- {a.text})", *ends)

    def arithmetic(self, op: type, a: Said, b: Said) -> Said:
        sort: Sort = max(a.sort, b.sort, key=ORDER.index)
        if op is ast.Div and sort == "Z":
            sort = "Q"
        if sort == "R":
            return Said("R", f"({CONSTRUCTORS[op]} {a.at('R')} {b.at('R')})")
        low, high = _ends(op, a, b) if sort == "Z" else (None, None)
        return Said(sort, f"({a.at(sort)} {OPERATIONS[op]} {b.at(sort)})", low, high)

    def power(self, a: Said, b: Said) -> Said:
        if b.sort == "Z":
            if a.sort == "Z" and b.nonnegative:
                low = 0 if a.nonnegative else None
                return Said("Z", f"({a.text} ^ {b.text})", low)
            if a.sort == "R":
                return Said("R", f"(Pow {a.text} {_in('Z', b)})")
            return Said("Q", f"({a.at('Q')} ^ {b.text})")
        if b.text.endswith(" # 2)"):
            # Of a root, which is defined at 0 as well.
            half = number(Fraction(b.text[1:].partition(" ")[0])).text
            return Said("R", f"(Pow (Sqrt {a.at('R')}) {half})")
        return Said("R", f"(Exp (Mul {b.at('R')} (Ln {a.at('R')})))")

    def summed(self, f: str, term: Any, variable: str, low: Said, high: Said) -> Said:
        if (low.sort, high.sort) != ("Z", "Z"):
            raise Unsaid("a sum whose range is not whole")
        inner = replace(
            self, names={**self.names, variable: Name("Z", variable + "_", low.low, high.high)}
        )
        body = inner(term)
        if body.sort == "Q" and self.enclosed:
            body = Said("R", body.at("R"))
        head = {"Z": f"z{f}", "Q": f"q{f}", "R": f.capitalize()}[body.sort]
        whole = 0 if body.sort == "Z" and body.nonnegative else None
        ends = f"{_in('Z', low)} {_in('Z', high)}"
        said = f"({head} {ends} (fun {variable}_ => {_in(body.sort, body)}))"
        return Said(body.sort, said, whole)

    def call(self, f: str, args: list[Said]) -> Said:
        a, *rest = args
        if f in ("min", "max"):
            return functools.reduce(lambda x, y: self.extreme(f, x, y), rest, a)
        if f == "abs":
            name = {"Z": "Z.abs", "Q": "qabs", "R": "Abs"}[a.sort]
            return Said(a.sort, f"({name} {a.text})", 0 if a.sort == "Z" else None)
        if f in ("floorlog2", "ceillog2", "factorial", "binomial"):
            if any(x.sort != "Z" for x in args):
                raise Unsaid(f"{f} of what is not whole")
            if f == "binomial":
                return Said("Z", f"(binomial {a.text} {rest[0].text})", 0)
            if f == "factorial":
                return Said("Z", f"(factorial (Z.to_nat {a.text}))", 0)
            return Said("Z", f"({'Z.log2' if f == 'floorlog2' else 'Z.log2_up'} {a.text})", 0)
        plain = {"exp": "Exp", "log": "Ln", "sqrt": "Sqrt", "normal": f"Normal {TERMS}"}
        if f in plain:
            return Said("R", f"({plain[f]} {a.at('R')})")
        if f == "log2":
            return Said("R", f"(Div (Ln {a.at('R')}) (Ln (Int 2)))")
        raise Unsaid(f"no function {f}")

    def extreme(self, f: str, a: Said, b: Said) -> Said:
        sort: Sort = max(a.sort, b.sort, key=ORDER.index)
        name = {"Z": f"Z.{f}", "Q": f"q{f}", "R": f.capitalize()}[sort]
        pick = min if f == "min" else max
        low, high = (
            pick(x, y) if x is not None and y is not None else None
            for x, y in ((a.low, b.low), (a.high, b.high))
        )
        return Said(sort, f"({name} {a.at(sort)} {b.at(sort)})", low, high)

    def rounded(self, f: str, a: Said) -> Said:
        if a.sort == "Z":
            return a
        return Said("Z", f"(q{f} {a.text})")

    def rounded_real(self, f: str, node: Any, a: Said) -> Said:
        """The kernel is told the number, and shows that it is the one."""
        n = self.known(node)
        low, high = ("Le", "Lt") if f == "floor" else ("Lt", "Le")
        ends = (n, n + 1) if f == "floor" else (n - 1, n)
        self.sides.append(f"(R{low} {number(ends[0]).at('R')} {a.text})")
        self.sides.append(f"(R{high} {a.text} {number(ends[1]).at('R')})")
        return number(n)

    def known(self, node: Any) -> Any:
        """A formula's value, where all its names have one."""
        try:
            return value(node, dict(self.at))
        except Refused as why:
            raise Unsaid(str(why)) from None

    def choice(self, test: Any, yes: Any, no: Any) -> Said:
        try:
            condition = self.condition(test)
        except Unsaid:
            # On reals it is decided here, and the kernel shows that it was decided rightly.
            holds = self.known(test)
            self.sides.append(self.statement(test if holds else _not(test)))
            return self(yes if holds else no)
        a, b = self(yes), self(no)
        sort: Sort = max(a.sort, b.sort, key=ORDER.index)
        low = 0 if a.nonnegative and b.nonnegative else None
        if sort == "R":
            return Said("R", f"(If {condition} {a.at('R')} {b.at('R')})")
        return Said(sort, f"(if {condition} then {a.at(sort)} else {b.at(sort)})", low)

    def condition(self, node: Any) -> str:
        """A condition of whole numbers and fractions, as a bool."""
        node = tree(node) if isinstance(node, str) else node
        match node:
            case ast.BoolOp(op=op, values=parts):
                sign = "&&" if isinstance(op, ast.And) else "||"
                return "(" + f" {sign} ".join(self.condition(x) for x in parts) + ")%bool"
            case ast.Compare(left=first, ops=ops, comparators=rest):
                terms = [self(x) for x in [first, *rest]]
                pairs = zip(terms, ops, terms[1:], strict=False)
                return "(" + " && ".join(self.compared(a, o, b) for a, o, b in pairs) + ")%bool"
        raise Unsaid(f"no condition: {ast.unparse(node)}")

    def compared(self, a: Said, op: ast.cmpop, b: Said) -> str:
        sort: Sort = max(a.sort, b.sort, key=ORDER.index)
        if sort == "R":
            raise Unsaid("a condition on reals")
        names = {
            "Z": {"Le": "Z.leb", "Lt": "Z.ltb", "Eq": "Z.eqb"},
            "Q": {"Le": "qle", "Lt": "qlt", "Eq": "qeq"},
        }
        if isinstance(op, ast.NotEq):
            return f"negb {self.compared(a, ast.Eq(), b)}"
        if type(op) in BACKWARDS:
            a, b = b, a
        return f"({names[sort][RELATIONS[type(op)]]} {_in(sort, a)} {_in(sort, b)})"

    def statement(self, text: str | ast.expr) -> str:
        """A relation as a `statement` of the prelude."""
        node = tree(text) if isinstance(text, str) else text
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            raise Unsaid("not one relation")
        if isinstance(node.ops[0], ast.NotEq):
            # One of both is smaller: which, is known at a point.
            node = ast.Compare(node.left, [ast.Lt()], node.comparators)
            node = (
                node
                if self.known(node)
                else _not(ast.Compare(node.left, [ast.LtE()], node.comparators))
            )
        a, b = self(node.left), self(node.comparators[0])
        op = type(node.ops[0])
        sort: Sort = max(a.sort, b.sort, key=ORDER.index)
        if op in BACKWARDS:
            a, b = b, a
        if sort == "R" and op is ast.Eq:
            raise Unsaid("an identity of reals")
        return f"({sort}{RELATIONS[op]} {_in(sort, a)} {_in(sort, b)})"


def _in(sort: Sort, a: Said) -> str:
    """At a place that expects a sort."""
    return a.at(sort) if sort == "R" else f"{a.at(sort)}%{sort}"


def _not(test: Any) -> Any:
    """The opposite of one relation."""
    opposite = {ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt}
    if not isinstance(test, ast.Compare) or type(test.ops[0]) not in opposite:
        raise Unsaid("a condition that is not one relation")
    return ast.Compare(test.left, [opposite[type(test.ops[0])]()], test.comparators)


def _ends(op: type, a: Said, b: Said) -> tuple[int | None, int | None]:
    """Between what a sum, difference or product of whole numbers lies."""
    if op is ast.Sub:
        b = Said("Z", "", *(None if x is None else -x for x in (b.high, b.low)))
    if op in (ast.Add, ast.Sub):
        low, high = (
            x + y if x is not None and y is not None else None
            for x, y in ((a.low, b.low), (a.high, b.high))
        )
        return low, high
    return (0 if a.nonnegative and b.nonnegative else None), None
