"""The two-world engine: every run carries its exact privacy loss L against the neighbour.

For an event S of action sequences, P'(S)/P(S) = E[exp(-L) | S], so that a bound on a conditional
mean replaces the ratio of two rare counts. What chooses the pair and the event (`Selection`) and
what bounds them (`Evaluation`) are samples of different types and different seeds.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpaudit.auditor.pairs import candidates, neighbours_of
from dpaudit.auditor.results import Claimed, Event, Floats, Lower, Pair
from dpaudit.auditor.sequences import (
    FEWEST,
    Chosen,
    Evaluation,
    Prefixes,
    Selection,
    bound,
    choose,
    code_of,
    decode,
    depths,
    encode,
    safe_log,
)
from dpaudit.auditor.shrink import SHRUNK_SHARE, shrink
from dpaudit.auditor.statistics import mean_lower
from dpaudit.contract import Algorithm
from dpaudit.running.plays import play_tables
from dpaudit.running.seeding import stream

CHUNK = 2**18
"""Runs that are held in memory at once."""
SEARCH_SHARE = 0.25
"""Part of the runs that the search for pair and event may use."""
MARGIN = 1.02
"""A simpler pair is kept if its predicted bound is so many times the claim."""


@dataclass
class TwoWorlds:
    """One audit by the two-world engine."""

    algorithm: Algorithm
    claim: Claimed
    arms: int
    rounds: int
    settings: dict[str, Any]
    seed: int
    workers: int
    tried: int = 0

    def play(self, pair: Pair, runs: int, *path: int) -> tuple[NDArray[np.int16], Floats]:
        """Runs under `pair.rewards`, and the likelihood ratios of `pair.neighbour`."""
        plays = play_tables(
            self.algorithm,
            pair.rewards,
            pair.neighbour,
            runs=runs,
            seed=stream(self.seed, *path),
            workers=self.workers,
            **self.settings,
        )
        return plays.actions, np.exp(-plays.loss)

    def search(self, runs: int, ahead: int, alpha: float) -> tuple[Pair, Chosen, int]:
        """The most promising pair with its event, and the runs spent: structured candidates, a hill
        climb from the best, and a last choice with the larger half of the runs."""
        first = list(candidates(self.rounds, self.arms))
        each = max(1000, runs // 4 // len(first))
        spent, number = 0, 0

        def tried(pairs: Iterator[Pair] | list[Pair], size: int) -> list[tuple[float, int, Pair]]:
            nonlocal spent, number
            found = []
            for pair in pairs:
                number += 1
                spent += size
                sample = Selection(*self.play(pair, size, 0, number))
                value = choose(sample, self.claim, pair, ahead, alpha).predicted
                found.append((value, number, pair))
            return found

        ranked = sorted(tried(first, each), key=lambda x: (-x[0], x[1]))[:6]
        rng = np.random.default_rng(stream(self.seed, 1))
        for _ in range(2):
            steps = [p for _, _, pair in ranked[:2] for p in neighbours_of(pair, rng, 12)]
            ranked = sorted(ranked + tried(steps, each), key=lambda x: (-x[0], x[1]))[:6]
        finalists = tried([pair for _, _, pair in ranked], max(each, runs // 16))
        _, _, pair = min(finalists, key=lambda x: (-x[0], x[1]))
        size = max(each, runs // 4)
        self.tried = number
        sample = Selection(*self.play(pair, size, 2))
        return pair, choose(sample, self.claim, pair, ahead, alpha), spent + size

    def lower(self, runs: int, seconds: float | None, alpha: float, progress: Any = None) -> Lower:
        """Search, then spend the rest of the runs (or of the time) on bounding the chosen event."""
        began = time.monotonic()
        if seconds is not None:
            runs = self._affordable(seconds)
        pair, chosen, spent = self.search(int(runs * SEARCH_SHARE), runs, alpha)
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
        """Bound the chosen event on fresh runs, chunk by chunk."""
        actions, weights, done, number, complete = [], [], 0, 0, True
        while done < runs:
            size = min(CHUNK, runs - done)
            try:
                played, ratio = self.play(pair, size, stage, number)
            except KeyboardInterrupt:
                if done == 0:
                    raise
                complete = False
                break
            if self.claim.notion == "pure":
                keep = chosen.event.happened(played)
                played, ratio = played[keep], ratio[keep]
            actions.append(played[:, : chosen.event.depth])
            weights.append(ratio)
            done, number = done + size, number + 1
            if progress is not None:
                progress(done, runs)
            if deadline is not None and time.monotonic() > deadline:
                break
        sample = Evaluation(np.concatenate(actions), np.concatenate(weights))
        low, estimate, sure = bound(sample, chosen.event, self.claim, alpha)
        return Lower(
            bound=low,
            pair=pair,
            event=chosen.event.described(),
            runs=done,
            estimate=estimate,
            power=self._power(sample, chosen.event, low, estimate),
            complete=complete,
            sure=sure,
        )

    def _shrunk(self, lower: Lower, runs: int, alpha: float) -> Lower:
        """The same bound with a simpler witness, if a simpler one violates the claim too."""
        if lower.pair is None:
            return lower
        size, number = max(2000, runs // 100), 0

        def violates(simpler: Pair) -> bool:
            nonlocal number
            number += 1
            sample = Selection(*self.play(simpler, size, 6, number))
            found = choose(sample, self.claim, simpler, runs, alpha).predicted
            return found > MARGIN * self.claim.level

        pair = shrink(lower.pair, violates, cut_rounds=self.algorithm.card.anytime)
        chosen = choose(Selection(*self.play(pair, runs, 7)), self.claim, pair, runs, alpha)
        found = self._bounded(pair, chosen, runs, alpha, stage=8)
        spent = lower.runs + number * size + 2 * runs
        if found.bound <= self.claim.level:
            return replace(lower, runs=spent)
        return replace(lower, pair=pair, event=found.event, witness_bound=found.bound, runs=spent)

    def _affordable(self, seconds: float) -> int:
        """About how many runs fit into the time: from a first taste, which also compiles."""
        pair = next(candidates(self.rounds, self.arms))
        self.play(pair, 10, 4)
        began = time.monotonic()
        self.play(pair, 2000, 4)
        each = (time.monotonic() - began) / 2000
        return int(max(20_000, min(1e10, 0.8 * seconds / each)))

    def per_step(self, lower: Lower, runs: int, alpha: float) -> Lower:
        """A bound on ln of P'(a_t | a_1..t-1) / P(a_t | a_1..t-1), for the pair of `lower`.

        It is the log-ratio of a sequence less that of the sequence without its last action; the
        second is bounded from above by sampling the other world, where it is 1/E[exp(-L')].
        """
        if lower.pair is None:
            return lower
        pair = lower.pair
        here = Selection(*self.play(pair, runs // 4, 12))
        best: tuple[float, tuple[int, ...]] = (-math.inf, (0,))
        for depth in depths(len(pair.rewards), self.arms, pair.round):
            codes, inverse, counts = np.unique(
                encode(here.actions[:, :depth], self.arms), return_inverse=True, return_counts=True
            )
            parents = codes // self.arms
            sums = np.bincount(inverse, here.weights)
            _, group = np.unique(parents, return_inverse=True)
            base = np.bincount(group, sums) / np.bincount(group, counts)
            value = np.log(sums / counts) - np.log(base[group])
            # Sparse sequences are flattered: take off two standard errors of a ratio.
            value = np.where(counts >= FEWEST, value - 2.0 / np.sqrt(counts), -math.inf)
            k = int(np.argmax(value))
            if value[k] > best[0]:
                best = (float(value[k]), decode(int(codes[k]), depth, self.arms))
        sequence = best[1]
        last = Prefixes(len(sequence), np.array([code_of(sequence, self.arms)]), self.arms)
        before = Prefixes(
            len(sequence) - 1, np.array([code_of(sequence[:-1], self.arms)]), self.arms
        )
        first = Evaluation(*self.play(pair, runs // 2, 13))
        second = Evaluation(*self.play(pair.swapped, runs // 2, 14))
        up = mean_lower(first.weights[last.happened(first.actions)], alpha / 2.0)
        inverse_base = mean_lower(second.weights[before.happened(second.actions)], alpha / 2.0)
        shown = " ".join(map(str, sequence[:-1]))
        event = Event(f"action {sequence[-1]} in round {len(sequence)} after {shown}", (sequence,))
        bound = safe_log(up) + safe_log(inverse_base)
        return Lower(bound, pair, event, runs, best[0])

    def _power(self, sample: Evaluation, event: Prefixes, low: float, estimate: float) -> float:
        """What the same event would have needed: the claim, the width of this bound, and 1.28
        standard deviations for the luck of the draw."""
        weights = sample.weights[event.happened(sample.actions)]
        if len(weights) < 2 or not math.isfinite(low):
            return math.inf
        deviation = float(weights.std() / weights.mean() / math.sqrt(len(weights)))
        return self.claim.level + (estimate - low) + 1.2816 * deviation
