"""A Laplace release that stays private in floating point: discrete Laplace noise on a grid.

`releases.laplace` adds ordinary floating-point noise. The doubles that value + noise can give are
a porous set that depends on the value, so that the low-order bits of a released number tell worlds
apart whatever the scale (Mironov 2012). Here the value is rounded down to a grid that depends on
the scale alone, and an integer of discrete Laplace noise is added, drawn exactly from random bits
(Canonne, Kamath & Steinke 2020, Algorithms 1 and 2): no logarithm, no rounding after the draw.

What holds, with the grid 2^-24 to 2^-25 of the scale: two values at most D apart lose at most
D / scale if D is a multiple of the grid (as whole numbers are while scale < 2^25), and less than
D / scale + 2^-24 otherwise. Rounding the scale up to the grid makes the noise larger by a factor
below 1 + 2^-24. It is a statement about ideal random bits and about the value handed in: the
generator is the caller's, a sum that was itself rounded may differ between worlds by more than its
sensitivity, and the time that a draw takes is not hidden.
"""

from __future__ import annotations

import math
from typing import Any

from dpaudit.algorithm.contract import Own

RESOLUTION = 25
"""A scale is between 2^(RESOLUTION - 1) and 2^RESOLUTION steps of its grid."""
BITS = 2**53
"""`rng.random()` is a whole number below this, divided by it: 53 random bits."""
FARTHEST = 2.0**60
"""Values are clamped to so many steps of the grid, some 2^35 scales; clamping moves no two values
apart."""


def safe_laplace(
    own: Own, value: float, value_in_neighbour: float, scale: float, rng: Any
) -> float:
    """value + discrete Laplace noise, a multiple of the grid; takes the place of `laplace`."""
    grid = grid_of(scale)
    steps = math.ceil(scale / grid)
    here = on_grid(value, grid)
    there = on_grid(value_in_neighbour, grid)
    noisy = here + discrete_laplace(steps, rng)
    if here != there:
        own.loss += (abs(noisy - there) - abs(noisy - here)) / steps
        own.pure += abs(here - there) / steps
    return noisy * grid


def grid_of(scale: float) -> float:
    """A power of two, so that dividing by it is exact."""
    return math.ldexp(1.0, math.frexp(scale)[1] - RESOLUTION)


def on_grid(value: float, grid: float) -> int:
    """How many steps of the grid a value is, rounded down: moving the value by n steps moves this
    by n, so that values D apart are at most ceil(D / grid) steps apart."""
    return math.floor(min(max(value / grid, -FARTHEST), FARTHEST))


def discrete_laplace(scale: int, rng: Any) -> int:
    """A whole number z with probability proportional to exp(-|z| / scale), exactly."""
    while True:
        remainder = below(scale, rng)
        if not bernoulli_exp(remainder, scale, rng):
            continue
        wraps = 0
        while bernoulli_exp(1, 1, rng):
            wraps += 1
        size = remainder + scale * wraps
        negative = below(2, rng) == 1
        if not (negative and size == 0):  # 0 has one sign only
            return -size if negative else size


def bernoulli_exp(numerator: int, denominator: int, rng: Any) -> bool:
    """True with probability exp(-numerator / denominator), 0 <= numerator <= denominator: how
    often coins of chance x, x/2, x/3, ... fall heads before the first tails is even."""
    trials = 1
    while below(denominator * trials, rng) < numerator:
        trials += 1
    return trials % 2 == 1


def below(n: int, rng: Any) -> int:
    """A uniform whole number in [0, n), n <= 2^53, exactly: what would favour some is redrawn."""
    fair = BITS - BITS % n
    while True:
        bits = int(rng.random() * BITS)
        if bits < fair:
            return bits % n
