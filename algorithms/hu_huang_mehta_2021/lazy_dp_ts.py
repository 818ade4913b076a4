"""Lazy-DP-TS: Hu, Huang & Mehta (arXiv 2102.07929), Algorithm 3; first in Hu & Hegde, "Near-optimal
Thompson Sampling-based algorithms for differentially private stochastic bandits" (UAI 2022),
Algorithm 2."""

from __future__ import annotations

import math
from typing import Any

from dpaudit.algorithm.card import Card, Line, Notion, Parameter, PrivacyClaim
from dpaudit.algorithm.contract import Algorithm, Arms, Own
from dpaudit.algorithms.hu_huang_mehta_2021.anytime_lazy_ucb import ARM, observe, start
from dpaudit.machine.leaps.envelopes import candidate, low_end, wait
from dpaudit.machine.leaps.thinning import waiting
from dpaudit.machine.releases import clip01

CARD = Card(
    name="lazy-dp-ts",
    title="Thompson sampling on noisy, optimistically shifted means of doubling epochs",
    paper="hu_huang_mehta_2021",
    where="Algorithm 3",
    feedback="bandit",
    privacy=PrivacyClaim(Notion.PURE, "Theorem 4", "epsilon-DP", claims=("theorem-4-privacy",)),
    regret="Theorem 5: O(sum over suboptimal arms of log T / min(gap, epsilon))",
    regret_claims=("theorem-5-regret",),
    parent="thompson",
    parent_limit="forgets all but the last epoch of an arm, and pulls each arm once first",
    parameters=(
        Parameter(
            "log_base",
            math.e,
            "base of the logarithm in line 4; Hu & Hegde (2022) declare log to be base 2",
            1.0 + 1e-9,
            1e9,
        ),
    ),
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
            "m = noisy mean + 3 log t / (epsilon O), clipped to [0, 1]; "
            "draw theta from Beta(m O + 1, (1 - m) O + 1) for each arm",
            "theta = rng.beta(",
        ),
        Line("l. 5", "pull the arm of largest theta", "return best"),
        Line(
            "l. 6",
            "count the pull in N and add its reward to the epoch's sum",
            same="anytime-lazy-ucb l. 5",
        ),
        Line("l. 7", "if N has reached 2^(r+1)", same="anytime-lazy-ucb l. 6"),
        Line(
            "l. 8",
            "O = 2^(r+1), noisy mean = (sum + Lap(1/epsilon)) / O, r += 1, N = sum = 0",
            same="anytime-lazy-ucb l. 7",
        ),
        Line("l. 9", "end if"),
        Line("l. 10", "end for"),
    ),
    notes=(
        "Rewards; ties go to the lowest arm.",
        "Hu, Huang & Mehta print log in line 4 and ln elsewhere without saying what log is, and "
        "write log where 2^x is undone (d_j, r_j); Hu & Hegde declare it base 2 for the same line. "
        "The default is natural, which makes the bonus smaller and the privacy the same.",
    ),
)


def select(arms: Arms, own: Own, t: int, rng: Any) -> int:
    """Each arm once, then the arm of the largest posterior draw."""
    if t <= len(arms):
        return t - 1  # l. 2
    log_t = math.log(t) / math.log(own.log_base)
    best = 0
    best_theta = -1.0
    for j in range(len(arms)):
        n = 1 << arms[j].epoch
        shifted = clip01(arms[j].noisy_mean + 3.0 * log_t / (own.epsilon * n))
        theta = rng.beta(shifted * n + 1.0, (1.0 - shifted) * n + 1.0)  # l. 4
        if theta > best_theta:
            best = j
            best_theta = theta
    return best  # l. 5


def posteriors(arms: Arms, own: Own, laws: Any, t: int) -> None:
    """Each arm's law in round t; between releases they only move up, with ln t."""
    log_t = math.log(t) / math.log(own.log_base)
    for j in range(len(arms)):
        n = 1 << arms[j].epoch
        shifted = clip01(arms[j].noisy_mean + 3.0 * log_t / (own.epsilon * n))
        laws[j].a, laws[j].b = shifted * n + 1.0, (1.0 - shifted) * n + 1.0


def stretch(
    arms: Arms, own: Own, pace: Any, laws: Any, t: int, last: int, rng: Any
) -> tuple[int, int]:
    """From candidate to candidate, to the end of the leader's epoch at most."""
    if t <= len(arms):
        return select(arms, own, t, rng), 1
    posteriors(arms, own, laws, t)
    if pace.chance > 0.0:
        return candidate(laws, pace, rng), 1
    leader = 0
    for j in range(1, len(arms)):
        if low_end(laws[j].a, laws[j].b, 1) > low_end(laws[leader].a, laws[leader].b, 1):
            leader = j
    left = (1 << (arms[leader].epoch + 1)) - arms[leader].pending
    most = waiting(pace, t, min(left, last - t + 1))
    if most < 2:
        return select(arms, own, t, rng), 1
    # The leader's law is lowest now, the others' are highest at the end.
    a, b = laws[leader].a, laws[leader].b
    posteriors(arms, own, laws, t + most - 1)
    rounds = wait(laws, pace, leader, a, b, most, rng)
    if rounds > 0:
        return leader, rounds
    if rounds < 0:
        return select(arms, own, t, rng), 1
    posteriors(arms, own, laws, t)
    return candidate(laws, pace, rng), 1


ENTRIES = [
    Algorithm(
        card=CARD,
        arm=ARM,
        own={},
        select=select,
        # "We process the obtained observations exactly as we did in Algorithm 1" (Section 4.2).
        observe=observe,
        start=start,
        stretch=stretch,
    )
]
