"""DP-UCB: Tossou & Dimitrakakis (AAAI 2016), Algorithm 2, and the entry whose two halves share the
budget."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from dpaudit.algorithm.card import Card, Line, Notion, PrivacyClaim
from dpaudit.algorithm.contract import Algorithm, Arms, Own
from dpaudit.algorithms.tossou_dimitrakakis_2016.dp_ucb_bound import (
    ARM,
    LN,
    NOTES,
    PARAMETERS,
    invariant,
    node_scale,
    take,
)
from dpaudit.machine.leaps.optimism import (
    MISSED,
    highest,
    index_of,
    law_of,
    least_mean,
    room_of,
    worth,
)
from dpaudit.machine.leaps.passage import hybrid_walk, noise_of
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


def stretch(
    arms: Arms, own: Own, pace: Any, laws: Any, t: int, last: int, rng: Any
) -> tuple[int, int]:
    """As long as no tree's noise grows, or the pulled arm's falls, so far that another arm may be
    the next. The noise is drawn here, the rewards come later: `take`.

    All get the same room: the level is put where the leader's sum is as far above as the nearest
    one's is below.
    """
    arm, rounds = t - 1, 1
    rooms, sides = np.zeros(len(arms)), np.ones(len(arms))
    items = arms[0].items
    scale = node_scale(own, items + 1)
    if t > len(arms):
        for j in range(len(arms)):
            noisy = arms[j].block + arms[j].log_noisy + noise_of(arms[j])
            law_of(laws[j], noisy, arms[j].pulls, 0.0)
        root = math.sqrt(2.0 * math.log(t))
        arm = highest(laws, 0.0, root, -1)
        sides[arm] = -1.0
        n = float(arms[arm].pulls)
        # A node's scale is the same to the next power of two; with ln it is another each round.
        if items & (items - 1) != 0 and own.node_noise != LN and len(arms) > 1:
            room, share, ahead = math.inf, 1.0, index_of(laws[arm], 0.0, root)
            for j in range(len(arms)):
                if j != arm:
                    part = arms[j].pulls / (n + arms[j].pulls)
                    this = (
                        part * n * (index_of(laws[arm], 0.0, root) - index_of(laws[j], 0.0, root))
                    )
                    if this < room:
                        room, share = this, part
            least = least_mean(arms[arm].block, arms[arm].pulls)
            most = min(last - t + 1, 1 + t // 64)
            rounds = worth(room / share, scale / share, ahead - least, most)
            then = math.sqrt(2.0 * math.log(t + rounds))
            level = -math.inf
            for j in range(len(arms)):
                if j != arm:
                    other = arms[j].pulls
                    # What the leader's sum may fall by down to this index, and half way by pulls.
                    this = index_of(laws[j], 0.0, then)
                    above = room_of(laws[arm], arms[arm].pulls, rounds, least, this, 0.0, root)
                    level = max(level, this + max(0.0, above) / (n + rounds + other))
            for j in range(len(arms)):
                rooms[j] = arms[j].pulls * (level - index_of(laws[j], 0.0, then))
            rooms[arm] = room_of(laws[arm], arms[arm].pulls, rounds, least, level, 0.0, root)
            pace.neglected += MISSED
    done = hybrid_walk(arms, rooms, sides, rounds, own.split / own.epsilon, scale, rng)
    return arm, done


ENTRIES = [
    Algorithm(
        card=card,
        arm=ARM,
        own={},
        select=select,
        observe=observe,
        invariant=invariant,
        stretch=stretch,
        take=take,
    )
    for card in (CARD, REPAIRED)
]
