"""The search at long horizons: a curriculum over shorter ones.

A learner is causal: what it does in the first t rounds hangs on these rounds only, so a bound from
tables of t rounds is a bound at every T >= t, for the learner as it is built for T. Horizons and
pairs compete for the same budget, which is counted in cells, a cell being one arm in one round.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from dpaudit.auditor.search import likely_levels, neighbours_of
from dpaudit.play.tables import Configured
from dpaudit.results.audit import Pair

LONGEST = 4096
"""No table of the search is longer."""
FEW = 300
"""Runs that a pair is tried with at least."""
MANY = 20_000
"""And at most in the first stage."""
KEPT = 6
"""Pairs that go on to the next stage."""
STEPS = 12
"""Steps of the hill climb from each of the best two, on tables of CLIMBED rounds at most."""
CLIMBED = 64


@dataclass(frozen=True)
class Trial:
    """A pair that seems to promise a bound."""

    predicted: float
    number: int
    pair: Pair

    @property
    def order(self) -> tuple[float, int]:
        """The best first; the earlier one among equals."""
        return -self.predicted, self.number


def horizons(rounds: int, opening: int) -> list[int]:
    """Lengths of tables: just behind the opening, where what the opening released decides, and
    then doubling."""
    near = {opening + d for d in (1, 2, 3, 4, 6, 8)}
    doubling = {2**k for k in range(2, rounds.bit_length() + 1)}
    longest = min(rounds, max(LONGEST, opening + 8))
    return sorted(t for t in near | doubling | {rounds} if opening < t <= longest)


def first_stage(
    who: Configured, rounds: int, cells: int, rng: np.random.Generator
) -> list[tuple[int, list[Pair]]]:
    """Runs to try each pair with, and the pairs, for each horizon that the budget reaches: an equal
    share for each. The shortest is always tried."""
    arms, opening = who.settings["arms"], who.opening(rounds)
    every = horizons(rounds, opening) or [rounds]
    bandit = who.algorithm.card.feedback == "bandit"
    share = cells // len(every)
    found: list[tuple[int, list[Pair]]] = []
    for length in every:
        affordable = share // (FEW * length * arms)
        if found and affordable < 1:
            break
        pairs = list(likely_levels(length, arms, opening, bandit=bandit))
        kept = max(4, min(len(pairs), affordable))
        if kept < len(pairs):
            pairs = [pairs[i] for i in sorted(rng.permutation(len(pairs))[:kept])]
        size = min(MANY, max(FEW, share // (len(pairs) * length * arms)))
        found.append((size, pairs))
    return found


def steps_from(trials: Iterable[Trial], rng: np.random.Generator) -> list[Pair]:
    """Steps of a hill climb from these."""
    near = [trial.pair for trial in trials if len(trial.pair.rewards) <= CLIMBED]
    return [step for pair in near for step in neighbours_of(pair, rng, STEPS)]
