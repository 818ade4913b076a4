"""The checker's formulas: exact fractions as long as they last, mpmath intervals beyond."""

from __future__ import annotations

import ast
import functools
import math
from fractions import Fraction
from operator import add, eq, ge, gt, le, lt, mul, ne, sub, truediv
from typing import Any

from mpmath import iv, mp

iv.prec = mp.prec = 320
RELATIONS = {ast.Lt: lt, ast.LtE: le, ast.Gt: gt, ast.GtE: ge, ast.Eq: eq, ast.NotEq: ne}
BINARY = {ast.Add: add, ast.Sub: sub, ast.Mult: mul, ast.Div: truediv}
SAME = Fraction(1, 10**24)
"""Agreement asked of two numbers that must be the same."""
Point = dict[str, Any]


class Refused(Exception):
    """Why a certificate is not accepted."""


def need(condition: Any, why: str) -> None:
    """Refuse unless a condition is certain."""
    if condition is not True:
        raise Refused(why)


@functools.lru_cache(4096)
def tree(formula: str) -> Any:
    """A formula's syntax tree; nothing of it is executed."""
    return ast.parse(formula, mode="eval").body


def wide(x: Any) -> Any:
    if isinstance(x, Fraction):
        return enclosed(x.numerator, x.denominator)
    return x if isinstance(x, iv.mpf) else iv.mpf(x)


@functools.lru_cache(1 << 16)
def enclosed(numerator: int, denominator: int) -> Any:
    return iv.mpf(numerator) / iv.mpf(denominator)


@functools.lru_cache(4096)
def literal(text: str) -> Fraction:
    return Fraction(text)


def whole(x: Any) -> int:
    need(isinstance(x, Fraction) and x.denominator == 1, f"{x} is not a whole number")
    return int(x)


def value(node: Any, at: Point) -> Any:
    """A formula's value; relations give True, False, or None where they are open."""
    match tree(node) if isinstance(node, str) else node:
        case ast.Constant(value=int() | float() as number):
            return literal(str(number))
        case ast.Name(id=name) if name in at:
            return at[name]
        case ast.Name(id="pi"):
            return iv.mpf(iv.pi)
        case ast.UnaryOp(op=ast.USub(), operand=x):
            return -value(x, at)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return power(value(left, at), value(right, at))
        case ast.BinOp(left=left, op=op, right=right):
            return binary(op, value(left, at), value(right, at))
        case ast.Call(
            func=ast.Name(id="sum" | "prod" as name), args=[term, ast.Name(id=variable), low, high]
        ):
            total, op = Fraction(int(name == "prod")), ast.Mult() if name == "prod" else ast.Add()
            for k in range(whole(value(low, at)), whole(value(high, at)) + 1):
                total = binary(op, total, value(term, {**at, variable: Fraction(k)}))
            return total
        case ast.Call(func=ast.Name(id=name), args=args):
            return call(name, [value(x, at) for x in args])
        case ast.Compare(left=left, ops=ops, comparators=rest):
            terms = [value(x, at) for x in [left, *rest]]
            found = [related(a, op, b) for a, op, b in zip(terms, ops, terms[1:], strict=False)]
            return False if False in found else None if None in found else True
        case ast.BoolOp(op=op, values=parts):
            found = [value(x, at) for x in parts]
            need(None not in found, "a condition is open")
            return all(found) if isinstance(op, ast.And) else any(found)
        case ast.IfExp(test=test, body=yes, orelse=no):
            need((answer := value(test, at)) is not None, "a condition is open")
            return value(yes if answer else no, at)
    raise Refused(f"not allowed in a formula: {ast.unparse(node)}")


def binary(op: ast.operator, a: Any, b: Any) -> Any:
    if not (isinstance(a, Fraction) and isinstance(b, Fraction)):
        a, b = wide(a), wide(b)
    need(not isinstance(op, ast.Div) or b != 0, "division by 0")
    return BINARY[type(op)](a, b)


