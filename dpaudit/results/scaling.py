"""Scaling studies: the question that a stated bound raises, the verdict, and what it rests on.

The laboratory makes these objects, files hold them as JSON, the reports show them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

Verdict = Literal["violated", "not contradicted", "not needed by any", "not decided"]
"""`not needed by any`: no instance that was tried needs all that is stated."""
Answer = Literal["faster", "as stated", "slower", "no faster", "undecided"]
"""Of one curve: it grows faster than stated; no faster, and all that is stated is needed, is not
needed, or that is not asked or open; or nothing can be said."""
Triple = Annotated[list[float], msgspec.Meta(min_length=3, max_length=3)]
"""Lower end, value, upper end."""
MEANING: dict[str, str] = {
    "violated": "an explicit bound is exceeded beyond all error, or a curve grows faster than the "
    "law on the grid (the basis says which)",
    "not contradicted": "holds wherever it was tried, where other learners would have been caught",
    "not needed by any": "so, and no instance that was tried needs all that is stated",
    "not decided": "the rule cannot tell",
}


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """Regret at one point of the grid. `error`: half-width of a certain enclosure (exact), or of a
    band that holds for the whole study at confidence 0.999 (simulated, `runs` > 0). `bound`: the
    explicit value that is claimed there, if there is one; `idle` the regret of play at random;
    `least` a lower bound for learners of this privacy on this instance, by the name `least_by`
    (`~`: it is asymptotic, and regret may lie below). `x`: where the point is drawn."""

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
    idle: float | None = None
    least: float | None = None
    least_by: str = ""
    parameters: dict[str, Any] = {}
    ratio: float | None = None
    """Regret over bound, to four digits."""

    def __post_init__(self) -> None:
        ratio = None if self.bound is None else float(f"{self.regret / self.bound:.4g}")
        msgspec.structs.force_setattr(self, "ratio", ratio)

    @property
    def times(self) -> float | None:
        """How often the lower bound fits into the regret."""
        return self.regret / self.least if self.least else None

    def named(self) -> str:
        words = [self.target, *(f"{k}={v}" for k, v in self.parameters.items())]
        epsilon = "" if self.epsilon is None else f", epsilon {self.epsilon:.4g}"
        return (
            f"{' '.join(words)}, {self.environment} {self.instance}, K {self.arms}, "
            f"T {self.horizon:.4g}{epsilon}"
        )


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """A curve between laws, slower < stated < faster: what the extra, faster term adds over the
    grid as a part of the last value, in y = a + b law + c extra.

    - faster: with the faster one as the extra, beside the stated one or, where that is not needed,
      the slower one that is named by `beside`;
    - control: the same for the curve with growth by the faster law laid on top: it must be seen;
    - slower: with the slower law, and the stated one as the extra (empty: not asked);
    - rising: y over the faster law rises over the upper two thirds;
    - over_law: y over the stated law at both ends.
    """

    curve: str
    laws: str
    points: int = 0
    answer: Answer
    beside: str = ""
    rising: bool = False
    faster: list[float] = []
    control: list[float] = []
    slower: list[float] = []
    over_law: list[float] = []

    def __post_init__(self) -> None:
        for part in (self.faster, self.control, self.slower):
            if len(part) not in (0, 3):
                raise ValueError("a part is its lower end, value and upper end")


class Sensitivity(msgspec.Struct, frozen=True):
    """A study's verdict with a threshold halved and doubled."""

    threshold: str
    value: float
    halved: Verdict
    doubled: Verdict


class Control(msgspec.Struct, frozen=True):
    """What was made false on purpose, and what the rule says of it: it must say violated."""

    what: str
    verdict: Verdict


class Power(msgspec.Struct, frozen=True):
    """With what probability the rule gives which answer, where the truth is known."""

    laws: str
    grid: str
    truth: str
    noise: float
    answers: dict[str, float]


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """The rule of all studies and what it would have said of known growth."""

    words: str
    threshold: float
    level: float
    power: list[Power] = []


class Study(msgspec.Struct, frozen=True, kw_only=True):
    """A stated bound that was tried. `basis`: whether the verdict rests on explicit constants, on a
    law, or on both; `lower`: the bounds are from below. `lower_bounds` says of the
    names that points have in `least_by` what they are and for whom they hold."""

    study: str
    paper: str
    where: str
    question: str
    targets: list[str] = []
    laws: str = ""
    grid: str = ""
    verdict: Verdict
    basis: str = ""
    answer: str
    numbers: dict[str, Any] = {}
    points: list[Point]
    lower: bool = False
    judged: list[Judged] = []
    sensitivity: list[Sensitivity] = []
    control: Control | None = None
    control_points: list[Point] = []
    lower_bounds: list[str] = []
    notes: list[str] = []
    axes: list[str] = []
    seed: int = 0
    quick: bool = False
    seconds: float = 0.0


class Scaling(msgspec.Struct, frozen=True, kw_only=True):
    """Scaling studies, `dpaudit/scaling/2`."""

    schema: str = "dpaudit/scaling/2"
    version: str
    seed: int = 0
    quick: bool = False
    complete: bool = True
    rule: Rule | None = None
    studies: list[Study]


def plain(document: Any) -> Any:
    """Plain data, with numbers of numpy as numbers and infinities as null."""
    return msgspec.json.decode(msgspec.json.encode(document, enc_hook=lambda own: own.tolist()))
