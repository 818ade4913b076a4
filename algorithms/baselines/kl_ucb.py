"""KL-UCB (Garivier & Cappé 2011). Not private."""

from __future__ import annotations

import math
from typing import Any

from algorithms.hu_huang_mehta_2021.thompson import ARM, observe
from dpaudit.algorithm.card import NO_CLAIM, Card, Line
from dpaudit.algorithm.contract import Algorithm, Arms, Own
from dpaudit.machine.indices import largest_mean
from dpaudit.machine.releases import unprotected

CARD = Card(
    name="kl-ucb",
    title="the arm of largest plausible mean in Kullback-Leibler divergence",
    paper="baselines",
    where="KL-UCB",
    feedback="bandit",
    privacy=NO_CLAIM,
    regret="asymptotically optimal: sum over suboptimal arms of gap ln T / d(mean, best mean)",
    pseudocode=(
        Line("s. 1", "pull each arm once", "return t - 1"),
        Line(
            "s. 2",
            "for t = K+1, ...: q = largest q in [0, 1] with d(mean, q) <= ln t / n",
            "this = largest_mean(",
        ),
        Line("s. 3", "pull the arm of largest q", "return best"),
        Line("s. 4", "n += 1, add the reward to the arm's sum", same="thompson l. 5"),
    ),
    notes=(
        "Rewards; ties go to the lowest arm; q by bisection.",
        "Definition recalled from the literature until checked against the text.",
    ),
)


def select(arms: Arms, own: Own, t: int, rng: Any) -> int:
    """Each arm once, then the arm of the largest index."""
    if t <= len(arms):
        return t - 1  # s. 1
    log_t = math.log(t)
    best = 0
    best_index = -1.0
    for j in range(len(arms)):
        arm = arms[j]
        mean = unprotected(own, arm.total, arm.total_in_neighbour) / arm.observations
        this = largest_mean(mean, log_t / arm.observations)  # s. 2
        if this > best_index:
            best = j
            best_index = this
    return best  # s. 3


ENTRIES = [Algorithm(card=CARD, arm=ARM, own={}, select=select, observe=observe)]
