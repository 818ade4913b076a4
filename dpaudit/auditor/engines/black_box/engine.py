"""The black-box engine: only sampled outputs of the two worlds are seen.

Pairs are compared on small samples, the best survive to larger ones; the event is chosen on a
sample of its own, and bounded on outputs drawn afterwards.
"""

from __future__ import annotations

import functools
import itertools
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dpaudit.auditor.adversaries import AdaptivePair, as_tables
from dpaudit.auditor.engines.black_box.events import (
    PESSIMISM,
    Drawn,
    ScoreEvent,
    as_outputs,
    bound_counts,
    choose,
)
from dpaudit.auditor.engines.black_box.independence import Independence
from dpaudit.auditor.engines.black_box.sampling import Sampler
from dpaudit.auditor.engines.black_box.scorers import Outputs
from dpaudit.auditor.engines.black_box.scoring.band import tradeoff
from dpaudit.auditor.engines.black_box.scoring.power import estimate, power, rarest
from dpaudit.auditor.engines.black_box.tasks import bet, count_hits, draw, try_pairs
from dpaudit.auditor.kinds.views import about_features
from dpaudit.auditor.samples import Selection
from dpaudit.auditor.search import SHRUNK_SHARE, shrink
from dpaudit.auditor.statistics import Alpha
from dpaudit.results.audit import Guarantee
from dpaudit.results.found import Event, Lower, Pair
from dpaudit.run.pools import OutOfTime
from dpaudit.run.runner import Runner
from dpaudit.run.task import Block, Home, Task, cut, stream

SELECTION_SHARE = 0.25
"""Part of the outputs of a world that chooses the event."""
MOST_SELECTED = 2**20
"""No more outputs of a world are in memory at once."""
SELECTED_CELLS = 2**26
"""No more actions of a world are in memory at once."""
DRAWN_CELLS = 2**24
"""No more numbers of a mechanism's outputs are in memory at once, of a world."""
CHUNK, CHUNK_CELLS = 2**16, 2**22
"""Outputs of a mechanism, and numbers in them, that are counted at a time."""
SIMPLER_RUNS = 40_000
"""A simpler pair is judged by no more outputs a world than that."""
MARGIN = 1.1
"""A simpler pair is kept if its predicted bound is so many times the claim."""
PODIUM = 3
"""So many pairs come out of a race."""
HOPEFUL = 0.05
"""Pairs that race are compared by what they may well show: the level of bounds on few outputs. The
best of them is looked at again."""
SHRUNK_RUNS = 0.15
"""Part of the purse that is kept for a simpler witness."""


