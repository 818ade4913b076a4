"""Noisy maxima over fixed scores, many at once: who wins, and how that changes with the gaps.

Group h's arms score their noise less a_h (in units of the scale), the best arm its noise. P_j is
the probability that an arm of group j wins; its derivative in a_h is the density of a tie for the
first place between groups j and h. Softmax for Gumbel noise; else Gauss-Legendre between kinks, to
a relative 10^-8 or so, which the tests compare with `winning`.
"""

from __future__ import annotations

import math

import numpy as np

from dpaudit.laboratory.exact.sums import Floats
from dpaudit.machine.noisy_max import EXPONENTIAL, GUMBEL, LAPLACE

PIECE, NODES, REACH = 1.0, 10, 28.0
"""Pieces and their nodes: with ellipses 0.56 scales beyond a piece the factor of the error bound
(`dpaudit.laboratory.exact.quadrature.integrate`) is e^-19; and how many scales beyond the likely
scores are integrated over."""
CHUNK = 2**20
"""Evaluations at once."""


def duel(noise: int, away: Floats) -> Floats:
    """P(an arm at this gap in scales scores more than the best)."""
    fall = np.exp(-away)
    if noise == GUMBEL:
        return np.asarray(fall / (1.0 + fall))
    return np.asarray(0.5 * fall * (1.0 + 0.5 * away if noise == LAPLACE else 1.0))


def duels(noise: int, away: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """For rows of gaps: the groups' chances (rows x groups), and the ties' densities (rows x
    groups x the best and the groups; 0 within a group)."""
    gaps = np.concatenate([np.zeros((len(away), 1)), away], axis=1)
    many = np.concatenate([[1.0], counts])
    if noise == GUMBEL:
        with np.errstate(under="ignore"):
            weights = many * np.exp(-gaps)
        share = weights / weights.sum(axis=1, keepdims=True)
        ties = share[:, 1:, None] * share[:, None, :]
        return share[:, 1:], _off(ties)
    won, ties = np.zeros_like(away), np.zeros((*away.shape, len(many)))
    most = int(2.0 * (REACH + math.log(many.sum())) + len(many) + 1.0) * NODES
    step = max(1, CHUNK // (most * len(many)))
    for i in range(0, len(away), step):
        won[i : i + step], ties[i : i + step] = _integrals(noise, gaps[i : i + step], many)
    return won, _off(ties)


def _off(ties: Floats) -> Floats:
    groups = np.arange(ties.shape[1])
    ties[:, groups, groups + 1] = 0.0
    return ties


def _integrals(noise: int, gaps: Floats, many: Floats) -> tuple[Floats, Floats]:
    top = math.log(many.sum()) + REACH
    rows, size = gaps.shape
    low = 0.0 if noise == EXPONENTIAL else -top
    knots = np.maximum(-gaps, low)
    ends = np.full((rows, 1), top), np.full((rows, 1), low)
    edges = np.sort(np.concatenate([knots, *ends], axis=1), axis=1)
    lengths = np.diff(edges, axis=1)
    parts = np.ceil(lengths / PIECE).astype(np.int64).ravel()
    owner = np.repeat(np.arange(len(parts)), parts)
    index = np.arange(len(owner)) - np.repeat(np.cumsum(parts) - parts, parts)
    width = lengths.ravel()[owner] / parts[owner]
    left = edges[:, :-1].ravel()[owner] + index * width
    row = owner // lengths.shape[1]
    places, weights = np.polynomial.legendre.leggauss(NODES)
    y = left[:, None] + 0.5 * width[:, None] * (1.0 + places)
    weight = 0.5 * width[:, None] * weights
    logs, ratios = np.zeros_like(y), []
    for h in range(size):
        density, below = _noise(noise, y + gaps[row, h][:, None])
        with np.errstate(divide="ignore", invalid="ignore"):
            logs += many[h] * below
            ratios.append(np.where(density > 0.0, many[h] * density * np.exp(-below), 0.0))
    product = np.exp(logs) * weight
    firsts = np.searchsorted(row, np.arange(rows))
    won = np.empty((rows, size - 1))
    ties = np.zeros((rows, size - 1, size))
    for j in range(1, size):
        part = product * ratios[j]
        won[:, j - 1] = np.add.reduceat(part.sum(axis=1), firsts)
        for h in range(j):
            tie = np.add.reduceat((part * ratios[h]).sum(axis=1), firsts)
            ties[:, j - 1, h] = tie
            if h:
                ties[:, h - 1, j] = tie
    return won, ties


def _noise(noise: int, x: Floats) -> tuple[Floats, Floats]:
    """Density and the logarithm of the distribution function."""
    if noise == EXPONENTIAL:
        fall = np.exp(-np.maximum(x, 0.0))
        with np.errstate(divide="ignore"):
            near = np.log(-np.expm1(-np.maximum(x, 0.0)))
            return np.where(x >= 0.0, fall, 0.0), np.where(x < 1.0, near, np.log1p(-fall))
    half = 0.5 * np.exp(-np.abs(x))
    return half, np.where(x < 0.0, x - math.log(2.0), np.log1p(-half))
