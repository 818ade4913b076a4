"""A designed experiment: the question a stated bound raises, and the answer with its numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from dpaudit.laboratory.scaling.laws import Comparison, Slope

if TYPE_CHECKING:
    from dpaudit.laboratory.scaling.measuring import Bench

SCHEMA = "dpaudit/scaling/1"
Verdict = Literal["as stated", "better than stated", "violated", "not decided"]


@dataclass(frozen=True)
class Point:
    """Regret at one point of the grid. `error`: half-width of a certain enclosure (exact), or of a
    band that holds for the whole study at confidence 0.999 (simulated, `runs` > 0). `bound`: the
    explicit value that is claimed there, if there is one. `x`: where the point is drawn."""

    series: str
    x: float
    target: str
    environment: str
    instance: str
    arms: int
    horizon: int
    gap: float
    epsilon: float | None
    regret: float
    error: float
    runs: int = 0
    bound: float | None = None
    parameters: dict[str, Any] = field(default_factory=dict)

    @property
    def ratio(self) -> float | None:
        """Regret over bound."""
        return None if self.bound is None else self.regret / self.bound

    @property
    def exceeds(self) -> bool:
        """Whether the regret is above its bound, whatever the error."""
        return self.bound is not None and self.regret - self.error > self.bound

    @property
    def within(self) -> bool:
        """Whether the regret is below its bound, whatever the error."""
        return self.bound is not None and self.regret + self.error <= self.bound

    def named(self) -> str:
        """The point in words."""
        words = [self.target, *(f"{k}={v}" for k, v in self.parameters.items())]
        epsilon = "" if self.epsilon is None else f", epsilon {self.epsilon:.4g}"
        return (
            f"{' '.join(words)}, {self.environment} {self.instance}, K {self.arms}, "
            f"T {self.horizon:.4g}{epsilon}"
        )

    def public(self) -> dict[str, Any]:
        """As plain data."""
        return {**self.__dict__, "ratio": self.ratio}


@dataclass(frozen=True)
class Outcome:
    """The answer, and all that it rests on. `numbers` are the deciding ones."""

    verdict: Verdict
    answer: str
    points: list[Point]
    numbers: dict[str, Any]
    comparisons: list[Comparison] = field(default_factory=list)
    slopes: list[Slope] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    axes: tuple[str, str] = ("x", "regret")
    """What is drawn, of what."""


@dataclass(frozen=True)
class Study:
    """A named experiment. `where` is the paper's label, `targets` the algorithms that run,
    `laws` the candidates in words, `grid` what is varied."""

    name: str
    paper: str
    where: str
    question: str
    targets: tuple[str, ...]
    laws: str
    grid: str
    run: Callable[[Bench], Outcome]


@dataclass(frozen=True)
class Finished:
    """A study and what came out."""

    study: Study
    outcome: Outcome
    seed: int
    quick: bool
    seconds: float

    def public(self) -> dict[str, Any]:
        """As plain data."""
        study, outcome = self.study, self.outcome
        return {
            "study": study.name,
            "paper": study.paper,
            "where": study.where,
            "question": study.question,
            "targets": list(study.targets),
            "laws": study.laws,
            "grid": study.grid,
            "verdict": outcome.verdict,
            "answer": outcome.answer,
            "numbers": outcome.numbers,
            "points": [p.public() for p in outcome.points],
            "comparisons": [c.public() for c in outcome.comparisons],
            "slopes": [s.public() for s in outcome.slopes],
            "notes": outcome.notes,
            "axes": list(outcome.axes),
            "seed": self.seed,
            "quick": self.quick,
            "seconds": self.seconds,
        }


def worst(points: Sequence[Point]) -> Point:
    """The point of largest regret over bound."""
    return max((p for p in points if p.bound is not None), key=lambda p: p.ratio or 0.0)


def against_bound(points: Sequence[Point]) -> tuple[Verdict, Point]:
    """Whether an explicit bound from above holds at every point, and the point nearest to it."""
    bounded = [p for p in points if p.bound is not None]
    exceeding = [p for p in bounded if p.exceeds]
    if exceeding:
        return "violated", worst(exceeding)
    return ("as stated" if all(p.within for p in bounded) else "not decided"), worst(bounded)


def from_answers(comparisons: Sequence[Comparison], *, extra_is_stated: bool) -> Verdict:
    """Verdict from comparisons of a law with an extra term. If the extra term is what the paper
    states (log^2 K, against log K), its absence is better; else its presence is a violation."""
    answers = {c.answer for c in comparisons}
    if "extra" in answers:
        return "as stated" if extra_is_stated else "violated"
    if "undecided" in answers:
        return "not decided"
    if extra_is_stated:
        return "better than stated"
    return "as stated" if "law" in answers else "better than stated"
