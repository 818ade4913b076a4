"""Mechanisms of many outputs, x = 0 against 1, with their true log ratio: what an auditor finds is
compared with what a threshold on the truth gives from as many outputs."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import dpaudit
from dpaudit.auditor.engines.black_box.events import _best_threshold
from dpaudit.results.audit import Guarantee

CONFIDENCE = 0.999
CLAIM = Guarantee("pure", 1.0)
PIECE = 10**4
Rng = np.random.Generator
Sample = Callable[[Any, int, Rng], Any]
LogRatio = Callable[[Any], Any]


@dataclass(frozen=True)
class Wide:
    """A mechanism, and the log of how much likelier an output is from 1 than from 0."""

    name: str
    sample: Sample
    log_ratio: LogRatio

    def truth(self, runs: int, outputs: int) -> float:
        """The bound from `runs` outputs a world through the best threshold on the true log ratio,
        with counts as expected; that is read off so many outputs."""
        return _truth(self, runs, outputs)

    def found(self, runs: int, seed: int) -> float:
        result = dpaudit.audit_mechanism(
            self.sample, 0, 1, epsilon=1.0, runs=runs, confidence=CONFIDENCE, seed=seed
        )
        return result.lower_bound


@functools.cache
def _truth(case: Wide, runs: int, outputs: int) -> float:
    rng, scores = np.random.default_rng(11), []
    for x in (0, 1):
        pieces = [case.log_ratio(case.sample(x, PIECE, rng)) for _ in range(outputs // PIECE)]
        scores.append(np.sort(np.concatenate(pieces)))
    return _best_threshold(*scores, CLAIM, runs, 1.0 - CONFIDENCE, 0.5)[0]


def laplace(width: int, epsilon: float, on: Any = 1.0) -> tuple[Sample, LogRatio]:
    """One number released so often; `on`: which entries it is in, and with which sign."""
    entries = np.broadcast_to(np.asarray(on, float), width)
    scale = np.abs(entries).sum() / epsilon

    def log_ratio(y: Any) -> Any:
        return (np.abs(y) - np.abs(y - entries)).sum(axis=1) / scale

    return lambda x, n, rng: x * entries + rng.laplace(0.0, scale, (n, width)), log_ratio


def gaussian(width: int, eta: float, correlation: float = 0.0) -> tuple[Sample, LogRatio]:
    """Noise that is eta-GDP in all; its entries may be those of an autoregression."""
    at = np.arange(width)
    covariance = np.asarray(correlation ** np.abs(at[:, None] - at))
    root, weights = np.linalg.cholesky(covariance), np.linalg.solve(covariance, np.ones(width))
    scale = math.sqrt(weights.sum()) / eta

    def sample(x: Any, n: int, rng: Rng) -> Any:
        noise = rng.normal(0.0, scale, (n, width))
        return x + (noise @ root.T if correlation else noise)

    return sample, lambda y: (y - 0.5) @ weights / scale**2


def response(width: int, epsilon: float) -> tuple[Sample, LogRatio]:
    """Randomised response, so often."""
    each = epsilon / width

    def sample(x: Any, n: int, rng: Rng) -> Any:
        return np.where(rng.random((n, width)) < 1.0 / (1.0 + math.exp(-each)), x, 1 - x)

    return sample, lambda y: (2.0 * y - 1.0).sum(axis=1) * each


def mixed(width: int, epsilon: float) -> tuple[Sample, LogRatio]:
    """Half of it is continuous, half discrete."""
    half = width // 2
    (real, real_ratio), (bit, bit_ratio) = laplace(half, epsilon / 2), response(half, epsilon / 2)

    def sample(x: Any, n: int, rng: Rng) -> Any:
        return np.concatenate([real(x, n, rng), bit(x, n, rng)], axis=1)

    return sample, lambda y: real_ratio(y[:, :half]) + bit_ratio(y[:, half:])


def prefixes(width: int, epsilon: float) -> tuple[Sample, LogRatio]:
    """Sums of the first 1, 2, 3, … of the noisy releases: each depends on the one before it."""
    sample, log_ratio = laplace(width, epsilon)

    def sums(x: Any, n: int, rng: Rng) -> Any:
        return np.cumsum(sample(x, n, rng), axis=1)

    return sums, lambda y: log_ratio(np.diff(y, axis=1, prepend=0.0))


def tree_nodes(leaves: int) -> Any:
    """Which nodes of a binary tree the first leaf is in, level by level."""
    return np.concatenate([np.eye(1, leaves >> level)[0] for level in range(leaves.bit_length())])


def tree_sums(leaves: int, epsilon: float) -> tuple[Sample, LogRatio]:
    """Every prefix sum of the binary mechanism; the first leaf differs. Its nodes are the sums of
    the first 1, 2, 4, … leaves, and all others have the same law in both worlds given these."""
    levels = leaves.bit_length()
    scale = levels / epsilon

    def sample(x: Any, n: int, rng: Rng) -> Any:
        nodes = [rng.laplace(0.0, scale, (n, leaves >> level)) for level in range(levels)]
        sums = np.zeros((n, leaves))
        for t in range(1, leaves + 1):
            start = 0
            for level in reversed(range(levels)):
                if t >> level & 1:
                    node = nodes[level][:, start >> level]
                    sums[:, t - 1] += node + (x if start == 0 else 0)
                    start += 1 << level
        return sums

    firsts = [(1 << level) - 1 for level in range(levels)]

    def log_ratio(y: Any) -> Any:
        return (np.abs(y[:, firsts]) - np.abs(y[:, firsts] - 1.0)).sum(axis=1) / scale

    return sample, log_ratio


def masked(width: int, epsilon: float) -> tuple[Sample, LogRatio]:
    """A randomised bit under a random mask, and the mask: each of the two is a fair coin in both
    worlds. All else is noise."""
    bit, _ = response(1, epsilon)

    def sample(x: Any, n: int, rng: Rng) -> Any:
        drawn = rng.laplace(0.0, 1.0, (n, width))
        drawn[:, 3] = rng.random(n) < 0.5
        drawn[:, 40] = (drawn[:, 3] + bit(x, n, rng)[:, 0]) % 2
        return drawn

    return sample, lambda y: (2.0 * (y[:, 3] != y[:, 40]) - 1.0) * epsilon


def turned(width: int, correlation: float) -> tuple[Sample, LogRatio]:
    """Gaussian numbers, two of which are correlated: in the other world by as much, negatively."""

    def sample(x: Any, n: int, rng: Rng) -> Any:
        drawn = rng.normal(0.0, 1.0, (n, width))
        sign = 1.0 if x else -1.0
        drawn[:, 9] = sign * correlation * drawn[:, 50] + drawn[:, 9] * math.sqrt(
            1.0 - correlation**2
        )
        return drawn

    return sample, lambda y: 2.0 * correlation * y[:, 9] * y[:, 50] / (1.0 - correlation**2)


NODES = tree_nodes(64)
WIDE = (
    Wide("64 Laplace releases", *laplace(64, 5.3)),
    Wide("64 Gaussian releases", *gaussian(64, 1.0)),
    Wide("32 Laplace releases and 32 randomised bits", *mixed(64, 6.0)),
    Wide("64 randomised bits", *response(64, 5.3)),
    Wide("64 correlated Gaussian releases", *gaussian(64, 1.0, 0.7)),
    Wide("64 sums of Laplace releases", *prefixes(64, 5.3)),
    Wide("127 nodes of a tree", *laplace(len(NODES), 3.0, NODES)),
    Wide("64 sums of a tree's nodes", *tree_sums(64, 3.0)),
)
TOGETHER = (
    Wide("a randomised bit and its mask among 64 numbers", *masked(64, 2.0)),
    Wide("a correlation that turns round among 64 numbers", *turned(64, 0.5)),
)
"""No number alone has another law in the other world."""
WIDER = (
    Wide("1,000 Laplace releases", *laplace(1000, 21.0)),
    Wide("1,000 Gaussian releases", *gaussian(1000, 1.0)),
)
"""For the benchmarks: each audit takes some seconds."""


def with_a_bit(x: int, n: int, rng: Rng) -> Any:
    """A randomised bit, exactly epsilon = 1, among 31 numbers of pure noise."""
    bit, _ = response(1, 1.0)
    return np.concatenate([rng.laplace(0.0, 1.0, (n, 31)), bit(x, n, rng)], axis=1)


def noise(_: int, n: int, rng: Rng) -> Any:
    """Nothing of the data."""
    return rng.normal(size=(n, 32))


PRIVATE = ((with_a_bit, 1.0), (noise, 1e-3))
"""Mechanisms with their epsilon, the hardest not to accuse."""


def reached(case: Wide, runs: int, seeds: int, outputs: int = 10**5) -> Iterator[float]:
    """Bounds in parts of what the true log ratio gives."""
    for seed in range(seeds):
        yield case.found(runs, seed) / case.truth(runs, outputs)
