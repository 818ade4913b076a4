"""DP-KLUCB: Azize, Wu, Honda, Orabona, Ito & Basu, "Optimal regret of Bernoulli bandits under
global differential privacy" (arXiv 2505.05613, 2025), with the private divergence d_epsilon and the
batches that DP-IMED shares."""

from __future__ import annotations

import math
from typing import Any

from dpaudit.algorithm.card import Card, Line, Notion, Parameter, PrivacyClaim
from dpaudit.algorithm.contract import Algorithm, Arms, Own
from dpaudit.machine.indices import largest_mean
from dpaudit.machine.releases import clip01, laplace

POWERS = 1.0
PARAMETERS = (
    Parameter("growth", 2.0, "alpha, the ratio by which batches grow", 1.0001, 4.0),
    Parameter(
        "batches",
        "pulls",
        "an arm is left when its pulls have grown by alpha, or its m-th batch has alpha^m pulls",
        words=("pulls", "powers"),
    ),
)
PRIVACY = PrivacyClaim(Notion.PURE, "proof in the notes", "epsilon-DP")
REGRET = "(alpha + o(1)) ln T times the sum over suboptimal arms of gap / d_epsilon(mean, best)"
NOTES = (
    "Rewards; ties go to the lowest arm.",
    "d_epsilon(x, y) is the least of epsilon |z - x| + kl(z, y) over z between x and y.",
    "Proof: a reward is in one batch, whose sum leaves once, with Lap(1/epsilon); all else "
    "is made of these sums.",
    "The paper's text is not at hand. Public, in its abstract and in an account of it: batches "
    "that grow by alpha > 1 arm by arm, nothing forgotten, one Laplace variable a batch in the "
    "running sum, the index, the regret. Not found: the rounding of batches, the first "
    "batch (here a single pull), the alpha of the experiments. The default of 2 is ours, as in "
    "AdaP-KLUCB; `batches` has both ways to grow.",
    "Definition recalled from the literature until checked against the text.",
)

CARD = Card(
    name="dp-klucb",
    title="KL-UCB with the private divergence on noisy sums that forget nothing",
    paper="azize_et_al_2025",
    where="DP-KLUCB",
    feedback="bandit",
    privacy=PRIVACY,
    regret=REGRET,
    parent="kl-ucb",
    parent_limit="plays in batches and looks at them when they have ended",
    parameters=PARAMETERS,
    pseudocode=(
        Line("s. 1", "pull each arm once; that is its first batch", "return t - 1"),
        Line(
            "s. 2",
            "q = the largest q in [0, 1] with d_epsilon(clip(noisy sum / n), q) <= ln t / n",
            "this = largest_private_mean(",
        ),
        Line("s. 3", "choose the arm of the largest q", "return best"),
        Line("s. 4", "pull it until its batch ends, by when n has grown by alpha", "own.left = "),
        Line(
            "s. 5", "noisy sum += the batch's sum + Lap(1/epsilon)", "pulled.noisy_total += laplace"
        ),
    ),
    notes=(*NOTES, "t is the first round of the batch."),
)


def nearest(q: float, epsilon: float) -> float:
    """The z with the least epsilon z + kl(z, q): there its derivative is 0."""
    away = q * math.exp(-epsilon)
    return away / (away + 1.0 - q)


def largest_private_mean(p: float, bound: float, epsilon: float) -> float:
    """The largest q in [p, 1] with d_epsilon(p, q) <= bound."""
    q = largest_mean(p, bound)
    if p >= nearest(q, epsilon):
        return q
    return min(math.expm1(-bound - epsilon * p) / math.expm1(-epsilon), 1.0)


def select(arms: Arms, own: Own, t: int, rng: Any) -> int:
    """The arm of the running batch, or the largest index where a new one begins."""
    if t <= len(arms):
        return t - 1  # s. 1
    if own.left > 0:
        return int(own.playing)
    log_t = math.log(t)
    best = 0
    best_index = -1.0
    for j in range(len(arms)):
        arm = arms[j]
        mean = clip01(arm.noisy_total / arm.pulls)
        this = largest_private_mean(mean, log_t / arm.pulls, own.epsilon)  # s. 2
        if this > best_index:
            best = j
            best_index = this
    return best  # s. 3


def batch(arm: Arms, own: Own) -> int:
    """How many pulls the arm's next batch has."""
    if arm.pulls == 0:
        return 1
    if own.batches == POWERS:
        return math.ceil(own.growth**arm.released)
    return math.ceil(own.growth * arm.pulls) - int(arm.pulls)


def observe(
    arms: Arms, own: Own, arm: int, pulls: int, reward: float, reward_in_neighbour: float, rng: Any
) -> None:
    """Collect the batch; at its end release its sum and add it to what was released before."""
    pulled = arms[arm]
    if own.left == 0:
        own.playing = arm
        own.left = batch(pulled, own)  # s. 4
    own.left -= pulls
    pulled.pulls += pulls
    pulled.total += reward
    pulled.total_in_neighbour += reward_in_neighbour
    if own.left == 0:
        total, there = pulled.total, pulled.total_in_neighbour
        pulled.noisy_total += laplace(own, total, there, 1.0 / own.epsilon, rng)  # s. 5
        pulled.released += 1
        pulled.total = 0.0
        pulled.total_in_neighbour = 0.0


def leap(arms: Arms, own: Own, t: int, arm: int) -> int:
    """Until the batch ends."""
    if own.left > 0:
        return int(own.left)
    return batch(arms[arm], own)


ARM = {
    "pulls": int,
    "released": int,
    "noisy_total": float,
    "total": float,
    "total_in_neighbour": float,
}
OWN = {"playing": int, "left": int}
ENTRIES = [
    Algorithm(card=CARD, arm=ARM, own=OWN, select=select, observe=observe, leap=leap, lazy=True)
]
