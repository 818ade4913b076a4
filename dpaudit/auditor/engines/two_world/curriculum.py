"""The search at long horizons: a curriculum over shorter ones.

A learner is causal: what it does in the first t rounds hangs on these rounds only, so a bound from
tables of t rounds is a bound at every T >= t, for the learner as it is built for T. Horizons and
pairs compete for the same budget, which is counted in cells, a cell being one arm in one round.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpaudit.auditor.engines.two_world.events import Chosen
from dpaudit.auditor.search import likely_levels, neighbours_of
from dpaudit.play.tables import Configured
from dpaudit.results.found import Pair
from dpaudit.run.task import stream

if TYPE_CHECKING:
    from dpaudit.auditor.engines.two_world.engine import TwoWorlds

SEARCH_SHARE = 0.25
"""Part of the runs that the search for pair and event may use."""
MOST_SEARCHED = 2**28
"""The curriculum uses no more cells (an arm in a round) than that."""
MOST_CELLS = 2**31
"""An evaluation without a time is no longer than that many cells."""
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


def ahead(worlds: TwoWorlds, runs: int, pair: Pair) -> int:
    """Runs of an evaluation: longer tables than typical ones get fewer, unless they are
    asked for."""
    if worlds.given is not None:
        return max(100, int((1.0 - SEARCH_SHARE) * runs))
    rounds = len(pair.rewards)
    least = min(1.0, max(64, worlds.typical) / rounds)
    most = MOST_CELLS // (rounds * worlds.arms)
    return max(100, min(int((1.0 - SEARCH_SHARE) * runs * least), most))


def chosen_pair(
    worlds: TwoWorlds, runs: int, alpha: float, deadline: float | None
) -> tuple[Pair, Chosen, int]:
    """The pair with its event, and the runs spent, at long horizons: pairs of many lengths compete,
    in three stages with growing samples, with a hill climb behind the first."""
    cells = int(min(SEARCH_SHARE * runs * worlds.typical * worlds.arms, MOST_SEARCHED))
    spent, number = 0, 0

    def tried(pairs: list[Pair], size: int) -> list[Trial]:
        nonlocal spent, number
        found: list[Trial] = []
        for length in sorted({len(pair.rewards) for pair in pairs}):
            same = [pair for pair in pairs if len(pair.rewards) == length]
            if found and worlds.late(number, deadline):
                break
            many, planned = worlds.held(size, same[0]), ahead(worlds, runs, same[0])
            values = worlds.predicted(same, many, planned, alpha, number + 1, 0)
            found += [Trial(v, number + 1 + i, same[i]) for i, v in enumerate(values)]
            number += len(same)
            spent += len(same) * many
        return found

    if worlds.given is not None:
        pair, cells = worlds.given, 4 * cells
    else:
        rng = np.random.default_rng(stream(worlds.seed, 1))
        ranked: list[Trial] = []
        for size, pairs in first_stage(worlds.who, worlds.rounds, cells // 4, rng):
            if not ranked or not worlds.late(number, deadline):
                ranked += tried(pairs, size)
        for part, climbing in ((4, True), (8, False), (8, False)):
            ranked = sorted(ranked, key=lambda trial: trial.order)[:KEPT]
            pairs = [trial.pair for trial in ranked]
            if climbing:
                pairs += steps_from(ranked[:2], rng)
            if worlds.late(number, deadline):
                break
            longest = max(len(pair.rewards) for pair in pairs)
            again = tried(pairs, max(500, cells // part // (len(pairs) * longest * worlds.arms)))
            ranked = again or ranked
        pair = min(ranked, key=lambda trial: trial.order).pair
    size = max(1000, cells // 4 // (len(pair.rewards) * worlds.arms))
    worlds.tried = max(number, 1)
    size = worlds.held(size, pair)
    return pair, worlds.choose(pair, size, ahead(worlds, runs, pair), alpha, 2), spent + size
