"""How far the catalogue's learners are from the optimum, on the optimum's own instances.

A learner's regret is its worst over which arm is best. It is exact where there is an engine for it;
else it is sampled, and an interval at a confidence for all of them together. What it wastes of its
epsilon is said by the epsilon at which the best learner has its regret.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from msgspec.structs import replace as with_

from dpaudit.algorithm.contract import Algorithm
from dpaudit.errors import UsageError
from dpaudit.laboratory.studies import regret
from dpaudit.optimal.program import bytes_of
from dpaudit.optimal.question import MOST_EPSILON, Feedback, Question, asked
from dpaudit.optimal.solving import TIGHT, solve
from dpaudit.play.catalogue import catalogue
from dpaudit.results.optima import Beside

RUNS = 20_000
ERROR = 1e-6
"""Probability that any of the intervals of one table is wrong."""
FINE, LEAST_EPSILON = 8, 0.005
"""Epsilons a doubling at which the optimum is asked for, and the least of them."""
SMALL = 2**25
"""Bytes of a program up to which it is solved for many epsilons: seconds."""


class Needed:
    """The epsilon at which the best learner has a regret, between two neighbours of a grid.

    The solver's two numbers are taken as they are: these bounds have no certificate. Where solving
    takes long, the grid is the epsilons of which the optimum is `known`."""

    def __init__(
        self,
        question: Question,
        progress: Callable[[str], None] = lambda _: None,
        known: Mapping[Fraction, float] | None = None,
    ) -> None:
        self.question, self.progress, self.known = question, progress, known or {}
        fine = [Fraction(f"{LEAST_EPSILON * 2 ** (i / FINE):.4g}") for i in range(96)]
        self.grid = sorted(self.known) or [e for e in fine if e <= MOST_EPSILON]
        self.value = cache(self._value)

    def _value(self, place: int) -> float:
        """The optimum at an epsilon of the grid; it is not less than this minus TIGHT."""
        epsilon = self.grid[place]
        if epsilon in self.known:
            return self.known[epsilon]
        self.progress(f"the optimum at epsilon = {float(epsilon):g}")
        return solve(replace(self.question, epsilon=epsilon)).value

    def _first(self, regret: float) -> int:
        """The first place of the grid with an optimum of at most this."""
        low, high = 0, len(self.grid)
        while low < high:
            middle = (low + high) // 2
            if self.value(middle) <= regret:
                high = middle
            else:
                low = middle + 1
        return low

    def between(self, low: float, high: float) -> tuple[float, float | None]:
        """No learner with an epsilon below the first has a regret of at most `high`, and one with
        the second has at most `low`; null if none on the grid has."""
        below = self._first(high + TIGHT) - 1
        above = self._first(low)
        least = float(self.grid[below]) if below >= 0 else 0.0
        return least, float(self.grid[above]) if above < len(self.grid) else None


def small(question: Question) -> bool:
    """Whether `Needed` takes seconds."""
    return not question.delta and bytes_of(question) <= SMALL


def of_instance(
    means: Sequence[float],
    environment: str,
    horizon: int,
    epsilon: float | None,
    feedback: Feedback,
) -> Question | None:
    """The question whose instances are this one, of mean rewards, and its renamings; None if it is
    none, or too large for seconds."""
    best, gap = max(means), max(means) - min(means)
    alike = sorted(means)[:-1] == [min(means)] * (len(means) - 1)
    around_half = abs(best + min(means) - 1.0) < 1e-12
    if not (alike and around_half and 0.0 < gap <= 1.0) or environment != "bernoulli":
        return None
    if epsilon is None or not 0.0 < epsilon <= MOST_EPSILON or not 2 <= horizon <= 64:
        return None
    found = asked(
        rounds=horizon, arms=len(means), epsilon=epsilon, gap=f"{gap:.12g}", feedback=feedback
    )
    return found if small(found) else None


def with_needed(
    question: Question,
    found: list[Beside],
    progress: Callable[[str], None] = lambda _: None,
    needed: Needed | None = None,
) -> list[Beside]:
    """The learners with the epsilon that their regrets need."""
    needed = needed or Needed(question, progress)
    ends = [needed.between(each.low, each.high) for each in found]
    return [
        with_(each, needed_low=least, needed_high=most)
        for each, (least, most) in zip(found, ends, strict=True)
    ]


def beside(
    question: Question,
    *,
    runs: int = RUNS,
    seed: int = 0,
    names: list[str] | None = None,
    also: Sequence[Algorithm] = (),
    progress: Callable[[str], None] = lambda _: None,
) -> list[Beside]:
    """The learners of the catalogue with this feedback, and others, best first."""
    left = left_out(question)
    entries = [
        e
        for e in catalogue().values()
        if e.card.feedback == question.feedback and e.card.name not in left
    ]
    chosen = [e for e in entries if names is None or e.card.name in names]
    found = []
    for entry in (*chosen, *also):
        progress(entry.card.name)
        found.append(_one(question, entry, runs, seed, ERROR / (len(entries) + len(also))))
    return sorted(found, key=lambda each: each.low + each.high)


def left_out(question: Question) -> list[str]:
    """Learners that do not take so large an epsilon."""
    return [
        name
        for name, entry in catalogue().items()
        if entry.card.feedback == question.feedback and entry.card.epsilon_max < question.epsilon
    ]


def _one(question: Question, entry: Algorithm, runs: int, seed: int, error: float) -> Beside:
    card = entry.card
    sides = list(_sides(question, entry, runs, seed, error))
    exact = all(side[2] for side in sides)
    return Beside(
        name=card.name,
        low=max(side[0] for side in sides),
        high=max(side[1] for side in sides),
        runs=0 if exact else runs,
    )


def _sides(
    question: Question, entry: Algorithm, runs: int, seed: int, error: float
) -> Iterator[tuple[float, float, bool]]:
    """For each best arm the regret's low and high end, and whether they are exact."""
    half = float(question.gap) / 2
    losses = entry.card.payoff == "losses"
    for best in range(question.arms):
        means = np.full(question.arms, 0.5 + half if losses else 0.5 - half)
        means[best] = 0.5 - half if losses else 0.5 + half
        given: dict[str, Any] = {"means": means.tolist(), "horizon": question.rounds, "points": 1}
        given["epsilon"] = float(question.epsilon) if entry.card.privacy.notion != "none" else None
        try:
            result = regret(entry, exact=True, **given)
        except UsageError:
            level = 1.0 - error / question.arms
            result = regret(entry, runs=runs, seed=seed, confidence=level, **given)
        low, high = result.normal
        yield float(low[-1]), float(high[-1]), result.exact
