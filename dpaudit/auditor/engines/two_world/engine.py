"""The two-world engine: every run carries its exact privacy loss L against the neighbour.

For an event S of action sequences, P'(S)/P(S) = E[exp(-L) | S], so that a bound on a conditional
mean replaces the ratio of two rare counts. What chooses the pair and the event (`Selection`) and
what bounds them (`Evaluation`) are samples of different types and different seeds.
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpaudit.auditor.engines.two_world.curriculum import SEARCH_SHARE, ahead, chosen_pair
from dpaudit.auditor.engines.two_world.events import (
    STEP,
    Chosen,
    Counted,
    Weighted,
    Windows,
    bound,
    choose,
    power,
)
from dpaudit.auditor.engines.two_world.words import causal, nothing_released
from dpaudit.auditor.samples import Evaluation, Selection
from dpaudit.auditor.search import SHRUNK_SHARE, candidates, make_pair, neighbours_of, shrink
from dpaudit.auditor.statistics import Alpha
from dpaudit.machine.compiling import compiled, compiled_driver
from dpaudit.machine.drivers import count_event
from dpaudit.play.tables import Configured, TablePlays
from dpaudit.results.audit import Guarantee
from dpaudit.results.found import Floats, Lower, Pair
from dpaudit.run.plain import travels
from dpaudit.run.runner import Runner, current
from dpaudit.run.task import Block, Play, Record, Task, large_blocks, stream

FEW_RUNS = 250_000
"""A search with fewer runs does not need more than it has: in STAGES, the first with FEWEST_RUNS
of each pair."""
STAGES, FEWEST_RUNS = 3, 100
SEARCH_RUNS = 4_000_000
"""The search for pair and event uses no more runs than that."""
SAMPLE_CELLS = 2**26
"""Actions in memory at once where an event is chosen."""
SIMPLER_RUNS = 40_000
"""A simpler pair is judged by no more runs than that."""
MARGIN = 1.02
"""A simpler pair is kept if its predicted bound is so many times the claim."""
SHORT, FEW_ARMS = 20, 3
"""Tables of so many rounds and arms are searched as they are, longer ones by a curriculum."""
SHRINKING = 200
"""Simpler pairs that are looked at."""
PIECE = 2**14
"""Runs of a block that are in memory at once."""
CELLS = 2**22
"""And no more actions than that."""
SHORT_LEAPS = 12
"""Shorter tables are played round by round."""
GROUPED = 2**18
"""Rounds in a block of the search."""


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
        climb from the best, and a last choice with the larger half of the runs. With few runs there
        is no climb: the better fourth of the pairs goes on, with four times the runs."""
        first = list(candidates(self.rounds, self.arms))
        each = max(1000, runs // 4 // len(first))
        rng = np.random.default_rng(stream(self.seed, 1))
        spent = number = 0

        def tried(pairs: list[Pair], size: int) -> list[tuple[float, int, Pair]]:
            nonlocal spent, number
            values = self.predicted(pairs, size, ahead, alpha, number + 1, 0)
            found = [(values[i], number + 1 + i, pair) for i, pair in enumerate(pairs)]
            number += len(pairs)
            spent += len(pairs) * size
            return found

        if runs < FEW_RUNS:
            each = FEWEST_RUNS
            most = max(4, runs // (STAGES * each))
            first = [first[i] for i in sorted(rng.permutation(len(first))[:most])]
            for _ in range(STAGES):
                ranked = sorted(tried(first, each), key=lambda x: (-x[0], x[1]))
                first = [pair for _, _, pair in ranked[: -(-len(ranked) // 4)]]
                each *= 4
                if len(first) == 1:
                    break
            self.tried, size = number, self.held(max(1000, runs // 4))
            return first[0], self.choose(first[0], size, ahead, alpha, 2), spent + size
        ranked = sorted(tried(first, each), key=lambda x: (-x[0], x[1]))[:6]
        for _ in range(2):
            steps = [p for _, _, pair in ranked[:2] for p in neighbours_of(pair, rng, 12)]
            ranked = sorted(ranked + tried(steps, each), key=lambda x: (-x[0], x[1]))[:6]
        finalists = tried([pair for _, _, pair in ranked], self.held(max(each, runs // 16)))
        _, _, pair = min(finalists, key=lambda x: (-x[0], x[1]))
        self.tried, size = number, self.held(max(each, runs // 4))
        return pair, self.choose(pair, size, ahead, alpha, 2), spent + size

    def late(self, number: int, deadline: float | None) -> bool:
        """Whether the time for the search is over; once asked, it stays."""
        ask = functools.partial(_over, deadline or math.inf)
        return deadline is not None and self.runner.decide("late", [self.seed, number], ask)

    def lower(self, runs: int, seconds: float | None, alpha: Alpha, progress: Any = None) -> Lower:
        """Search, then spend the rest of the runs (or of the time) on bounding the chosen event."""
        began = time.monotonic()
        if seconds is not None:
            runs = self.runner.decide("runs", [seconds], lambda: self._affordable(seconds))
        deadline = None if seconds is None else began + seconds
        if self.long:
            until = None if seconds is None else began + 0.5 * seconds
            pair, chosen, spent = chosen_pair(self, runs, alpha.value, until)
            size = ahead(self, runs, pair)
        else:
            few = min(int(runs * SEARCH_SHARE), SEARCH_RUNS)
            pair, chosen, spent = self.search(few, runs, alpha.value)
            size = max(runs - spent, runs // 2)
        main, rest = alpha.split(1.0 - SHRUNK_SHARE, SHRUNK_SHARE)
        lower = self._bounded(pair, chosen, size, main, deadline, progress)
        searched = f"{self.tried} pairs tried with {spent} runs"
        if len(pair.rewards) < self.rounds:
            searched += causal(self.who, self.rounds, pair)
        lower = replace(lower, runs=lower.runs + spent, budget=runs, searched=searched)
        if lower.bound > self.claim.level and lower.complete:
            runs = size if self.long else runs
            late = None if seconds is None else time.monotonic() + 0.5 * seconds
            return self._shrunk(lower, late, runs // 4, rest)
        if self.booked:
            return lower
        return replace(lower, untested=(nothing_released(self.who, self.rounds, self.longest),))

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
        """The blocks of an evaluation, in order; after the deadline no more."""
        task = self.task(count_weights, (stage,), pair=pair, chosen=chosen)
        return self.runner.until(deadline, task, large_blocks(runs, self.cost(pair)))

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


def _over(deadline: float) -> bool:
    return time.monotonic() > deadline


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
