"""DP-IMED: Azize, Wu, Honda, Orabona, Ito & Basu, "Optimal regret of Bernoulli bandits under global
differential privacy" (arXiv 2505.05613, 2025): IMED on the noisy sums of DP-KLUCB's batches."""

from __future__ import annotations

import math
from typing import Any

from dpaudit.algorithm.card import Card, Line
from dpaudit.algorithm.contract import Algorithm, Arms, Own
from dpaudit.algorithms.azize_et_al_2025.dp_klucb import (
    ARM,
    NOTES,
    OWN,
    PARAMETERS,
    PRIVACY,
    REGRET,
    leap,
    nearest,
    observe,
)
from dpaudit.machine.indices import bernoulli_kl
from dpaudit.machine.releases import clip01

CARD = Card(
    name="dp-imed",
    title="least empirical divergence, in the private divergence, on sums that forget nothing",
    paper="azize_et_al_2025",
    where="DP-IMED",
    feedback="bandit",
    privacy=PRIVACY,
    regret=REGRET,
    parameters=PARAMETERS,
    pseudocode=(
        Line("s. 1", "pull each arm once; that is its first batch", "return t - 1"),
        Line("s. 2", "best = the largest noisy mean, clipped", "highest = max(highest, "),
        Line(
            "s. 3",
            "I = n d_epsilon(clip(noisy sum / n), best) + ln n",
            "this = n * divergence + math.log(n)",
        ),
        Line("s. 4", "choose the arm of the smallest I", "return best"),
        Line("s. 5", "pull it until its batch ends", same="dp-klucb s. 4"),
        Line("s. 6", "noisy sum += the batch's sum + Lap(1/epsilon)", same="dp-klucb s. 5"),
    ),
    notes=NOTES,
)


def private_divergence(p: float, q: float, epsilon: float) -> float:
    """d_epsilon(p, q) for p <= q: kl(p, q) where p is near q, and a straight line below that."""
    if p >= nearest(q, epsilon):
        return bernoulli_kl(p, q)
    return -epsilon * p - math.log1p(q * math.expm1(-epsilon))


def select(arms: Arms, own: Own, t: int, rng: Any) -> int:
    """The arm of the running batch, or the smallest index where a new one begins."""
    if t <= len(arms):
        return t - 1  # s. 1
    if own.left > 0:
        return int(own.playing)
    highest = 0.0
    for j in range(len(arms)):
        highest = max(highest, clip01(arms[j].noisy_total / arms[j].pulls))  # s. 2
    best = 0
    least = math.inf
    for j in range(len(arms)):
        n = arms[j].pulls
        divergence = private_divergence(clip01(arms[j].noisy_total / n), highest, own.epsilon)
        this = n * divergence + math.log(n)  # s. 3
        if this < least:
            best = j
            least = this
    return best  # s. 4


ENTRIES = [
    Algorithm(card=CARD, arm=ARM, own=OWN, select=select, observe=observe, leap=leap, lazy=True)
]
