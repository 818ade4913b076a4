"""DP-UCB: Tossou & Dimitrakakis (AAAI 2016), Algorithm 2, and the entry whose two halves share the
budget."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from dpaudit.algorithm.card import Card, Line, Notion, PrivacyClaim
from dpaudit.algorithm.contract import Algorithm, Arms, Own
from dpaudit.algorithms.tossou_dimitrakakis_2016.dp_ucb_bound import (
    ARM,
    NOTES,
    PARAMETERS,
    invariant,
    node_scale,
)
from dpaudit.machine.trees import hybrid_add, hybrid_sum

PSEUDOCODE = (
    Line("l. 1", "run Algorithm 1 with nu = 0", "return float(hybrid_sum(arm) / arm.pulls"),
    Line(
        "l. 2",
        "when an arm is played, insert 0 into all other arms' mechanisms (their n stays)",
        "hybrid_add(",
    ),
)
REGRET = (
    "Theorem 3.3: sum over suboptimal arms of gap max(C^2 (ln C + 7)^2, 8 ln t / gap^2) + "
    "gap (1 + 4 zeta(1.5)), C = 56 (2 + sqrt(3.5)) sqrt(ln t) / epsilon"
)

CARD = Card(
    name="dp-ucb",
    title="UCB on sums of hybrid mechanisms that all receive an item in every round",
    paper="tossou_dimitrakakis_2016",
    where="Algorithm 2",
    feedback="bandit",
    privacy=PrivacyClaim(
        Notion.PURE,
        "Theorem 3.1's argument; Section 5",
        "epsilon-DP",
        per_step=True,
        claims=("theorem-3-1", "dp-ucb-actions"),
    ),
    regret=REGRET,
    regret_claims=("theorem-3-3",),
    parent="ucb1",
    parameters=PARAMETERS,
    fixed={"split": 1.0},
    pseudocode=PSEUDOCODE,
    notes=NOTES,
)
REPAIRED = dataclasses.replace(
    CARD,
    privacy=dataclasses.replace(
        CARD.privacy, where="proof in the notes", statement="epsilon-DP, as claimed", claims=()
    ),
    name="dp-ucb-repaired",
    title="DP-UCB whose two halves of the hybrid mechanism share the budget",
    where="Algorithm 2, repaired",
    regret="as Theorem 3.3 with epsilon/2",
    fixed={"split": 2.0},
    notes=(*NOTES, "Proof: as for dp-ucb-bound-repaired."),
)


def index(arm: Arms, t: int) -> float:
    """UCB1's index on the private sum."""
    return float(hybrid_sum(arm) / arm.pulls + math.sqrt(2.0 * math.log(t) / arm.pulls))  # l. 1


def select(arms: Arms, own: Own, t: int, rng: Any) -> int:
    """Each arm once, then the arm of the largest index."""
    if t <= len(arms):
        return t - 1
    best = 0
    best_index = index(arms[0], t)
    for j in range(1, len(arms)):
        this = index(arms[j], t)
        if this > best_index:
            best = j
            best_index = this
    return best


def observe(
    arms: Arms, own: Own, arm: int, pulls: int, reward: float, reward_in_neighbour: float, rng: Any
) -> None:
    """Insert the reward into the pulled arm's mechanism and 0 into all others."""
    arms[arm].pulls += 1
    nodes = node_scale(own, arms[arm].items + 1)
    log_scale = own.split / own.epsilon
    for j in range(len(arms)):
        here = reward if j == arm else 0.0
        there = reward_in_neighbour if j == arm else 0.0
        hybrid_add(own, arms[j], here, there, log_scale, nodes, rng)  # l. 2


ENTRIES = [
    Algorithm(
        card=card,
        arm=ARM,
        own={},
        select=select,
        observe=observe,
        invariant=invariant,
    )
    for card in (CARD, REPAIRED)
]
