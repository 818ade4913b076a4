"""The blocks of the Hessian: sparse at whole histories, dense after an elimination."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dpaudit.optimal.interior.game import Game
from dpaudit.optimal.program import Floats


class Block(Protocol):
    """A symmetric matrix."""

    def add_to(self, into: Floats) -> None: ...

    def summed(self, groups: int) -> Floats:
        """The columns summed in so many groups of neighbours."""


@dataclass(frozen=True)
class Dense:
    """What is left after an elimination."""

    values: Floats

    def add_to(self, into: Floats) -> None:
        into += self.values

    def summed(self, groups: int) -> Floats:
        found: Floats = self.values.reshape(len(self.values), groups, -1).sum(axis=2)
        return found


@dataclass(frozen=True)
class Links:
    """Of whole histories of the same actions: a weight for each change of a letter."""

    game: Game
    weight: Floats

    def add_to(self, into: Floats) -> None:
        self._add(into, 1)

    def summed(self, groups: int) -> Floats:
        found = np.zeros((self.game.columns, groups))
        self._add(found, self.game.columns // groups)
        return found

    def _add(self, into: Floats, together: int) -> None:
        game, here = self.game, np.arange(self.game.columns)
        for w, to, back in zip(self.weight, game.neighbour, game.back, strict=True):
            against = self.weight[back][to]
            into[here, here // together] += w + game.ratio**2 * against
            into[here, to // together] -= game.ratio * (w + against)
