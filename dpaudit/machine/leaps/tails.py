"""Tails of posteriors: the chance of a draw above a level, and a draw given that it is.

Beta laws by the continued fraction of the incomplete beta function (Abramowitz & Stegun 26.5.8),
with Stirling's form of what stands before it, so that parameters of 10^12 lose no digits that
matter; normal laws by erfc. A law is a family and two numbers: Beta(a, b), or mean a, deviation b.
"""

from __future__ import annotations

import math
from typing import Any

BETA, NORMAL = 0, 1

TERMS = 5_000
"""Of the continued fraction; it needs about sqrt(a + b) of them near the mean, few in a tail."""
CONVERGED = 1e-14
TINY = 1e-300
OFTEN = 0.1
"""A draw above the level is waited for if it is likelier than this."""


def stirling_rest(z: float) -> float:
    """ln Gamma(z) - ((z - 1/2) ln z - z + ln(2 pi) / 2), to 3e-13."""
    if z < 16.0:
        return math.lgamma(z) - ((z - 0.5) * math.log(z) - z + 0.5 * math.log(2.0 * math.pi))
    r = 1.0 / (z * z)
    return (1.0 / 12.0 - r * (1.0 / 360.0 - r * (1.0 / 1260.0 - r / 1680.0))) / z


def log_front(a: float, b: float, x: float) -> float:
    """ln(x^a (1 - x)^b / B(a, b)) for 0 < x < 1."""
    n = a + b
    p, q = a / n, b / n
    divergence = -p * math.log1p((x - p) / p) - q * math.log1p((p - x) / q)
    rest = stirling_rest(n) - stirling_rest(a) - stirling_rest(b)
    return -n * divergence + 0.5 * math.log(p * b / (2.0 * math.pi)) + rest


def away_from_zero(x: float) -> float:
    return x if abs(x) > TINY else TINY


def fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of I_x(a, b), by Lentz's method; 0 where it does not converge."""
    up, down = 1.0, 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0))
    total = down
    for m in range(1, TERMS):
        even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        down = 1.0 / away_from_zero(1.0 + even * down)
        up = away_from_zero(1.0 + even / up)
        total *= down * up
        down = 1.0 / away_from_zero(1.0 + odd * down)
        up = away_from_zero(1.0 + odd / up)
        total *= down * up
        if abs(down * up - 1.0) < CONVERGED:
            return total
    return 0.0


def beta_above(a: float, b: float, x: float) -> float:
    """P(Beta(a, b) > x), 1 where it is too near the middle of a narrow law to be worked out."""
    if x <= 0.0:
        return 1.0
    if x >= 1.0:
        return 0.0
    if x * (a + b + 2.0) < a + 1.0:
        part = fraction(a, b, x)
        return 1.0 - math.exp(log_front(a, b, x)) * part / a
    part = fraction(b, a, 1.0 - x)
    return math.exp(log_front(a, b, x)) * part / b if part > 0.0 else 1.0


def above(family: int, a: float, b: float, level: float) -> float:
    """The chance that a draw exceeds the level."""
    if family == BETA:
        return beta_above(a, b, level)
    return 0.5 * math.erfc((level - a) / (b * math.sqrt(2.0)))


def below(family: int, a: float, b: float, level: float) -> float:
    """The chance that a draw does not exceed the level, with all its digits where it is tiny."""
    if family == BETA:
        return beta_above(b, a, 1.0 - level)
    return 0.5 * math.erfc((a - level) / (b * math.sqrt(2.0)))


def draw(family: int, a: float, b: float, rng: Any) -> float:
    if family == BETA:
        return float(rng.beta(a, b))
    return float(a + b * rng.standard_normal())


def draw_above(family: int, a: float, b: float, level: float, chance: float, rng: Any) -> float:
    """A draw given that it exceeds the level, which has that chance.

    A rare one by rejection: a log-concave density lies below the exponential that touches it at the
    level (Devroye 1986, VII.2.6).
    """
    if chance > OFTEN:
        while True:
            value = draw(family, a, b, rng)
            if value > level:
                return value
    if family == NORMAL:
        rate = (level - a) / b
        while True:
            step = rng.standard_exponential() / rate
            if rng.standard_exponential() >= 0.5 * step * step:
                return float(level + b * step)
    room = 1.0 - level
    slope = (a - 1.0) / level - (b - 1.0) / room
    while True:
        uniform = rng.random()
        step = uniform * room
        if abs(slope * room) > 1e-9:
            step = math.log1p(uniform * math.expm1(slope * room)) / slope
        if step < room:
            ratio = (a - 1.0) * math.log1p(step / level) + (b - 1.0) * math.log1p(-step / room)
            if -rng.standard_exponential() <= ratio - slope * step:
                return float(level + step)
