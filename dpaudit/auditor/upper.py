"""The upper end: the largest loss that the releases of a run can book.

Where what is released, and when, depends on the actions only, forcing every action path with every
changed round is a proof for that horizon: for all tables, and for an adversary who adapts. The
dependence is checked: on several tables and seeds every forced path books the same. Where there are
too many paths, or the check fails, the maximum is over plays of a search, and is said to be.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.auditor.accountant import composed_epsilon, gdp_eta, gdp_of_pure
from dpaudit.auditor.search import candidates, make_pair
from dpaudit.play.tables import Configured, TablePlays, Trace, force_paths
from dpaudit.results.audit import Floats, Guarantee, Pair, Upper

PATH_LIMIT = 2**22
"""Most rounds played (paths x changed rounds x directions x length) that are forced."""
PAIRS = 300
"""Pairs that are played where paths cannot be forced, and to see whether something leaks."""
CHECKS = 24
"""Random paths on which bookings are compared between tables and seeds."""


@dataclass(frozen=True)
class Accounting:
    """What is accounted: an algorithm, a claim, and the size of the tables."""

    who: Configured
    claim: Guarantee
    rounds: int
    workers: int = 1

    def upper(self) -> Upper:
        """The upper bound, and over what it was maximised."""
        leak = self._leak()
        if leak is not None:
            return leak
        directions = 1 if self.who.algorithm.card.feedback == "bandit" else 2 ** (self.arms - 1)
        work = float(self.arms) ** (self.rounds - self._opening) * self.rounds**2 * directions
        if work > PATH_LIMIT:
            return self._searched("too many paths to force")
        if self._bookings_depend_on_actions_only():
            return self._forced()
        return self._searched("bookings depend on the data")

    @functools.cached_property
    def _opening(self) -> int:
        return self.who.opening(self.rounds)

    @property
    def arms(self) -> int:
        """K."""
        return int(self.who.settings["arms"])

    @functools.cached_property
    def _pairs(self) -> list[Pair]:
        """So many pairs, spread at random."""
        found = list(candidates(self.rounds, self.arms, 8))
        order = np.random.default_rng(0).permutation(len(found))[:PAIRS]
        return [found[i] for i in sorted(order)]

    def _played(self, pair: Pair, runs: int, seed: int) -> TablePlays:
        return self.who.play(pair.rewards, pair.neighbour, runs, seed)

    def _traced(self, pair: Pair, path: Any, seed: int = 0) -> Trace:
        return self.who.trace(pair.rewards, pair.neighbour, path, seed)

    def _leak(self) -> Upper | None:
        """Private data that gets past the releases: no bound, and where it gets out."""
        for number, pair in enumerate(self._pairs):
            plays = self._played(pair, 64, number)
            if np.isinf(plays.pure).any():
                steps = self._traced(pair, plays.actions[np.argmax(np.isinf(plays.pure))])
                at = int(np.argmax(np.isinf(steps.pure))) + 1
                how = (
                    f"private data gets past the releases in round {at} after a change in round "
                    f"{pair.round}"
                )
                return Upper(math.inf, how, proof=True)
        return None

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
        base = np.full((self.rounds, self.arms), 0.5)
        forced = force_paths(self.who, base, workers=self.workers)
        where = (
            f"forced paths: all {self.arms}^{self.rounds} action sequences, every changed round; "
            "for all tables of that length, bookings being checked to depend on the actions only"
        )
        if self.claim.notion == "pure":
            return Upper(math.inf if forced.gdp > 0.0 else forced.pure, where, proof=True)
        gdp, row = np.array([forced.gdp]), np.array(forced.row)
        if forced.pure == 0.0:  # Gaussian releases alone: their sum is what is maximised
            return Upper(self._composed(np.zeros(0), gdp), where, proof=True)
        # Compositions of pure releases are monotone in each, but which path is worst need not be
        # the one of the largest sum: no proof.
        pair = make_pair(base, forced.round, row, 1.0 - row)
        how = "composed on the forced path of the largest sum; other paths may compose to more"
        pure = self._traced(pair, forced.path).pure
        return Upper(self._composed(pure, gdp), how, proof=False)

    def _composed(self, pure: Floats, gdp: Floats) -> float:
        """What a run's bookings compose to in the claim's terms, eta or epsilon."""
        if self.claim.notion == "gdp":
            return gdp_eta(pure, gdp)
        return composed_epsilon(pure, gdp, self.claim.delta)

    def _searched(self, why: str) -> Upper:
        worst = 0.0
        for number, pair in enumerate(self._pairs):
            plays = self._played(pair, 200, number)
            if self.claim.notion == "pure":
                value = float(np.where(plays.gdp > 0.0, math.inf, plays.pure).max())
            elif self.claim.notion == "gdp":
                value = float(np.sqrt(plays.gdp + gdp_of_pure(plays.pure) ** 2).max())
            else:
                steps = self._traced(pair, plays.actions[np.argmax(plays.pure + plays.gdp)], 1)
                value = composed_epsilon(steps.pure, steps.gdp, self.claim.delta)
            worst = max(worst, value)
        count = 200 * len(self._pairs)
        return Upper(worst, f"largest booking in {count} plays of a search ({why})", proof=False)
