"""Quadrature for the noisy maximum under Laplace and Exponential noise, with error bounds.

Between two lattice points of the sums a score's density is a combination of e^(-x/b) and e^(x/b),
so the probability of winning is integrated by Gauss-Legendre between them, and its error bounded on
Bernstein ellipses.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpaudit.laboratory.exact.sums import Floats, Sums, discounted
from dpaudit.machine.noisy_max import EXPONENTIAL

REACH = 0.56
"""Ellipses keep within REACH * b of a piece; REACH e^REACH < 1 is what `integrate` needs."""
PIECE, FLANK, BEYOND = 0.5, 48.0, 34.0
"""Longest piece, and how far from a kink pieces are cut that fine, in units of the scale: the
second, or the third beyond the logarithm of the number of arms."""
DIGITS = 46.0
"""Nodes are added until the factor of the ellipse bound is below exp(-DIGITS)."""
WORK = 2**24
"""Evaluations (nodes times groups) beyond which there is no quadrature."""
CHUNK = 2**20
"""Numbers held at once in each array."""


class _Group:
    """One group's score between consecutive edges, no lattice point within: F = F(left) +
    alpha (1 - e^(-u/b)) + beta (e^(-(w-u)/b) - e^(-w/b)), u from 0 to the width w."""

    def __init__(self, start: float, masses: Floats, noise: int, scale: float) -> None:
        factor = math.exp(-1.0 / scale)
        self.start, self.noise, self.scale = start, noise, scale
        zero = np.zeros(1)
        before, behind = discounted(masses, factor), discounted(masses[::-1], factor)[::-1]
        grown = np.concatenate([zero, np.cumsum(before[:-1] * -math.expm1(-1.0 / scale))])
        self.before = np.concatenate([zero, before])
        self.behind = np.concatenate([behind, zero])
        self.down = np.concatenate([zero, np.cumsum(masses)])
        self.up = np.concatenate([np.cumsum(masses[::-1])[::-1], zero])
        self.grown = np.concatenate([zero, grown])

    def between(self, left: Floats, right: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """F at the left ends, 1 - F less the two exponentials' part, alpha and beta."""
        last = len(self.down) - 1
        i = np.clip(np.floor(left - self.start) + 1.0, 0, last).astype(np.int64)
        j = np.clip(np.ceil(right - self.start), 0, last).astype(np.int64)
        away = np.maximum(left - self.start - (i - 1), 0.0) / self.scale
        alpha = self.before[i] * np.exp(-away)
        if self.noise == EXPONENTIAL:
            return self.grown[i] - self.before[i] * np.expm1(-away), self.up[j], alpha, 0.0 * alpha
        ahead = np.maximum(self.start + j - right, 0.0) / self.scale
        alpha, beta = 0.5 * alpha, 0.5 * self.behind[j] * np.exp(-ahead)
        low = self.down[i] - alpha + beta * np.exp((left - right) / self.scale)
        return low, self.up[j], alpha, beta


@dataclass(frozen=True)
class Pieces:
    """Where to integrate, and each group's coefficients there (groups x pieces)."""

    widths: Floats
    low: Floats
    up: Floats
    alpha: Floats
    beta: Floats
    nodes: Floats
    ellipse: Floats

    def take(self, chosen: NDArray[np.int64]) -> Pieces:
        return Pieces(*(part[..., chosen] for part in vars(self).values()))

    def at(self, g: int, basis: tuple[Floats, ...]) -> tuple[Floats, Floats, Floats]:
        """Density times the scale, F and 1 - F at the basis' points (pieces x points)."""
        grow, fall, rise, risen = basis
        alpha, beta = self.alpha[g][:, None], self.beta[g][:, None]
        density = alpha * fall + beta * rise
        below = self.low[g][:, None] + alpha * grow + beta * risen
        above = self.up[g][:, None] + alpha * fall - beta * rise
        return density, below, above


