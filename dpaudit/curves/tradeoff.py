"""What two laws of the same outcomes give away: trade-off curve, delta(epsilon), the tight mu.

The best tests between the two are likelihood-ratio tests. The trade-off curve is convex and linear
between their errors, so that it lies above the curve of mu-GDP exactly where these errors do: the
tight mu is the largest of Phi^-1(1 - a) - Phi^-1(b) over all of them (Dong, Roth & Su 2022).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri_exp

from dpaudit.curves.paths import Floats, Laws

ROUNDING = 2.0**-52


@dataclass(frozen=True)
class Interval:
    low: float
    high: float


@dataclass(frozen=True)
class Tests:
    """Of all likelihood-ratio tests, from those that reject the neighbour least often on: logs of
    the probabilities to reject it when it is true (an error) and when the table is, and to accept
    it when the table is (an error) and when it is true."""

    first: Floats
    found: Floats
    second: Floats
    right: Floats
    slack: float
    """Bounds the error of each log."""

    @classmethod
    def of(cls, found: Laws) -> Tests:
        ratio = found.here - found.there
        order = np.argsort(-ratio, kind="stable")
        here, there = found.here[order], found.there[order]
        largest = float(np.abs(np.concatenate([here, there])[np.isfinite([*here, *there])]).max())
        slack = found.error * (1.0 + largest) + len(order) * ROUNDING
        # Test k rejects the k likeliest outcomes, 1 <= k < n: the others err never or always.
        accepted, right = (_log_sums(part[::-1])[::-1][1:] for part in (here, there))
        return cls(_log_sums(there)[:-1], _log_sums(here)[:-1], accepted, right, slack)


def _log_sums(logs: Floats) -> Floats:
    """Logs of the running sums, the smallest of them to their own precision."""
    top = float(logs.max())
    with np.errstate(divide="ignore"):
        return np.asarray(top + np.log(np.cumsum(np.exp(logs - top))))


def tight_mu(found: Laws) -> Interval:
    """The least mu for which the pair is mu-GDP, either of the two being the true one."""
    sides = [_one_sided(Tests.of(each)) for each in (found, swapped(found))]
    return Interval(max(s.low for s in sides), max(s.high for s in sides))


def _one_sided(tests: Tests) -> Interval:
    ends = [
        -_quantile(tests.first, tests.right, slack) - _quantile(tests.second, tests.found, slack)
        for slack in (tests.slack, -tests.slack)
    ]
    return Interval(*(max([0.0, *mu[~np.isnan(mu)].tolist()]) for mu in ends))


def _quantile(logs: Floats, rest: Floats, slack: float) -> Floats:
    """Phi^-1 of e^(logs + slack), from whichever of it and its complement is the smaller."""
    small = logs < rest
    return np.where(
        small,
        ndtri_exp(np.minimum(0.0, logs + slack)),
        -ndtri_exp(np.minimum(0.0, rest - slack)),
    )


def largest_loss(found: Laws) -> float:
    """The epsilon of pure privacy: the largest |log-ratio|."""
    both = np.isfinite(found.here) | np.isfinite(found.there)
    with np.errstate(invalid="ignore"):
        return float(np.abs(found.here[both] - found.there[both]).max())


def delta_at(found: Laws, epsilon: float) -> float:
    """The least delta at epsilon, either of the two being the true one."""
    sides = []
    for each in (found, swapped(found)):
        loss = each.here - each.there
        above = loss > epsilon
        masses = np.exp(each.here[above]) * -np.expm1(epsilon - loss[above])
        sides.append(float(np.sum(masses)))
    return max(sides)


def curve(found: Laws, points: int = 200) -> tuple[Floats, Floats]:
    """Errors of both kinds, some of the points of the trade-off curve."""
    tests = Tests.of(found)
    first = np.concatenate([[0.0], np.exp(np.minimum(0.0, tests.first)), [1.0]])
    second = np.concatenate([[1.0], np.exp(np.minimum(0.0, tests.second)), [0.0]])
    chosen = np.unique(np.linspace(0, len(first) - 1, points).astype(int))
    return first[chosen], second[chosen]


def swapped(found: Laws) -> Laws:
    return Laws(found.there, found.here, found.error)
