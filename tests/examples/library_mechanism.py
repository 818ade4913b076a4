"""Auditing a library's mechanism: scipy's discrete Laplace noise on a count.

scipy documents P(k) proportional to exp(-a |k|), so a count (sensitivity 1) with epsilon = 0.5
needs a = 0.5. Whoever takes `a` for a scale, as numpy's Laplace has one, passes 1/0.5 = 2.

Run it: python tests/examples/library_mechanism.py
"""

from scipy import stats

import dpaudit

EPSILON = 0.5


# A mechanism is a function of the data, the number of outputs, and the generator.
def noisy_count(data, n, rng):
    return sum(data) + stats.dlaplace.rvs(a=EPSILON, size=n, random_state=rng)


def mistaken_count(data, n, rng):
    return sum(data) + stats.dlaplace.rvs(a=1 / EPSILON, size=n, random_state=rng)


# Neighbouring inputs: one person's entry differs.
data, neighbour = [1, 0, 1, 1], [1, 0, 1, 0]

# All the audit sees is outputs. A quarter of them chooses an event, the rest bounds its odds.
for mechanism in (noisy_count, mistaken_count):
    result = dpaudit.audit_mechanism(
        mechanism, data, neighbour, epsilon=EPSILON, runs=200_000, confidence=1 - 1e-6
    )
    print(f"{mechanism.__name__}: {result.verdict}, epsilon >= {result.lower_bound:.3f}")
    print(f"  event: {result.witness['event'].split(',')[0]}")

# The mechanisms of opendp and diffprivlib are audited in the same way: `make libraries`.
