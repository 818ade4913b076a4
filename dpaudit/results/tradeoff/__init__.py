"""What a pair gives away as a whole: a confidence band for its trade-off curve, and for the delta
of every epsilon (Dong, Roth & Su 2022).

A test says which of the two inputs an output came from. Its error of the first kind is to say
"neighbour" where it was the input, of the second kind the other way round; the trade-off curve is
the least second error for each first. Every test lies above it.
"""

from __future__ import annotations

import math
from typing import Any

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpaudit.results.claimed import Guarantee

CURVES = ("pure", "approximate", "gdp")
"""Claims that are curves."""
Floats = NDArray[np.float64]


class CurvePoint(msgspec.Struct, frozen=True):
    """The mechanism's delta at this epsilon is at least this."""

    epsilon: float
    delta: float


class TradeOff(msgspec.Struct, frozen=True, kw_only=True):
    """Between which numbers both errors of the tests "the score is at least t" lie, for all of the
    thresholds at once, at this confidence; the first errors increase.

    The pair's curve is nowhere above `above`: that holds whatever the score is. `below` is for the
    tests of this score and their mixtures; a better score may lie lower.
    """

    confidence: float
    runs: int
    """Outputs of each of the two inputs."""
    score: str
    first_low: list[float]
    first_high: list[float]
    second_low: list[float]
    second_high: list[float]

    def __post_init__(self) -> None:
        ends = self.first_low, self.first_high, self.second_low, self.second_high
        if len({len(each) for each in ends}) != 1:
            raise ValueError("the trade-off's columns differ in length")
        if not all(0.0 <= x <= 1.0 for each in ends for x in each):
            raise ValueError("the trade-off has an error that is no probability")

    def above(self, first: ArrayLike) -> Floats:
        """The pair's least second error is at most this, where the first is `first`."""
        return _curve(self._highest, first)

    def below(self, first: ArrayLike) -> Floats:
        """No test of this score has a second error under this, where the first is `first`."""
        return _curve(self._lowest, first)

    def delta(self, epsilon: float) -> tuple[float, float]:
        """The pair's delta at epsilon is at least the first number, either input being the true
        one; by this score's tests no more than the second is shown."""
        low, high = (_delta(edge, epsilon) for edge in (self._highest, self._lowest))
        return low, high

    @property
    def _highest(self) -> Floats:
        return np.array([[0.0, 1.0], *zip(self.first_high, self.second_high, strict=True), [1, 0]])

    @property
    def _lowest(self) -> Floats:
        """A test between two thresholds errs at least as often as the lower ends of the nearer
        one's first and of the farther one's second."""
        return np.array([*zip([0.0, *self.first_low], [*self.second_low, 0.0], strict=True)])


def claimed(claim: Guarantee, first: ArrayLike) -> Floats:
    """The curve that a claim allows: tests that lie under it refute the claim. Those of Rényi
    divergences allow any point for which nobody has a better bound: there is no curve, but 0."""
    at: Any = np.asarray(first, dtype=float)
    if claim.notion == "gdp":
        from scipy.special import ndtr, ndtri

        return np.asarray(ndtr(-ndtri(at) - claim.level))
    if claim.notion not in CURVES:
        return np.zeros(at.shape)
    ratio, rest = math.exp(claim.level), 1.0 - claim.delta
    return np.asarray(np.maximum(0.0, np.maximum(rest - ratio * at, (rest - at) / ratio)))


def _curve(points: Floats, first: ArrayLike) -> Floats:
    """The lower convex hull of points, which mixtures of tests reach."""
    hull: list[Any] = []
    for x, y in points[np.lexsort((points[:, 1], points[:, 0]))]:
        while len(hull) > 1 and _turn(hull[-2], hull[-1], (x, y)) <= 0.0:
            hull.pop()
        if not hull or x > hull[-1][0]:
            hull.append((x, y))
    across, up = np.array(hull).T
    # Behind its last point no test errs less often than there.
    return np.asarray(np.interp(np.asarray(first, float), across, np.minimum.accumulate(up)))


def _turn(a: Any, b: Any, c: Any) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _delta(points: Floats, epsilon: float) -> float:
    ratio = math.exp(epsilon)
    return max(0.0, *(float((1.0 - y - ratio * x).max()) for x, y in (points.T, points.T[::-1])))
