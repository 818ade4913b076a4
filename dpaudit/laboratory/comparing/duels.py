"""Which of two learners does better, and how certain that is: tests on ranks of single runs.

What is compared is the chance c that a run of the first has less regret than one of the second,
ties counting half. Means of heavy tails mislead, ranks do not; but a learner that is better in most
runs may be worse on average, and where the bands of the means say so it is noted. Regrets are taken
to 1.1 %, the width of a tally's bins: within a bin they are ties.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from dpaudit.results.comparison import Duel


@dataclass(frozen=True)
class Runs:
    """Regrets of single runs: the bins that are not empty, in increasing order, and their
    counts."""

    bins: NDArray[np.int64]
    counts: NDArray[np.int64]

    @property
    def number(self) -> int:
        return int(self.counts.sum())


STEPS = 60
"""Halvings of an interval of length 1: beyond the precision of doubles."""


def chance_of_less(first: Runs, second: Runs) -> float:
    """The share of pairs of a run of each in which the first has less, ties counting half."""
    up_to = np.concatenate([[0], np.cumsum(second.counts)])
    below = up_to[np.searchsorted(second.bins, first.bins, "left")]
    at_most = up_to[np.searchsorted(second.bins, first.bins, "right")]
    lost = float(np.dot(first.counts.astype(np.float64), (below + at_most) / 2.0))
    return 1.0 - lost / (float(first.number) * float(second.number))


def interval(chance: float, runs: int, alpha: float) -> tuple[float, float]:
    """An interval that holds c but for probability alpha, whatever the laws of regret.

    The share of pairs is an average, over all ways of pairing the runs off, of means of n
    independent values in [0, 1], n being the smaller number of runs (Hoeffding 1963, Section 5):
    Chernoff's bound exp(-n kl(share, c)) holds for it as for a mean of n.
    """
    most = math.log(2.0 / alpha) / runs

    def within(c: float) -> bool:
        return _kl(chance, c) <= most

    return _edge(chance, 0.0, within), _edge(chance, 1.0, within)


def _kl(p: float, q: float) -> float:
    if q in (0.0, 1.0):
        return 0.0 if p == q else math.inf
    found = p * math.log(p / q) if p > 0.0 else 0.0
    return found + ((1.0 - p) * math.log((1.0 - p) / (1.0 - q)) if p < 1.0 else 0.0)


def _edge(inside: float, outside: float, within: Callable[[float], bool]) -> float:
    """The last c from `inside` towards `outside` that is within, from the outer side."""
    if within(outside):
        return outside
    for _ in range(STEPS):
        middle = (inside + outside) / 2.0
        if within(middle):
            inside = middle
        else:
            outside = middle
    return outside


def fight(played: Sequence[Runs], neglected: Sequence[float], alpha: float) -> list[Duel]:
    """All pairs, each interval at error alpha. Of leaps in law a run is that of single rounds but
    for a chance that was neglected; by that of both the intervals are wider."""
    found = []
    for i, j in combinations(range(len(played)), 2):
        chance = chance_of_less(played[i], played[j])
        low, high = interval(chance, min(played[i].number, played[j].number), alpha)
        slack = neglected[i] + neglected[j]
        found.append(Duel(i, j, chance, max(low - slack, 0.0), min(high + slack, 1.0)))
    return found


def ranks(learners: int, duels: Sequence[Duel]) -> list[tuple[int, int]]:
    """From 1 + the number of those that are certainly better to the number of all less those that
    are certainly worse: with all intervals at once, each learner's rank (1 + the number of those
    with chance above 1/2 against it) is in it."""
    found = []
    for i in range(learners):
        won, lost = record(i, duels)
        found.append((1 + lost, learners - won))
    return found


def record(learner: int, duels: Sequence[Duel]) -> tuple[int, int]:
    """How many duels it has certainly won, and lost."""
    won = lost = 0
    for d in duels:
        if learner in (d.first, d.second):
            mine = d.first == learner
            won += d.low > 0.5 if mine else d.high < 0.5
            lost += d.high < 0.5 if mine else d.low > 0.5
    return won, lost
