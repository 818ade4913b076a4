"""What a learner is handed for `pulls` rounds from round t on: a number or a vector, summed.

From a fixed table (rows are rounds) or from a stochastic environment with given means. A bandit
learner is handed only what it pulled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def table_of_pulled(table: Any, t: int, pulls: int, arm: int) -> float:
    total: float = table[t - 1, arm]
    for s in range(t, t + pulls - 1):
        total += table[s, arm]
    return total


def table_of_all(table: Any, t: int, pulls: int, arm: int) -> Any:
    total = np.empty(table.shape[1])
    for j in range(len(total)):
        total[j] = table_of_pulled(table, t, pulls, j)
    return total


def bernoulli_of_pulled(means: Any, arm: int, rng: Any) -> float:
    return 1.0 if rng.random() < means[arm] else 0.0


def bernoulli_sum_of_pulled(means: Any, pulls: int, arm: int, rng: Any) -> float:
    return float(rng.binomial(pulls, means[arm]))


def constant_of_pulled(means: Any, arm: int, rng: Any) -> float:
    """The deterministic setting: the mean itself (Wu & Wang 2025, Section 4)."""
    return float(means[arm])


def constant_sum_of_pulled(means: Any, pulls: int, arm: int, rng: Any) -> float:
    return float(pulls * means[arm])


def finite_of_pulled(support: Any, arm: int, rng: Any) -> float:
    """One round of bandit feedback from arms on a finite set. `support` holds the values in its
    first row and an arm's cumulative probabilities in each further row."""
    uniform = rng.random()
    i = 0
    while uniform >= support[arm + 1, i]:
        i += 1
    return float(support[0, i])


def finite_sum_of_pulled(support: Any, pulls: int, arm: int, rng: Any) -> float:
    """Several rounds: a multinomial draw, by binomials."""
    total, left, below = 0.0, pulls, 0.0
    last = support.shape[1] - 1
    for i in range(last):
        mass = support[arm + 1, i] - below
        hits = rng.binomial(left, min(1.0, mass / (1.0 - below))) if below < 1.0 else 0
        total += hits * support[0, i]
        left -= hits
        below = support[arm + 1, i]
    return float(total + left * support[0, last])


def draw_of_all(means: Any, arm: int, rng: Any) -> Any:
    """One round of all arms; `draw` is bound to an environment's."""
    total = np.empty(len(means) - first_arm)
    for j in range(len(total)):
        total[j] = draw(means, j, rng)
    return total


def draw_sum_of_all(means: Any, pulls: int, arm: int, rng: Any) -> Any:
    """Several rounds of all arms; `draw_sum` is bound to an environment's."""
    total = np.empty(len(means) - first_arm)
    for j in range(len(total)):
        total[j] = draw_sum(means, pulls, j, rng)
    return total


draw, draw_sum = bernoulli_of_pulled, bernoulli_sum_of_pulled
first_arm = 0
"""Bound too: the first row of an environment's numbers that is an arm's."""

ENVIRONMENTS: dict[str, dict[str, Any]] = {
    "bernoulli": {"draw": bernoulli_of_pulled, "draw_sum": bernoulli_sum_of_pulled},
    "deterministic": {"draw": constant_of_pulled, "draw_sum": constant_sum_of_pulled},
    "finite": {"draw": finite_of_pulled, "draw_sum": finite_sum_of_pulled, "first_arm": 1},
}
"""Per environment: how one round of an arm is drawn, and how a sum of rounds is."""

OF_ALL: dict[str, Any] = {"draw": draw_of_all, "draw_sum": draw_sum_of_all}
"""With full information: what to bind to an environment's."""


def of_pulled(x: Any, arm: int) -> float:
    """The pulled arm's payoff, of bandit feedback …"""
    return float(x)


def of_all(x: Any, arm: int) -> float:
    """… and of full information."""
    return float(x[arm])


PAID: dict[str, Callable[..., float]] = {"bandit": of_pulled, "full-information": of_all}
"""Per feedback: what the learner is paid."""

TABLES: dict[str, Callable[..., Any]] = {
    "bandit": table_of_pulled,
    "full-information": table_of_all,
}
"""Per feedback: how a table is read."""
