"""The blocks of the Hessian: sparse at whole histories, dense after an elimination."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy.sparse import coo_array

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

    @cached_property
    def matrix(self) -> Any:
        """As a sparse matrix."""
        game, here = self.game, np.arange(self.game.columns)
        against = np.stack(
            [self.weight[b][to] for b, to in zip(game.back, game.neighbour, strict=True)]
        )
        own = (self.weight + game.ratio**2 * against).sum(axis=0)
        entries = np.concatenate([own, -game.ratio * (self.weight + against).ravel()])
        rows = np.tile(here, 1 + len(game.changes))
        columns = np.concatenate([here, game.neighbour.ravel()])
        return coo_array((entries, (rows, columns)), (len(here), len(here))).tocsr()

    def add_to(self, into: Floats) -> None:
        into += self.matrix.toarray()

    def summed(self, groups: int) -> Floats:
        found: Floats = (self.matrix @ self.game.groups(groups)).toarray()
        return found
