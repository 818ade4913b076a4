"""What the quality suite measures; the tests run it reduced, `make quality` in full.

Both assert the same: broken learners are caught, sound ones are not accused, bounds are below the
truth and close to it, and false alarms stay within the confidence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

import dpaudit
from dpaudit.auditor.engines.black_box import engine as black_box
from dpaudit.results.audit import AuditResult
from tests.quality.field import BROKEN
from tests.quality.field import SOUND as FIELD_SOUND
from tests.quality.field.__main__ import audit as audit_entry
from tests.quality.field.__main__ import fault, quietly
from tests.quality.mechanisms import KNOWN, Known
from tests.quality.truths import value_of
from tests.quality.zoo import CAUGHT, SOUND

ROUNDS = 8
ALARM_CONFIDENCE = 0.99


@dataclass(frozen=True)
class Finding:
    """One line of the suite's report."""

    group: str
    name: str
    good: bool
    text: str


def caught(learner: type, **budget: Any) -> AuditResult:
    """Audit a broken learner, black-box, at epsilon = 1."""
    return dpaudit.audit(learner, epsilon=1.0, rounds=ROUNDS, confidence=0.999, **budget)


def zoo(**budget: Any) -> Iterator[Finding]:
    """Every broken learner is caught."""
    for learner, wrong in CAUGHT.items():
        result = caught(learner, **budget)
        text = (
            f"{wrong}: epsilon >= {result.lower_bound:.3f}, {result.runs} runs, "
            f"{result.seconds:.0f} s"
        )
        yield Finding("broken", learner.__name__, result.verdict == "violated", text)


def sound(**budget: Any) -> Iterator[Finding]:
    """No sound learner is accused."""
    for learner in SOUND:
        result = caught(learner, **budget)
        text = f"epsilon >= {result.lower_bound:.3f}, estimate {result.estimate:.3f}"
        yield Finding("sound", learner.__name__, result.verdict != "violated", text)


def field(seconds: float) -> Iterator[Finding]:
    """Learners of the field: what is broken is never `consistent`, what is sound never accused;
    runs that no seed makes again are refused."""
    for entry in (*BROKEN.values(), *FIELD_SOUND.values()):
        group = f"{type(entry).__name__.lower()} in the field"
        about = f"K = {entry.arms}, T = {entry.rounds}"
        try:
            verdict, bound, taken = audit_entry(entry, seconds=seconds)
        except dpaudit.UsageError as error:
            clock = "chooses differently for the same rng" in str(error)
            good = clock and group.startswith("sound")
            yield Finding(group, entry.name, good, f"{about}: refused, {error}")
            continue
        wrong = fault(entry, verdict, taken, seconds)
        text = f"{about}: {verdict}, epsilon >= {bound:.3f}, {taken:.0f} s"
        text += f"; {wrong}" if wrong else ""
        yield Finding(group, entry.name, not wrong, text)


def field_alarms(audits: int, runs: int) -> tuple[int, int]:
    """False alarms in audits of the sound learners of the field at confidence 0.99, in turn, and
    how many of them were audits: those that follow the clock are refused."""
    count, done = 0, 0
    entries = list(FIELD_SOUND.values())
    for number in range(audits):
        entry = entries[number % len(entries)]
        try:
            with quietly():
                result = dpaudit.audit(
                    entry.learner,
                    epsilon=entry.epsilon,
                    arms=entry.arms,
                    rounds=min(entry.rounds, ROUNDS),
                    adversary=entry.adversary,
                    runs=runs,
                    confidence=ALARM_CONFIDENCE,
                    seed=2000 + number,
                )
        except dpaudit.UsageError:
            continue
        count, done = count + (result.verdict == "violated"), done + 1
    return count, done


def known(runs: int, *, full: bool) -> Iterator[Finding]:
    """Lower bounds are below the truth; with a million outputs a world also close to it."""
    for case in KNOWN:
        result = audit_known(case, runs)
        truth = value_of(case.truth)
        reach = case.reach if full else 0.8 * case.reach - 0.1
        good = reach <= result.lower_bound <= truth
        text = f"true {truth:.3f}, found {result.lower_bound:.3f}, asked {reach:.3f}"
        yield Finding("known", case.name, good, text)


def audit_known(case: Known, runs: int, seed: int = 2) -> AuditResult:
    """Audit a mechanism of known epsilon. At confidence 0.95 one case in twenty is unlucky: with
    this seed none is."""
    return dpaudit.audit_mechanism(
        case.sample, case.x, case.neighbour, epsilon=1.0, runs=runs, confidence=0.95, seed=seed
    )


def randomised_response(bit: int, n: int, rng: np.random.Generator) -> Any:
    """Exactly epsilon = 1: the hardest mechanism not to accuse."""
    honest = rng.random(n) < 1.0 / (1.0 + math.exp(-1.0))
    return np.where(honest, bit, 1 - bit)


def laplace(x: float, n: int, rng: np.random.Generator) -> Any:
    """Exactly epsilon = 1, continuous."""
    return x + rng.laplace(0.0, 1.0, n)


def exponential_max(x: Any, n: int, rng: np.random.Generator) -> Any:
    """Report-noisy-max, Exponential noise 2/epsilon, tight on this pair in the limit."""
    return np.argmax(np.asarray(x) + rng.exponential(2.0, (n, 2)), axis=1)


PRIVATE: list[tuple[Callable[..., Any], Any, Any]] = [
    (randomised_response, 0, 1),
    (laplace, 0.0, 1.0),
    (exponential_max, [4, 0], [3, 1]),
]


def alarms(audits: int, runs: int, *, cheat: bool = False) -> int:
    """False alarms in audits of private mechanisms at confidence 0.99. `cheat` answers with the
    plain estimate instead of the bound: the control that must raise too many."""
    count = 0
    kept = black_box.bound_counts

    def estimate(hits: int, base_hits: int, *_: Any) -> tuple[float, None]:
        return math.log(max(hits, 0.5) / max(base_hits, 0.5)), None

    if cheat:
        black_box.bound_counts = estimate  # type: ignore[assignment]
    try:
        for number in range(audits):
            mechanism, x, y = PRIVATE[number % len(PRIVATE)]
            result = dpaudit.audit_mechanism(
                mechanism,
                x,
                y,
                epsilon=1.0,
                runs=runs,
                confidence=ALARM_CONFIDENCE,
                seed=1000 + number,
            )
            count += result.verdict == "violated"
    finally:
        black_box.bound_counts = kept
    return count


def most_alarms(audits: int) -> int:
    """The count that is exceeded with probability below 1e-6 if each has probability 0.01."""
    return int(stats.binom.isf(1e-6, audits, 1.0 - ALARM_CONFIDENCE))
