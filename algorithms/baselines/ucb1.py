"""UCB1 (Auer, Cesa-Bianchi & Fischer 2002). Not private."""

from __future__ import annotations

import math
from typing import Any

from dpaudit.algorithm.card import NO_CLAIM, Card, Line
from dpaudit.algorithm.contract import Algorithm, Arms, Own
from dpaudit.machine.releases import unprotected

ROUNDING = 1e-12
"""Covers that of an index, which is below 10."""

CARD = Card(
    name="ucb1",
    title="the arm of largest mean plus confidence radius",
    paper="baselines",
    where="UCB1",
    feedback="bandit",
    privacy=NO_CLAIM,
    regret="O(sum over suboptimal arms of log T / gap)",
    pseudocode=(
        Line("s. 1", "pull each arm once", "return t - 1"),
        Line(
            "s. 2",
            "for t = K+1, ...: pull the arm of largest mean + sqrt(2 ln t / n)",
            "return best",
        ),
        Line("s. 3", "n += 1, add the reward to the arm's sum", "pulled.pulls += pulls"),
    ),
    notes=(
        "Rewards; ties go to the lowest arm; t is the current round.",
        "Definition recalled from the literature until checked against the text.",
    ),
)


def index(arm: Arms, own: Own, root_log_t: float) -> float:
    """mean + sqrt(2/n) sqrt(ln t)."""
    return unprotected(own, arm.average, arm.average_in_neighbour) + arm.width * root_log_t


def select(arms: Arms, own: Own, t: int, rng: Any) -> int:
    """Each arm once, then the arm of the largest index."""
    if t <= len(arms):
        return t - 1  # s. 1
    root_log_t = math.sqrt(math.log(t))
    best = 0
    best_index = index(arms[0], own, root_log_t)
    for j in range(1, len(arms)):
        this = index(arms[j], own, root_log_t)
        if this > best_index:
            best = j
            best_index = this
    return best  # s. 2


def observe(
    arms: Arms, own: Own, arm: int, pulls: int, reward: float, reward_in_neighbour: float, rng: Any
) -> None:
    """Count the pull and its reward."""
    pulled = arms[arm]
    pulled.pulls += pulls  # s. 3
    pulled.total += reward
    pulled.total_in_neighbour += reward_in_neighbour
    pulled.average = pulled.total / pulled.pulls
    pulled.average_in_neighbour = pulled.total_in_neighbour / pulled.pulls
    pulled.width = math.sqrt(2.0 / pulled.pulls)


def stays(arms: Arms, arm: int, t: int, rounds: int) -> bool:
    """Whether the choice is certain for so many rounds: even if all pulls fail, the arm's index
    with the ln t of now exceeds the others' with the ln t of the last of these rounds."""
    n = arms[arm].pulls + rounds - 1
    lowest = arms[arm].total / n + math.sqrt(2.0 * math.log(t) / n) - ROUNDING
    root = math.sqrt(math.log(t + rounds - 1))
    for j in range(len(arms)):
        if j != arm and arms[j].average + arms[j].width * root >= lowest:
            return False
    return True


def stretch(
    arms: Arms, own: Own, pace: Any, laws: Any, t: int, last: int, rng: Any
) -> tuple[int, int]:
    """For as many rounds as the choice is certain."""
    arm = select(arms, own, t, rng)
    pace.kept = min(4 * pace.kept + 2, last - t + 1) if t > len(arms) else 1
    while pace.kept > 1 and not stays(arms, arm, t, pace.kept):
        pace.kept //= 2
    return arm, max(pace.kept, 1)


ENTRIES = [
    Algorithm(
        card=CARD,
        arm={
            "pulls": int,
            "total": float,
            "total_in_neighbour": float,
            "average": float,
            "average_in_neighbour": float,
            "width": float,
        },
        own={},
        select=select,
        observe=observe,
        stretch=stretch,
    )
]
