"""KL-UCB (Garivier & Cappé 2011). Not private."""

from __future__ import annotations

import math
from typing import Any

from dpaudit.algorithm.card import NO_CLAIM, Card, Line
from dpaudit.algorithm.contract import Algorithm, Arms, Own
from dpaudit.algorithms.hu_huang_mehta_2021.thompson import ARM, observe
from dpaudit.machine.indices import bernoulli_kl, largest_mean, reached_mean
from dpaudit.machine.releases import unprotected

ROUNDING = 1e-14
"""Covers that of a divergence."""

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


def stays(arms: Arms, arm: int, t: int, rounds: int) -> bool:
    """Whether the choice is certain for so many rounds: some q is below the arm's index even if all
    pulls fail, with the ln t of now, and above the others' with the ln t of the last round."""
    n = arms[arm].observations + rounds - 1
    q = reached_mean(arms[arm].total / n, math.log(t) / n)
    log_t = math.log(t + rounds - 1)
    for j in range(len(arms)):
        if j != arm:
            pulls = arms[j].observations
            p = arms[j].total / pulls
            if p >= q or pulls * (bernoulli_kl(p, q) - ROUNDING) <= log_t:
                return False
    return True


def stretch(
    arms: Arms, own: Own, pace: Any, laws: Any, t: int, last: int, rng: Any
) -> tuple[int, int]:
    """For as many rounds as the choice of the arm pulled most is certain."""
    if t <= len(arms):
        return select(arms, own, t, rng), 1
    leader = 0
    for j in range(1, len(arms)):
        if arms[j].observations > arms[leader].observations:
            leader = j
    pace.kept = min(4 * pace.kept + 2, last - t + 1)
    while pace.kept > 0 and not stays(arms, leader, t, pace.kept):
        pace.kept //= 2
    if pace.kept > 0:
        return leader, pace.kept
    return select(arms, own, t, rng), 1


ENTRIES = [Algorithm(card=CARD, arm=ARM, own={}, select=select, observe=observe, stretch=stretch)]
