"""DP-UCB-INT: Tossou & Dimitrakakis, "Algorithms for differentially private multi-armed bandits"
(AAAI 2016), Algorithm 3, with the release schedules of Lemma B.1."""

from __future__ import annotations

import math
from typing import Any

from dpaudit.algorithm.card import Card, Line, Notion, Parameter, PrivacyClaim
from dpaudit.algorithm.contract import Algorithm, Arms, Own, Settings
from dpaudit.machine.leaps.thinning import geometric
from dpaudit.machine.releases import laplace

PRINTED = 1.0
DROPPED = 1.0
INTERVAL = 0.0
LEMMA_X = 1.0


def claimed_epsilon(settings: Settings) -> float:
    """Theorem 3.4 with t = horizon; its second sum has n^v where t^v is printed (Appendix B.2).

    The y series of Lemma B.1 carries the step from (B.2) to (B.3) only: the second bound alone.
    """
    v, epsilon, rounds = settings["v"], settings["epsilon"], int(settings["horizon"])
    each = [n ** (-v / 2) for n in range(1, rounds + 1)]
    basic = epsilon * sum(each)
    squares = epsilon * sum(e * e for e in each)
    advanced = epsilon * sum(e * math.expm1(e) for e in each)
    advanced += math.sqrt(2.0 * squares * math.log(1.0 / settings["delta"]))
    return float(advanced if settings["schedule"] == "lemma-y" else min(basic, advanced))


CARD = Card(
    name="dp-ucb-int",
    title="UCB on means released every 1/epsilon pulls with noise that does not depend on epsilon",
    paper="tossou_dimitrakakis_2016",
    where="Algorithm 3",
    feedback="bandit",
    privacy=PrivacyClaim(
        Notion.APPROXIMATE,
        "Theorem 3.4",
        "(epsilon', delta')-DP, epsilon' the smaller of basic and advanced composition",
        claimed_epsilon,
        per_step=True,
        claims=("theorem-3-4-first-bound", "theorem-3-4-denominator"),
    ),
    regret="Theorem 3.5: sum over suboptimal arms of gap (f_0 + 8 ln t / gap^2 + 1 + 4 zeta(1.5))",
    regret_claims=("theorem-3-5",),
    parent="ucb1",
    parent_limit="its noise does not depend on epsilon, and epsilon is at most 1",
    epsilon_max=1.0,
    parameters=(
        Parameter("v", 1.1, "exponent of the p-series", 1.0 + 1e-9, 1.5),
        Parameter("delta", math.exp(-10), "delta' of the claim", 1e-300, 1.0),
        Parameter(
            "schedule",
            "interval",
            "release every ceil(1/epsilon) pulls, or by the x or the y series of Lemma B.1",
            words=("interval", "lemma-x", "lemma-y"),
        ),
        Parameter(
            "redraw",
            "intended",
            "an arm that waits keeps its released mean, or gets new noise each round as printed",
            words=("intended", "printed"),
        ),
        Parameter(
            "first_rewards",
            "counted",
            "the rewards of the first K f rounds are in the sums, or dropped as printed",
            words=("counted", "dropped"),
        ),
    ),
    pseudocode=(
        Line("l. 1", "input: epsilon in (0, 1], v in (1, 1.5], the arms"),
        Line("l. 2", "f = ceil(1/epsilon), x = 0", "own.first = next_release(own, 0)"),
        Line("l. 3", "for t = 1, ..., T"),
        Line("l. 4", "if t <= K f: play arm (t-1) mod K + 1", "return (t - 1) % len(arms)"),
        Line("l. 5", "else, for each arm: if n mod f = 0", "if n == arm.due and"),
        Line("l. 6", "x = sum/n + Lap(1/n^(1 - v/2)) + sqrt(2 ln t / n)", "arm.index = noisy +"),
        Line("l. 7", "pull the arm of largest x", "return best"),
        Line("l. 8", "add its reward to its sum", "pulled.total += reward"),
    ),
    notes=(
        "The pseudo-code is not numbered; the lines are counted here. Rewards; ties to the lowest.",
        "As printed, an arm that waits with n mod f = 0 is released anew in every round. Section "
        "3.3 says one release at the beginning of each interval; that is the default.",
        "As printed, only line 8 adds to the sums, so the first K f rewards are lost while n "
        "counts them; the default counts them.",
        "Theorem 3.4 prints sqrt(t^v) in a sum over n; Appendix B.2 has n^v, which the claim uses. "
        "Of Lemma B.1's series, y is built for the second bound only, and is held to that alone.",
        "With f = 1 every n is a multiple of f. Lemma B.1's series give W_1 = f_0 first pulls.",
    ),
)


def next_release(own: Own, last: int) -> int:
    """The number of pulls at which an arm's mean is released next (Lemma B.1: W_(n+1))."""
    if own.schedule == INTERVAL:
        return last + math.ceil(1.0 / own.epsilon)
    power = 0.5 * own.v if own.schedule == LEMMA_X else own.v
    n = last
    total = 0.0
    while True:
        n += 1
        term = float(n) ** -power
        total += term
        # The lemma's bound f_n <= ceil(1/epsilon) holds: the terms decrease.
        if total >= term / own.epsilon:
            return n


