"""Confidence bands for the mean of anything bounded, whatever its law: light tails or heavy.

A run of chance p may have all the regret there is. Among n runs none of these is seen with chance
(1 - p)^n, so no band that always holds is narrower above than the largest regret times about
ln(1 / alpha) / n. The band here comes near that, and near the normal one where tails are light or
runs many. The normal band, by the central limit theorem, knows nothing of runs that were not seen.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
CLOSE = 1e-7
"""A bound's bracket, relative to the sample's mean."""


def stakes(runs: int) -> Floats:
    """The shares of what can be lost that are staked, by the number of runs alone: 1, 1/2, … until
    about a quarter of one over the root of that number, where even a large variance has its own."""
    powers = np.arange(3.0 + math.ceil(math.log2(max(runs, 1)) / 2))
    return np.asarray(0.5**powers, np.float64)


def mean_lower(
    left: Floats, right: Floats, counts: NDArray[np.int64], sums: Floats, alpha: float
) -> float:
    """Below the mean of independent non-negative values of one law with probability 1 - alpha.

    Values come as bins [left, right], how many lie in each and their sum. If the mean is at most m,
    1 + c (x / m - 1) has mean at most 1 for each stake c in [0, 1] fixed beforehand; so the product
    over the values, averaged over the stakes, reaches 1/alpha with probability at most alpha
    (Markov), and m is then rejected. The logarithm is concave: on a bin the chord at the values'
    mean is no more than what the values give, so binning costs power only, some 10^-5 a value.
    """
    n = int(counts.sum())
    high = float(sums.sum()) / n if n else 0.0
    if high <= 0.0:
        return 0.0
    goal = math.log(1.0 / alpha)
    width = right - left
    inside = np.clip(sums / counts, left, right)
    share = np.where(width > 0.0, (inside - left) / np.where(width > 0.0, width, 1.0), 0.0)
    weights = np.concatenate([counts * (1.0 - share), counts * share])
    values = np.concatenate([left, right])[weights > 0.0]
    weights = weights[weights > 0.0]
    c = stakes(n)[:, None]

    def rejected(m: float) -> bool:
        with np.errstate(divide="ignore", over="ignore"):
            logs = np.log1p(c * (values / m - 1.0)) @ weights
        return _log_mean(logs) >= goal

    low, step = 0.0, high
    while step > CLOSE * high:  # from the mean down: a bound is nearer to it than to 0
        step *= 0.5
        if rejected(low + step):
            low += step
    return low


def _log_mean(logs: Any) -> float:
    """The logarithm of the mean of numbers given by theirs."""
    top = float(logs.max())
    if not math.isfinite(top):
        return top
    return top + math.log(float(np.exp(logs - top).mean()))


def mean_band(
    left: Floats,
    right: Floats,
    counts: NDArray[np.int64],
    sums: Floats,
    within: tuple[float, float],
    alpha: float,
) -> tuple[float, float]:
    """Both ends, each missed with probability alpha / 2 at most, for values that lie `within`."""
    bottom, top = within
    if top <= bottom:
        return bottom, bottom
    left, right = np.clip(left, bottom, top), np.clip(right, bottom, top)
    above, below = sums - counts * bottom, counts * top - sums
    low = mean_lower(left - bottom, right - bottom, counts, above, alpha / 2)
    high = mean_lower(top - right, top - left, counts, below, alpha / 2)
    return bottom + low, top - high


def chance_band(hits: int, runs: int, alpha: float) -> tuple[float, float]:
    """Clopper & Pearson (1934): around the true chance with probability 1 - alpha."""
    from scipy.special import betaincinv

    low = 0.0 if hits == 0 else float(betaincinv(hits, runs - hits + 1, alpha / 2))
    high = 1.0 if hits == runs else float(betaincinv(hits + 1, runs - hits, 1.0 - alpha / 2))
    return low, high


def unseen(runs: int, alpha: float) -> float:
    """The chance of a run beyond the largest of those seen is no more than this with probability
    1 - alpha: above the level that is exceeded with chance p none is seen with chance (1 - p)^n."""
    return -math.expm1(math.log(alpha) / runs)
