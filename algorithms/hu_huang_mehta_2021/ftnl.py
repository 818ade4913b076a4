"""FTNL, follow-the-noisy-leader, the naive algorithm that Hu, Huang & Mehta (arXiv 2102.07929)
describe in Section 5 before RNM-FTNL: every action's mean is made (epsilon/K)-private."""

from __future__ import annotations

import math
from typing import Any

from dpaudit.algorithm.card import Card, Line, Notion, PrivacyClaim
from dpaudit.algorithm.contract import Algorithm, Arms, Own, first_round
from dpaudit.algorithms.hu_huang_mehta_2021.rnm_ftnl import (
    ARM,
    OWN,
    PARENT_LIMIT,
    forget,
    leap,
    select,
    start,
)
from dpaudit.machine.releases import laplace

CARD = Card(
    name="ftnl",
    title="the leader among noisy means, each with budget epsilon/K",
    paper="hu_huang_mehta_2021",
    where="Section 5, first paragraph",
    feedback="full-information",
    privacy=PrivacyClaim(
        Notion.PURE, "Section 5", "epsilon-DP, epsilon/K an action", claims=("ftnl-budget",)
    ),
    regret="Section 5: O(max(log K / gap, K log K / epsilon)) is expected",
    parent="follow-the-leader",
    parent_limit=PARENT_LIMIT,
    pseudocode=(
        Line("s. 1", "play the first action for the epoch of one round", same="rnm-ftnl l. 2"),
        Line("s. 2", "in epoch s = 1, 2, ... play J for 2^s rounds", same="rnm-ftnl l. 4"),
        Line(
            "s. 3",
            "at the end of an epoch add Lap(K/epsilon) to each action's sum over it",
            "noisy = laplace(",
        ),
        Line("s. 4", "J = the action of the largest noisy sum; forget the sums", "own.playing = j"),
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
                own.playing = j  # s. 4
        forget(arms, own)


ENTRIES = [
    Algorithm(
        card=CARD,
        arm=ARM,
        own=OWN,
        select=select,
        observe=observe,
        leap=leap,
        lazy=True,
        opening=first_round,
        start=start,
    )
]
