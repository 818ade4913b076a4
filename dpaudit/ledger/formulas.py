"""Formulas: one string, evaluated as rational, ball, float array or sympy expression.

A formula is an arithmetic expression in Python's syntax, for instance `log(1 + x) <= x` or
`sum(1/k, k, 1, n)`. It is plain data: it stands in certificates, and nothing of it is executed.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping
from fractions import Fraction
from operator import add, eq, ge, gt, le, lt, mul, ne, sub, truediv
from typing import Any, Protocol

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
