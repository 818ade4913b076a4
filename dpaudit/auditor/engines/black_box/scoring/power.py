"""What the counts of an event suggest, and how large a violation they would have shown."""

from __future__ import annotations

import itertools
import math

import numpy as np

from dpaudit.auditor.engines.black_box.events import ScoreEvent, bound_counts
from dpaudit.auditor.kinds import renyi
from dpaudit.auditor.statistics import JOINT_LIMIT, Alpha, log_ratio_lower
from dpaudit.results.audit import Guarantee
from dpaudit.results.claimed import MOST_EPSILON, RENYI
from dpaudit.results.found import MULTIPLE


def estimate(hits: int, base_hits: int, runs: int, claim: Guarantee) -> float:
    if hits == 0:
        return -math.inf
    p, q = hits / runs, max(base_hits, 0.5) / runs
    if claim.notion in RENYI:
        return float(renyi.divergence(min(p, 1 - 0.5 / runs), min(q, 1 - 0.5 / runs), claim))
    if claim.notion == "gdp":
        from scipy.special import ndtri

        return float(ndtri(min(p, 1 - 0.5 / runs)) - ndtri(min(q, 1 - 0.5 / runs)))
    return math.log(max(p - claim.delta, 1e-300) / q)


def power(
    hits: int, base_hits: int, runs: int, event: ScoreEvent, claim: Guarantee, alpha: float
) -> float:
    """The smallest true value of one of the events searched that would have been found to violate
    with probability 0.9, had it been chosen.

    The base probability is taken as observed; the hits come out at the 10 % quantile. An event that
    comes half of the time in one world cannot come e^epsilon times as often in the other.
    """
    bases = {base_hits, runs - hits, *(round(share * runs) for share in event.searched)}
    # Upwards from the claim: where probabilities end at 1 a larger value may be impossible.
    levels = claim.level * np.geomspace(1.0, 1.0 + 12.0 / claim.level, 200)
    for low, high in itertools.pairwise(levels):
        for base in sorted(bases):
            if _found(high, base, runs, event, claim, alpha):
                while high - low > 1e-4:
                    middle = 0.5 * (low + high)
                    if _found(middle, base, runs, event, claim, alpha):
                        high = middle
                    else:
                        low = middle
                return float(high)
    return math.inf


def rarest(runs: int, event: ScoreEvent, claim: Guarantee, alpha: float) -> float:
    """The share of the runs in which an event has to come at least, in the world where it is
    likelier, so that MULTIPLE times the claim would be found in it with probability 0.9."""
    level = MULTIPLE * claim.level
    bases = np.unique(np.geomspace(1.0, max(1.0, runs / 2), 100).round()).astype(int).tolist()
    found = (base for base in bases if _found(level, base, runs, event, claim, alpha))
    base = next(found, None)
    return math.inf if base is None else likeliest(level, base / runs, claim)


def likeliest(level: float, q: float, claim: Guarantee) -> float:
    """The largest probability that a level of the claim's notion allows beside q; above 1 where it
    allows any."""
    from scipy.special import ndtr, ndtri

    if claim.notion == "gdp":
        return float(ndtr(ndtri(min(q, 1 - 1e-12)) + level))
    if claim.notion in RENYI:
        return renyi.most_likely(min(q, 1 - 1e-12), level, claim)
    return math.exp(min(level, MOST_EPSILON)) * q + claim.delta


def _found(
    level: float, base_hits: int, runs: int, event: ScoreEvent, claim: Guarantee, alpha: float
) -> bool:
    """Whether an event that is so much likelier than in so many base hits would be found."""
    p = likeliest(level, max(base_hits, 1) / runs, claim)
    if p > 1.0:
        return False
    unlucky = max(0, int(runs * p - 1.2816 * math.sqrt(runs * p * (1.0 - p))))
    more = int(base_hits + 0.5 * math.sqrt(max(base_hits, 1)))
    coins = np.random.default_rng(0)  # a forecast, not a bound
    if claim.notion == "pure" and runs <= JOINT_LIMIT:  # that test takes long
        part = Alpha.imagined(alpha)
        return log_ratio_lower(unlucky, runs, min(more, runs), runs, part) > claim.level
    counts = unlucky, min(more, runs), runs, event, claim
    return bound_counts(*counts, Alpha.imagined(alpha), coins)[0] > claim.level
