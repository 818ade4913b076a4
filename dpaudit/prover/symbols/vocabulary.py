"""What the steps of an algorithm may call, for symbols: releases, coins, `math` and built-ins."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import z3

from dpaudit.prover.symbols import paths
from dpaudit.prover.symbols.functions import (
    Condition,
    Secret,
    applied,
    bit_length,
    call,
    choice,
    floor,
    truncated,
)
from dpaudit.prover.symbols.state import Arms, Vector, number_of_arms
from dpaudit.prover.symbols.terms import (
    ARMS,
    Private,
    Public,
    alike,
    explicit,
)


@dataclass(frozen=True)
class Booking:
    """A release on one way through a step: the private numbers that it is handed, and its scale."""

    kind: str
    values: tuple[Any, ...]
    scale: Any
    where: str
    every: bool = False
    """Made once for each arm, in a loop that one turn stands for."""


class Releases:
    """Models of the releases: what they are handed is looked at, what they give is unknown."""

    def __init__(self) -> None:
        self.made: list[Booking] = []
        self.unprotected_at = ""
        """Where a private number was released as it is."""

    def _booked(self, kind: str, here: list[Any], there: list[Any], scale: Any) -> None:
        if not all(isinstance(v, (int, float, Public, Private)) for v in (*here, *there, scale)):
            raise paths.Unsupported(f"{kind} is handed something that is no number")
        if not isinstance(scale, (Public, Private)) and not scale > 0:
            raise paths.Leak(f"the scale of {kind} is {scale}")
        if any(isinstance(v, Private) and v.world == "this world" for v in there):
            raise paths.Leak(f"{kind} is handed this world's number as the neighbour's")
        if any(isinstance(v, Private) and v.world != "this world" for v in here):
            raise paths.Leak(f"{kind} is handed the neighbour's number as this world's")
        if isinstance(scale, Private):
            raise paths.Leak(f"the scale of {kind} is a private number")
        if len(here) != len(there) or not all(map(alike, here, there)):
            # In a loop it may be that two sums are not known as such yet.
            kind_of_stop = paths.Leak if paths.current().loop is None else paths.Unsupported
            raise kind_of_stop(
                f"{kind} is handed a number for the neighbour that is not of the neighbour's data "
                "what the other is of this world's"
            )
        if any(isinstance(v, Private) for v in here):
            every = getattr(paths.current().loop, "turn", "") == "every"
            booking = Booking(kind, tuple(here), scale, paths.place(), every)
            self.made.append(booking)
            paths.current().made.append(booking)

    def laplace(self, own: Any, value: Any, there: Any, scale: Any, rng: Any) -> Any:
        self._booked("laplace", [value], [there], scale)
        return paths.current().fresh("laplace")

    def safe_laplace(self, own: Any, value: Any, there: Any, scale: Any, rng: Any) -> Any:
        self._booked("safe_laplace", [value], [there], scale)
        return paths.current().fresh("safe_laplace")

    def gaussian(self, own: Any, value: Any, there: Any, sigma: Any, rng: Any) -> Any:
        self._booked("gaussian", [value], [there], sigma)
        return paths.current().fresh("gaussian")

    def unprotected(self, own: Any, value: Any, there: Any) -> Any:
        if not isinstance(value, Private) and not isinstance(there, Private):
            return value
        self._booked("unprotected", [value], [there], 1)
        self.unprotected_at = self.unprotected_at or paths.place()
        return paths.current().fresh("unprotected")

    def noisy_argmax(
        self, own: Any, scores: Any, there: Any, scale: Any, noise: Any, rng: Any
    ) -> Any:
        if isinstance(noise, Private):
            raise paths.Leak("the family of a noisy maximum is a private number")
        if not isinstance(scores, Vector) or not isinstance(there, Vector):
            raise paths.Unsupported("a noisy maximum of other numbers than all arms'")
        self._booked("noisy_argmax", [scores.each], [there.each], scale)
        best = paths.current().fresh("noisy_argmax", whole=True)
        paths.current().know(z3.And(best.term >= 0, best.term + 1 <= ARMS))
        return best


class Coins:
    """The generator: whatever is drawn is public, and so must be the law that it is drawn from."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def draw(*given: Any, **named: Any) -> Any:
            if any(isinstance(v, (Private, Secret)) for v in (*given, *named.values())):
                raise paths.Leak(f"rng.{name} draws from a law that depends on a private number")
            if named or not all(isinstance(v, (int, float, Public)) for v in given):
                raise paths.Unsupported(f"rng.{name} of several numbers")
            drawn = paths.current().fresh(name, whole=name in ("integers", "poisson", "binomial"))
            if name == "random":
                paths.current().know(z3.And(drawn.term >= 0, drawn.term < 1))
            return drawn

        return draw


class Maths:
    """`math`: of symbols, the functions that are known by more than their names are listed."""

    def __getattr__(self, name: str) -> Any:
        real = getattr(math, name)
        if not callable(real):
            return real

        def function(*given: Any) -> Any:
            if any(isinstance(v, Private) for v in given):
                return applied(name, *given)
            if not any(isinstance(v, Public) for v in given):
                return real(*given)
            return getattr(self, f"_{name}", lambda *a: call(name, *a))(*given)

        return function

    def _sqrt(self, x: Any) -> Any:
        root = call("sqrt", x)
        root.square = x
        if x.grade % 2 == 0:
            of_term = z3.Function("sqrt", z3.RealSort(), z3.RealSort())(x.term)
            return Public(of_term, x.grade // 2, square=x)
        return root

    def _log(self, x: Any, *base: Any) -> Any:
        """Positive above 1, where that is needed."""
        logarithm = call("log", x, *base)
        if not base:
            paths.current().know(z3.Implies(explicit(x) > 1, logarithm.term > 0))
        return logarithm

    def _frexp(self, x: Any) -> Any:
        if not x.whole:
            raise paths.Unsupported("frexp of a number that need not be whole")
        return paths.current().fresh("mantissa"), bit_length(x)

    def _floor(self, x: Any) -> Any:
        return floor(x)

    def _ceil(self, x: Any) -> Any:
        return -floor(-x)

    def _copysign(self, x: Any, sign: Any) -> Any:
        return call("copysign", x, sign)


def largest(*given: Any) -> Any:
    return _extreme("max", given, lambda a, b: a >= b)


def smallest(*given: Any) -> Any:
    return _extreme("min", given, lambda a, b: a <= b)


def _extreme(name: str, given: tuple[Any, ...], wins: Callable[[Any, Any], Any]) -> Any:
    values = list(given[0]) if len(given) == 1 else list(given)
    if any(isinstance(v, Private) for v in values):
        return applied(name, *values, gentle=True)
    best = values[0]
    for value in values[1:]:
        best = choice(wins(best, value), best, value)
    return best


def whole_number(value: Any = 0, *base: Any) -> Any:
    if isinstance(value, Private):
        return applied("int", value)
    if isinstance(value, Condition):
        return choice(value, 1, 0)
    return truncated(value) if isinstance(value, Public) else int(value, *base)


def real_number(value: Any = 0.0) -> Any:
    if isinstance(value, Condition):
        return choice(value, 1.0, 0.0)
    return value if isinstance(value, (Public, Private)) else float(value)


def length(value: Any) -> Any:
    return number_of_arms() if isinstance(value, (Arms, Vector)) else len(value)


BUILTINS = {
    "max": largest,
    "min": smallest,
    "int": whole_number,
    "float": real_number,
    "len": length,
}
