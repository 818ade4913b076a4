"""DP-SE, differentially private successive elimination (Sajed & Sheffet 2019)."""

from __future__ import annotations

import math
from typing import Any

from dpaudit.algorithm.card import Card, Line, Notion, Parameter, PrivacyClaim
from dpaudit.algorithm.contract import Algorithm, Arms, Own
from dpaudit.machine.releases import laplace

CARD = Card(
    name="dp-se",
    title="successive elimination on fresh noisy means",
    paper="baselines",
    where="DP-SE",
    feedback="bandit",
    privacy=PrivacyClaim(Notion.PURE, "Sajed & Sheffet", "epsilon-DP"),
    regret="O(sum over suboptimal arms of log T / min(gap, epsilon))",
    anytime=False,
    parameters=(Parameter("beta", 0.0, "failure probability; 0 stands for 1/T", 0.0, 1.0),),
    pseudocode=(
        Line("s. 1", "all arms active, e = 0", "arms[j].active = 1"),
        Line(
            "s. 2",
            "e += 1; R = max(32 ln(8|S|e^2/beta) 4^e, 8 ln(4|S|e^2/beta) 2^e / epsilon) + 1",
            "own.quota = int(",
        ),
        Line(
            "s. 3",
            "pull the active arms in turn until each has R fresh pulls",
            "return next_active(",
        ),
        Line(
            "s. 4",
            "noisy mean = mean of these + Lap(1/(epsilon R))",
            "arms[j].noisy_mean = total / own.quota",
        ),
        Line(
            "s. 5",
            "h = sqrt(ln(8|S|e^2/beta) / (2R)), c = ln(4|S|e^2/beta) / (epsilon R)",
            "h = math.sqrt(",
        ),
        Line(
            "s. 6",
            "drop each arm whose noisy mean is more than 2h + 2c below the best",
            "arm.active = 0",
        ),
        Line("s. 7", "one arm left: pull it for ever", "if own.active == 1:"),
    ),
    notes=(
        "Rewards; arms are pulled in turn, lowest first. R is rounded down to a whole number.",
        "Definition recalled from the literature until checked against the text.",
    ),
)


def failure(own: Own) -> float:
    """beta, by default 1/T."""
    return 1.0 / float(own.horizon) if own.beta == 0.0 else float(own.beta)


def begin_epoch(own: Own) -> None:
    """The epoch's number and its pulls of each active arm."""
    own.epoch += 1
    ratio = own.active * float(own.epoch) ** 2 / failure(own)
    gap = 2.0 ** -float(own.epoch)
    private = 8.0 * math.log(4.0 * ratio) / (own.epsilon * gap)
    own.quota = int(max(32.0 * math.log(8.0 * ratio) / gap**2, private)) + 1  # s. 2


def start(arms: Arms, own: Own) -> None:
    """All arms are active."""
    for j in range(len(arms)):
        arms[j].active = 1  # s. 1
    own.active = len(arms)
    own.last = len(arms) - 1
    begin_epoch(own)


def next_active(arms: Arms, after: int) -> int:
    """The first active arm behind the given one, in turn."""
    j = (after + 1) % len(arms)
    while arms[j].active == 0:
        j = (j + 1) % len(arms)
    return j


def select(arms: Arms, own: Own, t: int, rng: Any) -> int:
    """The active arms in turn."""
    return next_active(arms, own.last)  # s. 3


def observe(
    arms: Arms, own: Own, arm: int, pulls: int, reward: float, reward_in_neighbour: float, rng: Any
) -> None:
    """Collect fresh pulls; when all active arms have their quota, release and eliminate."""
    own.last = arm
    if own.active == 1:  # s. 7
        return
    arms[arm].fresh += pulls
    arms[arm].total += reward
    arms[arm].total_in_neighbour += reward_in_neighbour
    for j in range(len(arms)):
        if arms[j].active == 1 and arms[j].fresh < own.quota:
            return
    eliminate(arms, own, rng)


def eliminate(arms: Arms, own: Own, rng: Any) -> None:
    """End of an epoch."""
    best = -math.inf
    for j in range(len(arms)):
        if arms[j].active == 1:
            there = arms[j].total_in_neighbour
            total = laplace(own, arms[j].total, there, 1.0 / own.epsilon, rng)
            arms[j].noisy_mean = total / own.quota  # s. 4
            best = max(best, arms[j].noisy_mean)
    ratio = own.active * float(own.epoch) ** 2 / failure(own)
    h = math.sqrt(math.log(8.0 * ratio) / (2.0 * own.quota))  # s. 5
    c = math.log(4.0 * ratio) / (own.epsilon * own.quota)
    for j in range(len(arms)):
        arm = arms[j]
        if arm.active == 1 and arm.noisy_mean < best - 2.0 * h - 2.0 * c:
            arm.active = 0  # s. 6
            own.active -= 1
        arm.fresh = 0
        arm.total = 0.0
        arm.total_in_neighbour = 0.0
    # In turn means lowest first: the next epoch begins with the lowest active arm.
    own.last = len(arms) - 1
    begin_epoch(own)


def leap(arms: Arms, own: Own, t: int, arm: int) -> int:
    """For ever, once one arm is left."""
    return 2**62 if own.active == 1 else 1


def stretch(
    arms: Arms, own: Own, pace: Any, laws: Any, t: int, last: int, rng: Any
) -> tuple[int, int]:
    """Several turns at once, each arm its pulls in a row: as many as end before anybody looks."""
    arm = next_active(arms, own.last)
    if own.active < 2:
        return arm, last - t + 1
    if arm == next_active(arms, len(arms) - 1):
        turns = (last - t + 1) // own.active
        pace.kept = max(1, min(own.quota - arms[arm].fresh, turns))
    return arm, pace.kept


ENTRIES = [
    Algorithm(
        card=CARD,
        arm={
            "active": int,
            "fresh": int,
            "noisy_mean": float,
            "total": float,
            "total_in_neighbour": float,
        },
        own={"epoch": int, "quota": int, "active": int, "last": int},
        select=select,
        observe=observe,
        leap=leap,
        stretch=stretch,
        in_order=False,
        start=start,
    )
]
