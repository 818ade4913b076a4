"""Newton's equations of the interior-point method, solved by elimination from the leaves.

The Hessian of the privacy constraints links histories of the same actions only: it has a block for
each action sequence. Consistency links an action sequence to those that go on from it: their
probabilities, summed over the last action, do not depend on the last letter. So the last actions
are eliminated for each of what precedes them, which leaves a block for that, and so on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.linalg import blas, lapack, null_space

from dpaudit.optimal.interior.game import Game
from dpaudit.optimal.program import Floats


class Breakdown(ArithmeticError):
    """The equations are too ill-conditioned for doubles."""


class Block(Protocol):
    """A block of the Hessian."""

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


@dataclass(frozen=True)
class Eliminated:
    """The last actions after a history, all but the last arm, as functions of the history's own
    probabilities p: lower lower' y = - gradient - cross p, where held = lower^-1 cross."""

    lower: Floats
    held: Floats


class Newton:
    """Minimises half dx' H dx + g dx over the dx that leave a learner consistent."""

    def __init__(self, game: Game, weight: Floats) -> None:
        self.game = game
        self.done: list[list[Eliminated]] = []
        blocks: Sequence[Block] = [Links(game, weight[:, row]) for row in range(game.rows)]
        for level in range(game.levels, 1, -1):
            blocks = self._eliminate(blocks, level)
        root = np.zeros((game.width(1), game.width(1)), order="F")
        blocks[0].add_to(root)
        sums = np.zeros((game.width(1), game.width(1)))
        for line in game.renamed:
            sums[np.arange(len(line)), line] += 1.0
        self.free = null_space(sums)
        self.root = self.free.T @ root @ self.free

    def _eliminate(self, blocks: Sequence[Block], level: int) -> list[Dense]:
        game, found = self.game, []
        n, above, free = game.width(level), game.width(level - 1), game.arms - 1
        kept: list[Eliminated] = []
        for first in range(0, len(blocks), game.arms):
            *siblings, last = blocks[first : first + game.arms]
            joint = np.zeros((free * n, free * n), order="F")
            for b, own in enumerate(siblings):
                for c in range(free):
                    last.add_to(joint[b * n : (b + 1) * n, c * n : (c + 1) * n])
                own.add_to(joint[b * n : (b + 1) * n, b * n : (b + 1) * n])
            across = last.summed(above)
            lower, failed = lapack.dpotrf(joint, lower=1, clean=0, overwrite_a=1)
            if failed:
                raise Breakdown
            cross = np.asfortranarray(np.tile(-across, (free, 1)))
            held = blas.dtrsm(1.0, lower, cross, lower=1, overwrite_b=1)
            left = across.reshape(above, -1, above).sum(axis=1)
            found.append(Dense(_less(left, blas.dsyrk(1.0, held, trans=1, lower=1))))
            kept.append(Eliminated(lower, held))
        self.done.append(kept)
        return found

    def step(self, gradient: Floats) -> Floats:
        """The minimiser for this gradient, of the histories' shape."""
        game, k, halves = self.game, self.game.arms, []
        g = gradient
        for level, kept in zip(range(game.levels, 1, -1), self.done, strict=True):
            g = g.reshape(-1, k, game.width(level))
            mine = (g[:, :-1] - g[:, -1:]).reshape(len(g), -1)
            half = [_forward(e.lower, line) for e, line in zip(kept, mine, strict=True)]
            halves.append(half)
            up = g[:, -1].reshape(len(g), game.width(level - 1), -1).sum(axis=2)
            g = up - np.stack([e.held.T @ h for e, h in zip(kept, half, strict=True)])
        x = np.zeros((1, game.width(1)))
        if self.free.size:
            x[0] = self.free @ np.linalg.solve(self.root, -self.free.T @ g[0])
        for kept, half in zip(reversed(self.done), reversed(halves), strict=True):
            level_x = []
            for e, h, p in zip(kept, half, x, strict=True):
                y = _backward(e.lower, -h - e.held @ p).reshape(k - 1, -1)
                rest = np.repeat(p, y.shape[1] // len(p)) - y.sum(axis=0)
                level_x.append(np.vstack([y, rest]))
            x = np.concatenate(level_x)
        return x


def _less(whole: Floats, lower: Any) -> Floats:
    """whole minus a symmetric matrix that is given by its lower triangle."""
    low = np.tril(lower)
    return np.asfortranarray(whole - low - np.tril(low, -1).T)


def _forward(lower: Floats, right: Floats) -> Floats:
    found: Floats = blas.dtrsv(lower, right, lower=1)
    return found


def _backward(lower: Floats, right: Floats) -> Floats:
    found: Floats = blas.dtrsv(lower, right, lower=1, trans=1)
    return found
