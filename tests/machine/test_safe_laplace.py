"""The safe Laplace release: an exact distribution, an exact booking, and the stated guarantee."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpaudit.machine.safe_laplace import (
    BITS,
    below,
    bernoulli_exp,
    discrete_laplace,
    grid_of,
    on_grid,
    safe_laplace,
)

SCALE = st.floats(1e-6, 1e6)
VALUE = st.floats(-1e6, 1e6)
FALSE_ALARM = 1e-6
"""Probability that a correct sampler fails one of the statistical tests, each with a fixed seed."""


class Own:
    def __init__(self):
        self.loss = self.pure = self.gdp = 0.0


class Scripted:
    """Gives the uniforms it is told to, as whole numbers of 53 bits."""

    def __init__(self, *bits):
        self.bits = list(bits)

    def random(self):
        return self.bits.pop(0) / BITS


def test_uniform_numbers_take_all_bits_and_redraw_what_would_favour_some():
    assert BITS % 3 == 2
    assert below(3, Scripted(BITS - 3)) == (BITS - 3) % 3
    rng = Scripted(BITS - 1, BITS - 2, 7)  # the two that are left over, then one that counts
    assert below(3, rng) == 7 % 3
    assert rng.bits == []
    assert [below(1, Scripted(b)) for b in (0, BITS - 1)] == [0, 0]
    assert [below(BITS, Scripted(b)) for b in (0, 5, BITS - 1)] == [0, 5, BITS - 1]


@given(st.integers(1, 12), st.integers(0, 2**31))
@settings(deadline=None, derandomize=True)
def test_a_coin_of_chance_exp_is_right_whatever_the_first_flips(n, k):
    """By the order of its flips: tails at once is true, heads then tails false, and so on."""
    numerator = k % (n + 1)
    for heads in range(4):
        # Heads at the i-th flip: a number below numerator of n * i; tails: n * i - 1.
        script = [0] * heads + [n * (heads + 1) - 1]
        if numerator == 0 and heads:
            continue
        if numerator >= n * (heads + 1):
            continue
        assert bernoulli_exp(numerator, n, Scripted(*script)) == (heads % 2 == 0)


@pytest.mark.parametrize(("numerator", "denominator"), [(0, 1), (1, 1), (1, 3), (999, 1000)])
def test_coins_have_chance_exp(numerator, denominator):
    """Exact binomial test; chances off by 0.05 either way must fail it."""
    rng, n = np.random.default_rng(5), 20_000
    heads = sum(bernoulli_exp(numerator, denominator, rng) for _ in range(n))
    chance = math.exp(-numerator / denominator)
    for off, passes in ((0.0, True), (0.05, False), (-0.05, False)):
        if 0.0 <= chance + off <= 1.0:
            p = stats.binomtest(heads, n, chance + off).pvalue
            assert (p > FALSE_ALARM) == passes


@pytest.mark.parametrize("scale", [1, 3, 20])
def test_noise_is_discrete_laplace(scale):
    """Chi-square over the whole numbers; a scale off by 15 % either way must fail it."""
    rng, n = np.random.default_rng(scale), 10_000
    draws = np.array([discrete_laplace(scale, rng) for _ in range(n)])
    for factor, passes in ((1.0, True), (0.85, False), (1.15, False)):
        law = stats.dlaplace(1.0 / (scale * factor))
        last = int(2.5 * scale) + 1  # expected counts of at least some 100 a cell
        cells = np.arange(-last, last + 1)
        expected = np.concatenate([[law.cdf(-last - 1)], law.pmf(cells), [law.sf(last)]])
        counts = [(draws < -last).sum(), *[(draws == k).sum() for k in cells], (draws > last).sum()]
        p = stats.chisquare(counts, n * expected / expected.sum()).pvalue
        assert (p > FALSE_ALARM) == passes, factor


@given(VALUE, VALUE, SCALE)
@settings(deadline=None, derandomize=True, max_examples=300)
def test_the_guarantee_holds_in_exact_arithmetic(value, there, scale):
    """Worst loss below D / scale + 2^-24, and at most D / scale on the grid; nothing rounded."""
    grid = grid_of(scale)
    steps = math.ceil(scale / grid)
    assert math.frexp(grid)[0] == 0.5  # a power of two
    assert Fraction(scale) <= steps * Fraction(grid) <= Fraction(scale) * (1 + Fraction(1, 2**24))
    apart = abs(on_grid(value, grid) - on_grid(there, grid))
    difference = abs(Fraction(value) - Fraction(there)) / Fraction(scale)
    worst = Fraction(apart, steps)
    assert worst < difference + Fraction(1, 2**24)
    whole = on_grid(value + 3.0, grid) - on_grid(value, grid)
    if Fraction(value) + 3 == Fraction(value + 3.0) and 3.0 % grid == 0:
        assert Fraction(whole, steps) <= 3 / Fraction(scale)


@given(VALUE, VALUE, SCALE, st.integers(0, 10**6))
@settings(deadline=None, derandomize=True)
def test_the_booked_loss_is_the_log_ratio_of_the_probabilities(value, there, scale, seed):
    own, grid = Own(), grid_of(scale)
    noisy = safe_laplace(own, value, there, scale, np.random.default_rng(seed))
    law = stats.dlaplace(1.0 / math.ceil(scale / grid))
    z = noisy / grid
    assert z == round(z)
    ratio = law.logpmf(z - on_grid(value, grid)) - law.logpmf(z - on_grid(there, grid))
    if math.isfinite(ratio):  # where scipy's probabilities do not underflow
        assert own.loss == pytest.approx(ratio, rel=1e-6, abs=1e-6)
    assert abs(own.loss) <= own.pure * (1 + 1e-9)  # rounding of the bookings
    assert own.gdp == 0.0


def test_nothing_is_booked_where_the_grid_takes_the_values_for_one():
    own = Own()
    safe_laplace(own, 0.5, 0.5 + 2.0**-40, 1.0, np.random.default_rng(0))
    assert (own.loss, own.pure, own.gdp) == (0.0, 0.0, 0.0)


def test_huge_values_are_clamped_and_stay_private():
    own = Own()
    noisy = safe_laplace(own, 1e300, -1e300, 1.0, np.random.default_rng(0))
    assert noisy == pytest.approx(2.0**60 * grid_of(1.0), rel=1e-6)
    assert own.pure == pytest.approx(2.0**61 / math.ceil(1.0 / grid_of(1.0)))
    infinite = safe_laplace(Own(), math.inf, 0.0, 1.0, np.random.default_rng(0))
    assert infinite == noisy
