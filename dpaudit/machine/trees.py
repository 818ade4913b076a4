"""Continual sums: the binary, the logarithmic and the hybrid mechanism (Chan, Shi & Song 2011).

The state lives in the arm's record: an algorithm that uses one spreads `TREE` into its arm fields.
`tree_*` is the binary mechanism (their Algorithm 2), `hybrid_*` their hybrid mechanism, whose
first half alone, the noisy sums at powers of two, is the logarithmic mechanism.
"""

from __future__ import annotations

import math
from typing import Any

from dpaudit.algorithm.contract import Arms, Own
from dpaudit.machine.releases import laplace

LEVELS = 44
"""Levels of a tree: room for 2^44 items."""

TREE: dict[str, Any] = {
    "tree_items": int,
    "tree_sums": (float, LEVELS),
    "tree_sums_in_neighbour": (float, LEVELS),
    "tree_noisy": (float, LEVELS),
}
HYBRID: dict[str, Any] = {
    **TREE,
    "items": int,
    "block": float,
    "block_in_neighbour": float,
    "log_noisy": float,
}


def tree_put(arm: Arms, value: float, value_in_neighbour: float) -> int:
    """Append an item without a release; returns the level of the node that is completed."""
    arm.tree_items += 1
    level = trailing_zeros(arm.tree_items)
    total = value
    total_in_neighbour = value_in_neighbour
    for i in range(level):
        total += arm.tree_sums[i]
        total_in_neighbour += arm.tree_sums_in_neighbour[i]
        arm.tree_sums[i] = 0.0
        arm.tree_sums_in_neighbour[i] = 0.0
        arm.tree_noisy[i] = 0.0
    arm.tree_sums[level] = total
    arm.tree_sums_in_neighbour[level] = total_in_neighbour
    return level


def tree_release(own: Own, arm: Arms, level: int, scale: float, rng: Any) -> None:
    there = arm.tree_sums_in_neighbour[level]
    arm.tree_noisy[level] = laplace(own, arm.tree_sums[level], there, scale, rng)


def tree_add(
    own: Own, arm: Arms, value: float, value_in_neighbour: float, scale: float, rng: Any
) -> None:
    """Append an item: one node is completed and released."""
    level = tree_put(arm, value, value_in_neighbour)
    tree_release(own, arm, level, scale, rng)


def tree_redraw(own: Own, arm: Arms, scale: float, rng: Any) -> None:
    """Run the mechanism anew on the items so far: release every node of the current sum again."""
    for level in range(bit_length(arm.tree_items)):
        if (arm.tree_items >> level) & 1:
            tree_release(own, arm, level, scale, rng)


def tree_sum(arm: Arms) -> float:
    """The noisy sum of all items: the sum of the nodes in the binary expansion of their number."""
    total = 0.0
    for i in range(bit_length(arm.tree_items)):
        total += arm.tree_noisy[i]
    return total


def tree_clear(arm: Arms) -> None:
    for i in range(bit_length(arm.tree_items)):
        arm.tree_sums[i] = 0.0
        arm.tree_sums_in_neighbour[i] = 0.0
        arm.tree_noisy[i] = 0.0
    arm.tree_items = 0


def hybrid_add(
    own: Own,
    arm: Arms,
    value: float,
    value_in_neighbour: float,
    log_scale: float,
    node_scale: float,
    rng: Any,
) -> None:
    """Append an item. At the n-th item, n a power of two, the sum of the block since the last one
    is released with Lap(log_scale) and the tree starts anew; otherwise the tree takes the item."""
    arm.items += 1
    arm.block += value
    arm.block_in_neighbour += value_in_neighbour
    if arm.items & (arm.items - 1) == 0:
        arm.log_noisy += laplace(own, arm.block, arm.block_in_neighbour, log_scale, rng)
        arm.block = 0.0
        arm.block_in_neighbour = 0.0
        tree_clear(arm)
    else:
        tree_add(own, arm, value, value_in_neighbour, node_scale, rng)


def hybrid_invariant(arm: Arms) -> Any:
    """Before every round: the tree has what came since the last power of two."""
    block = 2.0 ** (bit_length(arm.items) - 1)
    return ((arm.items == 0) & (arm.tree_items == 0)) | (arm.tree_items + block == arm.items)


def hybrid_sum(arm: Arms) -> float:
    return float(arm.log_noisy + tree_sum(arm))


def trailing_zeros(n: int) -> int:
    """Number of zero bits at the end of n > 0."""
    return bit_length(n & -n) - 1


def bit_length(n: int) -> int:
    """Number of bits of 0 <= n < 2^53; floor(log2 n) + 1 for n > 0."""
    return int(math.frexp(n)[1])
