"""Sufficient statistics of regret curves: sums that add up, whatever a study's size."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpaudit.results.regret import Floats
from dpaudit.run.task import Record

BINS_PER_DOUBLING = 64
"""A bin is 1.1 % wide: the resolution of quantiles."""
SMALLEST = 2.0**-20
"""Regret below this is in the first bin."""
BINS = BINS_PER_DOUBLING * 84


@dataclass
class Tally:
    """Of the runs so far, at each horizon: count, sum, sum of squares and a histogram."""

    runs: int
    total: Floats
    squares: Floats
    histogram: NDArray[np.int64]
    neglected: float = 0.0
    """The largest chance that the leaps of a run have neglected."""

    @classmethod
    def empty(cls, horizons: int) -> Tally:
        return cls(0, np.zeros(horizons), np.zeros(horizons), np.zeros((horizons, BINS), np.int64))

    def add(self, record: Record) -> None:
        """Take in a block's record; in the same order of blocks this gives the same bits."""
        self.runs += record["runs"]
        self.total += record["total"]
        self.squares += record["squares"]
        self.histogram.ravel()[record["places"]] += record["counts"]
        self.neglected = max(self.neglected, record.get("neglected", 0.0))

    @property
    def mean(self) -> Floats:
        return self.total / self.runs

    @property
    def standard_error(self) -> Floats:
        """Of the mean; infinite for a single run."""
        if self.runs < 2:
            return np.full(len(self.total), math.inf)
        variance = np.maximum(self.squares - self.runs * self.mean**2, 0.0) / (self.runs - 1)
        return np.sqrt(variance / self.runs)

    def quantile(self, level: float) -> Floats:
        """Quantile of a run's regret, in the middle of its bin; 0 in the first one."""
        reached = np.cumsum(self.histogram, axis=1) >= level * self.runs
        found = np.argmax(reached, axis=1)
        middle = SMALLEST * 2.0 ** ((found + 0.5) / BINS_PER_DOUBLING)
        return np.where(found == 0, 0.0, middle)


def tallied(regret: Floats) -> Record:
    """What a block's runs (runs x horizons) add to a tally; most bins are empty."""
    doublings = np.log2(np.maximum(regret, SMALLEST) / SMALLEST)
    bins = np.minimum((BINS_PER_DOUBLING * doublings).astype(np.int64), BINS - 1)
    places, counts = np.unique(bins + BINS * np.arange(bins.shape[1]), return_counts=True)
    total, squares = regret.sum(axis=0), (regret**2).sum(axis=0)
    return {
        "runs": len(regret),
        "total": total,
        "squares": squares,
        "places": places,
        "counts": counts,
    }
