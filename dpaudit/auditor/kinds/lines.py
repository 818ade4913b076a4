"""Straight lines that no event is above, if a claim holds: what a gate bets against.

A claim allows the probabilities p = P'(S) and q = P(S) of an event in neighbouring worlds only in a
convex set, which lies below each line that touches it:

    p <= slope q + delta

(epsilon, delta)-DP is one such line, of slope e^epsilon. mu-GDP allows p <= Phi(Phi^-1(q) + mu);
the lines that touch it are the (epsilon, delta(epsilon)) that it implies (Dong, Roth & Su 2022,
Corollary 1). Rényi DP of order a allows

    F(p, q) = p^a q^(1-a) + (1-p)^a (1-q)^(1-a) <= e^((a-1) epsilon)

(data processing to the two outcomes of S), and F is jointly convex, so that its tangent plane at
any point is nowhere above it; rho-zCDP is that for every order, with epsilon = a rho. So each line
here is valid wherever it was made to touch; where that is best is guessed from a sample.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr, ndtri

from dpaudit.auditor.kinds import renyi
from dpaudit.results.audit import Guarantee

AROUND = (0.5, 1.0, 2.0)
"""The lines touch at so many times the guess of q: it is of a small sample."""
ROUNDING = 1e-9
"""Added to delta: covers the rounding of a line's two numbers."""


@dataclass(frozen=True)
class Line:
    """P'(S) <= slope P(S) + delta for every event S."""

    slope: float
    delta: float = 0.0


def lines(claim: Guarantee, q: float) -> list[Line]:
    """Lines that hold under the claim, and touch what it allows near q in (0, 1)."""
    if claim.notion in ("pure", "approximate"):
        return [Line(math.exp(claim.level), claim.delta)]
    touching = gaussian if claim.notion == "gdp" else of_order
    found = (touching(claim, min(near * q, 0.5 * (1.0 + q))) for near in AROUND)
    return [replace(line, delta=line.delta + ROUNDING) for line in found if line is not None]


def gaussian(claim: Guarantee, q: float) -> Line:
    """The line that touches p = Phi(Phi^-1(q) + mu) at q."""
    at, mu = float(ndtri(q)), claim.level
    slope = math.exp(-mu * at - 0.5 * mu * mu)
    return Line(slope, float(ndtr(at + mu)) - slope * float(ndtr(at)))


def of_order(claim: Guarantee, q: float) -> Line | None:
    """The line in which the tangent plane of F, at the largest p that is allowed beside q, meets
    the claim's level; none where any p is allowed. Of zCDP it is of the order that allows least."""
    p = renyi.most_likely(q, claim.level, claim)
    if not q < p < 1.0:
        return None
    order, level = float(claim.order or 2.0), claim.level
    if claim.notion == "zcdp":
        order = float(renyi.ORDERS[np.argmax(renyi.of_two(p, q, renyi.ORDERS) / renyi.ORDERS)])
        level = order * claim.level
    over = level - float(renyi.of_two(p, q, order))
    if order - 1.0 < renyi.NEAREST:  # the divergence of order 1, which is no larger, and convex
        by_p = math.log(p / q) - math.log((1.0 - p) / (1.0 - q))
        slope, room = (p / q - (1.0 - p) / (1.0 - q)) / by_p, over / by_p
    else:
        inside = math.exp(order * math.log(p) + (1.0 - order) * math.log(q) - _log_f(p, q, order))
        by_p = order * (inside / p - (1.0 - inside) / (1.0 - p))
        slope = (order - 1.0) * (inside / q - (1.0 - inside) / (1.0 - q)) / by_p
        room = math.expm1((order - 1.0) * over) / by_p
    return Line(slope, p + room - slope * q)


def _log_f(p: float, q: float, order: float) -> float:
    return (order - 1.0) * float(renyi.of_two(p, q, order))
