"""Releases: the only doors through which private data may leave, each booking what it costs.

A release is handed the private value in the world that is run and in its neighbour, returns the
noisy value for the world that is run, and books in the learner's record

- `loss`: the log of the ratio of the densities of what was released under the two worlds;
- `pure`: the worst that this loss could have been, whatever came out (sum over releases);
- `gdp`: the squared GDP parameter of a Gaussian release, (difference / sigma)^2 (sum).

Where the two worlds agree nothing is booked: nothing was lost.

The bookings are those of real numbers. The noise is ordinary floating point: whoever sees a
released number to its last bit may learn more (Mironov 2012); `safe_laplace` is for such numbers.
"""

from __future__ import annotations

import math
from typing import Any

from dpaudit.algorithm.contract import Own
from dpaudit.machine.noisy_max import EXPONENTIAL, LAPLACE, log_win


def laplace(own: Own, value: float, value_in_neighbour: float, scale: float, rng: Any) -> float:
    """value + Lap(scale). Worst loss |difference| / scale (Dwork & Roth 2014, Theorem 3.6)."""
    noisy: float = value + rng.laplace(0.0, scale)
    if value != value_in_neighbour:
        own.loss += (abs(noisy - value_in_neighbour) - abs(noisy - value)) / scale
        own.pure += abs(value - value_in_neighbour) / scale
    return noisy


def gaussian(own: Own, value: float, value_in_neighbour: float, sigma: float, rng: Any) -> float:
    """value + N(0, sigma^2), which is |difference|/sigma-GDP (Dong, Roth & Su 2022, Theorem 1)."""
    noisy: float = value + sigma * rng.standard_normal()
    if value != value_in_neighbour:
        here = (noisy - value) / sigma
        there = (noisy - value_in_neighbour) / sigma
        own.loss += 0.5 * (there - here) * (there + here)
        own.gdp += ((value - value_in_neighbour) / sigma) ** 2
    return noisy


def unprotected(own: Own, value: float, value_in_neighbour: float) -> float:
    """The value itself. Where the worlds differ the loss is unbounded: private data got past."""
    if value != value_in_neighbour:
        own.loss = math.inf
        own.pure = math.inf
        own.gdp = math.inf
    return value


def noisy_argmax(
    own: Own, scores: Any, scores_in_neighbour: Any, scale: float, noise: int, rng: Any
) -> int:
    """Report-noisy-max: argmax of scores + noise of the given scale, ties to the lowest index.

    The realised loss is that of the selected index alone, computed exactly. The worst loss is
    (max - min of the scores' changes) / scale: shifting all scores together changes nothing, and
    each noise's survival function moves by at most a factor exp(shift / scale).
    """
    best = 0
    best_score = -math.inf
    for j in range(len(scores)):
        if noise == LAPLACE:
            score = scores[j] + rng.laplace(0.0, scale)
        elif noise == EXPONENTIAL:
            score = scores[j] + scale * rng.standard_exponential()
        else:
            score = scores[j] - scale * math.log(rng.standard_exponential())
        if score > best_score:
            best = j
            best_score = score
    changes = scores_in_neighbour - scores
    spread = changes.max() - changes.min()
    if spread > 0.0:
        own.loss += log_win(scores, best, scale, noise)
        own.loss -= log_win(scores_in_neighbour, best, scale, noise)
        own.pure += spread / scale
    return best


def clip01(value: float) -> float:
    return min(max(value, 0.0), 1.0)
