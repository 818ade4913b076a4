"""The two-world engine: every run carries its exact privacy loss L against the neighbour.

For an event S of action sequences, P'(S)/P(S) = E[exp(-L) | S], so that a bound on a conditional
mean replaces the ratio of two rare counts. What chooses the pair and the event (`Selection`) and
what bounds them (`Evaluation`) are samples of different types and different seeds.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dpaudit.algorithm.contract import Algorithm
from dpaudit.auditor.engines.two_world.events import (
    Chosen,
    Evaluation,
    Prefixes,
    bound,
    safe_log,
)
from dpaudit.auditor.engines.two_world.tasks import (
    Question,
    grouped,
    plain_choice,
    read_choice,
    take,
)
from dpaudit.auditor.search.pairs import candidates, neighbours_of
from dpaudit.auditor.search.shrink import SHRUNK_SHARE, shrink
from dpaudit.auditor.statistics import fixed_stake_lower
from dpaudit.results.audit import Event, Guarantee, Lower, Pair
from dpaudit.run.block import Block, large_blocks
from dpaudit.run.runner import Runner, current
from dpaudit.run.seeding import stream

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


@dataclass
class TwoWorlds:
    """One audit by the two-world engine."""

    algorithm: Algorithm
    claim: Guarantee
    arms: int
    rounds: int
    settings: dict[str, Any]
    seed: int
    workers: int
    tried: int = 0
    runner: Runner = field(init=False)

    def __post_init__(self) -> None:
        self.runner = current(self.workers)
        self.question = Question(self.algorithm, self.settings, self.claim, self.seed)

    def predicted(
        self, pairs: list[Pair], size: int, ahead: int, alpha: float, first: int, stage: int
    ) -> list[float]:
        """What each pair seems to promise, from a selection of its own."""
        about = {"size": size, "ahead": ahead, "alpha": alpha, "first": first}
        task = self.question.task("two-world-try", pairs, (stage,), **about)
        work = grouped(len(pairs), size, self.rounds)
        return [v for _, record in self.runner.run(task, work) for v in record["predicted"]]

    def choose(self, pair: Pair, runs: int, ahead: int, alpha: float, stage: int) -> Chosen:
        """The event for a pair, from a selection of so many runs."""
        task = self.question.task("two-world-choose", [pair], (stage,), ahead=ahead, alpha=alpha)
        return read_choice(self.runner.one(task, self.held(runs)))

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

    def lower(self, runs: int, seconds: float | None, alpha: float, progress: Any = None) -> Lower:
        """Search, then spend the rest of the runs (or of the time) on bounding the chosen event."""
        began = time.monotonic()
        if seconds is not None:
            runs = self.runner.decide("runs", [seconds], lambda: self._affordable(seconds))
        share = min(int(runs * SEARCH_SHARE), SEARCH_RUNS)
        pair, chosen, spent = self.search(share, runs, alpha)
        main, rest = alpha * (1.0 - SHRUNK_SHARE), alpha * SHRUNK_SHARE
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
        alpha: float,
        deadline: float | None = None,
        progress: Any = None,
        stage: int = 3,
    ) -> Lower:
        """Bound the chosen event on fresh runs, block by block."""
        sample, complete = Evaluation.empty(chosen.top), True
        try:
            for record in self.counted(pair, chosen, runs, stage, deadline):
                take(sample, record)
                if progress is not None:
                    progress(sample.runs, runs)
        except KeyboardInterrupt:
            if sample.runs == 0:
                raise
            complete = False
        low, estimate, sure = bound(sample, chosen, runs, self.claim, alpha)
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
        task = self.question.task("two-world-count", [pair], (stage,), chosen=plain_choice(chosen))
        last = self.runner.noted("last block", task.digest)
        for block, record in self.runner.run(task, large_blocks(runs, self.rounds)):
            yield record
            late = deadline is not None and time.monotonic() > deadline
            if last is None and late:
                last = self.runner.note("last block", task.digest, block.number)
            if last == block.number:
                return

    def _shrunk(self, lower: Lower, runs: int, alpha: float) -> Lower:
        """The same bound with a simpler witness, if a simpler one violates the claim too."""
        if lower.pair is None:
            return lower
        size, number = min(max(2000, runs // 100), self.held(SIMPLER_RUNS)), 0

        def violates(simpler: Pair) -> bool:
            nonlocal number
            number += 1
            (found,) = self.predicted([simpler], size, runs, alpha, number, 6)
            return found > MARGIN * self.claim.level

        pair = shrink(lower.pair, violates, cut_rounds=self.algorithm.card.anytime)
        again = self.held(min(runs, SEARCH_RUNS))
        chosen = self.choose(pair, again, runs, alpha, 7)
        found = self._bounded(pair, chosen, runs, alpha, stage=8)
        spent = lower.runs + number * size + again + runs
        if found.bound <= self.claim.level:
            return replace(lower, runs=spent)
        return replace(lower, pair=pair, event=found.event, witness_bound=found.bound, runs=spent)

    def _affordable(self, seconds: float) -> int:
        """About how many runs fit into the time: from a first taste, which also compiles."""
        pair = next(candidates(self.rounds, self.arms))
        chosen = Chosen(Prefixes(1, np.zeros(1, np.int64), self.arms), 0.0)
        task = self.question.task("two-world-count", [pair], (4,), chosen=plain_choice(chosen))
        task.player(Block(0, 0, 10))
        began = time.monotonic()
        task.player(Block(1, 10, 4000))
        each = (time.monotonic() - began) / 4000 / self.runner.hands
        return int(max(20_000, min(1e13, 0.8 * seconds / each)))

    def per_step(self, lower: Lower, runs: int, alpha: float) -> Lower:
        """A bound on ln of P'(a_t | a_1..t-1) / P(a_t | a_1..t-1), for the pair of `lower`.

        It is the log-ratio of a sequence less that of the sequence without its last action; the
        second is bounded from above by sampling the other world, where it is 1/E[exp(-L')].
        """
        if lower.pair is None:
            return lower
        pair = lower.pair
        task = self.question.task("two-world-step", [pair], (12,))
        found = self.runner.one(task, self.held(runs // 4))
        parts = (
            (pair, read_choice(found["last"]), 13),
            (pair.swapped, read_choice(found["before"]), 14),
        )
        bound = 0.0
        for tables, chosen, stage in parts:
            sample = Evaluation.empty(chosen.top)
            for record in self.counted(tables, chosen, runs // 2, stage):
                take(sample, record)
            expected = chosen.share * (runs // 2)
            low = fixed_stake_lower(*sample.weighted, alpha / 2.0, expected, chosen.variance)
            bound += safe_log(low)
        sequence = found["sequence"]
        shown = " ".join(map(str, sequence[:-1]))
        text = f"action {sequence[-1]} in round {len(sequence)} after {shown}"
        return Lower(bound, pair, Event(text, (tuple(sequence),)), runs, found["value"])

    def _power(self, sample: Evaluation, low: float, estimate: float) -> float:
        """What the same event would have needed: the claim, the width of this bound, and 1.28
        standard deviations for the luck of the draw."""
        if sample.hits < 2 or not math.isfinite(low):
            return math.inf
        deviation = sample.deviation / sample.mean / math.sqrt(sample.hits)
        return self.claim.level + (estimate - low) + 1.2816 * deviation
