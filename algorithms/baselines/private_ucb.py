"""Private-UCB (Mishra & Thakurta 2015)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpaudit.algorithm.card import Card, Line, Notion, Parameter, PrivacyClaim
from dpaudit.algorithm.contract import Algorithm, Arms, Own
from dpaudit.machine.leaps.optimism import highest, law_of, least_mean, plan
from dpaudit.machine.leaps.passage import noise_of, walk
from dpaudit.machine.trees import TREE, bit_length, tree_add, tree_sum

CARD = Card(
    name="private-ucb",
    title="UCB on one T-bounded binary tree per arm, each with budget epsilon/K",
    paper="baselines",
    where="Private-UCB",
    feedback="bandit",
    privacy=PrivacyClaim(Notion.PURE, "Mishra & Thakurta", "epsilon-DP"),
    regret="O(K log^3 T / (epsilon gap)), as Hu & Hegde (2022) quote it",
    anytime=False,
    parent="ucb1",
    parameters=(
        Parameter(
            "gamma", 0.0, "failure probability; 0 stands for t^-4 (Tossou & Dimitrakakis)", 0.0, 1.0
        ),
    ),
    pseudocode=(
        Line(
            "s. 1",
            "one T-bounded binary tree per arm with budget epsilon/K; pull each arm once",
            "return t - 1",
        ),
        Line("s. 2", "for t = K+1, ...: r = sum from the arm's tree", "this = (tree_sum(arms[j])"),
        Line("s. 3", "Gamma = K ln^2 T ln(K T ln T / gamma) / epsilon", "bonus = len(arms) *"),
        Line("s. 4", "pull the arm of largest r/n + sqrt(2 ln t / n) + Gamma/n", "return best"),
        Line("s. 5", "insert the reward into that arm's tree", "tree_add("),
    ),
    notes=(
        "Rewards; ties go to the lowest arm.",
        "Nodes have Lap(K levels / epsilon), levels = floor(log2 T) + 1: the most nodes that one "
        "of T items can be in.",
        "Definition recalled from the literature until checked against the text.",
    ),
)


def select(arms: Arms, own: Own, t: int, rng: Any) -> int:
    """Each arm once, then the arm of the largest index."""
    if t <= len(arms):
        return t - 1  # s. 1
    log_t, log_horizon = math.log(t), math.log(own.horizon)
    gamma = float(t) ** -4.0 if own.gamma == 0.0 else own.gamma
    inside = len(arms) * float(own.horizon) * log_horizon / gamma
    bonus = len(arms) * log_horizon**2 * math.log(inside) / own.epsilon  # s. 3
    best = 0
    best_index = -math.inf
    for j in range(len(arms)):
        n = arms[j].pulls
        this = (tree_sum(arms[j]) + bonus) / n + math.sqrt(2.0 * log_t / n)  # s. 2
        if this > best_index:
            best = j
            best_index = this
    return best  # s. 4


def observe(
    arms: Arms, own: Own, arm: int, pulls: int, reward: float, reward_in_neighbour: float, rng: Any
) -> None:
    """Insert the reward into the pulled arm's tree."""
    arms[arm].pulls += 1
    scale = len(arms) * bit_length(own.horizon) / own.epsilon
    tree_add(own, arms[arm], reward, reward_in_neighbour, scale, rng)  # s. 5


def gamma_line(own: Own, arms: int) -> tuple[float, float]:
    """Gamma of step 3 is this number and that one times ln t."""
    log_horizon = math.log(own.horizon)
    factor = arms * log_horizon**2 / own.epsilon
    inside = math.log(arms * float(own.horizon) * log_horizon)
    if own.gamma == 0.0:
        return factor * inside, 4.0 * factor
    return factor * (inside - math.log(own.gamma)), 0.0


def stretch(
    arms: Arms, own: Own, pace: Any, laws: Any, t: int, last: int, rng: Any
) -> tuple[int, int]:
    """As long as the noise of the pulled arm's tree leaves it ahead. Its nodes are drawn here, the
    rewards come later: `take`."""
    scale = bit_length(own.horizon) * len(arms) / own.epsilon
    rooms, sides = np.zeros(1), np.full(1, -1.0)
    arm, rounds = t - 1, 1
    if t > len(arms):
        for j in range(len(arms)):
            if j == int(pace.kept) or t == len(arms) + 1:
                noisy = arms[j].tree_sums[0] + noise_of(arms[j])
                law_of(laws[j], noisy, arms[j].pulls, 1.0)
        base, slope = gamma_line(own, len(arms))
        log_t = math.log(t)
        arm = highest(laws, base + slope * log_t, math.sqrt(2.0 * log_t), -1)
        n = arms[arm].pulls
        least = least_mean(arms[arm].tree_sums[0], n)
        rounds, rooms[0] = plan(pace, laws, arm, n, least, base, slope, scale, t, last)
    pace.kept = arm
    return arm, walk(arms[arm : arm + 1], rooms, sides, rounds, scale, rng)


def take(
    arms: Arms, own: Own, arm: int, pulls: int, reward: float, reward_in_neighbour: float, rng: Any
) -> None:
    """All rewards are kept in one sum, for it does not matter which are whose."""
    arms[arm].pulls += pulls
    arms[arm].tree_sums[0] += reward


ENTRIES = [
    Algorithm(
        card=CARD,
        arm={"pulls": int, **TREE},
        own={},
        select=select,
        observe=observe,
        stretch=stretch,
        take=take,
    )
]
