"""Formulas as tactics read them: plain terms of Coq's real numbers, with variables."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpaudit.kernel.exact import Unsaid
from dpaudit.recheck.numbers import Refused, tree, value

OPERATIONS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
RELATIONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "="}
FUNCTIONS = {"exp": "exp", "log": "ln", "sqrt": "sqrt", "abs": "Rabs", "normal": "Phi"}
LONGEST = 60
"""Terms of a sum that are written out."""


def number(x: Fraction | int | str) -> str:
    """A rational as a real number."""
    x = Fraction(x)
    size = str(abs(x.numerator)) + (f"/{x.denominator}" if x.denominator > 1 else "")
    if x < 0:
        return f"(-({size}))"
    return f"({size})" if x.denominator > 1 else size


def exactly(node: Any, at: Mapping[str, Fraction]) -> Fraction | None:
    """A formula's value where it is known and rational."""
    try:
        found = value(node, dict(at))
    except (Refused, LookupError, TypeError, ValueError, ArithmeticError):
        return None
    return found if isinstance(found, Fraction) else None


def real(node: Any, at: Mapping[str, Fraction], names: Mapping[str, str]) -> str:
    """A formula, in which names have values or are variables."""
    node = tree(node) if isinstance(node, str) else node

    def inner(child: Any) -> str:
        return real(child, at, names)

    match node:
        case ast.Constant(value=int() | float() as x):
            return number(Fraction(str(x)))
        case ast.Name(id=i) if i in at:
            return number(at[i])
        case ast.Name(id=i) if i in names:
            return names[i]
        case ast.Name(id="pi"):
            return "PI"
        case ast.UnaryOp(op=ast.USub(), operand=x):
            return f"(- {inner(x)})"
        case ast.BinOp(left=a, op=ast.Pow(), right=b):
            return power(inner(a), b, inner, at)
        case ast.BinOp(left=a, op=op, right=b):
            return f"({inner(a)} {OPERATIONS[type(op)]} {inner(b)})"
        case ast.Call(func=ast.Name(id="sum" | "prod" as f), args=[t, ast.Name(id=v), lo, hi]):
            ends = exactly(lo, at), exactly(hi, at)
            if ends[0] is None or ends[1] is None or ends[1] - ends[0] > LONGEST:
                raise Unsaid("a sum without known ends, or a long one")
            numbers = range(math.ceil(ends[0]), math.floor(ends[1]) + 1)
            terms = [real(t, {**at, v: Fraction(k)}, names) for k in numbers]
            return f"({(' + ' if f == 'sum' else ' * ').join(terms)})"
        case ast.Call(func=ast.Name(id=f), args=args) if f in FUNCTIONS:
            return f"({FUNCTIONS[f]} {inner(args[0])})"
        case ast.Call(func=ast.Name(id="log2"), args=[x]):
            return f"(ln {inner(x)} / ln 2)"
        case ast.Call(func=ast.Name(id="min" | "max" as f), args=[first, *rest]) if (
            exactly(node, at) is None
        ):
            found = inner(first)
            for x in rest:
                found = f"(R{f} {found} {inner(x)})"
            return found
    known = exactly(node, at)
    if known is None:
        raise Unsaid(f"not said: {ast.unparse(node)}")
    return number(known)


def power(base: str, exponent: Any, inner: Any, at: Mapping[str, Fraction]) -> str:
    """Whole powers as such, others by exp and ln."""
    n = exactly(exponent, at)
    if n is None or n.denominator != 1:
        return f"(exp ({inner(exponent)} * ln {base}))"
    return f"({base} ^ {n})" if n >= 0 else f"(/ ({base} ^ {-n}))"


def related(statement: str, at: Mapping[str, Fraction], names: Mapping[str, str]) -> str:
    """A relation."""
    left, sign, right = sides(statement)
    return f"{real(left, at, names)} {sign} {real(right, at, names)}"


def sides(statement: str) -> tuple[Any, str, Any]:
    """Both sides of a statement, and its relation."""
    node = tree(statement)
    if (
        not isinstance(node, ast.Compare)
        or len(node.ops) != 1
        or type(node.ops[0]) not in RELATIONS
    ):
        raise Unsaid("not one relation")
    return node.left, RELATIONS[type(node.ops[0])], node.comparators[0]
