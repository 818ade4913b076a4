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


GAUSS = ((-0.8611363115940526, 0.3478548451374538), (-0.3399810435848563, 0.6521451548625461))


def noisy_max_regret(means: list[float], epsilon: float, rounds: int) -> float:
    """Expected pseudo-regret of report-noisy-max follow-the-leader with Lap(1/epsilon), Bernoulli
    rewards: each epoch's winning probabilities by four-point Gauss-Legendre between lattice points.
    """
    b, cut = 1.0 / epsilon, math.ceil(40.0 / epsilon)
    decay = math.exp(-1.0 / b)
    nodes = [(0.5 + 0.5 * s * x, 0.5 * w) for x, w in GAUSS for s in (-1.0, 1.0)]
    nodes = [(math.exp(-x / b), math.exp(x / b), w) for x, w in nodes]
    gaps = [max(means) - mean for mean in means]
    regret, first = gaps[0], 2
    while first <= rounds:
        n = first // 2
        # Per arm and lattice point s: P(S <= s), and E exp(-|s - S|/b) of S <= s and of S > s.
        tables = [_discounted(_binomial(n, mean), cut, decay) for mean in means]
        cost = 0.0
        for point in zip(*(zip(*three, strict=True) for three in tables), strict=True):
            for shrink, grow, weight in nodes:
                product, slope = weight, 0.0
                for (at_most, left, right), gap in zip(point, gaps, strict=True):
                    left, right = left * shrink, right * grow
                    below = at_most - 0.5 * left + 0.5 * right
                    if below < 1e-15:
                        product = 0.0
                        break
                    product *= below
                    slope += gap * (left + right) / below
                cost += product * slope / (2.0 * b)
        regret += min(first, rounds - first + 1) * cost
        first *= 2
    return regret


def _binomial(n: int, p: float) -> list[float]:
    """Probabilities of 0..n."""
    logs = math.log(p), math.log1p(-p)
    top = math.lgamma(n + 1)
    return [
        math.exp(
            top - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * logs[0] + (n - k) * logs[1]
        )
        for k in range(n + 1)
    ]


def _discounted(
    mass: list[float], cut: int, decay: float
) -> tuple[list[float], list[float], list[float]]:
    mass = [0.0] * cut + mass + [0.0] * cut
    at_most, left, right = [], [], [0.0]
    total = near = 0.0
    for p in mass:
        total += p
        near = near * decay + p
        at_most.append(total)
        left.append(near)
    for p in reversed(mass[1:]):
        right.append((right[-1] + p) * decay)
    return at_most, left, right[::-1]