def power(a: Any, b: Any) -> Any:
    """Whole powers exactly, others by exp and log."""
    if isinstance(b, Fraction) and b.denominator == 1:
        need(b >= 0 or a != 0, "0 to a negative power")
        return a ** int(b)
    a, b = wide(a), wide(b)
    if a.a <= 0 < a.b and b.a > 0:
        return iv.mpf([0, iv.exp(b * iv.log(iv.mpf(a.b))).b])
    return iv.exp(b * iv.log(a))


def related(a: Any, op: ast.cmpop, b: Any) -> bool | None:
    """Whether a relation certainly holds; None where that is open."""
    compare = RELATIONS[type(op)]
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return bool(compare(a, b))
    d = wide(a) - wide(b)
    ends = [d.a, d.b, *([0] if d.a <= 0 <= d.b else [])]
    found = {bool(compare(end, 0)) for end in ends}
    return found.pop() if len(found) == 1 else None


def call(name: str, args: list[Any]) -> Any:
    x = args[0]
    exact = all(isinstance(a, Fraction) for a in args)
    if name in ("min", "max"):
        pick = min if name == "min" else max
        ends = [wide(a) for a in args]
        return pick(args) if exact else iv.mpf([pick(e.a for e in ends), pick(e.b for e in ends)])
    if name == "abs":
        return abs(x)
    if name in ("exp", "log", "log2", "sqrt"):
        if exact and (name, x) in (("exp", 0), ("log", 1), ("log2", 1)):
            return Fraction(int(name == "exp"))
        if exact and name == "sqrt" and x >= 0:
            root = Fraction(math.isqrt(x.numerator), math.isqrt(x.denominator))
            return root if root**2 == x else iv.sqrt(wide(x))
        need(name == "exp" or wide(x).a >= 0, f"{name} of what may be negative")
        found = getattr(iv, name.rstrip("2"))(wide(x))
        return found / iv.log(iv.mpf(2)) if name == "log2" else found
    if name == "normal":
        low, high = (x, x) if exact else (ratio(x.a), ratio(x.b))
        return iv.mpf([normal(low).a, normal(high).b])
    if name in ("floor", "ceil"):
        rounded = {getattr(math, name)(end) for end in ([x] if exact else [ratio(x.a), ratio(x.b)])}
        need(len(rounded) == 1, f"{name} is not decided")
        return Fraction(rounded.pop())
    n, *rest = (whole(a) for a in args)
    whole_valued = {
        "floorlog2": lambda: n.bit_length() - 1,
        "ceillog2": lambda: (n - 1).bit_length(),
        "factorial": lambda: math.factorial(n),
        "binomial": lambda: math.comb(n, rest[0]),
    }
    need(name in whole_valued, f"no function {name}")
    return Fraction(whole_valued[name]())


def ratio(end: Any) -> Fraction:
    """An end of an interval as the fraction that it is."""
    sign, mantissa, exponent, _ = mp.mpf(end)._mpf_
    size: Fraction = int(mantissa) * Fraction(2) ** int(exponent)
    return -size if sign else size


@functools.lru_cache(4096)
def normal(x: Fraction) -> Any:
    """Standard normal distribution function by its series of positive terms."""
    if x < 0:
        return 1 - normal(-x)
    if x > 12:
        return iv.mpf([normal(Fraction(12)).a, 1])
    term = total = wide(x)
    k, square, tiny = 0, wide(x) ** 2, mp.mpf(10) ** -80
    while term.b > tiny or x * x > k:  # from x^2 < k on, the rest is below 2 terms
        k += 1
        term = term * square / (2 * k + 1)
        total += term
    density = iv.exp(-square / 2) / iv.sqrt(2 * iv.pi)
    return iv.mpf(1) / 2 + density * (total + iv.mpf([0, 2]) * term)


def same(a: Any, b: Any, slack: Fraction = SAME) -> bool:
    """Whether two numbers agree to within a slack, relative to 1 + their size."""
    a, b = wide(a), wide(b)
    return bool(abs(a - b).b <= wide(slack).b * (1 + abs(a)).a)
