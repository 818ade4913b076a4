"""The two-world engine: every run carries its exact privacy loss L against the neighbour.

For an event S of action sequences, P'(S)/P(S) = E[exp(-L) | S], so that a bound on a conditional
mean replaces the ratio of two rare counts. What chooses the pair and the event (`Selection`) and
what bounds them (`Evaluation`) are samples of different types and different seeds.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dpaudit.auditor.engines.two_world.events import (
    FEWEST,
    STEP,
    Chosen,
    Counted,
    Prefixes,
    Weighted,
    bound,
    choose,
    code_of,
    decode,
    depths,
    encode,
    safe_log,
)
from dpaudit.auditor.samples import Evaluation, Selection
from dpaudit.auditor.search import SHRUNK_SHARE, candidates, neighbours_of, shrink
from dpaudit.auditor.statistics import Alpha, fixed_stake_lower
from dpaudit.machine.compiling import compiled, compiled_driver
from dpaudit.machine.drivers import count_event
from dpaudit.play.tables import Configured
from dpaudit.results.audit import Event, Guarantee, Lower, Pair
from dpaudit.run.plain import travels
from dpaudit.run.runner import Runner, current
from dpaudit.run.task import Block, Play, Record, Task, large_blocks, stream

SEARCH_RUNS = 4_000_000
"""The search for pair and event uses no more runs than that."""
SAMPLE_CELLS = 2**26
"""Actions in memory at once where an event is chosen."""
SIMPLER_RUNS = 40_000
"""A simpler pair is judged by no more runs than that."""
SEARCH_SHARE = 0.25
"""Part of the runs that the search for pair and event may use."""
MARGIN = 1.02
"""A simpler pair is kept if its predicted bound is so many times the claim."""
PIECE = 2**14
"""Runs of a block that are in memory at once."""
GROUPED = 2**18
"""Rounds in a block of the search."""


@dataclass
class TwoWorlds:
    who: Configured
    claim: Guarantee
    rounds: int
    seed: int
    workers: int
    tried: int = 0
    runner: Runner = field(init=False)

    def __post_init__(self) -> None:
        self.runner = current(self.workers)
        self.arms = self.who.settings["arms"]

    def task(self, make: Any, path: tuple[int, ...], **given: Any) -> Task:
        """A task for this algorithm, with its own path from the seed."""
        shared = {"who": self.who, "seed": stream(self.seed, *path)}
        return Task(make, self.who.algorithm.card.name, {**shared, **given})

    def predicted(
        self, pairs: list[Pair], size: int, ahead: int, alpha: float, first: int, stage: int
    ) -> list[float]:
        """What each pair seems to promise, from a selection of its own."""
        seeds = [stream(self.seed, stage, first + i) for i in range(len(pairs))]
        about = {"claim": self.claim, "size": size, "ahead": ahead, "alpha": alpha}
        given = {"who": self.who, "pairs": pairs, "seeds": seeds, **about}
        task = Task(try_pairs, self.who.algorithm.card.name, given)
        work = grouped(len(pairs), size, self.rounds)
        return [v for _, record in self.runner.run(task, work) for v in record["predicted"]]

    def choose(self, pair: Pair, runs: int, ahead: int, alpha: float, stage: int) -> Chosen:
        """The event for a pair, from a selection of so many runs."""
        about = {"claim": self.claim, "ahead": ahead, "alpha": alpha}
        task = self.task(choose_event, (stage,), pair=pair, **about)
        chosen: Chosen = self.runner.one(task, Block(0, 0, self.held(runs)))["chosen"]
        return chosen

    def held(self, runs: int) -> int:
        """No more runs than fit into memory where an event is chosen."""
        return max(1000, min(runs, SAMPLE_CELLS // self.rounds))

    def search(self, runs: int, ahead: int, alpha: float) -> tuple[Pair, Chosen, int]:
        """The most promising pair with its event, and the runs spent: structured candidates, a hill
        climb from the best, and a last choice with the larger half of the runs."""
        first = list(candidates(self.rounds, self.arms))
        each = max(1000, runs // 4 // len(first))
        spent, number = 0, 0

        def tried(pairs: list[Pair], size: int) -> list[tuple[float, int, Pair]]:
            nonlocal spent, number
            values = self.predicted(pairs, size, ahead, alpha, number + 1, 0)
            found = [(values[i], number + 1 + i, pair) for i, pair in enumerate(pairs)]
            number += len(pairs)
            spent += len(pairs) * size
            return found

        ranked = sorted(tried(first, each), key=lambda x: (-x[0], x[1]))[:6]
        rng = np.random.default_rng(stream(self.seed, 1))
        for _ in range(2):
            steps = [p for _, _, pair in ranked[:2] for p in neighbours_of(pair, rng, 12)]
            ranked = sorted(ranked + tried(steps, each), key=lambda x: (-x[0], x[1]))[:6]
        most = self.held(max(each, runs // 16))
        finalists = tried([pair for _, _, pair in ranked], most)
        _, _, pair = min(finalists, key=lambda x: (-x[0], x[1]))
        size = self.held(max(each, runs // 4))
        self.tried = number
        return pair, self.choose(pair, size, ahead, alpha, 2), spent + size

    def lower(self, runs: int, seconds: float | None, alpha: Alpha, progress: Any = None) -> Lower:
        """Search, then spend the rest of the runs (or of the time) on bounding the chosen event."""
        began = time.monotonic()
        if seconds is not None:
            runs = self.runner.decide("runs", [seconds], lambda: self._affordable(seconds))
        share = min(int(runs * SEARCH_SHARE), SEARCH_RUNS)
        pair, chosen, spent = self.search(share, runs, alpha.value)
        main, rest = alpha.split(1.0 - SHRUNK_SHARE, SHRUNK_SHARE)
        deadline = None if seconds is None else began + seconds
        lower = self._bounded(pair, chosen, max(runs - spent, runs // 2), main, deadline, progress)
        searched = f"{self.tried} pairs tried with {spent} runs"
        lower = replace(lower, runs=lower.runs + spent, budget=runs, searched=searched)
        if lower.bound > self.claim.level and lower.complete:
            return self._shrunk(lower, runs // 4, rest)
        return lower

    def _bounded(
        self,
        pair: Pair,
        chosen: Chosen,
        runs: int,
        alpha: Alpha,
        deadline: float | None = None,
        progress: Any = None,
        stage: int = 3,
    ) -> Lower:
        """Bound the chosen event on fresh runs, block by block."""
        sample, complete = Counted.empty(chosen.top), True
        try:
            for record in self.counted(pair, chosen, runs, stage, deadline):
                sample.add(record)
                if progress is not None:
                    progress(sample.runs, runs)
        except KeyboardInterrupt:
            if sample.runs == 0:
                raise
            complete = False
        low, estimate, sure = bound(Evaluation(sample), chosen, runs, self.claim, alpha)
        return Lower(
            bound=low,
            pair=pair,
            event=chosen.event.described(),
            runs=sample.runs,
            estimate=estimate,
            power=self._power(sample, low, estimate),
            complete=complete,
            sure=sure,
        )

    def counted(
        self, pair: Pair, chosen: Chosen, runs: int, stage: int, deadline: float | None = None
    ) -> Iterator[dict[str, Any]]:
        """The blocks of an evaluation, in order; after the deadline no more. Where it fell is noted
        and holds when the journal is read again: it looked at the clock, not at the outcome."""
        task = self.task(count_weights, (stage,), pair=pair, chosen=chosen)
        last = self.runner.noted("last block", task)
        for block, record in self.runner.run(task, large_blocks(runs, self.rounds)):
            yield record
            late = deadline is not None and time.monotonic() > deadline
            if last is None and late:
                last = self.runner.note("last block", task, block.number)
            if last == block.number:
                return

    def _shrunk(self, lower: Lower, runs: int, alpha: Alpha) -> Lower:
        """The same bound with a simpler witness, if a simpler one violates the claim too."""
        if lower.pair is None:
            return lower
        size, number = min(max(2000, runs // 100), self.held(SIMPLER_RUNS)), 0

        def violates(simpler: Pair) -> bool:
            nonlocal number
            number += 1
            (found,) = self.predicted([simpler], size, runs, alpha.value, number, 6)
            return found > MARGIN * self.claim.level

        pair = shrink(lower.pair, violates, cut_rounds=self.who.algorithm.card.anytime)
        again = self.held(min(runs, SEARCH_RUNS))
        chosen = self.choose(pair, again, runs, alpha.value, 7)
        found = self._bounded(pair, chosen, runs, alpha, stage=8)
        spent = lower.runs + number * size + again + runs
        if found.bound <= self.claim.level:
            return replace(lower, runs=spent)
        return replace(lower, pair=pair, event=found.event, witness_bound=found.bound, runs=spent)

    def _affordable(self, seconds: float) -> int:
        """About how many runs fit into the time: from a few, which also compiles."""
        pair = next(candidates(self.rounds, self.arms))
        chosen = Chosen(Prefixes(1, np.zeros(1, np.int64), self.arms), 0.0)
        task = self.task(count_weights, (4,), pair=pair, chosen=chosen)
        task.player(Block(0, 0, 10))
        began = time.monotonic()
        task.player(Block(1, 10, 4000))
        each = (time.monotonic() - began) / 4000 / self.runner.at_a_time
        return int(max(20_000, min(1e13, 0.8 * seconds / each)))

    def per_step(self, lower: Lower, runs: int, alpha: Alpha) -> Lower:
        """A bound on ln of P'(a_t | a_1..t-1) / P(a_t | a_1..t-1), for the pair of `lower`.

        It is the log-ratio of a sequence less that of the sequence without its last action; the
        second is bounded from above by sampling the other world, where it is 1/E[exp(-L')].
        """
        if lower.pair is None:
            return lower
        pair = lower.pair
        task = self.task(choose_step, (12,), pair=pair)
        found = self.runner.one(task, Block(0, 0, self.held(runs // 4)))
        parts = ((pair, found["last"], 13), (pair.swapped, found["before"], 14))
        bound = 0.0
        for (tables, chosen, stage), half in zip(parts, alpha.split(0.5, 0.5), strict=True):
            sample = Counted.empty(chosen.top)
            for record in self.counted(tables, chosen, runs // 2, stage):
                sample.add(record)
            expected = chosen.share * (runs // 2)
            low = fixed_stake_lower(*sample.weighted, half, expected, chosen.variance)
            bound += safe_log(low)
        sequence = found["sequence"]
        shown = " ".join(map(str, sequence[:-1]))
        text = f"action {sequence[-1]} in round {len(sequence)} after {shown}"
        return Lower(bound, pair, Event(text, (tuple(sequence),)), runs, found["value"])

    def _power(self, sample: Counted, low: float, estimate: float) -> float:
        """What the same event would have needed: the claim, the width of this bound, and 1.28
        standard deviations for the luck of the draw."""
        if sample.hits < 2 or not math.isfinite(low):
            return math.inf
        deviation = sample.deviation / sample.mean / math.sqrt(sample.hits)
        return self.claim.level + (estimate - low) + 1.2816 * deviation


def grouped(pairs: int, size: int, rounds: int) -> Iterator[Block]:
    """Blocks of pairs that are tried with `size` runs each: a few at a time where that is little
    work."""
    group = max(1, GROUPED // (size * rounds))
    for number, first in enumerate(range(0, pairs, group)):
        yield Block(number, first, min(group, pairs - first))


def select(who: Configured, pair: Pair, runs: int, seed: int) -> Selection[Weighted]:
    """Runs under `pair.rewards`, and the likelihood ratios of `pair.neighbour`."""
    plays = who.play(pair.rewards, pair.neighbour, runs, seed)
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
) -> Play:
    """The pairs of a block, which stand in the place of runs: the bounds that they seem to
    promise."""

    def tried(place: int) -> float:
        pair = pairs[place]
        sample = select(who, pair, size, seeds[place])
        return choose(sample, claim, pair, ahead, alpha).predicted

    def play(block: Block) -> Record:
        return {"predicted": [tried(block.first + i) for i in range(block.runs)]}

    return play


@travels
def choose_event(
    who: Configured, seed: int, pair: Pair, claim: Guarantee, ahead: int, alpha: float
) -> Play:
    """One block: the event for a pair."""

    def play(block: Block) -> Record:
        sample = select(who, pair, block.runs, seed)
        return {"chosen": choose(sample, claim, pair, ahead, alpha)}

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
    event = Prefixes(len(sequence), np.array([code_of(sequence, arms)]), arms)
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
    codes = np.sort(event.codes)
    drive = compiled_driver("play_tables", who.algorithm)
    count = compiled(count_event)

    def play(block: Block) -> Record:
        rng, part = block.generator(seed), Counted.empty(chosen.top)
        state = who.fresh()
        size = min(PIECE, block.runs)
        actions, books = np.empty((size, len(pair.rewards)), np.int16), np.empty((size, 3))
        while part.runs < block.runs:
            size = min(PIECE, block.runs - part.runs)
            some = actions[:size], books[:size]
            drive(state, pair.rewards, pair.neighbour, False, *some, rng)
            part.hits += count(*some, event.depth, event.arms, codes, part.low, STEP, part.bins)
            part.runs += size
        (places,) = np.nonzero(part.bins)
        counts = part.bins[places]
        return {"runs": part.runs, "hits": part.hits, "places": places, "counts": counts}

    return play
