"""The gate for CI: reject "epsilon is at most the claim" as soon as it is certain, at any time.

An event is chosen on a small sample; then pairs of runs, one from each world, are bet on. Under
the claim P'(S) <= e^epsilon P(S), so a stake on 1{S'} - e^epsilon 1{S} cannot grow in expectation,
and by Ville's inequality wealth 1/alpha refutes the claim whenever it is reached. If the bets come
to nothing, a larger sample chooses again; the k-th gate spends alpha / 2^k.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpaudit.auditor.events import Evaluation, ScoreEvent, Selection, choose
from dpaudit.auditor.results import Claimed

FIRST_SELECTION = 300
"""Pairs that choose the first event."""
GROWTH = 4
"""Each gate selects on so many times more pairs, and bets on up to so many times its selection."""
STEP = 100
"""Pairs that are drawn at a time."""


@dataclass(frozen=True)
class Opened:
    """What the gates found: whether the claim was refuted, on which event, after how many pairs."""

    refuted: bool
    event: ScoreEvent | None
    wealth: float
    pairs: int
    hits: int
    base_hits: int
    bets: int
    spent: tuple[float, ...]


def best_stake(p: float, q: float, ratio: float) -> float:
    """The stake in [0, 1/ratio] that grows fastest if the event has probabilities p and q."""
    outcomes = np.array([1.0, -ratio, 1.0 - ratio])
    chances = np.array([p * (1 - q), q * (1 - p), p * q])
    stakes = np.linspace(0.0, 0.98 / ratio, 100)
    growth = np.log1p(stakes[:, None] * outcomes) @ chances
    return float(stakes[int(np.argmax(growth))])


def gate(
    draw: Callable[[int, int, int], tuple[np.ndarray, np.ndarray]],
    claim: Claimed,
    alpha: float,
    limit: int,
) -> Opened:
    """Open gates until one refutes the claim or `limit` pairs have been drawn.

    `draw(stage, number, n)` gives n outputs of each world, fresh for each (stage, number).
    """
    ratio = math.exp(claim.level)
    drawn, size, spent = 0, FIRST_SELECTION, []
    latest: tuple[ScoreEvent | None, float, int, int, int] = (None, 0.0, 0, 0, 0)
    level = 0
    while drawn + size + STEP <= limit or level == 0:
        level += 1
        part = alpha / 2.0**level
        spent.append(part)
        sample = Selection(draw(level, 0, size))
        drawn += size
        event = choose(sample, claim, GROWTH * size, part)
        likely, base = (sample[0], sample[1]) if event.swapped else (sample[1], sample[0])
        p = (event.happened(likely).sum() + 0.5) / (size + 1.0)
        q = (event.happened(base).sum() + 0.5) / (size + 1.0)
        stake = best_stake(float(p), float(q), ratio)
        wealth, best, hits, base_hits, bets = 0.0, 0.0, 0, 0, 0
        while stake > 0.0 and bets < GROWTH * size and drawn + STEP <= limit:
            fresh = Evaluation(draw(level, 1 + bets // STEP, STEP))
            first, second = (event.happened(fresh[w]) for w in (0, 1))
            hit, miss = (first, second) if event.swapped else (second, first)
            wealth_path = wealth + np.cumsum(
                np.log1p(stake * (hit.astype(float) - ratio * miss.astype(float)))
            )
            wealth, best = float(wealth_path[-1]), max(best, float(wealth_path.max()))
            hits, base_hits = hits + int(hit.sum()), base_hits + int(miss.sum())
            bets, drawn = bets + STEP, drawn + STEP
            if best >= math.log(1.0 / part):
                return Opened(True, event, best, drawn, hits, base_hits, bets, tuple(spent))
        latest = (event, best, hits, base_hits, bets)
        size *= GROWTH
    event_, wealth_, hits_, base_hits_, bets_ = latest
    return Opened(False, event_, wealth_, drawn, hits_, base_hits_, bets_, tuple(spent))
