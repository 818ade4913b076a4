"""The question of a pair of tables, or of all of them, and its answer as a document."""

from __future__ import annotations

import dataclasses
import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dpaudit import __version__
from dpaudit.curves import everywhere as pairs
from dpaudit.curves.along import along
from dpaudit.curves.automaton import BINARY, automaton, rows_of
from dpaudit.curves.draws import STEP_ERROR, KeepsNoise
from dpaudit.curves.losses import Worst, worst_losses
from dpaudit.curves.noise import laws as noisy
from dpaudit.curves.paths import LONGEST, Floats, Laws, laws
from dpaudit.curves.tradeoff import curve, delta_at, largest_loss, tight_mu
from dpaudit.errors import UsageError, check_count, check_number
from dpaudit.play.catalogue import resolve
from dpaudit.play.reach.steps import Unfit, admitted
from dpaudit.play.tables import Configured, configured
from dpaudit.results.curves import AlongPoint, AlongResult, CurveResult, LossesResult, WorstLoss
from dpaudit.results.made import replace

EPSILONS = (0.1, 0.5, 1.0, 2.0, 4.0)
FARTHEST = 100_000
"""Rounds of one sequence."""
MOST_CHANGED = 16
ONE_PAIR = "nothing: this pair only"
MOST_LEVELS = 11


def privacy_curve(
    target: str,
    *,
    rounds: object,
    changed: object = 1,
    gap: object = None,
    everything: bool = False,
    levels: object = BINARY,
    epsilon: object = 1.0,
    progress: Callable[[int], None] = lambda _: None,
    **parameters: float | str,
) -> tuple[CurveResult, Laws]:
    """Of all pairs of binary tables, or of this one: the first rows are 0, 0 and 1, 1 in the
    neighbour, all others 1/2 - gap/2, 1/2 + gap/2 (without a gap 0, 0)."""
    began = time.perf_counter()
    horizon = check_count("rounds", rounds, 1, LONGEST)
    rows = check_count("changed", changed, 1, horizon)
    apart = None if gap is None else check_number("gap", gap, 0.0, 1.0)
    who = _configured(target, horizon, epsilon, parameters)
    if everything:
        given = check_count("levels", levels, 2, MOST_LEVELS)
        return _everywhere(who, horizon, rows, apart, given, dict(parameters), progress, began)
    here, there = _pair(horizon, rows, apart)
    found = _laws(who, here, there, progress)
    mu, loss, points = tight_mu(found), largest_loss(found), curve(found)
    result = CurveResult(
        target=who.algorithm.card.name,
        parameters=dict(parameters),
        rounds=horizon,
        rewards=here.tolist(),
        neighbour=there.tolist(),
        changed=rows,
        searched=ONE_PAIR,
        mu_low=mu.low,
        mu_high=mu.high,
        epsilon=_finite(loss),
        deltas={f"{e:g}": delta_at(found, e) for e in EPSILONS},
        claimed_mu=_claimed(who),
        sequences=len(found.here),
        first=points[0].tolist(),
        second=points[1].tolist(),
        seconds=time.perf_counter() - began,
        version=__version__,
    )
    return result, found


def _configured(
    target: str, rounds: int, epsilon: object, parameters: Mapping[str, float | str]
) -> Configured:
    asked = check_number("epsilon", epsilon, 0.0, 700.0, low_open=True)
    found = resolve(target)
    try:
        select, observe, start = admitted(found.select, found.observe, found.start)
    except (Unfit, ValueError, RecursionError) as error:
        raise UsageError(f"target: {error}") from None
    own = dataclasses.replace(found, select=select, observe=observe, start=start)
    return configured(own, arms=2, rounds=rounds, epsilon=asked, parameters=parameters)


def _everywhere(
    who: Configured,
    rounds: int,
    changed: int,
    gap: float | None,
    levels: int,
    parameters: dict[str, Any],
    progress: Callable[[int], None],
    began: float,
) -> tuple[CurveResult, Laws]:
    if not 2 <= rounds <= pairs.LONGEST or changed > 1 or gap is not None:
        raise UsageError(
            f"all: allowed are one changed row, no gap and 2 to {pairs.LONGEST} rounds; "
            "--losses has more rows and rounds"
        )
    all_rows = rows_of(levels)
    if (count := pairs.count_pairs(rounds, len(all_rows))) > pairs.MOST_PAIRS:
        raise UsageError(f"all: {count:,} pairs of tables, allowed are {pairs.MOST_PAIRS:,}")
    logs = _table_laws(who, rounds, levels, progress)
    found = pairs.everywhere(logs, all_rows, STEP_ERROR * rounds, EPSILONS, progress)
    result = CurveResult(
        target=who.algorithm.card.name,
        parameters=parameters,
        rounds=rounds,
        rewards=found.here.tolist(),
        neighbour=found.there.tolist(),
        changed=1,
        searched=f"{_searched(levels, 'one row')} ({found.pairs:,}; each number is the worst)",
        mu_low=found.mu.low,
        mu_high=found.mu.high,
        epsilon=_finite(found.loss),
        deltas={f"{e:g}": float(d) for e, d in zip(EPSILONS, found.deltas, strict=True)},
        claimed_mu=_claimed(who),
        sequences=len(found.laws.here),
        first=found.profile[0].tolist(),
        second=found.profile[1].tolist(),
        seconds=time.perf_counter() - began,
        version=__version__,
    )
    return result, found.laws


