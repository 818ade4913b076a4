"""Shrink a violating pair to one that a person can check: shortest horizon, fewest ones."""

from __future__ import annotations

from collections.abc import Callable

from dpaudit.results.audit import Floats, Pair

SHRUNK_SHARE = 0.1
"""Part of the error probability for a simpler witness."""


def shrink(pair: Pair, violates: Callable[[Pair], bool], *, cut_rounds: bool = True) -> Pair:
    """The simplest pair on the way down that `violates`; the given one if nothing simpler does.
    `cut_rounds` is for learners that do not know the horizon: others would change with it.

    `violates` may err: it works on selection samples, and what it returns is bounded afterwards.
    """
    rounds = len(pair.rewards)
    for shorter in range(pair.round + 1, rounds if cut_rounds else 0):
        cut = Pair(pair.rewards[:shorter], pair.neighbour[:shorter], pair.round)
        if violates(cut):
            pair = cut
            break
    # Whole rounds first, then single cells; the changed round stays as it is.
    arms = pair.rewards.shape[1]
    for t in range(len(pair.rewards)):
        cells = [(t, arm) for arm in range(arms) if pair.rewards[t, arm] > 0.0]
        if t + 1 == pair.round or not cells:
            continue
        for group in [cells] if len(cells) == 1 else [cells, *([c] for c in cells)]:
            simpler = _without(pair, group)
            if violates(simpler):
                pair = simpler
                break
    return pair


def _without(pair: Pair, cells: list[tuple[int, int]]) -> Pair:
    def cleared(table: Floats) -> Floats:
        copy = table.copy()
        for t, arm in cells:
            copy[t, arm] = 0.0
        return copy

    return Pair(cleared(pair.rewards), cleared(pair.neighbour), pair.round)
