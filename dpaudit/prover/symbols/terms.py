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
        return functions.compare("==", self, other)

    def __ne__(self, other: object) -> Any:
        return functions.compare("!=", self, other)

    def __lt__(self, other: Any) -> Any:
        return functions.compare("<", self, other)

    def __le__(self, other: Any) -> Any:
        return functions.compare("<=", self, other)

    def __gt__(self, other: Any) -> Any:
        return functions.compare("<", other, self)

    def __ge__(self, other: Any) -> Any:
        return functions.compare("<=", other, self)

    def __abs__(self) -> Any:
        if isinstance(self, Private):
            return functions.applied("abs", self, gentle=True)
        return functions.choice(self >= 0, self, -self)

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __floordiv__(self, other: Any) -> Any:
        return functions.floor(divide(self, other))

    def __mod__(self, other: Any) -> Any:
        return self - other * functions.floor(divide(self, other))

    def __rfloordiv__(self, other: Any) -> Any:
        return functions.floor(divide(other, self))

    def __rmod__(self, other: Any) -> Any:
        return other - self * functions.floor(divide(other, self))

    def __and__(self, other: Any) -> Any:
        return functions.bitwise_and(self, other)

    def __rand__(self, other: Any) -> Any:
        return functions.bitwise_and(other, self)

    def __lshift__(self, places: Any) -> Any:
        return times(self, functions.power_of_two(places))

    def __rlshift__(self, number: Any) -> Any:
        return times(number, functions.power_of_two(self))

    def __rshift__(self, places: Any) -> Any:
        return functions.floor(divide(self, functions.power_of_two(places)))

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
        return Public(
            functions.TWO(z3.simplify(exponent.term))
        )  # a fraction, where that is negative
    return functions.call("power", base, exponent)


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


# Both modules need one another: what is above is there when the other one asks for it.
from dpaudit.prover.symbols import functions  # noqa: E402
