"""The numbers that a learner's methods are run on: a public part, a linear form over private
numbers and at most one draw of noise.

What is used (compared, stored, multiplied by something that is not a plain number) must be public.
A number with a draw is then released: its form is booked, it becomes a fresh public symbol, and
its draw is spent. A private number without noise that is used is a leak.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

import numpy as np
import z3

from dpaudit.prover.learners import run
from dpaudit.prover.solver import constants
from dpaudit.prover.symbols import functions, paths, terms
from dpaudit.prover.symbols.terms import (
    HERE,
    Number,
    Private,
    Public,
    add,
    divide,
    same,
    times,
)

COIN = "coin"
"""Names of symbols that a generator drew, or that stand for noise that was kept."""
KEPT = "kept noise"


@dataclass(eq=False)
class Draw:
    """One draw of noise; `shown` is what it was released in."""

    law: str
    scale: Number
    where: str = ""
    shown: Shown | None = None
    contest: Any = None
    """The noisy maximum that it took part in."""


@dataclass(frozen=True)
class Shown:
    form: Mapping[str, Number]
    factor: Number
    offset: Number
    symbol: Number


class Value:
    """offset + form + factor * draw."""

    __slots__ = ("draw", "factor", "form", "offset")

    def __init__(
        self,
        offset: Number = 0,
        form: Mapping[str, Number] | None = None,
        draw: Draw | None = None,
        factor: Number = 0,
    ) -> None:
        self.offset, self.form = offset, dict(form or {})
        self.draw, self.factor = draw, factor

    @property
    def public(self) -> bool:
        return not self.form and self.draw is None

    @property
    def private(self) -> Private:
        """Its form, for the book."""
        return Private(HERE, {str(atom): number for atom, number in self.form.items()})

    def __add__(self, other: Any) -> Any:
        return _lifted(other, lambda o: _sum(self, o))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return _lifted(other, lambda o: _sum(self, _scaled(o, -1)))

    def __rsub__(self, other: Any) -> Any:
        return _lifted(other, lambda o: _sum(o, _scaled(self, -1)))

    def __mul__(self, other: Any) -> Any:
        return _lifted(other, lambda o: _product(self, o))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return _lifted(other, lambda o: _quotient(self, o))

    def __rtruediv__(self, other: Any) -> Any:
        return _lifted(other, lambda o: _quotient(o, self))

    def __neg__(self) -> Any:
        return _scaled(self, -1)

    def __pos__(self) -> Any:
        return self

    def __pow__(self, other: Any) -> Any:
        return self._by(terms.power, "a power", other)

    def __rpow__(self, other: Any) -> Any:
        return _lifted(other, lambda o: o.__pow__(self))

    def __floordiv__(self, other: Any) -> Any:
        return self._by(lambda a, b: functions.floor(divide(a, b)), "a floor", other)

    def __rfloordiv__(self, other: Any) -> Any:
        return _lifted(other, lambda o: o.__floordiv__(self))

    def __mod__(self, other: Any) -> Any:
        return self._by(_remainder, "a remainder", other)

    def __rmod__(self, other: Any) -> Any:
        return _lifted(other, lambda o: o.__mod__(self))

    def __and__(self, other: Any) -> Any:
        return self._by(functions.bitwise_and, "bits", other)

    def __rand__(self, other: Any) -> Any:
        return _lifted(other, lambda o: o.__and__(self))

    def __lshift__(self, other: Any) -> Any:
        return self._by(lambda a, b: times(a, functions.power_of_two(b)), "a shift", other)

    def __rlshift__(self, other: Any) -> Any:
        return _lifted(other, lambda o: o.__lshift__(self))

    def __rshift__(self, other: Any) -> Any:
        return self._by(
            lambda a, b: functions.floor(divide(a, functions.power_of_two(b))), "a shift", other
        )

    def _by(self, function: Any, what: str, other: Any) -> Any:
        def apply(o: Value) -> Value:
            a, b = plainly(self, what), plainly(o, what)
            return Value(_computed(function, a, b))

        return _lifted(other, apply)

    def __abs__(self) -> Any:
        return Value(abs(plainly(self, "an absolute value")))

    def bit_length(self) -> Any:
        return Value(functions.bit_length(plainly(self, "bits")))

    def is_integer(self) -> bool:
        number = plainly(self, "is_integer()")
        if not isinstance(number, Public):
            return float(number).is_integer()
        asked = z3.Function("is_integer", z3.RealSort(), z3.BoolSort())
        return number.whole or paths.current().decide(asked(terms.explicit(number)))

    def item(self) -> Any:
        return self

    def __eq__(self, other: object) -> Any:
        return _lifted(other, lambda o: _compared("==", self, o))

    def __ne__(self, other: object) -> Any:
        return _lifted(other, lambda o: _compared("!=", self, o))

    def __lt__(self, other: Any) -> Any:
        return _lifted(other, lambda o: _compared("<", self, o))

    def __le__(self, other: Any) -> Any:
        return _lifted(other, lambda o: _compared("<=", self, o))

    def __gt__(self, other: Any) -> Any:
        return _lifted(other, lambda o: _compared("<", o, self))

    def __ge__(self, other: Any) -> Any:
        return _lifted(other, lambda o: _compared("<=", o, self))

    def __bool__(self) -> bool:
        return bool(_compared("!=", self, Value(0)))

    def __index__(self) -> int:
        return run.concrete(used(self, "a private number is an index"))

    def __hash__(self) -> int:
        return hash(self.__index__())

    def __round__(self, *digits: Any) -> Any:
        number = plainly(self, "rounding")
        return Value(functions.call("round", number, *digits))

    def __floor__(self) -> Any:
        return Value(functions.floor(plainly(self, "a floor")))

    def __ceil__(self) -> Any:
        return Value(times(functions.floor(times(plainly(self, "a ceiling"), -1)), -1))

    def _never(self, *_: Any) -> NoReturn:
        raise paths.Unsupported("a symbol where a plain number must stand")

    __float__ = __int__ = __complex__ = __trunc__ = __divmod__ = __rdivmod__ = _never
    __or__ = __ror__ = __xor__ = __rxor__ = __invert__ = __rrshift__ = _never
    __repr__ = __str__ = __format__ = __reduce_ex__ = __copy__ = __deepcopy__ = _never


Given: TypeAlias = "Value | int | float"


def lift(value: Any) -> Value:
    """A number as a value."""
    if isinstance(value, Value):
        return value
    if isinstance(value, (bool, np.bool_)):
        return Value(int(value))
    if isinstance(value, (int, np.integer)):
        return Value(int(value))
    if isinstance(value, (float, np.floating)):
        return Value(float(value))
    if value is None:
        run.ended()  # As Python does.
    raise paths.Unsupported(f"{type(value).__name__} where a number must stand")


def _compared(how: str, a: Value, b: Value) -> Any:
    from dpaudit.prover.learners.choices import compared  # which is about these numbers

    return compared(how, a, b)


def is_number(value: Any) -> bool:
    return isinstance(value, (Value, bool, int, float, np.bool_, np.integer, np.floating))


def _lifted(other: Any, apply: Any) -> Any:
    return apply(lift(other)) if is_number(other) else NotImplemented


def made(offset: Number, form: Mapping[str, Number], draw: Draw | None, factor: Number) -> Value:
    left = {a: c for a, c in form.items() if isinstance(c, Public) or c != 0}
    if not all(isinstance(c, Public) or math.isfinite(c) for c in (*left.values(), factor)):
        raise paths.Unsupported("a private number, or noise, times one that is not finite")
    if draw is not None and not isinstance(factor, Public) and factor == 0:
        draw = None
    return Value(offset, left, draw, factor)


def _sum(a: Value, b: Value) -> Value:
    if a.draw is not None and b.draw is not None and a.draw is not b.draw:
        return Value(add(used(a), used(b)))
    form = dict(a.form)
    for atom, coefficient in b.form.items():
        form[atom] = _plain(add(form.get(atom, 0), coefficient))
    factor = _plain(add(a.factor if a.draw else 0, b.factor if b.draw else 0))
    return made(add(a.offset, b.offset), form, a.draw or b.draw, factor)


def _scaled(a: Value, number: Number) -> Value:
    form = {k: _plain(times(c, number)) for k, c in a.form.items()}
    factor = times(a.factor, number) if a.draw else 0
    return made(times(a.offset, number), form, a.draw, factor)


def _product(a: Value, b: Value) -> Value:
    if not b.public:
        a, b = b, a
    if not b.public:
        if a.draw is None and b.draw is None:
            raise paths.Unsupported("a product of two private numbers")
        # The one with noise is released, and then the other one may be.
        first, second = (a, b) if a.draw is not None else (b, a)
        return _product(Value(used(first)), second)
    if isinstance(b.offset, Public) and a.draw is not None and a.form:
        return Value(times(used(a), b.offset))
    return _scaled(a, b.offset)


def _quotient(a: Value, b: Value) -> Value:
    number = plainly(b, "a division by")
    if isinstance(number, Public) and a.draw is not None and a.form:
        return Value(divide(used(a), number))
    if not isinstance(number, Public):
        if number == 0 and a.public:
            return Value(paths.current().fresh("a division by 0"))
        if number == 0:
            raise paths.Unsupported("a private number is divided by 0")
        if not isinstance(a.offset, Public) and a.public:
            return Value(a.offset / number)
    form = {k: divide(c, number) for k, c in a.form.items()}
    factor = divide(a.factor, number) if a.draw else 0
    return made(divide(a.offset, number), form, a.draw, factor)


def _plain(number: Number) -> Number:
    """A term that says a plain number becomes one, and 0 is seen."""
    return terms._number(number)  # type: ignore[no-any-return]


def _computed(function: Any, a: Number, b: Number) -> Number:
    return function(a, b)  # type: ignore[no-any-return]


def _remainder(a: Number, b: Number) -> Any:
    if not isinstance(a, Public) and not isinstance(b, Public):
        return a % b
    return add(a, times(times(b, functions.floor(divide(a, b))), -1))


# What is used must be public.


def used(value: Given, what: str = "a private number is used without noise") -> Number:
    """The public number that it is, or becomes when it is released."""
    value = lift(value)
    if value.draw is not None:
        return _released(value)
    if value.form:
        exposed(what, value)
    return value.offset


def plainly(value: Given, what: str) -> Number:
    """The same, where a private number cannot be followed and is not yet lost."""
    value = lift(value)
    if value.form and value.draw is None:
        raise paths.Unsupported(f"{what} of a private number")
    return used(value)


def exposed(what: str, *involved: Value) -> NoReturn:
    """A leak, unless noise was made by hand."""
    without_coins(*involved)
    run.leaks(what)


def without_coins(*involved: Value) -> None:
    """Refuse noise made by hand: it is not known to be used once."""
    for value in involved:
        names = names_in(value.offset).union(*(names_in(c) for c in value.form.values()))
        if any(name.startswith(KEPT) for name in names):
            raise paths.Unsupported("noise was drawn in an earlier step: it may be used twice")
        if any(name.startswith(COIN) for name in names):
            raise paths.Unsupported("a coin, or noise made by hand, meets a private number")


def names_in(number: Number) -> frozenset[str]:
    return constants([number.term]) if isinstance(number, Public) else frozenset()


def _released(value: Value) -> Number:
    draw = value.draw
    assert draw is not None
    if draw.shown is not None:
        shown = draw.shown
        ratio = divide(value.factor, shown.factor)
        if not same_form({k: times(c, ratio) for k, c in shown.form.items()}, value.form):
            raise paths.Leak("a draw of noise is used twice", paths.place() or draw.where)
        bare_of_offset = add(shown.symbol, times(shown.offset, -1))
        again: Number = add(times(bare_of_offset, ratio), value.offset)
        return again
    contest, draw.contest = draw.contest, None
    if contest is not None and not any(same_noisy(value, each) for each in contest.values):
        raise paths.Leak("a draw of noise is used twice", paths.place() or draw.where)
    if value.form:
        if draw.law != "laplace":
            why = f"{draw.law} noise on a number that is used alone: no pure loss"
            raise paths.Unsupported(why, draw.where)
        run.book("laplace", (value.private,), scale_of(value), draw.where)
        symbol: Number = paths.current().fresh("noisy")
    else:
        symbol = paths.current().fresh(COIN)
    draw.shown = Shown(value.form, value.factor, value.offset, symbol)
    if contest is not None:
        # A maximum and its score: as if all scores were released, from which the maximum follows.
        run.unbook(contest.booking)
        for other in contest.values:
            if other.draw.shown is None:
                _released(other)
    return symbol


def same_form(a: Mapping[str, Number], b: Mapping[str, Number]) -> bool:
    return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)


def same_noisy(a: Value, b: Value) -> bool:
    return a.draw is b.draw and same_form(a.form, b.form) and same(a.factor, b.factor)


def scale_of(value: Value) -> Number:
    assert value.draw is not None
    factor = value.factor if isinstance(value.factor, Public) else abs(value.factor)
    scale: Number = times(factor, value.draw.scale)
    return scale
