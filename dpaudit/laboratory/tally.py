"""Sufficient statistics of curves: sums that add up, whatever a study's size."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dpaudit.laboratory.bands import mean_band
from dpaudit.results.regret import Floats
from dpaudit.run.task import Record

BINS_PER_DOUBLING = 64
"""A bin is 1.1 % wide: the resolution of quantiles."""
SMALLEST = 2.0**-20
"""What is nearer to 0 is in its bin."""
BINS = BINS_PER_DOUBLING * 84
"""On either side of 0."""
WIDTH = 2 * BINS - 1
"""Bins of a horizon: -(BINS - 1) to BINS - 1."""

Whole = NDArray[np.int64]


def no_places() -> Whole:
    return np.zeros(0, np.int64)


def no_sums() -> Floats:
    return np.zeros(0)


@dataclass
class Tally:
    """Of the runs so far, at each horizon: count, sum, sum of squares, and of each bin that is not
    empty how many runs it has and their sum (`places`, in increasing order, are WIDTH a horizon).
    """

    runs: int
    total: Floats
    squares: Floats
    places: Whole = field(default_factory=no_places)
    counts: Whole = field(default_factory=no_places)
    sums: Floats = field(default_factory=no_sums)
    neglected: float = 0.0
    """The largest chance that the leaps of a run have neglected."""

    @classmethod
    def empty(cls, horizons: int) -> Tally:
        return cls(0, np.zeros(horizons), np.zeros(horizons))

    def add(self, record: Record) -> None:
        """Take in a block's record; in the same order of blocks this gives the same bits."""
        self.runs += record["runs"]
        self.total += record["total"]
        self.squares += record["squares"]
        both = np.concatenate([self.places, np.asarray(record["places"], np.int64)])
        self.places, which = np.unique(both, return_inverse=True)
        counts = np.concatenate([self.counts, np.asarray(record["counts"], np.int64)])
        sums = np.concatenate([self.sums, record["sums"]])
        self.counts = np.bincount(which, counts, len(self.places)).astype(np.int64)
        self.sums = np.bincount(which, sums, len(self.places)).astype(np.float64)
        self.neglected = max(self.neglected, record.get("neglected", 0.0))

    @property
    def mean(self) -> Floats:
        return self.total / self.runs

    @property
    def variance(self) -> Floats:
        """Of single runs; infinite for a single one."""
        if self.runs < 2:
            return np.full(len(self.total), math.inf)
        return np.maximum(self.squares - self.runs * self.mean**2, 0.0) / (self.runs - 1)

    @property
    def deviation(self) -> Floats:
        return np.sqrt(self.variance)

    @property
    def standard_error(self) -> Floats:
        """Of the mean; infinite for a single run."""
        return np.sqrt(self.variance / self.runs)

    def band(self, bottom: Floats, top: Floats, alpha: float) -> tuple[Floats, Floats]:
        """Around the mean of values that lie between `bottom` and `top`, at all horizons together
        with probability 1 - alpha, whatever their law."""
        low, high = np.empty(len(self.total)), np.empty(len(self.total))
        for h, part in enumerate(self._parts()):
            left, right = edges(self.places[part] - h * WIDTH)
            within = float(bottom[h]), float(top[h])
            each = self.counts[part], self.sums[part]
            low[h], high[h] = mean_band(left, right, *each, within, alpha / len(low))
        # As far as sums round, the mean is in its band.
        return np.minimum(low, self.mean), np.maximum(high, self.mean)

    def quantile(self, level: float) -> Floats:
        """Quantile of a run's value, in the middle of its bin; 0 in that around 0."""
        found = np.empty(len(self.total), np.int64)
        for h, part in enumerate(self._parts()):
            reached = np.cumsum(self.counts[part]) >= level * self.runs
            found[h] = self.places[part][int(np.argmax(reached))] - h * WIDTH - (BINS - 1)
        middle = SMALLEST * 2.0 ** ((np.abs(found) + 0.5) / BINS_PER_DOUBLING)
        return np.sign(found) * middle

    @property
    def histogram(self) -> Whole:
        """Horizons x WIDTH, bins in the order of their values."""
        dense = np.zeros(len(self.total) * WIDTH, np.int64)
        dense[self.places] = self.counts
        return dense.reshape(len(self.total), WIDTH)

    def _parts(self) -> list[slice]:
        """Where each horizon's bins stand."""
        ends = np.searchsorted(self.places, WIDTH * np.arange(len(self.total) + 1))
        return [slice(a, b) for a, b in itertools.pairwise(ends)]


def edges(bins: Whole) -> tuple[Floats, Floats]:
    """The ends of bins; the outermost ones are open."""
    at = bins - (BINS - 1)
    inner = np.where(at == 0, 0.0, SMALLEST * 2.0 ** (np.abs(at) / BINS_PER_DOUBLING))
    outer = SMALLEST * 2.0 ** ((np.abs(at) + 1) / BINS_PER_DOUBLING)
    outer = np.where(np.abs(at) == BINS - 1, math.inf, outer)
    left = np.where(at < 0, -outer, np.where(at == 0, -outer, inner))
    right = np.where(at < 0, -inner, outer)
    return left, right


def tallied(values: Floats) -> Record:
    """What a block's runs (runs x horizons) add to a tally; most bins are empty."""
    doublings = np.log2(np.maximum(np.abs(values), SMALLEST) / SMALLEST)
    bins = np.minimum((BINS_PER_DOUBLING * doublings).astype(np.int64), BINS - 1)
    bins = np.where(values < 0.0, -bins, bins) + (BINS - 1)
    places, which = np.unique(bins + WIDTH * np.arange(bins.shape[1]), return_inverse=True)
    which = which.ravel()
    return {
        "runs": len(values),
        "total": values.sum(axis=0),
        "squares": (values**2).sum(axis=0),
        "places": places,
        "counts": np.bincount(which, minlength=len(places)).astype(np.int64),
        "sums": np.bincount(which, values.ravel(), len(places)),
    }
