"""The question of a pair of tables, or of all of them, and its answer as a document."""

from __future__ import annotations

import itertools
import json
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from dpaudit import __version__
from dpaudit.curves.paths import LONGEST, Floats, Laws, laws
from dpaudit.curves.tradeoff import curve, delta_at, largest_loss, tight_mu
from dpaudit.errors import UsageError, check_count, check_number
from dpaudit.play.catalogue import resolve
from dpaudit.play.tables import Configured, configured
from dpaudit.results.curves import CurveResult
from dpaudit.results.made import replace

EPSILONS = (0.1, 0.5, 1.0, 2.0, 4.0)
MOST_SEARCHED = 5
"""Rounds up to which all binary tables are searched."""
ONE_PAIR = "nothing: this pair only"


def privacy_curve(
    target: str,
    *,
    rounds: object,
    changed: object = 1,
    gap: object = None,
    everything: bool = False,
    progress: Callable[[int], None] = lambda _: None,
    **parameters: float | str,
) -> tuple[CurveResult, Laws]:
    """Of the pair that a search of all binary tables finds, or of this one: the first rows are 0, 0
    and 1, 1 in the neighbour, all others 1/2 - gap/2, 1/2 + gap/2 (without a gap 0, 0)."""
    began = time.perf_counter()
    horizon = check_count("rounds", rounds, 1, LONGEST)
    rows = check_count("changed", changed, 1, horizon)
    apart = None if gap is None else check_number("gap", gap, 0.0, 1.0)
    who = configured(resolve(target), arms=2, rounds=horizon, epsilon=1.0, parameters=parameters)
    if everything:
        if horizon > MOST_SEARCHED or rows > 1 or apart is not None:
            raise UsageError(
                f"all: allowed is one changed row, no gap and at most {MOST_SEARCHED} rounds"
            )
        here, there = _worst(who, horizon, progress)
        searched = "all pairs of binary tables that differ in one row"
    else:
        here, there = _pair(horizon, rows, apart)
        searched = ONE_PAIR
    found = laws(who, here, there)
    mu, loss, points = tight_mu(found), largest_loss(found), curve(found)
    card = who.algorithm.card
    claim = card.privacy.level(who.settings) if card.privacy.notion == "gdp" else None
    result = CurveResult(
        target=card.name,
        parameters=dict(parameters),
        rounds=horizon,
        rewards=here.tolist(),
        neighbour=there.tolist(),
        changed=rows,
        searched=searched,
        mu_low=mu.low,
        mu_high=mu.high,
        epsilon=loss if math.isfinite(loss) else None,
        deltas={f"{e:g}": delta_at(found, e) for e in EPSILONS},
        claimed_mu=None if claim is None else float(claim),
        sequences=len(found.here),
        first=points[0].tolist(),
        second=points[1].tolist(),
        seconds=time.perf_counter() - began,
        version=__version__,
    )
    return result, found


def _pair(rounds: int, changed: int, gap: float | None) -> tuple[Floats, Floats]:
    here = np.zeros((rounds, 2))
    if gap is not None:
        here[changed:] = 0.5 - gap / 2, 0.5 + gap / 2
    there = here.copy()
    there[:changed] = 1.0
    return here, there


def _worst(who: Configured, rounds: int, progress: Callable[[int], None]) -> tuple[Floats, Floats]:
    """The pair of largest mu. The last row comes after the last choice."""
    best, worst = -1.0, None
    for n, (here, there) in enumerate(_pairs(rounds)):
        progress(n)
        mu = tight_mu(laws(who, here, there)).high
        if mu > best + 1e-9:
            best, worst = mu, (here, there)
    assert worst is not None
    return worst


def _pairs(rounds: int) -> Iterator[tuple[Floats, Floats]]:
    """Each unordered pair once: mu is the same both ways."""
    rows = list(itertools.product((0.0, 1.0), repeat=2))
    for table in itertools.product(rows, repeat=rounds - 1):
        for s, row in itertools.product(range(rounds - 1), rows):
            if row > table[s]:
                here = np.array([*table, (0.0, 0.0)])
                there = here.copy()
                there[s] = row
                yield here, there
    if rounds == 1:
        yield np.zeros((1, 2)), np.ones((1, 2))


def exported(found: Laws) -> dict[str, Any]:
    """Both laws as probability mass functions of the same outcomes, for accountants that compose:
    outcomes with the same two probabilities are one."""
    pairs, counts = np.unique(
        np.column_stack([found.here, found.there]), axis=0, return_counts=True
    )
    logs = pairs + np.log(counts)[:, None]
    return {
        "schema": "dpaudit/mass-functions/1",
        "log_here": [_plain(x) for x in logs[:, 0]],
        "log_there": [_plain(x) for x in logs[:, 1]],
    }


def _plain(log: float) -> float | None:
    return float(log) if math.isfinite(log) else None


def export(found: Laws, file: str | Path) -> None:
    replace(Path(file), json.dumps(exported(found)) + "\n")
