"""Follow the leader (full information). Not private."""

from __future__ import annotations

from typing import Any

from dpaudit.algorithm.card import NO_CLAIM, Card, Line
from dpaudit.algorithm.contract import Algorithm, Arms, Own, first_round
from dpaudit.machine.releases import unprotected

CARD = Card(
    name="follow-the-leader",
    title="the action of largest cumulative reward",
    paper="baselines",
    where="Follow the leader",
    feedback="full-information",
    privacy=NO_CLAIM,
    regret="O(log K / gap)",
    pseudocode=(
        Line("s. 1", "play the action of largest cumulative reward", "return best"),
        Line("s. 2", "add the reward vector to the sums", "arms[j].total += reward[j]"),
    ),
    notes=(
        "Rewards; ties go to the lowest action, so the first action is the first.",
        "Definition recalled from the literature until checked against the text.",
    ),
)


def select(arms: Arms, own: Own, t: int, rng: Any) -> int:
    """The leader."""
    best = 0
    best_total = unprotected(own, arms[0].total, arms[0].total_in_neighbour)
    for j in range(1, len(arms)):
        total = unprotected(own, arms[j].total, arms[j].total_in_neighbour)
        if total > best_total:
            best = j
            best_total = total
    return best  # s. 1


def observe(
    arms: Arms, own: Own, arm: int, pulls: int, reward: Any, reward_in_neighbour: Any, rng: Any
) -> None:
    """Add the vector."""
    for j in range(len(arms)):
        arms[j].total += reward[j]  # s. 2
        arms[j].total_in_neighbour += reward_in_neighbour[j]


def stretch(
    arms: Arms, own: Own, pace: Any, laws: Any, t: int, last: int, rng: Any
) -> tuple[int, int]:
    """In m rounds nobody comes nearer to the leader than by m."""
    leader = select(arms, own, t, rng)
    most = last - t + 1
    for j in range(len(arms)):
        if j != leader:
            most = min(most, int(arms[leader].total - arms[j].total))
    return leader, max(most, 1)


ARM = {"total": float, "total_in_neighbour": float}
ENTRIES = [
    Algorithm(
        card=CARD,
        arm=ARM,
        own={},
        select=select,
        observe=observe,
        opening=first_round,
        stretch=stretch,
    )
]
