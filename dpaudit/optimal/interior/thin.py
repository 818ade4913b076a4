"""The same charges by fewer multipliers, for a certificate that is small.

The bound hangs on what each history is charged alone, and a vertex of the multipliers that charge
the same has no more of them than there are histories. Those of different actions have nothing to do
with each other, so that this is a small linear program for each action sequence.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csc_array

from dpaudit.optimal.interior.game import Game
from dpaudit.optimal.program import Floats

NOTHING = 1e-7
"""Of a row's largest multiplier: what is not taken along."""
LARGE = 1e3
"""The mean charge as the solver sees it: its tolerances are absolute."""


def thin(game: Game, z: Floats) -> Floats:
    """Few multipliers, of nearly the same bound; a row that the solver fails at stays as it is."""
    found = z.copy()
    solver: Any = linprog
    for row in range(game.rows):
        kept: Any = z[:, row] > NOTHING * z[:, row].max()
        change, here = np.nonzero(kept)
        many = np.arange(len(here))
        entries = np.concatenate([np.ones(len(here)), np.full(len(here), -game.ratio)])
        histories = np.concatenate([here, game.neighbour[change, here]])
        charged = csc_array((entries, (histories, np.tile(many, 2))), (game.columns, len(here)))
        wanted = charged @ z[change, row, here]
        unit = float(np.abs(wanted).mean()) / LARGE
        answer = solver(
            np.ones(len(here)),
            A_eq=charged,
            b_eq=wanted / unit,
            bounds=(0, None),
            method="highs-ds",
        )
        if answer.status == 0:
            found[:, row] = 0.0
            found[change, row, here] = np.maximum(answer.x, 0.0) * unit
    return found
