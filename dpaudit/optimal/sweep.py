"""The optima that are published, with the catalogue beside them, and the same question where no
optimum can be computed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from dpaudit import __version__
from dpaudit.errors import UsageError
from dpaudit.laboratory.studies import regret
from dpaudit.optimal.certificate import certified
from dpaudit.optimal.efficiency import beside
from dpaudit.optimal.question import Feedback, asked
from dpaudit.play.catalogue import catalogue
from dpaudit.results.optima import Beside, Large, Optima, OptimumResult

ROUNDS = (2, 4, 6)
EPSILONS = ("0.1", "0.25", "0.5", "1", "2", "4")
FEEDBACKS: tuple[Feedback, ...] = ("full-information", "bandit")
LARGE = {"arms": 8, "rounds": 10**6, "gap": 0.25}
LARGE_RUNS = 2_000
DIGITS = 6
STEP, SPARE = 1e-7, 1e-8
"""Published bounds are multiples of STEP, at least SPARE below what was proved."""


def sweep(folder: Path, *, progress: Callable[[str], None]) -> Optima:
    """Certificates are left in the folder."""
    entries = [
        _entry(feedback, rounds, epsilon, folder, progress)
        for feedback in FEEDBACKS
        for rounds in ROUNDS
        for epsilon in EPSILONS
    ]
    return Optima(
        entries=entries,
        large_arms=int(LARGE["arms"]),
        large_rounds=LARGE["rounds"],
        large_gap=LARGE["gap"],
        large=list(_large(progress)),
        version=__version__,
    )


def _entry(
    feedback: Feedback, rounds: int, epsilon: str, folder: Path, progress: Callable[[str], None]
) -> OptimumResult:
    progress(f"{feedback}, T = {rounds}, epsilon = {epsilon}")
    question = asked(rounds=rounds, epsilon=epsilon, feedback=feedback)
    learners = [
        Beside(name=e.name, low=_down(e.low), high=_up(e.high), runs=e.runs)
        for e in beside(question)
    ]
    return published(replace(certified(question, folder), learners=learners, seconds=0.0))


def published(found: OptimumResult) -> OptimumResult:
    """With a bound that the certificate of another solver, or machine, proves as well."""
    low = math.floor((found.certified - SPARE) / STEP) * STEP
    low = float(f"{low:.7f}")
    return replace(found, certified=low, gap=found.value - low)


def _down(x: float) -> float:
    return round(x - 0.5 * 10.0**-DIGITS, DIGITS)


def _up(x: float) -> float:
    return round(x + 0.5 * 10.0**-DIGITS, DIGITS)


def _large(progress: Callable[[str], None]) -> Iterator[Large]:
    """Pure learners with an exact engine, or with leaps."""
    for name, entry in catalogue().items():
        if entry.card.privacy.notion != "pure" or not entry.card.anytime:
            continue
        low, high, exact = [], [], False
        for epsilon in EPSILONS:
            progress(f"{name}, T = {LARGE['rounds']:g}, epsilon = {epsilon}")
            half = LARGE["gap"] / 2
            worse, better = 0.5 - half, 0.5 + half
            if entry.card.payoff == "losses":
                worse, better = better, worse
            given: dict[str, Any] = {
                "means": [*[worse] * (int(LARGE["arms"]) - 1), better],
                "horizon": int(LARGE["rounds"]),
                "epsilon": float(epsilon),
                "points": 1,
            }
            try:
                found = regret(entry, exact=True, **given)
            except UsageError:
                if not entry.lazy:
                    break
                found = regret(entry, runs=LARGE_RUNS, **given)
            exact = found.exact
            band = found.normal
            low.append(round(float(band[0][-1]), 3))
            high.append(round(float(band[1][-1]), 3))
        else:
            yield Large(
                name=name,
                feedback="bandit" if entry.card.feedback == "bandit" else "full-information",
                epsilons=[float(e) for e in EPSILONS],
                low=low,
                high=high,
                exact=exact,
            )
