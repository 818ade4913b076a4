"""Lower bounds beside what was measured: for learners of the same privacy, at its horizons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from dpaudit.laboratory.lower_bounds import lower_bounds, strongest
from dpaudit.laboratory.lower_bounds.known_privacy import privacy_of
from dpaudit.play.catalogue import resolve_target
from dpaudit.results.regret import Floats, LowerBound, RegretResult


def bounded(target: Any, result: RegretResult) -> RegretResult:
    """The result with the strongest lower bounds beside it: the asymptotic one, and the one that
    holds at every horizon. None is known where means change, feedback is late, or the regret is
    against what was drawn."""
    moving = result.changes or result.drift is not None or result.delay or result.batch > 1
    if moving or result.measured != "pseudo-regret":
        return result
    found = beside(target, result)
    best = [strongest(found, asymptotic=asymptotic) for asymptotic in (True, False)]
    return replace(result, lower_bounds=[each for each in best if each is not None])


def beside(target: Any, result: RegretResult) -> list[LowerBound]:
    """What holds for whoever was played."""
    return bounds_for(
        target,
        result.means,
        result.horizons.astype(np.float64),
        epsilon=result.epsilon,
        environment=result.environment,
        parameters=result.parameters,
    )


def bounds_for(
    target: Any,
    means: Sequence[float] | Floats,
    horizons: Sequence[int] | Floats,
    *,
    counts: Sequence[int] | None = None,
    epsilon: float | None,
    environment: Any = "bernoulli",
    parameters: Mapping[str, Any] | None = None,
) -> list[LowerBound]:
    """All that hold for a learner on these arms; none where nothing is known of such a place. What
    is held of a learner's privacy is said of the entry as it is by default: with parameters, only
    what holds for all learners."""
    if target == "uniform" or not isinstance(environment, str):
        return []
    subject = resolve_target(target)
    card = None if subject.algorithm is None else subject.algorithm.card
    arms = len(means) if counts is None else sum(counts)
    held = None
    if not parameters:
        held = privacy_of(subject, epsilon=epsilon, arms=arms, horizon=int(horizons[-1])).held
    return lower_bounds(
        means,
        horizons,
        counts=counts,
        feedback=getattr(subject.factory, "feedback", "bandit") if card is None else card.feedback,
        payoff="rewards" if card is None else card.payoff,
        epsilon=held,
        environment=environment,
    )
