"""Lower bounds beside a regret curve: for learners of the same privacy, at its horizons."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpaudit.laboratory.comparing.known_privacy import privacy_of
from dpaudit.laboratory.lower_bounds import LowerBound, lower_bounds
from dpaudit.play.catalogue import resolve_target
from dpaudit.results.regret import RegretResult


def beside(target: Any, result: RegretResult) -> list[LowerBound]:
    """What holds for whoever was played; `dpaudit.laboratory.lower_bounds.strongest` finds the
    strongest of a kind. None where nothing is known of such an environment."""
    subject = resolve_target(target)
    algorithm, last = subject.algorithm, int(result.horizons[-1])
    privacy = privacy_of(subject, epsilon=result.epsilon, arms=len(result.means), horizon=last)
    card = None if algorithm is None else algorithm.card
    return lower_bounds(
        result.means,
        result.horizons.astype(np.float64),
        feedback=getattr(subject.factory, "feedback", "bandit") if card is None else card.feedback,
        payoff="rewards" if card is None else card.payoff,
        epsilon=privacy.held,
        environment=result.environment,
    )
