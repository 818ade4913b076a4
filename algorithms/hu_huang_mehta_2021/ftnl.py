"""FTNL, follow-the-noisy-leader, the naive algorithm that Hu, Huang & Mehta (arXiv 2102.07929)
describe in Section 5 before RNM-FTNL: every action's mean is made (epsilon/K)-private."""

from __future__ import annotations

import math
from typing import Any

from algorithms.hu_huang_mehta_2021.rnm_ftnl import (
    ARM,
    OWN,
    PARENT_LIMIT,
    forget,
    leap,
    select,
    start,
)
from dpaudit.algorithm.contract import Algorithm, Arms, Card, Claim, Own, first_round
from dpaudit.machine.releases import laplace

CARD = Card(
    name="ftnl",
    title="the leader among noisy means, each with budget epsilon/K",
    paper="hu_huang_mehta_2021",
    where="Section 5, first paragraph",
    feedback="full-information",
    privacy=Claim(
        "pure", "Section 5", "epsilon-DP, epsilon/K an action", lambda s: float(s["epsilon"])
    ),
    regret="Section 5: O(max(log K / gap, K log K / epsilon)) is expected",
    parent="follow-the-leader",
    parent_limit=PARENT_LIMIT,
    pseudocode=(
        ("s. 1", "play the first action for the epoch of one round"),
        ("s. 2", "in epoch s = 1, 2, ... play J for 2^s rounds"),
        ("s. 3", "at the end of an epoch add Lap(K/epsilon) to each action's sum over it"),
        ("s. 4", "J = the action of the largest noisy sum; forget the sums"),
    ),
    notes=(
        "The text gives no pseudo-code; epochs and forgetting are those of Algorithm 4.",
        "Rewards; ties go to the lowest action.",
    ),
)


def observe(
    arms: Arms, own: Own, arm: int, pulls: int, reward: Any, reward_in_neighbour: Any, rng: Any
) -> None:
    """Collect the epoch; at its end release every action's sum."""
    for j in range(len(arms)):
        arms[j].total += reward[j]
        arms[j].total_in_neighbour += reward_in_neighbour[j]
    own.played += pulls
    if own.played == 1 << own.epoch:
        scale = len(arms) / own.epsilon
        best_total = -math.inf
        for j in range(len(arms)):
            noisy = laplace(own, arms[j].total, arms[j].total_in_neighbour, scale, rng)  # s. 3
            if noisy > best_total:
                best_total = noisy
                own.playing = j
        forget(arms, own)  # s. 4


ENTRIES = [
    Algorithm(
        card=CARD,
        arm=ARM,
        own=OWN,
        select=select,  # s. 2
        observe=observe,
        leap=leap,
        lazy=True,
        opening=first_round,
        start=start,  # s. 1
    )
]
