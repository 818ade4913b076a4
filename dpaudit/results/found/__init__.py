"""What an engine finds: bounds from below and above, the pair of tables and the event that show
one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpaudit.results.tradeoff import CurvePoint, TradeOff

Floats = NDArray[np.float64]
MULTIPLE = 2.0
"""A consistent answer would have found so many times the claim with probability 0.9."""


@dataclass(frozen=True)
class Pair:
    """Two neighbouring reward tables (rounds x arms) that differ in one round, counted from 1; with
    neighbours of several rounds it is the first of them. Behind the arms stand contexts, if there
    are any.

    The event is asked to be more likely under `neighbour` than under `rewards`.
    """

    rewards: Floats
    neighbour: Floats
    round: int
    without: int = 1
    """In which world the changed rounds are left out, if so: 0 or 1."""

    @property
    def shape(self) -> tuple[int, int]:
        return self.rewards.shape[0], self.rewards.shape[1]

    def row(self, world: int, t: int, actions: Sequence[int]) -> list[float]:
        """The rewards of round t in a world; a table does not look at the actions."""
        return [float(x) for x in (self.neighbour if world else self.rewards)[t - 1]]

    @property
    def changed(self) -> list[int]:
        """All rounds that differ."""
        return [int(t) + 1 for t in np.flatnonzero((self.rewards != self.neighbour).any(axis=1))]

    @property
    def swapped(self) -> Pair:
        return Pair(self.neighbour, self.rewards, self.round, 1 - self.without)


@dataclass(frozen=True)
class Event:
    """A set of outputs, in words and, where they are action sequences, as such."""

    text: str
    actions: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class Lower:
    """A bound on the privacy parameter from below, with its evidence."""

    bound: float
    pair: Pair | None
    event: Event
    runs: int
    estimate: float
    power: float | None = None
    """The smallest true value that this audit would have found violating, with probability 0.9."""
    rarest: float | None = None
    """In events that come in so large a share of the runs MULTIPLE times the claim would have been
    found with probability 0.9; in rarer ones it need not have been."""
    witness_bound: float | None = None
    """What the shown pair and event alone give, where they were shrunk; still above the claim."""
    budget: int = 0
    """The number of runs that was asked for: what makes the same answer again."""
    searched: str = ""
    """What the search for the worst pair tried, and how many runs that took."""
    sure: tuple[float, float] | None = None
    """For (epsilon, delta) and GDP: the event's probability is at least the first number under the
    neighbour and at most the second under the rewards, both at once."""
    tradeoff: TradeOff | None = None
    complete: bool = True
    """False where Ctrl-C ended it: the bound holds, on the runs that were done."""
    notes: tuple[str, ...] = ()
    """How it was come by, where a reader should know."""
    untested: tuple[str, ...] = ()
    """What of the claim was not put to the test, and what would help. Where there is any, the
    absence of a violation says nothing."""
    unseen: str = ""
    """What the engine did not look at; it is untested unless the claim is proved."""

    def curve(self) -> list[CurvePoint]:
        """Points that the mechanism's curve lies above, all at once: the event shows
        delta >= p - e^epsilon q for every epsilon."""
        if self.sure is None:
            return []
        p, q = self.sure
        top = math.log(p / q) if p > q > 0.0 else 0.0
        points = [top * i / 8 for i in range(9)]
        return [CurvePoint(e, max(0.0, p - math.exp(e) * q)) for e in points]


@dataclass(frozen=True)
class Upper:
    """A bound from above, and over what it was maximised."""

    bound: float
    how: str
    proof: bool
