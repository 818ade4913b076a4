"""Hu, Huang & Mehta (arXiv 2102.07929), Algorithms 1 to 4 and the FTNL of Section 5, from their
text: O, Phi, N and r are kept as printed, the first pulls apart from the loop."""

import math

import numpy as np


def lazy(rewards, epsilon, rng, rule):
    """Algorithms 1 and 3: they differ in line 4's (and 5's) rule, which is handed the arms' noisy
    means and how many observations are in each."""
    rounds, arms = rewards.shape
    used, noisy, r, phi, pending = {}, {}, {}, {}, {}
    actions = []
    for j in range(min(arms, rounds)):  # line 2
        used[j], r[j], pending[j], phi[j] = 1, 0, 0, 0.0
        noisy[j] = rewards[j, j] + rng.laplace(0, 1 / epsilon)
        actions.append(j)
    for t in range(arms + 1, rounds + 1):
        values = rule(t, noisy, used)
        j = values.index(max(values))
        actions.append(j)
        pending[j] += 1
        phi[j] += rewards[t - 1, j]
        if pending[j] == 2 ** (r[j] + 1):
            used[j] = 2 ** (r[j] + 1)
            noisy[j] = (phi[j] + rng.laplace(0, 1 / epsilon)) / used[j]
            r[j] += 1
            pending[j], phi[j] = 0, 0.0
    return actions


def anytime_lazy_ucb(rewards, epsilon, rng):
    def rule(t, noisy, used):
        return [
            noisy[j] + math.sqrt(3 * math.log(t) / used[j]) + 3 * math.log(t) / (epsilon * used[j])
            for j in noisy
        ]

    return lazy(rewards, epsilon, rng, rule)


def lazy_dp_ts(rewards, epsilon, rng, log_base=math.e):
    def rule(t, noisy, used):
        draws = []
        for j in noisy:
            bonus = 3 * (math.log(t) / math.log(log_base)) / (epsilon * used[j])
            mean = max(0, min(noisy[j] + bonus, 1))
            draws.append(rng.beta(mean * used[j] + 1, (1 - mean) * used[j] + 1))
        return draws

    return lazy(rewards, epsilon, rng, rule)


def thompson(rewards, epsilon, rng):
    """Algorithm 2."""
    rounds, arms = rewards.shape
    seen = [[] for _ in range(arms)]
    actions = []
    for t in range(rounds):
        theta = []
        for x in seen:
            o, mean = len(x), (sum(x) / len(x) if x else 0)
            theta.append(rng.beta(mean * o + 1, (1 - mean) * o + 1))
        j = theta.index(max(theta))
        seen[j].append(rewards[t, j])
        actions.append(j)
    return actions


def leader_by_epochs(rewards, first, leader):
    """Epoch s has 2^s rounds, and its leader is played throughout the next."""
    actions, playing, start = [], first, 0
    for s in range(len(rewards).bit_length() + 1):
        epoch = rewards[start : start + 2**s]
        actions += [playing] * len(epoch)
        if len(epoch) == 2**s:
            playing = leader(epoch.sum(axis=0))
        start += 2**s
    return actions


def ftnl(rewards, epsilon, rng):
    """Section 5: every action's mean is (epsilon / K)-private."""
    arms = rewards.shape[1]

    def leader(phi):
        return int(np.argmax([x + rng.laplace(0, 1 / (epsilon / arms)) for x in phi]))

    return leader_by_epochs(rewards, 0, leader)


def rnm_ftnl(rewards, epsilon, rng, lap=1):
    """Algorithm 4, with Lap(lap / epsilon)."""

    def leader(phi):
        return int(np.argmax([x + rng.laplace(0, lap / epsilon) for x in phi]))

    return leader_by_epochs(rewards, 0, leader)


def rnm_ftnl_repaired(rewards, epsilon, rng):
    """With the noise that replacing a whole vector needs."""
    return rnm_ftnl(rewards, epsilon, rng, lap=2)
