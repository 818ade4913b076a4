"""Sums of n rounds, arm group by arm group: binomial lattices, or fixed numbers.

Scores are the sums (for losses: their negatives) less a common reference near the best group's
mean, so that coordinates stay small and exact however long the epoch.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Complex = NDArray[np.complex128]

HALF_LOG_TAU = 0.5 * math.log(2.0 * math.pi)
STIRLING = np.array(
    [0.0] + [math.lgamma(k + 1) - (k + 0.5) * math.log(k) + k - HALF_LOG_TAU for k in range(1, 16)]
)
"""ln k! less Stirling's formula, for k < 16 (0 at k = 0, which is treated apart)."""


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of `n` rounds: distinct `means`, how many arms have each, whether a sum is its mean
    (`fixed`) or binomial, and the sign of a sum in the score (-1 for losses)."""

    means: Floats
    counts: Floats
    n: int
    fixed: bool
    sign: int

    @functools.cached_property
    def best(self) -> int:
        return int(np.argmax(self.sign * self.means))

    @functools.cached_property
    def gaps(self) -> Floats:
        return np.asarray(np.abs(self.means - self.means[self.best]))

    @functools.cached_property
    def reference(self) -> int:
        """The whole number nearest to the best group's mean score."""
        return self.sign * round(self.n * self.exact_mean(self.best))

    def exact_mean(self, g: int) -> Fraction:
        """Of one round."""
        return Fraction(float(self.means[g]))

    def take(self, kept: NDArray[np.bool_]) -> Sums:
        """Some of the groups."""
        return Sums(self.means[kept], self.counts[kept], self.n, self.fixed, self.sign)

    def log_moment(self, g: int, rates: Floats) -> Floats:
        """ln E e^(rate * score) of one round, for each rate."""
        return np.asarray(np.log1p(self.means[g] * np.expm1(self.sign * rates)))

    def adjacent(self, g: int) -> float:
        """Sum of the products of neighbouring points' probabilities in one round: |E e^(iwX)|^2 is
        at most 1 - 4 sin^2(w/2) times it."""
        return 0.0 if self.fixed else float(self.means[g] * (1.0 - self.means[g]))

    def log_transform(self, g: int, frequencies: Floats, origin: float) -> Complex:
        """ln E e^(i frequency (score - origin)), for a group that is not fixed."""
        mean = float(self.means[g])
        near = round(mean)
        points, masses = np.array([0.0, 1.0]) - near, np.array([1.0 - mean, mean])
        found = self.n * log_characteristic(points, masses, frequencies)
        return turned(found, self.sign, frequencies * (self.center(g) - origin))

    def center(self, g: int) -> float:
        mean = self.n * self.exact_mean(g)
        if self.fixed:
            return float(self.sign * (mean - self.n * self.exact_mean(self.best)))
        return float(self.sign * mean - self.reference)

    def window(self, g: int, tolerance: float) -> tuple[float, float]:
        """Where a group's score (without noise) lies, but for `tolerance` on either side:
        Hoeffding's and Bernstein's inequalities, whichever is narrower."""
        center, mean = self.center(g), float(self.means[g])
        if self.fixed:
            return center, center
        log = math.log(1.0 / tolerance)
        bernstein = log / 3.0 + math.sqrt(log**2 / 9.0 + 2.0 * self.n * mean * (1.0 - mean) * log)
        radius = min(math.sqrt(self.n * log / 2.0), bernstein) if 0.0 < mean < 1.0 else 0.0
        ends = sorted((-self.reference, self.sign * self.n - self.reference))
        low, high = math.floor(center - radius), math.ceil(center + radius)
        return float(max(low, ends[0])), float(min(high, ends[1]))

    def log_mass(self, g: int, x: Floats) -> Floats:
        """Log of the binomial probability at whole coordinates x of the support."""
        mean = float(self.means[g])
        if mean in (0.0, 1.0):
            return np.where(x == self.center(g), 0.0, -np.inf)
        away = self.sign * (x - self.center(g))
        return log_binomial(np.rint(self.sign * (x + float(self.reference))), self.n, mean, away)

    def masses_error(self, tolerance: float) -> float:
        """Absolute error of all arms' distribution functions that masses give; the relative one of
        binomial masses is allowed for by `winning`."""
        return 0.0

    def too_wide(self, tolerance: float) -> bool:
        """Whether masses are out of reach."""
        return False

    def lattice(self, g: int, tolerance: float) -> tuple[float, Floats]:
        """First point of the window, and the masses at it and the whole steps that follow."""
        low, high = self.window(g, tolerance)
        if self.fixed:
            return low, np.ones(1)
        return low, np.exp(self.log_mass(g, np.arange(low, high + 0.5)))

    def blocks(self, g: int, starts: Floats, length: int) -> tuple[Floats, float]:
        """Masses of [start, start + length) for consecutive starts, each too small by a relative
        `slack` at most, which is about (length / standard deviation)^2 or 1e-5."""
        deviation = math.sqrt(self.n * float(self.means[g] * (1.0 - self.means[g])))
        part = length
        while part % 2 == 0 and 512 * part > deviation:
            part //= 2
        part = 1 if 512 * part > deviation else part
        if part == length:
            return self._blocks(g, starts, length)
        low, high = self.window(g, 1e-300)
        first = max(starts[0], starts[0] + part * math.floor((low - starts[0]) / part))
        small = np.arange(first, min(high + 1.0, starts[-1] + length), part)
        masses, slack = self._blocks(g, small, part)
        owner = ((small - starts[0]) // length).astype(np.int64)
        sums: Floats = np.bincount(owner, weights=masses, minlength=len(starts)).astype(np.float64)
        return sums, slack

    def _blocks(self, g: int, starts: Floats, length: int) -> tuple[Floats, float]:
        """ln of the mass is concave: its chord over a block gives a lower bound and its tangent in
        the middle an upper one, both of them geometric sums."""
        ends = sorted((-self.reference, self.sign * self.n - self.reference))
        first, last = np.maximum(starts, ends[0]), np.minimum(starts + length - 1, ends[1])
        inside = first <= last
        a, z = first[inside], last[inside]
        low, high = self.log_mass(g, a), self.log_mass(g, z)
        masses = np.zeros(len(starts))
        if length == 1:
            masses[inside] = np.exp(low)
            return masses, 0.0
        slope = np.abs(high - low) / np.maximum(z - a, 1.0)
        lower = np.exp(np.maximum(low, high)) * _geometric(-slope, z - a + 1.0)
        masses[inside] = lower
        solid = lower > 1e-250
        a, z = a[solid], z[solid]
        middle = np.floor((a + z) / 2.0)
        here, ahead = self.log_mass(g, middle), np.minimum(middle + 1.0, z)
        slope = (self.log_mass(g, ahead) - here) / np.maximum(ahead - middle, 1.0)
        far = np.where(slope > 0.0, z - middle, middle - a)
        upper = np.exp(here + np.abs(slope) * far) * _geometric(-np.abs(slope), z - a + 1.0)
        return masses, float(np.max(upper / lower[solid] - 1.0, initial=0.0)) + 1e-12


def log_binomial(ones: Floats, n: Floats | int, mean: float, away: Floats) -> Floats:
    """Log of P(Bin(n, mean) = ones), 0 < mean < 1, where away = ones - n mean is known without
    cancellation: Loader's saddle-point expansion (Fast and accurate computation of binomial
    probabilities, 2000)."""
    rounds = np.asarray(n, dtype=np.float64)
    zeros = rounds - ones
    with np.errstate(divide="ignore", invalid="ignore"):
        value = (
            0.5 * np.log(rounds / (ones * zeros))
            - HALF_LOG_TAU
            + (_stirling(rounds) - _stirling(ones) - _stirling(zeros))
            - _deviance(ones, away, rounds * mean)
            - _deviance(zeros, -away, rounds * (1.0 - mean))
        )
    value = np.where(ones <= 0.0, rounds * math.log1p(-mean), value)
    return np.where(zeros <= 0.0, rounds * math.log(mean), value)


def log_characteristic(points: Floats, masses: Floats, frequencies: Floats) -> Complex:
    """ln E e^(iwX) - iw E X, without cancellation: ln(1 + v) - v plus v less its first order, where
    v = E (e^(iwX) - 1)."""
    turns = frequencies[:, None] * points
    real = -2.0 * np.sin(0.5 * turns) ** 2
    small = np.where(np.abs(turns) < 0.5, turns, 0.0)
    square, series = small * small, np.ones_like(small)
    for k in range(17, 3, -2):
        series = 1.0 - series * square / (k * (k - 1))
    near = -series * square * small / 6.0
    odd = np.where(np.abs(turns) < 0.5, near, np.sin(turns) - turns)
    v = (real + 1j * np.sin(turns)) @ masses
    close = np.where(np.abs(v) < 0.25, v, 0.0)
    tail = np.zeros_like(close)
    for k in range(30, 1, -1):  # ln(1 + v) - v
        tail = (tail + (-1.0) ** (k + 1) / k) * close
    with np.errstate(divide="ignore", invalid="ignore"):
        rest = np.where(np.abs(v) < 0.25, tail * close, np.log(1.0 + v) - v)
    return np.asarray(rest + (real + 1j * odd) @ masses)


def turned(found: Complex, sign: int, phases: Floats) -> Complex:
    """The transform of sign times what `found` is for, moved by phases."""
    return np.asarray((found if sign > 0 else np.conj(found)) + 1j * phases)


def discounted(values: Floats, factor: float) -> Floats:
    """sum over i >= 0 of factor^i values[k - i], for every k; only sums of positive terms."""
    total, step = values.copy(), 1
    while step < len(total) and factor > 1e-300:
        total[step:] += factor * total[:-step].copy()
        factor, step = factor * factor, 2 * step
    return total


def _geometric(slope: Floats, count: Floats) -> Floats:
    """1 + e^slope + ... of `count` terms, slope <= 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.expm1(slope * count) / np.expm1(slope)
    return np.where(slope == 0.0, count, value)


def _stirling(k: Floats) -> Floats:
    """ln k! less Stirling's formula."""
    large = np.maximum(k, 16.0)
    square = 1.0 / (large * large)
    series = 1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188)))
    small = STIRLING[np.clip(k, 0.0, 15.0).astype(np.int64)]
    return np.where(k < 16.0, small, series / large)


def _deviance(count: Floats, away: Floats, mean: Floats) -> Floats:
    """count ln(count / mean) - away, with away = count - mean known without cancellation."""
    v = away / (count + mean)
    square = v * v
    series = np.zeros_like(v)
    for odd in range(21, 1, -2):
        series = (series + 1.0 / odd) * square
    near = away * v + 2.0 * count * v * series
    far = count * np.log(np.maximum(count, 1e-300) / mean) - away
    return np.where(np.abs(v) < 0.1, near, far)
