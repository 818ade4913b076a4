"""Thinning of Beta draws by envelopes: from one candidate round to the next, and nothing neglected.

A level lies between the leader and the others. A round is a candidate if another arm's draw may be
above the level or the leader's below; in all others the leader is chosen. A log-concave density
lies below the exponential that touches it at the level (Devroye 1986, VII.2.6), so a draw beyond
the level comes by proposing a point of that exponential with the mass that it has there, and by
accepting it with the ratio of the two. No tail is worked out.

Laws are Beta(a, b) with a, b >= 1. The mass is monotone in what a block may change, as long as it
is below WORTH. In the mode at fixed a + b: the logit of a draw is log-concave too, so the chance
that it is above its mean is 1/e at least, and the level, which is exceeded less often, lies beyond
that mean, where the density at the level grows as the mode comes nearer; and the exponential falls
more slowly. In a + b at a fixed mode: it falls where (a + b - 2) KL(mode, level) > 1, as psi(x + 1)
is above ln(x + 1/2) and psi(x) below ln x.
"""

from __future__ import annotations

import math
from typing import Any

from dpaudit.machine.leaps.tails import BETA, draw, log_front
from dpaudit.machine.leaps.thinning import LARGEST_SHARE, geometric

WORTH = 0.25
"""A likelier candidate saves nothing."""
SHORTEST = 1.0 / 2**40
ROUNDING = 1e-9
"""Relative, of a mass: its logarithm is a difference of numbers of up to some 10^3."""
SURE = 1.5
"""(a + b - 2) KL of the leader's law: above 1, so that the mass below falls with more pulls."""


def mass(a: float, b: float, level: float) -> float:
    """Of the exponential that touches the density at the level, above it; 1 if that is not steep.
    The chance of a draw above the level is at most that."""
    beyond = (a + b - 2.0) * level - (a - 1.0)
    if beyond <= 0.0:
        return 1.0
    return math.exp(log_front(a, b, level)) / beyond


def proposed(a: float, b: float, level: float, rng: Any) -> float:
    """A point of the exponential, thinned to the density of a draw above the level; -1 if it is
    thinned away."""
    room = 1.0 - level
    slope = ((a + b - 2.0) * level - (a - 1.0)) / (level * room)
    step = rng.standard_exponential() / slope
    if step >= room:
        return -1.0
    ratio = (a - 1.0) * math.log1p(step / level) + (b - 1.0) * math.log1p(-step / room)
    if -rng.standard_exponential() > ratio + slope * step:
        return -1.0
    return float(level + step)


def low_end(a: float, b: float, most: int) -> float:
    """A level that the draws of so many rounds hardly fall short of."""
    n, far = a + b, 2.0 * math.log(10.0 + 4.0 * most)
    return a / n - math.sqrt(far * a * b / (n * n * n)) - 0.5 * far / n


def somebody_beyond(laws: Any, leader: int, level: float) -> float:
    """The chance that some other arm is asked whether its draw is above the level; 1 where
    that is likely."""
    somebody = 0.0
    for j in range(len(laws)):
        if j != leader:
            laws[j].chance = mass(laws[j].a, laws[j].b, level)
            if laws[j].chance > WORTH:
                return 1.0
            somebody += laws[j].chance * (1.0 - somebody)
    return somebody


def wait(laws: Any, pace: Any, leader: int, a: float, b: float, most: int, rng: Any) -> int:
    """Rounds before the first candidate, at most `most`; -1 where a round had better be played.

    a, b is the leader's law when it is lowest; `laws` are the others' when they are highest.
    """
    level = low_end(a, b, most)
    if most < 2 or level <= 0.0:
        return -1
    n, mode = a + b - 2.0, (a - 1.0) / (a + b - 2.0)
    missed = mass(b, a, 1.0 - level)
    chance = 1.0
    far = mode * math.log(mode / level)
    if mode < 1.0:
        far += (1.0 - mode) * math.log((1.0 - mode) / (1.0 - level))
    if missed < WORTH and n * far > SURE:
        chance = somebody_beyond(laws, leader, level)
    if chance > WORTH:
        pace.share = max(0.5 * pace.share, SHORTEST)
        return -1
    chance = (1.0 + ROUNDING) * (chance + missed - chance * missed)
    if chance * most < 0.25:
        pace.share = min(2.0 * pace.share, LARGEST_SHARE)
    elif chance * most > 2.0:
        pace.share *= 0.5
    pace.kept = leader
    rounds = geometric(chance, rng)
    if rounds > most:
        return most
    pace.level, pace.chance = level, chance
    return rounds - 1


def candidate(laws: Any, pace: Any, rng: Any) -> int:
    """The arm of a candidate round, by the laws as they are in it."""
    highest, level, leader = pace.chance, pace.level, int(pace.kept)
    pace.chance = 0.0
    others = somebody_beyond(laws, leader, level)
    first = laws[leader]
    missed = mass(first.b, first.a, 1.0 - level)
    left = others + missed - others * missed
    if rng.random() * highest >= left:
        return leader  # thinned: nobody is asked
    low = -1.0
    found = rng.random() * left < missed
    if found:
        low = proposed(first.b, first.a, 1.0 - level, rng)
    left = others
    best, best_value = -1, level
    for j in range(len(laws)):
        if j == leader:
            continue
        law = laws[j]
        if rng.random() * (1.0 if found else left) < law.chance:
            found = True
            value = proposed(law.a, law.b, level, rng)
            if value > best_value:
                best, best_value = j, value
        elif not found:  # it is not asked, and somebody is
            left = (left - law.chance) / (1.0 - law.chance)
    if low < 0.0:
        if best < 0:
            return leader
        value = level
        while value <= level:
            value = draw(BETA, first.a, first.b, rng)
        return best if best_value > value else leader
    if best >= 0:
        return best
    # All are below the level.
    best, best_value = leader, 1.0 - low
    for j in range(len(laws)):
        if j != leader:
            value = 1.0
            while value > level:
                value = draw(BETA, laws[j].a, laws[j].b, rng)
            if value > best_value:
                best, best_value = j, value
    return best
