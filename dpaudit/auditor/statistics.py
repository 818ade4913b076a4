"""Confidence bounds that can be believed: exact for counts, betting for means.

Each uses up a part of the answer's error probability, `Alpha`, and holds for any sample size. An
`Alpha` is made from a confidence at the door and can only be split: a part that was handed to a
bound, or divided, is gone, and whoever uses it again, or takes more than there is, is stopped.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, betaln, gammaln, ndtri, xlog1py, xlogy

from dpaudit.errors import UsageError, check_number

Floats = NDArray[np.float64]

JOINT_LIMIT = 150
"""Largest number of runs a world for which the joint exact test of a ratio is affordable."""
SPLITS = (0.5, 0.7, 0.8, 0.9)
"""Shares of alpha that the rarer count may take in a pair of Clopper-Pearson bounds."""
ROUNDING = 1e-9
"""So much more than the whole, relative to it, is the rounding of its parts."""


class Overspent(AssertionError):
    """An error probability was used twice, or more of it than there is: a bug, never bad input."""


class Alpha:
    """A part of an answer's error probability."""

    def __init__(self, value: float) -> None:
        self.value = value
        """How much it was at first: for forecasts of a bound, which need none of it."""
        self.left = value
        self.entries: list[tuple[str, float]] = []
        """What was taken for a named purpose, for the report."""

    @classmethod
    def imagined(cls, value: float) -> Alpha:
        """Nobody's: for the forecast of a bound, never for a bound."""
        return cls(value)

    @classmethod
    def of(cls, confidence: float) -> Alpha:
        """Of an answer that is to hold with this confidence, in (0, 1)."""
        number = check_number("confidence", confidence, 0.0, 1.0, low_open=True)
        if number >= 1.0:
            raise UsageError(f"confidence: got {confidence!r}, allowed is a number in (0, 1)")
        return cls(1.0 - number)

    def take(self, part: float, what: str = "") -> Alpha:
        """A part of what is left."""
        if self.left <= 0.0 or not 0.0 < part <= self.left + ROUNDING * self.value:
            raise Overspent(f"confidence overdrawn on {what or 'a part'}")
        self.left -= part
        if what:
            self.entries.append((what, part))
        return Alpha(part)

    def rest(self, what: str = "") -> Alpha:
        """All that is left."""
        return self.take(self.left, what)

    def split(self, *shares: float) -> tuple[Alpha, ...]:
        """These shares of the whole, at once."""
        return tuple(self.take(self.value * share) for share in shares)

    def spend(self) -> float:
        """The whole, as a number for the formula of one bound."""
        return self.take(self.value).value

    def __reduce__(self) -> str:
        raise Overspent("an error probability cannot be copied")


def proportion_lower(hits: int, runs: int, alpha: Alpha) -> float:
    """Clopper & Pearson (1934): below the true proportion with probability 1 - alpha."""
    level = alpha.spend()
    return 0.0 if hits == 0 else float(betaincinv(hits, runs - hits + 1, level))


def proportion_upper(hits: int, runs: int, alpha: Alpha) -> float:
    """Clopper & Pearson (1934): above the true proportion with probability 1 - alpha."""
    level = alpha.spend()
    return 1.0 if hits == runs else float(betaincinv(hits + 1, runs - hits, 1.0 - level))


def proportions_between(hits: Any, runs: int, alpha: Alpha) -> tuple[Floats, Floats]:
    """Clopper & Pearson (1934), two-sided, for many proportions at once: with probability
    1 - alpha each of them is between its two numbers, whatever depends on what."""
    count = np.asarray(hits, dtype=float)
    each = alpha.spend() / (2.0 * max(count.size, 1))
    low = betaincinv(np.maximum(count, 0.5), runs - count + 1.0, each)
    high = betaincinv(count + 1.0, np.maximum(runs - count, 0.5), 1.0 - each)
    return np.where(count == 0.0, 0.0, low), np.where(count == runs, 1.0, high)


