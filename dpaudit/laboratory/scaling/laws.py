"""Which law does a regret curve follow? Regressions on the right transform, and what they show.

Exact curves have no noise, so no p-value is given for them: the extra term of a law is fitted to
the whole grid and to its upper half, and both answers bound what is said. Simulated curves have the
covariance of their means (horizons of one run are correlated), and an interval from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.results.regret import Floats
from dpaudit.results.scaling import Answer, Comparison, Fit, Slope

LEVEL = 0.999
"""Confidence of the intervals of simulated curves."""
CONSTANT = 0.02
"""A curve that grows by less than this part of its value over the upper half is constant."""
SMALL, LARGE = 0.25, 0.5
"""An extra term below SMALL of the growth is absent, above LARGE it is the law."""

Transform = Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class Curve:
    """Points (x, y). `covariance` is that of simulated means from `runs` runs, None if exact."""

    name: str
    x: Floats
    y: Floats
    covariance: Floats | None = None
    runs: int = 0

    def upper(self) -> Curve:
        first = len(self.x) // 2 if len(self.x) > 5 else 0
        part = None if self.covariance is None else self.covariance[first:, first:]
        return Curve(self.name, self.x[first:], self.y[first:], part, self.runs)

    @property
    def quantile(self) -> float:
        """Student's quantile of two-sided intervals; 0 for exact curves."""
        if self.covariance is None:
            return 0.0
        from scipy.special import stdtrit

        return float(stdtrit(max(1, self.runs - 1), 0.5 + 0.5 * LEVEL))


def fit(curve: Curve, terms: dict[str, Transform]) -> Fit:
    """Least squares by statsmodels, weighted by the standard errors of a simulated curve; its
    intervals take the correlation of the points into account."""
    import statsmodels.api as sm

    design = np.column_stack([np.ones_like(curve.x), *(f(curve.x) for f in terms.values())])
    weights = np.ones_like(curve.y)
    if curve.covariance is not None:
        variances = np.diag(curve.covariance)
        if variances.max() > 0.0:
            # Points that happen not to vary must not be all that counts.
            weights = 1.0 / np.maximum(variances, 1e-4 * variances.max())
    model = sm.WLS(curve.y, design, weights=weights / weights.max()).fit()
    slack = np.zeros(design.shape[1])
    if curve.covariance is not None:
        linear = model.model.pinv_wexog * np.sqrt(weights / weights.max())
        variance = np.einsum("ij,jk,ik->i", linear, curve.covariance, linear)
        slack = curve.quantile * np.sqrt(np.maximum(variance, 0.0))
    scale = float(np.max(np.abs(curve.y))) or 1.0
    return Fit(
        ["1", *terms],
        [float(c) for c in model.params],
        [float(s) for s in slack],
        float(np.max(np.abs(model.resid))) / scale,
    )


def compare(curve: Curve, law: tuple[str, Transform], extra: tuple[str, Transform]) -> Comparison:
    """Does y = a + b law need the extra term?"""
    upper = curve.upper()
    share, slack, joint = _share(curve, law, extra)
    last = float(curve.y[-1]) or 1.0
    rise = 0.0
    if upper.covariance is not None:
        c = upper.covariance
        rise = curve.quantile * math.sqrt(max(0.0, c[0, 0] + c[-1, -1] - 2 * c[0, -1])) / abs(last)
    # The upper half of a simulated curve is too noisy to say anything by itself.
    parts = [curve, upper] if curve.covariance is None else [curve]
    position = _position(parts, law[1], extra[1])
    values = law[1](curve.x)
    interval = [share - slack, share, share + slack]
    growth = float(upper.y[-1] - upper.y[0]) / abs(last)
    return Comparison(
        curve=curve.name,
        law=law[0],
        extra=extra[0],
        answer=_answer(interval, position, growth, rise),
        extra_share=interval,
        position=position,
        growth_upper_half=growth,
        regret_over_law=[float(curve.y[0] / values[0]), float(curve.y[-1] / values[-1])],
        fit=fit(curve, dict([law])),
        fit_with_extra=joint,
    )


def _answer(
    share: list[float], position: list[float], growth: float, growth_slack: float
) -> Answer:
    if abs(growth) + growth_slack < CONSTANT:
        return "constant"
    if growth + growth_slack < -CONSTANT:
        return "slower"
    (least, _, most), (low, _, high) = share, position
    if least > 1.0 - SMALL or (min(least, low) > SMALL and max(least, low) > LARGE):
        return "extra"
    if max(high, most) < -LARGE:
        return "slower"
    if most - least > 2.0 * LARGE:
        # The nested fit of a simulated curve says nothing: the position decides alone.
        if low > LARGE:
            return "extra"
        return "law" if low > -LARGE and high < LARGE else "undecided"
    if (most < SMALL and high < 1.0) or (high < SMALL and most < LARGE):
        return "law"
    return "undecided"


def _share(
    curve: Curve, law: tuple[str, Transform], extra: tuple[str, Transform]
) -> tuple[float, float, Fit]:
    joint = fit(curve, dict([law, extra]))
    growth = float(curve.y[-1] - curve.y[0])
    if abs(growth) < 1e-12 * abs(float(curve.y[-1])):
        return 0.0, 0.0, joint
    ends = extra[1](curve.x[[0, -1]])
    factor = float(ends[1] - ends[0]) / growth
    return joint.coefficients[2] * factor, abs(factor) * joint.slack[2], joint


def _position(curves: list[Curve], law: Transform, extra: Transform) -> list[float]:
    found = []
    for part in curves:
        x = law(part.x)
        mine = slope(Curve(part.name, x, np.maximum(part.y, 1e-300), part.covariance, part.runs))
        theirs = slope(Curve(part.name, x, extra(part.x)))
        slack = 0.0 if part.covariance is None else mine.high - mine.value
        found.append([(mine.value + d - 1.0) / (theirs.value - 1.0) for d in (-slack, 0.0, slack)])
    return [min(f[0] for f in found), found[0][1], max(f[2] for f in found)]


def slope(curve: Curve) -> Slope:
    """Log-log slope: 1 for a law y ~ x, 2 for y ~ x^2."""
    x, y = np.log(curve.x), np.log(curve.y)
    relative = curve.covariance
    if relative is not None:
        relative = relative / np.outer(curve.y, curve.y)
    found = fit(Curve(curve.name, x, y, relative, curve.runs), {"ln x": np.asarray})
    value, slack = found.coefficients[1], found.slack[1]
    if relative is not None:
        return Slope(curve.name, [value - slack, value, value + slack])
    local = np.diff(y) / np.diff(x)
    return Slope(curve.name, [float(local.min()), value, float(local.max())])


LOG: tuple[str, Transform] = ("log", np.log)
LOG_SQUARED: tuple[str, Transform] = ("log^2", lambda x: np.log(x) ** 2)
