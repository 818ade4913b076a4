"""The definition of privacy that conditions each action on those before it: its own event, and a
bound for it."""

from __future__ import annotations

import time

import numpy as np

from dpaudit.auditor.engines.two_world.engine import TwoWorlds, select
from dpaudit.auditor.engines.two_world.events import (
    FEWEST,
    Chosen,
    Counted,
    Weighted,
    Windows,
    code_of,
    decode,
    depths,
    encode,
    safe_log,
)
from dpaudit.auditor.statistics import Alpha, fixed_stake_lower
from dpaudit.play.tables import Configured
from dpaudit.results.found import Event, Lower, Pair
from dpaudit.run.plain import travels
from dpaudit.run.task import Block, Play, Record


def per_step(
    worlds: TwoWorlds, lower: Lower, runs: int, alpha: Alpha, seconds: float | None = None
) -> Lower:
    """A bound on ln of P'(a_t | a_1..t-1) / P(a_t | a_1..t-1), for the pair of `lower`.

    It is the log-ratio of a sequence less that of the sequence without its last action; the
    second is bounded from above by sampling the other world, where it is 1/E[exp(-L')].
    """
    if lower.pair is None:
        return lower
    pair = lower.pair
    task = worlds.task(choose_step, (12,), pair=pair)
    found = worlds.runner.one(task, Block(0, 0, worlds.held(runs // 4, pair)))
    parts = ((pair, found["last"], 13), (pair.swapped, found["before"], 14))
    bound = 0.0
    for (tables, chosen, stage), half in zip(parts, alpha.split(0.5, 0.5), strict=True):
        sample = Counted.empty(chosen.top)
        late = None if seconds is None else time.monotonic() + seconds / 4
        for record in worlds.counted(tables, chosen, runs // 2, stage, late):
            sample.add(record)
        expected = chosen.share * (runs // 2)
        low = fixed_stake_lower(*sample.weighted, half, expected, chosen.variance)
        bound += safe_log(low)
    sequence = found["sequence"]
    shown = " ".join(map(str, sequence[:-1]))
    text = f"action {sequence[-1]} in round {len(sequence)} after {shown}"
    return Lower(bound, pair, Event(text, (tuple(sequence),)), runs, found["value"])


@travels
def choose_step(who: Configured, seed: int, pair: Pair) -> Play:
    """One block: the sequence whose last action, given the others, tells most; with what is needed
    to bound its ratio, and that of the sequence without its last action in the other world."""
    arms = pair.shape[1]

    def play(block: Block) -> Record:
        sample = select(who, pair, block.runs, seed).sample
        best: tuple[float, tuple[int, ...]] = (-np.inf, (0,))
        for depth in depths(len(pair.rewards), arms, pair.round):
            codes, inverse, counts = np.unique(
                encode(sample.actions[:, :depth], arms), return_inverse=True, return_counts=True
            )
            sums = np.bincount(inverse, sample.weights)
            _, group = np.unique(codes // arms, return_inverse=True)
            base = np.bincount(group, sums) / np.bincount(group, counts)
            value = np.log(sums / counts) - np.log(base[group])
            # Sparse sequences are flattered: take off two standard errors of a ratio.
            value = np.where(counts >= FEWEST, value - 2.0 / np.sqrt(counts), -np.inf)
            k = int(np.argmax(value))
            if value[k] > best[0]:
                best = (float(value[k]), decode(int(codes[k]), depth, arms))
        parts = (best[1], False), (best[1][:-1], True)
        last, before = (_moments(sample, arms, *part) for part in parts)
        return {"value": best[0], "sequence": list(best[1]), "last": last, "before": before}

    return play


def _moments(sample: Weighted, arms: int, sequence: tuple[int, ...], other: bool) -> Chosen:
    """A sequence as an event; `other`: as it will be met in the other world, where the weight is
    the inverse and so many times as many runs are in the event."""
    event = Windows(len(sequence), np.array([code_of(sequence, arms)]), arms)
    inside = event.happened(sample.actions)
    weights = sample.weights[inside]
    share, mean = float(inside.mean()), float(weights.mean()) if len(weights) else 1.0
    variance = float(weights.var()) if len(weights) else 1.0
    top = float(np.log(weights.max())) if len(weights) else 0.0
    if other and len(weights):
        share, top = share * mean, float(-np.log(weights.min()))
        variance = max(float((1.0 / weights).mean()) / mean - 1.0 / mean**2, 0.0)
        mean = 1.0 / mean
    return Chosen(event, 0.0, share, mean, variance, top)
