"""A regret study: what does privacy cost Anytime-Lazy-UCB, and how does the cost grow?

The paper says that the price of privacy is a term log T / epsilon beside the regret without privacy,
whatever the gap. So halving epsilon should double what is paid above the non-private parent.

Run it: python tests/examples/regret_study.py
"""

import math

import dpaudit

MEANS = [0.75, 0.25]
HORIZON = 10**9  # by leaps: a batch of equal choices is one step

common = {"means": MEANS, "horizon": HORIZON, "runs": 2000, "points": 4, "confidence": 1 - 1e-6}
price = {}
for epsilon in (0.2, 0.1, 0.05):
    result = dpaudit.regret("anytime-lazy-ucb", epsilon=epsilon, **common)
    mean, low, high = result.mean[-1], result.low[-1], result.high[-1]
    price[epsilon] = mean
    print(f"epsilon {epsilon}: regret {mean:.0f} ({low:.0f} to {high:.0f}) at T = 10^9")

# The law in epsilon: the slope of log regret against log 1/epsilon is 1 for a cost of 1/epsilon.
slope = math.log(price[0.05] / price[0.2]) / math.log(0.2 / 0.05)
print(f"slope in log 1/epsilon: {slope:.2f}")

# The law in T: regret divided by log T stops growing.
for t, mean in zip(result.horizons, result.mean, strict=True):
    print(f"T = 10^{round(math.log10(t))}: regret / log T = {mean / max(1.0, math.log(t)):.1f}")

# Where there is an exact engine there is nothing to sample: an enclosure of the expectation.
exact = dpaudit.regret("rnm-ftnl", means=MEANS, epsilon=0.1, horizon=2**60, points=2, exact=True)
print(f"rnm-ftnl, exact at T = 2^60: {exact.mean[-1]:.6f} +- {exact.high[-1] - exact.mean[-1]:.0e}")
