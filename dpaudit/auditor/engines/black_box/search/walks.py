"""Walks from one table to another, one row at a time: where does the behaviour turn?

Each step of a walk is a pair of neighbours. If the ends are told apart, some step tells apart too:
it is found by looking at a few points between, again and again where the event's probability
changes most. So a threshold in ten thousand rounds takes a few looks (89 rewards of 1 against 90).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpaudit.results.found import Pair
from dpaudit.run.plain import travels

VALUES = ((0.0, 1.0), (0.0, 0.5), (0.5, 1.0), (0.25, 0.95))
"""What an arm's rewards are at the two ends."""
OTHERS = (0.0, 1.0, 0.5)
"""What the other arms' rewards are all the way."""
SHORT = 16
"""So many rounds are searched at their length only."""
ARMS = 3
"""So many arms at random have their turn before the next ones."""
POINTS = 8
"""A stretch is cut into so many at a look."""


@travels
@dataclass(frozen=True)
class Walk:
    """Rows that are `start` turn into `end`, one after the other, from the first or from the last
    on. It stands for the pair of tables in which `here` and `there` rows have turned."""

    start: tuple[float, ...]
    end: tuple[float, ...]
    rounds: int
    last_first: bool = False
    here: int = 0
    there: int = 0
    round = 1
    """Behind which features look, the same along the walk."""

    @property
    def shape(self) -> tuple[int, int]:
        return self.rounds, len(self.start)

    def row(self, world: int, t: int, actions: Sequence[int]) -> tuple[float, ...]:
        """The rewards of round t in a world."""
        turned = self.there if world else self.here
        place = self.rounds - t if self.last_first else t - 1
        return self.end if place < turned else self.start

    def table(self, world: int) -> Any:
        return np.array([self.row(world, t, ()) for t in range(1, self.rounds + 1)])

    @property
    def rewards(self) -> Any:
        return self.table(0)

    @property
    def neighbour(self) -> Any:
        return self.table(1)

    @property
    def changed(self) -> list[int]:
        """The rounds that differ; none where all do, for no neighbours do so."""
        if self.there - self.here in (0, self.rounds):
            return []
        turned = range(self.here, self.there)
        return sorted(self.rounds - at if self.last_first else at + 1 for at in turned)

    def between(self, here: int, there: int) -> Walk:
        return replace(self, here=here, there=there)

    @property
    def ends(self) -> Walk:
        return self.between(0, self.rounds)

    def pair(self) -> Pair:
        """The tables of neighbours on the walk."""
        return Pair(self.table(0), self.table(1), self.changed[0] if self.changed else 1)

    def shown(self, numbers: Sequence[float]) -> Walk:
        """With contexts behind the arms, the same in all rounds."""
        return replace(self, start=(*self.start, *numbers), end=(*self.end, *numbers))


def walks(arms: int, rounds: int, rng: np.random.Generator) -> list[Walk]:
    """Walks worth trying: all arms together, and an arm against the others. The plainest come
    first, each of a few arms before the next one's turn."""
    found = [Walk((0.0,) * arms, (1.0,) * arms, rounds)]
    order = [int(arm) for arm in rng.permutation(arms)]
    for first in range(0, arms, ARMS):
        for low, high in VALUES:
            for others in OTHERS:
                for arm in order[first : first + ARMS]:
                    start = tuple(low if j == arm else others for j in range(arms))
                    end = tuple(high if j == arm else others for j in range(arms))
                    found.append(Walk(start, end, rounds, bool(rng.integers(2))))
    return found


def looks(low: int, high: int) -> list[int]:
    """Points to look at between two, the two included."""
    if high - low <= POINTS:
        return list(range(low, high + 1))
    return [low + (high - low) * i // POINTS for i in range(POINTS + 1)]


def steepest(points: Sequence[int], hits: Sequence[int], runs: int) -> tuple[int, int]:
    """The stretch on which the share of hits changes most, on a scale on which all shares are
    equally uncertain; among equals the one in the middle."""
    angle = np.arcsin(np.sqrt((np.array(hits) + 0.25) / (runs + 0.5)))
    change = np.abs(np.diff(angle))
    best = np.flatnonzero(change >= change.max() - 1e-12)
    at = int(best[len(best) // 2])
    return points[at], points[at + 1]


def horizons(rounds: int, arms: int, factor: int = 2) -> Iterator[int]:
    """Lengths of play to search: a learner is causal, so that a bound on the first rounds holds for
    any number of rounds. Few rounds are searched as they are."""
    if rounds <= SHORT:
        yield rounds
        return
    length = min(rounds, max(4, arms + 2))
    while length < rounds:
        yield length
        length *= factor
    yield rounds
