"""Formulas: one string, evaluated as rational, ball, float array or sympy expression.

A formula is an arithmetic expression in Python's syntax, for instance `log(1 + x) <= x` or
`sum(1/k, k, 1, n)`. It is plain data: it stands in certificates, and nothing of it is executed.

The finders' numbers: exact rationals and balls (python-flint), float arrays, sympy expressions. The
checker has arithmetics of its own and shares nothing with these.
"""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Mapping
from fractions import Fraction
from operator import add, eq, ge, gt, le, lt, mul, ne, sub, truediv
from typing import Any, Protocol

import flint
import numpy as np
from flint import arb, fmpq

RELATIONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
COMPARED = {"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne}
BINARY: dict[type, Any] = {ast.Add: add, ast.Sub: sub, ast.Mult: mul, ast.Div: truediv}
FUNCTIONS = (
    "exp log log2 sqrt abs min max floor ceil floorlog2 ceillog2 factorial binomial normal sum prod"
)
"""What a formula may call. `normal` is the standard normal distribution function; `floorlog2` and
`ceillog2` take whole numbers and are exact; `sum` and `prod` are `sum(term, k, first, last)`.
`pi` is a name of its own."""


class NotShown(Exception):
    """What a part of a certificate was to show, and why it could not be shown."""


class Open(NotShown):
    """A statement that was not shown on a box; by variable, between what it lies, None is infinity.

    It may be false there: who wants to know looks for a point.
    """

    def __init__(
        self, why: str, statement: str, box: Mapping[str, tuple[Fraction, Fraction | None]]
    ) -> None:
        super().__init__(why)
        self.statement = statement
        self.box = dict(box)


class Undecidable(NotShown):
    """A comparison or rounding that this precision, or this box, does not decide."""


class Arithmetic(Protocol):
    """What a kind of number has to offer."""

    def number(self, value: Fraction) -> Any: ...

    def power(self, base: Any, exponent: Any) -> Any: ...

    def call(self, name: str, arguments: list[Any]) -> Any:
        """One of FUNCTIONS but `sum` and `prod`."""

    def whole(self, value: Any) -> int:
        """The value as an int: the range of a sum."""


@functools.lru_cache(maxsize=4096)
def parse(formula: str) -> ast.expr:
    try:
        return ast.parse(formula, mode="eval").body
    except SyntaxError as error:
        raise NotShown(f"not a formula: {formula!r} ({error.msg})") from None


@functools.lru_cache(maxsize=4096)
def sides(statement: str) -> tuple[str, str, str]:
    """`a <= b` as (a, "<=", b)."""
    tree = parse(statement)
    if not isinstance(tree, ast.Compare) or len(tree.ops) != 1:
        raise NotShown(f"not one relation: {statement!r}")
    relation = RELATIONS[type(tree.ops[0])]
    return ast.unparse(tree.left), relation, ast.unparse(tree.comparators[0])


def margin(statement: str) -> tuple[str, bool]:
    """An expression that must be >= 0, or > 0 where the relation is strict, and whether it is."""
    left, relation, right = sides(statement)
    if relation in ("<", "<="):
        return f"({right}) - ({left})", relation == "<"
    if relation in (">", ">="):
        return f"({left}) - ({right})", relation == ">"
    raise NotShown(f"not an inequality: {statement!r}")


def substitute(formula: str, **replaced: str) -> str:
    """The formula with variables replaced by formulas."""

    class Replace(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return parse(replaced[node.id]) if node.id in replaced else node

    fresh = ast.parse(formula, mode="eval").body  # parse() is cached: never change its trees
    return ast.unparse(Replace().visit(fresh))


def evaluate(formula: str | ast.expr, arithmetic: Arithmetic, values: Mapping[str, Any]) -> Any:
    """The formula's value in an arithmetic; relations and `and` give bools."""
    node = parse(formula) if isinstance(formula, str) else formula

    def value(child: ast.expr) -> Any:
        return evaluate(child, arithmetic, values)

    match node:
        case ast.Constant(value=int() | float() as literal):
            return arithmetic.number(Fraction(str(literal)))
        case ast.Name(id=name):
            if name == "pi" and name not in values:
                return arithmetic.call("pi", [])
            if name not in values:
                raise NotShown(f"no value for {name}")
            return values[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -value(operand)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return arithmetic.power(value(left), value(right))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
            return BINARY[type(op)](value(left), value(right))
        case ast.Call(func=ast.Name(id=("sum" | "prod") as name), args=[term, variable, low, high]):
            assert isinstance(variable, ast.Name)
            total = arithmetic.number(Fraction(int(name == "prod")))
            for k in range(arithmetic.whole(value(low)), arithmetic.whole(value(high)) + 1):
                inner = {**values, variable.id: arithmetic.number(Fraction(k))}
                part = evaluate(term, arithmetic, inner)
                total = total * part if name == "prod" else total + part
            return total
        case ast.Call(func=ast.Name(id=name), args=arguments):
            if name not in FUNCTIONS.split():
                raise NotShown(f"no function {name}; there are {FUNCTIONS}")
            return arithmetic.call(name, [value(argument) for argument in arguments])
        case ast.Compare(left=first, ops=ops, comparators=rest):
            terms = [value(term) for term in [first, *rest]]
            triples = zip(terms, ops, terms[1:], strict=False)
            return all(related(a, RELATIONS[type(op)], b) for a, op, b in triples)
        case ast.BoolOp(op=ast.And(), values=parts):
            return all(value(part) for part in parts)
        case ast.BoolOp(op=ast.Or(), values=parts):
            return any(value(part) for part in parts)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return value(body if value(test) else orelse)
    raise NotShown(f"not allowed in a formula: {ast.unparse(node)}")


def related(left: Any, relation: str, right: Any) -> bool:
    """Whether a relation between numbers certainly holds; raises Undecidable where that is open."""
    holds = bool(COMPARED[relation](left, right))
    if not holds and not bool(COMPARED[OPPOSITE[relation]](left, right)):
        raise Undecidable(f"{left} {relation} {right} is not decided")
    return holds


def fraction(text: str | int | Fraction) -> Fraction:
    """A rational written as `3`, `3/4`, `0.75` or `2**-5`."""
    if isinstance(text, str) and "**" in text:
        base, _, exponent = text.partition("**")
        return Fraction(base) ** int(exponent)
    return Fraction(text)


BITS = 160
"""Working precision of the balls."""


class Rationals:
    """Exact rationals; what is irrational is NotShown."""

    def number(self, value: Fraction) -> fmpq:
        return fmpq(value.numerator, value.denominator)

    def power(self, base: fmpq, exponent: fmpq) -> fmpq:
        return base ** self.whole(exponent)

    def whole(self, value: fmpq) -> int:
        if value.q != 1:
            raise NotShown(f"{value} is not a whole number")
        return int(value.p)

    def call(self, name: str, arguments: list[fmpq]) -> fmpq:
        if name == "pi":
            raise NotShown("pi is not rational")
        x = arguments[0]
        match name:
            case "abs":
                return abs(x)
            case "min":
                return min(arguments)
            case "max":
                return max(arguments)
            case "floor":
                return fmpq(x.floor())
            case "ceil":
                return fmpq(x.ceil())
            case "floorlog2":
                return fmpq(self.whole(x).bit_length() - 1)
            case "ceillog2":
                return fmpq((self.whole(x) - 1).bit_length())
            case "factorial":
                return fmpq(math.factorial(self.whole(x)))
            case "binomial":
                return fmpq(math.comb(self.whole(x), self.whole(arguments[1])))
        raise NotShown(f"{name} of a rational is not taken exactly")


class Balls:
    """Real balls that certainly contain the value."""

    def number(self, value: Fraction) -> arb:
        return arb(fmpq(value.numerator, value.denominator))

    def power(self, base: arb, exponent: arb) -> arb:
        if exponent.is_exact() and exponent.is_integer():
            n = self.whole(exponent)
            if n >= 0 and n % 2 == 0:
                return (abs(base) ** n).nonnegative_part()
            return base**n
        if not base > 0 and exponent > 0 and base.upper() > 0:
            return arb(0).union((base.upper() ** exponent).upper())
        return base**exponent

    def whole(self, value: arb) -> int:
        found = value.unique_fmpz()
        if found is None:
            raise Undecidable(f"{value} is not certainly one whole number")
        return int(found)

    def call(self, name: str, arguments: list[arb]) -> arb:
        if name == "pi":
            return arb.pi()
        x = arguments[0]
        match name:
            case "exp" | "sqrt" | "floor" | "ceil":
                value: arb = getattr(x, name)()
                return value
            case "log" | "log2":
                return x.log() if name == "log" else x.log() / arb.const_log2()
            case "abs":
                return abs(x)
            case "min" | "max":
                for y in arguments[1:]:
                    x = getattr(x, name)(y)
                return x
            case "normal":
                return (-x / arb(2).sqrt()).erfc() / 2
            case "floorlog2" | "ceillog2" | "factorial" | "binomial":
                exact = [fmpq(self.whole(y)) for y in arguments]
                return arb(Rationals().call(name, exact))
        raise NotShown(f"no {name} of balls")


class Floats:
    """numpy float arrays: for searching, never for showing."""

    def number(self, value: Fraction) -> Any:
        return np.float64(value)

    def power(self, base: Any, exponent: Any) -> Any:
        return np.power(base, exponent)

    def whole(self, value: Any) -> int:
        return int(np.round(value))

    def call(self, name: str, arguments: list[Any]) -> Any:
        from scipy import special

        if name == "pi":
            return np.pi
        x = arguments[0]
        match name:
            case "min":
                return np.minimum.reduce(np.broadcast_arrays(*arguments))
            case "max":
                return np.maximum.reduce(np.broadcast_arrays(*arguments))
            case "normal":
                return special.ndtr(x)
            case "floorlog2":
                return np.floor(np.log2(x))
            case "ceillog2":
                return np.ceil(np.log2(x))
            case "factorial":
                return special.factorial(x)
            case "binomial":
                return special.binom(x, arguments[1])
        return getattr(np, name)(x)


class Symbols:
    """sympy expressions, for identities and derivatives."""

    def number(self, value: Fraction) -> Any:
        import sympy

        return sympy.Rational(value.numerator, value.denominator)

    def power(self, base: Any, exponent: Any) -> Any:
        return base**exponent

    def whole(self, value: Any) -> int:
        if not value.is_Integer:
            raise NotShown(f"{value} is not a whole number")
        return int(value)

    def call(self, name: str, arguments: list[Any]) -> Any:
        import sympy

        if name == "pi":
            return sympy.pi
        if name == "log2":
            return sympy.log(arguments[0]) / sympy.log(2)
        if name == "normal":
            return (1 + sympy.erf(arguments[0] / sympy.sqrt(2))) / 2
        known = {"ceil": "ceiling", "min": "Min", "max": "Max", "abs": "Abs"}
        return getattr(sympy, known.get(name, name))(*arguments)


def rational(formula: str, values: Mapping[str, Fraction]) -> fmpq:
    exact = Rationals()
    found: fmpq = evaluate(formula, exact, {k: exact.number(v) for k, v in values.items()})
    return found


def ball(formula: str, values: Mapping[str, Fraction]) -> arb:
    """A tight ball around the value at a rational point."""
    with flint.ctx.workprec(BITS):
        balls = Balls()
        found: arb = evaluate(formula, balls, {k: balls.number(v) for k, v in values.items()})
    return found


def symbolic(formula: str, variables: Mapping[str, Any]) -> Any:
    return evaluate(formula, Symbols(), variables)
