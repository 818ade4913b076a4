"""Thompson sampling with Beta priors (Agrawal & Goyal 2017), as Hu, Huang & Mehta (arXiv
2102.07929) restate it in their Algorithm 2. Not private."""

from __future__ import annotations

from typing import Any

from dpaudit.algorithm.card import NO_CLAIM, Card, Line
from dpaudit.algorithm.contract import Algorithm, Arms, Own, no_opening
from dpaudit.machine.releases import unprotected

CARD = Card(
    name="thompson",
    title="Thompson sampling, Beta(1, 1) prior, Bernoulli rewards",
    paper="hu_huang_mehta_2021",
    where="Algorithm 2",
    feedback="bandit",
    privacy=NO_CLAIM,
    regret="O(sum over suboptimal arms of log T / gap)",
    pseudocode=(
        Line("l. 1", "input: arms"),
        Line("l. 2", "O = 0 and mean = 0 for each arm", '"observations": int'),
        Line("l. 3", "for t = 1, 2, ..."),
        Line(
            "l. 4",
            "draw theta from Beta(mean O + 1, (1 - mean) O + 1) for each arm",
            "theta = rng.beta(",
        ),
        Line(
            "l. 5",
            "pull the arm of largest theta; update its O and mean",
            "arms[arm].observations += pulls",
        ),
        Line("l. 6", "end for"),
    ),
    notes=(
        "Rewards; ties go to the lowest arm.",
        "Rewards strictly between 0 and 1 enter the Beta parameters as they are, as line 4 reads.",
    ),
)


def select(arms: Arms, own: Own, t: int, rng: Any) -> int:
    """The arm of the largest posterior draw."""
    best = 0
    best_theta = -1.0
    for j in range(len(arms)):
        successes = unprotected(own, arms[j].total, arms[j].total_in_neighbour)
        failures = arms[j].observations - successes
        theta = rng.beta(successes + 1.0, failures + 1.0)  # l. 4
        if theta > best_theta:
            best = j
            best_theta = theta
    return best


def observe(
    arms: Arms, own: Own, arm: int, pulls: int, reward: float, reward_in_neighbour: float, rng: Any
) -> None:
    """Count the pull and its reward."""
    arms[arm].observations += pulls  # l. 5
    arms[arm].total += reward
    arms[arm].total_in_neighbour += reward_in_neighbour


ARM = {"observations": int, "total": float, "total_in_neighbour": float}  # l. 2
ENTRIES = [
    Algorithm(
        card=CARD,
        arm=ARM,
        own={},
        select=select,
        observe=observe,
        opening=no_opening,
    )
]