def start(arms: Arms, own: Own) -> None:
    """The length of the first interval."""
    own.first = next_release(own, 0)  # l. 2
    for j in range(len(arms)):
        arms[j].due = own.first


def opening(arms: Arms, own: Own) -> int:
    """Line 4."""
    return int(len(arms) * own.first)


def select(arms: Arms, own: Own, t: int, rng: Any) -> int:
    """Each arm f times, then the arm of the largest released index."""
    if t <= opening(arms, own):
        return (t - 1) % len(arms)  # l. 4
    best = 0
    for j in range(len(arms)):
        arm = arms[j]
        n = arm.pulls
        if n == arm.due and (own.redraw == PRINTED or arm.released != n):  # l. 5
            scale = float(n) ** (0.5 * own.v - 1.0)
            noisy = laplace(own, arm.total / n, arm.total_in_neighbour / n, scale, rng)
            arm.index = noisy + math.sqrt(2.0 * math.log(t) / n)  # l. 6
            arm.released = n
        if arm.index > arms[best].index:
            best = j
    return best  # l. 7


def observe(
    arms: Arms, own: Own, arm: int, pulls: int, reward: float, reward_in_neighbour: float, rng: Any
) -> None:
    """Count the pull; the next interval begins with the first pull after a release was due."""
    pulled = arms[arm]
    if pulled.pulls == pulled.due:
        pulled.due = next_release(own, pulled.due)
    pulled.pulls += pulls
    if own.first_rewards != DROPPED or pulled.pulls > own.first:
        pulled.total += reward  # l. 8
        pulled.total_in_neighbour += reward_in_neighbour


def leap(arms: Arms, own: Own, t: int, arm: int) -> int:
    """With kept means the choice stays until the pulled arm's next release."""
    if own.redraw == PRINTED or t <= opening(arms, own):
        return 1
    pulled = arms[arm]
    due = next_release(own, pulled.due) if pulled.pulls == pulled.due else pulled.due
    return int(due - pulled.pulls)


def settle(arms: Arms, own: Own, pace: Any, t: int, rng: Any) -> None:
    """The release that may lose the lead, of which the chance was bounded."""
    arm = arms[int(pace.kept)]
    n = arm.pulls
    scale = float(n) ** (0.5 * own.v - 1.0)
    centre = arm.total / n + math.sqrt(2.0 * math.log(t) / n)
    if rng.random() * pace.chance < 0.5 * math.exp((pace.level - centre) / scale):
        # Below a level that is below its centre, Laplace noise is exponential.
        arm.index = pace.level - scale * rng.standard_exponential()
    else:
        arm.index = centre + rng.laplace(0.0, scale)
        while arm.index < pace.level:
            arm.index = centre + rng.laplace(0.0, scale)
    arm.released = n
    pace.chance = 0.0


def stretch(
    arms: Arms, own: Own, pace: Any, laws: Any, t: int, last: int, rng: Any
) -> tuple[int, int]:
    """Over the releases of the leading arm, to the first that may lose the lead."""
    if pace.chance > 0.0:
        settle(arms, own, pace, t, rng)
    arm = select(arms, own, t, rng)
    rounds = min(leap(arms, own, t, arm), last - t + 1)
    if own.redraw == PRINTED or own.schedule != INTERVAL or t <= opening(arms, own):
        return arm, rounds
    interval = math.ceil(1.0 / own.epsilon)
    pulled = arms[arm]
    first = pulled.pulls + leap(arms, own, t, arm)
    end = pulled.pulls + min(last - t + 1, pulled.pulls // 16)
    releases = (end - first) // interval
    if releases < 2:
        return arm, rounds
    pace.level = -math.inf
    for j in range(len(arms)):
        if j != arm:
            pace.level = max(pace.level, arms[j].index)
    # Lowest when all pulls fail; the noise is largest at the first release.
    scale = float(first) ** (0.5 * own.v - 1.0)
    lowest = pulled.total / end + math.sqrt(2.0 * math.log(t) / end)
    if pace.level >= lowest:
        return arm, rounds
    chance = 0.5 * math.exp((pace.level - lowest) / scale)
    wait = geometric(chance, rng)
    if wait <= releases:
        pace.chance = chance
        pace.kept = arm
    return arm, int(first - pulled.pulls + (min(wait, releases + 1) - 1) * interval)


def take(
    arms: Arms, own: Own, arm: int, pulls: int, reward: float, reward_in_neighbour: float, rng: Any
) -> None:
    """Several intervals at once: the next release is that of the last one begun."""
    observe(arms, own, arm, pulls, reward, reward_in_neighbour, rng)
    pulled = arms[arm]
    if pulled.pulls > pulled.due:
        interval = math.ceil(1.0 / own.epsilon)
        pulled.due += -((pulled.due - pulled.pulls) // interval) * interval


ENTRIES = [
    Algorithm(
        card=CARD,
        arm={
            "pulls": int,
            "due": int,
            "released": int,
            "index": float,
            "total": float,
            "total_in_neighbour": float,
        },
        own={"first": int},
        select=select,
        observe=observe,
        leap=leap,
        stretch=stretch,
        take=take,
        start=start,
        opening=opening,
    )
]
