"""Azize et al. (2025), DP-KLUCB and DP-IMED, from what is public of them."""

import math

import numpy as np

from tests.algorithms.second.baselines import bernoulli_divergence


def divergence(x, y, epsilon):
    """The infimum of epsilon |z - x| + kl(z, y) over z between x and y. It is convex in z: by
    halving where its derivative, epsilon + ln(z (1 - y) / (y (1 - z))), changes its sign."""
    if y >= 1:
        return epsilon * (1 - x)  # kl(z, 1) is infinite for z < 1
    low, high = x, y
    for _ in range(60):
        z = (low + high) / 2
        rising = z * (1 - y) * math.exp(epsilon) > y * (1 - z)
        low, high = (low, z) if rising else (z, high)
    return epsilon * (low - x) + bernoulli_divergence(low, y)


def largest_private(x, bound, epsilon):
    """The largest y in [x, 1] with divergence <= bound, by halving."""
    if divergence(x, 1.0, epsilon) <= bound:
        return 1.0
    low, high = x, 1.0
    for _ in range(60):
        y = (low + high) / 2
        low, high = (y, high) if divergence(x, y, epsilon) <= bound else (low, y)
    return low


def in_batches(rewards, epsilon, rng, choose, growth, batches):
    """Each arm's batches grow by the ratio; the sum of each gets Lap(1 / epsilon) of its own."""
    rounds, arms = rewards.shape
    sizes, sums = [[] for _ in range(arms)], [0.0] * arms
    actions = []
    while len(actions) < rounds:
        t = len(actions) + 1
        n = [sum(s) for s in sizes]
        means = [min(max(x / m, 0.0), 1.0) if m else 0.0 for x, m in zip(sums, n, strict=True)]
        j = t - 1 if t <= arms else choose(means, n, t)
        if not sizes[j]:
            size = 1
        elif batches == "powers":
            size = math.ceil(growth ** len(sizes[j]))
        else:
            size = math.ceil(growth * n[j]) - n[j]
        batch = rewards[t - 1 : t - 1 + size, j]
        actions += [j] * len(batch)
        sizes[j].append(size)
        sums[j] += sum(batch) + rng.laplace(0, 1 / epsilon)
    return actions


def dp_klucb(rewards, epsilon, rng, growth=2.0, batches="pulls"):
    def choose(means, n, t):
        values = [
            largest_private(x, math.log(t) / m, epsilon) for x, m in zip(means, n, strict=True)
        ]
        return values.index(max(values))

    return in_batches(rewards, epsilon, rng, choose, growth, batches)


def dp_imed(rewards, epsilon, rng, growth=2.0, batches="pulls"):
    def choose(means, n, t):
        best = max(means)
        values = [
            m * divergence(x, best, epsilon) + math.log(m) for x, m in zip(means, n, strict=True)
        ]
        return int(np.argmin(values))

    return in_batches(rewards, epsilon, rng, choose, growth, batches)
