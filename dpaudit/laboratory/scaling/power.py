"""What the rule says where the truth is known: its power, for a family of laws and noise."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from dpaudit.laboratory.scaling import rule
from dpaudit.laboratory.scaling.laws import (
    CONSTANT,
    LEVEL,
    LOG,
    LOG_CUBED,
    LOG_LOG_LOG,
    LOG_SQUARED,
    Curve,
    Ladder,
    Law,
    power,
)
from dpaudit.results.scaling import Power, Rule

DRAWS = 40
"""Curves for each truth and noise."""
RUNS = 100
RIPPLE = 0.03
"""Of exact curves: epochs that double leave a ripple with a phase that may be anything."""
NOISES = (0.0, 0.01, 0.05)
"""Standard errors of the points of simulated curves, as parts of their values; 0 is exact."""
HALF = Law("log + log^2, equal at the end", lambda x: np.log(x) + np.log(x) ** 2 / np.log(x[-1]))
ROOT = Law("log^0.5", lambda x: np.sqrt(np.log(x)))
LATE = Law("log - 2", lambda x: np.log(x) - 2.0)
THREE_HALVES = Law("log^1.5", lambda x: np.log(x) ** 1.5)
CASES: tuple[tuple[str, Callable[[], Any], Ladder, tuple[Law, ...]], ...] = (
    ("T = 2^10 to 2^60 by 2^5", lambda: 2.0 ** np.arange(10, 61, 5),
     Ladder(LOG, LOG_SQUARED, (CONSTANT,)),
     (CONSTANT, ROOT, LOG, LATE, LOG_LOG_LOG, THREE_HALVES, HALF, LOG_SQUARED, power(0.1))),
    ("T = 2^10 to 2^60 by 2^5", lambda: 2.0 ** np.arange(10, 61, 5), Ladder(CONSTANT, LOG),
     (CONSTANT, ROOT, LOG, LOG_SQUARED)),
    ("K = 2^4 to 2^20 by 2^2", lambda: 2.0 ** np.arange(4, 21, 2),
     Ladder(LOG_SQUARED, LOG_CUBED, (LOG, CONSTANT)),
     (CONSTANT, LOG, THREE_HALVES, HALF, LOG_SQUARED, LOG_CUBED)),
    ("x = 2^2 to 2^9 by 2", lambda: 2.0 ** np.arange(2, 10),
     Ladder(power(1.0), power(1.5), (power(0.5), CONSTANT)),
     (CONSTANT, power(0.5), power(1.0), Law("x log x", lambda x: x * np.log(x)), power(1.5))),
)  # fmt: skip


def drawn(truth: Law, x: Any, noise: float, rng: np.random.Generator) -> Curve:
    """A curve that follows the truth, with the ripple of an exact one or simulated noise."""
    y = truth.at(x)
    if noise == 0.0:
        y = y * (1.0 + RIPPLE * np.sin(2.0 * np.pi * (np.log2(1.0 + y) + rng.random())))
        return Curve(truth.name, x, y)
    covariance = np.diag((noise * y) ** 2)
    y = y * np.maximum(0.05, 1.0 + noise * rng.standard_normal(len(x)))
    return Curve(truth.name, x, y, covariance, RUNS)


@functools.cache
def table(draws: int = DRAWS, seed: int = 0) -> tuple[Power, ...]:
    """The probability of each answer for each truth and noise."""
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    found = []
    for grid, at, ladder, truths in CASES:
        x = at()
        for truth in truths:
            for noise in NOISES:
                curves = (drawn(truth, x, noise, rng) for _ in range(draws))
                answers = Counter(rule.judge(each, ladder).answer for each in curves)
                shares: dict[str, float] = {
                    answer: n / draws for answer, n in sorted(answers.items())
                }
                found.append(Power(ladder.words, grid, truth.name, noise, shares))
    return tuple(found)


def stated(draws: int = DRAWS) -> Rule:
    """The rule, for the document of results."""
    words = " ".join((rule.__doc__ or "").split())
    return Rule(words=words, threshold=rule.THRESHOLD, level=LEVEL, power=list(table(draws)))
