"""Newton's equations of the interior-point method, solved by elimination from the leaves.

The Hessian of the privacy constraints links histories of the same actions only: it has a block for
each action sequence. Consistency links an action sequence to those that go on from it: their
probabilities, summed over the last action, do not depend on the last letter. So the last actions
are eliminated for each of what precedes them, which leaves a block for that, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import blas, lapack, null_space

from dpaudit.optimal.interior.game import Game
from dpaudit.optimal.program import Floats


class Breakdown(ArithmeticError):
    """The equations are too ill-conditioned for doubles."""


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
        blocks: Iterator[Floats] = self._leaves(weight)
        for level in range(game.levels, 1, -1):
            blocks = iter(self._eliminate(blocks, level))
        [root] = blocks
        sums = np.zeros((game.width(1), game.width(1)))
        for line in game.renamed:
            sums[np.arange(len(line)), line] += 1.0
        self.free = null_space(sums)
        self.root = self.free.T @ root @ self.free

    def _leaves(self, weight: Floats) -> Iterator[Floats]:
        """H's block of each action sequence; weight is by change, row and column."""
        game, here = self.game, np.arange(self.game.columns)
        for row in range(game.rows):
            w = weight[:, row]
            block = np.zeros((game.columns, game.columns), order="F")
            for change, (to, back) in enumerate(zip(game.neighbour, game.back, strict=True)):
                block[here, here] += w[change] + game.ratio**2 * w[back][to]
                block[here, to] -= game.ratio * (w[change] + w[back][to])
            yield block

    def _eliminate(self, blocks: Iterator[Floats], level: int) -> list[Floats]:
        game, found = self.game, []
        n, above, free = game.width(level), game.width(level - 1), game.arms - 1
        kept: list[Eliminated] = []
        for _ in range(game.arms ** (level - 2)):
            siblings = [next(blocks) for _ in range(game.arms)]
            last = siblings.pop()
            joint = np.zeros((free * n, free * n), order="F") if free > 1 else siblings[0]
            for b, own in enumerate(siblings):
                for c in range(free):
                    joint[b * n : (b + 1) * n, c * n : (c + 1) * n] += last
                if free > 1:
                    joint[b * n : (b + 1) * n, b * n : (b + 1) * n] += own
            across = last.reshape(n, above, -1).sum(axis=2)
            lower, failed = lapack.dpotrf(joint, lower=1, clean=0, overwrite_a=1)
            if failed:
                raise Breakdown
            cross = np.asfortranarray(np.tile(-across, (free, 1)))
            held = blas.dtrsm(1.0, lower, cross, lower=1, overwrite_b=1)
            left = across.reshape(above, -1, above).sum(axis=1)
            found.append(_full(left, blas.dsyrk(1.0, held, trans=1, lower=1)))
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


def _full(whole: Floats, lower: Any) -> Floats:
    """whole minus a symmetric matrix that is given by its lower triangle."""
    low = np.tril(lower)
    return np.asfortranarray(whole - low - np.tril(low, -1).T)


def _forward(lower: Floats, right: Floats) -> Floats:
    found: Floats = blas.dtrsv(lower, right, lower=1)
    return found


def _backward(lower: Floats, right: Floats) -> Floats:
    found: Floats = blas.dtrsv(lower, right, lower=1, trans=1)
    return found
