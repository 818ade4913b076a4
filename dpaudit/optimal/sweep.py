"""The optima that are published, with the catalogue beside them, and the same question where no
optimum can be computed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from msgspec.structs import replace as with_

from dpaudit import __version__
from dpaudit.errors import Unfinished, UsageError
from dpaudit.laboratory.studies import regret
from dpaudit.optimal.certificate import result_of
from dpaudit.optimal.efficiency import Needed, beside, small, with_needed
from dpaudit.optimal.policy import TYPICAL, policy
from dpaudit.optimal.question import Feedback, asked
from dpaudit.optimal.solving import Progress, solve
from dpaudit.play.catalogue import catalogue
from dpaudit.results.optima import Large, Optima, OptimumResult, Policy

GAMES: tuple[Feedback, ...] = ("full-information", "bandit")
ROUNDS = range(2, 9)
EPSILONS = ("0.1", "0.25", "0.5", "1", "2", "4")
"""What is published."""
COARSE = "The epsilon that a regret needs is bracketed by the epsilons of this table."
"""What is said where a fine grid would take hours."""
POLICY = {"full-information": 4, "bandit": 4}
"""At which number of rounds, with epsilon = 1, the best learner's choices are published."""
LARGE = {"arms": 8, "rounds": 10**6, "gap": 0.25}
LARGE_RUNS = 2_000
DIGITS = 6
STEP, SPARE = 1e-7, 1e-8
"""Published bounds are multiples of STEP, at least SPARE below what was proved."""


def sweep(folder: Path, *, progress: Callable[[str], None]) -> Optima:
    """Certificates are left in the folder."""
    entries = [
        entry
        for feedback in GAMES
        for rounds in ROUNDS
        for entry in game(feedback, rounds, EPSILONS, folder, progress)
    ]
    return Optima(
        entries=entries,
        large_arms=int(LARGE["arms"]),
        large_rounds=LARGE["rounds"],
        large_gap=LARGE["gap"],
        large=list(_large(progress)),
        version=__version__,
    )


def game(
    feedback: Feedback,
    rounds: int,
    epsilons: tuple[str, ...],
    folder: Path,
    progress: Callable[[str], None],
) -> Iterator[OptimumResult]:
    """The same for all epsilons, which have one table of what is needed: of a fine grid where it is
    a matter of seconds, else of these epsilons."""
    asked_for = {e: asked(rounds=rounds, epsilon=e, feedback=feedback) for e in epsilons}
    results, known = dict[str, OptimumResult](), dict[Fraction, float]()
    for epsilon, question in asked_for.items():
        what = f"{feedback}, T = {rounds}, epsilon = {epsilon}"
        progress(what)
        solved = solve(question, _closing_in(what, progress))
        found = result_of(solved, folder)
        if not found.finished:
            raise Unfinished(f"{what}: {found.notes[0]}")
        shown = None
        if POLICY[feedback] == rounds and epsilon == "1":
            shown = _rounded(policy(question, solved.learner, TYPICAL[feedback]))
        results[epsilon] = published(with_(found, policy=shown, seconds=0.0))
        known[question.epsilon] = solved.value
    fine = small(question)
    needed = Needed(question, progress, None if fine else known)
    for epsilon, question in asked_for.items():
        learners = with_needed(question, beside(question), needed=needed)
        rounded = [with_(e, low=_down(e.low), high=_up(e.high)) for e in learners]
        notes = [] if fine else [COARSE]
        yield with_(results[epsilon], learners=rounded, notes=[*results[epsilon].notes, *notes])


def _closing_in(what: str, progress: Callable[[str], None]) -> Progress:
    return lambda step, low, high: progress(f"{what}: step {step}, {high - low:.1e} apart")


def _rounded(found: Policy) -> Policy:
    def few(values: list[float] | None) -> list[float] | None:
        return None if values is None else [round(v, 4) for v in values]

    choices = [
        with_(
            c,
            reached=round(c.reached, 6),
            best=few(c.best),
            other=few(c.other),
            radius=math.ceil(c.radius * 1e4) / 1e4,
        )
        for c in found.choices
    ]
    return with_(found, choices=choices)


def published(found: OptimumResult) -> OptimumResult:
    """With a bound that the certificate of another solver, or machine, proves as well."""
    low = math.floor((found.certified - SPARE) / STEP) * STEP
    low = float(f"{low:.7f}")
    return with_(found, certified=low, gap=found.value - low)


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
