"""The two-world engine: every run carries its exact privacy loss L against the neighbour.

For an event S of action sequences, P'(S)/P(S) = E[exp(-L) | S], so that a bound on a conditional
mean replaces the ratio of two rare counts. What chooses the pair and the event (`Selection`) and
what bounds them (`Evaluation`) are samples of different types and different seeds.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dpaudit.auditor.engines.two_world.curriculum import (
    KEPT,
    Trial,
    first_stage,
    steps_from,
)
from dpaudit.auditor.engines.two_world.events import Chosen, Counted, Windows, bound, safe_log
from dpaudit.auditor.engines.two_world.power import causal, nothing_released, power
from dpaudit.auditor.engines.two_world.tasks import (
    choose_event,
    choose_step,
    count_weights,
    grouped,
    try_pairs,
)
from dpaudit.auditor.samples import Evaluation
from dpaudit.auditor.search import SHRUNK_SHARE, candidates, make_pair, neighbours_of, shrink
from dpaudit.auditor.statistics import Alpha, fixed_stake_lower
from dpaudit.play.tables import Configured
from dpaudit.results.audit import Event, Floats, Guarantee, Lower, Pair
from dpaudit.run.runner import Runner, current
from dpaudit.run.task import Block, Task, large_blocks, stream

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
SHORT, FEW_ARMS = 20, 3
"""Tables of so many rounds and arms are searched as they are, longer ones by a curriculum."""
MOST_SEARCHED = 2**28
"""The curriculum uses no more cells (an arm in a round) than that."""
MOST_CELLS = 2**31
"""An evaluation without a time is no longer than that many cells."""
SHRINKING = 200
"""Simpler pairs that are looked at."""


@dataclass
class TwoWorlds:
    who: Configured
    claim: Guarantee
    rounds: int
    seed: int
    workers: int
    given: Pair | None = None
    """A pair to audit instead of the ones that a search would find."""
    tried: int = 0
    longest: int = 1
    """The most rounds of a pair that was tried."""
    booked: bool = False
    most: tuple[float, float] = (0.0, 0.0)
    """The largest bookings of a run with the chosen pair, pure and squared GDP."""
    runner: Runner = field(init=False)

    def __post_init__(self) -> None:
        self.runner = current(self.workers)
        self.arms = int(self.who.settings["arms"])
        self.long = self.rounds > SHORT or self.arms > FEW_ARMS or self.given is not None
        # Windows begin behind the opening where all that is before does not fit into a code.
        self.opening = self.who.opening(self.rounds) if self.long else 0
        self.typical = min(self.rounds, self.opening + 8) if self.long else self.rounds
        if self.given is not None:
            self.typical = len(self.given.rewards)

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
        given = {"who": self.who, "pairs": pairs, "seeds": seeds, **about, "opening": self.opening}
        task = Task(try_pairs, self.who.algorithm.card.name, given)
        self.longest = max(self.longest, *(len(pair.rewards) for pair in pairs))
        found = []
        for _, record in self.runner.run(task, grouped(len(pairs), size, self.cost(pairs[0]))):
            found += record["predicted"]
            self.booked |= record["booked"]
        return found

    def cost(self, pair: Pair) -> int:
        """Rounds of a run, more of them where there are many arms."""
        return len(pair.rewards) * max(1, self.arms // 4)

    def choose(self, pair: Pair, runs: int, ahead: int, alpha: float, stage: int) -> Chosen:
        """The event for a pair, from a selection of so many runs."""
        about = {"claim": self.claim, "ahead": ahead, "alpha": alpha, "opening": self.opening}
        task = self.task(choose_event, (stage,), pair=pair, **about)
        record = self.runner.one(task, Block(0, 0, self.held(runs, pair)))
        self.longest = max(self.longest, len(pair.rewards))
        pure, gdp = record["booked"]
        self.most, self.booked = (pure, gdp), self.booked or pure > 0.0 or gdp > 0.0
        chosen: Chosen = record["chosen"]
        return chosen

    def held(self, runs: int, pair: Pair | None = None) -> int:
        """No more runs than fit into memory where an event is chosen."""
        rounds = self.rounds if pair is None else len(pair.rewards)
        return max(1000, min(runs, SAMPLE_CELLS // rounds))

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

    def ahead(self, runs: int, pair: Pair) -> int:
        """Runs of an evaluation: longer tables than typical ones get fewer, unless they are
        asked for."""
        if self.given is not None:
            return max(100, int((1.0 - SEARCH_SHARE) * runs))
        rounds = len(pair.rewards)
        least = min(1.0, max(64, self.typical) / rounds)
        most = MOST_CELLS // (rounds * self.arms)
        return max(100, min(int((1.0 - SEARCH_SHARE) * runs * least), most))

    def curriculum(
        self, runs: int, alpha: float, deadline: float | None
    ) -> tuple[Pair, Chosen, int]:
        """The same at long horizons: pairs of many lengths compete, in three stages with growing
        samples, with a hill climb behind the first."""
        cells = int(min(SEARCH_SHARE * runs * self.typical * self.arms, MOST_SEARCHED))
        spent, number = 0, 0

        def tried(pairs: list[Pair], size: int) -> list[Trial]:
            nonlocal spent, number
            found: list[Trial] = []
            for length in sorted({len(pair.rewards) for pair in pairs}):
                same = [pair for pair in pairs if len(pair.rewards) == length]
                if found and self.late(number, deadline):
                    break
                many, ahead = self.held(size, same[0]), self.ahead(runs, same[0])
                values = self.predicted(same, many, ahead, alpha, number + 1, 0)
                found += [Trial(v, number + 1 + i, same[i]) for i, v in enumerate(values)]
                number += len(same)
                spent += len(same) * many
            return found

        if self.given is not None:
            pair, cells = self.given, 4 * cells
        else:
            rng = np.random.default_rng(stream(self.seed, 1))
            ranked: list[Trial] = []
            for size, pairs in first_stage(self.who, self.rounds, cells // 4, rng):
                if not ranked or not self.late(number, deadline):
                    ranked += tried(pairs, size)
            for part, climbing in ((4, True), (8, False), (8, False)):
                ranked = sorted(ranked, key=lambda trial: trial.order)[:KEPT]
                pairs = [trial.pair for trial in ranked]
                if climbing:
                    pairs += steps_from(ranked[:2], rng)
                if self.late(number, deadline):
                    break
                longest = max(len(pair.rewards) for pair in pairs)
                again = tried(pairs, max(500, cells // part // (len(pairs) * longest * self.arms)))
                ranked = again or ranked
            pair = min(ranked, key=lambda trial: trial.order).pair
        size = max(1000, cells // 4 // (len(pair.rewards) * self.arms))
        self.tried = max(number, 1)
        size = self.held(size, pair)
        return pair, self.choose(pair, size, self.ahead(runs, pair), alpha, 2), spent + size

    def late(self, number: int, deadline: float | None) -> bool:
        """Whether the time for the search is over; once asked, it stays."""
        if deadline is None:
            return False
        ask = functools.partial(_over, deadline)
        return bool(self.runner.decide("late", [self.seed, number], ask))

    def lower(self, runs: int, seconds: float | None, alpha: Alpha, progress: Any = None) -> Lower:
        """Search, then spend the rest of the runs (or of the time) on bounding the chosen event."""
        began = time.monotonic()
        if seconds is not None:
            runs = self.runner.decide("runs", [seconds], lambda: self._affordable(seconds))
        deadline = None if seconds is None else began + seconds
        if self.long:
            until = None if seconds is None else began + 0.5 * seconds
            pair, chosen, spent = self.curriculum(runs, alpha.value, until)
            size = self.ahead(runs, pair)
        else:
            share = min(int(runs * SEARCH_SHARE), SEARCH_RUNS)
            pair, chosen, spent = self.search(share, runs, alpha.value)
            size = max(runs - spent, runs // 2)
        main, rest = alpha.split(1.0 - SHRUNK_SHARE, SHRUNK_SHARE)
        lower = self._bounded(pair, chosen, size, main, deadline, progress)
        searched = (
            f"{self.tried} pairs tried with {spent} runs{causal(self.who, self.rounds, pair)}"
        )
        lower = replace(lower, runs=lower.runs + spent, budget=runs, searched=searched)
        if lower.bound > self.claim.level and lower.complete:
            runs = size if self.long else runs
            late = None if seconds is None else time.monotonic() + 0.5 * seconds
            return self._shrunk(lower, late, runs // 4, rest)
        return (
            lower
            if self.booked
            else replace(lower, untested=(nothing_released(self.who, self.rounds, self.longest),))
        )

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
            power=power(self.claim, sample, low, estimate, self.most),
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
        for block, record in self.runner.run(task, large_blocks(runs, self.cost(pair))):
            yield record
            late = deadline is not None and time.monotonic() > deadline
            if last is None and late:
                last = self.runner.note("last block", task, block.number)
            if last == block.number:
                return

    def _shrunk(self, lower: Lower, late: float | None, runs: int, alpha: Alpha) -> Lower:
        """The same bound with a simpler witness, if a simpler one violates the claim too."""
        if lower.pair is None:
            return lower
        size, number = min(max(2000, runs // 100), self.held(SIMPLER_RUNS, lower.pair)), 0

        def violates(simpler: Pair) -> bool:
            nonlocal number
            number += 1
            if self.long and (number > SHRINKING or self.late(-number, late)):
                return False
            (found,) = self.predicted([simpler], size, runs, alpha.value, number, 6)
            return found > MARGIN * self.claim.level

        pair = shrink(lower.pair, violates, cut_rounds=self.who.algorithm.card.anytime)
        again = self.held(min(runs, SEARCH_RUNS), pair)
        if self.long:
            again = min(again, max(1000, runs // 4))
        chosen = self.choose(pair, again, runs, alpha.value, 7)
        found = self._bounded(pair, chosen, runs, alpha, late if self.long else None, stage=8)
        spent = lower.runs + number * size + again + runs
        if found.bound <= self.claim.level:
            return replace(lower, runs=spent)
        return replace(lower, pair=pair, event=found.event, witness_bound=found.bound, runs=spent)

    def _affordable(self, seconds: float) -> int:
        """About how many runs fit into the time: from a few, which also compiles."""
        rounds = self.typical
        here: Floats = np.zeros((rounds, self.arms))
        pair = make_pair(here, 1, np.zeros(self.arms), np.ones(self.arms))
        chosen = Chosen(Windows(1, np.zeros(1, np.int64), self.arms), 0.0)
        task = self.task(count_weights, (4,), pair=pair, chosen=chosen)
        task.player(Block(0, 0, 10))
        few = max(20, min(4000, 2**18 // (rounds * self.arms)))
        began = time.monotonic()
        task.player(Block(1, 10, few))
        each = (time.monotonic() - began) / few / self.runner.at_a_time
        return int(max(400 if self.long else 20_000, min(1e13, 0.8 * seconds / each)))

    def per_step(
        self, lower: Lower, runs: int, alpha: Alpha, seconds: float | None = None
    ) -> Lower:
        """A bound on ln of P'(a_t | a_1..t-1) / P(a_t | a_1..t-1), for the pair of `lower`.

        It is the log-ratio of a sequence less that of the sequence without its last action; the
        second is bounded from above by sampling the other world, where it is 1/E[exp(-L')].
        """
        if lower.pair is None:
            return lower
        pair = lower.pair
        task = self.task(choose_step, (12,), pair=pair)
        found = self.runner.one(task, Block(0, 0, self.held(runs // 4, pair)))
        parts = ((pair, found["last"], 13), (pair.swapped, found["before"], 14))
        bound = 0.0
        for (tables, chosen, stage), half in zip(parts, alpha.split(0.5, 0.5), strict=True):
            sample = Counted.empty(chosen.top)
            late = None if seconds is None else time.monotonic() + seconds / 4
            for record in self.counted(tables, chosen, runs // 2, stage, late):
                sample.add(record)
            expected = chosen.share * (runs // 2)
            low = fixed_stake_lower(*sample.weighted, half, expected, chosen.variance)
            bound += safe_log(low)
        sequence = found["sequence"]
        shown = " ".join(map(str, sequence[:-1]))
        text = f"action {sequence[-1]} in round {len(sequence)} after {shown}"
        return Lower(bound, pair, Event(text, (tuple(sequence),)), runs, found["value"])


def _over(deadline: float) -> bool:
    return time.monotonic() > deadline
