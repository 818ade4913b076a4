"""UCB1 (Auer, Cesa-Bianchi & Fischer 2002). Not private."""

from __future__ import annotations

import math
from typing import Any

from dpaudit.contract import NO_CLAIM, Algorithm, Arms, Card, Own
from dpaudit.kernel.releases import unprotected

CARD = Card(
    name="ucb1",
    title="the arm of largest mean plus confidence radius",
    paper="baselines",
    where="UCB1",
    feedback="bandit",
    privacy=NO_CLAIM,
    regret="O(sum over suboptimal arms of log T / gap)",
    pseudocode=(
        ("s. 1", "pull each arm once"),
        ("s. 2", "for t = K+1, ...: pull the arm of largest mean + sqrt(2 ln t / n)"),
        ("s. 3", "n += 1, add the reward to the arm's sum"),
    ),
    notes=(
        "Rewards; ties go to the lowest arm; t is the current round.",
        "Definition recalled from the literature until checked against the text.",
    ),
)


def index(arm: Arms, own: Own, log_t: float) -> float:
    """Upper confidence bound."""
    total = unprotected(own, arm.total, arm.total_in_neighbour)
    return float(total / arm.pulls + math.sqrt(2.0 * log_t / arm.pulls))


def leader(arms: Arms, own: Own, t: int) -> int:
    """The arm of the largest index."""
    log_t = math.log(t)
    best = 0
    best_index = index(arms[0], own, log_t)
    for j in range(1, len(arms)):
        this = index(arms[j], own, log_t)
        if this > best_index:
            best = j
            best_index = this
    return best


def select(arms: Arms, own: Own, t: int, rng: Any) -> int:
    """Each arm once, then the leader."""
    if t <= len(arms):
        return t - 1  # s. 1
    return leader(arms, own, t)  # s. 2


def observe(
    arms: Arms, own: Own, arm: int, pulls: int, reward: float, reward_in_neighbour: float, rng: Any
) -> None:
    """Count the pull and its reward."""
    arms[arm].pulls += pulls  # s. 3
    arms[arm].total += reward
    arms[arm].total_in_neighbour += reward_in_neighbour


ENTRIES = [
    Algorithm(
        card=CARD,
        arm={"pulls": int, "total": float, "total_in_neighbour": float},
        own={},
        select=select,
        observe=observe,
    )
]
