"""Private-UCB (Mishra & Thakurta 2015)."""

from __future__ import annotations

import math
from typing import Any

from dpaudit.algorithm.card import Card, Line, Notion, Parameter, PrivacyClaim
from dpaudit.algorithm.contract import Algorithm, Arms, Own
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


ENTRIES = [Algorithm(card=CARD, arm={"pulls": int, **TREE}, own={}, select=select, observe=observe)]
