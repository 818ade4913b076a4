"""Decreasing Hedge (full information; Mourtada & Gaïffas 2019). Not private."""

from __future__ import annotations

import math
from typing import Any

from algorithms.baselines.follow_the_leader import ARM, observe
from dpaudit.algorithm.card import NO_CLAIM, Card, Line
from dpaudit.algorithm.contract import Algorithm, Arms, Own, no_opening
from dpaudit.machine.releases import unprotected

CARD = Card(
    name="hedge",
    title="exponential weights with rate 2 sqrt(ln K / t)",
    paper="baselines",
    where="Decreasing Hedge",
    feedback="full-information",
    privacy=NO_CLAIM,
    regret="O(log K / gap) and O(sqrt(T log K))",
    pseudocode=(
        Line("s. 1", "eta = 2 sqrt(ln K / t)", "eta = 2.0 *"),
        Line("s. 2", "play an action drawn with weights exp(eta cumulative reward)", "return j"),
        Line("s. 3", "add the reward vector to the sums", same="follow-the-leader s. 2"),
    ),
    notes=(
        "Rewards; weights are relative to the largest, and the draw takes one uniform.",
        "Definition recalled from the literature until checked against the text.",
    ),
)


def select(arms: Arms, own: Own, t: int, rng: Any) -> int:
    """A draw from the exponential weights."""
    eta = 2.0 * math.sqrt(math.log(len(arms)) / t)  # s. 1
    top = -math.inf
    for j in range(len(arms)):
        top = max(top, unprotected(own, arms[j].total, arms[j].total_in_neighbour))
    weights = 0.0
    for j in range(len(arms)):
        total = unprotected(own, arms[j].total, arms[j].total_in_neighbour)
        weights += math.exp(eta * (total - top))
    left = rng.random() * weights
    for j in range(len(arms)):
        total = unprotected(own, arms[j].total, arms[j].total_in_neighbour)
        left -= math.exp(eta * (total - top))
        if left < 0.0:
            return j  # s. 2
    return len(arms) - 1


ENTRIES = [
    Algorithm(card=CARD, arm=ARM, own={}, select=select, observe=observe, opening=no_opening)
]
