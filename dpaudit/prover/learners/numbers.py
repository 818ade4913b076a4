"""The numbers that a learner's methods are run on: a public part, a linear form over private numbers
and at most one draw of noise.

What is used (compared, stored, multiplied by something that is not a plain number) must be public. A
number with a draw is then released: its form is booked, it becomes a fresh public symbol, and
its draw is spent. A private number without noise that is used is a leak.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

import numpy as np
import z3

from dpaudit.prover.learners import run
from dpaudit.prover.solver import constants
from dpaudit.prover.symbols import paths, terms
from dpaudit.prover.symbols.terms import HERE, Number, Private, Public, add, divide, same, times

COIN = "coin"
"""Names of symbols that a generator drew, or that stand for noise that was kept."""
KEPT = "kept noise"
ONE_SIDED = ("exponential", "gumbel")
"""Laws whose upper tails alone fall no faster than exponentially: good for a noisy maximum."""


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
        return Private(HERE, self.form)

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
        return self._by(lambda a, b: terms.floor(divide(a, b)), "a floor", other)

    def __rfloordiv__(self, other: Any) -> Any:
        return _lifted(other, lambda o: o.__floordiv__(self))

    def __mod__(self, other: Any) -> Any:
        return self._by(_remainder, "a remainder", other)

    def __rmod__(self, other: Any) -> Any:
        return _lifted(other, lambda o: o.__mod__(self))

    def __and__(self, other: Any) -> Any:
        return self._by(terms.bitwise_and, "bits", other)

    def __rand__(self, other: Any) -> Any:
        return _lifted(other, lambda o: o.__and__(self))

    def __lshift__(self, other: Any) -> Any:
        return self._by(lambda a, b: times(a, terms.power_of_two(b)), "a shift", other)

    def __rlshift__(self, other: Any) -> Any:
        return _lifted(other, lambda o: o.__lshift__(self))

    def __rshift__(self, other: Any) -> Any:
        return self._by(
            lambda a, b: terms.floor(divide(a, terms.power_of_two(b))), "a shift", other
        )

    def _by(self, function: Any, what: str, other: Any) -> Any:
        def apply(o: Value) -> Value:
            a, b = plainly(self, what), plainly(o, what)
            return Value(_computed(function, a, b))

        return _lifted(other, apply)

    def __abs__(self) -> Any:
        return Value(abs(plainly(self, "an absolute value")))

    def bit_length(self) -> Any:
        return Value(terms.bit_length(plainly(self, "bits")))

    def is_integer(self) -> bool:
        number = plainly(self, "is_integer()")
        if not isinstance(number, Public):
            return float(number).is_integer()
        asked = z3.Function("is_integer", z3.RealSort(), z3.BoolSort())
        return number.whole or paths.current().decide(asked(terms.explicit(number)))

    def item(self) -> Any:
        return self

    def __eq__(self, other: object) -> Any:
        return _lifted(other, lambda o: _equal(self, o))

    def __ne__(self, other: object) -> Any:
        return _lifted(other, lambda o: _unequal(self, o))

    def __lt__(self, other: Any) -> Any:
        return _lifted(other, lambda o: compared("<", self, o))

    def __le__(self, other: Any) -> Any:
        return _lifted(other, lambda o: compared("<=", self, o))

    def __gt__(self, other: Any) -> Any:
        return _lifted(other, lambda o: compared("<", o, self))

    def __ge__(self, other: Any) -> Any:
        return _lifted(other, lambda o: compared("<=", o, self))

    def __bool__(self) -> bool:
        return not _equal(self, Value(0))

    def __index__(self) -> int:
        return run.concrete(used(self, "a private number is an index"))

    def __hash__(self) -> int:
        return hash(self.__index__())

    def __round__(self, *digits: Any) -> Any:
        number = plainly(self, "rounding")
        return Value(terms.call("round", number, *digits))

    def __floor__(self) -> Any:
        return Value(terms.floor(plainly(self, "a floor")))

    def __ceil__(self) -> Any:
        return Value(times(terms.floor(times(plainly(self, "a ceiling"), -1)), -1))

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


def is_number(value: Any) -> bool:
    return isinstance(value, (Value, bool, int, float, np.bool_, np.integer, np.floating))


def _lifted(other: Any, apply: Any) -> Any:
    return apply(lift(other)) if is_number(other) else NotImplemented


def made(offset: Number, form: Mapping[str, Number], draw: Draw | None, factor: Number) -> Value:
    left = {a: c for a, c in form.items() if isinstance(c, Public) or c != 0}
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
    return add(a, times(times(b, terms.floor(divide(a, b))), -1))


class Secret:
    """A private truth value, index or extreme: it may be kept; what it decides is a leak."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return run.branched("a branch depends on a private number without noise")

    def __index__(self) -> NoReturn:
        run.leaks("a private number is an index")

    def _compared(self, other: Any) -> Secret:
        if run.coins():
            raise paths.Unsupported("a coin meets a private number")
        return self

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _compared  # type: ignore[assignment]

    def _never(self, *_: Any) -> NoReturn:
        raise paths.Unsupported("a private number that is not a sum is computed with")

    __float__ = __int__ = __round__ = __repr__ = __str__ = __format__ = _never
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = __abs__ = _never
    __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __mod__ = __floordiv__ = _never
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __invert__ = _never


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
        names = _names(value.offset).union(*(_names(c) for c in value.form.values()))
        if any(name.startswith(KEPT) for name in names):
            raise paths.Unsupported("noise was drawn in an earlier step: it may be used twice")
        if any(name.startswith(COIN) for name in names):
            raise paths.Unsupported("a coin, or noise made by hand, meets a private number")


