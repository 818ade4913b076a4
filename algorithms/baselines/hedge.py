"""Decreasing Hedge (full information; Mourtada & Gaïffas 2019). Not private."""

from __future__ import annotations

import math
from typing import Any

from dpaudit.algorithm.card import NO_CLAIM, Card, Line
from dpaudit.algorithm.contract import Algorithm, Arms, Own, no_opening
from dpaudit.algorithms.baselines.follow_the_leader import ARM, observe
from dpaudit.machine.leaps.thinning import geometric
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


def weights(arms: Arms, laws: Any, leader: int, t: int, nearer: int) -> float:
    """Those of all but the leader, relative to its own, were they nearer by so many rewards."""
    rate = math.sqrt(4.0 * math.log(len(arms)) / t)
    total = 0.0
    for j in range(len(arms)):
        behind = arms[leader].total - arms[j].total - nearer
        laws[j].chance = math.exp(-rate * behind) if j != leader else 0.0
        total += laws[j].chance
    return total


def candidate(arms: Arms, pace: Any, laws: Any, t: int, rng: Any) -> int:
    """The action of a round in which another one than the leader may be drawn."""
    others = weights(arms, laws, pace.kept, t, 0)
    left = others / (1.0 + others) - rng.random() * pace.chance
    pace.chance = 0.0
    if left > 0.0:
        left *= 1.0 + others
        for j in range(len(arms)):
            left -= laws[j].chance
            if left <= 0.0 and j != int(pace.kept):
                pace.kept = j
                break
    return int(pace.kept)


def stretch(
    arms: Arms, own: Own, pace: Any, laws: Any, t: int, last: int, rng: Any
) -> tuple[int, int]:
    """From candidate to candidate: in m rounds nobody comes nearer to the leader than by m."""
    if pace.chance > 0.0:
        return candidate(arms, pace, laws, t, rng), 1
    leader = 0
    for j in range(1, len(arms)):
        if arms[j].total > arms[leader].total:
            leader = j
    gap = 2.0 * last
    for j in range(len(arms)):
        if j != leader:
            gap = min(gap, arms[leader].total - arms[j].total)
    # A weight grows by e for each 1/eta rewards; far behind it does not matter how much.
    root = math.sqrt(t / math.log(len(arms))) if len(arms) > 1 else 1.0
    most = min(last - t + 1, int(0.5 * gap if gap > 100.0 * root else 0.5 * min(gap, root)))
    if most < 2:
        return select(arms, own, t, rng), 1
    highest = weights(arms, laws, leader, t + most - 1, most)
    if highest > 0.5:
        return select(arms, own, t, rng), 1
    rounds = geometric(highest, rng)
    pace.kept = leader
    if rounds > most:
        return leader, most
    pace.chance = highest
    if rounds > 1:
        return leader, rounds - 1
    return candidate(arms, pace, laws, t, rng), 1


ENTRIES = [
    Algorithm(
        card=CARD,
        arm=ARM,
        own={},
        select=select,
        observe=observe,
        opening=no_opening,
        stretch=stretch,
    )
]
