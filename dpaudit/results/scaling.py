"""Scaling studies: the question that a stated bound raises, the verdict, and what it rests on.

The laboratory makes these objects, files hold them as JSON, the reports show them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

Verdict = Literal["as stated", "better than stated", "violated", "not decided"]
Answer = Literal["constant", "slower", "law", "extra", "undecided"]
Triple = Annotated[list[float], msgspec.Meta(min_length=3, max_length=3)]
"""Lower end, value, upper end."""


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """Regret at one point of the grid. `error`: half-width of a certain enclosure (exact), or of a
    band that holds for the whole study at confidence 0.999 (simulated, `runs` > 0). `bound`: the
    explicit value that is claimed there, if there is one. `x`: where the point is drawn."""

    series: str
    x: float
    target: str
    environment: str = ""
    instance: str = ""
    arms: int = 0
    horizon: int = 0
    gap: float | None = None
    epsilon: float | None = None
    regret: float
    error: float
    runs: int = 0
    bound: float | None = None
    parameters: dict[str, Any] = {}
    ratio: float | None = None
    """Regret over bound."""

    def __post_init__(self) -> None:
        ratio = None if self.bound is None else self.regret / self.bound
        msgspec.structs.force_setattr(self, "ratio", ratio)

    @property
    def exceeds(self) -> bool:
        """Whether the regret is above its bound, whatever the error."""
        return self.bound is not None and self.regret - self.error > self.bound

    @property
    def within(self) -> bool:
        """Whether the regret is below its bound, whatever the error."""
        return self.bound is not None and self.regret + self.error <= self.bound

    def named(self) -> str:
        words = [self.target, *(f"{k}={v}" for k, v in self.parameters.items())]
        epsilon = "" if self.epsilon is None else f", epsilon {self.epsilon:.4g}"
        return (
            f"{' '.join(words)}, {self.environment} {self.instance}, K {self.arms}, "
            f"T {self.horizon:.4g}{epsilon}"
        )


class Fit(msgspec.Struct, frozen=True):
    """y = sum of coefficients times terms, half-widths of their intervals (0 for exact curves), and
    the largest residual as a part of the largest |y|."""

    terms: list[str]
    coefficients: list[float]
    slack: list[float]
    residual: float

    def __post_init__(self) -> None:
        if not len(self.terms) == len(self.coefficients) == len(self.slack):
            raise ValueError("terms, coefficients and slack differ in length")


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """A law against one with an extra, faster term.

    - extra_share: of the growth that the extra term takes in y = a + b law + c extra;
    - position: 0 if ln y grows as ln law does, 1 if it grows as ln extra, in between if between
      (no constant a: small values of a curve weigh more);
    - the growth over the upper half of the grid; y / law at both ends.
    """

    curve: str
    law: str
    extra: str
    answer: str
    extra_share: Triple
    position: list[float] = []
    growth_upper_half: float = 0.0
    regret_over_law: list[float] = []
    fit: Fit
    fit_with_extra: Fit | None = None


class Slope(msgspec.Struct, frozen=True):
    """Slope of ln y against ln x, between the ends of its interval (exact: smallest and largest
    local slope)."""

    curve: str
    slope: Triple

    @property
    def low(self) -> float:
        return self.slope[0]

    @property
    def value(self) -> float:
        return self.slope[1]

    @property
    def high(self) -> float:
        return self.slope[2]


class Study(msgspec.Struct, frozen=True, kw_only=True):
    """A stated bound that was tried."""

    study: str
    paper: str
    where: str
    question: str
    targets: list[str] = []
    laws: str = ""
    grid: str = ""
    verdict: Verdict
    answer: str
    numbers: dict[str, Any] = {}
    points: list[Point]
    comparisons: list[Comparison] = []
    slopes: list[Slope] = []
    notes: list[str] = []
    axes: list[str] = []
    seed: int = 0
    quick: bool = False
    seconds: float = 0.0


class Scaling(msgspec.Struct, frozen=True, kw_only=True):
    """Scaling studies, `dpaudit/scaling/1`."""

    schema: str = "dpaudit/scaling/1"
    version: str
    seed: int = 0
    quick: bool = False
    complete: bool = True
    studies: list[Study]


def plain(document: Any) -> Any:
    """Plain data, with numbers of numpy as numbers and infinities as null."""
    return msgspec.json.decode(msgspec.json.encode(document, enc_hook=lambda own: own.tolist()))