def _laws(who: Configured, here: Floats, there: Floats, progress: Callable[[int], None]) -> Laws:
    try:
        return laws(who, here, there)
    except KeepsNoise:
        return noisy.noisy_laws(who, here, there, progress)


def _table_laws(
    who: Configured, rounds: int, levels: int, progress: Callable[[int], None]
) -> Floats:
    try:
        return pairs.table_laws(automaton(who, rounds, levels))
    except KeepsNoise:
        return noisy.noisy_table_laws(noisy.letter_logs(who, rounds, levels, progress), levels)


def _worst_losses(
    who: Configured, rounds: int, most: int, levels: int, progress: Callable[[int], None]
) -> list[Worst]:
    try:
        return worst_losses(automaton(who, rounds, levels), most, progress)
    except KeepsNoise:
        return noisy.noisy_losses(noisy.letter_logs(who, rounds, levels, progress), most, levels)


def _searched(levels: int, rows: str) -> str:
    rewards = "binary tables" if levels == BINARY else f"tables of {levels} levels of rewards"
    return f"all pairs of {rewards} that differ in {rows}; rewards between are not covered"


def _finite(loss: float) -> float | None:
    return loss if math.isfinite(loss) else None


def _claimed(who: Configured) -> float | None:
    privacy = who.algorithm.card.privacy
    level = privacy.level(who.settings) if privacy.notion == "gdp" else None
    return None if level is None else float(level)


def privacy_losses(
    target: str,
    *,
    rounds: object,
    most: object,
    levels: object = BINARY,
    epsilon: object = 1.0,
    progress: Callable[[int], None] = lambda _: None,
    **parameters: float | str,
) -> LossesResult:
    """epsilon(m) for m = 1, ..., most, over all tables with so many levels of rewards."""
    began = time.perf_counter()
    horizon = check_count("rounds", rounds, 1, LONGEST)
    changed = check_count("losses", most, 1, min(horizon, MOST_CHANGED))
    given = check_count("levels", levels, 2, MOST_LEVELS)
    who = _configured(target, horizon, epsilon, parameters)
    found = [
        WorstLoss(
            changed=w.changed,
            epsilon=_finite(w.loss),
            actions=w.actions,
            rewards=w.here.tolist(),
            neighbour=w.there.tolist(),
        )
        for w in _worst_losses(who, horizon, changed, given, progress)
    ]
    return LossesResult(
        target=who.algorithm.card.name,
        parameters=dict(parameters),
        rounds=horizon,
        searched=_searched(given, "at most m rows"),
        losses=found,
        seconds=time.perf_counter() - began,
        version=__version__,
    )


def privacy_along(
    target: str,
    *,
    rounds: object,
    begins: Sequence[int],
    changed: object = 1,
    gap: object = None,
    epsilon: object = 1.0,
    progress: Callable[[int], None] = lambda _: None,
    **parameters: float | str,
) -> AlongResult:
    """Lower bounds at long horizons, of the pair that `privacy_curve` takes and one sequence."""
    began = time.perf_counter()
    horizon = check_count("rounds", rounds, 1, FARTHEST)
    rows = check_count("changed", changed, 1, horizon)
    apart = None if gap is None else check_number("gap", gap, 0.0, 1.0)
    if not 1 <= len(begins) <= horizon or set(begins) - {0, 1}:
        raise UsageError(
            f"along: got {list(begins)[:8]}, allowed are 1 to {horizon} arms, each 0 or 1"
        )
    points = []

    who = _configured(target, horizon, epsilon, parameters)
    for point in along(who, *_pair(horizon, rows, apart), begins, progress):
        points.append(
            AlongPoint(
                rounds=point.rounds,
                mu_low=_finite(point.mu_low),
                epsilon_low=_finite(point.epsilon_low),
                claimed_mu=_claimed(_configured(target, point.rounds, epsilon, parameters)),
            )
        )
    return AlongResult(
        target=who.algorithm.card.name,
        parameters=dict(parameters),
        begins=list(begins),
        changed=rows,
        gap=apart,
        points=points,
        seconds=time.perf_counter() - began,
        version=__version__,
    )


def _pair(rounds: int, changed: int, gap: float | None) -> tuple[Floats, Floats]:
    here = np.zeros((rounds, 2))
    if gap is not None:
        here[changed:] = 0.5 - gap / 2, 0.5 + gap / 2
    there = here.copy()
    there[:changed] = 1.0
    return here, there


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
