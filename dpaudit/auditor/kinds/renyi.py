"""Rényi claims, put to the test by events.

D_a(P' || P) is at least that of the two outcomes "in S" and "not in S" (data processing, van Erven
& Harremoës 2014, Theorem 1):

    D_a >= ln(p^a q^(1-a) + (1-p)^a (1-q)^(1-a)) / (a - 1),    p = P'(S), q = P(S),

which rises with p and falls with q where p > q. So a lower bound on p and an upper one on q, both
at once, bound the divergence of every order at once: (a, epsilon)-RDP allows at most epsilon,
rho-zCDP at most a rho for each a. An event shows no more than two outcomes have.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpaudit.results.audit import Guarantee

ORDERS = 1.0 + np.geomspace(1e-3, 1e3, 121)
"""Orders at which a zCDP claim is put to the test."""
RANKED = ORDERS[::5]
"""Those by which events are compared beforehand."""


NEAREST = 1e-6
"""Of an order to 1: nearer ones are bounded by that of order 1, which is no larger."""


def of_two(p: Any, q: Any, order: Any) -> Any:
    """The divergence of that order of a coin of p from a coin of q, both in (0, 1)."""
    if np.ndim(order) == 0 and order - 1.0 < NEAREST:  # the difference would be all rounding
        return p * (np.log(p) - np.log(q)) + (1.0 - p) * (np.log1p(-p) - np.log1p(-q))
    inside = order * np.log(p) + (1.0 - order) * np.log(q)
    outside = order * np.log1p(-p) + (1.0 - order) * np.log1p(-q)
    return np.logaddexp(inside, outside) / (order - 1.0)


def divergence(p: Any, q: Any, claim: Guarantee, orders: Any = ORDERS) -> Any:
    """The level of the claim's notion that p against q shows; negative where p is not above q."""
    p, q = np.asarray(p, np.float64), np.asarray(q, np.float64)
    least = np.clip(p, 1e-300, 1.0 - 1e-16), np.clip(q, 1e-300, 1.0 - 1e-16)
    if claim.notion == "rdp":
        found = of_two(least[0], least[1], float(claim.order or 2.0))
    else:
        found = (of_two(least[0][..., None], least[1][..., None], orders) / orders).max(axis=-1)
    return np.where(p > q, found, p - q)


def lower(p: float, q: float, claim: Guarantee) -> float:
    """What p at least and q at most show."""
    return float(divergence(p, q, claim)) if p > 0.0 and q < 1.0 and p > q else -math.inf


def most_likely(q: float, level: float, claim: Guarantee) -> float:
    """The largest p that a level allows beside q; more than 1 where it allows any."""
    low, high = q, 1.0 - 1e-12
    if float(divergence(high, q, claim)) < level:
        return 2.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if float(divergence(middle, q, claim)) < level else (low, middle)
    return low