def _names(number: Number) -> frozenset[str]:
    return constants([number.term]) if isinstance(number, Public) else frozenset()


def _released(value: Value) -> Number:
    draw = value.draw
    assert draw is not None
    if draw.shown is not None:
        shown = draw.shown
        ratio = divide(value.factor, shown.factor)
        if not _same_form({k: times(c, ratio) for k, c in shown.form.items()}, value.form):
            raise paths.Leak("a draw of noise is used twice", paths.place() or draw.where)
        bare_of_offset = add(shown.symbol, times(shown.offset, -1))
        return add(times(bare_of_offset, ratio), value.offset)
    contest, draw.contest = draw.contest, None
    if contest is not None and not any(_same_noisy(value, each) for each in contest.values):
        raise paths.Leak("a draw of noise is used twice", paths.place() or draw.where)
    if value.form:
        if draw.law != "laplace":
            why = f"{draw.law} noise on a number that is used alone: no pure loss"
            raise paths.Unsupported(why, draw.where)
        run.book("laplace", (value.private,), _scale(value), draw.where)
        symbol = paths.current().fresh("noisy")
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


def _same_form(a: Mapping[str, Number], b: Mapping[str, Number]) -> bool:
    return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)


def _same_noisy(a: Value, b: Value) -> bool:
    return a.draw is b.draw and _same_form(a.form, b.form) and same(a.factor, b.factor)


def _scale(value: Value) -> Number:
    assert value.draw is not None
    factor = value.factor if isinstance(value.factor, Public) else abs(value.factor)
    return times(factor, value.draw.scale)


def compared(how: str, a: Value, b: Value) -> Any:
    known = _of_reward(how, a, b)
    if known is not None:
        return known
    if bare(a) or bare(b):
        without_coins(a, b)
        return Secret()
    return _forked(how, used(a), used(b))


def bare(value: Value) -> bool:
    """Private, and without noise."""
    return bool(value.form) and value.draw is None


def _forked(how: str, a: Number, b: Number) -> bool:
    return bool(terms.compare(how, a, b))


