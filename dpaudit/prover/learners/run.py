"""What is known, and what is booked, while one way through a step is run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NoReturn

import z3

from dpaudit.prover.solver import Solver
from dpaudit.prover.symbols import paths, terms
from dpaudit.prover.symbols.terms import (
    Number,
    Public,
)
from dpaudit.prover.symbols.vocabulary import Booking


@dataclass
class Run:
    """One way: it is the state of the path."""

    solver: Solver
    given: list[Any]
    """What holds before the step."""
    arms: int
    coins_before: bool = False
    """Coins were drawn before the first round, or are kept."""
    made: list[Booking] = field(default_factory=list)
    over: bool = False
    """The learner itself ended the run."""
    drawn: bool = False
    """A coin was drawn."""
    seen: str = ""
    """What is seen of it."""
    branches: list[Branch] = field(default_factory=list)


@dataclass(frozen=True)
class Branch:
    """A private number decided: with the choices before it, both ways are followed."""

    what: str
    where: str
    before: tuple[int, ...]
    side: int


def coins() -> bool:
    return current().drawn or current().coins_before


def leaks(what: str, where: str | None = None) -> NoReturn:
    """A leak, unless a coin may hide the number: randomised responses are not followed."""
    if coins():
        raise paths.Unsupported(f"{what}, where coins are drawn, too", where)
    raise paths.Leak(what, where)


def branched(what: str) -> bool:
    """Both ways, to see whether what is seen differs."""
    path = paths.current()
    before = tuple(path.taken)
    side = path.choose(2)
    current().branches.append(Branch(what, paths.place(), before, side))
    return side == 0


def current() -> Run:
    state: Run = paths.current().state
    return state


def facts() -> list[Any]:
    return [*current().given, *paths.current().facts]


def book(kind: str, values: tuple[Any, ...], scale: Number, where: str) -> Booking:
    booking = Booking(kind, values, scale, where)
    current().made.append(booking)
    return booking


def unbook(booking: Booking | None) -> None:
    current().made[:] = [b for b in current().made if b is not booking]


def ended() -> NoReturn:
    """An exception ends the run: nothing more is seen than what was released before."""
    if current().branches:
        raise paths.Unsupported("an exception after a branch on a private number")
    current().over = True
    raise paths.Ended


def positive(number: Number) -> bool:
    """Whether it certainly is."""
    if not isinstance(number, Public):
        return number > 0
    return current().solver.holds(terms.explicit(number) > 0, facts())


def concrete(number: Number) -> int:
    """A whole number for a public one: every one that it may be is followed."""
    if not isinstance(number, Public):
        if float(number) != int(number):
            raise paths.Unsupported(f"{number} is an index")
        return int(number)
    term = z3.simplify(terms.explicit(number))
    if z3.is_rational_value(term) and term.as_fraction().denominator == 1:
        return int(term.as_fraction())
    path, solver = paths.current(), current().solver
    reach = range(-current().arms, current().arms + 1)
    options = [n for n in reach if not solver.impossible([*facts(), term == n])]
    # An index is whole: within reach there is no other one.
    outside = z3.Or(term < reach[0], term > reach[-1])
    if not solver.impossible([*facts(), outside]):
        raise paths.Unsupported("an index that may be any number")
    if not options:
        raise paths.Ended
    chosen = options[path.choose(len(options))]
    path.know(term == chosen)
    return chosen


class Secret:
    """A private truth value, index or extreme: it may be kept; what it decides is a leak."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return branched("a branch depends on a private number without noise")

    def __index__(self) -> NoReturn:
        leaks("a private number is an index")

    def _compared(self, other: Any) -> Secret:
        if coins():
            raise paths.Unsupported("a coin meets a private number")
        return self

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _compared  # type: ignore[assignment]

    def _never(self, *_: Any) -> NoReturn:
        raise paths.Unsupported("a private number that is not a sum is computed with")

    __float__ = __int__ = __round__ = __repr__ = __str__ = __format__ = _never
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = __abs__ = _never
    __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __mod__ = __floordiv__ = _never
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __invert__ = _never
