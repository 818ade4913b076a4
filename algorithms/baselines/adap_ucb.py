"""AdaP-UCB and AdaP-KLUCB (Azize & Basu 2022)."""

from __future__ import annotations

import math
from typing import Any

from dpaudit.algorithm.card import Card, Line, Notion, Parameter, PrivacyClaim
from dpaudit.algorithm.contract import Algorithm, Arms, Own
from dpaudit.machine.indices import largest_mean
from dpaudit.machine.releases import clip01, laplace

DIVERGENCE = 1.0
PARAMETERS = (
    Parameter("alpha", 3.1, "exploration; the analysis asks for more than 3", 0.0, 1e9),
    Parameter("index", "radius", "the rule's index", words=("radius", "divergence")),
)


def card(name: str, index_kind: str, title: str, rule: str) -> Card:
    """The card of one of the two indices."""
    return Card(
        name=name,
        title=title,
        paper="baselines",
        where="AdaP-UCB and AdaP-KLUCB",
        feedback="bandit",
        privacy=PrivacyClaim(Notion.PURE, "Azize & Basu", "epsilon-DP"),
        regret="O(sum over suboptimal arms of log T / min(gap, epsilon))",
        parent="ucb1" if name == "adap-ucb" else "kl-ucb",
        parent_limit="plays in episodes and uses an arm's last episode only",
        parameters=PARAMETERS,
        fixed={"index": index_kind},
        pseudocode=(
            Line("s. 1", "pull each arm once; that is its first episode, n = 1", "return t - 1"),
            Line("s. 2", f"then in episodes: choose the arm of largest {rule}", "return best"),
            Line("s. 3", "pull it until its number of pulls has doubled", "own.left = max("),
            Line(
                "s. 4",
                "n = half of its pulls; mean of the episode + Lap(1/(epsilon n))",
                "pulled.noisy_mean = total / n",
            ),
        ),
        notes=(
            "Rewards; ties go to the lowest arm; t is the first round of the episode.",
            "Definition recalled from the literature until checked against the text.",
        ),
    )


def index(arm: Arms, own: Own, log_t: float) -> float:
    """Optimistic value of an arm."""
    n = arm.episode
    bonus = own.alpha * log_t / (own.epsilon * n)
    if own.index == DIVERGENCE:
        return largest_mean(clip01(arm.noisy_mean + bonus), own.alpha * log_t / n)
    return float(arm.noisy_mean + math.sqrt(own.alpha * log_t / (2.0 * n)) + bonus)


def select(arms: Arms, own: Own, t: int, rng: Any) -> int:
    """The arm of the running episode, or the largest index where a new one begins."""
    if t <= len(arms):
        return t - 1  # s. 1
    if own.left > 0:
        return int(own.playing)
    log_t = math.log(t)
    best = 0
    best_index = -math.inf
    for j in range(len(arms)):
        this = index(arms[j], own, log_t)
        if this > best_index:
            best = j
            best_index = this
    return best  # s. 2


def observe(
    arms: Arms, own: Own, arm: int, pulls: int, reward: float, reward_in_neighbour: float, rng: Any
) -> None:
    """Collect the episode; at its end release its noisy mean and forget the earlier ones."""
    pulled = arms[arm]
    if own.left == 0:
        own.playing = arm
        own.left = max(pulled.pulls, 1)  # s. 3
    own.left -= pulls
    pulled.pulls += pulls
    pulled.total += reward
    pulled.total_in_neighbour += reward_in_neighbour
    if own.left == 0:
        n = max(pulled.pulls // 2, 1)
        total = laplace(own, pulled.total, pulled.total_in_neighbour, 1.0 / own.epsilon, rng)
        pulled.noisy_mean = total / n  # s. 4
        pulled.episode = n
        pulled.total = 0.0
        pulled.total_in_neighbour = 0.0


def leap(arms: Arms, own: Own, t: int, arm: int) -> int:
    """Until the episode ends."""
    if own.left > 0:
        return int(own.left)
    return max(int(arms[arm].pulls), 1)


ENTRIES = [
    Algorithm(
        card=entry,
        arm={
            "pulls": int,
            "episode": int,
            "noisy_mean": float,
            "total": float,
            "total_in_neighbour": float,
        },
        own={"playing": int, "left": int},
        select=select,
        observe=observe,
        leap=leap,
        lazy=True,
    )
    for entry in (
        card(
            "adap-ucb",
            "radius",
            "UCB on the noisy mean of an arm's last doubling episode",
            "noisy mean + sqrt(alpha ln t / (2n)) + alpha ln t / (epsilon n)",
        ),
        card(
            "adap-klucb",
            "divergence",
            "KL-UCB on the noisy mean of an arm's last doubling episode",
            "q with d(clip(noisy mean + alpha ln t / (epsilon n)), q) <= alpha ln t / n",
        ),
    )
]
