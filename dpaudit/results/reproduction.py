"""The papers' experiments, run again: curves, and what came of the sentences about them.

The laboratory makes these objects, files hold them as JSON, the reports show them.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Verdict = Literal["confirmed", "not confirmed", "open"]


class Sentence(msgspec.Struct, frozen=True, kw_only=True):
    """What a paper says about its figure, in our words, and what came of it; `reading` says of
    which reading of the paper, where there are several."""

    text: str
    reading: str = ""
    verdict: Verdict
    numbers: str


class ReproducedCurve(msgspec.Struct, frozen=True, kw_only=True):
    """A curve over rounds (`horizons`) or over something swept (`x`), with its band."""

    panel: str = ""
    label: str
    target: str
    epsilon: float | None = None
    parameters: dict[str, Any] = {}
    means: list[float] = []
    sweep: list[Any] = []
    in_the_figure: bool = True
    quantity: str = "regret"
    runs: int = 0
    horizons: list[float] = []
    x: list[float] = []
    mean: list[float]
    low: list[float]
    high: list[float]

    @property
    def across(self) -> list[float]:
        """Where the points are drawn."""
        return self.horizons or self.x

    def __post_init__(self) -> None:
        if len({len(c) for c in (self.across, self.mean, self.low, self.high)}) != 1:
            raise ValueError(f"curve {self.label!r}: columns differ in length")
        check_band(self.low, self.mean, self.high)


class Reproduction(msgspec.Struct, frozen=True, kw_only=True):
    """A paper's experiment, run again, `dpaudit/reproduction/1`. Incomplete: interrupted, with the
    curves that were done and no verdicts."""

    schema: str = "dpaudit/reproduction/1"
    experiment: str
    paper: str
    where: str
    parameters: dict[str, Any] = {}
    sentences: list[Sentence]
    curves: list[ReproducedCurve]
    notes: list[str] = []
    command: str
    seed: int = 0
    seconds: float = 0.0
    complete: bool = True
    version: str


class Reproductions(msgspec.Struct, frozen=True, kw_only=True):
    """Several of them, `dpaudit/reproductions/1`."""

    schema: str = "dpaudit/reproductions/1"
    complete: bool = True
    results: list[Reproduction]


def plain(result: Reproduction | Reproductions) -> dict[str, Any]:
    """Plain data; a curve has `horizons` or, where it is swept, `x`."""
    data: dict[str, Any] = msgspec.to_builtins(result)
    for one in data.get("results", [data]):
        for curve in one["curves"]:
            del curve["horizons" if curve["sweep"] else "x"]
    return data


def check_band(low: list[float], mean: list[float], high: list[float]) -> None:
    """The mean lies in its band, up to rounding; a ValueError says where not."""
    for i, (a, m, b) in enumerate(zip(low, mean, high, strict=True)):
        slack = 1e-5 * max(abs(a), abs(m), abs(b))
        if not a - slack <= m <= b + slack:
            raise ValueError(f"the mean at point {i + 1} is not between low and high")
