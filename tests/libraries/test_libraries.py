"""Optional (`make libraries`): mechanisms of other people's libraries, audited as installed.

Each is audited at the epsilon it is told, and once at a claim it cannot meet: the control.
"""

import numpy as np
import pytest

import dpaudit

RUNS = 40_000
CONFIDENCE = 1 - 1e-6


def check(sample, x, neighbour, epsilon, tight):
    """Consistent at its epsilon; violated where `tight` of it is claimed."""
    result = dpaudit.audit_mechanism(
        sample, x, neighbour, epsilon=epsilon, runs=RUNS, confidence=CONFIDENCE
    )
    assert result.verdict == "consistent", result.sentence()
    control = dpaudit.audit_mechanism(
        sample, x, neighbour, epsilon=tight * epsilon, runs=RUNS, confidence=CONFIDENCE
    )
    assert control.verdict == "violated", control.sentence()


def diffprivlib(name, **settings):
    """n outputs of a diffprivlib mechanism, seeded."""
    mechanisms = pytest.importorskip("diffprivlib.mechanisms")

    def sample(x, n, rng):
        mechanism = getattr(mechanisms, name)(**settings, random_state=int(rng.integers(2**31 - 1)))
        return np.array([mechanism.randomise(x) for _ in range(n)])

    return sample


@pytest.mark.parametrize(
    ("name", "settings", "x", "neighbour"),
    [
        ("Laplace", {"epsilon": 1.0, "sensitivity": 1}, 0.0, 1.0),
        ("LaplaceTruncated", {"epsilon": 1.0, "sensitivity": 1, "lower": 0, "upper": 3}, 1.0, 2.0),
        ("Geometric", {"epsilon": 1.0, "sensitivity": 1}, 0, 1),
        ("GeometricTruncated", {"epsilon": 1.0, "sensitivity": 1, "lower": 0, "upper": 3}, 1, 2),
        ("Snapping", {"epsilon": 1.0, "sensitivity": 1, "lower": -10, "upper": 10}, 0.0, 1.0),
    ],
)
def test_diffprivlib(name, settings, x, neighbour):
    check(diffprivlib(name, **settings), x, neighbour, 1.0, 0.8)


def test_diffprivlib_exponential_mechanism():
    mechanisms = pytest.importorskip("diffprivlib.mechanisms")

    def sample(utility, n, rng):
        mechanism = mechanisms.Exponential(
            epsilon=1.0,
            sensitivity=1,
            utility=list(utility),
            random_state=int(rng.integers(2**31 - 1)),
        )
        return np.array([mechanism.randomise() for _ in range(n)])

    check(sample, [0.0, 6.0], [1.0, 5.0], 1.0, 0.6)


def test_opendp_laplace_and_geometric():
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    release = dp.m.make_laplace(*space, scale=1.0)
    check(lambda x, n, _: np.array([release(x) for _ in range(n)]), 0.0, 1.0, 1.0, 0.8)
    space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    count = dp.m.make_geometric(*space, scale=1.0)
    check(lambda x, n, _: np.array([count(x) for _ in range(n)]), 0, 1, 1.0, 0.8)


def test_opendp_noisy_max():
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.linf_distance(T=float)
    select = dp.m.make_noisy_max(*space, dp.max_divergence(), scale=2.0)
    epsilon = select.map(1.0)

    def sample(scores, n, _):
        return np.array([select(scores) for _ in range(n)])

    check(sample, [0.0, 6.0], [1.0, 5.0], epsilon, 0.6)