def _basis(widths: Floats, places: Floats) -> tuple[Floats, ...]:
    """The exponentials at places from 0 to 1 within pieces of these widths (in scales)."""
    u, back = widths[:, None] * places, widths[:, None] * (1.0 - places)
    rise = np.exp(-back)
    return -np.expm1(-u), np.exp(-u), rise, rise - np.exp(-widths)[:, None]


def log_below(below: Floats, above: Floats) -> Floats:
    """ln F, from F or from 1 - F, whichever is known better."""
    with np.errstate(divide="ignore"):
        far = np.log(np.maximum(below, 0.0))
    return np.where(above < 0.5, np.log1p(-np.minimum(above, 0.5)), far)


def cut(
    sums: Sums, noise: int, scale: float, tolerance: float, low: float, high: float
) -> Pieces | None:
    """Cut [low, high] at the lattice points and finer; None if that is too much work."""
    groups, points = [], [np.array([low, high])]
    ends = [sums.window(g, tolerance) for g in range(len(sums.means))]
    if sum(end[1] - end[0] for end in ends) > WORK / 2:
        return None
    for g, end in enumerate(ends):
        groups.append(_Group(*sums.lattice(g, tolerance), noise, scale))
        first = end[0] + max(0.0, math.ceil(low - end[0]))
        points.append(np.arange(first, min(end[1], high) + 0.5))
    knots = np.unique(np.concatenate(points))
    knots = knots[(knots >= low) & (knots <= high)]
    # Drop what lies below the best arms or above all others.
    left, right = knots[:-1], knots[1:]
    states = [group.between(left, right) for group in groups]
    width = (right - left) / scale
    gone = np.zeros(len(left))
    for g, (at, up, alpha, beta) in enumerate(states):
        if g == sums.best:
            end_value = at - alpha * np.expm1(-width) - beta * np.expm1(-width)
            with np.errstate(divide="ignore"):
                live = sums.counts[g] * np.log(np.maximum(end_value, 0.0)) > math.log(tolerance)
        else:
            gone += sums.counts[g] * (up + alpha - beta * np.exp(-width))
    chosen = np.nonzero(live & (gone > tolerance))[0]
    if len(chosen) == 0:
        chosen = np.array([0])
    knots = knots[chosen[0] : chosen[-1] + 2]
    # The more arms there are, the further out is the largest of their scores.
    flank = max(FLANK, BEYOND + math.log(float(sums.counts.sum()))) * scale
    edges = _finer(_flanked(knots, flank), PIECE * scale, 2.001 * flank)
    left, right = edges[:-1], edges[1:]
    widths = (right - left) / scale
    # sinh(eta) half-width = REACH makes the ellipse e^eta keep within REACH of the piece.
    eta = np.arcsinh(2.0 * REACH / widths)
    short = widths <= 1.0001 * PIECE
    nodes = np.where(short, np.ceil(np.maximum(2.0, DIGITS / (2.0 * eta))), 0.0)
    if nodes.sum() * len(groups) > WORK or len(edges) * len(groups) > WORK / 2:
        return None
    parts = zip(*(group.between(left, right) for group in groups), strict=True)
    at, up, alpha, beta = (np.array(part) for part in parts)
    return Pieces(widths, at, up, alpha, beta, nodes, eta)


def _flanked(knots: Floats, flank: float) -> Floats:
    """Gaps of more than two flanks get a knot one flank from either end."""
    wide = np.nonzero(np.diff(knots) > 2.0 * flank)[0]
    return np.unique(np.concatenate([knots, knots[wide] + flank, knots[wide + 1] - flank]))


def _finer(knots: Floats, piece: float, longest: float) -> Floats:
    """Gaps up to `longest` are cut into pieces; what is longer stays as it is."""
    gaps = np.diff(knots)
    parts = np.where(gaps > longest, 1, np.maximum(1, np.ceil(gaps / piece - 1e-9)))
    parts = parts.astype(np.int64)
    owner = np.repeat(np.arange(len(gaps)), parts)
    index = np.arange(len(owner)) - np.repeat(np.cumsum(parts) - parts, parts)
    return np.append(knots[owner] + gaps[owner] * (index / parts[owner]), knots[-1])


