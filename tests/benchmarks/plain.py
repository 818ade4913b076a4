"""The denominators: the same work as plain Python loops, no library of ours, written to be fast."""

from __future__ import annotations

import math
import random


def ucb1(means: list[float], rounds: int, seed: int) -> int:
    """UCB1, round by round; returns the pulls of the best arm."""
    rng = random.Random(seed)
    arms = range(len(means))
    pulls, total = [0] * len(means), [0.0] * len(means)
    for t in range(1, rounds + 1):
        if t <= len(means):
            arm = t - 1
        else:
            log_t = 2.0 * math.log(t)
            index = [total[j] / pulls[j] + math.sqrt(log_t / pulls[j]) for j in arms]
            arm = index.index(max(index))
        pulls[arm] += 1
        total[arm] += rng.random() < means[arm]
    return pulls[0]


def thompson(means: list[float], rounds: int, seed: int) -> int:
    """Beta Thompson sampling, round by round."""
    rng = random.Random(seed)
    won, lost = [1.0] * len(means), [1.0] * len(means)
    pulls = 0
    for _ in range(rounds):
        theta = [rng.betavariate(a, b) for a, b in zip(won, lost, strict=True)]
        arm = theta.index(max(theta))
        pulls += arm == 0
        if rng.random() < means[arm]:
            won[arm] += 1.0
        else:
            lost[arm] += 1.0
    return pulls


def lazy_ucb(means: list[float], epsilon: float, rounds: int, seed: int) -> int:
    """Anytime-Lazy-UCB, round by round."""
    rng = random.Random(seed)
    arms = range(len(means))
    noisy, used = [0.0] * len(means), [0] * len(means)
    pending, total = [0] * len(means), [0.0] * len(means)
    pulls = 0
    for t in range(1, rounds + 1):
        if t <= len(means):
            arm = t - 1
        else:
            log_t = 3.0 * math.log(t)
            index = [
                noisy[j] + math.sqrt(log_t / used[j]) + log_t / (epsilon * used[j]) for j in arms
            ]
            arm = index.index(max(index))
        pulls += arm == 0
        pending[arm] += 1
        total[arm] += rng.random() < means[arm]
        if pending[arm] == max(2 * used[arm], 1):
            used[arm] = pending[arm]
            noise = rng.choice((-1.0, 1.0)) * rng.expovariate(epsilon)
            noisy[arm] = (total[arm] + noise) / used[arm]
            pending[arm], total[arm] = 0, 0.0
    return pulls


def two_worlds(epsilon: float, rounds: int, runs: int, seed: int) -> float:
    """Runs of Anytime-Lazy-UCB, K = 2, on a table and its neighbour, with the privacy loss."""
    rng = random.Random(seed)
    here = [(1.0, 0.0)] * rounds
    there = [(0.0, 1.0), *here[1:]]
    scale, worst = 1.0 / epsilon, 0.0
    for _ in range(runs):
        noisy, used, pending = [0.0, 0.0], [0, 0], [0, 0]
        total, other, loss = [0.0, 0.0], [0.0, 0.0], 0.0
        for t in range(1, rounds + 1):
            if t <= 2:
                arm = t - 1
            else:
                log_t = 3.0 * math.log(t)
                a = noisy[0] + math.sqrt(log_t / used[0]) + log_t / (epsilon * used[0])
                b = noisy[1] + math.sqrt(log_t / used[1]) + log_t / (epsilon * used[1])
                arm = 0 if a >= b else 1
            pending[arm] += 1
            total[arm] += here[t - 1][arm]
            other[arm] += there[t - 1][arm]
            if pending[arm] == max(2 * used[arm], 1):
                used[arm] = pending[arm]
                noise = rng.choice((-1.0, 1.0)) * rng.expovariate(epsilon)
                x = total[arm] + noise
                loss += (abs(x - other[arm]) - abs(x - total[arm])) / scale
                noisy[arm] = x / used[arm]
                pending[arm], total[arm], other[arm] = 0, 0.0, 0.0
        worst = max(worst, loss)
    return worst
