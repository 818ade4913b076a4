"""Mehrotra's predictor-corrector method ("On the implementation of a primal-dual interior point
method", 1992) with the correctors of Gondzio ("Multiple centrality correctors in a primal-dual
method for linear programming", 1996): a solution of Newton's equations costs little beside their
elimination.

Uniform play is private with room to spare, so each learner on the way is private, and whatever the
multipliers on the way are, they give a lower bound: one may stop anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpaudit.optimal.interior.game import Game
from dpaudit.optimal.interior.newton import Breakdown, Hands, Here, Newton
from dpaudit.optimal.program import Floats

MOST_STEPS = 400
MOST_CORRECTORS = 12
FIRST = 0.1
"""The first multipliers, in units of the mean cost."""
SHARE = 0.95
"""Of the way to the boundary."""
LONGER, WORTH = 0.3, 0.003
"""By how much a corrector tries to make the steps longer, and for how much more another is tried.
"""
LEAST, MOST = 0.3, 3.0
"""A corrector takes slack times multiplier into this range, in units of the aim."""


@dataclass(frozen=True)
class Point:
    """A learner with its regret, and multipliers with the bound that they give."""

    step: int
    x: Floats
    z: Floats
    value: float
    bound: float


@dataclass(frozen=True)
class Move:
    """A direction for the learner, its slacks and the multipliers; and how far it may be gone."""

    x: Floats
    s: Floats
    z: Floats
    primal: float
    dual: float


def points(game: Game, hands: Hands | None = None) -> Iterator[Point]:
    """Closing in on the optimum as far as doubles allow. The first round's regret is left out."""
    hands = hands or Here(game)
    x = game.uniform
    s = game.slack(x)
    z = np.full_like(s, FIRST * float(game.cost.mean()))
    for step in range(MOST_STEPS):
        yield Point(step, x, z, float((game.cost * x).sum()), game.least(z))
        try:
            move = _move(game, s, z, hands)
        except Breakdown:
            return
        x = x + SHARE * move.primal * move.x
        s = s + SHARE * move.primal * move.s
        z = z + SHARE * move.dual * move.z


def _move(game: Game, s: Floats, z: Floats, hands: Hands) -> Move:
    newton, product = Newton(game, z / s, hands), s * z
    now = float(product.mean())

    def solved(change: Floats) -> Move:
        """The direction that changes slack times multiplier by so much, to first order."""
        x = newton.step(game.cost + game.charge(z + change / s))
        ds = game.slack(x)
        dz = (change - z * ds) / s
        return Move(x, ds, dz, _longest(s, ds), _longest(z, dz))

    ahead = solved(-product)
    left = float(((s + ahead.primal * ahead.s) * (z + ahead.dual * ahead.z)).mean())
    aim = now * (left / now) ** 3
    change = aim - product - ahead.s * ahead.z
    move = solved(change)
    for _ in range(MOST_CORRECTORS):
        primal, dual = min(1.0, move.primal + LONGER), min(1.0, move.dual + LONGER)
        there = (s + primal * move.s) * (z + dual * move.z)
        wanted = np.clip(there, LEAST * aim, MOST * aim) - there
        corrected = change + np.maximum(wanted, -MOST * aim)
        next_move = solved(corrected)
        if next_move.primal + next_move.dual < move.primal + move.dual + WORTH:
            break
        move, change = next_move, corrected
    return move


def _longest(at: Floats, direction: Floats) -> float:
    """The longest step of at most 1 that leaves everything positive."""
    return 1.0 / max(1.0, float((-direction / at).max()))