def _of_reward(how: str, a: Value, b: Value) -> bool | None:
    """Rewards are in [0, 1]: what asks for that is answered."""
    for value, other, left in ((a, b, True), (b, a, False)):
        if not is_reward(value) or not other.public or isinstance(other.offset, Public):
            continue
        number = other.offset
        if how == "<" and left:
            return True if number > 1 else False if number <= 0 else None
        if how == "<=" and left:
            return True if number >= 1 else False if number < 0 else None
        if how == "<":
            return True if number < 0 else False if number >= 1 else None
        if how == "<=":
            return True if number <= 0 else False if number > 1 else None
    return None


def is_reward(value: Value) -> bool:
    """A reward as it came."""
    return (
        value.draw is None
        and [not isinstance(c, Public) and c == 1 for c in value.form.values()] == [True]
        and next(iter(value.form)).startswith("reward")
        and not isinstance(value.offset, Public)
        and value.offset == 0
    )


def _unequal(a: Value, b: Value) -> Any:
    found = _equal(a, b)
    return found if isinstance(found, Secret) else not found


def _equal(a: Value, b: Value) -> Any:
    if a is b:
        return True
    if a.draw is not None and b.draw is not None and a.draw is not b.draw:
        contest = a.draw.contest
        if contest is not None and contest is b.draw.contest:
            return False  # Two noisy scores are equal with probability 0.
    return compared("==", a, b)


# The best of several.


@dataclass(frozen=True, eq=False)
class Contest:
    """A noisy maximum, or minimum: nothing but its winner is known of the scores."""

    values: list[Value]
    most: bool
    winner: int
    booking: Any


def best(given: list[Any], *, most: bool) -> Any:
    """The index of the largest, or least, of these numbers; the first one of equal ones."""
    if any(isinstance(v, Secret) for v in given):
        return Secret()
    values = [lift(v) for v in given]
    if not values:
        raise paths.Unsupported("the best of no numbers")
    first = values[0].draw.contest if values[0].draw is not None else None
    if first is not None and first.most == most and _the_same(first.values, values):
        return int(first.winner)
    if _contest(values, most):
        scores = tuple(value.private for value in values)
        booking = None
        if any(value.form for value in values):
            booking = run.book("noisy_argmax", scores, _scale(values[0]), paths.place())
        winner = paths.current().choose(len(values))
        contest = Contest(values, most, winner, booking)
        for value in values:
            assert value.draw is not None
            value.draw.contest = contest
        return winner
    if any(map(bare, values)):
        without_coins(*values)
        return Secret()
    return _best_public([used(v) for v in values], most)


def picked(values: list[Any], at: Any) -> Any:
    return at if isinstance(at, Secret) else values[at]


def _contest(values: list[Value], most: bool) -> bool:
    """Each has noise of its own, alike and with its heavy side where the best is looked for."""
    draws = [v.draw for v in values]
    if len(values) < 2 or len(set(map(id, draws))) < len(draws):
        return False
    for value in values:
        draw, head = value.draw, values[0]
        if draw is None or draw.shown is not None or draw.contest is not None:
            return False
        assert head.draw is not None
        if draw.law != head.draw.law or not same(draw.scale, head.draw.scale):
            return False
        if draw.law not in ("laplace", *ONE_SIDED) or not same(value.factor, head.factor):
            return False
        if draw.law in ONE_SIDED and not run.positive(value.factor if most else times(value.factor, -1)):
            return False
    return True


def _the_same(a: list[Value], b: list[Value]) -> bool:
    return len(a) == len(b) and all(
        _same_noisy(x, y) and same(x.offset, y.offset) for x, y in zip(a, b, strict=True)
    )


def _best_public(numbers: list[Number], most: bool) -> int:
    if not any(isinstance(n, Public) for n in numbers):
        chosen = max(numbers) if most else min(numbers)  # type: ignore[type-var]
        return numbers.index(chosen)
    winner = paths.current().choose(len(numbers))
    for j, number in enumerate(numbers):
        if j == winner:
            continue
        low, high = (number, numbers[winner]) if most else (numbers[winner], number)
        test = terms.compare("<" if j < winner else "<=", low, high)
        if isinstance(test, terms.Condition):
            paths.current().know(test.term)
        elif not test:
            raise paths.Ended
    return winner
