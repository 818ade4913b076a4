"""Parts that run algorithms: proved and enumerated bookings, counted events, averaged regret."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dpaudit.ledger.formulas import NotShown, Open, ball
from dpaudit.ledger.parts import Part

ALPHA = 1e-6
"""Probability that a sampled part shows something false."""
PLACES = 12
"""Decimals of a recorded booking."""


def bookings(
    target: str,
    level: str,
    *,
    epsilon: float,
    arms: int,
    rounds: int,
    gdp: bool = False,
    **given: Any,
) -> Part:
    """Every action path of the length, with every changed round in every direction, books at most
    `level` (a formula): pure losses summed, or, for GDP, squared levels against `level` squared.
    The rounds of the opening, the same whatever the data, are left to the rule.

    Bookings depend on the actions only, so this bounds the privacy loss for all tables.
    """
    from dpaudit.play.catalogue import find
    from dpaudit.play.tables import trace

    algorithm = find(target)
    directions = [(1.0,) * arms]
    if algorithm.card.feedback != "bandit":
        directions = [(1.0, *row) for row in itertools.product((0.0, 1.0), repeat=arms - 1)]
    largest = 0.0
    rows = []
    settings = algorithm.settings(arms=arms, epsilon=epsilon, horizon=rounds, given=dict(given))
    fresh_arms, fresh_owns = algorithm.fresh(settings)
    opening = min(rounds, algorithm.opening(fresh_arms, fresh_owns[0]))
    for path in itertools.product(range(arms), repeat=rounds - opening):
        worst: list[float] = []
        for changed, row in itertools.product(range(rounds), directions):
            here = np.full((rounds, arms), 0.5)
            there = here.copy()
            here[changed], there[changed] = row, 1.0 - np.array(row)
            forced = (-1,) * opening + path
            steps = trace(algorithm, here, there, forced, epsilon=epsilon, **given)
            booked = steps.gdp if gdp else steps.pure
            if not np.all(np.isfinite(booked)):
                raise NotShown(f"{target}: private data gets past the releases")
            if booked.sum() >= sum(worst):
                worst = [round(float(b), PLACES) for b in booked if b > 0]
        largest = max(largest, math.fsum(worst))
        rows.append({"path": "".join(map(str, path)), "booked": worst})
    limit = ball(f"({level})**2" if gdp else level, {})
    if not largest <= float(limit.upper()) * (1 + 1e-9):
        why = f"{target}: a path books {largest:.9g}, more than {level}"
        raise Open(why, f"{largest!r} <= {f'({level})**2' if gdp else level}", {})
    return {
        "kind": "bookings",
        "target": target,
        "settings": {"epsilon": epsilon, **given},
        "arms": arms,
        "rounds": rounds,
        "opening": opening,
        "notion": "gdp" if gdp else "pure",
        "level": level,
        "largest": round(largest, PLACES - 2),
        "paths": rows,
    }


def proved(target: str, level: str, *, gdp: bool = False, **given: Any) -> Part:
    """The releases book at most `level` times epsilon, or, for GDP, are `level`-GDP, for every
    horizon, every number of arms and every table: the algorithm's own steps on symbols. Evidence is
    in `reports/proofs`."""
    from dpaudit.prover.prove import prove

    found = prove(target, **given)
    wanted = "every", "every", "gdp" if gdp else "pure"
    if found.bound is None or (found.rounds, found.arms, found.notion) != wanted:
        why = found.undecided or found.growth or (found.leak and found.leak.text)
        raise NotShown(f"{target}: no bound for every T and K ({why})")
    if not found.bound <= float(ball(level, {}).upper()):
        why = f"{target}: books {found.bound:.9g} at most, which is not {level}"
        raise Open(why, f"{found.bound!r} <= {level}", {})
    return {
        "kind": "proved",
        "target": target,
        "settings": {"epsilon": "every", **given},
        "arms": "every",
        "rounds": "every",
        **({"notion": "gdp"} if gdp else {}),
        "level": level,
        "source": found.source,
        "graph": found.public()["graph"],
        "bound": found.bound,
    }


def counts(
    target: str,
    claim: str,
    *,
    rewards: Sequence[Sequence[float]],
    neighbour: Sequence[Sequence[float]],
    event: str,
    epsilon: float,
    runs: int,
    seed: int,
    **given: Any,
) -> Part:
    """The log-ratio of an event's probabilities on two tables exceeds `claim` (a formula).

    The event is a pattern of actions, a dot for any: `0.01`. Two Clopper-Pearson bounds share
    ALPHA; the event must have been chosen on other samples.
    """
    from dpaudit.auditor.statistics import Alpha, proportion_lower, proportion_upper
    from dpaudit.play.tables import play_tables

    settings = {"epsilon": epsilon, **given}
    hits = []
    for number, table in enumerate((neighbour, rewards)):
        plays = play_tables(target, table, runs=runs, seed=2 * seed + number, workers=2, **settings)
        match = np.ones(runs, bool)
        for t, action in enumerate(event):
            if action != ".":
                match &= plays.actions[:, t] == int(action)
        hits.append(int(match.sum()))
    half, other_half = Alpha(ALPHA).split(0.5, 0.5)
    low = proportion_lower(hits[0], runs, half) * (1 - 1e-9)
    high = proportion_upper(hits[1], runs, other_half) * (1 + 1e-9)
    ratio = math.log(low / high) if low > 0 else -math.inf
    if not ratio > float(ball(claim, {}).upper()):
        raise NotShown(f"{target}: the sampled log-ratio is only certainly above {ratio:.4f}")
    return {
        "kind": "counts",
        "target": target,
        "settings": settings,
        "rewards": [list(row) for row in rewards],
        "neighbour": [list(row) for row in neighbour],
        "event": event,
        "seed": seed,
        "runs": runs,
        "hits": hits,
        "alpha": ALPHA,
        "proportions": [low, high],
        "claim": claim,
    }


def regret(
    target: str,
    relation: str,
    bound: str,
    *,
    means: Sequence[float],
    horizon: int,
    runs: int,
    seed: int,
    epsilon: float | None = None,
    environment: str = "bernoulli",
    **given: Any,
) -> Part:
    """The mean pseudo-regret is certainly `<=` (or `>=`) a bound (a formula), on one instance.

    Empirical Bernstein (Maurer & Pontil 2009, Theorem 4) with the range [0, horizon * gap].
    """
    from dpaudit.play.environments import play_environment

    settings: dict[str, Any] = {"epsilon": epsilon, "environment": environment, **given}
    plays = play_environment(target, means, horizon, runs=runs, seed=seed, workers=2, **settings)
    values = plays.regret[:, 0]
    mean, variance = float(values.mean()), float(values.var(ddof=1))
    span = horizon * (max(means) - min(means))
    slack = math.log(2 / ALPHA)
    radius = math.sqrt(2 * variance * slack / runs) + 7 * span * slack / (3 * (runs - 1))
    limit = float(ball(bound, {}).mid())
    shown = mean + radius <= limit if relation == "<=" else mean - radius >= limit
    if not shown:
        raise NotShown(
            f"{target}: regret {mean:.6g} +- {radius:.2g}, not certainly {relation} {limit:.6g}"
        )
    return {
        "kind": "regret",
        "target": target,
        "settings": settings,
        "means": list(means),
        "horizon": horizon,
        "seed": seed,
        "runs": runs,
        "mean": mean,
        "variance": variance,
        "alpha": ALPHA,
        "relation": relation,
        "bound": bound,
    }
