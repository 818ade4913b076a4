"""A designed experiment: the question a stated bound raises, and the answer with its numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dpaudit.results.scaling import Comparison, Point, Slope, Verdict

if TYPE_CHECKING:
    from dpaudit.laboratory.scaling.measuring import Bench


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
class Design:
    """A study before it is run. `where` is the paper's label, `targets` the algorithms that run,
    `laws` the candidates in words, `grid` what is varied."""

    name: str
    paper: str
    where: str
    question: str
    targets: tuple[str, ...]
    laws: str
    grid: str
    run: Callable[[Bench], Outcome]


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
