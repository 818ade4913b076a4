"""What symbols are asked besides arithmetic: comparisons, choices, whole numbers, bits."""

from __future__ import annotations

import math
from typing import Any

import z3

from dpaudit.prover.symbols import paths
from dpaudit.prover.symbols.terms import (
    Applied,
    Place,
    Private,
    Public,
    Symbol,
    _grade,
    explicit,
    term_of,
    whole,
)


class Truth:
    """Asked for its truth only: Python would compare it with another by where they are kept."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise paths.Unsupported("a comparison is compared")

    __ne__ = __eq__


class Condition(Truth):
    """A comparison of public numbers; asked for its truth, the path forks."""

    __slots__ = ("term",)

    def __init__(self, term: Any) -> None:
        self.term = term

    def __bool__(self) -> bool:
        return paths.current().decide(self.term)

    def __and__(self, other: Any) -> Condition:
        return Condition(z3.And(self.term, condition(other)))

    def __or__(self, other: Any) -> Condition:
        return Condition(z3.Or(self.term, condition(other)))


def condition(value: Any) -> Any:
    """The term of a condition that may be a plain truth value."""
    return value.term if isinstance(value, Condition) else z3.BoolVal(bool(value))


class Secret(Truth):
    """A comparison that reads private numbers: it may choose a number, never what is done."""

    __slots__ = ("sides",)

    def __init__(self, how: str, a: Any, b: Any) -> None:
        self.sides = (how, a, b)

    def __bool__(self) -> bool:
        raise paths.Leak("a branch depends on a private number that has not passed a release")


def compare(how: str, a: Any, b: Any) -> Any:
    if isinstance(a, Private) or isinstance(b, Private):
        return Secret(how, a, b)
    if isinstance(a, Place) and isinstance(b, Place) and how in ("==", "!="):
        # One name stands for every arm, and `third` for any further one: two of these may be two.
        many = {a.which, b.which} & {"every", ""} or a.which == b.which == "third"
        if not many:
            return (a.which == b.which) == (how == "==")
    if not isinstance(a, (int, float, Public)) or not isinstance(b, (int, float, Public)):
        raise paths.Unsupported("a number is compared with something else")
    if any(not isinstance(one, Public) and math.isinf(one) for one in (a, b)):
        # The symbol may stand for what began at infinity.
        return Condition(paths.current().fresh("infinite").term > 0)
    whole_numbers = whole(a) and whole(b)
    zero = any(not isinstance(v, Public) and v == 0 for v in (a, b))
    if _grade(a) == _grade(b) or zero:
        first, second = term_of(a), term_of(b)
        whole_numbers = whole_numbers and _grade(a) == _grade(b)
    else:
        first, second, whole_numbers = explicit(a), explicit(b), False
    if how == "==":
        return Condition(first == second)
    if how == "<=":
        return Condition(first <= second)
    if how == "<":
        return Condition(first + 1 <= second if whole_numbers else first < second)
    if whole_numbers:
        return Condition(z3.Or(first + 1 <= second, second + 1 <= first))
    return Condition(first != second)


def either(test: Any, calls: bool, yes: Any, no: Any) -> Any:
    """`yes() if test else no()`, where the test may read private numbers."""
    if not isinstance(test, Secret):
        return yes() if test else no()
    if calls:
        raise paths.Leak("whether a function is called depends on a private number")
    values = yes(), no()
    if any(isinstance(v, Symbol) for v in values):
        raise paths.Unsupported("a private number chooses between two that are not plain")
    span = abs(values[0] - values[1])
    return applied("if", *test.sides, *values, span=math.inf if math.isnan(span) else span)


def choice(test: Any, yes: Any, no: Any) -> Any:
    """The one or the other, without a fork."""
    if not isinstance(test, Condition):
        return yes if test else no
    if _grade(yes) == _grade(no):
        term = z3.If(test.term, term_of(yes), term_of(no))
        return Public(term, _grade(yes), whole=whole(yes) and whole(no))
    return Public(z3.If(test.term, explicit(yes), explicit(no)))


def call(name: str, *arguments: Any) -> Any:
    """A function of public numbers of which nothing is known but that it is one."""
    sorts = [z3.RealSort()] * (len(arguments) + 1)
    return Public(z3.Function(name, *sorts)(*(explicit(a) for a in arguments)))


def applied(name: str, *arguments: Any, span: float = math.inf, gentle: bool = False) -> Any:
    """A function with a private argument; if it is gentle it moves no more than that does."""
    private = [a for a in arguments if isinstance(a, Private)]
    if len({a.world for a in private}) > 1:
        raise paths.Leak(f"the two worlds are mixed: {name} is given numbers of both")
    form = private[0] if gentle and len(private) == 1 else None
    return Private(private[0].world, {Applied(name, arguments, form, span): 1})


def floor(value: Any) -> Any:
    if isinstance(value, Private):
        raise paths.Unsupported("a private number is rounded")
    if not isinstance(value, Public):
        return math.floor(value)
    if value.whole:
        return value
    down = paths.current().fresh("floor", whole=True)
    x = explicit(value)
    paths.current().define(down, "floor", x)
    paths.current().know(z3.And(down.term <= x, x < down.term + 1))
    return down


def truncated(value: Any) -> Any:
    """int(value) of a public number."""
    if not isinstance(value, Public):
        return int(value)
    if value.whole:
        return value
    cut, x = paths.current().fresh("int", whole=True), explicit(value)
    paths.current().define(cut, "int", x)
    up = z3.And(cut.term <= x, x < cut.term + 1)
    paths.current().know(z3.If(x >= 0, up, z3.And(x <= cut.term, cut.term < x + 1)))
    return cut


TWO = z3.Function("two_to_the", z3.RealSort(), z3.RealSort())
BITS = z3.Function("bit_length", z3.RealSort(), z3.RealSort())


def power_of_two(exponent: Any) -> Any:
    if not isinstance(exponent, Public):
        return 2.0**exponent if exponent < 0 else 1 << int(exponent)
    term = z3.simplify(exponent.term)
    if z3.is_rational_value(term):
        return 1 << int(term.as_fraction())
    return Public(TWO(term), whole=True)


def bit_length(value: Any) -> Any:
    """Bits of a whole number that is not negative."""
    if not isinstance(value, Public):
        return int(value).bit_length()
    term = z3.simplify(value.term)
    if term.decl().eq(TWO):
        return Public(term.arg(0) + 1, whole=True)
    return Public(BITS(term), whole=True)


def bitwise_and(a: Any, b: Any) -> Any:
    if isinstance(a, Private) or isinstance(b, Private):
        raise paths.Unsupported("the bits of a private number")
    path = paths.current()
    if compare("==", a, 0) or compare("==", b, 0):
        return 0
    sums = z3.simplify(term_of(a) + term_of(b)), z3.simplify(term_of(a) - term_of(b))
    if z3.is_rational_value(sums[0]) and sums[0].as_fraction() == 0:
        # n & -n is the largest power of two that divides n.
        level = path.fresh("trailing_zeros", whole=True)
        lowest = power_of_two(level)
        size = z3.If(term_of(a) > 0, term_of(a), term_of(b))
        path.define(level, "trailing_zeros", size)
        path.know(z3.And(level.term >= 0, lowest.term <= size))
        return lowest
    bits = path.fresh("bits", whole=True)
    path.define(bits, "bits", term_of(a), term_of(b))
    path.know(z3.Implies(z3.Or(term_of(a) >= 0, term_of(b) >= 0), bits.term >= 0))
    if z3.is_rational_value(sums[1]) and sums[1].as_fraction() == 1:
        # n & (n - 1) is 0 for the powers of two, and for 0.
        n = term_of(a)
        path.know((bits.term == 0) == z3.Or(n == 0, n == TWO(BITS(n) - 1)))
    return bits
