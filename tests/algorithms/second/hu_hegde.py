"""Hu & Hegde (UAI 2022), Algorithm 1, from its text; log is base 2, as their notation declares."""

import math

from tests.algorithms.second.binary import binary_mechanism


def dp_ts(rewards, epsilon, rng, average="intended", invoke="continue", log_base=2.0):
    rounds, arms = rewards.shape
    o, psi, c, r, b, private, seen = {}, {}, {}, {}, {}, {}, {}
    nodes = [{} for _ in range(arms)]
    actions = []
    for j in range(min(arms, rounds)):  # line 3
        c[j] = rewards[j, j] + rng.laplace(0, 1 / (0.5 * epsilon))
        o[j], psi[j], r[j], b[j], seen[j] = 1, [], 0, 0.0, [rewards[j, j]]
        private[j] = (c[j] + b[j]) / o[j]
        actions.append(j)
    for t in range(arms + 1, rounds + 1):
        theta = []
        for j in range(arms):
            logs = math.log(o[j] + 1) / math.log(log_base) * math.log(t) / math.log(log_base)
            mean = private[j] if average == "intended" else sum(seen[j]) / len(seen[j])
            m = max(0, min(mean + 6 * math.sqrt(8) * logs / (epsilon * o[j]), 1))
            theta.append(rng.beta(m * o[j] + 1, (1 - m) * o[j] + 1))
        j = theta.index(max(theta))
        actions.append(j)
        o[j] += 1
        psi[j].append(rewards[t - 1, j])
        seen[j].append(rewards[t - 1, j])
        if o[j] == sum(2**s for s in range(r[j] + 2)):
            c[j] += sum(psi[j]) + rng.laplace(0, 1 / (0.5 * epsilon))
            psi[j], r[j], b[j], nodes[j] = [], r[j] + 1, 0.0, {}
        else:
            if invoke == "afresh":
                nodes[j] = {}
            # Remark (b): at most r + 1 variables Lap((r + 1) / (0.5 epsilon)).
            b[j] = binary_mechanism(psi[j], nodes[j], (r[j] + 1) / (0.5 * epsilon), rng)
        private[j] = (c[j] + b[j]) / o[j]
    return actions
