"""What learners must pay at least, at every horizon: bounds without asymptotics.

They are proved for learners that see all rewards, and so hold for bandits. All are averages over
instances that differ in the labels of the arms only; so one labelling costs as much, and for a
learner that treats its arms alike each does. Means are of rewards. There is one best arm (else the
bounds are 0), and m arms of those nearest to it take part: in instance l the best arm's law and
that of arm l are exchanged. Whoever plays a wrong arm loses the smallest gap D or more, and in
round t there are t - 1 rows to tell the instances apart by. R is a reference that no instance
depends on: where the m - 1 others have one mean, all m arms have it, and an instance differs from R
in one arm; else R is the first instance, and the others differ from it in two.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpaudit.laboratory.lower_bounds.bandits import Groups
from dpaudit.machine.indices import bernoulli_kl
from dpaudit.results.regret import Floats

LARGEST_EPSILON = 700.0
"""e to a larger power is no number."""


@dataclass(frozen=True)
class Instances:
    """The exchanges among the best arm and the m - 1 nearest to it."""

    arms: int
    gap: float
    apart: float
    """Total variation between a row of an instance and of R, at most."""
    divergence: float
    """Of a row of an instance from R's, averaged over the instances."""


def descending(groups: Groups) -> list[tuple[float, int]]:
    """The largest mean first, each of them once."""
    counts: dict[float, int] = {}
    for x, count in groups:
        counts[x] = counts.get(x, 0) + count
    return sorted(counts.items(), reverse=True)


def exchanges(groups: Groups, *, deterministic: bool = False) -> list[Instances]:
    """For every m that ends at a change of mean; empty if several arms are best."""
    down = descending(groups)
    if len(down) < 2 or down[0][1] > 1:
        return []
    (best, _), (second, _) = down[:2]
    gap = best - second
    ends = {2: second}
    last = 1
    for x, count in down[1:]:
        last += count
        ends[last] = x
    found = []
    spent = 0.0
    before = 1
    for m, x in ends.items():
        both = np.inf if deterministic else _kl(best, x) + _kl(x, best)
        spent += (m - before) * both
        before = m
        if second == x:
            apart, divergence = best - x, np.inf if deterministic else _kl(best, x)
        else:
            apart, divergence = 1.0 - (1.0 - (best - x)) ** 2, spent / m
        found.append(Instances(m, gap, 1.0 if deterministic else apart, divergence))
    return found


def _kl(x: float, y: float) -> float:
    return math.inf if (y == 0.0 < x) or (y == 1.0 > x) else bernoulli_kl(x, y)


def group_privacy(asked: Instances, epsilon: float, horizons: Floats) -> Floats:
    """D times the sum over t of 1 - r^(t - 1)/m while that is positive, r = 1 + TV (e^epsilon - 1).

    For epsilon-DP learners; the idea of Wu & Wang's Theorem 7, for random rewards. The chance f of
    an action, as a function of one row, varies by a factor of e^epsilon at most. Under another law
    of the row, TV away, its mean is larger by at most TV (sup f - inf f) <= TV (e^epsilon - 1) inf
    f, a factor of r; row by row, r^(t - 1). The chances of being right, summed over m instances,
    are r^(t - 1) times the chance under R of any of m different arms at most.
    """
    grows = math.log1p(asked.apart * math.expm1(min(epsilon, LARGEST_EPSILON)))
    if grows == 0.0:
        return asked.gap * (1.0 - 1.0 / asked.arms) * horizons
    rounds = np.minimum(horizons, math.floor(math.log(asked.arms) / grows) + 1)
    return asked.gap * (rounds - np.expm1(rounds * grows) / math.expm1(grows) / float(asked.arms))


def fano(asked: Instances, horizons: Floats) -> Floats:
    """D times the sum over t of 1 - ((t - 1) KL + ln 2)/ln m while that is positive, by Fano's
    inequality; for all learners, private or not."""
    at_once = 1.0 - math.log(2.0) / math.log(asked.arms)
    if at_once <= 0.0:
        return np.zeros(len(horizons))
    step = asked.divergence / math.log(asked.arms)
    rounds = np.minimum(horizons, 1.0 + math.floor(at_once / step))
    later = 0.0 if math.isinf(step) else step * rounds * (rounds - 1.0) / 2.0
    return asked.gap * (at_once * rounds - later)


def two_points(groups: Groups, horizons: Floats) -> Floats:
    """D/4 times the sum over t of exp(-(t - 1) KL), KL = kl(x, y) + kl(y, x) for the two best arms,
    by Bretagnolle and Huber's inequality; for all learners, private or not."""
    down = descending(groups)
    if len(down) < 2 or down[0][1] > 1:
        return np.zeros(len(horizons))
    (y, _), (x, _) = down[:2]
    apart = _kl(x, y) + _kl(y, x)
    if math.isinf(apart):
        return np.full(len(horizons), (y - x) / 4.0)
    return (y - x) / 4.0 * np.expm1(-horizons * apart) / math.expm1(-apart)


def theorem_12(gap: float, arms: int, epsilon: float | None, horizons: Floats) -> Floats:
    """Hu, Huang & Mehta, Theorem 12, on its own instances: Bernoulli means 1/2 + D and, for all
    others, 1/2; K >= 4 and D < 1/4. The constants are those that the ledger proves (`theorem-12`):
    ln K/(40 D^2) rounds cost 0.266 D each, and for epsilon-DP learners ln K/(20 epsilon D) rounds
    cost 0.4 D each."""
    plain = np.minimum(horizons, math.floor(math.log(arms) / (40.0 * gap**2)))
    found = np.asarray(0.266 * gap * plain)
    if epsilon is not None:
        private = np.minimum(horizons, math.floor(math.log(arms) / (20.0 * epsilon * gap)))
        found = np.maximum(found, 0.4 * gap * private)
    return found


def theorem_7(arms: int, epsilon: float, horizons: Floats) -> Floats:
    """Wu & Wang, Theorem 7, on its own instances: deterministic losses 0, D, D, 1, ..., 1 in cyclic
    order; K >= 4, for epsilon-DP learners. In round t the K - 3 losses of 1 have together a chance
    of (K - 3)/(3 exp((t - 1) epsilon) + K - 3) or more, as the ledger proves (`theorem-7-average`).
    That falls in t, so its sum is at least its integral from 0 to T, and its first term."""
    rest, end = (arms - 3) / 3.0, np.minimum(horizons * epsilon, LARGEST_EPSILON)
    # The slope of u - ln(rest + e^u) is rest/(rest + e^u).
    whole = end + np.log(rest + 1.0) - np.log(rest + np.exp(end))
    return np.asarray(np.maximum(whole / epsilon, rest / (rest + 1.0)))
