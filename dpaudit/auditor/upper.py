"""The upper end by playing: the largest loss that the releases of a run can book.

It is asked for where the book is to be believed (`auditor.book`) and nothing is proved for every
horizon (`auditor.proved`), or only what is far above the lower end. Where bookings depend on the
actions only, forcing every action path with every changed round gives the largest for that horizon,
for all tables, and for an adversary who adapts. `proved_here` shows the dependence on symbols
(`auditor.book.actions`): a proof. `upper` checks it on several tables and seeds, which is none.
Where there are too many paths, or the check fails, the maximum is over plays of a search, and is
said to be; where even these take too long, there is no upper end.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from dpaudit.algorithm.contract import Algorithm
from dpaudit.auditor.accountant import (
    advanced_epsilon,
    composed_epsilon,
    gdp_eta,
    gdp_of_pure,
    implied,
)
from dpaudit.auditor.book.check import Book, checked
from dpaudit.auditor.search import make_pair
from dpaudit.machine.compiling import compiled_driver, deep_copy, replacing
from dpaudit.machine.releases import noisy_argmax
from dpaudit.play.tables import Configured, Trace, force_paths
from dpaudit.results.audit import Guarantee
from dpaudit.results.claimed import RENYI
from dpaudit.results.found import Floats, Pair, Upper

PATH_LIMIT = 2**22
"""Most rounds played (paths x changed rounds x directions x length) that are forced."""
MOST_TRACES = 2**12
"""Paths, times changed rounds, whose releases are looked at one by one."""
TABLES = 300
"""Tables that are played where paths cannot be forced, and to see whether something leaks."""
RUNS = 200
"""Runs of each table, at most."""
FEWEST = 16
"""A search of fewer plays is none."""
WORK = 2**25
"""What a search may cost, in steps times arms: some seconds."""
LEAK_ROUNDS = 256
"""A leak is looked for in so many rounds first."""
CHECKS = 24
"""Random paths on which bookings are compared between tables and seeds."""
STEPS_KEPT = 2**20
"""Steps that book something are kept one by one up to so many, to be composed."""
CLOSE = 0.9
"""A lower end that is so much of the upper one leaves little to be known."""
ROUNDING = 1e-9
"""Of sums of bookings."""
SIZES = 12
"""More different bookings than that are rounded up to so many before they are composed."""


def argmax_without_loss(
    own: Any, scores: Any, scores_in_neighbour: Any, scale: float, noise: int, rng: Any
) -> int:
    """In place of `noisy_argmax`: draws and books the same, but for the realised loss, which is
    long to compute for many arms or large scores and is not accounted."""
    best = noisy_argmax(own, scores, scores, scale, noise, rng)
    changes = scores_in_neighbour - scores
    own.pure += (changes.max() - changes.min()) / scale
    return best


@functools.cache
def without_loss(algorithm: Algorithm) -> Algorithm:
    """The algorithm, with the noisy maxima that it makes, if any, so replaced."""
    reached: dict[Any, Any] = {}
    for step in (algorithm.select, algorithm.observe):
        deep_copy(cast(Any, step), lambda inner: inner, reached)
    if noisy_argmax not in reached:
        return algorithm
    return replace(algorithm, **replacing(algorithm, {noisy_argmax: argmax_without_loss}))


@dataclass(frozen=True)
class Played:
    """What plays of one table booked: `most` as the driver `book_runs` has it, and the bookings of
    the run of the largest sum, step by step; none where there were too many to keep."""

    most: Floats
    steps: Floats | None
    changed: int


@dataclass(frozen=True)
class Accounting:
    """What is accounted: an algorithm, a claim, and the size of the tables."""

    who: Configured
    claim: Guarantee
    rounds: int
    workers: int = 1

    @functools.cached_property
    def book(self) -> Book:
        """Whether the book is to be believed."""
        return checked(self.who, self.rounds)

    def upper(self) -> Upper:
        """The upper bound, and over what it was maximised; infinite, with the reason, where there
        is none."""
        leak = self._leak()
        if leak is not None:
            return leak
        if not self._few_paths:
            return self._searched("too many paths to force")
        if self._bookings_depend_on_actions_only():
            return self._forced()
        return self._searched("bookings depend on the data")

    def tightened(self, upper: Upper, lower: float) -> Upper:
        """A smaller upper end, or a proved one, for these rounds and arms, where the lower end is
        so far below that it may matter."""
        near = upper.proof and lower >= CLOSE * upper.bound
        nothing = math.isinf(upper.bound) and (upper.proof or self.claim.notion not in RENYI)
        if near or nothing:
            return upper
        try:
            return self.proved_here(upper) or upper
        except KeyboardInterrupt:
            return upper

    def proved_here(self, than: Upper) -> Upper | None:
        """What is proved of these rounds and arms, if it says more than what is known: all action
        sequences forced, where bookings are shown to hang on the actions alone."""
        bandit = self.who.algorithm.card.feedback == "bandit"
        if not bandit or not self._few_paths:
            return None
        most = self._most()
        if most is None or (than.proof and most >= than.bound * (1.0 - ROUNDING)):
            return None
        try:
            from dpaudit.auditor.book.actions import why_not  # with the solver, which is not small
        except ImportError:
            return None
        if why_not(self.who, self.rounds):
            return None
        free = self.rounds - self._opening
        how = (
            f"proved to T = {self.rounds}: all {self.arms}^{free} action sequences were forced, "
            "with every changed round, and what is booked hangs on the actions alone (shown on "
            f"symbols), K = {self.arms} and every table"
        )
        return Upper(most, how, proof=True)

    def _most(self) -> float | None:
        """The most that a forced path books, in the claim's terms; none where that is no bound."""
        forced = force_paths(self.who, self._halves, workers=self.workers)
        if self.claim.notion == "pure":
            return math.inf if forced.gdp > 0.0 else forced.pure
        if self.claim.notion in RENYI:
            if forced.pure > 0.0 and forced.gdp > 0.0:
                return None
            if forced.gdp > 0.0:
                return implied(self.claim, "gdp", math.sqrt(forced.gdp))
            return implied(self.claim, "pure", forced.pure)
        if forced.pure == 0.0:
            return self._composed(np.zeros(0), np.array([forced.gdp]))
        return None if forced.gdp > 0.0 else self._dominated()

    def _dominated(self) -> float | None:
        """What the releases of every forced path compose to, and those of a path that turns with
        what was released: none books more than the largest of all paths, its second release no
        more than the second largest, and so on. So each release is paired with one no smaller that
        is left, whatever the path, and theirs are fixed beforehand."""
        free = self.rounds - self._opening
        if self.arms**free * self.rounds > MOST_TRACES:
            return None
        largest = np.zeros(self.rounds)
        for path in itertools.product(range(self.arms), repeat=free):
            for changed in range(1, self.rounds + 1):
                pair = make_pair(self._halves, changed, np.zeros(self.arms), np.ones(self.arms))
                booked = self._traced(pair, [-1] * self._opening + list(path)).pure
                largest = np.maximum(largest, np.sort(booked)[::-1])
        return self._composed(largest[largest > 0.0], np.zeros(1))

    @functools.cached_property
    def _few_paths(self) -> bool:
        """In logarithms: 64 arms over 10^6 rounds have more paths than a float can say."""
        bandit = self.who.algorithm.card.feedback == "bandit"
        work = (self.rounds - self._opening) * math.log2(self.arms) + 2.0 * math.log2(self.rounds)
        work += 0 if bandit else self.arms - 1
        return work <= math.log2(PATH_LIMIT)

    @property
    def _halves(self) -> Floats:
        """The table that is changed in one round."""
        return np.full((self.rounds, self.arms), 0.5)

    @functools.cached_property
    def _opening(self) -> int:
        return self.who.opening(self.rounds)

    @property
    def arms(self) -> int:
        """K."""
        return int(self.who.settings["arms"])

    def _plays(self, rounds: int, tables: int, runs: int, kept: int = 0) -> Iterator[Played]:
        """Plays of tables of a few kinds of rows (alike, in turn, changed half way, random), with a
        round changed that is early, late or anywhere."""
        drive: Any = compiled_driver("book_runs", without_loss(self.who.algorithm))
        rng = np.random.default_rng([rounds, self.arms])
        booked, steps = np.empty((kept, 2)), np.empty((kept, 2))
        for number in range(tables):
            row = self._row(rng)
            kinds = np.array([row]), np.array([row, 1.0 - row]), rng.integers(0, 2, (16, self.arms))
            base = np.ascontiguousarray(kinds[(0, 1, 1, 2)[number % 4]], dtype=np.float64)
            stretch = -(-rounds // 2) if number % 4 == 2 else 1
            anywhere, late = 1 + int(rng.integers(rounds)), int(rounds ** rng.random())
            changed = (late, anywhere, rounds + 1 - late)[number // 4 % 3]
            here = self._row(rng)[None, :]
            most = np.array([0.0, 0.0, -1.0, 0.0])
            where = base, stretch, changed, here, 1.0 - here, rounds, self.who.algorithm.lazy
            count = drive(self.who.fresh(), *where, runs, most, booked, steps, rng)
            found = steps[:count].copy() if count <= kept else None
            yield Played(most, found, changed)

    def _row(self, rng: np.random.Generator) -> Floats:
        """Random for few arms, else often one arm against the others, or all alike."""
        kind = rng.integers(4)
        if self.arms <= 3 or kind == 0:
            return rng.integers(0, 2, self.arms).astype(float)
        if kind == 1:
            return np.full(self.arms, float(rng.integers(2)))
        row = np.zeros(self.arms)
        row[rng.integers(self.arms)] = 1.0
        return row if kind == 2 else 1.0 - row

    def _affordable(self, rounds: int) -> tuple[int, int]:
        """How many tables a search may play, and how many runs of each."""
        algorithm = self.who.algorithm
        plays = WORK // (algorithm.steps(rounds, leaping=True) * self.arms)
        tables = min(TABLES, plays)
        return tables, min(RUNS, plays // max(tables, 1))

    def _traced(self, pair: Pair, path: Any, seed: int = 0) -> Trace:
        return self.who.trace(pair.rewards, pair.neighbour, path, seed)

    def _leak(self) -> Upper | None:
        """Private data that gets past the releases: no bound, and where it gets out."""
        rounds = min(self.rounds, LEAK_ROUNDS)
        tables, runs = self._affordable(rounds)
        return self._leaking(self._plays(rounds, tables, min(runs, 4)))

    def _leaking(self, plays: Iterator[Played] | list[Played]) -> Upper | None:
        """The earliest leak of these plays."""
        found = [(int(p.most[3]), p.changed) for p in plays if p.most[3] > 0.0]
        if not found:
            return None
        at, changed = min(found)
        how = (
            "none, and where it leaks: private data gets past the releases in round "
            f"{at} after a change in round {changed}"
        )
        return Upper(math.inf, how, proof=True)

    def _bookings_depend_on_actions_only(self) -> bool:
        rng = np.random.default_rng(0)
        shape = self.rounds, self.arms
        for number in range(CHECKS):
            path = rng.integers(0, self.arms, self.rounds)
            path[: self._opening] = -1
            changed = int(rng.integers(self.rounds)) + 1
            booked = []
            for seed, base in enumerate((np.zeros(shape), np.ones(shape), rng.random(shape))):
                pair = make_pair(base, changed, np.zeros(self.arms), np.ones(self.arms))
                steps = self._traced(pair, path, 10 * number + seed)
                booked.append(np.concatenate([steps.pure, steps.gdp]))
            # Sums of rewards differ between tables in their last bits; a redrawn release does not.
            if not all(
                np.allclose(b, booked[0], rtol=1e-9, atol=1e-12, equal_nan=True) for b in booked
            ):
                return False
        return True

    def _forced(self) -> Upper:
        forced = force_paths(self.who, self._halves, workers=self.workers)
        where = (
            f"search only: all {self.arms}^{self.rounds} action sequences were forced, with every "
            "changed round; that bookings depend on the actions only was checked "
            f"on {CHECKS} paths with 3 tables each, and the book on {self.book.looked}"
        )
        if self.claim.notion == "pure":
            return Upper(math.inf if forced.gdp > 0.0 else forced.pure, where, proof=False)
        gdp, row = np.array([forced.gdp]), np.array(forced.row)
        if forced.pure == 0.0:  # Gaussian releases alone: their sum is what is maximised
            return Upper(self._composed(np.zeros(0), gdp), where, proof=False)
        # Compositions of pure releases are monotone in each, but which path is worst need not be
        # the one of the largest sum: no proof.
        pair = make_pair(self._halves, forced.round, row, 1.0 - row)
        how = "search only: composed on the forced path of the largest sum"
        pure = self._traced(pair, forced.path).pure
        return Upper(self._composed(pure, gdp), how, proof=False)

    def _composed(self, pure: Floats, gdp: Floats) -> float:
        """What a run's bookings compose to in the claim's terms, eta or epsilon."""
        if self.claim.notion == "gdp":
            return gdp_eta(pure, gdp)
        return composed_epsilon(pure, gdp, self.claim.delta)

    def _searched(self, why: str) -> Upper:
        tables, runs = self._affordable(self.rounds)
        if tables * runs < FEWEST:
            how = (
                f"none: {why}, and plays of {self.rounds} rounds of {self.arms} arms take too long"
            )
            return Upper(math.inf, how, proof=False)
        kept = min(self.rounds, STEPS_KEPT) if self.claim.notion == "approximate" else 0
        plays, best = [], None
        for one in self._plays(self.rounds, tables, runs, kept):
            if best is None or one.most[2] > best.most[2]:
                best = one
            plays.append(Played(one.most, None, one.changed))
        leak = self._leaking(plays)
        if leak is not None or best is None:
            return leak or Upper(math.inf, f"none: {why}", proof=False)
        where = (
            f"search only: largest booking in {tables * runs} plays ({why}); the book was checked "
        )
        where += f"on {self.book.looked}"
        if self.claim.notion == "approximate":
            if best.steps is None:
                return Upper(
                    math.inf, f"none: {why}, and too many releases to compose", proof=False
                )
            pure, gdp = rounded_up(best.steps[:, 0]), best.steps[:, 1]
            value = composed_epsilon(pure, gdp, self.claim.delta)
            value = min(value, advanced_epsilon(best.steps[:, 0], gdp, self.claim.delta))
            return Upper(value, where, proof=False)
        most = np.array([one.most for one in plays])
        if self.claim.notion == "pure":
            value = math.inf if (most[:, 1] > 0.0).any() else float(most[:, 0].max())
        else:
            # The largest of each: no less than the largest of any run.
            value = float(np.sqrt(most[:, 1].max() + gdp_of_pure(most[:, 0].max()) ** 2))
        return Upper(value, where, proof=False)


def rounded_up(pure: Floats) -> Floats:
    """At most SIZES different bookings, none smaller than it was: what they compose to is larger,
    and takes no hour."""
    sizes = np.unique(pure[pure > 0.0])
    if len(sizes) <= SIZES:
        return pure
    tops = sizes[-1] * (sizes[0] / sizes[-1]) ** (np.arange(SIZES)[::-1] / SIZES)
    tops[-1] = sizes[-1]
    return np.where(pure > 0.0, tops[np.searchsorted(tops, pure).clip(0, SIZES - 1)], 0.0)