@dataclass
class BlackBox:
    sampler: Sampler
    claim: Guarantee
    describe: Callable[[ScoreEvent, Outputs], Event]
    seed: int
    runner: Runner
    interrupted: bool = False
    independence: Independence = field(default_factory=Independence)
    whole: bool = False
    """Whether runs are seen when they have ended, so that shorter ones are of other learners."""
    width: int = 1
    """Numbers of the outputs that were drawn last."""
    band: Alpha | None = None
    """For the whole trade-off, if it is asked for."""
    above: Any = 0
    """How often the score was at least each threshold of the grid, in the two worlds."""
    varied: bool = False
    """Whether two runs that may choose an event differ."""
    repeats: tuple[str, ...] = ()
    """Generators of the learner that are seeded alike in every run, if we do not set them."""

    def task(self, make: Any, path: tuple[int, ...], **given: Any) -> Task:
        """A task on outputs that choose: one process may play many of its blocks."""
        given = {"sampler": self.sampler, "path": path, **given}
        home: Home = "thread" if self.sampler.home == "thread" else "process"
        return Task(make, self.sampler.name, given, home)

    def bounding(self, make: Any, path: tuple[int, ...], **given: Any) -> Task:
        """A task on outputs that bound: a process a block, where the sampler says so."""
        return replace(self.task(make, path, **given), home=self.sampler.home)

    def decide(self, name: str, spec: Any, choose: Callable[[], Any]) -> Any:
        """What hangs on the clock is noted for this sampler, and stays."""
        return self.runner.decide(name, [self.sampler, self.seed, spec], choose)

    def drawn(self, pair: Any, runs: int, *path: int) -> tuple[Outputs, Outputs]:
        """Outputs of both worlds that may choose an event; of a mechanism's wide ones fewer."""
        cells = 0 if hasattr(pair, "shape") else DRAWN_CELLS
        task = self.task(draw, path, pair=pair, cells=cells)
        work = self.runner.run(task, self.sampler.blocks(runs, pair))
        first, second = np.concatenate([record["outputs"] for _, record in work], axis=1)
        self.varied = self.varied or bool((first != first[0]).any() or (second != first[0]).any())
        self.width = first.shape[1]
        return as_outputs(first), as_outputs(second)

    def predicted(
        self, pairs: Sequence[Any], numbers: Sequence[int], runs: int, path: tuple[int, ...],
        ahead: int, alpha: float, pessimism: float = PESSIMISM,
    ) -> list[float]:  # fmt: skip
        """The bounds that pairs seem to promise, from so many outputs a world each."""
        about = {"claim": self.claim, "ahead": ahead, "alpha": alpha, "pessimism": pessimism}
        task = self.task(try_pairs, path, pairs=pairs, numbers=numbers, **about)
        work = self.runner.run(task, cut(runs * len(pairs), runs))
        return [record["predicted"] for _, record in work]

    def bets(
        self, pair: Any, event: ScoreEvent, level: int, size: int, steps: int
    ) -> Iterator[Any]:
        """For each block of pairs of outputs how the event happened in the two worlds."""
        task = self.bounding(bet, (15, level), pair=pair, event=event.bare())
        for _, record in self.runner.run(task, cut(size * steps, size)):
            self.independence.add(record["order"])
            yield record["outcomes"]

    def coins(self, stage: int) -> np.random.Generator:
        return np.random.default_rng(stream(self.seed, 16, stage))

    def race(
        self, pairs: Sequence[Any], runs: int, ahead: int, alpha: float, place: int = 0
    ) -> tuple[list[Any], int]:
        """The most promising pairs, the best first: a quarter survives each round, with four times
        the runs. `place` tells races apart."""
        spent, level = 0, 0
        ranked = [(0.0, 0, pair) for pair in pairs[:1]]
        alive = list(enumerate(pairs))
        rounds = max(1, math.ceil(math.log(len(pairs), 4))) if len(pairs) > 1 else 0
        while len(alive) > 1:
            each = max(20, runs // (2 * rounds * len(alive)))
            numbers, tried = zip(*alive, strict=True)
            path = (5, place, level)
            found = self.predicted(tried, numbers, each, path, ahead, alpha, HOPEFUL)
            ranked = [(-v, n, pair) for v, (n, pair) in zip(found, alive, strict=True)]
            spent += 2 * each * len(alive)
            ranked.sort(key=lambda x: (x[0], x[1]))
            alive = [(number, pair) for _, number, pair in ranked[: max(1, len(alive) // 4)]]
            level += 1
        return [pair for _, _, pair in ranked[:PODIUM]], spent

    def shrunk(
        self, lower: Lower, pair: Pair, runs: int, alpha: Alpha, late: Callable[[], bool]
    ) -> Lower:
        """The same bound with a simpler witness, if a simpler one violates the claim too; from
        `runs` runs in all."""
        each = runs // 8
        size, number = min(max(200, runs // 60), SIMPLER_RUNS), 0

        def violates(simpler: Pair) -> bool:
            nonlocal number
            if late() or 2 * size * (number + 1) > runs - 4 * each:
                return False
            number += 1
            (found,) = self.predicted([simpler], [number], size, (11,), each, alpha.value)
            return found > MARGIN * self.claim.level

        pair = shrink(pair, violates, cut_rounds=not self.whole)
        if number == 0 or pair is lower.pair:
            return lower
        again = min(each, MOST_SELECTED)
        event, words = self.choose(pair, self.drawn(pair, again, 12), each, alpha.value)
        hits, base_hits, done = self.evaluate(pair, event, each, None, stage=13)
        coins = self.coins(13)
        bound, _ = bound_counts(hits, base_hits, done, event, self.claim, alpha, coins)
        spent = lower.runs + 2 * number * size + 2 * again + 2 * done
        if bound <= self.claim.level:
            return replace(lower, runs=spent)
        shown = as_pair(pair, event, words)
        return replace(lower, pair=shown, event=words, witness_bound=bound, runs=spent)

    def choose(
        self, pair: Any, sample: Drawn, ahead: int, alpha: float
    ) -> tuple[ScoreEvent, Event]:
        """The event for a pair, from outputs of it."""
        first, second = sample
        names = self.sampler.names(pair)
        event = choose(
            Selection(sample),
            self.claim,
            ahead,
            alpha,
            names,
            modelled=not hasattr(pair, "shape"),
        )
        likelier = first if event.swapped else second
        if names:
            inside = likelier[event.happened(likelier)]
            return event, Event(about_features(event.text, names, inside))
        return event, self.describe(event, likelier)

    def evaluated(self, pair: Any, runs: int) -> Iterator[Block]:
        """The blocks of an evaluation: a mechanism's are counted a piece at a time."""
        if hasattr(pair, "shape"):
            return self.sampler.blocks(runs, pair)
        return cut(runs, max(1, min(CHUNK, CHUNK_CELLS // self.width)))

    def evaluate(
        self,
        pair: Any,
        event: ScoreEvent,
        runs: int,
        deadline: float | None,
        progress: Any = None,
        stage: int = 7,
    ) -> tuple[int, int, int]:
        """Hits, hits in the other world, and runs a world, on fresh outputs."""
        totals = [0, 0, 0]
        whole = {"scorer": event.scorer, "thresholds": event.grid} if self.band else {}
        task = self.bounding(count_hits, (stage,), pair=pair, event=event.bare(), **whole)
        try:
            for record in self.runner.until(deadline, task, self.evaluated(pair, runs)):
                totals = [a + b for a, b in zip(totals, record["counts"], strict=True)]
                self.above = self.above + np.array(record.get("above", 0))
                if "order" in record:
                    self.independence.add(record["order"])
                if progress is not None:
                    progress(totals[2], runs)
        except KeyboardInterrupt:
            if totals[2] == 0:
                raise
            self.interrupted = True
        except OutOfTime:
            if totals[2] == 0:
                raise
        return totals[0], totals[1], totals[2]

    def lower(self, pairs: Sequence[Any], runs: int, alpha: Alpha, progress: Any = None) -> Lower:
        """Race, choose, evaluate. `runs` outputs in all, both worlds and all stages together."""
        race_runs = int(0.3 * runs) if len(pairs) > 1 else 0
        left = runs - race_runs
        ahead = max(50, int(left * (1.0 - SELECTION_SHARE)) // 2)
        (pair, *_), spent = self.race(pairs, race_runs, ahead, alpha.value)
        return self.bounded(pair, left, alpha, spent=spent, progress=progress)

    def bounded(
        self,
        pair: Any,
        runs: int,
        alpha: Alpha,
        *,
        spent: int = 0,
        deadline: float | None = None,
        progress: Any = None,
        shrinks: bool = False,
    ) -> Lower:
        """Choose the event for a pair and bound it, from `runs` runs in all."""
        kept = int(SHRUNK_RUNS * runs) if shrinks else 0
        left = (runs - kept) // 2
        # With fewer runs than that nothing will be seen, and it should not take long.
        fewest = 100 if deadline is None or runs >= 200 else max(4, left // 2)
        selection = min(max(fewest, int(SELECTION_SHARE * left)), MOST_SELECTED)
        if hasattr(pair, "shape"):
            selection = max(fewest, min(selection, SELECTED_CELLS // pair.shape[0]))
        sample = self.drawn(pair, selection, 6)
        selection = len(sample[0])
        ahead = max(fewest // 2, left - selection)
        # Where the pair was given there is nothing to shrink, and no error probability to keep.
        main = alpha.take(alpha.value * (1.0 - SHRUNK_SHARE)) if shrinks else alpha
        event, words = self.choose(pair, sample, ahead, main.value)
        hits, base_hits, done = self.evaluate(pair, event, ahead, deadline, progress)
        counts = hits, base_hits, done, event, self.claim
        low, sure = bound_counts(*counts, main, self.coins(7))
        dependent = self.independence.complaint()
        whole = None
        if self.band is not None and dependent is None:
            whole = tradeoff(self.above, done, event, self.band)
        lower = Lower(
            bound=low if dependent is None else -math.inf,
            pair=as_pair(pair, event, words),
            event=words,
            runs=spent + 2 * selection + 2 * done,
            estimate=estimate(hits, base_hits, done, self.claim),
            power=power(*counts, main.value),
            rarest=rarest(done, event, self.claim, main.value),
            budget=runs,
            complete=not self.interrupted,
            sure=sure if dependent is None else None,
            tradeoff=whole,
            untested=() if dependent is None else (f"runs are not independent: {dependent}",),
        )
        if shrinks and lower.bound > self.claim.level and not self.interrupted:
            number = itertools.count()

            def late() -> bool:
                over = functools.partial(_over, deadline or math.inf)
                return deadline is not None and self.decide("late", next(number), over)

            return self.shrunk(lower, pair, kept, alpha.rest(), late)
        return lower


def _over(deadline: float) -> bool:
    return time.monotonic() > deadline


def as_pair(pair: Any, event: ScoreEvent, words: Event) -> Pair | None:
    """The tables to show: against an adversary, what both worlds see along the event's actions."""
    if isinstance(pair, AdaptivePair) and words.actions:
        actions = words.actions[0] + (0,) * pair.rounds
        pair = Pair(*as_tables(pair, actions[: pair.rounds]), pair.round)
    if not isinstance(pair, Pair):
        return None
    return pair.swapped if event.swapped else pair


def sequence_event(event: ScoreEvent, outputs: Outputs) -> Event:
    """An event of action sequences in words: the most frequent ones in it."""
    inside = outputs[event.happened(outputs)].astype(int)
    if len(inside) == 0:
        return Event(event.text)
    rows, counts = np.unique(inside, axis=0, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:64]
    sequences = tuple(tuple(int(a) for a in rows[i]) for i in order)
    shown = "; ".join(" ".join(map(str, s)) for s in sequences[:3])
    what = event.text.replace("the output is", "the action sequence is").replace(
        "entries", "actions"
    )
    return Event(f"{what}, such as {shown}", sequences)
