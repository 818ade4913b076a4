"""Events of action sequences with likelihood ratios, for the two-world engine: the choice of an
event, and its bound. What chooses and what bounds are samples of different types."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from dpaudit.auditor.accountant import composed_epsilon, gdp_eta
from dpaudit.auditor.engines.two_world.features import Scored, learnt
from dpaudit.auditor.samples import Evaluation, Selection
from dpaudit.auditor.statistics import (
    Alpha,
    fixed_stake_lower,
    gdp_lower,
    predicted_mean_lower,
    proportion_upper,
)
from dpaudit.results.audit import Guarantee
from dpaudit.results.found import Event, Floats, Pair
from dpaudit.run.plain import travels

FEWEST = 20
"""An event seen less often in the selection is not considered."""
STEP = 2.0**-12
"""Width of a bin of log-weights: so much is lost of the bound at most."""
BELOW, ABOVE = 8.0, 1.0
"""The bins reach so far below and above the largest log-weight of the selection."""
ROUNDING = 1.0 - 1e-8
"""Bins are taken for what a weight is at least, but for the rounding of floating point."""
Worth = Callable[[Floats, Floats, Floats], Floats]
"""The bound to be expected of events with these means, variances and shares."""


@dataclass(frozen=True)
class Weighted:
    """Runs under one world: the actions, and exp(-loss), the likelihood ratio of the other."""

    actions: NDArray[np.int16]
    weights: Floats


@dataclass
class Counted:
    """Of the runs so far, how many were in the event, and how many of these in each bin of the
    log-weight. It adds up."""

    low: float
    runs: int
    hits: int
    bins: NDArray[np.int64]

    @classmethod
    def empty(cls, top: float) -> Counted:
        """Of no runs; `top` is the largest log-weight of the selection."""
        bins = np.zeros(round((BELOW + ABOVE) / STEP), np.int64)
        return cls(top - BELOW, 0, 0, bins)

    def add(self, record: dict[str, Any]) -> None:
        self.runs += record["runs"]
        self.hits += record["hits"]
        self.bins[record["places"]] += record["counts"]

    @property
    def weighted(self) -> tuple[Floats, NDArray[np.int64]]:
        """Weights of runs in the event, rounded down, and how often each came."""
        (places,) = np.nonzero(self.bins)
        weights = np.exp(self.low + STEP * places) * ROUNDING
        counts = self.bins[places]
        return np.append(weights, 0.0), np.append(counts, self.hits - int(counts.sum()))

    @property
    def mean(self) -> float:
        """Mean weight of the runs in the event."""
        weights, counts = self.weighted
        return float(weights @ counts) / self.hits if self.hits else 0.0

    @property
    def deviation(self) -> float:
        """Standard deviation of the weights in the event."""
        weights, counts = self.weighted
        if not self.hits:
            return 0.0
        return math.sqrt(float((weights - self.mean) ** 2 @ counts) / self.hits)


@travels
@dataclass(frozen=True)
class Windows:
    """An event: the actions behind the first `start` rounds, up to round `depth`, are one of these
    sequences. `before` are the first actions where they are always the same."""

    depth: int
    codes: NDArray[np.int64]
    arms: int
    start: int = 0
    before: tuple[int, ...] = ()

    def happened(self, actions: NDArray[np.int16]) -> NDArray[np.bool_]:
        return np.isin(encode(actions[:, self.start : self.depth], self.arms), self.codes)

    def described(self) -> Event:
        length = self.depth - self.start
        sequences = [decode(int(code), length, self.arms) for code in self.codes[:64]]
        if len(self.before) == self.start:
            sequences = [tuple(self.before) + sequence for sequence in sequences]
            return Event(describe_actions(sequences, self.depth), tuple(sequences))
        # Published sequences begin in round 1: a window further on is said in words.
        return Event(describe_actions(sequences, self.depth, self.start + 1))


def encode(actions: NDArray[np.int16], arms: int) -> NDArray[np.int64]:
    """A sequence of actions as one number, the first action being the most significant digit."""
    codes = np.zeros(len(actions), np.int64)
    for t in range(actions.shape[1]):
        codes = codes * arms + actions[:, t]
    return codes


def decode(code: int, depth: int, arms: int) -> tuple[int, ...]:
    digits = []
    for _ in range(depth):
        digits.append(code % arms)
        code //= arms
    return tuple(reversed(digits))


def code_of(sequence: tuple[int, ...], arms: int) -> int:
    code = 0
    for action in sequence:
        code = code * arms + action
    return code


def depths(rounds: int, arms: int, changed: int, start: int = 0) -> list[int]:
    """Ends of windows worth looking at: as far as 62 bits go, and some behind the changed round."""
    longest = rounds if arms == 1 else min(rounds, start + int(62 / math.log2(arms)))
    behind = {min(longest, max(changed, start) + 2**k) for k in range(1, 7)}
    return sorted({longest} | behind)


def starts(rounds: int, changed: int, opening: int) -> list[int]:
    """Where windows may begin: behind the opening, and with the changed round."""
    return sorted({min(opening, rounds - 1), max(min(opening, rounds - 1), changed - 1)})


@travels
@dataclass(frozen=True)
class Chosen:
    """An event and what the selection can tell of it: the bound it would give, its share of the
    runs, mean and variance of its weights, and the largest log-weight."""

    event: Windows | Scored
    predicted: float
    share: float = 0.0
    mean: float = 0.0
    variance: float = 0.0
    top: float = 0.0


def choose(
    selection: Selection[Weighted],
    claim: Guarantee,
    pair: Pair,
    ahead: int,
    alpha: float,
    opening: int = 0,
) -> Chosen:
    """The event with the best bound at the size of the evaluation sample, `ahead` runs.

    For each window, sequences are ordered by their mean weight, and the event is the best initial
    segment of that order. Where a window cannot hold the sequence, a score of the whole sequence is
    learnt from one half of the sample, and the other half orders the runs by it.
    """
    sample = selection.sample
    rounds, arms = len(pair.rewards), pair.rewards.shape[1]
    worth = functools.partial(_predicted, claim, ahead=ahead, alpha=alpha)
    best = Chosen(Windows(1, np.zeros(0, np.int64), arms), -math.inf)
    longest = 0
    for start in starts(rounds, pair.round, opening) if opening else [0]:
        best, longest = _best_window(sample, pair, start, opening, worth, best)
    if longest < rounds:
        best = _best_score(sample, pair, worth, best)
    top = float(np.log(max(float(sample.weights.max()), 1e-300)))
    return replace(best, top=top)


def _best_window(
    sample: Weighted, pair: Pair, start: int, opening: int, worth: Worth, best: Chosen
) -> tuple[Chosen, int]:
    """The best event of windows behind `start`, if it is better; and where the longest ends.

    Long sequences hardly come twice, so that their order would be that of their own weights: behind
    an opening one half of the sample orders the sequences, and the other half judges.
    """
    runs, arms = len(sample.weights), pair.rewards.shape[1]
    ends = depths(len(pair.rewards), arms, pair.round, start)
    before = tuple(int(a) for a in sample.actions[0, :start]) if start <= opening else ()
    ordering = judging = slice(None)
    if opening:
        ordering, judging = slice(0, runs // 2), slice(runs // 2, None)
        runs -= runs // 2
    # Sums over the longest sequences first; those over shorter ones are sums of these.
    whole, inverse = np.unique(
        encode(sample.actions[:, start : ends[-1]], arms), return_inverse=True
    )

    def sums_of(part: slice) -> list[Floats]:
        within = inverse[part], sample.weights[part]
        counts = (np.bincount(within[0], within[1] ** k, len(whole)) for k in range(3))
        return [np.asarray(each, np.float64) for each in counts]

    ranked, judged = sums_of(ordering), sums_of(judging)
    for depth in ends:
        codes, group = np.unique(whole // arms ** (ends[-1] - depth), return_inverse=True)
        number, total, _ = (np.bincount(group, each).astype(float) for each in ranked)
        counts, sums, squares = (np.bincount(group, each).astype(float) for each in judged)
        order = np.argsort(-(total + 1.0) / (number + 1.0), kind="stable")
        order = order[number[order] > 0]
        last, found = _segment(counts[order], sums[order], squares[order], runs, worth)
        if found.predicted > best.predicted:
            event = Windows(depth, codes[order[: last + 1]], arms, start, before)
            best = replace(found, event=event)
    return best, ends[-1]


def _best_score(sample: Weighted, pair: Pair, worth: Worth, best: Chosen) -> Chosen:
    """The best event of a learnt score, if it is better."""
    half = len(sample.weights) // 2
    if half < 2 * FEWEST:
        return best
    score = learnt(sample.actions[:half], sample.weights[:half], pair)
    if score is None:
        return best
    values, weights = score.values(sample.actions[half:]), sample.weights[half:]
    order = np.argsort(-values, kind="stable")
    ones, sums = np.ones(len(order)), weights[order]
    last, found = _segment(ones, sums, sums**2, len(order), worth)
    if found.predicted <= best.predicted:
        return best
    return replace(found, event=replace(score, least=float(values[order[last]])))


def _segment(
    counts: Floats, sums: Floats, squares: Floats, runs: int, worth: Worth
) -> tuple[int, Chosen]:
    """The best initial segment of groups in this order, and what is to be expected of it."""
    count, total = np.cumsum(counts), np.cumsum(sums)
    mean = total / np.maximum(count, 1.0)
    variance = np.maximum(np.cumsum(squares) / np.maximum(count, 1.0) - mean**2, 0.0)
    value = worth(mean, variance, count / runs)
    value[count < FEWEST] = -math.inf
    last = int(np.argmax(value))
    about = (float(each[last]) for each in (value, count / runs, mean, variance))
    return last, Chosen(Windows(1, np.zeros(0, np.int64), 1), *about)


def _predicted(
    claim: Guarantee, mean: Floats, variance: Floats, share: Floats, ahead: int, alpha: float
) -> Floats:
    """The bound that events of these statistics would give."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if claim.notion == "pure":
            return np.log(
                np.maximum(predicted_mean_lower(mean, variance, share * ahead, alpha), 1e-300)
            )
        # E[W 1_S] and P(S), each with half of alpha.
        deviation = math.sqrt(2.0 * math.log(2.0 / alpha) / ahead)
        spread = np.sqrt(np.maximum(share * (variance + mean**2) - (share * mean) ** 2, 0.0))
        there = share * mean - deviation * spread
        here = share + deviation * np.sqrt(share * (1.0 - share)) + 1.0 / ahead
        if claim.notion == "approximate":
            return np.log(np.maximum(there - claim.delta, 1e-300) / here)
        values = ndtri(np.clip(there, 1e-300, 1 - 1e-12)) - ndtri(np.clip(here, 1e-300, 1 - 1e-12))
        return np.asarray(values)


