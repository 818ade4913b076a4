"""A regret curve with its uncertainty, the document `dpaudit/regret/2`: `dpaudit.regret` returns
it, and `dpaudit.results.documents` reads it from a file, as it does its forerunner."""

from __future__ import annotations

import json
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from dpaudit.results.showing import Published

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Quantiles of a run's regret that are reported."""

Floats = NDArray[np.float64]


class LinearRuns(msgspec.Struct, frozen=True, kw_only=True):
    """How many runs were linear: lost more than `share` of the smallest gap a round between round
    `after` and round `until`. `low` and `high` are around the chance of such a run, exact."""

    runs: int
    low: float
    high: float
    share: float
    after: int
    until: int


class Metric(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """At each horizon the mean over the runs, around it an interval, or how far single runs deviate
    from it."""

    mean: Floats
    low: Floats | None = None
    high: Floats | None = None
    deviation: Floats | None = None


class LowerBound(msgspec.Struct, frozen=True, eq=False):
    """A lower bound at each horizon, for the learners that `whom` names. An asymptotic one is a
    rate times ln T without what vanishes beside it: regret at a given T may lie below. `recalled`:
    its statement is recalled from the literature, as its text was not at hand."""

    name: str
    source: str
    whom: str
    values: Floats
    asymptotic: bool = False
    recalled: bool = False

    @property
    def short(self) -> str:
        return f"{self.name}{' ~' if self.asymptotic else ''}"

    @property
    def described(self) -> str:
        """Name, source, and for whom it holds."""
        recalled = ", recalled from the literature" if self.recalled else ""
        return f"{self.short}: {self.source}{recalled}; for {self.whom}"


class RegretResult(Published, frozen=True, kw_only=True, eq=False):
    """Regret of one learner in one environment at several horizons.

    `measured` says which regret. `low` and `high` are around its mean; `band` says how. Sampled:
    "guaranteed" is a band at `confidence` for all horizons together whatever the law of the runs,
    which have at least no and at most all the regret there is; `normal_low` and `normal_high` are
    the one of the central limit theorem, which knows nothing of rare runs that were not seen;
    `beyond` bounds the chance of a run beyond the largest one seen; `quantiles` are of single runs,
    to 1.1 %. Each of these holds at `confidence` by itself. Exact: the mean is enclosed with
    certainty, and there is nothing else.
    """

    schema: str = "dpaudit/regret/2"
    target: str
    parameters: dict[str, Any] = msgspec.field(default_factory=dict)
    epsilon: float | None = None
    means: list[float] = msgspec.field(default_factory=list)
    environment: str = "bernoulli"
    changes: list[tuple[int, list[float]]] = msgspec.field(default_factory=list)
    """Rounds from which on the means are others, and these."""
    drift: list[float] | None = None
    """The means of the last round, where they move along a line."""
    delay: int = 0
    batch: int = 1
    """Feedback comes so many rounds after the end of a batch of so many rounds."""
    measured: str = "pseudo-regret"
    horizons: NDArray[np.int64]
    mean: Floats
    low: Floats
    high: Floats
    band: Literal["normal", "guaranteed", "exact"] = "normal"
    """Results of `dpaudit/regret/1` do not say it: theirs are normal, or exact."""
    normal_low: Floats | None = None
    normal_high: Floats | None = None
    quantiles: dict[str, list[float]] | None = None
    """A column for each of the `LEVELS`, by the level's name."""
    beyond: float | None = None
    linear: LinearRuns | None = None
    metrics: dict[str, Metric] = msgspec.field(default_factory=dict)
    """`realised` (payoff against the best fixed arm's means), `error` (the arm pulled most is not
    the best), `switches` (rounds with another arm than the one before), as far as asked for."""
    lower_bounds: list[LowerBound] = msgspec.field(default_factory=list)
    """The strongest that are known for who was played, asymptotic and at every horizon."""
    runs: int
    exact: bool
    confidence: float | None = None
    seed: int = 0
    seconds: float = 0.0
    complete: bool = True
    notes: list[str] = msgspec.field(default_factory=list)
    version: str

    def __post_init__(self) -> None:
        if len({len(c) for c in (self.horizons, self.mean, self.low, self.high)}) != 1:
            raise ValueError("horizons, mean, low and high differ in length")
        check_band(self.low.tolist(), self.mean.tolist(), self.high.tolist())
        if any(len(each.values) != len(self.horizons) for each in self.lower_bounds):
            raise ValueError("horizons and lower_bounds differ in length")
        if (self.normal_low is None) != (self.normal_high is None):
            raise ValueError("normal_low and normal_high: one without the other")
        if self.normal_low is not None and self.normal_high is not None:
            if not len(self.normal_low) == len(self.normal_high) == len(self.mean):
                raise ValueError("horizons, normal_low and normal_high differ in length")
            check_band(self.normal_low.tolist(), self.mean.tolist(), self.normal_high.tolist())

    @property
    def normal(self) -> tuple[Floats, Floats]:
        """Low and high end by the central limit theorem, or of the enclosure that needs none."""
        if self.normal_low is None or self.normal_high is None:
            return self.low, self.high
        return self.normal_low, self.normal_high

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RegretResult) and self.public() == other.public()

    def json(self) -> str:
        return json.dumps(self.public(), indent=2, allow_nan=False)


def check_band(low: list[float], mean: list[float], high: list[float]) -> None:
    """The mean lies in its band, up to rounding; a ValueError says where not."""
    for i, (a, m, b) in enumerate(zip(low, mean, high, strict=True)):
        slack = 1e-5 * max(abs(a), abs(m), abs(b))
        if not a - slack <= m <= b + slack:
            raise ValueError(f"the mean at point {i + 1} is not between low and high")
