"""The numbers that a proof runs an algorithm's steps on.

`Public` stands for what does not depend on the data given the outputs of the releases: a z3 term
over the reals, times a power of epsilon (its grade), so that a scale of 2/epsilon stays linear.
`Private` is linear in the private numbers of one world. What is compared or branched on must be
public; two worlds never meet in one expression.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import z3

from dpaudit.prover.symbols import paths

Number: TypeAlias = "int | float | Public"
Value: TypeAlias = "Number | Private"
Atom: TypeAlias = "str | Applied"
"""A private number: a field of the state, a reward, or a function of such."""

EPSILON = z3.Real("epsilon")
ARMS = z3.Real("arms")
"""How many there are."""
HERE, THERE = "this world", "the neighbour"


def literal(number: float | Fraction) -> Any:
    """The number itself: doubles are fractions."""
    return z3.RealVal(Fraction(number))


def term_of(value: Number) -> Any:
    return value.term if isinstance(value, Public) else literal(value)


def explicit(value: Number) -> Any:
    """The term with epsilon written out."""
    if not isinstance(value, Public):
        return literal(value)
    term = value.term
    for _ in range(abs(value.grade)):
        term = term * EPSILON if value.grade > 0 else term / EPSILON
    return term


def whole(value: Number) -> bool:
    return value.whole if isinstance(value, Public) else float(value).is_integer()


def same(a: Number, b: Number) -> bool:
    """Certainly the same number."""
    if not isinstance(a, Public) and not isinstance(b, Public):
        return a == b
    return bool(z3.is_true(z3.simplify(explicit(a) == explicit(b))))


class Symbol:
    """What both kinds share: arithmetic by the four operations on `Value`."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: Any) -> Any:
        return add(self, other)

    def __radd__(self, other: Any) -> Any:
        return add(other, self)

    def __sub__(self, other: Any) -> Any:
        return add(self, times(other, -1))

    def __rsub__(self, other: Any) -> Any:
        return add(other, times(self, -1))

    def __mul__(self, other: Any) -> Any:
        return times(self, other)

    def __rmul__(self, other: Any) -> Any:
        return times(other, self)

    def __truediv__(self, other: Any) -> Any:
        return divide(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return divide(other, self)

    def __neg__(self) -> Any:
        return times(self, -1)

    def __pos__(self) -> Any:
        return self

    def __pow__(self, exponent: Any) -> Any:
        return power(self, exponent)

    def __rpow__(self, base: Any) -> Any:
        return power(base, self)

    def __eq__(self, other: object) -> Any:
        return compare("==", self, other)

    def __ne__(self, other: object) -> Any:
        return compare("!=", self, other)

    def __lt__(self, other: Any) -> Any:
        return compare("<", self, other)

    def __le__(self, other: Any) -> Any:
        return compare("<=", self, other)

    def __gt__(self, other: Any) -> Any:
        return compare("<", other, self)

    def __ge__(self, other: Any) -> Any:
        return compare("<=", other, self)

    def __abs__(self) -> Any:
        if isinstance(self, Private):
            return applied("abs", self, gentle=True)
        return choice(self >= 0, self, -self)

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __floordiv__(self, other: Any) -> Any:
        return floor(divide(self, other))

    def __mod__(self, other: Any) -> Any:
        return self - other * floor(divide(self, other))

    def __rfloordiv__(self, other: Any) -> Any:
        return floor(divide(other, self))

    def __rmod__(self, other: Any) -> Any:
        return other - self * floor(divide(other, self))

    def __and__(self, other: Any) -> Any:
        return bitwise_and(self, other)

    def __rand__(self, other: Any) -> Any:
        return bitwise_and(other, self)

    def __lshift__(self, places: Any) -> Any:
        return times(self, power_of_two(places))

    def __rlshift__(self, number: Any) -> Any:
        return times(number, power_of_two(self))

    def __rshift__(self, places: Any) -> Any:
        return floor(divide(self, power_of_two(places)))

    def __float__(self) -> float:
        raise paths.Unsupported("a symbol where a plain number must stand")

    __int__ = __index__ = __float__


class Public(Symbol):
    """term * epsilon^grade; `square` is the square of a square root."""

    __slots__ = ("grade", "square", "term", "whole")

    def __init__(
        self, term: Any, grade: int = 0, *, whole: bool = False, square: Number | None = None
    ) -> None:
        self.term, self.grade, self.whole, self.square = term, grade, whole, square

    def __repr__(self) -> str:
        # Not str: that leaves out parts of long terms.
        return str(z3.simplify(explicit(self)).sexpr())

    def __index__(self) -> int:
        term = z3.simplify(self.term)
        if self.grade == 0 and z3.is_rational_value(term):
            return int(term.as_fraction())
        raise paths.Unsupported("an index, or a number of turns of a loop, that is a symbol")


class Place(Public):
    """The index of an arm (`which`), or of a place in an array (`key`), in a turn of a loop."""

    __slots__ = ("key", "which")

    def __init__(self, term: Any, *, which: str = "", key: str = "") -> None:
        super().__init__(term, whole=True)
        self.which, self.key = which, key


@dataclass(frozen=True)
class Applied:
    """A function of private numbers that is not linear."""

    name: str
    arguments: tuple[Any, ...]
    form: Private | None
    """Its private argument, where it moves no more than that does."""
    span: float
    """It moves by so much at most."""

    def __hash__(self) -> int:
        return hash((self.name, len(self.arguments)))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Applied)
            and self.name == other.name
            and len(self.arguments) == len(other.arguments)
            and all(map(alike, self.arguments, other.arguments))
        )

    def __str__(self) -> str:
        return f"{self.name}(...)"


