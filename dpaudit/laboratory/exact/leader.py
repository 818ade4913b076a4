"""Follow-the-leader's exact regret with Bernoulli or fixed losses: summed round by round over
binomial distributions, the rounds beyond by Chernoff's bound."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dpaudit.laboratory.exact.sums import Floats, log_binomial

NEGLIGIBLE = 1e-13
"""Rounds whose wrong choices can cost no more than this altogether are left to the error."""
LEADER_WORK = 4 * 10**7
"""Lattice points that follow-the-leader may visit before the rest is left to Chernoff's bound."""
LEADER_LOG = 50.0
"""Binomial tails of probability exp(-LEADER_LOG) are cut off (and in the error)."""


def follow_the_leader(
    values: Floats, arms: Floats, ends: NDArray[np.int64], environment: str
) -> tuple[Floats, Floats, str]:
    """Regret, its error, and how: round n + 1 plays the lowest action with the largest of n rounds'
    sums."""
    new = np.append(True, values[1:] != values[:-1])
    means = values[new]
    counts: Floats = np.bincount(np.cumsum(new) - 1, weights=arms).astype(np.float64)
    gaps = means.max() - means
    if environment == "deterministic" or not gaps.any():
        regret = np.full(len(ends), float(gaps[0]))
        return regret, 0.0 * regret, "the leader is known after one round"
    # Chernoff's bound for the difference of two Bernoulli sums, at its best rate.
    top = float(means.max())
    with np.errstate(divide="ignore"):
        rate = -2.0 * np.log(np.sqrt((1.0 - means) * (1.0 - top)) + np.sqrt(means * top))
    wrong = gaps > 0.0
    weights, rates = (counts * gaps)[wrong], rate[wrong]

    def tail(first: int, last: Floats) -> Floats:
        """Bound on the regret of rounds first + 1 to last."""
        with np.errstate(over="ignore"):
            one = np.exp(-rates * first) / -np.expm1(-rates)
        rounds = np.maximum(0.0, last - first)
        each = np.minimum(one[:, None], np.exp(-rates * first)[:, None] * rounds)
        return np.asarray(np.minimum(weights @ each, rounds * gaps.max()))

    costs, work, rounds = [float(gaps[0])], 0, 1
    last, last_end = int(ends[-1]), ends[-1:].astype(np.float64)
    while rounds < last and work < LEADER_WORK and float(tail(rounds, last_end)[0]) > NEGLIGIBLE:
        many = min(last - rounds, 64, 1 + 2 * rounds)
        costs_of_batch, cells = _leader_costs(means, counts, gaps, rounds, many)
        costs.extend(costs_of_batch.tolist())
        work += cells
        rounds += many
    curve = np.cumsum(costs)
    summed = np.minimum(ends, rounds)
    regret = curve[summed - 1]
    beyond = tail(rounds, ends.astype(np.float64))
    error = 1e-11 * regret + 4.0 * math.exp(-LEADER_LOG) * counts.sum() * summed + 0.5 * beyond
    how = f"binomial sums up to round {rounds}, half of Chernoff's bound beyond"
    return regret + 0.5 * beyond, error, how


def _leader_costs(
    means: Floats, counts: Floats, gaps: Floats, first: int, many: int
) -> tuple[Floats, int]:
    """Expected cost of the action chosen after n = first, ..., first + many - 1 rounds (first > 0),
    and how many lattice points that took. Runs of equal arms stand in the order of the actions."""
    n = np.arange(first, first + many, dtype=np.float64)[:, None]
    radius = math.sqrt(LEADER_LOG * (first + many) / 2.0)  # Hoeffding
    second = float(means[gaps > 0.0].max())
    low = max(0, math.floor(first * float(means.max()) - radius))
    high = min(first + many, math.ceil((first + many) * second + radius))
    if high < low:
        return np.zeros(many), 0
    ones = np.arange(low, high + 1.0)[None, :]
    upto, below = [], []
    for mean, gap in zip(means.tolist(), gaps, strict=True):
        if mean in (0.0, 1.0):
            mass = (ones == n * mean).astype(np.float64)
        else:
            inside = np.exp(
                log_binomial(np.minimum(ones, n), n, mean, np.minimum(ones, n) - n * mean)
            )
            mass = np.where(ones <= n, inside, 0.0)
        # The best arms have no mass below the window, the others none above it.
        if gap == 0.0:
            value = np.cumsum(mass, axis=1)
            before = value - mass
            before[:, 1:], before[:, 0] = value[:, :-1], 0.0
        else:
            above = np.cumsum(mass[:, ::-1], axis=1)[:, ::-1]
            value, before = 1.0 - (above - mass), 1.0 - above
            value[:, :-1], value[:, -1] = before[:, 1:], 1.0
        with np.errstate(divide="ignore"):
            upto.append(np.log(np.clip(value, 0.0, 1.0)))
            below.append(np.log(np.clip(before, 0.0, 1.0)))
    cost = np.zeros(many)
    for b in np.nonzero(gaps > 0.0)[0]:
        rivals = sum(
            (c * (below if h < b else upto)[h] for h, c in enumerate(counts) if h != b),
            np.zeros_like(upto[0]),
        )
        with np.errstate(invalid="ignore"):
            ratio = np.where(upto[b] == -np.inf, 0.0, counts[b] * (below[b] - upto[b]))
        win = np.exp(rivals + counts[b] * upto[b]) * -np.expm1(ratio)
        cost += gaps[b] * win.sum(axis=1)
    return cost, ones.size * many * len(means)
