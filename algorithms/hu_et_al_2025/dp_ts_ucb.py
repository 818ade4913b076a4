"""DP-TS-UCB: Hu, Huang, Zhang, Lécuyer & Hegde, "Connecting Thompson sampling and UCB: towards more
efficient trade-offs between privacy and regret" (ICML 2025), Algorithm 1."""

from __future__ import annotations

import math
from typing import Any

from dpaudit.algorithm.card import Card, Line, Notion, Parameter, PrivacyClaim
from dpaudit.algorithm.contract import Algorithm, Arms, Own, Settings
from dpaudit.machine.releases import gaussian


def budget(alpha: float, horizon: int) -> float:
    """phi = c_0 T^(0.5 (1 - alpha)) ln^(0.5 (3 - alpha)) T with c_0 = sqrt(2 pi e)."""
    log_t = math.log(horizon)
    power = horizon ** (0.5 * (1.0 - alpha)) * log_t ** (0.5 * (3.0 - alpha))
    return math.sqrt(2.0 * math.pi * math.e) * float(power)


def claimed_gdp(settings: Settings) -> float:
    """Theorem 4.4: sqrt(2 c_0 T^(0.5 (1 - alpha)) ln^(1.5 (1 - alpha)) T)."""
    alpha, horizon = settings["alpha"], int(settings["horizon"])
    power = horizon ** (0.5 * (1.0 - alpha)) * math.log(horizon) ** (1.5 * (1.0 - alpha))
    return math.sqrt(2.0 * math.sqrt(2.0 * math.pi * math.e) * power)


CARD = Card(
    name="dp-ts-ucb",
    title="Gaussian Thompson sampling with a budget of draws per epoch, then their maximum",
    paper="hu_et_al_2025",
    where="Algorithm 1",
    feedback="bandit",
    privacy=PrivacyClaim(
        Notion.GDP,
        "Theorem 4.4",
        "sqrt(2 c_0 T^(0.5(1-alpha)) ln^(1.5(1-alpha)) T)-GDP",
        claimed_gdp,
        claims=("theorem-4-4",),
    ),
    regret="Theorem 4.2: O(sum of ln(T^(0.5(3-alpha)) gap^2) ln^alpha T / gap + lower terms)",
    regret_claims=("theorem-4-2",),
    anytime=False,
    parent="ts-gaussian",
    parent_limit="forgets all but the last epoch of an arm and stops drawing after phi rounds",
    parameters=(Parameter("alpha", 1.0, "privacy against regret", 0.0, 1.0),),
    pseudocode=(
        Line(
            "l. 1",
            "input: alpha, T, phi = sqrt(2 pi e) T^(0.5(1-alpha)) ln^(0.5(3-alpha)) T",
            "own.phi = budget(",
        ),
        Line("l. 2", "pull each arm once: n, mean; r = 1, O = 0, h = phi, MAX = 0", "return t - 1"),
        Line("l. 3", "for t = K+1, ..., T"),
        Line("l. 4", "for each arm"),
        Line("l. 5", "if h >= 1", "if arm.draws_left >= 1.0:"),
        Line("l. 6", "draw theta from N(mean, ln^alpha T / n)", "theta = gaussian("),
        Line("l. 7", "h -= 1, MAX = max(MAX, theta)", "arm.draws_left -= 1.0"),
        Line("l. 8", "else"),
        Line("l. 9", "theta = MAX", "theta = arm.highest"),
        Line("l. 10", "end if"),
        Line("l. 11", "end for"),
        Line("l. 12", "pull the arm of largest theta, O += 1", "pulled.pending += pulls"),
        Line("l. 13", "if O = 2^r", "if pulled.pending == 1 <<"),
        Line(
            "l. 14",
            "mean = the mean of these n = 2^r rewards",
            "pulled.observations = pulled.pending",
        ),
        Line("l. 15", "h = phi, MAX = 0", "pulled.draws_left = own.phi"),
        Line("l. 16", "r += 1, O = 0", "pulled.epoch += 1"),
        Line("l. 17", "end if"),
        Line("l. 18", "end for"),
    ),
    notes=(
        "Rewards; ties go to the lowest arm (they occur: MAX is 0 where all draws are negative).",
        "phi is not rounded: with h >= 1 as the test, floor(phi) draws are made.",
        "Line 2 is the epoch of length 2^0: r starts at 0 and the same code closes it.",
    ),
)


def start(arms: Arms, own: Own) -> None:
    """The budget and the variance's numerator."""
    own.phi = budget(own.alpha, own.horizon)  # l. 1
    own.numerator = math.log(own.horizon) ** own.alpha


def select(arms: Arms, own: Own, t: int, rng: Any) -> int:
    """Each arm once, then the arm of the largest model value; each draw is a release."""
    if t <= len(arms):
        return t - 1  # l. 2
    best = 0
    best_theta = -math.inf
    for j in range(len(arms)):
        arm = arms[j]
        if arm.draws_left >= 1.0:  # l. 5
            n = arm.observations
            sigma = math.sqrt(own.numerator / n)
            here, there = arm.closed / n, arm.closed_in_neighbour / n
            theta = gaussian(own, here, there, sigma, rng)  # l. 6
            arm.draws_left -= 1.0  # l. 7
            arm.highest = max(arm.highest, theta)
        else:
            theta = arm.highest  # l. 9
        if theta > best_theta:
            best = j
            best_theta = theta
    return best


def observe(
    arms: Arms, own: Own, arm: int, pulls: int, reward: float, reward_in_neighbour: float, rng: Any
) -> None:
    """Collect the epoch; at its end the mean is that of the epoch alone."""
    pulled = arms[arm]
    pulled.pending += pulls  # l. 12
    pulled.total += reward
    pulled.total_in_neighbour += reward_in_neighbour
    if pulled.pending == 1 << pulled.epoch:  # l. 13
        pulled.observations = pulled.pending  # l. 14
        pulled.closed = pulled.total
        pulled.closed_in_neighbour = pulled.total_in_neighbour
        pulled.draws_left = own.phi  # l. 15
        pulled.highest = 0.0
        pulled.epoch += 1  # l. 16
        pulled.pending = 0
        pulled.total = 0.0
        pulled.total_in_neighbour = 0.0


def stretch(
    arms: Arms, own: Own, pace: Any, laws: Any, t: int, last: int, rng: Any
) -> tuple[int, int]:
    """Once all budgets are spent nothing is random until the pulled arm's epoch ends."""
    spent = t > len(arms)
    for j in range(len(arms)):
        spent = spent and arms[j].draws_left < 1.0
    arm = select(arms, own, t, rng)
    rounds = (1 << arms[arm].epoch) - arms[arm].pending if spent else 1
    return arm, min(rounds, last - t + 1)


ENTRIES = [
    Algorithm(
        card=CARD,
        arm={
            "observations": int,
            "epoch": int,
            "pending": int,
            "total": float,
            "total_in_neighbour": float,
            "closed": float,
            "closed_in_neighbour": float,
            "draws_left": float,
            "highest": float,
        },
        own={"phi": float, "numerator": float},
        select=select,
        observe=observe,
        start=start,
        stretch=stretch,
    )
]
