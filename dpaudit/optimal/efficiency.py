"""How far the catalogue's learners are from the optimum, on the optimum's own instances.

A learner's regret is its worst over which arm is best. It is exact where there is an engine for it;
else it is sampled, and an interval at a confidence for all of them together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from dpaudit.algorithm.contract import Algorithm
from dpaudit.errors import UsageError
from dpaudit.laboratory.studies import regret
from dpaudit.optimal.question import Question
from dpaudit.play.catalogue import catalogue
from dpaudit.results.optima import Beside

RUNS = 20_000
ERROR = 1e-6
"""Probability that any of the intervals of one table is wrong."""


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
