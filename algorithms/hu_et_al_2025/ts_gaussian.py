"""TS-Gaussian (Agrawal & Goyal 2017) and M-TS-Gaussian (Ou, Avella Medina & Cummings 2024), as Hu,
Huang, Zhang, Lécuyer & Hegde (ICML 2025) describe them in Section 3."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from dpaudit.algorithm.card import Card, Line, Notion, Parameter, PrivacyClaim
from dpaudit.algorithm.contract import Algorithm, Arms, Own, Settings
from dpaudit.machine.leaps.tails import NORMAL
from dpaudit.machine.leaps.thinning import candidate, wait, waiting
from dpaudit.machine.releases import gaussian

PARAMETERS = (
    Parameter("b", 0.0, "pulls of each arm before the first draw", 0.0, 1e9, whole=True),
    Parameter("c", 1.0, "the variance of a draw is c / n", 1e-9, 1e9),
    Parameter(
        "offset",
        "1",
        "n is the number of pulls plus this, in the mean and in the variance",
        words=("0", "1"),
    ),
)


def claimed_modified(settings: Settings) -> float:
    """sqrt(T / (c (b + 1)))."""
    return math.sqrt(settings["horizon"] / (settings["c"] * (settings["b"] + 1.0)))


def claimed_plain(settings: Settings) -> float:
    """sqrt(T / 2)."""
    return math.sqrt(0.5 * settings["horizon"])


def card(
    name: str, title: str, claim: PrivacyClaim, regret: str, fixed: Mapping[str, float | str]
) -> Card:
    """The card of one of the two."""
    return Card(
        name=name,
        title=title,
        paper="hu_et_al_2025",
        where="Section 3",
        feedback="bandit",
        privacy=claim,
        regret=regret,
        parameters=PARAMETERS,
        fixed=fixed,
        pseudocode=(
            Line(
                "s. 1",
                "pull each arm b times (at least once where offset = 0)",
                "return (t - 1) % len(arms)",
            ),
            Line(
                "s. 2",
                "then, in every round, for each arm: n = pulls + offset",
                "n = arms[j].pulls + own.offset",
            ),
            Line("s. 3", "draw theta from N(sum of rewards / n, c / n)", "theta = gaussian("),
            Line("s. 4", "pull the arm of largest theta", "return best"),
        ),
        notes=(
            "Rewards; ties go to the lowest arm.",
            "Section 3 prints N(mean, c/n) with n the number of pulls. Agrawal & Goyal, and Ou et "
            "al. whose GDP claims are quoted, divide by pulls + 1 in both places; that is the "
            "default, and offset=0 is Section 3 to the letter.",
            "Definition recalled from the literature until checked against the two sources.",
        ),
    )


def opening(arms: Arms, own: Own) -> int:
    """The pre-pulls; without the offset an arm needs one pull before its first draw."""
    return int(max(own.b, 1.0 - own.offset) * len(arms))


def select(arms: Arms, own: Own, t: int, rng: Any) -> int:
    """Pre-pulls in turn, then the arm of the largest draw. The draw is the release."""
    if t <= opening(arms, own):
        return (t - 1) % len(arms)  # s. 1
    best = 0
    best_theta = -math.inf
    for j in range(len(arms)):
        n = arms[j].pulls + own.offset  # s. 2
        here, there = arms[j].total / n, arms[j].total_in_neighbour / n
        theta = gaussian(own, here, there, math.sqrt(own.c / n), rng)  # s. 3
        if theta > best_theta:
            best = j
            best_theta = theta
    return best  # s. 4


def observe(
    arms: Arms, own: Own, arm: int, pulls: int, reward: float, reward_in_neighbour: float, rng: Any
) -> None:
    """Count the pull and its reward."""
    arms[arm].pulls += pulls
    arms[arm].total += reward
    arms[arm].total_in_neighbour += reward_in_neighbour


def stretch(
    arms: Arms, own: Own, pace: Any, laws: Any, t: int, last: int, rng: Any
) -> tuple[int, int]:
    """From candidate to candidate: only the pulled arm's law moves."""
    if t <= opening(arms, own):
        return select(arms, own, t, rng), 1
    leader = 0
    for j in range(len(arms)):
        pulls = arms[j].pulls + own.offset
        laws[j].a, laws[j].b = arms[j].total / pulls, math.sqrt(own.c / pulls)
        if arms[j].pulls > arms[leader].pulls:
            leader = j
    if pace.chance > 0.0:
        return candidate(laws, pace, NORMAL, rng), 1
    pulls = arms[leader].pulls + own.offset
    most = waiting(pace, pulls, last - t + 1)
    # The leader's mean is lowest when it has failed all along; its deviation is largest now.
    lowest = arms[leader].total / (pulls + most)
    rounds = wait(laws, pace, NORMAL, leader, lowest, laws[leader].b, most, rng)
    if rounds < 0:
        return select(arms, own, t, rng), 1
    return (leader, rounds) if rounds > 0 else (candidate(laws, pace, NORMAL, rng), 1)


ENTRIES = [
    Algorithm(
        card=c,
        arm={"pulls": int, "total": float, "total_in_neighbour": float},
        own={},
        select=select,
        observe=observe,
        opening=opening,
        stretch=stretch,
    )
    for c in (
        card(
            "ts-gaussian",
            "Thompson sampling with Gaussian priors, private by its own draws",
            PrivacyClaim(
                Notion.GDP,
                "Section 3",
                "sqrt(T/2)-GDP",
                claimed_plain,
                claims=("ts-gaussian-as-described",),
            ),
            "O(sum over suboptimal arms of ln(T gap^2) / gap)",
            {"b": 0.0, "c": 1.0},
        ),
        card(
            "m-ts-gaussian",
            "TS-Gaussian with b pre-pulls and variance c/n",
            PrivacyClaim(
                Notion.GDP,
                "Section 3",
                "sqrt(T/(c(b+1)))-GDP",
                claimed_modified,
                claims=("m-ts-gaussian-variance",),
            ),
            "b K + O(sum over suboptimal arms of c ln(T gap^2) / gap)",
            {},
        ),
    )
]