def anytime_between(counts: Any, alpha: Alpha) -> list[tuple[float, float]]:
    """Between which numbers a proportion is, from hits and runs so far at some looks: with
    probability 1 - alpha at all looks at once, whenever and why ever they are taken.

    Were the proportion p, the beta(1/2, 1/2) mixture of all likelihoods over that of p would be a
    martingale that starts at 1 (Robbins 1970): it reaches 1 / alpha with probability alpha.
    """
    goal = math.log(1.0 / alpha.spend())

    def end(hits: int, runs: int, outside: float) -> float:
        """Between the estimate, which is never rejected, and a number that may be."""
        mixture = betaln(hits + 0.5, runs - hits + 0.5) - betaln(0.5, 0.5)
        inside = hits / runs if runs else 1.0 - outside
        if inside == outside:
            return outside
        for _ in range(80):
            middle = 0.5 * (inside + outside)
            likelihood = xlogy(hits, middle) + xlog1py(runs - hits, -middle)
            inside, outside = (
                (inside, middle) if mixture - likelihood >= goal else (middle, outside)
            )
        return outside

    return [(end(h, n, 0.0), end(h, n, 1.0)) for h, n in counts]


def log_ratio_lower(
    hits: int, runs: int, base_hits: int, base_runs: int, alpha: Alpha, share: float = 0.5
) -> float:
    """Lower bound on ln(p / q) from two independent counts, p's and q's.

    Two Clopper-Pearson bounds; q's takes the `share` of alpha, which must not be chosen after
    seeing these counts.
    """
    first, second = alpha.split(1.0 - share, share)
    p = proportion_lower(hits, runs, first)
    q = proportion_upper(base_hits, base_runs, second)
    return -math.inf if p == 0.0 else math.log(p / q)


def coin_log_ratio_lower(
    hits: int, base_hits: int, runs: int, alpha: Alpha, rng: np.random.Generator
) -> float:
    """Lower bound on ln(p / q) from counts among `runs` runs of each world, through one binomial.

    Had a fair coin chosen the world of each run, a hit would come from the first world with
    probability p/(p + q), whatever the number of hits: one exact bound, none spent on the nuisance.
    The coins are tossed afterwards: of N = 2 runs - slack, binomially many are of the first world,
    and as many of its runs are kept, at random. In the rare case (5 deviations) that a world has
    too few there is no bound.
    """
    slack = math.ceil(7.0 * math.sqrt(runs))
    total = 2 * runs - slack
    if total <= 0:
        return -math.inf
    first = int(rng.binomial(total, 0.5))
    if not total - runs <= first <= runs:
        return -math.inf
    kept = int(rng.hypergeometric(hits, runs - hits, first))
    base = int(rng.hypergeometric(base_hits, runs - base_hits, total - first))
    theta = proportion_lower(kept, kept + base, alpha) if kept else 0.0
    return math.log(theta / (1.0 - theta)) if theta > 0.0 else -math.inf


def joint_log_ratio_lower(hits: int, base_hits: int, runs: int, alpha: Alpha) -> float:
    """Lower bound on ln(p / q) from two counts among `runs` each, by inverting a joint exact test.

    The largest r at which "p <= e^r q" is rejected: outcomes are ordered by the score statistic of
    that hypothesis, and the p-value is the supremum over the nuisance q. It is taken on a grid that
    is refined around its peak, and 1 % is added for what may lie between the points.
    """
    level = alpha.spend()
    if hits == 0:
        return -math.inf
    low, high = -8.0, math.log(hits + 1.0) + 8.0
    if _joint_p_value(low, hits, base_hits, runs) > level:
        return -math.inf
    while high - low > 1e-4:
        middle = 0.5 * (low + high)
        if _joint_p_value(middle, hits, base_hits, runs) <= level:
            low = middle
        else:
            high = middle
    return low


