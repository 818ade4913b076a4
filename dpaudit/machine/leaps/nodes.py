"""Trees that take many items at once, in law: only the nodes that are left have to be drawn.

What is looked at is the sum of all nodes, and so it does not matter which of the new nodes holds
which of the new items. Nothing is booked: there is one world.
"""

from __future__ import annotations

import math
from typing import Any

from dpaudit.algorithm.contract import Arms
from dpaudit.machine.trees import bit_length

TILT = 0.9
"""Of the exponential moment by which sums of Laplace variables are bounded, from (0, 1)."""
UNLIKELY = 69.0
"""Minus the logarithm of the chance, in each round, that the nodes' noise is below the bound."""
MISSED = 2.0 * math.exp(-UNLIKELY)


def tree_take(arm: Arms, items: int, value: float, scale: float, rng: Any) -> None:
    """Append so many items with that sum."""
    before, after = arm.tree_items, arm.tree_items + items
    carried = value
    levels = bit_length(after)
    for i in range(levels):
        if before >> i != after >> i:  # the node of this level, if there is one, is another
            carried += arm.tree_sums[i]
            arm.tree_sums[i] = 0.0
            arm.tree_noisy[i] = 0.0
    for i in range(levels):
        if before >> i != after >> i and (after >> i) & 1:
            arm.tree_sums[i] = carried
            arm.tree_noisy[i] = carried + rng.laplace(0.0, scale)
            carried = 0.0
    arm.tree_items = after


def noise_below(arm: Arms, levels: int, scale: float) -> float:
    """How far below 0 the noise of the tree's sum may be in some later round, but for `MISSED`.

    Nodes that are there stay or go; of new ones there are at most `levels` at a time, and of their
    sum S, E exp(-TILT S / scale) = (1 - TILT^2)^-levels.
    """
    fresh = scale / TILT * (UNLIKELY - levels * math.log1p(-TILT * TILT))
    there = 0.0
    for i in range(bit_length(arm.tree_items)):
        there += min(0.0, arm.tree_noisy[i] - arm.tree_sums[i])
    return fresh - there
