"""A regret study: how does the regret of the noisy leader RNM-FTNL grow in T, epsilon and K?

Its Theorem 9 has a term log K / epsilon and nothing that grows with T. The expectation is computed,
not sampled, by quadrature over the rounds at which the leader changes; a simulation checks it.

Run it: python tests/examples/regret_study.py
"""

import math

import dpaudit


def exact(epsilon=0.1, arms=2, horizon=2**60):
    means = [0.75] + [0.25] * (arms - 1)
    return dpaudit.regret(
        "rnm-ftnl", means=means, epsilon=epsilon, horizon=horizon, points=4, exact=True
    )


# In T: the same at a million rounds and at 2^60, to the digits of the enclosure.
result = exact()
for t, mean, high in zip(result.horizons[1:], result.mean[1:], result.high[1:], strict=True):
    print(f"T = 2^{round(math.log2(t))}: regret {mean:.6f} +- {high - mean:.0e}")

# In 1/epsilon: halving epsilon doubles it, which is slope 1 between logarithms.
slope = math.log(exact(0.0125).mean[-1] / exact(0.1).mean[-1]) / math.log(8)
print(f"slope in 1/epsilon: {slope:.3f}")

# In K: squaring K doubles log K.
for arms in (16, 256, 65536):
    mean = exact(arms=arms).mean[-1]
    print(f"K = {arms}: regret {mean:.1f}, divided by log K {mean / math.log(arms):.1f}")

# A simulation has bands instead of digits: one that takes the runs that were seen for all there
# are, and one that allows for a rare run that loses in every round. Both must hold the exact value.
played = dpaudit.regret(
    "rnm-ftnl", means=[0.75, 0.25], epsilon=0.1, horizon=2**20, runs=20_000, confidence=1 - 1e-6
)
for name, (low, high) in (("normal", played.normal), (played.band, (played.low, played.high))):
    inside = low[-1] <= result.mean[1] <= high[-1]
    print(f"{name}: {low[-1]:.2f} to {high[-1]:.2f}, the exact value inside: {inside}")
