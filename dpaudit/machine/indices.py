"""What optimistic indices need: when one of the form m + a sqrt(ln t) + b ln t overtakes another,
and the inverse of the Bernoulli divergence.

In s = sqrt(ln t) the difference of two such indices is a quadratic, so the round in which an arm
that waits overtakes the arm that is pulled is known in closed form.
"""

from __future__ import annotations

import math

FAR = 2**62
"""A round that is never reached."""
BISECTIONS = 50
"""Halvings of [p, 1]; after 50 the bracket is below the spacing of doubles near 1."""

NEWTON = 20
"""Steps at most; three or four are enough where the bound is small."""


def overtaken_at(t: int, constant: float, root: float, linear: float) -> int:
    """First round >= t, up to rounding, with constant + root s + linear s^2 >= 0, s = sqrt(ln t).

    The difference is negative at t; `FAR` where it stays so.
    """
    s = math.sqrt(math.log(t))
    if linear == 0.0:
        crossing = -constant / root if root > 0.0 else math.inf
    else:
        discriminant = root * root - 4.0 * linear * constant
        if discriminant < 0.0:
            crossing = math.inf if linear < 0.0 else s
        else:
            q = -0.5 * (root + math.copysign(math.sqrt(discriminant), root))
            first = q / linear
            second = constant / q if q != 0.0 else first
            low, high = min(first, second), max(first, second)
            if linear > 0.0:
                crossing = high
            else:
                crossing = low if low > s else math.inf
    if crossing > 6.5:
        return FAR
    return max(t, math.ceil(math.exp(crossing * crossing)))


def bernoulli_kl(p: float, q: float) -> float:
    total = 0.0
    if p > 0.0:
        total += p * math.log(p / q)
    if p < 1.0:
        total += (1.0 - p) * math.log((1.0 - p) / (1.0 - q))
    return total


def reached_mean(p: float, bound: float) -> float:
    """Some q in [p, 1) with d(p, q) <= bound, as large as a few steps of Newton's make it.

    Divergence is convex in q, so the steps come down from above; then a little more is taken off.
    """
    if p >= 1.0:
        return 1.0 - 1e-12
    # Pinsker: the largest q is not above this.
    q = min(p + math.sqrt(0.5 * bound), 0.5 * (1.0 + p) if bound < 0.1 else 1.0 - 1e-9)
    for _ in range(NEWTON):
        slope = (q - p) / (q * (1.0 - q))
        over = bernoulli_kl(p, q) - bound
        if q <= p or over <= 0.0 or slope <= 0.0:
            break
        q -= over / slope
        if over < 1e-13 * slope:
            break
    q -= 1e-12
    return q if q > p and bernoulli_kl(p, q) <= bound else p


def largest_mean(p: float, bound: float) -> float:
    """The largest q in [p, 1] with d(p, q) <= bound."""
    if p >= 1.0:
        return 1.0
    low, high = p, 1.0
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        # d(0, 0) = 0, and d(p, 1) is infinite for p < 1.
        if middle <= 0.0 or (middle < 1.0 and bernoulli_kl(p, middle) <= bound):
            low = middle
        else:
            high = middle
    return low
