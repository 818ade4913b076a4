"""What an experiment of a paper consists of: curves, and what the paper says about them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BAND = 0.99
"""Confidence of a drawn or printed interval, at each point by itself (Student's t)."""
ROUNDING = 1e-9
"""Relative; covers the rounding of sums of gaps, so that equal plays count as ties."""
Quantity: TypeAlias = Literal["regret", "gdp"]
Scale: TypeAlias = Literal["linear", "log"]


@dataclass(frozen=True)
class Point:
    """One study of a swept curve: where it is drawn, its horizon, and what it changes."""

    x: float
    horizon: int
    parameters: Mapping[str, float | str] = field(default_factory=dict)


@dataclass(frozen=True)
class Curve:
    """One line of a figure.

    Without a sweep it is a learner's regret over time. A swept curve has a study of its own for
    each point, told that point's horizon, and shows the regret at its end. Quantity "gdp" is the
    learner's claimed GDP parameter, computed. `extra` marks a line that the paper's figure does not
    have: another reading, or a learner it leaves out.
    """

    label: str
    target: str
    epsilon: float | None = None
    parameters: Mapping[str, float | str] = field(default_factory=dict)
    panel: str = ""
    quantity: Quantity = "regret"
    sweep: tuple[Point, ...] = ()
    extra: bool = False
    drawn: bool = True
    """False: measured for a sentence only; it would dwarf the others in the figure."""
    means: tuple[float, ...] = ()
    """Of the arms, where a figure's panels differ; otherwise the experiment's."""

    @property
    def key(self) -> tuple[str, str]:
        return self.panel, self.label


@dataclass(frozen=True, eq=False)
class Measured:
    """What a curve came to: one row a run, one column a point; a computed curve has one row.

    `opening` is how many first rounds the learner plays the same whatever it sees.
    """

    curve: Curve
    x: Floats
    samples: Floats
    opening: int = 0

    @property
    def runs(self) -> int:
        """How many runs there are; 0 for a computed curve."""
        return 0 if self.curve.quantity == "gdp" else len(self.samples)

    @property
    def exact(self) -> bool:
        return self.curve.quantity == "gdp"

    @cached_property
    def mean(self) -> Floats:
        return np.asarray(self.samples.mean(axis=0), dtype=np.float64)

    @cached_property
    def slack(self) -> Floats:
        """Half the width of the mean's interval: Student's t, so approximate for skew runs."""
        if self.exact:
            return np.zeros(len(self.x))
        from scipy.special import stdtrit

        error = self.samples.std(axis=0, ddof=1) / np.sqrt(self.runs)
        return np.asarray(stdtrit(self.runs - 1, 0.5 + BAND / 2) * error, dtype=np.float64)

    @property
    def low(self) -> Floats:
        return np.maximum(self.mean - self.slack, 0.0)

    @property
    def high(self) -> Floats:
        return self.mean + self.slack

    def at(self, i: int) -> str:
        """Mean and uncertainty at a point, in words."""
        mean, slack = float(self.mean[i]), float(self.slack[i])
        if self.exact:
            return f"{mean:.4g}"
        digits = 0 if slack <= ROUNDING * mean else max(0, 1 - math.floor(math.log10(slack)))
        return f"{mean:.{digits}f} ± {slack:.{digits}f}"


Curves: TypeAlias = Mapping[tuple[str, str], Measured]
Answer: TypeAlias = tuple[bool | None, str]
"""True: confirmed. False: contradicted. None: open, within the noise. And the numbers."""
Check: TypeAlias = Callable[[Curves], Answer]


@dataclass(frozen=True)
class Sentence:
    """What a paper says about its figure, in our words; `reading` says of which reading of the
    paper the check is, where there are several."""

    text: str
    check: Check
    reading: str = ""


@dataclass(frozen=True)
class Experiment:
    """A figure of a paper: the setting, its curves and what is said about them."""

    name: str
    paper: str
    where: str
    means: tuple[float, ...]
    horizon: int
    runs: int
    curves: tuple[Curve, ...]
    sentences: tuple[Sentence, ...]
    notes: tuple[str, ...] = ()
    axes: tuple[Scale, Scale] = ("linear", "linear")
    x: str = "rounds"

    @property
    def rounds(self) -> int:
        sampled = [c for c in self.curves if c.quantity == "regret"]
        lengths = [sum(p.horizon for p in c.sweep) if c.sweep else self.horizon for c in sampled]
        return self.runs * sum(lengths)
