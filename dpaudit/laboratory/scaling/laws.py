"""Laws of growth, and curves that may follow them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.results.regret import Floats


@dataclass(frozen=True, eq=False)
class Law:
    """A function of x, by name, up to a constant factor and an offset."""

    name: str
    of: Callable[[Any], Any]

    def at(self, x: Floats) -> Floats:
        return np.asarray(self.of(x), dtype=float) * np.ones_like(x)

    def times(self, name: str, factor: Callable[[Any], Any]) -> Law:
        """The law with a further factor, which `name` says."""
        return Law(name, lambda x: self.of(x) * factor(x))


def power(exponent: float, name: str = "x") -> Law:
    words = name if exponent == 1.0 else f"{name}^{exponent:g}"
    return Law(words, lambda x: x**exponent)


CONSTANT = Law("constant", np.ones_like)
LOG = Law("log", np.log)
LOG_SQUARED = Law("log^2", lambda x: np.log(x) ** 2)
LOG_CUBED = Law("log^3", lambda x: np.log(x) ** 3)
LOG_LOG_LOG = Law("log * log log", lambda x: np.log(x) * np.log(np.log(x)))


@dataclass(frozen=True, eq=False)
class Ladder:
    """What is stated; what grows faster, by which a violation would show; and, where it is asked
    whether all that is stated is needed, what grows slower, the nearest first."""

    stated: Law
    faster: Law
    slower: tuple[Law, ...] = ()

    @property
    def extras(self) -> tuple[Law, ...]:
        """The faster law and, for what outgrows it by far, three beyond it."""
        f, g = self.stated, self.faster
        cubed = g.times(f"beyond {g.name}", lambda x: (g.of(x) / f.of(x)) ** 2)
        return g, cubed, f.times(f"x {f.name}", lambda x: x), f.times("x^2", lambda x: x * x)

    @property
    def words(self) -> str:
        return " < ".join(law.name for law in (*self.slower[::-1], self.stated, self.faster))


@dataclass(frozen=True, eq=False)
class Curve:
    """Points (x, y), y > 0. `covariance` is that of simulated means from `runs` runs, None if
    exact."""

    name: str
    x: Floats
    y: Floats
    covariance: Floats | None = None
    runs: int = 0

    @property
    def quantile(self) -> float:
        """Student's, of two-sided intervals at LEVEL; 0 for exact curves."""
        if self.covariance is None:
            return 0.0
        from scipy.special import stdtrit

        return float(stdtrit(max(1, self.runs - 1), 0.5 + 0.5 * LEVEL))


LEVEL = 0.999
"""Confidence of the intervals of one simulated curve."""
