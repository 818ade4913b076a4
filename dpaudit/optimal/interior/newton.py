"""Newton's equations of the interior-point method, solved by elimination from the leaves.

The Hessian of the privacy constraints links histories of the same actions only: it has a block for
each action sequence. Consistency links an action sequence to those that go on from it: their
probabilities, summed over the last action, do not depend on the last letter. So the last actions
are eliminated for each of what precedes them, which leaves a block for that, and so on. What
follows different second actions meets at the end only, and can be done in processes of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.linalg import blas, lapack, null_space

from dpaudit.optimal.interior.blocks import Block, Dense, Links
from dpaudit.optimal.interior.game import Game
from dpaudit.optimal.program import Floats


class Breakdown(ArithmeticError):
    """The equations are too ill-conditioned for doubles."""


class Eliminated:
    """The last actions after a history, all but the last arm, as functions of the history's own
    probabilities p: lower lower' y = - gradient - cross p, where held = lower^-1 cross."""

    def __init__(self, siblings: Sequence[Block], n: int, above: int) -> None:
        *others, last = siblings
        free = len(others)
        joint = np.zeros((free * n, free * n), order="F")
        for b, own in enumerate(others):
            for c in range(free):
                last.add_to(joint[b * n : (b + 1) * n, c * n : (c + 1) * n])
            own.add_to(joint[b * n : (b + 1) * n, b * n : (b + 1) * n])
        across = last.summed(above)
        self.lower, failed = lapack.dpotrf(joint, lower=1, clean=0, overwrite_a=1)
        if failed:
            raise Breakdown
        cross = np.asfortranarray(np.tile(-across, (free, 1)))
        self.held = blas.dtrsm(1.0, self.lower, cross, lower=1, overwrite_b=1)
        left = across.reshape(above, -1, above).sum(axis=1)
        self.block = Dense(_without(left, self.held))

    def up(self, gradients: Floats) -> Floats:
        """The gradient of p, from those of all siblings."""
        mine = (gradients[:-1] - gradients[-1]).ravel()
        self.half = blas.dtrsv(self.lower, mine, lower=1)
        spread = gradients[-1].reshape(self.held.shape[1], -1).sum(axis=1)
        return np.asarray(spread - self.held.T @ self.half)

    def down(self, p: Floats, n: int) -> Floats:
        """The siblings' probabilities, a row each, for the gradients before."""
        y = blas.dtrsv(self.lower, -self.half - self.held @ p, lower=1, trans=1).reshape(-1, n)
        return np.vstack([y, np.repeat(p, n // len(p)) - y.sum(axis=0)])


class Pair:
    """The same for two siblings that are whole histories: those of which no two are neighbours are
    eliminated first, which costs next to nothing, and leaves two thirds of three letters."""

    def __init__(self, first: Links, last: Links, above: int) -> None:
        game = first.game
        self.alone, self.others = game.apart
        joint, groups = first.matrix + last.matrix, game.groups(above)
        across = -(last.matrix @ groups)
        self.own = 1.0 / joint.diagonal()[self.alone]
        self.links = joint[self.alone][:, self.others]
        self.across = across[self.alone]
        scaled = self.links.T * self.own[None, :]
        rest = joint[self.others][:, self.others] - scaled @ self.links
        cross = across[self.others] - scaled @ self.across
        left = -(groups.T @ across) - (self.across.T * self.own[None, :]) @ self.across
        self.lower, failed = lapack.dpotrf(
            np.asfortranarray(rest.toarray()), lower=1, clean=0, overwrite_a=1
        )
        if failed:
            raise Breakdown
        wide = np.asfortranarray(cross.toarray())
        self.held = blas.dtrsm(1.0, self.lower, wide, lower=1, overwrite_b=1)
        self.block = Dense(_without(left.toarray(), self.held))

    def up(self, gradients: Floats) -> Floats:
        mine = gradients[0] - gradients[1]
        self.mine = mine[self.alone]
        scaled = self.own * self.mine
        self.half = blas.dtrsv(self.lower, mine[self.others] - self.links.T @ scaled, lower=1)
        spread = gradients[1].reshape(self.held.shape[1], -1).sum(axis=1)
        return np.asarray(spread - self.held.T @ self.half - self.across.T @ scaled)

    def down(self, p: Floats, n: int) -> Floats:
        y = np.empty(n)
        others = blas.dtrsv(self.lower, -self.half - self.held @ p, lower=1, trans=1)
        y[self.others] = others
        y[self.alone] = -self.own * (self.mine + self.across @ p + self.links @ others)
        return np.stack([y, np.repeat(p, n // len(p)) - y])


def _without(whole: Floats, held: Floats) -> Floats:
    """whole - held' held."""
    low = np.tril(blas.dsyrk(1.0, held, trans=1, lower=1))
    return np.asfortranarray(whole - low - np.tril(low, -1).T)


@dataclass
class Branch:
    """All that follows the same two first actions; by level, from the last."""

    game: Game
    done: list[list[Eliminated | Pair]]

    def eliminate(self, weight: Floats) -> Floats | None:
        """The block that is left, or None if doubles do not do."""
        game, self.done = self.game, []
        blocks: Sequence[Block] = [Links(game, weight[:, row]) for row in range(weight.shape[1])]
        for level in range(game.levels, 2, -1):
            n, above, k = game.width(level), game.width(level - 1), game.arms
            try:
                groups = range(0, len(blocks), k)
                kept = [self._one(blocks[first : first + k], n, above) for first in groups]
            except Breakdown:
                return None
            self.done.append(kept)
            blocks = [each.block for each in kept]
        found = np.zeros((game.width(2), game.width(2)), order="F")
        blocks[0].add_to(found)
        return found

    def _one(self, siblings: Sequence[Block], n: int, above: int) -> Eliminated | Pair:
        first, last = siblings[0], siblings[-1]
        if len(siblings) == 2 and isinstance(first, Links) and isinstance(last, Links):
            return Pair(first, last, above)
        return Eliminated(siblings, n, above)

    def up(self, gradient: Floats) -> Floats:
        for kept in self.done:
            groups = gradient.reshape(len(kept), self.game.arms, -1)
            gradient = np.stack([e.up(lines) for e, lines in zip(kept, groups, strict=True)])
        return np.asarray(gradient[0])

    def down(self, p: Floats) -> Floats:
        x = p[None, :]
        for level, kept in zip(range(3, self.game.levels + 1), reversed(self.done), strict=True):
            n = self.game.width(level)
            x = np.concatenate([e.down(line, n) for e, line in zip(kept, x, strict=True)])
        return x


class Hands(Protocol):
    """Who holds the branches."""

    def each(self, what: str, given: Sequence[Floats]) -> list[Any]:
        """What a branch's method says to its part of what is given, for all branches."""


class Here:
    """All in this process."""

    def __init__(self, game: Game) -> None:
        self.branches = [Branch(game, []) for _ in range(game.arms)]

    def each(self, what: str, given: Sequence[Floats]) -> list[Any]:
        return [getattr(b, what)(one) for b, one in zip(self.branches, given, strict=True)]


class Newton:
    """Minimises half dx' H dx + g dx over the dx that leave a learner consistent."""

    def __init__(self, game: Game, weight: Floats, hands: Hands) -> None:
        self.game, self.hands, self.first = game, hands, None
        root = np.zeros((game.width(1), game.width(1)), order="F")
        if game.levels == 1:
            Links(game, weight[:, 0]).add_to(root)
        else:
            left = hands.each("eliminate", np.split(weight, game.arms, axis=1))
            if any(block is None for block in left):
                raise Breakdown
            siblings = [Dense(block) for block in left]
            self.first = Eliminated(siblings, game.width(2), game.width(1))
            self.first.block.add_to(root)
        sums = np.zeros_like(root)
        for line in game.renamed:
            sums[np.arange(len(line)), line] += 1.0
        self.free = null_space(sums)
        self.root = self.free.T @ root @ self.free

    def step(self, gradient: Floats) -> Floats:
        """The minimiser for this gradient, of the histories' shape."""
        g = gradient[0]
        if self.first:
            parts = self.hands.each("up", np.split(gradient, self.game.arms))
            g = self.first.up(np.stack(parts))
        p = np.zeros(len(g))
        if self.free.size:
            p = self.free @ np.linalg.solve(self.root, -self.free.T @ g)
        if not self.first:
            return p[None, :]
        parts = self.hands.each("down", list(self.first.down(p, self.game.width(2))))
        return np.concatenate(parts)
