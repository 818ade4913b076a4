"""What a regret study found: curves with their uncertainty, as data."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dpaudit
from dpaudit.results.showing import Shown

SCHEMA = "dpaudit/regret/1"
LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Quantiles of a run's regret that are reported."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RegretResult(Shown):
    """Pseudo-regret of one learner in one environment at several horizons.

    Sampled: `low` and `high` are a confidence band for the mean by the central limit theorem, at
    `confidence` for all horizons together; `quantiles` are of single runs, to 1.1 %. Exact: `low`
    and `high` enclose the mean with certainty, and there are no quantiles.
    """

    target: str
    parameters: dict[str, Any]
    epsilon: float | None
    means: list[float]
    environment: str
    horizons: NDArray[np.int64]
    mean: Floats
    low: Floats
    high: Floats
    runs: int
    exact: bool
    seed: int
    seconds: float
    confidence: float | None = None
    quantiles: Floats | None = None
    complete: bool = True
    notes: list[str] = field(default_factory=list)

    def public(self) -> dict[str, Any]:
        """The result as plain data."""
        quantiles = None
        if self.quantiles is not None:
            quantiles = {
                f"{q:g}": column.tolist() for q, column in zip(LEVELS, self.quantiles, strict=True)
            }
        return {
            "schema": SCHEMA,
            "target": self.target,
            "parameters": self.parameters,
            "epsilon": self.epsilon,
            "means": self.means,
            "environment": self.environment,
            "horizons": [int(t) for t in self.horizons],
            "mean": self.mean.tolist(),
            "low": self.low.tolist(),
            "high": self.high.tolist(),
            "quantiles": quantiles,
            "runs": self.runs,
            "exact": self.exact,
            "confidence": self.confidence,
            "seed": self.seed,
            "seconds": self.seconds,
            "complete": self.complete,
            "notes": self.notes,
            "version": dpaudit.__version__,
        }

    def json(self) -> str:
        """The result as JSON."""
        return json.dumps(self.public(), indent=2)
