"""The true largest log-ratio of a pair, computed apart from the auditor by quadrature."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import stats

from dpaudit.machine.noisy_max import EXPONENTIAL, LAPLACE, log_win


def noisy_max(x: list[float], y: list[float], scale: float, noise: str) -> float:
    """Largest |log ratio| over the selected index."""
    kind = LAPLACE if noise == "laplace" else EXPONENTIAL
    a, b = np.array(x, float), np.array(y, float)
    return max(abs(log_win(a, j, scale, kind) - log_win(b, j, scale, kind)) for j in range(len(x)))


def sparse_vector(variant: int, x: list[float], y: list[float]) -> float:
    """Largest |log ratio| over outputs: the first index above, or, for variant 6, all of them."""
    rho_scale, nu_scale = {1: (2, 4), 2: (2, 4), 4: (4, 4 / 3), 6: (2, 2)}[variant]

    # All kinks of the densities are at whole numbers: between them thirty nodes are exact.
    assert all(q == round(q) for q in (*x, *y))
    nodes, weights = np.polynomial.legendre.leggauss(30)
    rho = (np.arange(-60, 60)[:, None] + 0.5 + nodes / 2).ravel()
    mass = np.tile(weights / 2, 120) * stats.laplace.pdf(rho, scale=rho_scale)

    def probability(queries: list[float], pattern: tuple[int, ...]) -> float:
        value = mass
        for q, above in zip(queries, pattern, strict=False):
            value = value * tail[q] if above else value * (1.0 - tail[q])
        return float(value.sum())

    tail = {q: stats.laplace.sf(1.0 + rho - q, scale=nu_scale) for q in {*x, *y}}
    patterns: list[tuple[int, ...]]
    if variant == 6:
        # By symmetry only how many of the first and of the second half are above matters.
        half = len(x) // 2
        patterns = [
            (1,) * a + (0,) * (half - a) + (1,) * b + (0,) * (half - b)
            for a in range(half + 1)
            for b in range(half + 1)
        ]
    else:
        patterns = [(0,) * k + (1,) for k in range(len(x))] + [(0,) * len(x)]
    ratios = [math.log(probability(x, p) / probability(y, p)) for p in patterns]
    return max(abs(r) for r in ratios)


def value_of(truth: Any) -> float:
    """A truth is a number or a function that computes it."""
    return float(truth() if callable(truth) else truth)
