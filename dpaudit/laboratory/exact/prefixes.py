"""Exact regret where a block's action comes from a random prefix of the block before.

With f(s) the expected gap of the noisy leader of s rounds, a block costs its rounds times the mean
of f over the lengths that the prefix may have. f is summed over (n/2, n] for n = 1, 2, 4, ...: term
by term where that is short, else by a rule on a few whole s that is exact for polynomials
(Clenshaw & Curtis's, for sums), on parts that are halved until two rules agree. Their difference is
added to the error: an estimate of it, where all else in it is a bound.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from numpy.polynomial import chebyshev

from dpaudit.laboratory.exact.sums import Floats, Sums
from dpaudit.laboratory.exact.winning import chernoff, winning

TERMS = 16
"""So many are summed one by one."""
RULES = (4, 8)
"""Degrees up to which the coarse rule and the fine one are exact."""
AGREE = 1e-5
"""The rules' difference, relative to all that was summed, at which a part is no more halved."""
MIDPOINTS = (1.0, -1.0 / 24.0, 7.0 / 5760.0, -31.0 / 967680.0, 127.0 / 154828800.0)
"""Of the integral and the odd derivatives' differences, in Euler and Maclaurin's formula for sums
over midpoints: exact for degrees up to 8."""

Cost = Callable[[int], tuple[float, float]]


def averages(
    sums_of: Callable[[int], Sums],
    gaps: Floats,
    noise: int,
    scale: float,
    *,
    any_length: bool,
    blocks: int,
) -> list[tuple[float, float]]:
    """Mean cost, and its error, of a round in block r + 1 = 1, ..., blocks, where an arm costs its
    gap. Blocks have 2^r rounds, prefixes more than half of them, or any number of them."""

    @functools.cache
    def cost(rounds: int) -> tuple[float, float]:
        sums = sums_of(rounds)
        won = winning(sums, noise, scale, 1e-14 / rounds)
        return float(gaps @ won.probability), float(gaps @ won.error)

    def negligible(rounds: int) -> float:
        """A bound on the costs of all longer prefixes together, by what one costs at most."""
        sums = sums_of(rounds)
        one = float(sums.counts @ (gaps * chernoff(sums, noise, scale)))
        return one * 2.0**blocks

    found, total, slack, over = [], 0.0, 0.0, False
    for r in range(blocks):
        n = 2**r
        over = over or (r > 0 and negligible(n // 2) < 1e-13)
        value, error = (0.0, 1e-13) if over else _summed(cost, n // 2, n, total)
        total, slack = total + value, slack + error
        if any_length:
            found.append((total / n, slack / n))
        else:
            many = n - n // 2
            found.append((value / many, error / many))
    return found


def _summed(cost: Cost, after: int, last: int, before: float) -> tuple[float, float]:
    """Sum of the costs of after + 1, ..., last, and its error."""
    if last - after <= TERMS:
        terms = np.array([cost(s) for s in range(after + 1, last + 1)])
        return float(terms[:, 0].sum()), float(terms[:, 1].sum())
    coarse, fine = (_rule(cost, after, last, degree) for degree in RULES)
    apart = abs(fine[0] - coarse[0])
    if apart <= AGREE * (before + abs(fine[0])):
        return fine[0], fine[1] + apart
    middle = (after + last) // 2
    left = _summed(cost, after, middle, before)
    right = _summed(cost, middle, last, before + left[0])
    return left[0] + right[0], left[1] + right[1]


def _rule(cost: Cost, after: int, last: int, degree: int) -> tuple[float, float]:
    """The sum of the polynomial through the costs at `degree` + 1 whole numbers."""
    many = last - after
    places = 0.5 - 0.5 * np.cos(np.pi * np.arange(degree + 1) / degree)
    nodes = [after + 1 + round(float(p) * (many - 1)) for p in places]
    at = np.array([2.0 * (s - after - 1) / (many - 1) - 1.0 for s in nodes])
    weights = np.linalg.solve(chebyshev.chebvander(at, degree).T, moments(many, degree))
    values = np.array([cost(s) for s in nodes])
    return float(weights @ values[:, 0]), float(np.abs(weights) @ values[:, 1])


def moments(many: int, degree: int) -> Floats:
    """Sums of the Chebyshev polynomials over so many points, evenly spaced from -1 to 1."""
    step = 2.0 / (many - 1)
    ends = 1.0 + step / 2.0
    out = np.zeros(degree + 1)
    for k in range(degree + 1):
        term = chebyshev.chebint([0.0] * k + [1.0])
        for order, factor in enumerate(MIDPOINTS):
            high, low = chebyshev.chebval([ends, -ends], term)
            out[k] += factor * step ** (2 * order - 1) * (high - low)
            term = chebyshev.chebder(term, 2)
    return out
