"""Thompson sampling with Beta priors (Agrawal & Goyal 2017), as Hu, Huang & Mehta (arXiv
2102.07929) restate it in their Algorithm 2. Not private."""

from __future__ import annotations

from typing import Any

from dpaudit.algorithm.card import NO_CLAIM, Card, Line
from dpaudit.algorithm.contract import Algorithm, Arms, Own, no_opening
from dpaudit.machine.leaps.tails import BETA
from dpaudit.machine.leaps.thinning import candidate, wait, waiting
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


def stretch(
    arms: Arms, own: Own, pace: Any, laws: Any, t: int, last: int, rng: Any
) -> tuple[int, int]:
    """From candidate to candidate: only the pulled arm's posterior moves."""
    leader = 0
    for j in range(len(arms)):
        laws[j].a = arms[j].total + 1.0
        laws[j].b = arms[j].observations - arms[j].total + 1.0
        if arms[j].observations > arms[leader].observations:
            leader = j
    if pace.chance > 0.0:
        return candidate(laws, pace, BETA, rng), 1
    most = waiting(pace, arms[leader].observations, last - t + 1)
    # The leader's posterior is lowest when it has failed all along.
    rounds = wait(laws, pace, BETA, leader, laws[leader].a, laws[leader].b + most, most, rng)
    if rounds < 0:
        return select(arms, own, t, rng), 1
    return (leader, rounds) if rounds > 0 else (candidate(laws, pace, BETA, rng), 1)


ARM = {"observations": int, "total": float, "total_in_neighbour": float}  # l. 2
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