class Private(Symbol):
    """A number of one world: sum of coefficient * atom, plus something public."""

    __slots__ = ("offset", "parts", "world")

    def __init__(self, world: str, parts: Mapping[Atom, Number], offset: Number = 0) -> None:
        self.world, self.parts, self.offset = world, dict(parts), offset

    def __repr__(self) -> str:
        return " + ".join(f"{c} {a}" for a, c in self.parts.items())


def made(world: str, parts: Mapping[Atom, Number], offset: Number) -> Value:
    """Public where nothing private is left."""
    left = {a: c for a, c in parts.items() if isinstance(c, Public) or c != 0}
    return Private(world, left, offset) if left else offset


def alike(a: Any, b: Any) -> bool:
    """The same function of its world's data, whichever world that is."""
    if isinstance(a, Private) and isinstance(b, Private):
        return (
            a.parts.keys() == b.parts.keys()
            and all(same(a.parts[k], b.parts[k]) for k in a.parts)
            and same(a.offset, b.offset)
        )
    if isinstance(a, Private) or isinstance(b, Private):
        return False
    return same(a, b)


def add(a: Any, b: Any) -> Any:
    if isinstance(a, Private) or isinstance(b, Private):
        first, second = _parts(a, b)
        parts = dict(first.parts)
        for atom, coefficient in second.parts.items():
            parts[atom] = add(parts.get(atom, 0), coefficient)
        parts = {k: _number(v) for k, v in parts.items()}
        return made(first.world, parts, add(first.offset, second.offset))
    if not isinstance(a, Public) and not isinstance(b, Public):
        return a + b
    for one, other in ((a, b), (b, a)):
        if not isinstance(one, Public) and one == 0:
            return other
        if not isinstance(one, Public) and math.isinf(one):
            return one
    if _grade(a) == _grade(b):
        return Public(term_of(a) + term_of(b), _grade(a), whole=whole(a) and whole(b))
    return Public(explicit(a) + explicit(b))


def times(a: Any, b: Any) -> Any:
    if isinstance(a, Private) and isinstance(b, Private):
        raise paths.Unsupported("a product of two private numbers")
    if isinstance(b, Private):
        a, b = b, a
    if isinstance(a, Private):
        parts = {k: _number(times(c, b)) for k, c in a.parts.items()}
        return made(a.world, parts, times(a.offset, b))
    if not isinstance(a, Public) and not isinstance(b, Public):
        return a * b
    for one in (a, b):
        if not isinstance(one, Public) and one == 0:
            return one
    if a is b and a.square is not None:
        return a.square
    square = None
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Public) and one.square is not None and not isinstance(other, Public):
            square = times(one.square, other * other)
    grade = _grade(a) + _grade(b)
    return Public(term_of(a) * term_of(b), grade, whole=whole(a) and whole(b), square=square)


def divide(a: Any, b: Any) -> Any:
    if isinstance(b, Private):
        raise paths.Unsupported("a division by a private number")
    if isinstance(a, Private):
        parts = {k: divide(c, b) for k, c in a.parts.items()}
        return made(a.world, parts, divide(a.offset, b))
    if not isinstance(a, Public) and not isinstance(b, Public):
        return a / b
    if not isinstance(a, Public) and a == 0:
        return a
    return Public(term_of(a) / term_of(b), _grade(a) - _grade(b))


def power(base: Any, exponent: Any) -> Any:
    if isinstance(base, Private) or isinstance(exponent, Private):
        raise paths.Unsupported("a power of a private number")
    if not isinstance(exponent, Public) and float(exponent).is_integer() and abs(exponent) <= 8:
        result: Any = 1
        for _ in range(abs(int(exponent))):
            result = times(result, base)
        return result if exponent >= 0 else divide(1.0, result)
    if base == 2 and isinstance(exponent, Public) and exponent.whole:
        return Public(TWO(z3.simplify(exponent.term)))  # a fraction, where that is negative
    return call("power", base, exponent)


def _grade(value: Number) -> int:
    return value.grade if isinstance(value, Public) else 0


def _number(value: Any) -> Any:
    """A term that says a plain number becomes one."""
    if isinstance(value, Public) and value.grade == 0 and z3.is_rational_value(value.term):
        return float(value.term.as_fraction())
    if isinstance(value, Public) and value.grade == 0:
        term = z3.simplify(value.term)
        if z3.is_rational_value(term):
            return float(term.as_fraction())
    return value


def _parts(a: Any, b: Any) -> tuple[Private, Private]:
    world = a.world if isinstance(a, Private) else b.world
    both = [v if isinstance(v, Private) else Private(world, {}, v) for v in (a, b)]
    if both[0].world != both[1].world:
        raise paths.Leak("the two worlds are mixed: numbers of both are added")
    return both[0], both[1]


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
    paths.current().know(z3.And(down.term <= x, x < down.term + 1))
    return down


def truncated(value: Any) -> Any:
    """int(value) of a public number."""
    if not isinstance(value, Public):
        return int(value)
    if value.whole:
        return value
    cut, x = paths.current().fresh("int", whole=True), explicit(value)
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
        path.know(z3.And(level.term >= 0, lowest.term <= size))
        return lowest
    bits = path.fresh("bits", whole=True)
    path.know(z3.Implies(z3.Or(term_of(a) >= 0, term_of(b) >= 0), bits.term >= 0))
    if z3.is_rational_value(sums[1]) and sums[1].as_fraction() == 1:
        # n & (n - 1) is 0 for the powers of two, and for 0.
        n = term_of(a)
        path.know((bits.term == 0) == z3.Or(n == 0, n == TWO(BITS(n) - 1)))
    return bits
