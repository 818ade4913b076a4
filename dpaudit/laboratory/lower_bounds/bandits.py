"""What bandit learners must pay at least: rates, so that the regret of T rounds is asymptotically
at least the rate times ln T.

All are for consistent learners: on every instance of Bernoulli arms their regret is o(T^a) for
every a > 0. Asymptotic means liminf of regret / ln T: at a given T the regret of a consistent
learner may lie below. An arm's mean is x, the best one's y; arms of mean y cost nothing. Where y =
1 no Bernoulli arm is better, and none of the bounds says anything.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

from dpaudit.machine.indices import bernoulli_kl

Groups: TypeAlias = Sequence[tuple[float, int]]
"""Means, and how many arms have each."""


def divergence(x: float, y: float, epsilon: float) -> float:
    """d_epsilon(x, y) = inf over z of epsilon |x - z| + kl(z, y): how fast x is told from y by what
    an epsilon-private learner publishes, per pull.

    Between x and y the slope of kl(z, y) in z is -ln(y (1 - z)/(z (1 - y))). Where it is no steeper
    than epsilon at z = x, privacy costs nothing and d = kl(x, y); else the best z has odds
    exp(-epsilon) times those of y (or exp(epsilon) times, for x > y).
    """
    if x == y:
        return 0.0
    if x > y:
        return divergence(1.0 - x, 1.0 - y, epsilon)
    if y == 1.0:
        return epsilon * (1.0 - x)
    z = y / (y + (1.0 - y) * math.exp(min(epsilon, 700.0)))
    if z <= x:
        return bernoulli_kl(x, y)
    return epsilon * (z - x) + bernoulli_kl(z, y)


def lai_robbins(groups: Groups) -> float:
    """Sum of gap / kl(x, y). Lai & Robbins (1985), for all consistent learners, private or not."""
    return _rate(groups, bernoulli_kl)


def azize_et_al(groups: Groups, epsilon: float) -> float:
    """Sum of gap / d_epsilon(x, y). Azize, Wu, Honda, Orabona, Ito & Basu (2025), "Optimal regret
    of Bernoulli bandits under global differential privacy", for consistent epsilon-DP learners.

    The statement is recalled from the literature; so is why it holds. Let an arm be pulled at most
    n = (1 - a) ln T/d_epsilon times. Couple each reward (mean x) with one of mean z, so that a pull
    differs with probability |x - z|: by group privacy a sequence of actions loses a factor of
    exp(epsilon n |x - z|) at most, up to deviations that vanish. From z to a mean slightly above y
    the likelihood ratio costs exp(n kl(z, y)). So the event has probability T^(1 - a) times that
    under the other instance, where consistency makes it o(T^(b - 1)) for every b > 0: it vanishes.
    """
    return _rate(groups, lambda x, y: divergence(x, y, epsilon))


def azize_basu(groups: Groups, epsilon: float) -> float:
    """Sum of gap / min{kl(x, y), 6 epsilon TV}, where TV = y - x. Azize & Basu (2022), "When
    privacy meets partial information", for consistent epsilon-DP learners; recalled from the
    literature. It follows from `azize_et_al`, as d_epsilon <= min{kl, epsilon TV}."""
    return _rate(groups, lambda x, y: min(bernoulli_kl(x, y), 6.0 * epsilon * (y - x)))


def shariff_sheffet(groups: Groups, epsilon: float) -> float:
    """The number of worse arms / (200 epsilon). Shariff & Sheffet (2018), for epsilon-DP learners
    of regret at most T^(3/4): for large T a worse arm is pulled ln T/(100 epsilon gap) times with
    probability 1/2 or more. Recalled from the literature, the constant included."""
    return _rate(groups, lambda x, y: 200.0 * epsilon * (y - x))


def _rate(groups: Groups, told_apart: Callable[[float, float], float]) -> float:
    best = max(x for x, _ in groups)
    if best == 1.0:
        return 0.0
    worse = [(x, count) for x, count in groups if x < best]
    return sum(count * ((best - x) / told_apart(x, best)) for x, count in worse)