def _score(hits: Floats, base_hits: Floats, runs: int, ratio: float) -> Any:
    """Score statistic of p = ratio q, with q estimated under that hypothesis (Koopman 1984)."""
    a = 2.0 * runs * ratio
    # Maximum likelihood of q: ratio runs q^2 2 - b q + (hits + base_hits) = 0.
    b = runs * (1.0 + ratio) + hits + base_hits * ratio
    c = hits + base_hits
    q = (b - np.sqrt(np.maximum(b * b - 2.0 * a * c, 0.0))) / a
    p = ratio * q
    variance = p * (1.0 - p) / runs + ratio * ratio * q * (1.0 - q) / runs
    difference = (hits - ratio * base_hits) / runs
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(variance > 0, difference / np.sqrt(variance), np.sign(difference) * np.inf)


def _joint_p_value(log_ratio: float, hits: int, base_hits: int, runs: int) -> float:
    ratio = math.exp(log_ratio)
    k = np.arange(runs + 1.0)
    scores = np.nan_to_num(_score(k[:, None], k[None, :], runs, ratio), posinf=1e9, neginf=-1e9)
    extreme = scores >= scores[hits, base_hits] - 1e-9
    log_choose = gammaln(runs + 1) - gammaln(k + 1) - gammaln(runs - k + 1)

    def tail(q: Floats) -> Any:
        def pmf(p: Floats) -> Floats:
            p = p[:, None]
            return np.exp(log_choose + xlogy(k, p) + xlog1py(runs - k, -p))

        return np.einsum("ga,gb,ab->g", pmf(np.minimum(ratio * q, 1.0)), pmf(q), extreme)

    top = min(1.0, 1.0 / ratio)
    grid = np.linspace(0.0, top, 202)[1:]
    values = tail(grid)
    peak = int(np.argmax(values))
    step = grid[1] - grid[0]
    fine = np.linspace(max(grid[peak] - step, 1e-12), min(grid[peak] + step, top), 41)
    return 1.01 * float(max(values.max(), tail(fine).max()))


def fixed_stake_lower(
    values: Floats, counts: NDArray[np.int64], alpha: Alpha, expected: float, variance: float
) -> float:
    """Lower bound on the mean of independent non-negative values of one distribution, from how
    often each value came: the order of the values does not enter.

    If the mean is at most m, a stake s <= 1/m fixed beforehand gives E[1 + s (x - m)] <= 1, so the
    wealth after all bets, the product of these factors, reaches 1/alpha with probability at most
    alpha, at any time at all (Ville 1939): m is then rejected. The stake is the best one for the
    `expected` number of values and their `variance`, which must not come from these values. Wealth
    falls with m, so the largest rejected m is found by bisection.
    """
    goal = math.log(1.0 / alpha.spend())
    n = int(counts.sum())
    if n == 0:
        return 0.0
    stake = math.sqrt(2.0 * goal / (max(expected, 1.0) * max(variance, 1e-300)))
    low, high = 0.0, float(values @ counts) / n
    if high <= 0.0:
        return 0.0
    for _ in range(60):  # a bracket of 1e-15 of the mean; 0 where nothing is rejected
        if high - low <= 1e-9 * high:
            break
        middle = 0.5 * (low + high)
        wealth = float(counts @ np.log1p(min(stake, 0.95 / middle) * (values - middle)))
        if wealth >= goal:
            low = middle
        else:
            high = middle
    return low


def predicted_mean_lower(mean: Floats, variance: Floats, runs: Floats, alpha: float) -> Floats:
    """About what `fixed_stake_lower` would give for so many runs: for ranking events beforehand."""
    goal = math.log(1.0 / alpha)
    runs = np.maximum(runs, 1e-9)
    return mean - np.sqrt(2.0 * variance * goal / runs) - mean * goal / (0.95 * runs)


def gdp_lower(p_lower: float, q_upper: float) -> float:
    """eta-GDP allows P'(S) = p and P(S) = q only if eta >= Phi^-1(p) - Phi^-1(q)."""
    if p_lower <= 0.0 or q_upper >= 1.0:
        return -math.inf
    return float(ndtri(p_lower) - ndtri(q_upper))