Sure = tuple[float, float] | None


def bound(
    evaluation: Evaluation[Counted], chosen: Chosen, ahead: int, claim: Guarantee, alpha: Alpha
) -> tuple[float, float, Sure]:
    """Lower bound and plain estimate of the privacy parameter from a chosen event; for claims that
    are not pure also the bounds on the event's two probabilities. `ahead` is the number of runs
    that was meant."""
    sample = evaluation.sample
    if sample.hits == 0:
        return -math.inf, -math.inf, None
    weights, counts = sample.weighted
    if claim.notion == "pure":
        low = fixed_stake_lower(weights, counts, alpha, chosen.share * ahead, chosen.variance)
        return safe_log(low), safe_log(sample.mean), None
    counts[-1] += sample.runs - sample.hits  # a run outside the event has weight 0
    inside = chosen.share * chosen.mean
    variance = max(chosen.share * (chosen.variance + chosen.mean**2) - inside**2, 0.0)
    half, other_half = alpha.split(0.5, 0.5)
    p = fixed_stake_lower(weights, counts, half, ahead, variance)
    q = proportion_upper(sample.hits, sample.runs, other_half)
    share = sample.hits / sample.runs
    there = sample.mean * share
    if claim.notion == "approximate":
        return (
            safe_log((p - claim.delta) / q),
            safe_log((there - claim.delta) / share),
            (p, q),
        )
    return gdp_lower(p, q), gdp_lower(min(there, 1 - 1e-15), min(share, 1 - 1e-15)), (p, q)


