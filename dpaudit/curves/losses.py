"""epsilon(m): the largest loss of pure privacy when m rows change, over all tables of an automaton.

It is the largest log-ratio of a sequence's probabilities under two tables, and a sequence hangs on
what it sees of a table only: so it is the largest over paths of pairs of states, found round by
round. Of two ways to the same pair of states with as many changes only the dearer one matters.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpaudit.curves.automaton import Automaton, Ints
from dpaudit.curves.paths import Floats


@dataclass(frozen=True)
class Worst:
    """The largest log-ratio for so many changed rows at most, and where it is reached."""

    changed: int
    loss: float
    actions: list[int]
    here: Floats
    there: Floats


@dataclass(frozen=True)
class _Way:
    """How each pair of states was come by: the pair before, and by arm and letters."""

    before: Ints
    step: Ints


def worst_losses(
    found: Automaton, most: int, progress: Callable[[int], None] = lambda _: None
) -> list[Worst]:
    """For m = 1, ..., most. Both directions are among the pairs."""
    steps = np.array(list(itertools.product(range(2), range(found.letters), range(found.letters))))
    states = np.zeros((1, 3), np.int64)  # here, there, how many rows differ
    values, ways = np.zeros(1), list[_Way]()
    ends: list[tuple[Ints, Floats, Ints]] = []
    for t, layer in enumerate(found.layers, 1):
        progress(t)
        here, there = layer.chances[states[:, 0]], layer.chances[states[:, 1]]
        with np.errstate(invalid="ignore"):
            gained = np.where(here == -np.inf, -np.inf, values[:, None] + here - there)
        ends.append((states[:, 2], gained.max(axis=1), gained.argmax(axis=1)))
        if t == len(found.layers):
            break
        moved, worth, before, step = [], [], [], []
        for number, (arm, a, b) in enumerate(steps):
            after = np.column_stack(
                [
                    layer.following[states[:, 0], arm, a],
                    layer.following[states[:, 1], arm, b],
                    states[:, 2] + (a != b),
                ]
            )
            kept = (after[:, 2] <= most) & (gained[:, arm] > -np.inf)
            moved.append(after[kept])
            worth.append(gained[kept, arm])
            before.append(np.nonzero(kept)[0])
            step.append(np.full(kept.sum(), number))
        states, values, way = _dearest(*map(np.concatenate, (moved, worth, before, step)))
        ways.append(way)
    changes, losses, arms = ends[-1]
    worst = []
    for m in range(1, most + 1):
        allowed = np.where(changes <= m, losses, -np.inf)
        best = int(allowed.argmax())
        actions, here, there = _walked(found, steps, ways, best, int(arms[best]))
        worst.append(Worst(m, float(allowed[best]), actions, here, there))
    return worst


def _dearest(moved: Ints, worth: Floats, before: Ints, step: Ints) -> tuple[Ints, Floats, _Way]:
    order = np.lexsort((step, before, -worth, moved[:, 2], moved[:, 1], moved[:, 0]))
    moved, worth, before, step = moved[order], worth[order], before[order], step[order]
    first = np.ones(len(moved), bool)
    first[1:] = (moved[1:] != moved[:-1]).any(axis=1)
    return moved[first], worth[first], _Way(before[first], step[first])


def _walked(
    found: Automaton, steps: Ints, ways: list[_Way], end: int, last: int
) -> tuple[list[int], Floats, Floats]:
    """The sequence of actions and the two tables; what nobody sees is 0."""
    taken = []
    for way in reversed(ways):
        taken.append(steps[way.step[end]])
        end = int(way.before[end])
    actions, tables = [], np.zeros((2, len(ways) + 1, 2))
    for t, (arm, *letters) in enumerate(reversed(taken)):
        actions.append(int(arm))
        for table, letter in zip(tables, letters, strict=True):
            table[t] = found.rows[np.nonzero(found.seen[:, arm] == letter)[0][0]]
    return [*actions, last], tables[0], tables[1]
