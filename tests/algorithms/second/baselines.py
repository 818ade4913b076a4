"""What the papers compare with, from the steps on the cards (their sources are not at hand)."""

import math

import numpy as np

from tests.algorithms.second.binary import binary_mechanism


def dp_se(rewards, epsilon, rng, beta=0.0):
    """Epochs of R fresh pulls of each arm in S, until one is left."""
    horizon, arms = rewards.shape
    beta = beta or 1 / horizon
    actions, active, e, t = [], list(range(arms)), 0, 0
    while t < horizon:
        if len(active) == 1:
            actions += active * (horizon - t)
            break
        e += 1
        log_8 = math.log(8 * len(active) * e**2 / beta)
        log_4 = math.log(4 * len(active) * e**2 / beta)
        gap = 2.0**-e
        pulls = int(max(32 * log_8 / gap**2, 8 * log_4 / (epsilon * gap))) + 1
        sums = dict.fromkeys(active, 0.0)
        for j in active * pulls:
            if t < horizon:
                sums[j] += rewards[t, j]
                actions.append(j)
            t += 1
        if t > horizon:
            break
        noisy = {j: (sums[j] + rng.laplace(0, 1 / epsilon)) / pulls for j in active}
        h = math.sqrt(log_8 / (2 * pulls))
        c = log_4 / (epsilon * pulls)
        active = [j for j in active if not max(noisy.values()) - noisy[j] > 2 * h + 2 * c]
    return actions


def bernoulli_divergence(p, q):
    total = 0.0
    if p > 0:
        total += p * math.log(p / q)
    if p < 1:
        total += math.inf if q >= 1 else (1 - p) * math.log((1 - p) / (1 - q))
    return total


def largest_plausible(p, bound):
    """The largest q in [p, 1] with d(p, q) <= bound, by halving."""
    low, high = p, 1.0
    if p >= 1:
        return 1.0
    for _ in range(60):
        q = (low + high) / 2
        low, high = (q, high) if bernoulli_divergence(p, q) <= bound else (low, q)
    return low


def adap(rewards, epsilon, rng, value):
    """Episodes that double an arm's pulls; an arm's mean is that of its last episode."""
    rounds, arms = rewards.shape
    pulls, used, noisy = [0] * arms, [0] * arms, [0.0] * arms
    actions = []
    while len(actions) < rounds:
        t = len(actions) + 1
        values = [value(noisy[j], used[j], math.log(t)) if used[j] else 0.0 for j in range(arms)]
        j = t - 1 if t <= arms else values.index(max(values))
        episode = rewards[t - 1 : t - 1 + max(pulls[j], 1), j]
        actions += [j] * len(episode)
        pulls[j] += len(episode)
        used[j] = len(episode)
        noisy[j] = (sum(episode) + rng.laplace(0, 1 / epsilon)) / used[j]
    return actions


def adap_ucb(rewards, epsilon, rng, alpha=3.1):
    def value(mean, n, log_t):
        return mean + math.sqrt(alpha * log_t / (2 * n)) + alpha * log_t / (epsilon * n)

    return adap(rewards, epsilon, rng, value)


def adap_klucb(rewards, epsilon, rng, alpha=3.1):
    def value(mean, n, log_t):
        clipped = max(0.0, min(mean + alpha * log_t / (epsilon * n), 1.0))
        return largest_plausible(clipped, alpha * log_t / n)

    return adap(rewards, epsilon, rng, value)


def ucb(rewards, add, value):
    """Each arm once, then the arm of the largest value; `add` is told each reward."""
    rounds, arms = rewards.shape
    actions, pulls = [], [0] * arms
    for t in range(1, rounds + 1):
        if t <= arms:
            j = t - 1
        else:
            values = [value(i, pulls[i], t) for i in range(arms)]
            j = values.index(max(values))
        pulls[j] += 1
        actions.append(j)
        add(j, rewards[t - 1, j])
    return actions


def private_ucb(rewards, epsilon, rng, gamma=0.0):
    """One T-bounded tree per arm, whose nodes have Lap(K levels / epsilon)."""
    horizon, arms = rewards.shape
    levels = math.floor(math.log2(horizon)) + 1
    streams, nodes, sums = [[] for _ in range(arms)], [{} for _ in range(arms)], [0.0] * arms

    def add(j, x):
        streams[j].append(x)
        scale = levels / (epsilon / arms)
        sums[j] = binary_mechanism(streams[j], nodes[j], scale, rng)

    def value(j, n, t):
        log_horizon = math.log(horizon)
        inside = arms * horizon * log_horizon / (gamma or t**-4)
        noise = arms * log_horizon**2 * math.log(inside) / epsilon
        return sums[j] / n + math.sqrt(2 * math.log(t) / n) + noise / n

    return ucb(rewards, add, value)


def ucb1(rewards, epsilon, rng):
    sums = [0.0] * rewards.shape[1]

    def add(j, x):
        sums[j] += x

    return ucb(rewards, add, lambda j, n, t: sums[j] / n + math.sqrt(2 * math.log(t) / n))


def kl_ucb(rewards, epsilon, rng):
    sums = [0.0] * rewards.shape[1]

    def add(j, x):
        sums[j] += x

    return ucb(rewards, add, lambda j, n, t: largest_plausible(sums[j] / n, math.log(t) / n))


def follow_the_leader(rewards, epsilon, rng):
    sums, actions = np.zeros(rewards.shape[1]), []
    for row in rewards:
        actions.append(int(np.argmax(sums)))
        sums += row
    return actions


def hedge(rewards, epsilon, rng):
    actions, sums = [], np.zeros(rewards.shape[1])
    for t, row in enumerate(rewards, 1):
        eta = 2 * math.sqrt(math.log(len(row)) / t)
        weights = np.exp(eta * (sums - sums.max()))
        chosen = np.searchsorted(weights.cumsum(), rng.random() * weights.sum(), side="right")
        actions.append(int(min(chosen, len(row) - 1)))
        sums += row
    return actions