def safe_log(x: float) -> float:
    return math.log(x) if x > 0.0 else -math.inf


def power(
    claim: Guarantee, sample: Counted, low: float, estimate: float, most: tuple[float, float]
) -> float:
    """The least value at which this pair and event would have shown more than the claim: it must
    exceed the claim by the width of this bound and 1.28 standard deviations for the luck of the
    draw, and the event shows a part only of what the releases have lost, `most`."""
    loss = lost(claim, most)  # of the selection, which may have lost nothing
    if sample.hits < 2 or not math.isfinite(low) or min(low, estimate, loss) <= 0.0:
        return math.inf
    shown = min(1.0, estimate / loss)
    if shown <= 0.0:  # Gaussian releases lose without end where a claim is pure
        return math.inf
    deviation = sample.deviation / sample.mean / math.sqrt(sample.hits)
    needed = claim.level + (estimate - low) + 1.2816 * deviation
    return needed / shown


def lost(claim: Guarantee, most: tuple[float, float]) -> float:
    """The largest bookings of a run, pure and squared GDP, in the terms of the claim."""
    pure, gdp = np.array([most[0]]), np.array([most[1]])
    if claim.notion == "gdp":
        return gdp_eta(pure, gdp)
    if claim.notion == "pure":
        return math.inf if most[1] > 0.0 else most[0]
    return most[0] if most[1] == 0.0 else composed_epsilon(pure, gdp, claim.delta)


def describe_actions(sequences: Sequence[Sequence[int]], rounds: int, first: int = 1) -> str:
    """Sequences of actions that begin in round `first` and end in round `rounds`."""
    if len(sequences) == 1:
        shown = " ".join(str(a) for a in sequences[0])
        return f"the actions of rounds {first} to {rounds} are {shown}"
    shown = "; ".join(" ".join(str(a) for a in s) for s in sequences[:3])
    more = f"; and {len(sequences) - 3} more" if len(sequences) > 3 else ""
    return f"the actions of rounds {first} to {rounds} are one of {len(sequences)}: {shown}{more}"
