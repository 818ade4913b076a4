"""Tossou & Dimitrakakis (AAAI 2016), Algorithms 1 to 3, from their text."""

import math

import numpy as np

from tests.algorithms.second.binary import binary_mechanism


class Hybrid:
    """Section 2.3: at t = 2^k a noisy sum with Lap(1 / epsilon), a binary tree in between.

    `split` is 2 where the two halves share the budget, and 1 as printed."""

    def __init__(self, epsilon, rng, split, node_noise):
        self.epsilon, self.rng, self.node_noise = epsilon / split, rng, node_noise
        self.items, self.logarithmic, self.block, self.tree, self.nodes = 0, 0.0, 0.0, [], {}
        self.sum = 0.0

    def insert(self, x):
        self.items += 1
        self.block += x
        depth = math.floor(math.log2(self.items))
        if self.items == 2**depth:
            self.logarithmic += self.block + self.rng.laplace(0, 1 / self.epsilon)
            self.block, self.tree, self.nodes = 0.0, [], {}
            self.sum = self.logarithmic
        else:
            self.tree.append(x)
            log = depth if self.node_noise == "levels" else math.log(self.items)
            noisy = binary_mechanism(self.tree, self.nodes, log / self.epsilon, self.rng)
            self.sum = self.logarithmic + noisy


def dp_ucb_bound(rewards, epsilon, rng, split=1, node_noise="levels", log_base=math.e):
    """Algorithm 1."""
    return _ucb(rewards, epsilon, rng, split, node_noise, log_base, everywhere=False)


def dp_ucb(rewards, epsilon, rng, split=1, node_noise="levels", log_base=math.e):
    """Algorithm 2: nu is 0, and the arms that are not played receive a 0."""
    return _ucb(rewards, epsilon, rng, split, node_noise, log_base, everywhere=True)


def dp_ucb_bound_repaired(rewards, epsilon, rng, **given):
    return dp_ucb_bound(rewards, epsilon, rng, split=2, **given)


def dp_ucb_repaired(rewards, epsilon, rng, **given):
    return dp_ucb(rewards, epsilon, rng, split=2, **given)


def _ucb(rewards, epsilon, rng, split, node_noise, log_base, everywhere):
    rounds, arms = rewards.shape
    mechanisms = [Hybrid(epsilon, rng, split, node_noise) for _ in range(arms)]
    pulls, actions = [0] * arms, []
    for t in range(1, rounds + 1):
        if t <= arms:
            a = t - 1
        else:
            x = []
            for n, mechanism in zip(pulls, mechanisms, strict=True):
                # Equation (2.2) with gamma = t^-4, for a mechanism of budget epsilon / split.
                nu = math.sqrt(8) / (epsilon / split) * math.log(4 * t**4)
                if 2 ** (n.bit_length() - 1) != n:
                    nu = nu * math.log(n) / math.log(log_base) + nu
                if everywhere:
                    nu = 0
                x.append(mechanism.sum / n + math.sqrt(2 * math.log(t) / n) + nu / n)
            a = x.index(max(x))
        actions.append(a)
        pulls[a] += 1
        for j in range(arms):
            if j == a:
                mechanisms[j].insert(rewards[t - 1, j])
            elif everywhere:
                mechanisms[j].insert(0.0)
    return actions


def _interval_ends(epsilon, v, schedule):
    """W_1, W_2, ...: multiples of f = ceil(1 / epsilon), or Lemma B.1's x or y series."""
    if schedule == "interval":
        w = 0
        while True:
            w += math.ceil(1 / epsilon)
            yield w
    power = {"lemma-x": v / 2, "lemma-y": v}[schedule]
    w = 0
    while True:
        x = w + 1
        while epsilon * sum(n**-power for n in range(w + 1, x + 1)) < x**-power:
            x += 1
        w = x
        yield w


def dp_ucb_int(
    rewards, epsilon, rng, v=1.1, schedule="interval", redraw="intended", first_rewards="counted"
):
    """Algorithm 3."""
    rounds, arms = rewards.shape
    times, series = set(), _interval_ends(epsilon, v, schedule)
    while not times or max(times) <= rounds:
        times.add(next(series))
    f = min(times)
    n, s, x, released = [0] * arms, [0.0] * arms, [0.0] * arms, [0] * arms
    actions = []
    for t in range(1, rounds + 1):
        if t <= arms * f:
            a = (t - 1) % arms
        else:
            for j in range(arms):
                if n[j] in times and (redraw == "printed" or released[j] != n[j]):
                    noise = rng.laplace(0, 1 / n[j] ** (1 - v / 2))
                    x[j] = s[j] / n[j] + noise + math.sqrt(2 * math.log(t) / n[j])
                    released[j] = n[j]
            a = int(np.argmax(x))
        actions.append(a)
        n[a] += 1
        if t > arms * f or first_rewards == "counted":
            s[a] += rewards[t - 1, a]
    return actions
