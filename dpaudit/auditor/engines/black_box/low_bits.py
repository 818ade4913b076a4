"""Events on the low-order bits of released doubles (Mironov 2012).

An audit of a released number tries intervals. In floating point more is released than where the
number lies: which doubles a sampler can return depends on what the noise was added to. `bits_of`
turns a mechanism into one that outputs what its low-order bits say, so that
`dpaudit.audit_mechanism` finds events among them. Functions of an output cost no privacy: what is
found holds for the mechanism itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpaudit.errors import UsageError, check_number

Sample = Callable[[Any, int, np.random.Generator], Any]
Values = NDArray[np.float64]

NO_BIT = -9999
"""Stands for the lowest bit of zero."""
REACH = 4
"""Neighbouring uniforms that are tried: they cover the rounding of the inversion and of the sum."""
UNIFORMS = 2.0**53
"""numpy's uniforms are whole numbers divided by this."""


def shape_of(values: Values) -> Values:
    """Sign, exponent and lowest set bit of each double: |y| = odd x 2^bit < 2^exponent.

    value + noise is rounded to the coarser of the two's last bits, so that which bits can be set
    tells on which side of a power of two the value was.
    """
    fraction, exponent = np.frexp(values)
    whole = np.abs(fraction * 2.0**53).astype(np.int64)
    lowest = np.frexp((whole & -whole).astype(np.float64))[1] - 1 + exponent - 53
    lowest = np.where(whole > 0, lowest, NO_BIT)
    return np.stack([np.sign(values), exponent, lowest], axis=1).astype(np.float64)


def attainable(values: Values, centre: float, scale: float) -> NDArray[np.bool_]:
    """Whether numpy's Laplace sampler can have returned each double as centre + noise.

    The noise is scale x log(2u) or -scale x log(2 - 2u), u one of 2^53 uniforms: the uniforms near
    the inverse are tried. It is exact for what was released around `centre` where |centre| is at
    most some hundred scales; an error of the test only makes the event weaker.
    """
    noise = values - centre
    upper = 1.0 - 0.5 * np.exp(-np.maximum(noise, 0.0) / scale)
    near = np.where(noise < 0.0, 0.5 * np.exp(np.minimum(noise, 0.0) / scale), upper)
    found = np.zeros(len(values), np.bool_)
    for step in range(-REACH, REACH + 1):
        u = np.clip(np.rint(near * UNIFORMS) + step, 1.0, UNIFORMS - 1.0) / UNIFORMS
        inside = np.where(u >= 0.5, 2.0 - u - u, u + u)
        # numpy's vectorised log may differ from the sampler's in the last bit; math's does not.
        size = scale * np.array([math.log(x) for x in inside.tolist()])
        found |= centre + np.where(u >= 0.5, -size, size) == values
    return found


def bits_of(sample: Sample, centres: tuple[float, float], scale: float) -> Sample:
    """The mechanism that outputs, for each double that `sample` returns, its shape and whether it
    is attainable around each of the two `centres` with Laplace noise of the given scale."""
    spread = check_number("scale", scale, 0.0, math.inf, low_open=True)

    def bits(data: Any, n: int, rng: np.random.Generator) -> Values:
        values = np.asarray(sample(data, n, rng), dtype=np.float64)
        if values.shape != (n,):
            raise UsageError(f"sample: returned shape {values.shape}, allowed is one number a row")
        fits = [attainable(values, centre, spread) for centre in centres]
        return np.column_stack([*fits, shape_of(values)]).astype(np.float64)

    bits.__qualname__ = f"bits of {getattr(sample, '__qualname__', repr(sample))}"
    return bits
