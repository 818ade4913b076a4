"""Probabilities of trees and contests for many centres at once, in doubles: to search with.

Densities stand on a grid and integrals are sums; what is found is certified elsewhere, in balls.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from scipy.special import ndtr

from dpaudit.auditor.engines.exact.forest import Node, Tree
from dpaudit.auditor.engines.exact.steps.bands import Contest
from dpaudit.auditor.engines.exact.steps.forms import double
from dpaudit.machine.noisy_max import log_win
from dpaudit.results.found import Floats

POINTS = 12_001
FAR = 24.0
"""In units of the scale: what lies beyond is below e^-24."""


def below(kind: str, z: Floats) -> Floats:
    """Distribution function of standard noise."""
    with np.errstate(over="ignore"):
        if kind == "laplace":
            far = np.exp(-np.abs(z)) / 2
            return np.where(z < 0, far, 1 - far)
        if kind == "exponential":
            return np.asarray(-np.expm1(-np.maximum(z, 0.0)))
        if kind == "gaussian":
            return np.asarray(ndtr(z))
        if kind == "gumbel":
            return np.asarray(np.exp(-np.exp(-z)))
    return np.clip(z, 0.0, 1.0)


def _mass(node: Node, center: Any, low: Any, high: Any) -> Floats:
    """Between two points, cut at the node's own bounds."""
    scale = double(node.scale)
    ends = []
    for end in (low, high):
        least, most = (bound if bound is None else double(bound) for bound in (node.low, node.high))
        ends.append((np.clip(end, least, most) if (least, most) != (None, None) else end) - center)
    first, last = (below(node.kind, end / scale) for end in ends)
    return np.asarray(last - first if scale > 0 else first - last)


def gridded(tree: Tree) -> bool:
    """Whether there is no formula for the tree."""
    free = any(node.low is not None or node.high is not None for node in tree.nodes)
    two = len(tree.nodes) == 2 and all(node.kind == "gaussian" for node in tree.nodes)
    return len(tree.nodes) > 1 and (free or not two)


def chances(tree: Tree, centers: list[Any]) -> Floats:
    """The tree's probability for each centre of its nodes: arrays that broadcast to one shape."""
    if len(tree.nodes) == 1:
        return _mass(tree.nodes[0], centers[0], -math.inf, math.inf)
    if not gridded(tree):
        spread = math.hypot(*(double(node.scale) for node in tree.nodes))
        apart, edge = centers[0] - centers[1], tree.edges[0]
        low, high = (
            side if bound is None else double(bound)
            for side, bound in ((-math.inf, edge.low), (math.inf, edge.high))
        )
        return np.asarray(ndtr((high - apart) / spread) - ndtr((low - apart) / spread))
    return _Grid(tree, centers).chances()


class _Grid:
    def __init__(self, tree: Tree, centers: list[Any]) -> None:
        widest = max(abs(double(node.scale)) for node in tree.nodes)
        least = min(float(np.min(center)) for center in centers) - FAR * widest - 2.0
        most = max(float(np.max(center)) for center in centers) + FAR * widest + 2.0
        self.tree, self.centers = tree, centers
        self.x = np.linspace(least, most, POINTS)
        self.step = float(self.x[1] - self.x[0])

    def chances(self) -> Floats:
        """The density at the root times what comes from its children. Of both, some dimensions are
        one long; where those of the one are not those of the other it is a product of matrices."""
        own, rest = self._density(0), self._from_children(0)
        if all(a == 1 or b == 1 for a, b in zip(own.shape[:-1], rest.shape[:-1], strict=True)):
            product = own.reshape(-1, POINTS) @ rest.reshape(-1, POINTS).T * self.step
            shape = [own.shape[:-1], rest.shape[:-1]]
            dims = len(shape[0])
            order = [axis for i in range(dims) for axis in (i, dims + i)]
            whole: Floats = product.reshape(*shape[0], *shape[1]).transpose(order)
            return whole.reshape([a * b for a, b in zip(*shape, strict=True)])
        both: Floats = (own * rest).sum(axis=-1) * self.step
        return both

    def _density(self, place: int) -> Floats:
        """Averaged over the cell, so that its kinks cost nothing."""
        center, half = np.asarray(self.centers[place])[..., None], self.step / 2
        node = self.tree.nodes[place]
        return np.asarray(_mass(node, center, self.x - half, self.x + half) / self.step)

    def _from_children(self, place: int) -> Any:
        messages = [
            self._message(edge.child, edge.low, edge.high)
            for edge in self.tree.edges
            if edge.parent == place
        ]
        return functools.reduce(np.multiply, messages) if messages else 1.0

    def _message(self, place: int, low: Any, high: Any) -> Floats:
        """x -> probability below this node, where x less its value is between low and high."""
        density = self._density(place) * self._from_children(place)
        sums = np.zeros((*density.shape[:-1], POINTS + 2))
        np.cumsum((density[..., 1:] + density[..., :-1]) * (self.step / 2), -1, out=sums[..., 2:-1])
        sums[..., -1] = sums[..., -2]
        upper = sums[..., -1:] if low is None else self._at(sums, -double(low))
        return upper if high is None else upper - self._at(sums, -double(high))

    def _at(self, sums: Floats, shift: float) -> Floats:
        """The running sums at x + shift; their first and last stand for all beyond."""
        whole = math.floor(shift / self.step)
        part = shift / self.step - whole
        left = np.clip(np.arange(POINTS) + whole, -1, POINTS) + 1
        right = np.minimum(left + 1, POINTS + 1)
        return np.asarray(sums[..., left] * (1.0 - part) + sums[..., right] * part)


def won(contest: Contest, scores: list[Any]) -> Floats:
    """The contest's probability for each value of its scores: arrays that broadcast."""
    wide = np.broadcast_arrays(*scores)
    table = np.stack([each.ravel() for each in wide], axis=1).astype(float)
    scale = double(contest.scale)
    different, place = np.unique(table - table[:, :1], axis=0, return_inverse=True)
    found = np.array(
        [math.exp(log_win(row, contest.winner, scale, contest.noise)) for row in different]
    )
    return found[place.ravel()].reshape(wide[0].shape)
