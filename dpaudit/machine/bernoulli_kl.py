"""The Kullback-Leibler divergence of Bernoulli distributions and the bound it inverts to."""

from __future__ import annotations

import math

BISECTIONS = 50
"""Halvings of [p, 1]; after 50 the bracket is below the spacing of doubles near 1."""


def bernoulli_kl(p: float, q: float) -> float:
    total = 0.0
    if p > 0.0:
        total += p * math.log(p / q)
    if p < 1.0:
        total += (1.0 - p) * math.log((1.0 - p) / (1.0 - q))
    return total


def largest_mean(p: float, bound: float) -> float:
    """The largest q in [p, 1] with d(p, q) <= bound."""
    if p >= 1.0:
        return 1.0
    low, high = p, 1.0
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        # d(0, 0) = 0, and d(p, 1) is infinite for p < 1.
        if middle <= 0.0 or (middle < 1.0 and bernoulli_kl(p, middle) <= bound):
            low = middle
        else:
            high = middle
    return low
