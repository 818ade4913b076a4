"""The papers' experiments, run again: curves, and what came of the sentences about them.

The laboratory makes these objects, files hold them as JSON, the reports show them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np

from dpaudit.results.regret import LowerBound, check_band

Verdict = Literal["confirmed", "not confirmed", "open"]


def common(verdicts: Sequence[Verdict]) -> Verdict:
    """What all of them say, or open."""
    return verdicts[0] if len(set(verdicts)) == 1 else "open"


class Sentence(msgspec.Struct, frozen=True, kw_only=True):
    """What a paper says about its figure, in our words, and what came of it; `reading` says of
    which reading of the paper, where there are several.

    `answers` has the verdict with each seed, `chance` the ends of an interval for the probability
    that an experiment of that size confirms it. Both are empty where nothing is drawn, and in older
    files, which know of one seed. The numbers are of the first seed.
    """

    text: str
    reading: str = ""
    verdict: Verdict
    numbers: str
    answers: list[Verdict] = []
    chance: list[float] = []

    @property
    def seeds(self) -> str:
        """With how many seeds it is confirmed, and contradicted; how probable is the former."""
        if not self.answers:
            return ""
        low, high = self.chance
        hits, misses = (self.answers.count(v) for v in ("confirmed", "not confirmed"))
        against = f", {misses} against" if misses else ""
        ends = math.floor(100 * low) / 100, math.ceil(100 * high) / 100
        return f"{hits} of {len(self.answers)}{against}: probability {ends[0]:.2f} to {ends[1]:.2f}"

    def __post_init__(self) -> None:
        if not self.answers:
            return
        if self.verdict != common(self.answers):
            raise ValueError(f"sentence {self.text!r}: the verdict is not that of its seeds")
        share = self.answers.count("confirmed") / len(self.answers)
        if len(self.chance) != 2 or not 0.0 <= self.chance[0] <= share <= self.chance[1] <= 1.0:
            raise ValueError(f"sentence {self.text!r}: the chance is not around its share")


class Judged(NamedTuple):
    """A sentence with all its readings; it has the verdict on which they agree, or is open."""

    text: str
    verdict: Verdict
    readings: list[Sentence]

    def rows(self) -> Iterator[tuple[str, str, Verdict, str, str]]:
        """The sentence, and beneath it its readings if it has several: text, reading, verdict,
        seeds, numbers."""
        if len(self.readings) > 1:
            yield self.text, f"all {len(self.readings)}", self.verdict, "", ""
        for each in self.readings:
            text = "" if len(self.readings) > 1 else self.text
            yield text, each.reading, each.verdict, each.seeds, each.numbers


def judged(sentences: Sequence[Sentence]) -> list[Judged]:
    """An experiment's sentences, each of them once: they are told apart by their texts."""
    readings: dict[str, list[Sentence]] = {}
    for said in sentences:
        readings.setdefault(said.text, []).append(said)
    return [Judged(t, common([s.verdict for s in found]), found) for t, found in readings.items()]


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
    least: int | None = None
    """Which of the experiment's lower bounds it is measured by."""

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
    lower_bounds: list[LowerBound] = []
    """At the points of the curves that name them."""
    notes: list[str] = []
    command: str
    seed: int = 0
    seconds: float = 0.0
    complete: bool = True
    version: str

    def __post_init__(self) -> None:
        for curve in self.curves:
            floor = self.floor(curve)
            if floor is not None and len(floor.values) != len(curve.mean):
                raise ValueError(f"curve {curve.label!r}: its lower bound has other points")

    @property
    def judged(self) -> list[Judged]:
        return judged(self.sentences)

    def floor(self, curve: ReproducedCurve) -> LowerBound | None:
        """What a curve is measured by."""
        if curve.least is None:
            return None
        if not 0 <= curve.least < len(self.lower_bounds):
            raise ValueError(f"curve {curve.label!r}: there is no such lower bound")
        return self.lower_bounds[curve.least]

    def times(self, curve: ReproducedCurve) -> float | None:
        """How often the lower bound fits into a curve's end."""
        floor = self.floor(curve)
        return None if floor is None else float(curve.mean[-1] / floor.values[-1])


class Reproductions(msgspec.Struct, frozen=True, kw_only=True):
    """Several of them, `dpaudit/reproductions/1`."""

    schema: str = "dpaudit/reproductions/1"
    complete: bool = True
    results: list[Reproduction]


def plain(result: Reproduction | Reproductions) -> dict[str, Any]:
    """Plain data; a curve has `horizons` or, where it is swept, `x`."""
    data: dict[str, Any] = msgspec.to_builtins(result, enc_hook=np.ndarray.tolist)
    for one in data.get("results", [data]):
        for curve in one["curves"]:
            del curve["horizons" if curve["sweep"] else "x"]
    return data
