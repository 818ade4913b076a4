"""Events of action sequences with likelihood ratios, for the two-world engine: the choice of an
event, and its bound. What chooses and what bounds are samples of different types."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from dpaudit.auditor.results import Claimed, Event, Floats, Pair, describe_actions
from dpaudit.auditor.statistics import (
    gdp_lower,
    mean_lower,
    predicted_mean_lower,
    proportion_upper,
)

FEWEST = 20
"""An event seen less often in the selection is not considered."""


@dataclass(frozen=True)
class Sample:
    """Runs under one world: the actions, and exp(-loss), the likelihood ratio of the other."""

    actions: NDArray[np.int16]
    weights: Floats


class Selection(Sample):
    """May choose pairs, directions and events, and nothing else."""


class Evaluation(Sample):
    """May bound what was chosen elsewhere, and nothing else."""


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
    """An event and the bound it would give, as far as the selection can tell."""

    event: Prefixes
    predicted: float


def choose(sample: Selection, claim: Claimed, pair: Pair, ahead: int, alpha: float) -> Chosen:
    """The event with the best bound at the size of the evaluation sample, `ahead` runs.

    For each length, sequences are ordered by their mean weight, and the event is the best initial
    segment of that order.
    """
    runs, arms = len(sample.weights), pair.rewards.shape[1]
    best = Chosen(Prefixes(1, np.zeros(0, np.int64), arms), -math.inf)
    for depth in depths(len(pair.rewards), arms, pair.round):
        codes, inverse, counts = np.unique(
            encode(sample.actions[:, :depth], arms), return_inverse=True, return_counts=True
        )
        sums = np.bincount(inverse, sample.weights)
        squares = np.bincount(inverse, sample.weights**2)
        order = np.argsort(-(sums + 1.0) / (counts + 1.0), kind="stable")
        count, total = np.cumsum(counts[order]), np.cumsum(sums[order])
        mean = total / count
        variance = np.maximum(np.cumsum(squares[order]) / count - mean**2, 0.0)
        value = _predicted(claim, mean, variance, count / runs, ahead, alpha)
        value[count < FEWEST] = -math.inf
        last = int(np.argmax(value))
        if value[last] > best.predicted:
            best = Chosen(Prefixes(depth, codes[order[: last + 1]], arms), float(value[last]))
    return best


def _predicted(
    claim: Claimed, mean: Floats, variance: Floats, share: Floats, ahead: int, alpha: float
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
    sample: Evaluation, event: Prefixes, claim: Claimed, alpha: float
) -> tuple[float, float, Sure]:
    """Lower bound and plain estimate of the privacy parameter from a chosen event; for claims that
    are not pure also the bounds on the event's two probabilities."""
    inside = event.happened(sample.actions)
    weights = sample.weights[inside]
    if len(weights) == 0:
        return -math.inf, -math.inf, None
    if claim.notion == "pure":
        low = mean_lower(weights, alpha)
        return safe_log(low), safe_log(float(weights.mean())), None
    there = np.where(inside, sample.weights, 0.0)
    p, q = mean_lower(there, alpha / 2.0), proportion_upper(len(weights), len(there), alpha / 2.0)
    share = len(weights) / len(there)
    if claim.notion == "approximate":
        return (
            safe_log((p - claim.delta) / q),
            safe_log((there.mean() - claim.delta) / share),
            (p, q),
        )
    estimate = gdp_lower(min(float(there.mean()), 1 - 1e-15), min(share, 1 - 1e-15))
    return gdp_lower(p, q), estimate, (p, q)


def safe_log(x: float) -> float:
    """ln x, and minus infinity where there is none."""
    return math.log(x) if x > 0.0 else -math.inf
