"""One sequence of actions at long horizons: what it alone gives away is a lower bound.

A test that asks for one sequence only, of probabilities p and q under the two tables, shows that mu
is at least Phi^-1(p) - Phi^-1(q), and epsilon at least ln(p / q). Where all sequences are too many
this says how fast both must grow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri_exp

from dpaudit.curves.draws import STEP_ERROR
from dpaudit.curves.paths import Floats, World
from dpaudit.errors import UsageError
from dpaudit.play.tables import Configured


@dataclass(frozen=True)
class Point:
    """At a horizon, of the sequence so far."""

    rounds: int
    mu_low: float
    epsilon_low: float


def along(
    who: Configured,
    here: Floats,
    there: Floats,
    begins: Sequence[int],
    progress: Callable[[int], None] = lambda _: None,
) -> list[Point]:
    """At horizons 2, 4, 8, ..., and the last: the actions begin so and stay at the last one."""
    worlds = World(who, here), World(who, there)
    states = [world.start for world in worlds]
    logs, found, rounds = np.zeros(2), [], len(here)
    for t in range(1, rounds + 1):
        arm = begins[min(t, len(begins)) - 1]
        logs += [w.chances(s, t)[arm] for w, s in zip(worlds, states, strict=True)]
        if np.all(logs == -np.inf):
            raise UsageError(f"along: round {t} of the sequence cannot happen")
        if t == rounds or (t & (t - 1) == 0 and t > 1):
            progress(t)
            found.append(_point(t, float(logs[0]), float(logs[1])))
        if t < rounds and np.all(logs > -np.inf):
            states = [w.after(s, t, arm) for w, s in zip(worlds, states, strict=True)]
        elif t < rounds:
            break  # it cannot happen under one of the tables: more rounds add nothing
    return found


def _point(rounds: int, one: float, other: float) -> Point:
    """Lower bounds: the likelier end a little less likely, the other a little more."""
    low, high = sorted((one, other))
    if low == -np.inf:
        return Point(rounds, np.inf, np.inf)
    slack = STEP_ERROR * rounds
    p, q = high - slack * (1.0 + abs(high)), min(low + slack * (1.0 + abs(low)), 0.0)
    mu = float(ndtri_exp(p) - ndtri_exp(q))
    return Point(rounds, max(mu, 0.0), max(p - q, 0.0))