def integrate(pieces: Pieces, counts: Floats) -> tuple[Floats, Floats]:
    """The integrals over all pieces, and the bounds on their errors.

    m-point Gauss-Legendre on a piece of half-width h errs by at most
    h (64/15) M rho^(-2m) / (1 - rho^-2), where M bounds the integrand on the ellipse rho = e^eta
    (Trefethen, Approximation Theory and Practice, Theorem 19.3). For z within d = REACH of a point
    x of the piece (in scales), the continued density is at most e^d f(x), so the continued F is at
    most F(x) + d e^d b f(x). As b |f'| <= f and d e^d < 1 that grows with x: its value at the right
    end bounds it; and it is at most 1, since b f <= 1 - F. f is convex: its ends bound it.
    Over the few long pieces, far from all kinks, F is monotone, which brackets the integral.
    """
    value, error = np.zeros(len(counts)), np.zeros(len(counts))
    for count in np.unique(pieces.nodes):
        same = np.nonzero(pieces.nodes == count)[0]
        rows = max(1, int(CHUNK / (max(count, 2.0) * len(counts))))
        for first in range(0, len(same), rows):
            some = pieces.take(same[first : first + rows])
            if count == 0.0:
                lower, upper = _bracket(some, counts)
                value += 0.5 * (lower + upper)
                error += 0.5 * (upper - lower)
            else:
                value += _quadrature(some, counts, int(count))
                rho = -2.0 * some.ellipse
                factor = 64.0 / 15.0 * np.exp(rho * count) / -np.expm1(rho)
                error += counts * (_bounds(some, counts) * (0.5 * some.widths * factor)).sum(axis=1)
    return value, error


def _quadrature(some: Pieces, counts: Floats, count: int) -> Floats:
    """Gauss-Legendre with `count` nodes on every piece."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    basis = _basis(some.widths, 0.5 * (1.0 + nodes))
    densities, logs = [], []
    total = np.zeros_like(basis[0])
    for g, c in enumerate(counts):
        density, below, above = some.at(g, basis)
        logs.append(log_below(below, above))
        densities.append(density)
        total += c * logs[-1]
    parts = [
        (0.5 * some.widths) @ (without(total, log) * d @ weights)
        for d, log in zip(densities, logs, strict=True)
    ]
    return np.asarray(counts * np.array(parts))


def _bounds(some: Pieces, counts: Floats) -> Floats:
    """b times the bound M on the integrand (groups x pieces)."""
    basis = _basis(some.widths, np.array([0.0, 1.0]))
    logs, tops = [], []
    for g in range(len(counts)):
        density, below, above = some.at(g, basis)
        slip = REACH * math.exp(REACH) * density[:, 1]
        logs.append(np.minimum(log_below(below[:, 1] + slip, above[:, 1] - slip), 0.0))
        tops.append(math.exp(REACH) * density.max(axis=1))
    total = counts @ np.array(logs)
    return np.array([top * without(total, log) for top, log in zip(tops, logs, strict=True)])


def _bracket(some: Pieces, counts: Floats) -> tuple[Floats, Floats]:
    """Mass in each piece times the rivals' F at its left end, and at its right end."""
    basis = _basis(some.widths, np.array([0.0, 1.0]))
    logs = np.array([log_below(*some.at(g, basis)[1:]) for g in range(len(counts))])
    total = np.tensordot(counts, logs, 1)
    mass = (some.alpha + some.beta) * -np.expm1(-some.widths)
    lower, upper = ((mass * without(total, logs)[:, :, end]).sum(axis=1) for end in (0, 1))
    return counts * lower, counts * upper


def without(total: Floats, log: Floats) -> Floats:
    """The product without one factor, whose logarithm is given. Where that factor is 0 so is its
    density."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.exp(np.where(log == -np.inf, -np.inf, total - log)))
