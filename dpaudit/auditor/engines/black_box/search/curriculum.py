"""The search over lengths of play: runs are spent where the leak shows.

A learner is causal: an event on the first t actions needs t rounds, whatever the horizon. So pairs
are tried at 4, 8, 16, ... rounds, and at each length walks between far tables find the step at
which the behaviour turns. The best of all lengths meet once more, on runs of their own.
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.auditor.adversaries import Adversary, adaptive_pairs
from dpaudit.auditor.engines.black_box.events import ScoreEvent
from dpaudit.auditor.engines.black_box.search.walks import (
    SHORT,
    Walk,
    horizons,
    looks,
    steepest,
    walks,
)
from dpaudit.auditor.engines.black_box.tasks import choose_ends, count_at
from dpaudit.auditor.kinds.groups import Groups, steps_of
from dpaudit.auditor.search import (
    candidates,
    interesting_rounds,
    likely_rows,
    make_pair,
    neighbours_of,
)
from dpaudit.play.kinds.setting import USUAL, Setting
from dpaudit.results.found import Pair
from dpaudit.run.task import Block, stream

if TYPE_CHECKING:
    from dpaudit.auditor.engines.black_box.engine import BlackBox

SEARCHED = 0.3
"""Part of the purse for the search over lengths."""
FINAL = 0.1
"""Part of the purse for the last choice among the best pairs of all lengths."""
FEWEST = 60
"""A length at which fewer runs can be paid is not searched."""
HOPELESS = 300
"""Where all the time pays for fewer runs of the shortest length than that, nothing is searched."""
PAIRED = 64
"""Up to this length single pairs are tried, too."""
MOST_PAIRS = 48
"""How many candidate pairs enter the race."""
PAID = 100
"""Runs that a pair in a race needs at least, on the whole."""
RACED, STEPS = 0.75, 16
"""Part of the runs for that race; with the rest so many steps from its winner race with it."""
LEAST_SECONDS = 1.0
"""A length that is given less time than that on each core had better be left out."""
MOST_WALKS = 48
"""So many walks of a length are looked at."""
NARROWED = 3
"""So many walks of a length are narrowed to a step."""
FAR, SEEN = 0.04, 3
"""Part of the purse to see whether rewards matter at all, and so many walks that are looked at."""
SURE = 5.0
"""Standard deviations by which the rewards must move an event to have been seen to matter: one
chance in a million and a half."""


@dataclass(frozen=True)
class Prices:
    """What a run of so many rounds costs: in runs, or in seconds."""

    a_run: float
    a_round: float

    def of(self, rounds: int) -> float:
        return self.a_run + self.a_round * rounds


def any_pair(setting: Setting, arms: int, rounds: int) -> Any:
    """Any pair of that length."""
    way = Walk((0.0,) * arms, (1.0,) * arms, rounds, here=0, there=min(setting.changes, rounds))
    return way.shown((1.0,) * setting.numbers).pair() if not setting.usual else way


def some_pairs(rounds: int, arms: int, rng: np.random.Generator) -> list[Pair]:
    """Pairs that enter the race: all where they are few; else half of them tables of equal rows of
    which one turns into its opposite, half any patterns. At random: a regular step would meet the
    same direction of change again and again."""
    rows, places = likely_rows(arms), interesting_rounds(rounds, 8)
    if 3 * len(rows) ** 2 * len(places) <= MOST_PAIRS:
        return list(candidates(rounds, arms, 8))
    found: dict[bytes, Pair] = {}
    for number in range(2 * MOST_PAIRS):
        here = rows[rng.integers(len(rows))]
        row = here if number % 2 == 0 else rows[rng.integers(len(rows))]
        table = np.tile(row, (rounds, 1))
        if number % 2 == 1:
            others = (slice(0), slice(1, None, 2), slice(rounds // 2, None))[rng.integers(3)]
            table[others] = 1.0 - row
        pair = make_pair(table, places[rng.integers(len(places))], here, 1.0 - here)
        found.setdefault(pair.rewards.tobytes() + pair.neighbour.tobytes(), pair)
        if len(found) == MOST_PAIRS:
            break
    return list(found.values())


@dataclass
class Curriculum:
    """One search. `purse` is what the whole audit may cost, at these prices."""

    engine: BlackBox
    arms: int
    rounds: int
    purse: float
    prices: Prices
    alpha: float
    adversary: Adversary | None = None
    setting: Setting = USUAL
    spent: int = 0
    """Runs."""
    paid: float = 0.0
    """Of the purse."""
    tried: int = 0
    searched: list[int] = field(default_factory=list)
    left_out: list[int] = field(default_factory=list)
    timed: bool = False
    """Whether the purse is of seconds."""
    slow: float = 1.0
    far: list[tuple[float, Walk, ScoreEvent]] = field(default_factory=list)
    """Of each length the walk whose ends are told apart best, and by which event."""
    moved: bool = False
    """Whether the rewards were seen to move the actions."""

    @functools.cached_property
    def groups(self) -> Groups:
        return Groups(self.setting, self.arms)

    def ahead(self, rounds: int) -> int:
        """Runs a world that an evaluation of that length can have."""
        return max(50, int(0.2 * self.purse / self.prices.of(rounds)))

    def pair(self) -> Any:
        """The most promising pair of neighbours; any, where there is no time to look for one."""
        if self.timed and self.purse < HOPELESS * self.prices.of(self.lengths[0]):
            self.searched, self.left_out = self.lengths[:1], self.lengths[1:]
            return self._any(self.lengths[0])
        finalists: list[Any] = []
        for number, rounds in enumerate(self.lengths):
            paid = functools.partial(self._runs, rounds)
            runs = self.engine.decide("length", [self.engine.seed, rounds], paid)
            if runs < FEWEST and number > 0:
                self.left_out.append(rounds)
                continue
            began = time.monotonic()
            self.searched.append(rounds)
            finalists += self._of_length(rounds, max(runs, FEWEST))
            self._took(rounds, time.monotonic() - began)
        self._see()
        return self._last(finalists)

    def _any(self, rounds: int) -> Any:
        if self.adversary is not None:
            return adaptive_pairs(self.adversary, rounds, self.arms)[0]
        return any_pair(self.setting, self.arms, rounds)

    @functools.cached_property
    def lengths(self) -> list[int]:
        """The lengths of play: with little time further apart."""
        if self.engine.whole:
            return [self.rounds]
        asked = [self.engine.seed, self.rounds]
        found: list[int] = self.engine.decide("lengths", asked, self._lengths)
        return found

    def _lengths(self) -> list[int]:
        for factor in (2, 4, 16):
            found = list(horizons(self.rounds, self.arms, factor))
            each = SEARCHED * self.purse / len(found) / self.engine.runner.at_a_time
            if not self.timed or each >= LEAST_SECONDS:
                break
        return found

    def _pay(self, runs: int, rounds: int) -> None:
        self.spent += runs
        self.paid += runs * self.prices.of(rounds)

    def _runs(self, rounds: int) -> int:
        """Runs of a length that its part of the purse can pay."""
        part = SEARCHED * self.purse / len(self.lengths)
        return int(part / self.prices.of(rounds) / self.slow)

    def _took(self, rounds: int, seconds: float) -> None:
        """Where a length took longer than planned, the next ones are given so much less."""
        if self.timed:
            part = SEARCHED * self.purse / len(self.lengths) / self.engine.runner.at_a_time
            slow = max(1.0, self.slow * seconds / part)
            asked = [self.engine.seed, rounds]
            self.slow = self.engine.decide("slow", asked, lambda: slow)

    def _of_length(self, rounds: int, runs: int) -> list[Any]:
        found: list[Any] = []
        if self.adversary is not None:
            pairs: Sequence[Any] = adaptive_pairs(self.adversary, rounds, self.arms)
            order = np.random.default_rng(stream(self.engine.seed, 10, rounds))
            some = sorted(order.permutation(len(pairs))[:MOST_PAIRS])
            return self._raced([pairs[i] for i in some], rounds, runs)[:1]
        if rounds <= PAIRED:
            order = np.random.default_rng(stream(self.engine.seed, 10, rounds))
            if self.setting.numbers:
                pairs = self.groups.contextual(rounds, order, MOST_PAIRS)
            else:
                pairs = some_pairs(rounds, self.arms, order)
            pairs = list(self.groups.shaped(pairs, order))
            runs_of_pairs = int(runs * (0.85 if rounds <= SHORT else 0.5))
            found += self._raced(pairs, rounds, runs_of_pairs)
            runs -= runs_of_pairs
        if not self.groups.walked:
            return found or self._raced([self._any(rounds)], rounds, runs)[:1]
        return found + self._walked(rounds, runs)

    def _raced(self, pairs: Sequence[Any], rounds: int, runs: int) -> list[Any]:
        """The winner of a race and what is uphill from it, and who came next."""
        pairs = pairs[: max(2, runs // PAID)]
        found = self._race(pairs, int(RACED * runs), rounds, 0)
        if not isinstance(found[0], Pair) or runs < STEPS * PAID:
            return found[:1]
        rng = np.random.default_rng(stream(self.engine.seed, 22, rounds))
        steps = [found[0], *self.groups.shaped(neighbours_of(found[0], rng, STEPS), rng)]
        uphill = self._race(steps, int((1.0 - RACED) * runs), rounds, 1)
        return [uphill[0], *found[1:]] if rounds <= SHORT else uphill[:1]

    def _race(self, pairs: Sequence[Any], runs: int, rounds: int, place: int) -> list[Any]:
        self.tried += len(pairs)
        ahead = self.ahead(rounds)
        found, spent = self.engine.race(pairs, runs, ahead, self.alpha, 2 * rounds + place)
        self._pay(spent, rounds)
        return found

    def _walked(self, rounds: int, runs: int) -> list[Any]:
        """Steps of the walks whose ends are told apart best."""
        rng = np.random.default_rng(stream(self.engine.seed, 17, rounds))
        ways = walks(self.arms, rounds, rng)[:MOST_WALKS]
        if self.setting.numbers:
            ways = [way.shown(np.eye(self.setting.numbers)[0]) for way in ways]
        each = max(8, min(200, runs // (6 * len(ways))))
        ways = ways[: max(1, runs // (6 * each))]
        ends = [way.ends for way in ways]
        events = self._ends(ends, rounds, each)
        self._pay(2 * each * len(ends), rounds)
        ranked = sorted(range(len(ways)), key=lambda i: (-events[i].predicted, i))
        best = [i for i in ranked[:NARROWED] if events[i].predicted > 0.0]
        if not best:
            best = ranked[:1]
        steps = []
        self.far.append((events[best[0]].predicted, ways[best[0]], events[best[0]]))
        for place, i in enumerate(best):
            left = max(1, runs // (2 * len(best)))
            steps.append(self._narrowed(ways[i], events[i], rounds, left, place))
        return steps

    def _ends(self, ends: Sequence[Walk], rounds: int, runs: int) -> list[ScoreEvent]:
        about = {"claim": self.engine.claim, "ahead": self.ahead(rounds), "alpha": self.alpha}
        task = self.engine.task(choose_ends, (18, rounds), pairs=ends, **about)
        work = (Block(i, i * runs, runs) for i in range(len(ends)))
        return [record["event"] for _, record in self.engine.runner.run(task, work)]

    def _hits(self, event: ScoreEvent, tables: Sequence[Walk], runs: int, *path: int) -> list[int]:
        """Of so many runs on each table, how many are in the event."""
        task = self.engine.task(count_at, path, pairs=tables, event=event.bare())
        work = (Block(i, i * runs, runs) for i in range(len(tables)))
        self._pay(runs * len(tables), tables[0].rounds)
        return [record["hits"] for _, record in self.engine.runner.run(task, work)]

    def _see(self) -> None:
        """Whether the ends of walks differ, on runs that did not choose the event: those that are
        told apart best first."""
        ranked = sorted(self.far, key=lambda x: (-x[0], x[1].rounds))[:SEEN]
        for place, (_, way, event) in enumerate(ranked):
            price = self.prices.of(way.rounds) * self.slow
            runs = min(10_000, max(20, int(FAR * self.purse / price / len(ranked) / 2)))
            ends = [way.between(0, 0), way.between(way.rounds, way.rounds)]
            first, second = self._hits(event, ends, runs, 19, place)
            angles = [math.asin(math.sqrt((h + 0.375) / (runs + 0.75))) for h in (first, second)]
            if abs(angles[1] - angles[0]) * math.sqrt(2.0 * runs) > SURE:
                self.moved = True
                return

    def _narrowed(self, way: Walk, event: ScoreEvent, rounds: int, runs: int, place: int) -> Any:
        """The step of a walk at which the event's probability changes most."""
        low, high, level = 0, rounds, 0
        levels = max(1, math.ceil(math.log(max(rounds, 2), 8)))
        each = max(4, min(400, runs // (9 * levels)))
        changes = min(self.setting.changes, rounds)
        while high - low > changes:
            points = looks(low, high)
            tables = [way.between(point, point) for point in points]
            hits = self._hits(event, tables, each, 20, rounds, place, level)
            low, high = steepest(points, hits, each)
            level += 1
        self.tried += 1
        return way.between(*steps_of(low, high, rounds, changes)).pair()

    def _last(self, finalists: list[Any]) -> Any:
        """The best of all lengths, by runs of their own, as many as each can have for its price."""
        if len(finalists) == 1:
            return finalists[0]
        found: list[tuple[float, int, Any]] = []
        for number, pair in enumerate(finalists):
            rounds = pair.shape[0]
            runs = int(FINAL * self.purse / len(finalists) / self.prices.of(rounds) / 2)
            runs = max(30, min(int(runs / self.slow), 20_000))
            (value,) = self.engine.predicted(
                [pair], [number], runs, (21,), self.ahead(rounds), self.alpha
            )
            self._pay(2 * runs, rounds)
            found.append((value, -number, pair))
        return max(found, key=lambda x: x[:2])[2]
