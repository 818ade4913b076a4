"""Fields of the laboratory's result documents: scaling studies, and reproduced experiments.

Like those in `dpaudit.results.documents`, which registers and reads them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

Triple = Annotated[list[float], msgspec.Meta(min_length=3, max_length=3)]
"""Lower end, value, upper end."""


class ScalingPoint(msgspec.Struct, frozen=True):
    """Regret at one point of a grid; `error` is the half-width of its enclosure or band, `bound`
    what is claimed there."""

    series: str
    x: float
    target: str
    regret: float
    error: float
    bound: float | None = None
    ratio: float | None = None
    environment: str = ""
    instance: str = ""
    arms: int = 0
    horizon: int = 0
    gap: float | None = None
    epsilon: float | None = None
    runs: int = 0
    parameters: dict[str, Any] = {}


class Fit(msgspec.Struct, frozen=True):
    """y = coefficients times terms; `residual` is the largest one, as a part of the largest |y|."""

    terms: list[str]
    coefficients: list[float]
    slack: list[float]
    residual: float

    def __post_init__(self) -> None:
        """A coefficient a term."""
        if not len(self.terms) == len(self.coefficients) == len(self.slack):
            raise ValueError("terms, coefficients and slack differ in length")


class Comparison(msgspec.Struct, frozen=True):
    """A law against one with an extra term."""

    curve: str
    law: str
    extra: str
    answer: str
    extra_share: Triple
    fit: Fit
    position: list[float | None] = []
    growth_upper_half: float | None = None
    regret_over_law: list[float | None] = []
    fit_with_extra: Fit | None = None


class Slope(msgspec.Struct, frozen=True):
    """Slope of ln y against ln x."""

    curve: str
    slope: Triple


class Study(msgspec.Struct, frozen=True):
    """The question that a stated bound raises, the verdict, and what it rests on."""

    study: str
    paper: str
    where: str
    question: str
    verdict: Literal["as stated", "better than stated", "violated", "not decided"]
    answer: str
    points: list[ScalingPoint]
    targets: list[str] = []
    laws: str = ""
    grid: str = ""
    numbers: dict[str, Any] = {}
    comparisons: list[Comparison] = []
    slopes: list[Slope] = []
    notes: list[str] = []
    axes: list[str] = []
    seed: int = 0
    quick: bool = False
    seconds: float = 0.0


class Scaling(msgspec.Struct, frozen=True):
    """Scaling studies, `dpaudit/scaling/1`."""

    studies: list[Study]
    version: str
    schema: str = "dpaudit/scaling/1"
    seed: int = 0
    quick: bool = False
    complete: bool = True


class Sentence(msgspec.Struct, frozen=True):
    """What a paper says about its figure, in our words, and what came of it."""

    text: str
    verdict: Literal["confirmed", "not confirmed", "open"]
    numbers: str
    reading: str = ""


class ReproducedCurve(msgspec.Struct, frozen=True):
    """A curve over rounds (`horizons`) or over something swept (`x`), with its band."""

    label: str
    target: str
    mean: list[float]
    low: list[float]
    high: list[float]
    panel: str = ""
    horizons: list[float] = []
    x: list[float] = []
    epsilon: float | None = None
    parameters: dict[str, Any] = {}
    means: list[float] = []
    sweep: list[Any] = []
    in_the_figure: bool = True
    quantity: str = "regret"
    runs: int = 0

    @property
    def across(self) -> list[float]:
        """Where the points are drawn."""
        return self.horizons or self.x

    def __post_init__(self) -> None:
        """All columns are of one length, and the mean lies in its band."""
        if len({len(c) for c in (self.across, self.mean, self.low, self.high)}) != 1:
            raise ValueError(f"curve {self.label!r}: columns differ in length")
        check_band(self.low, self.mean, self.high)


class Reproduction(msgspec.Struct, frozen=True):
    """A paper's experiment, run again, `dpaudit/reproduction/1`."""

    experiment: str
    paper: str
    where: str
    curves: list[ReproducedCurve]
    sentences: list[Sentence]
    command: str
    version: str
    schema: str = "dpaudit/reproduction/1"
    parameters: dict[str, Any] = {}
    notes: list[str] = []
    seed: int = 0
    seconds: float = 0.0
    complete: bool = True


class Reproductions(msgspec.Struct, frozen=True):
    """Several of them, `dpaudit/reproductions/1`."""

    results: list[Reproduction]
    schema: str = "dpaudit/reproductions/1"
    complete: bool = True


def check_band(low: list[float], mean: list[float], high: list[float]) -> None:
    """The mean lies in its band, up to rounding; a ValueError says where not."""
    for i, (a, m, b) in enumerate(zip(low, mean, high, strict=True)):
        slack = 1e-5 * max(abs(a), abs(m), abs(b))
        if not a - slack <= m <= b + slack:
            raise ValueError(f"the mean at point {i + 1} is not between low and high")
