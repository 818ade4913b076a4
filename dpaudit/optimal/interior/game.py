"""The program's rows and costs as arrays: a row an action sequence, a column a letter sequence.

Only action sequences that begin with the first arm are kept: the others are renamings of them. Of
the renamings the cyclic ones are used, which take the first arm to each arm once.
"""

from __future__ import annotations

import itertools
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from dpaudit.optimal.orbits import Ints
from dpaudit.optimal.program import Floats, costs
from dpaudit.optimal.question import Question


class Game:
    """A learner is its probabilities x of whole histories; what precedes them are sums of these.
    It is private if x <= ratio x[neighbour] for each neighbour in one letter."""

    def __init__(self, question: Question, ratio: float) -> None:
        self.question, self.ratio = question, ratio
        self.arms, self.letters = question.arms, len(question.letters)
        self.levels = question.levels
        self.rows = self.arms ** (self.levels - 1)
        self.columns = self.width(self.levels)

    def width(self, level: int) -> int:
        """The number of letter sequences that are seen before a level's action."""
        return int(self.letters ** self.question.seen(level))

    @cached_property
    def changes(self) -> list[tuple[int, int]]:
        """(place, shift): what a letter is changed by."""
        places = range(self.question.seen(self.levels))
        return list(itertools.product(places, range(1, self.letters)))

    @cached_property
    def neighbour(self) -> Ints:
        """By change and column, the column of the changed letters."""
        return np.array([self._changed(p, s) for p, s in self.changes], np.int64)

    @cached_property
    def back(self) -> list[int]:
        """By change, the one that undoes it."""
        undone = [(p, self.letters - s) for p, s in self.changes]
        return [self.changes.index(each) for each in undone]

    def _changed(self, place: int, shift: int) -> Ints:
        column = np.arange(self.columns)
        unit = self.letters ** (self.question.seen(self.levels) - 1 - place)
        letter = column // unit % self.letters
        moved: Ints = column + ((letter + shift) % self.letters - letter) * unit
        return moved

    @cached_property
    def cost(self) -> Floats:
        """Regret is the sum of cost times x, on average over the instances, but for the first
        round's. What an early action costs is spread over all that may follow."""
        total = np.zeros((self.rows, self.columns))
        for level in range(1, self.levels + 1):
            width = self.width(level)
            each = costs(self.question, level).reshape(-1, width)[: self.arms ** (level - 1)]
            times = self.rows // len(each), self.columns // width
            total += np.kron(each, np.ones(times)) / times[1]
        return self.arms * total

    @cached_property
    def renamed(self) -> Ints:
        """By arm k, first letters before the renaming that takes the first arm to k."""
        found = self.question.letters
        if not self.question.full:
            return np.zeros((self.arms, 1), np.int64)
        return np.array(
            [[found.index((*o[k:], *o[:k])) for o in found] for k in range(self.arms)], np.int64
        )

    @cached_property
    def apart(self) -> tuple[Ints, Ints]:
        """Columns of which no two are neighbours, as a change of one letter changes the letters'
        sum; and the others."""
        seen = self.question.seen(self.levels)
        places = np.unravel_index(np.arange(self.columns), (self.letters,) * seen)
        alone = np.sum(places, axis=0) % self.letters == 0
        return np.flatnonzero(alone), np.flatnonzero(~alone)

    def groups(self, many: int) -> Any:
        """A sparse matrix that sums columns in groups of neighbours."""
        here, one = np.arange(self.columns), np.ones(self.columns)
        return csr_array((one, (here, here // (self.columns // many))), (self.columns, many))

    @property
    def uniform(self) -> Floats:
        return np.full((self.rows, self.columns), float(self.arms) ** -self.levels)

    def slack(self, x: Floats) -> Floats:
        """ratio x[neighbour] - x, by change, row and column."""
        return np.stack([self.ratio * x[:, to] - x for to in self.neighbour])

    def charge(self, z: Floats) -> Floats:
        """What a history is charged if z is the price of each constraint."""
        found = z.sum(axis=0)
        for change, back in enumerate(self.back):
            found -= self.ratio * z[change][:, self.neighbour[back]]
        return np.asarray(found)

    def least(self, z: Floats) -> float:
        """The least cost and charge of any learner: a lower bound for the private ones."""
        value = self.cost + self.charge(z)
        for level in range(self.levels, 1, -1):
            value = value.reshape(-1, self.arms, self.width(level)).min(axis=1)
            value = value.reshape(len(value), self.width(level - 1), -1).sum(axis=2)
        return float(value[0][self.renamed].min(axis=0).sum()) / self.arms
