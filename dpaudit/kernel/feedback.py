"""What a learner is handed for `pulls` rounds from round t on: a number or a vector, summed.

From a fixed table (rows are rounds) or from a stochastic environment with given means. A bandit
learner is handed only what it pulled.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def table_of_pulled(table: Any, t: int, pulls: int, arm: int) -> float:
    """Bandit feedback from a table."""
    total: float = table[t - 1, arm]
    for s in range(t, t + pulls - 1):
        total += table[s, arm]
    return total


def table_of_all(table: Any, t: int, pulls: int, arm: int) -> Any:
    """Full-information feedback from a table."""
    total = table[t - 1].copy()
    for s in range(t, t + pulls - 1):
        for j in range(len(total)):
            total[j] += table[s, j]
    return total


def bernoulli_sum(mean: float, pulls: int, rng: Any) -> float:
    """Sum of `pulls` Bernoulli rewards."""
    if pulls == 1:
        return 1.0 if rng.random() < mean else 0.0
    return float(rng.binomial(pulls, mean))


def bernoulli_of_pulled(means: Any, pulls: int, arm: int, rng: Any) -> float:
    """Bandit feedback from Bernoulli arms."""
    return bernoulli_sum(means[arm], pulls, rng)


def bernoulli_of_all(means: Any, pulls: int, arm: int, rng: Any) -> Any:
    """Full-information feedback from independent Bernoulli arms."""
    total = np.empty(len(means))
    for j in range(len(means)):
        total[j] = bernoulli_sum(means[j], pulls, rng)
    return total


def constant_of_pulled(means: Any, pulls: int, arm: int, rng: Any) -> float:
    """Bandit feedback in the deterministic setting: the mean itself in every round."""
    return float(pulls * means[arm])


def constant_of_all(means: Any, pulls: int, arm: int, rng: Any) -> Any:
    """Full-information feedback in the deterministic setting (Wu & Wang 2025, Section 4)."""
    return pulls * means


ENVIRONMENTS = {
    "bernoulli": {"bandit": bernoulli_of_pulled, "full-information": bernoulli_of_all},
    "deterministic": {"bandit": constant_of_pulled, "full-information": constant_of_all},
}
TABLES = {"bandit": table_of_pulled, "full-information": table_of_all}
