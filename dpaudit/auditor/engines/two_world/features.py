"""Scores of long sequences of actions: how often the arm whose reward was changed is pulled in
windows behind the change and behind the releases that may follow, and how many arms are left.

A score is learnt by least squares from runs and their likelihood ratios. That is a selection; it is
bounded on other runs, whatever it may be.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpaudit.results.found import Event, Floats, Pair
from dpaudit.run.plain import travels

Actions = NDArray[np.int16]

RIDGE = 1e-6
"""Added to the diagonal, relative to it: windows may be counted twice."""
AT_ONCE = 2**22
"""Actions that are looked at at once."""
MOST_ARMS = 64
"""The arms that are left are counted up to so many arms."""


@travels
@dataclass(frozen=True)
class Scored:
    """An event: the score of the first `depth` actions is at least `least`."""

    depth: int
    arms: int
    focus: int
    changed: int
    factors: Floats
    least: float = 0.0

    def values(self, actions: Actions) -> Floats:
        """The scores of runs."""
        piece = max(1, AT_ONCE // self.depth)
        parts = [
            features(actions[i : i + piece, : self.depth], self.arms, self.focus, self.changed)
            @ self.factors
            for i in range(0, len(actions), piece)
        ]
        return np.concatenate(parts)

    def happened(self, actions: Actions) -> NDArray[np.bool_]:
        return self.values(actions) >= self.least

    def described(self) -> Event:
        return Event(
            f"a score of the first {self.depth} actions, how often action {self.focus} is played "
            f"in windows behind round {self.changed}, is at least {self.least:.6g}"
        )


def features(actions: Actions, arms: int, focus: int, changed: int) -> Floats:
    """Runs x features; all are 0 where the changed round did not play the focus."""
    runs, rounds = actions.shape
    pulls = np.zeros((runs, rounds + 1), np.int32)
    np.cumsum(actions == focus, axis=1, out=pulls[:, 1:])
    each = np.arange(runs)
    played = (actions[:, changed - 1] == focus).astype(float)
    columns = [np.ones(runs)]

    def windows(behind: NDArray[np.int64]) -> None:
        """Counts in windows of doubling lengths behind a round of each run; is it there at all?"""
        here = np.minimum(behind, rounds)
        columns.append((behind < rounds).astype(float))
        length, low = 1, pulls[each, here]
        while length < 2 * rounds:
            high = pulls[each, np.minimum(here + length, rounds)]
            columns.append((high - low).astype(float))
            low, length = high, 2 * length

    windows(np.full(runs, changed))
    # Epochs that double end at the pull 2^k - 1 (lengths 1, 2, 4) or at 2^k (doubled totals).
    number = np.maximum(pulls[:, changed], 1)
    double = 2 ** np.ceil(np.log2(number)).astype(np.int64)
    less_one = 2 ** np.ceil(np.log2(number + 1)).astype(np.int64) - 1
    for goal in (double, less_one):
        windows((pulls < goal[:, None]).sum(axis=1).astype(np.int64))
    if 2 < arms <= min(MOST_ARMS, rounds - changed):
        last = actions[:, -arms:]
        columns.append(sum((last == arm).any(axis=1).astype(float) for arm in range(arms)))
    return np.asarray(np.column_stack(columns) * played[:, None])


def learnt(actions: Actions, weights: Floats, pair: Pair) -> Scored | None:
    """The score that is nearest to the likelihood ratios; None where nothing tells them apart."""
    depth, arms = pair.shape
    moved = weights != 1.0
    if moved.sum() < 2:
        return None
    focus = int(np.bincount(actions[moved, pair.round - 1]).argmax())
    piece, size = max(1, AT_ONCE // depth), 0
    gram, target = np.zeros((0, 0)), np.zeros(0)
    for i in range(0, len(weights), piece):
        table = features(actions[i : i + piece, :depth], arms, focus, pair.round)
        if not size:
            size = table.shape[1]
            gram, target = np.zeros((size, size)), np.zeros(size)
        gram += table.T @ table
        target += table.T @ (np.minimum(weights[i : i + piece], 1e6) - 1.0)
    spread = np.sqrt(np.maximum(np.diag(gram), 1e-12))
    gram = gram / spread / spread[:, None] + RIDGE * np.eye(size)
    factors = np.linalg.solve(gram, target / spread) / spread
    return Scored(depth, arms, focus, pair.round, factors)
