"""Mechanisms whose true epsilon is known, vectorised: `sample(data, n, rng)` returns n outputs.

Sparse vector variants are numbered as by Lyu, Su & Li (2017), Algorithms 1 to 6: threshold 1,
sensitivity 1, at most c = 1 answers, epsilon = 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.quality import truths

Rng = np.random.Generator


@dataclass(frozen=True)
class Known:
    """A mechanism, its neighbouring inputs, its true epsilon, and how close we must come."""

    name: str
    sample: Callable[[Any, int, Rng], Any]
    x: Any
    neighbour: Any
    truth: float | Callable[[], float]
    """The largest log-ratio of this pair: what a perfect audit would find."""
    reach: float
    """The least lower bound from a million outputs a world at confidence 0.95."""


def laplace(x: float, n: int, rng: Rng) -> Any:
    return x + rng.laplace(0.0, 1.0, n)


def halved_laplace(x: float, n: int, rng: Rng) -> Any:
    return x + rng.laplace(0.0, 0.5, n)


def truncated_geometric(x: int, n: int, rng: Rng) -> Any:
    """Two-sided geometric noise of epsilon = 1, clamped to 0..5."""
    p = 1.0 - math.exp(-1.0)
    return np.clip(x + rng.geometric(p, n) - rng.geometric(p, n), 0, 5)


def noisy_max(noise: str, scale: float) -> Callable[[Any, int, Rng], Any]:
    """Report-noisy-max over counts; sensitivity 1 a count, in any direction."""

    def sample(x: Any, n: int, rng: Rng) -> Any:
        shape = (n, len(x))
        draw = rng.laplace(0, scale, shape) if noise == "laplace" else rng.exponential(scale, shape)
        return np.argmax(np.asarray(x) + draw, axis=1)

    return sample


def noisy_max_value(x: Any, n: int, rng: Rng) -> Any:
    """Returns the noisy maximum itself, from Exponential noise: not private at all."""
    return (np.asarray(x) + rng.exponential(2.0, (n, len(x)))).max(axis=1)


def histogram(scale: float) -> Callable[[Any, int, Rng], Any]:
    def sample(x: Any, n: int, rng: Rng) -> Any:
        return np.asarray(x) + rng.laplace(0, scale, (n, len(x)))

    return sample


def prefix_sums(x: Any, n: int, rng: Rng) -> Any:
    """Every prefix sum with Lap(T): epsilon/T each, epsilon in all."""
    return np.cumsum(x) + rng.laplace(0, len(x), (n, len(x)))


def sparse_vector(variant: int) -> Callable[[Any, int, Rng], Any]:
    """Variants 1-6 of Lyu, Su & Li, epsilon = 1, c = 1, threshold 1; -1000 below, 2000 stopped."""

    def sample(x: Any, n: int, rng: Rng) -> Any:
        queries, c, epsilon, threshold = np.asarray(x, float), 1, 1.0, 1.0
        first, second = epsilon / 2, epsilon / 2
        if variant == 4:
            first, second = epsilon / 4, 3 * epsilon / 4
        rho_scale = c / first if variant == 2 else 1 / first
        nu_scale = {
            1: 2 * c / second, 2: 2 * c / second, 3: c / second, 4: 1 / second, 5: 0.0,
            6: 1 / second,
        }[variant]  # fmt: skip
        bound = threshold + rng.laplace(0, rho_scale, n)
        if variant in (5, 6):
            values = queries + (rng.laplace(0, nu_scale, (n, len(queries))) if nu_scale else 0.0)
            return values >= bound[:, None]
        out = np.full((n, len(queries)), 2000.0)
        asked, answers = np.arange(n), np.zeros(n, int)
        for j, query in enumerate(queries):
            values = query + rng.laplace(0, nu_scale, len(asked))
            above = values >= bound
            out[asked, j] = np.where(above, values, -1000.0) if variant == 3 else above
            answers += above
            goes_on = answers < c
            asked, bound, answers = asked[goes_on], bound[goes_on], answers[goes_on]
        return out

    return sample


ONES, ZEROS = [1] * 10, [0] * 10
HALVES = [1] * 6 + [0] * 6
REVERSED = [0] * 6 + [1] * 6
"""Lyu, Su & Li's counterexample to variant 6: half the queries up, half down."""

FIVE, MOVED = [1] + [2] * 4, [0] + [3] * 4
FIVE_UP, FIVE_DOWN = [1] * 5 + [0] * 5, [0] * 5 + [1] * 5
NINE_UP, LAST_UP = [1] * 9 + [0], [0] * 9 + [1]
SIX_HIGH, LEVEL = [2] * 6 + [0], [1] * 7
"""Variant 4 shows nearly all of its (1 + 6c)/4 on these."""


def max_truth(x: list[float], y: list[float], scale: float, noise: str) -> Callable[[], float]:
    return lambda: truths.noisy_max(x, y, scale, noise)


def svt_truth(variant: int, x: list[float], y: list[float]) -> Callable[[], float]:
    return lambda: truths.sparse_vector(variant, x, y)


KNOWN = [
    Known("Laplace", laplace, 0.0, 1.0, 1.0, 0.985),
    Known("Laplace, half its noise", halved_laplace, 0.0, 1.0, 2.0, 1.97),
    Known("truncated geometric", truncated_geometric, 1, 2, 1.0, 0.985),
    Known(
        "noisy max, Laplace 2/eps",
        noisy_max("laplace", 2.0), [2, 1, 1], [1, 2, 2],
        max_truth([2, 1, 1], [1, 2, 2], 2.0, "laplace"), 0.72,
    ),
    Known(
        "noisy max, Exponential 2/eps",
        noisy_max("exponential", 2.0), [1, 2], [2, 1],
        max_truth([1, 2], [2, 1], 2.0, "exponential"), 0.81,
    ),
    Known(
        "noisy max, half its noise",
        noisy_max("laplace", 1.0), FIVE, MOVED, max_truth(FIVE, MOVED, 1.0, "laplace"), 1.95,
    ),
    Known("noisy max, the value itself", noisy_max_value, [0, 0], [1, 0], math.inf, 3.0),
    Known("noisy histogram", histogram(1.0), [2, 1, 0, 0, 3], [1, 1, 0, 0, 3], 1.0, 0.98),
    Known("noisy histogram, half its noise", histogram(0.5), [2, 1, 0], [1, 1, 0], 2.0, 1.96),
    Known("prefix sums", prefix_sums, [0] * 5, [1, 0, 0, 0, 0], 1.0, 0.90),
    *(
        Known(
            f"sparse vector {v}", sparse_vector(v), NINE_UP, LAST_UP,
            svt_truth(v, NINE_UP, LAST_UP), reach,
        )
        for v, reach in ((1, 0.5), (2, 0.5))
    ),
    Known(
        "sparse vector 4", sparse_vector(4), SIX_HIGH, LEVEL,
        svt_truth(4, SIX_HIGH, LEVEL), 1.63,
    ),
    Known("sparse vector 3", sparse_vector(3), FIVE_UP, FIVE_DOWN, math.inf, 1.2),
    Known("sparse vector 5", sparse_vector(5), HALVES, REVERSED, math.inf, 8.0),
    Known(
        "sparse vector 6", sparse_vector(6), HALVES, REVERSED,
        svt_truth(6, HALVES, REVERSED), 3.0,
    ),
]  # fmt: skip
