"""Floating point: the low-order bits of a noisy number can give away what the noise hides.

In real numbers, sum + Lap(1/epsilon) is epsilon-DP. In doubles, which numbers can come out at all
depends on the sum (Mironov 2012): some are reachable from 5 and not from 6. Intervals do not show
it, bits do; discrete Laplace noise on a grid does not have the flaw.

Run it: python tests/examples/floating_point.py
"""

import dpaudit
from dpaudit.auditor.engines.black_box.low_bits import bits_of
from dpaudit.machine.releases import laplace
from dpaudit.machine.safe import sum_release
from dpaudit.machine.safe_laplace import safe_laplace

EPSILON = 1.0
ordinary = sum_release(1 / EPSILON, laplace)
safe = sum_release(1 / EPSILON, safe_laplace)

data, neighbour = [1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 1, 1]
sums = (5.0, 6.0)


def audit(mechanism):
    result = dpaudit.audit_mechanism(
        mechanism, data, neighbour, epsilon=EPSILON, runs=50_000, confidence=1 - 1e-6
    )
    return f"{result.verdict}, epsilon >= {result.lower_bound:.2f}"


# What an audit tries by itself: intervals of the released number.
print("ordinary noise, intervals:", audit(ordinary))

# The same release, seen through its bits: is the double one that 5 + noise can be? 6 + noise?
# What is its sign, its exponent, its lowest bit? A function of an output costs no privacy.
print("ordinary noise, bits:     ", audit(bits_of(ordinary, sums, 1 / EPSILON)))

# Noise drawn exactly from random bits, on a grid that depends on the scale alone.
print("safe noise, bits:         ", audit(bits_of(safe, sums, 1 / EPSILON)))

# The audit has not gone blind: half the safe noise is found out.
half = sum_release(0.5 / EPSILON, safe_laplace)
print("half the safe noise, bits:", audit(bits_of(half, sums, 1 / EPSILON)))

# As an option for learners: the catalogue's name with -safe.
result = dpaudit.audit("anytime-lazy-ucb-safe", epsilon=EPSILON, rounds=6, runs=50_000)
print(f"{result.target}: {result.verdict}, epsilon <= {result.upper_bound:.4f}")
