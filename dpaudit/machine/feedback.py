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
    total = table[t - 1].copy()
    for s in range(t, t + pulls - 1):
        for j in range(len(total)):
            total[j] += table[s, j]
    return total


def bernoulli_of_pulled(means: Any, arm: int, rng: Any) -> float:
    return 1.0 if rng.random() < means[arm] else 0.0


def bernoulli_sum_of_pulled(means: Any, pulls: int, arm: int, rng: Any) -> float:
    return float(rng.binomial(pulls, means[arm]))


def bernoulli_of_all(means: Any, arm: int, rng: Any) -> Any:
    total = np.empty(len(means))
    for j in range(len(means)):
        total[j] = 1.0 if rng.random() < means[j] else 0.0
    return total


def bernoulli_sum_of_all(means: Any, pulls: int, arm: int, rng: Any) -> Any:
    total = np.empty(len(means))
    for j in range(len(means)):
        total[j] = rng.binomial(pulls, means[j])
    return total


def constant_of_pulled(means: Any, arm: int, rng: Any) -> float:
    """One round of bandit feedback in the deterministic setting: the mean itself."""
    return float(means[arm])


def constant_sum_of_pulled(means: Any, pulls: int, arm: int, rng: Any) -> float:
    return float(pulls * means[arm])


def constant_of_all(means: Any, arm: int, rng: Any) -> Any:
    """One round of the deterministic setting with full information (Wu & Wang 2025, Section 4)."""
    return means


def constant_sum_of_all(means: Any, pulls: int, arm: int, rng: Any) -> Any:
    return pulls * means


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


def finite_of_all(support: Any, arm: int, rng: Any) -> Any:
    total = np.empty(len(support) - 1)
    for j in range(len(total)):
        total[j] = finite_of_pulled(support, j, rng)
    return total


def finite_sum_of_all(support: Any, pulls: int, arm: int, rng: Any) -> Any:
    total = np.empty(len(support) - 1)
    for j in range(len(total)):
        total[j] = finite_sum_of_pulled(support, pulls, j, rng)
    return total


ENVIRONMENTS: dict[str, dict[str, tuple[Callable[..., Any], Callable[..., Any]]]] = {
    "bernoulli": {
        "bandit": (bernoulli_of_pulled, bernoulli_sum_of_pulled),
        "full-information": (bernoulli_of_all, bernoulli_sum_of_all),
    },
    "deterministic": {
        "bandit": (constant_of_pulled, constant_sum_of_pulled),
        "full-information": (constant_of_all, constant_sum_of_all),
    },
    "finite": {
        "bandit": (finite_of_pulled, finite_sum_of_pulled),
        "full-information": (finite_of_all, finite_sum_of_all),
    },
}
"""Per environment and feedback: how one round is drawn, and how a sum of rounds is."""

TABLES: dict[str, Callable[..., Any]] = {
    "bandit": table_of_pulled,
    "full-information": table_of_all,
}
"""Per feedback: how a table is read."""
