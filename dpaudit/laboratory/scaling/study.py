"""A designed experiment: the question a stated bound raises, and the measurements that answer it.

A study measures; what its measurements say is decided by `dpaudit.laboratory.scaling.rule` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dpaudit.laboratory.scaling.laws import Curve, Ladder
from dpaudit.results.scaling import Judged, Point

if TYPE_CHECKING:
    from dpaudit.laboratory.scaling.measuring import Bench


@dataclass(frozen=True)
class Outcome:
    """What was measured, in a sentence (`answer`) and in full. `numbers` are the deciding ones.

    `points` with a bound are held to it; each of `curves` is tried between its laws. `lower`: the
    bounds are from below, and `control_points` are of a learner that need not keep them.
    """

    answer: str
    points: list[Point]
    numbers: dict[str, Any]
    curves: list[tuple[Curve, Ladder]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    axes: tuple[str, str] = ("x", "regret")
    """What is drawn, of what."""
    lower: bool = False
    control_points: list[Point] = field(default_factory=list)
    every: bool = False
    """The statement is that some constants will do: it fails if every curve outgrows its law."""


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


def least(points: Sequence[Point]) -> Point:
    """The point of least regret over bound."""
    return min((p for p in points if p.bound is not None), key=lambda p: p.ratio or 0.0)


def count(judged: Sequence[Judged]) -> str:
    """How many curves got which answer."""
    answers = [each.answer for each in judged]
    return ", ".join(f"{a} in {answers.count(a)}" for a in dict.fromkeys(answers))
