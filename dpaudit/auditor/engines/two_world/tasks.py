"""What the blocks of a two-world audit do: try pairs, choose an event, count its weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from dpaudit.auditor.engines.two_world.events import (
    FEWEST,
    STEP,
    Chosen,
    Counted,
    Weighted,
    Windows,
    choose,
    code_of,
    decode,
    depths,
    encode,
)
from dpaudit.auditor.samples import Selection
from dpaudit.machine.compiling import compiled, compiled_driver
from dpaudit.machine.drivers import count_event
from dpaudit.play.tables import Configured, TablePlays
from dpaudit.results.audit import Guarantee, Pair
from dpaudit.run.plain import travels
from dpaudit.run.task import Block, Play, Record

PIECE = 2**14
"""Runs of a block that are in memory at once."""
CELLS = 2**22
"""And no more actions than that."""
SHORT_LEAPS = 12
"""Shorter tables are played round by round."""
GROUPED = 2**18
"""Rounds in a block of the search."""


def grouped(pairs: int, size: int, rounds: int) -> Iterator[Block]:
    """Blocks of pairs that are tried with `size` runs each: a few at a time where that is little
    work."""
    group = max(1, GROUPED // (size * rounds))
    for number, first in enumerate(range(0, pairs, group)):
        yield Block(number, first, min(group, pairs - first))


def leaps(who: Configured, rounds: int) -> bool:
    """Whether whole epochs are played at once: the same actions, and sooner on long tables."""
    return who.algorithm.lazy and rounds > SHORT_LEAPS


def played(who: Configured, pair: Pair, runs: int, seed: int) -> TablePlays:
    """Runs under `pair.rewards`, with the book against `pair.neighbour`."""
    leaping = leaps(who, len(pair.rewards))
    return who.play(pair.rewards, pair.neighbour, runs, seed, leaping=leaping)


def select(who: Configured, pair: Pair, runs: int, seed: int) -> Selection[Weighted]:
    """Runs under `pair.rewards`, and the likelihood ratios of `pair.neighbour`."""
    plays = played(who, pair, runs, seed)
    return Selection(Weighted(plays.actions, np.exp(-plays.loss)))


@travels
def try_pairs(
    who: Configured,
    pairs: Sequence[Pair],
    seeds: Sequence[int],
    claim: Guarantee,
    size: int,
    ahead: int,
    alpha: float,
    opening: int = 0,
) -> Play:
    """The pairs of a block, which stand in the place of runs: the bounds that they seem to
    promise, and whether anything was booked."""

    def tried(place: int) -> tuple[float, bool]:
        pair = pairs[place]
        sample = select(who, pair, size, seeds[place])
        found = choose(sample, claim, pair, ahead, alpha, opening)
        return found.predicted, bool(np.any(sample.sample.weights != 1.0))

    def play(block: Block) -> Record:
        found = [tried(block.first + i) for i in range(block.runs)]
        return {"predicted": [v for v, _ in found], "booked": any(b for _, b in found)}

    return play


@travels
def choose_event(
    who: Configured,
    seed: int,
    pair: Pair,
    claim: Guarantee,
    ahead: int,
    alpha: float,
    opening: int = 0,
) -> Play:
    """One block: the event for a pair, and the largest bookings of a run, in the claim's terms."""

    def play(block: Block) -> Record:
        plays = played(who, pair, block.runs, seed)
        sample = Selection(Weighted(plays.actions, np.exp(-plays.loss)))
        chosen = choose(sample, claim, pair, ahead, alpha, opening)
        most = [float(plays.pure.max()), float(plays.gdp.max())]
        return {"chosen": chosen, "booked": most}

    return play


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


@travels
def count_weights(who: Configured, seed: int, pair: Pair, chosen: Chosen) -> Play:
    """Block i: how often the event happened, and with which likelihood ratios."""
    event = chosen.event
    drive = compiled_driver("play_tables", who.algorithm)
    count = compiled(count_event)
    rounds = len(pair.rewards)
    piece, leaping = max(1, min(PIECE, CELLS // rounds)), leaps(who, rounds)

    def add(part: Counted, actions: NDArray[np.int16], books: NDArray[np.float64]) -> None:
        if isinstance(event, Windows):
            codes, seen = event.codes, actions[:, event.start :] if event.start else actions
            depth, arms = event.depth - event.start, event.arms
        else:
            # A score has said already who is in: one code, which is an action of one arm.
            codes, depth, arms = np.zeros(1, np.int64), 1, 2
            seen = (~event.happened(actions)).astype(np.int16)[:, None]
        part.hits += count(seen, books, depth, arms, np.sort(codes), part.low, STEP, part.bins)

    def play(block: Block) -> Record:
        rng, part = block.generator(seed), Counted.empty(chosen.top)
        state = who.fresh()
        size = min(piece, block.runs)
        actions, books = np.empty((size, rounds), np.int16), np.empty((size, 3))
        while part.runs < block.runs:
            size = min(piece, block.runs - part.runs)
            some = actions[:size], books[:size]
            drive(state, pair.rewards, pair.neighbour, leaping, *some, rng)
            add(part, *some)
            part.runs += size
        (places,) = np.nonzero(part.bins)
        counts = part.bins[places]
        return {"runs": part.runs, "hits": part.hits, "places": places, "counts": counts}

    return play
