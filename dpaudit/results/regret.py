"""A regret curve with its uncertainty, the document `dpaudit/regret/1`: `dpaudit.regret` returns
it, and `dpaudit.results.documents` reads it from a file."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from dpaudit.results.reproduction import check_band
from dpaudit.results.showing import Published

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Quantiles of a run's regret that are reported."""

Floats = NDArray[np.float64]


class RegretResult(Published, frozen=True, kw_only=True, eq=False):
    """Pseudo-regret of one learner in one environment at several horizons.

    Sampled: `low` and `high` are a confidence band for the mean by the central limit theorem, at
    `confidence` for all horizons together; `quantiles` are of single runs, to 1.1 %. Exact: `low`
    and `high` enclose the mean with certainty, and there are no quantiles.
    """

    schema: str = "dpaudit/regret/1"
    target: str
    parameters: dict[str, Any] = msgspec.field(default_factory=dict)
    epsilon: float | None = None
    means: list[float] = msgspec.field(default_factory=list)
    environment: str = "bernoulli"
    horizons: NDArray[np.int64]
    mean: Floats
    low: Floats
    high: Floats
    quantiles: dict[str, list[float]] | None = None
    """A column for each of the `LEVELS`, by the level's name."""
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

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RegretResult) and self.public() == other.public()

    def json(self) -> str:
        # The band of a single run is infinitely wide, and is written so.
        return json.dumps(self.public(), indent=2)
