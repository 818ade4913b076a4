"""Thinning of posterior sampling: from one candidate round to the next at once.

The leader's draw exceeds a level but for a chance below `MISSED` a round, whatever it is paid in
the next rounds. As long as no other arm's draw exceeds that level, the leader is chosen. The laws
of the others do not move while the leader is pulled, or move in a known way: with the largest
chance that they have then, the number of rounds before the first candidate is geometric. At the
candidate the chance is thinned to what it is, and the draws are made given that one is above. So
the law of what is played is that of single rounds but for the chance that is added to `neglected`.
"""

from __future__ import annotations

import math
from typing import Any

from dpaudit.machine.leaps.tails import BETA, above, below, draw, draw_above

FAR = 2**62
"""Rounds that are never reached."""
DEVIATIONS = 11.5
"""A normal draw is so many deviations below its mean with a chance of 7e-31."""
SKEW = 60.0
"""And one of Beta(n, 1) that is e^-60 or less has not even a mean of its own scale."""
MISSED = 1e-24
"""The largest chance a round that the leader's draw is missed; nearly always it is below 1e-30."""
WORTH = 0.25
"""A level that the others exceed more often than this saves nothing."""
SHARE = 1.0 / 32.0
LARGEST_SHARE = 1.0 / 8.0


def waiting(pace: Any, n: float, most: int) -> int:
    """A block's rounds: a share of the leader's n pulls, larger where nothing happened of late."""
    if pace.share == 0.0:
        pace.share = SHARE
    return min(most, int(pace.share * n))


def low_end(family: int, a: float, b: float) -> float:
    """A level that hardly any draw falls short of."""
    if family != BETA:
        return a - DEVIATIONS * b
    n = a + b
    return a / n - DEVIATIONS * math.sqrt(a * b / (n * n * n)) - SKEW / n


def somebody_above(laws: Any, family: int, leader: int, level: float) -> float:
    """The chance that some arm besides the leader draws more than the level."""
    none = 0.0
    for j in range(len(laws)):
        if j != leader:
            laws[j].chance = above(family, laws[j].a, laws[j].b, level)
            if laws[j].chance > WORTH:
                return 1.0
            none += math.log1p(-laws[j].chance)
    return -math.expm1(none)


def geometric(chance: float, rng: Any) -> int:
    """Rounds up to the first success, that one included."""
    rounds = rng.standard_exponential() / -math.log1p(-chance) if chance > 0.0 else math.inf
    return int(rounds) + 1 if rounds < FAR else FAR


def wait(
    laws: Any, pace: Any, family: int, leader: int, a: float, b: float, most: int, rng: Any
) -> int:
    """Rounds before the first candidate, at most `most`; -1 where a round had better be played.

    a, b is the leader's law when it is lowest; `laws` are the others' when they are highest.
    """
    level = low_end(family, a, b)
    if most < 2 or (family == BETA and level <= 0.0):
        return -1
    missed = below(family, a, b, level)
    chance = somebody_above(laws, family, leader, level)
    if missed > MISSED or chance > WORTH:
        pace.share = max(0.5 * pace.share, 1.0 / FAR)
        return -1
    if chance * most < 0.25:
        pace.share = min(2.0 * pace.share, LARGEST_SHARE)
    elif chance * most > 2.0:
        pace.share *= 0.5
    pace.kept = leader
    rounds = geometric(chance, rng)
    pace.neglected += missed * min(rounds, most)
    if rounds > most:
        return most
    pace.level, pace.chance = level, chance
    return rounds - 1


def candidate(laws: Any, pace: Any, family: int, rng: Any) -> int:
    """The arm of a candidate round, by the laws as they are in it."""
    highest, level, leader = pace.chance, pace.level, int(pace.kept)
    pace.chance = 0.0
    left = somebody_above(laws, family, leader, level)
    if rng.random() * highest >= left:
        return leader  # thinned: nobody is above
    best, best_value = leader, draw(family, laws[leader].a, laws[leader].b, rng)
    found = False
    for j in range(len(laws)):
        if j == leader:
            continue
        law = laws[j]
        if found:
            value = draw(family, law.a, law.b, rng)
        elif rng.random() * left < law.chance:
            value = draw_above(family, law.a, law.b, level, law.chance, rng)
            found = True
        else:  # it is not above, and somebody is
            left = (left - law.chance) / (1.0 - law.chance)
            continue
        if value > best_value:
            best, best_value = j, value
    return best
