"""Audits on the low-order bits of released numbers see what ordinary noise gives away.

False alarms: each audit has confidence 1 - 1e-6, and seeds are fixed.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpaudit.auditor.engines.black_box.low_bits import NO_BIT, attainable, bits_of, shape_of
from dpaudit.auditor.engines.black_box.mechanism import audit_mechanism
from dpaudit.errors import UsageError
from dpaudit.machine.releases import laplace
from dpaudit.machine.safe import sum_release
from dpaudit.machine.safe_laplace import safe_laplace

CONFIDENCE = 1 - 1e-6


def numpy_laplace(x, n, rng):
    return x + rng.laplace(0.0, 1.0, n)


def audit(mechanism, x, neighbour, runs=30_000):
    return audit_mechanism(
        mechanism, x, neighbour, epsilon=1.0, runs=runs, confidence=CONFIDENCE, seed=2
    )


@pytest.mark.parametrize("x", [0.0, 5.0, 20.0, 100.0])
def test_ordinary_noise_is_caught_and_safe_noise_is_not(x):
    around, loud = (x, x + 1.0), {0.0: 6.0, 5.0: 5.0, 20.0: 4.0, 100.0: 2.0}
    ordinary = audit(bits_of(numpy_laplace, around, 1.0), *around)
    assert ordinary.verdict == "violated"
    assert ordinary.lower_bound > loud[x]
    ours = audit(bits_of(sum_release(1.0, laplace), around, 1.0), *around)
    assert ours.lower_bound > loud[x]
    safe = audit(bits_of(sum_release(1.0, safe_laplace), around, 1.0), *around)
    assert safe.verdict == "consistent"


def test_intervals_alone_do_not_show_it():
    assert audit(numpy_laplace, 0.0, 1.0).verdict == "consistent"


def test_the_same_audit_catches_safe_noise_that_is_too_small():
    halved = bits_of(sum_release(0.5, safe_laplace), (0.0, 1.0), 1.0)
    assert audit(halved, 0.0, 1.0).lower_bound > 1.5


@given(st.integers(-100, 100), st.floats(0.05, 20.0), st.integers(0, 10**6))
@settings(deadline=None, derandomize=True)
def test_what_the_sampler_returned_is_attainable(whole, scale, seed):
    rng = np.random.default_rng(seed)
    centre = whole * scale
    values = centre + rng.laplace(0.0, scale, 200)
    assert attainable(values, centre, scale).all()
    # Not everything is: the doubles between two that are not far apart.
    fine = rng.uniform(-1.0, 1.0, 200) * 2.0**-10 * scale
    assert not attainable(fine, 0.0, scale).all()


def test_the_shape_of_a_double():
    shapes = shape_of(np.array([1.0, -3.0, 0.75, 0.0, 2.0**-60, 1.0 + 2.0**-52]))
    assert shapes.tolist() == [
        [1, 1, 0],
        [-1, 2, 0],
        [1, 0, -2],
        [0, 0, NO_BIT],
        [1, -59, -60],
        [1, 1, -52],
    ]


def test_bits_of_needs_one_number_a_row():
    def pairs(x, n, rng):
        return np.zeros((n, 2))

    bits = bits_of(pairs, (0.0, 1.0), 1.0)
    with pytest.raises(UsageError, match="one number a row"):
        bits(0.0, 10, np.random.default_rng(0))
    with pytest.raises(UsageError, match="scale"):
        bits_of(numpy_laplace, (0.0, 1.0), 0.0)
