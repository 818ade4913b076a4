"""What exact regret is answered with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpaudit.laboratory.exact.sums import Floats

NEGLIGIBLE = 1e-13
"""Rounds whose wrong choices can cost no more than this altogether are left to the error."""


@dataclass(frozen=True)
class ExactRegret:
    """Expected pseudo-regret at the horizons; `error` bounds |regret - true| at each of them."""

    horizons: NDArray[np.int64]
    regret: Floats
    error: Floats
    how: str
