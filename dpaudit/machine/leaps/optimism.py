"""Far play of optimistic indices on noisy sums: sum/n + weight bonus/n + root/sqrt(n), where bonus
and root grow with the round: bonus = base + slope ln t, root = sqrt(2 ln t).

In `laws`, an arm's a is its noisy mean, b its weight over n, and chance is 1/sqrt(n). The arm that
is pulled stays ahead as long as the noise of its sum does not fall by more than some room. The room
is what is left if its pulls are paid as little as they may be, against the others' indices at the
end of the block. As little as they may be is nothing, or the least by Hoeffding's inequality: in m
pulls the sum is never sqrt(UNLIKELY m / 2) below its mean, and that mean is as far as
sqrt(UNLIKELY / n) below the average so far (for all n up to twice another, so for all that are
met), but for chances of e^-UNLIKELY each. What pays must be independent, in [0, 1].
"""

from __future__ import annotations

import math
from typing import Any

UNLIKELY = 64.0
MISSED = 2.0 * math.exp(-UNLIKELY)
"""Neglected in each block."""
SMALL = 1.0 / 8.0
"""Of the room, what may be given up for pulls that pay little."""
FAR_OFF = 40.0
"""Scales of the noise; of room beyond them, half may be given up."""
ROUNDING = 1e-14
"""Of a sum of n rewards, relative to n."""


def law_of(law: Any, noisy_sum: float, n: int, weight: float) -> None:
    law.a, law.b, law.chance = noisy_sum / n, weight / n, 1.0 / math.sqrt(n)


def index_of(law: Any, bonus: float, root: float) -> float:
    return float(law.a + law.b * bonus + law.chance * root)


def highest(laws: Any, bonus: float, root: float, apart: int) -> int:
    """The arm of the largest index, one set apart; -1 if there is no other."""
    best, best_index = -1, -math.inf
    for j in range(len(laws)):
        if j != apart:
            this = index_of(laws[j], bonus, root)
            if this > best_index:
                best, best_index = j, this
    return best


def least_mean(total: float, n: int) -> float:
    """What the rewards' mean is at least, by the first n of them."""
    return max(0.0, total / n - math.sqrt(UNLIKELY / n))


def worth(room: float, scale: float, short: float, most: int) -> int:
    """For how many rounds a block is planned; in each the level gains `short` on the least mean."""
    spare = SMALL * room + 0.5 * max(0.0, room - FAR_OFF * scale)
    rounds = max(spare, min(spare * spare / UNLIKELY, 0.3 * spare / max(short, 1e-18)))
    return int(max(1.0, min(float(most), rounds)))


def room_of(
    law: Any, n: int, rounds: int, least: float, level: float, bonus: float, root: float
) -> float:
    """By how much an arm's sum may fall in so many rounds so that its index stays above the level.
    What is needed, n level - root sqrt(n), is convex in n."""
    first, end = n + 1.0, n + float(rounds)
    here, there = first * level - root * math.sqrt(first), end * level - root * math.sqrt(end)
    paid = math.sqrt(0.5 * UNLIKELY * rounds)
    needed = min(max(here, there), max(here - least, there - rounds * least) + paid)
    return float(n * (law.a + law.b * bonus) - needed - ROUNDING * end)


def plan(
    pace: Any,
    laws: Any,
    arm: int,
    n: int,
    least: float,
    base: float,
    slope: float,
    scale: float,
    t: int,
    last: int,
) -> tuple[int, float]:
    """Rounds from t on for which the arm, pulled n times so far and paid `least` on average at
    least, stays ahead if the noise of its sum does not fall by more than some room; and that room.

    The others' indices grow with ln t: a block is a share of the rounds so far, larger after each
    one, and less where that takes too much of the room.
    """
    bonus, root = base + slope * math.log(t), math.sqrt(2.0 * math.log(t))
    rival = highest(laws, bonus, root, arm)
    if rival < 0:
        return last - t + 1, math.inf
    level = index_of(laws[rival], bonus, root)
    room = n * (index_of(laws[arm], bonus, root) - level)
    pace.share = min(1.0, 2.0 * pace.share + 1e-12)
    most = max(1, min(last - t + 1, int(pace.share * t)))
    rounds = worth(room, scale, level - least, most)
    pace.neglected += MISSED
    while True:
        log_then = math.log(t + rounds)
        then, root_then = base + slope * log_then, math.sqrt(2.0 * log_then)
        level = index_of(laws[highest(laws, then, root_then, arm)], then, root_then)
        left = room_of(laws[arm], n, rounds, least, level, bonus, root)
        if rounds == 1 or left >= 0.5 * room:
            return rounds, left
        pace.share = 0.5 * rounds / t
        rounds //= 2
