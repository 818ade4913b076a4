"""Events of action sequences with likelihood ratios, for the two-world engine: the choice of an
event, and its bound. What chooses and what bounds are samples of different types."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from dpaudit.auditor.statistics import (
    fixed_stake_lower,
    gdp_lower,
    predicted_mean_lower,
    proportion_upper,
)
from dpaudit.results.audit import Event, Floats, Guarantee, Pair, describe_actions

FEWEST = 20
"""An event seen less often in the selection is not considered."""
STEP = 2.0**-12
"""Width of a bin of log-weights: so much is lost of the bound at most."""
BELOW, ABOVE = 8.0, 1.0
"""The bins reach so far below and above the largest log-weight of the selection."""
ROUNDING = 1.0 - 1e-8
"""Bins are taken for what a weight is at least, but for the rounding of floating point."""


@dataclass(frozen=True)
class Sample:
    """Runs under one world: the actions, and exp(-loss), the likelihood ratio of the other."""

    actions: NDArray[np.int16]
    weights: Floats


class Selection(Sample):
    """May choose pairs, directions and events, and nothing else."""


@dataclass
class Evaluation:
    """May bound what was chosen elsewhere, and nothing else: of the runs so far, how many were in
    the event, and how many of these in each bin of the log-weight. It adds up."""

    low: float
    runs: int
    hits: int
    bins: NDArray[np.int64]

    @classmethod
    def empty(cls, top: float) -> Evaluation:
        """Of no runs; `top` is the largest log-weight of the selection."""
        bins = np.zeros(round((BELOW + ABOVE) / STEP), np.int64)
        return cls(top - BELOW, 0, 0, bins)

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


@dataclass(frozen=True)
class Prefixes:
    """An event: the first `depth` actions are one of these sequences."""

    depth: int
    codes: NDArray[np.int64]
    arms: int

    def happened(self, actions: NDArray[np.int16]) -> NDArray[np.bool_]:
        """Which runs are in the event."""
        return np.isin(encode(actions[:, : self.depth], self.arms), self.codes)

    def described(self) -> Event:
        """In words, and as sequences."""
        sequences = [decode(int(code), self.depth, self.arms) for code in self.codes[:64]]
        return Event(describe_actions(sequences, self.depth), tuple(sequences))


def encode(actions: NDArray[np.int16], arms: int) -> NDArray[np.int64]:
    """A sequence of actions as one number, the first action being the most significant digit."""
    codes = np.zeros(len(actions), np.int64)
    for t in range(actions.shape[1]):
        codes = codes * arms + actions[:, t]
    return codes


def decode(code: int, depth: int, arms: int) -> tuple[int, ...]:
    """The actions of a code."""
    digits = []
    for _ in range(depth):
        digits.append(code % arms)
        code //= arms
    return tuple(reversed(digits))


def code_of(sequence: tuple[int, ...], arms: int) -> int:
    """The code of a sequence; `decode` undoes it."""
    code = 0
    for action in sequence:
        code = code * arms + action
    return code


def depths(rounds: int, arms: int, changed: int) -> list[int]:
    """Lengths of prefixes worth looking at: the whole, and some behind the changed round."""
    longest = rounds if arms == 1 else min(rounds, int(62 / math.log2(arms)))
    behind = {min(longest, changed + 2**k) for k in range(1, 7)}
    return sorted({longest} | behind)


@dataclass(frozen=True)
class Chosen:
    """An event and what the selection can tell of it: the bound it would give, its share of the
    runs, mean and variance of its weights, and the largest log-weight."""

    event: Prefixes
    predicted: float
    share: float = 0.0
    mean: float = 0.0
    variance: float = 0.0
    top: float = 0.0


def choose(sample: Selection, claim: Guarantee, pair: Pair, ahead: int, alpha: float) -> Chosen:
    """The event with the best bound at the size of the evaluation sample, `ahead` runs.

    For each length, sequences are ordered by their mean weight, and the event is the best initial
    segment of that order.
    """
    runs, arms = len(sample.weights), pair.rewards.shape[1]
    best = Chosen(Prefixes(1, np.zeros(0, np.int64), arms), -math.inf)
    lengths = depths(len(pair.rewards), arms, pair.round)
    # Sums over the longest sequences first; those over shorter ones are sums of these.
    whole, inverse, number = np.unique(
        encode(sample.actions[:, : lengths[-1]], arms), return_inverse=True, return_counts=True
    )
    sum_of, square_of = (np.bincount(inverse, sample.weights**k) for k in (1, 2))
    for depth in lengths:
        codes, group = np.unique(whole // arms ** (lengths[-1] - depth), return_inverse=True)
        counts, sums, squares = (np.bincount(group, each) for each in (number, sum_of, square_of))
        order = np.argsort(-(sums + 1.0) / (counts + 1.0), kind="stable")
        count, total = np.cumsum(counts[order]), np.cumsum(sums[order])
        mean = total / count
        variance = np.maximum(np.cumsum(squares[order]) / count - mean**2, 0.0)
        value = _predicted(claim, mean, variance, count / runs, ahead, alpha)
        value[count < FEWEST] = -math.inf
        last = int(np.argmax(value))
        if value[last] > best.predicted:
            event = Prefixes(depth, codes[order[: last + 1]], arms)
            about = (float(each[last]) for each in (count / runs, mean, variance))
            best = Chosen(event, float(value[last]), *about)
    top = float(np.log(max(float(sample.weights.max()), 1e-300)))
    return replace(best, top=top)


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
    sample: Evaluation, chosen: Chosen, ahead: int, claim: Guarantee, alpha: float
) -> tuple[float, float, Sure]:
    """Lower bound and plain estimate of the privacy parameter from a chosen event; for claims that
    are not pure also the bounds on the event's two probabilities. `ahead` is the number of runs
    that was meant."""
    if sample.hits == 0:
        return -math.inf, -math.inf, None
    weights, counts = sample.weighted
    if claim.notion == "pure":
        low = fixed_stake_lower(weights, counts, alpha, chosen.share * ahead, chosen.variance)
        return safe_log(low), safe_log(sample.mean), None
    counts[-1] += sample.runs - sample.hits  # a run outside the event has weight 0
    inside = chosen.share * chosen.mean
    variance = max(chosen.share * (chosen.variance + chosen.mean**2) - inside**2, 0.0)
    p = fixed_stake_lower(weights, counts, alpha / 2.0, ahead, variance)
    q = proportion_upper(sample.hits, sample.runs, alpha / 2.0)
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
    """ln x, and minus infinity where there is none."""
    return math.log(x) if x > 0.0 else -math.inf
