"""Hu, Huang, Zhang, Lécuyer & Hegde (ICML 2025), Algorithm 1 and Section 3, from their text."""

import math


def dp_ts_ucb(rewards, epsilon, rng, alpha=1.0):
    """Algorithm 1, with T the number of rows."""
    horizon, arms = rewards.shape
    log_t = math.log(horizon)
    c_0 = math.sqrt(2 * math.pi * math.e)
    phi = c_0 * horizon ** (0.5 * (1 - alpha)) * log_t ** (0.5 * (3 - alpha))
    mean = [rewards[j, j] if j < horizon else 0.0 for j in range(arms)]
    n, r, unprocessed = [1] * arms, [1] * arms, [[] for _ in range(arms)]
    h, highest = [phi] * arms, [0.0] * arms
    actions = list(range(min(arms, horizon)))
    for t in range(arms + 1, horizon + 1):
        theta = []
        for i in range(arms):
            if h[i] >= 1:
                theta.append(mean[i] + math.sqrt(log_t**alpha / n[i]) * rng.standard_normal())
                h[i], highest[i] = h[i] - 1, max(highest[i], theta[i])
            else:
                theta.append(highest[i])
        i = theta.index(max(theta))
        actions.append(i)
        unprocessed[i].append(rewards[t - 1, i])
        if len(unprocessed[i]) == 2 ** r[i]:
            n[i] = 2 ** r[i]
            mean[i] = sum(unprocessed[i]) / n[i]
            h[i], highest[i], unprocessed[i] = phi, 0.0, []
            r[i] += 1
    return actions


def ts_gaussian(rewards, epsilon, rng, offset="1"):
    return m_ts_gaussian(rewards, epsilon, rng, 0, 1, offset)


def m_ts_gaussian(rewards, epsilon, rng, b=0, c=1, offset="1"):
    """Each arm pulled b times, then draws of variance c / n; `offset` 1 is Agrawal & Goyal's."""
    rounds, arms = rewards.shape
    seen = [[] for _ in range(arms)]
    before = b if offset == "1" else max(b, 1)
    actions = []
    for t in range(rounds):
        if t < before * arms:
            i = t % arms
        else:
            theta = []
            for x in seen:
                n = len(x) + int(offset)
                theta.append(sum(x) / n + math.sqrt(c / n) * rng.standard_normal())
            i = theta.index(max(theta))
        actions.append(i)
        seen[i].append(rewards[t, i])
    return actions
