"""What the probability of one outcome of a phase hangs on, and its value for all binary tables.

Private rewards enter through the centres of noisy values, the scores of contests and conditions. So
rounds whose rewards have the same coefficients everywhere are alike, and only their sums count.
"""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb, fmpq

from dpaudit.auditor.engines.exact import in_balls, on_grid
from dpaudit.auditor.engines.exact.forest import Tree, trees
from dpaudit.auditor.engines.exact.noisy_max import ball_win
from dpaudit.auditor.engines.exact.steps.bands import Asked, Condition, Contest
from dpaudit.auditor.engines.exact.steps.forms import Weights, double
from dpaudit.results.found import Floats

Sums = tuple[int, ...]
ZERO = fmpq(0)
OVERHEAD = 10_000
"""What handling an array costs, in numbers that are worked out meanwhile."""


@dataclass(frozen=True)
class Sum:
    """The sum of one arm's rewards over rounds that are alike."""

    rounds: tuple[int, ...]
    arm: int

    @property
    def most(self) -> int:
        return len(self.rounds)


@dataclass(frozen=True)
class Way:
    """One way to the outcome. Its trees, contests and conditions hang on different noise."""

    trees: tuple[Tree, ...]
    contests: tuple[Contest, ...]
    conditions: tuple[Condition, ...]

    @classmethod
    def of(cls, asked: Asked) -> Way:
        found = tuple(trees(asked))
        for tree in found:
            in_balls.check(tree)
        return cls(found, tuple(asked.contests), tuple(asked.conditions))

    def data(self) -> list[Weights]:
        """Of all that moves with the rewards."""
        nodes = [node.data for tree in self.trees for node in tree.nodes]
        scores = [data for contest in self.contests for data, _ in contest.scores]
        return [*nodes, *scores, *(condition.data for condition in self.conditions)]


class Chances:
    """An outcome's probability as a function of sums of rewards."""

    def __init__(self, ways: list[Asked], arms: int) -> None:
        self.ways = [Way.of(asked) for asked in ways]
        columns: dict[int, list[tuple[int, Any]]] = {}
        slots = [data for way in self.ways for data in way.data()]
        for slot, data in enumerate(slots):
            for name, weight in data.items():
                columns.setdefault(name, []).append((slot, weight))
        rows: dict[int, list[tuple[tuple[int, Any], ...]]] = {}
        for name, column in columns.items():
            row = rows.setdefault(name // arms, [()] * arms)
            row[name % arms] = tuple(column)
        alike: dict[tuple[Any, ...], list[int]] = {}
        for t, row in rows.items():
            alike.setdefault(tuple(row), []).append(t + 1)
        self.sums: list[Sum] = []
        self.groups: list[list[int]] = []
        """Places of the sums that one round moves together."""
        self._weights: list[dict[int, Any]] = []
        for row_of, rounds in sorted(alike.items(), key=lambda item: item[1]):
            group = []
            for arm, column in enumerate(row_of):
                if column:
                    group.append(len(self.sums))
                    self.sums.append(Sum(tuple(sorted(rounds)), arm))
                    self._weights.append(dict(column))
            self.groups.append(group)

    @property
    def signature(self) -> str:
        """All that the probability hangs on, whichever rounds and arms these are."""
        ways = [
            (
                [[(n.kind, n.scale, n.low, n.high) for n in tree.nodes] for tree in way.trees],
                [tree.edges for tree in way.trees],
                [([c for _, c in x.scores], x.winner, x.scale, x.noise) for x in way.contests],
                [(x.constant, x.sign, x.holds) for x in way.conditions],
            )
            for way in self.ways
        ]
        return repr((ways, self._weights, [each.most for each in self.sums], self.groups))

    @property
    def size(self) -> int:
        """How many values the sums take together."""
        return math.prod(each.most + 1 for each in self.sums)

    @functools.cached_property
    def largest(self) -> int:
        """How many numbers the largest array holds that all values of the sums take."""
        return max([self.size, *self._arrays()])

    @functools.cached_property
    def work(self) -> int:
        """How many numbers are worked out for all values of the sums."""
        parts = sum(1 + len(way.conditions) for way in self.ways)
        return parts * (self.size + OVERHEAD) + sum(self._arrays())

    def _arrays(self) -> list[int]:
        """The sizes of the grids, one for each node but the roots."""
        slot, found = itertools.count(), list[int]()
        for way in self.ways:
            for tree in way.trees:
                moved: list[set[int]] = []
                for place in (next(slot) for _ in tree.nodes):
                    moved.append({i for i, w in enumerate(self._weights) if place in w})
                for edge in reversed(tree.edges):  # edges lead away from the root
                    moved[edge.parent] |= moved[edge.child]
                if on_grid.gridded(tree):
                    below = (moved[edge.child] for edge in tree.edges)
                    cells = (math.prod(self.sums[i].most + 1 for i in each) for each in below)
                    found += [count * on_grid.POINTS for count in cells]
            rest = len(way.conditions) + sum(len(contest.scores) for contest in way.contests)
            slot = itertools.count(next(slot) + rest)
        return found

    def everywhere(self) -> Floats:
        """For all values of the sums, one a dimension."""
        shape = [each.most + 1 for each in self.sums]
        values = [
            np.arange(n, dtype=float).reshape([-1 if i == j else 1 for j in range(len(shape))])
            for i, n in enumerate(shape)
        ]
        slot, total = itertools.count(), np.zeros(shape)

        def datum(constant: Any = ZERO) -> Any:
            place = next(slot)
            found = np.full([1] * len(shape), double(constant))
            for value, weights in zip(values, self._weights, strict=True):
                if place in weights:
                    found = found + double(weights[place]) * value
            return found

        for way in self.ways:
            parts: list[Any] = []
            for tree in way.trees:
                parts.append(on_grid.chances(tree, [datum() for _ in tree.nodes]))
            for contest in way.contests:
                parts.append(on_grid.won(contest, [datum(c) for _, c in contest.scores]))
            for condition in way.conditions:
                parts.append(_met(condition, datum(condition.constant)))
            total = total + functools.reduce(np.multiply, parts, np.ones([1] * len(shape)))
        return np.asarray(total)

    def at(self, sums: Sums) -> Any:
        """For one value of each, in balls."""
        slot, total = itertools.count(), arb(0)

        def datum(constant: Any = ZERO) -> Any:
            place = next(slot)
            moved = (w[place] * s for w, s in zip(self._weights, sums, strict=True) if place in w)
            return sum(moved, constant)

        for way in self.ways:
            part = arb(1)
            for tree in way.trees:
                part = part * in_balls.chance(tree, [datum() for _ in tree.nodes])
            for contest in way.contests:
                scores = [datum(constant) for _, constant in contest.scores]
                part = part * ball_win(scores, contest.winner, contest.scale, contest.noise)
            for condition in way.conditions:
                value = datum(condition.constant)
                held = value > 0 if condition.sign else value == 0
                part = part * int(held == condition.holds)
            total = total + part
        return total


def _met(condition: Condition, value: Floats) -> Floats:
    """1 where it holds. Values that are 0 but for the rounding of weights are 0."""
    value = np.where(np.abs(value) < 1e-12, 0.0, value)
    held = value > 0.0 if condition.sign else value == 0.0
    return np.asarray(held == condition.holds, float)
