"""What far play says of a round, beside what the rule does in it: for functions that no round
played by the rule calls."""

import math

import numpy as np

from dpaudit.play.tables import configured

STATES = 30


def hedge_weights(entry):
    """Of all but the leader, relative to its own: exp(2 sqrt(ln K / t) (total - the leader's)),
    with totals that have come nearer by so much."""
    rng = np.random.default_rng(0)
    for state in range(STATES):
        count = 2 + state % 5
        who = configured(entry, arms=count, rounds=2, parameters={})
        arms, laws = who.fresh()[0], entry.pace(count)[1]
        t, nearer = 1 + int(rng.integers(400)), float(state % 3)
        totals = rng.uniform(0.0, math.sqrt(t), count)
        for j in range(count):
            arms[j].total = totals[j]
        leader = int(totals.argmax())
        found = entry.stretch.__globals__["weights"](arms, laws, leader, t, nearer)
        rate = 2.0 * math.sqrt(math.log(count) / t)
        right = np.exp(rate * (totals - totals[leader] + nearer))
        right[leader] = 0.0
        np.testing.assert_allclose(laws.chance, right, rtol=1e-9)
        np.testing.assert_allclose(found, right.sum(), rtol=1e-9)


def dp_ts_bonus(entry):
    """Line 7: 6 sqrt(8) log(n + 1) log(t) / (epsilon n), both logarithms to the same base."""
    for base, epsilon in ((math.e, 1.0), (2.0, 0.5), (10.0, 3.0)):
        who = configured(entry, arms=2, rounds=9, epsilon=epsilon, parameters={"log_base": base})
        own = who.fresh()[1][0]
        for n, t in ((1.0, 2), (7.0, 30), (1e6, 10**8)):
            right = 6 * 8**0.5 * math.log(n + 1, base) * math.log(t, base) / (epsilon * n)
            found = entry.stretch.__globals__["bonus"](own, n, t)
            np.testing.assert_allclose(found, right, rtol=1e-9)


FAR = {"hedge": ("weights", hedge_weights), "dp-ts": ("bonus", dp_ts_bonus)}
"""By entry: a function of its file, and what tells whether it is right."""
