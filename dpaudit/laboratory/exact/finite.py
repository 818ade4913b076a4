"""Sums of losses on a finite set: a lattice of whole steps, arm group by arm group.

Values are taken as the decimals that they are written as, so 0.3 and 0.4 lie on steps of 1/10.
Masses of short sums come by convolution (sums of positive terms), of longer ones by a discrete
Fourier transform of the window, with an absolute error (`MASSES`) instead of a relative one.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpaudit.errors import UsageError
from dpaudit.laboratory.exact.sums import Complex, Floats, Sums, log_characteristic, turned

MOST_STEPS = 2**16
"""Steps between the least and the largest value."""
CONVOLVED = 2**12
"""Points of a sum's support up to which it is convolved."""
TRANSFORMED = 2**20
"""Points of a window up to which its masses are computed at all."""
MASSES = 1e-13
"""Error of a distribution function whose masses come by a transform: rounding, which is tested
against convolutions. It is part of the answer's error."""
ROUNDED = 1e-15
"""Of a round's phase."""


@dataclass(frozen=True)
class Law:
    """One round of an arm: probabilities of the whole numbers of steps `points`, which increase."""

    points: tuple[int, ...]
    chances: tuple[Fraction, ...]

    @functools.cached_property
    def mean(self) -> Fraction:
        parts = zip(self.points, self.chances, strict=True)
        return sum((point * chance for point, chance in parts), Fraction(0))

    @functools.cached_property
    def variance(self) -> float:
        parts = zip(self.points, self.chances, strict=True)
        return float(
            sum((chance * (point - self.mean) ** 2 for point, chance in parts), Fraction())
        )

    @functools.cached_property
    def masses(self) -> Floats:
        return np.array([float(chance) for chance in self.chances])

    @property
    def length(self) -> int:
        return self.points[-1] - self.points[0]


def laws_of(
    values: Sequence[float] | Floats, rows: Sequence[Sequence[float]] | Floats
) -> tuple[Fraction, Fraction, list[Law]]:
    """The least value, the step of the lattice, and each arm's law on it. As where arms are drawn,
    the last value has what the others leave of a row."""
    exact = [Fraction(repr(float(value))) for value in values]
    least = min(exact)
    away = [value - least for value in exact]
    step = functools.reduce(_divisor, away, Fraction(0)) or Fraction(1)
    steps = [int(value / step) for value in away]
    if max(steps) > MOST_STEPS:
        raise UsageError(
            f"values: got {len(exact)} numbers on steps of {float(step):.3g}, exact takes up to "
            f"{MOST_STEPS} steps of one size between the least and the largest"
        )
    laws = []
    for row in rows:
        chances = [Fraction(float(chance)) for chance in row[:-1]]
        chances.append(max(Fraction(0), 1 - sum(chances, Fraction(0))))
        whole, found = sum(chances, Fraction(0)), dict.fromkeys(sorted(set(steps)), Fraction(0))
        for at, chance in zip(steps, chances, strict=True):
            found[at] += chance / whole
        kept = {at: chance for at, chance in found.items() if chance}
        laws.append(Law(tuple(kept), tuple(kept.values())))
    return least, step, laws


def _divisor(a: Fraction, b: Fraction) -> Fraction:
    """Greatest common divisor of two fractions."""
    over = math.lcm(a.denominator, b.denominator)
    return Fraction(math.gcd(int(a * over), int(b * over)), over)


