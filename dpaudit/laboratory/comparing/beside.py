"""Lower bounds beside a regret curve: for learners of the same privacy, at its horizons."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec.structs import replace

from dpaudit.laboratory.comparing.known_privacy import privacy_of
from dpaudit.laboratory.lower_bounds import LowerBound, lower_bounds, strongest
from dpaudit.play.catalogue import resolve_target
from dpaudit.results.regret import Below, RegretResult


def bounded(target: Any, result: RegretResult) -> RegretResult:
    """The result with the strongest lower bounds beside it: the asymptotic one, and the one that
    holds at every horizon. None is known where means change, feedback is late, or the regret is
    against what was drawn."""
    moving = result.changes or result.drift is not None or result.delay or result.batch > 1
    if moving or result.measured != "pseudo-regret":
        return result
    found = beside(target, result)
    best = [strongest(found, asymptotic=asymptotic) for asymptotic in (True, False)]
    return replace(result, lower_bounds=[Below(**vars(each)) for each in best if each is not None])


def beside(target: Any, result: RegretResult) -> list[LowerBound]:
    """What holds for whoever was played; `dpaudit.laboratory.lower_bounds.strongest` finds the
    strongest of a kind. None where nothing is known of such an environment."""
    if target == "uniform":
        return []
    subject = resolve_target(target)
    algorithm, last = subject.algorithm, int(result.horizons[-1])
    privacy = privacy_of(subject, epsilon=result.epsilon, arms=len(result.means), horizon=last)
    card = None if algorithm is None else algorithm.card
    return lower_bounds(
        result.means,
        result.horizons.astype(np.float64),
        feedback=getattr(subject.factory, "feedback", "bandit") if card is None else card.feedback,
        payoff="rewards" if card is None else card.payoff,
        # What is held is said of the entry as it is by default.
        epsilon=None if result.parameters else privacy.held,
        environment=result.environment,
    )
