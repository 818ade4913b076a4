"""When the noise of trees first passes a bound, without drawing the nodes that nobody looks at.

Between two multiples of 2^l the nodes below level l come and go: a node of level i stays for 2^i
items, so they are the paths through a binary tree of depth l, with noise in each right branch, and
what is looked at after an item is the sum along its path. Wanted is the first item whose sum is
above `room`, and the nodes that are there then; if there is none, all are gone without a trace.

The sums above `room` are at most e^(-TILT room) (1 + M)^l in expectation, M the moment of one node,
and the first of them is an item, its nodes, and no such sum before. So with that chance an item is
drawn by its share of the moment, its nodes from the tilted law, which is thinned to the true one;
then the branches before it are asked in the same way, and it counts if they have none. The law of
what comes out is that of drawing everything. Several trees that take items together are asked
together: an item counts for the first tree that passes there.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpaudit.machine.trees import bit_length, trailing_zeros

TILT = 2.0 / 3.0
"""Sums of l nodes and all their maxima grow by ln(1 + M) / TILT = 1.55 scales a level, about the
least that any tilt gives."""
MOMENT = 1.0 / (1.0 - TILT * TILT)
GROWTH = math.log1p(MOMENT)
SPLIT = 0.5
"""A likelier candidate is not drawn: the two halves are asked one after the other."""
CHEAP = 0.25
"""The likeliest candidate of a block that is walked at once."""
NEVER = 1e-250
"""No chance in so many rounds as there are; what it is divided into does not overflow."""
NONE = -1
LEFT, RIGHT, CHECK = 0, 1, 2


def candidates(levels: int, room: Any) -> float:
    """The expected moment of what passes at the items 1 to 2^levels - 1."""
    total = 0.0
    for j in range(len(room)):
        total += math.exp(-TILT * room[j])
    return total * math.expm1(GROWTH * levels)


def tilted(rng: Any) -> float:
    """From the density of a Laplace variable x times e^(TILT x) / M."""
    size = rng.standard_exponential()
    if rng.random() < 0.5 * (1.0 + TILT):
        return float(size / (1.0 - TILT))
    return float(-size / (1.0 + TILT))


def candidate(levels: int, room: Any, nodes: Any, rng: Any) -> int:
    """An item at which a sum is above its room, and into `nodes` those of its path; or 0."""
    left, who = 0.0, 0
    for j in range(len(room)):
        left += math.exp(-TILT * room[j])
    left *= rng.random()
    for j in range(len(room)):
        left -= math.exp(-TILT * room[j])
        if left < 0.0:
            who = j
            break
    item = 0
    while item == 0:
        for i in range(levels):
            if rng.random() * (1.0 + MOMENT) < MOMENT:
                item |= 1 << i
    over = -room[who]
    for i in range(levels):
        if (item >> i) & 1:
            nodes[i, who] = tilted(rng)
            over += nodes[i, who]
    if over <= 0.0 or rng.standard_exponential() < TILT * over:
        return 0
    for j in range(len(room)):
        if j == who:
            continue
        over = -room[j]
        for i in range(levels):
            if (item >> i) & 1:
                nodes[i, j] = rng.laplace(0.0, 1.0)
                over += nodes[i, j]
        if j < who and over > 0.0:
            return 0  # it counts for tree j
    return item


def first_passage(levels: int, room: Any, path: Any, asked: bool, rng: Any) -> int:
    """The first of the items 1 to 2^levels - 1 at which a sum is above its room, or 0.

    `path` (levels x trees) receives the nodes of the levels that are set in it. `asked`: it has
    been drawn already that there is a candidate. Each part has fewer levels than the one that asks
    for it, so what is open is kept by level.
    """
    trees = len(room)
    rooms = np.empty((levels + 1, trees))
    nodes = np.empty((levels + 1, levels + 1, trees))
    items = np.zeros(levels + 1, np.int64)
    before = np.zeros(levels + 1, np.int64)
    kinds = np.zeros(levels + 1, np.int64)
    above = np.zeros(levels + 1, np.int64)
    here = levels
    for j in range(trees):
        rooms[here, j] = room[j]
    while True:
        found = NONE
        opened = False
        if rooms[here].min() < 0.0:
            found = 0
        else:
            chance = candidates(here, rooms[here])
            if chance > SPLIT and not asked:
                kinds[here], opened = LEFT, True
            elif asked or rng.random() < chance:
                items[here] = candidate(here, rooms[here], nodes[here], rng)
                before[here] = items[here]
                kinds[here], opened = CHECK, items[here] > 0
            asked = False
        # Back to what is open, until it asks for another part.
        entering = opened and kinds[here] == LEFT
        below = here - 1
        while not entering:
            if not opened:
                if here == levels:
                    return max(found, 0)
                here = above[here]
            opened = False
            if kinds[here] == LEFT and found == NONE:
                below = here - 1
                for j in range(trees):
                    nodes[here, below, j] = rng.laplace(0.0, 1.0)
                    rooms[here, j] -= nodes[here, below, j]
                kinds[here], entering = RIGHT, True
            elif kinds[here] == RIGHT and found != NONE:
                found += 1 << (here - 1)
                for j in range(trees):
                    path[here - 1, j] = nodes[here, here - 1, j]
            elif kinds[here] == CHECK:
                if found != NONE:
                    found = NONE  # not the first
                elif before[here] == 0:
                    found = items[here]
                    for i in range(here):
                        for j in range(trees):
                            path[i, j] = nodes[here, i, j]
                else:
                    below = bit_length(before[here]) - 1
                    before[here] -= 1 << below
                    entering = True
        for j in range(trees):
            rooms[below, j] = rooms[here, j]
            if kinds[here] == CHECK:
                rooms[here, j] -= nodes[here, below, j]
        above[below] = here
        here = below


def append(trees: Any, noise: Any, levels: int, scale: float, rng: Any) -> None:
    """So many items, 2^levels, at the end of which one node is new; their number is such that all
    lower ones are free."""
    before = trees[0].tree_items
    level = trailing_zeros(before + (1 << levels))
    for j in range(len(trees)):
        tree = trees[j]
        for i in range(levels, level):
            noise[j] -= tree.tree_noisy[i]
            tree.tree_noisy[i] = 0.0
        tree.tree_noisy[level] = rng.laplace(0.0, scale)
        noise[j] += tree.tree_noisy[level]
        tree.tree_items = before + (1 << levels)


def noise_of(tree: Any) -> float:
    """Of the sum of all items: in far play `tree_noisy` has the noise of the nodes alone."""
    total = 0.0
    for i in range(bit_length(tree.tree_items)):
        total += tree.tree_noisy[i]
    return total


def walk(trees: Any, rooms: Any, sides: Any, rounds: int, scale: float, rng: Any) -> int:
    """Append items, the same number to all trees, until a tree's noise times its side has grown by
    more than its room; at most so many rounds, and one at least. Returns how many."""
    count = len(trees)
    noise, bounds, room = np.empty(count), np.empty(count), np.empty(count)
    for j in range(count):
        noise[j] = noise_of(trees[j])
        bounds[j] = rooms[j] + sides[j] * noise[j]
    done = 0
    while done < rounds:
        moments = 0.0
        for j in range(count):
            room[j] = (bounds[j] - sides[j] * noise[j]) / scale
            moments += math.exp(-TILT * max(0.0, room[j]))
        if room.min() < 0.0:
            if done > 0:
                break
            append(trees, noise, 0, scale, rng)
            return 1
        items = trees[0].tree_items
        levels = bit_length(rounds - done) - 1
        if items > 0:
            levels = min(levels, trailing_zeros(items))
        if levels > 0 and moments > NEVER:
            levels = min(levels, int(math.log1p(CHEAP / moments) / GROWTH))
        if levels > 0 and moments > NEVER and rng.random() < moments * math.expm1(GROWTH * levels):
            path = np.empty((levels, count))
            item = first_passage(levels, room, path, True, rng)
            if item > 0:
                for j in range(count):
                    for i in range(levels):
                        if (item >> i) & 1:
                            trees[j].tree_noisy[i] = sides[j] * scale * path[i, j]
                    trees[j].tree_items = items + item
                return done + item
        append(trees, noise, levels, scale, rng)
        done += 1 << levels
    return done


def grow_singly(tree: Any, room: float, rounds: int, scale: float, rng: Any) -> int:
    """`walk` of one tree that draws each node."""
    fallen = 0.0
    for done in range(1, rounds + 1):
        tree.tree_items += 1
        level = trailing_zeros(tree.tree_items)
        for i in range(level):
            fallen += tree.tree_noisy[i]
            tree.tree_noisy[i] = 0.0
        noise = rng.laplace(0.0, scale)
        tree.tree_noisy[level] = noise
        fallen -= noise
        if fallen > room:
            return done
    return rounds


def grow_at_once(tree: Any, levels: int, rounds: int, scale: float, rng: Any) -> int:
    """New nodes below that level, as they are in the end; what came and went is not drawn."""
    tree.tree_items += rounds
    for i in range(levels):
        there = (tree.tree_items >> i) & 1
        tree.tree_noisy[i] = rng.laplace(0.0, scale) if there else 0.0
    return rounds


def changed(items: int, rounds: int) -> int:
    """Below which level a tree's nodes are others after so many more items."""
    return bit_length(items ^ (items + rounds))


def hybrid_walk(
    trees: Any, rooms: Any, sides: Any, rounds: int, log_scale: float, scale: float, rng: Any
) -> int:
    """The same of hybrid mechanisms, up to a power of two, which is a round of its own."""
    items = trees[0].items
    power = 1 << bit_length(items)
    done = 1
    if items + 1 < power:
        done = walk(trees, rooms, sides, min(rounds, power - 1 - items), scale, rng)
    for j in range(len(trees)):
        if items + 1 == power:
            for i in range(bit_length(trees[j].tree_items)):
                trees[j].tree_noisy[i] = 0.0
            trees[j].tree_items = 0
            trees[j].log_noisy += rng.laplace(0.0, log_scale)
        trees[j].items = items + done
    return done
