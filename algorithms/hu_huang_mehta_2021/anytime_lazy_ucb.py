"""Anytime-Lazy-UCB: Hu, Huang & Mehta (arXiv 2102.07929), Algorithm 1."""

from __future__ import annotations

import math
from typing import Any

from dpaudit.algorithm.card import Card, Line, Notion, PrivacyClaim
from dpaudit.algorithm.contract import Algorithm, Arms, Own
from dpaudit.machine.indices import overtaken_at
from dpaudit.machine.releases import laplace

CARD = Card(
    name="anytime-lazy-ucb",
    title="UCB on noisy means of doubling, forgetful, arm-specific epochs",
    paper="hu_huang_mehta_2021",
    where="Algorithm 1",
    feedback="bandit",
    privacy=PrivacyClaim(Notion.PURE, "Theorem 2", "epsilon-DP", claims=("theorem-2-privacy",)),
    regret="Theorem 3: O(sum over suboptimal arms of log T / min(gap, epsilon))",
    regret_claims=("theorem-3-regret",),
    parent="ucb1",
    parent_limit="forgets all but the last epoch of an arm, and its bonus is sqrt(3 ln t / n)",
    pseudocode=(
        Line("l. 1", "input: arms, epsilon"),
        Line(
            "l. 2",
            "pull each arm once: O = 1, r = 0, noisy mean = reward + Lap(1/epsilon), N = 0",
            "return t - 1",
        ),
        Line("l. 3", "for t = K+1, K+2, ..."),
        Line(
            "l. 4",
            "pull the arm of largest noisy mean + sqrt(3 ln t / O) + 3 ln t / (epsilon O)",
            "return leader(arms, t)",
        ),
        Line(
            "l. 5",
            "count the pull in N and add its reward to the epoch's sum",
            "pulled.pending += pulls",
        ),
        Line("l. 6", "if N has reached 2^(r+1)", "if pulled.pending == 1 << (pulled.epoch + 1):"),
        Line(
            "l. 7",
            "O = 2^(r+1), noisy mean = (sum + Lap(1/epsilon)) / O, r += 1, N = sum = 0",
            "pulled.noisy_mean = total / observations",
        ),
        Line("l. 8", "end if"),
        Line("l. 9", "end for"),
    ),
    notes=(
        "Rewards; natural logarithm, as printed; ties go to the lowest arm.",
        "Line 2 is the epoch of length 2^0: r starts at -1 and the same code makes the release.",
    ),
)


def start(arms: Arms, own: Own) -> None:
    """No epoch has been processed."""
    for j in range(len(arms)):
        arms[j].epoch = -1


def index(arm: Arms, root_log_t: float, log_t: float) -> float:
    """noisy mean + sqrt(3/O) sqrt(ln t) + 3/(epsilon O) ln t."""
    return float(arm.noisy_mean + arm.width * root_log_t + arm.noise_width * log_t)


def leader(arms: Arms, t: int) -> int:
    """The arm of the largest index."""
    log_t = math.log(t)
    root_log_t = math.sqrt(log_t)
    best = 0
    best_index = index(arms[0], root_log_t, log_t)
    for j in range(1, len(arms)):
        this = index(arms[j], root_log_t, log_t)
        if this > best_index:
            best = j
            best_index = this
    return best


def select(arms: Arms, own: Own, t: int, rng: Any) -> int:
    """Each arm once, then the leader."""
    if t <= len(arms):
        return t - 1  # l. 2
    return leader(arms, t)  # l. 4


def observe(
    arms: Arms, own: Own, arm: int, pulls: int, reward: float, reward_in_neighbour: float, rng: Any
) -> None:
    """Collect the epoch; at its end release its noisy mean and forget it."""
    pulled = arms[arm]
    pulled.pending += pulls  # l. 5
    pulled.total += reward
    pulled.total_in_neighbour += reward_in_neighbour
    if pulled.pending == 1 << (pulled.epoch + 1):  # l. 6
        observations = pulled.pending
        total = laplace(own, pulled.total, pulled.total_in_neighbour, 1.0 / own.epsilon, rng)
        pulled.noisy_mean = total / observations  # l. 7
        pulled.width = math.sqrt(3.0 / observations)
        pulled.noise_width = 3.0 / (own.epsilon * observations)
        pulled.epoch += 1
        pulled.pending = 0
        pulled.total = 0.0
        pulled.total_in_neighbour = 0.0


def leap(arms: Arms, own: Own, t: int, arm: int) -> int:
    """Until the arm's epoch ends, or another index overtakes: the indices only move with ln t."""
    if t <= len(arms):
        return 1
    pulled = arms[arm]
    last = t + (1 << (pulled.epoch + 1)) - pulled.pending - 1
    if last == t:
        return 1
    stays = last
    for j in range(len(arms)):
        if j != arm:
            crossing = overtaken_at(
                t,
                arms[j].noisy_mean - pulled.noisy_mean,
                arms[j].width - pulled.width,
                arms[j].noise_width - pulled.noise_width,
            )
            stays = min(stays, crossing - 1)
    stays = max(stays, t)
    # Rounding: settle the boundary by the rule itself, galloping where ln t hardly moves.
    step = 1
    while stays > t and leader(arms, stays) != arm:
        stays = max(t, stays - step)
        step *= 2
    step = 1
    while stays < last and leader(arms, min(last, stays + step)) == arm:
        stays = min(last, stays + step)
        step *= 2
    while step > 1:
        step //= 2
        if stays + step <= last and leader(arms, stays + step) == arm:
            stays += step
    return stays - t + 1


ARM = {
    "epoch": int,
    "noisy_mean": float,
    "width": float,
    "noise_width": float,
    "pending": int,
    "total": float,
    "total_in_neighbour": float,
}
ENTRIES = [
    Algorithm(
        card=CARD,
        arm=ARM,
        own={},
        select=select,
        observe=observe,
        leap=leap,
        lazy=True,
        start=start,
    )
]
