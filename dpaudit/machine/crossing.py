"""When does one optimistic index overtake another? For indices m + a sqrt(ln t) + b ln t.

In s = sqrt(ln t) the difference of two such indices is a quadratic, so the round in which an arm
that waits overtakes the arm that is pulled is known in closed form.
"""

from __future__ import annotations

import math

FAR = 2**62
"""A round that is never reached."""


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