@dataclass(frozen=True, eq=False)
class FiniteSums(Sums):
    """Sums in steps: `means` are those of the laws, in steps, too."""

    laws: tuple[Law, ...] = ()

    def take(self, kept: NDArray[np.bool_]) -> FiniteSums:
        laws = tuple(law for law, here in zip(self.laws, kept, strict=True) if here)
        return FiniteSums(self.means[kept], self.counts[kept], self.n, False, self.sign, laws)

    def exact_mean(self, g: int) -> Fraction:
        return self.laws[g].mean

    def log_moment(self, g: int, rates: Floats) -> Floats:
        """About the mean's whole part, so that what cancels is small."""
        law = self.laws[g]
        near = round(law.mean)
        turns = (self.sign * rates)[:, None] * (np.array(law.points) - near)
        top = turns.max(axis=1)
        large = top + np.log(np.exp(turns - top[:, None]) @ law.masses)
        small = np.log1p(np.expm1(np.minimum(turns, 1.0)) @ law.masses)
        return np.asarray(np.where(top < 1.0, small, large) + self.sign * rates * near)

    def adjacent(self, g: int) -> float:
        chances = dict(zip(self.laws[g].points, self.laws[g].masses.tolist(), strict=True))
        return float(sum(mass * chances.get(at + 1, 0.0) for at, mass in chances.items()))

    def log_transform(self, g: int, frequencies: Floats, origin: float) -> Complex:
        law = self.laws[g]
        points = np.array(law.points) - float(round(law.mean))
        found = self.n * log_characteristic(points, law.masses, frequencies)
        return turned(found, self.sign, frequencies * (self.center(g) - origin))

    def window(self, g: int, tolerance: float) -> tuple[float, float]:
        """Hoeffding's and Bernstein's inequalities, whichever is narrower."""
        law, center = self.laws[g], self.center(g)
        log = math.log(1.0 / tolerance)
        third = law.length * log / 3.0
        bernstein = third + math.sqrt(third**2 + 2.0 * self.n * law.variance * log)
        radius = min(law.length * math.sqrt(self.n * log / 2.0), bernstein)
        low, high = self.support(g)
        if law.length == 0:
            return low, high
        return max(low, float(math.floor(center - radius))), min(
            high, float(math.ceil(center + radius))
        )

    def support(self, g: int) -> tuple[float, float]:
        points = self.laws[g].points
        ends = sorted(self.sign * self.n * at - self.reference for at in (points[0], points[-1]))
        return float(ends[0]), float(ends[1])

    def lattice(self, g: int, tolerance: float) -> tuple[float, Floats]:
        low, masses, _ = _lattice(self, g, tolerance)
        return low, masses

    def masses_error(self, tolerance: float) -> float:
        """Of all distribution functions that `lattice` gives, for each arm, added up."""
        errors = [_lattice(self, g, tolerance)[2] for g in range(len(self.laws))]
        return float(self.counts @ np.array(errors))

    def too_wide(self, tolerance: float) -> bool:
        ends = [self.window(g, tolerance) for g in range(len(self.laws))]
        return max(high - low for low, high in ends) > TRANSFORMED

    def blocks(self, g: int, starts: Floats, length: int) -> tuple[Floats, float]:
        """Sums over the lattice."""
        low, masses = self.lattice(g, 1e-30)
        at = low + np.arange(len(masses))
        owner = np.floor((at - starts[0]) / length).astype(np.int64)
        inside = (owner >= 0) & (owner < len(starts))
        found = np.bincount(owner[inside], weights=masses[inside], minlength=len(starts))
        return found.astype(np.float64), 1e-12


@functools.lru_cache(maxsize=32)
def _lattice(sums: FiniteSums, g: int, tolerance: float) -> tuple[float, Floats, float]:
    """First point of the window, the masses from it on, and the distribution function's error."""
    law, (low, high) = sums.laws[g], sums.window(g, tolerance)
    many = int(high - low) + 1
    if sums.n * law.length < CONVOLVED:
        first, whole = sums.support(g)[0], _power(law, sums.n)[:: sums.sign]
        return low, whole[int(low - first) : int(high - first) + 1], 0.0
    # On the law's own lattice, which may be coarser: there its transform is 1 at 0 only.
    own = functools.reduce(math.gcd, (at - law.points[0] for at in law.points))
    offset = int((low - sums.support(g)[0]) % own)
    begin = low + (own - offset) % own
    inside = int((high - begin) // own) + 1
    size = 2 ** math.ceil(math.log2(inside + 1))
    frequencies = 2.0 * math.pi / size * np.arange(size // 2 + 1)
    near = min(law.points, key=lambda at: abs(at - law.mean))
    points = np.array([(at - near) // own for at in law.points], dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = sums.n * log_characteristic(points, law.masses, frequencies)
        logs = turned(logs, sums.sign, frequencies * ((sums.center(g) - begin) / own))
    logs = np.where(np.isfinite(logs) & (logs.real > -800.0), logs, -800.0)
    found = np.fft.irfft(np.conj(np.exp(logs)), size)[:inside]
    masses = np.zeros(many)
    masses[int(begin - low) :: own] = np.maximum(found, 0.0)
    # Away from 0 phases are known to rounding times n only.
    far = float(np.exp(logs.real[frequencies * np.abs(points).max() > 0.2]).sum()) / size
    return low, masses, MASSES + 2.0 * tolerance + ROUNDED * sums.n * far * inside


def _power(law: Law, n: int) -> Floats:
    """Masses of the sum of n rounds, over its support from the least point on."""
    one = np.zeros(law.length + 1)
    one[np.array(law.points) - law.points[0]] = law.masses
    total = np.ones(1)
    for bit in bin(n)[2:]:
        total = np.convolve(total, total)
        if bit == "1":
            total = np.convolve(total, one)
    return total
