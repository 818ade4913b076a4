"""The upper end: the largest loss that the releases of a run can book.

Where what is released, and when, depends on the actions only, forcing every action path with every
changed round is a proof for that horizon: for all tables, and for an adversary who adapts. The
dependence is checked: on several tables and seeds every forced path books the same. Where there are
too many paths, or the check fails, the maximum is over plays of a search, and is said to be.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.algorithm.contract import Algorithm
from dpaudit.auditor.search.pairs import candidates
from dpaudit.auditor.upper.accountant import (
    composed_epsilon,
    gdp_of_pure,
)
from dpaudit.play.tables import Forced, Trace, force_paths, play_tables, trace
from dpaudit.results.audit import Guarantee, Pair, Upper

PATH_LIMIT = 2**22
"""Most rounds played (paths x changed rounds x directions x length) that are forced."""
PAIRS = 300
"""Pairs that are played where paths cannot be forced, and to see whether something leaks."""
CHECKS = 24
"""Random paths on which bookings are compared between tables and seeds."""


@dataclass(frozen=True)
class Accounting:
    """What is accounted: an algorithm, a claim, and the size of the tables."""

    algorithm: Algorithm
    claim: Guarantee
    arms: int
    rounds: int
    settings: dict[str, Any]
    workers: int = 1

    def upper(self) -> Upper:
        """The upper bound, and over what it was maximised."""
        leak = self._leak()
        if leak is not None:
            return leak
        directions = 1 if self.algorithm.card.feedback == "bandit" else 2 ** (self.arms - 1)
        work = float(self.arms) ** (self.rounds - self._opening) * self.rounds**2 * directions
        if work <= PATH_LIMIT and self._bookings_depend_on_actions_only():
            return self._forced()
        return self._searched(candidates(self.rounds, self.arms, 8), work)

    def _some(self, pairs: Iterator[Pair]) -> list[Pair]:
        """So many pairs, spread at random."""
        found = list(pairs)
        order = np.random.default_rng(0).permutation(len(found))[:PAIRS]
        return [found[i] for i in sorted(order)]

    @property
    def _opening(self) -> int:
        given = dict(self.settings)
        settings = self.algorithm.settings(
            arms=self.arms, epsilon=given.pop("epsilon", None), horizon=self.rounds, given=given
        )
        arms, owns = self.algorithm.fresh(settings)
        return min(self.rounds, self.algorithm.opening(arms, owns[0]))

    def _leak(self) -> Upper | None:
        """Private data that gets past the releases: no bound, and where it gets out."""
        for number, pair in enumerate(self._some(candidates(self.rounds, self.arms, 8))):
            plays = play_tables(
                self.algorithm, pair.rewards, pair.neighbour, runs=64, seed=number, **self.settings
            )
            if np.isinf(plays.pure).any():
                steps = trace(
                    self.algorithm,
                    pair.rewards,
                    pair.neighbour,
                    [int(a) for a in plays.actions[np.argmax(np.isinf(plays.pure))]],
                    **self.settings,
                )
                at = int(np.argmax(np.isinf(steps.pure))) + 1
                return Upper(
                    math.inf,
                    f"private data gets past the releases in round {at} after a change in round "
                    f"{pair.round}",
                    proof=True,
                )
        return None

    def _bookings_depend_on_actions_only(self) -> bool:
        rng = np.random.default_rng(0)
        for number in range(CHECKS):
            path = [int(a) for a in rng.integers(0, self.arms, self.rounds)]
            path[: self._opening] = [-1] * self._opening
            changed = int(rng.integers(self.rounds))
            booked = []
            shape = (self.rounds, self.arms)
            for seed, base in enumerate((np.zeros(shape), np.ones(shape), rng.random(shape))):
                here = base.copy()
                there = here.copy()
                here[changed], there[changed] = 0.0, 1.0
                steps = trace(
                    self.algorithm, here, there, path, seed=10 * number + seed, **self.settings
                )
                booked.append(np.concatenate([steps.pure, steps.gdp]))
            # Sums of rewards differ between tables in their last bits; a redrawn release does not.
            if not all(
                np.allclose(b, booked[0], rtol=1e-9, atol=1e-12, equal_nan=True) for b in booked
            ):
                return False
        return True

    def _forced(self) -> Upper:
        base = np.full((self.rounds, self.arms), 0.5)
        forced = force_paths(self.algorithm, base, workers=self.workers, **self.settings)
        where = (
            f"forced paths: all {self.arms}^{self.rounds} action sequences, every changed round; "
            "for all tables of that length, bookings being checked to depend on the actions only"
        )
        if self.claim.notion == "pure":
            value = math.inf if forced.gdp > 0.0 else forced.pure
            return Upper(value, where, proof=True)
        if forced.pure == 0.0:  # Gaussian releases alone: their sum is what is maximised
            eta = math.sqrt(forced.gdp)
            if self.claim.notion == "gdp":
                return Upper(eta, where, proof=True)
            gaussian = composed_epsilon(np.zeros(0), np.array([forced.gdp]), self.claim.delta)
            return Upper(gaussian, where, proof=True)
        # Compositions of pure releases are monotone in each, but which path is worst need not be
        # the one of the largest sum: no proof.
        pure = self._releases(forced).pure
        how = "composed on the forced path of the largest sum; other paths may compose to more"
        if self.claim.notion == "gdp":
            eta = math.sqrt(forced.gdp + float(np.sum(gdp_of_pure(pure) ** 2)))
            return Upper(eta, how, proof=False)
        gdp = np.array([forced.gdp])
        return Upper(composed_epsilon(pure, gdp, self.claim.delta), how, proof=False)

    def _releases(self, forced: Forced) -> Trace:
        here = np.full((self.rounds, self.arms), 0.5)
        there = here.copy()
        here[forced.round - 1] = forced.row
        there[forced.round - 1] = 1.0 - np.array(forced.row)
        return trace(self.algorithm, here, there, forced.path, **self.settings)

    def _searched(self, pairs: Iterator[Pair], work: float) -> Upper:
        worst, count = 0.0, 0
        for number, pair in enumerate(self._some(pairs)):
            plays = play_tables(
                self.algorithm,
                pair.rewards,
                pair.neighbour,
                runs=200,
                seed=number,
                **self.settings,
            )
            count += 200
            if self.claim.notion == "pure":
                values = np.where(plays.gdp > 0.0, math.inf, plays.pure)
            elif self.claim.notion == "gdp":
                values = np.sqrt(plays.gdp + gdp_of_pure(plays.pure) ** 2)
            else:
                run = int(np.argmax(plays.pure + plays.gdp))
                path = [int(a) for a in plays.actions[run]]
                steps = trace(
                    self.algorithm, pair.rewards, pair.neighbour, path, seed=1, **self.settings
                )
                values = np.array([composed_epsilon(steps.pure, steps.gdp, self.claim.delta)])
            worst = max(worst, float(values.max()))
        why = "too many paths to force" if work > PATH_LIMIT else "bookings depend on the data"
        return Upper(worst, f"largest booking in {count} plays of a search ({why})", proof=False)
