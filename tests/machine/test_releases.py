"""Releases add the noise they say and book the loss they cause."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpaudit.machine.noisy_max import EXPONENTIAL, GUMBEL, LAPLACE, NOISES
from dpaudit.machine.releases import clip01, gaussian, laplace, noisy_argmax, unprotected

VALUE = st.integers(-2000, 2000).map(lambda n: n / 64)
SCALE = st.floats(0.05, 50)


class Own:
    def __init__(self):
        self.loss = self.pure = self.gdp = 0.0


@pytest.mark.parametrize(
    ("release", "law"),
    [(laplace, stats.laplace), (gaussian, stats.norm)],
    ids=["laplace", "normal"],
)
def test_noise_has_the_stated_scale(release, law):
    """Kolmogorov-Smirnov, false-alarm probability 1e-6; scales off by 30 % either way must fail."""
    rng = np.random.default_rng(11)
    own = Own()
    draws = [release(own, 5.0, 5.0, 2.0, rng) for _ in range(10_000)]
    for factor, passes in ((1.0, True), (0.7, False), (1.3, False)):
        p = stats.kstest(draws, law(5.0, 2.0 * factor).cdf).pvalue
        assert (p > 1e-6) == passes, factor


@given(VALUE, VALUE, SCALE, st.integers(0, 10**6))
@settings(deadline=None, derandomize=True)
def test_the_booked_loss_is_the_log_ratio_of_the_densities(value, there, scale, seed):
    for release, law in ((laplace, stats.laplace), (gaussian, stats.norm)):
        own = Own()
        noisy = release(own, value, there, scale, np.random.default_rng(seed))
        ratio = law.logpdf(noisy, value, scale) - law.logpdf(noisy, there, scale)
        assert own.loss == pytest.approx(ratio, rel=1e-6, abs=1e-6)


@given(VALUE, VALUE, SCALE, st.integers(0, 10**6))
@settings(deadline=None, derandomize=True)
def test_worst_bookings(value, there, scale, seed):
    own = Own()
    laplace(own, value, there, scale, np.random.default_rng(seed))
    assert own.pure == pytest.approx(abs(value - there) / scale)
    assert abs(own.loss) <= own.pure + 1e-9  # rounding
    assert own.gdp == 0.0
    own = Own()
    gaussian(own, value, there, scale, np.random.default_rng(seed))
    assert own.gdp == pytest.approx(((value - there) / scale) ** 2)
    assert own.pure == 0.0


def test_nothing_is_booked_where_the_worlds_agree():
    own, rng = Own(), np.random.default_rng(0)
    laplace(own, 3.0, 3.0, 0.1, rng)
    gaussian(own, 3.0, 3.0, 0.1, rng)
    noisy_argmax(own, np.array([1.0, 2.0]), np.array([1.0, 2.0]), 0.1, LAPLACE, rng)
    # All scores moved together: the selection is the same.
    noisy_argmax(own, np.array([1.0, 2.0]), np.array([1.5, 2.5]), 0.1, LAPLACE, rng)
    assert unprotected(own, 0.25, 0.25) == 0.25
    assert (own.loss, own.pure, own.gdp) == (0.0, 0.0, 0.0)


def test_what_gets_past_the_releases_is_infinite_for_good():
    own, rng = Own(), np.random.default_rng(0)
    assert unprotected(own, 0.25, 0.5) == 0.25
    laplace(own, 1.0, 0.0, 1.0, rng)
    assert (own.loss, own.pure, own.gdp) == (math.inf, math.inf, math.inf)


@pytest.mark.parametrize("noise", [LAPLACE, EXPONENTIAL, GUMBEL], ids=NOISES)
def test_the_mean_of_exp_minus_loss_is_one(noise):
    """E[exp(-L)] = 1 under the world that is run. Hoeffding, false-alarm probability 1e-6.

    The control books against a neighbour other than the one that is asked about.
    """
    here, there, runs = np.array([0.0, 1.0, 0.5]), np.array([1.0, 0.0, 0.5]), 20_000
    rng = np.random.default_rng(3)
    ratios = {}
    for asked, shown in ((there, there), (here + np.array([0.9, 0, 0]), there)):
        values = []
        for _ in range(runs):
            own = Own()
            j = noisy_argmax(own, here, asked, 1.0, noise, rng)
            values.append((j, math.exp(-own.loss)))
        weights = np.array([w for _, w in values])
        wins = np.array([j for j, _ in values])
        # P'(j = 0) = E[exp(-L) 1{j = 0}], to be found by sampling the neighbour too.
        sampled = np.mean(
            [noisy_argmax(Own(), shown, shown, 1.0, noise, rng) == 0 for _ in range(runs)]
        )
        ratios[asked is there] = abs(np.mean(weights * (wins == 0)) - sampled)
        assert abs(weights.mean() - 1.0) < math.exp(2) * math.sqrt(math.log(2e6) / (2 * runs))
    bound = (math.exp(2) + 1) * math.sqrt(math.log(2e6) / (2 * runs))
    assert ratios[True] < bound
    assert ratios[False] > 0.05 > ratios[True]


def test_clip_stays_in_the_unit_interval():
    assert [clip01(x) for x in (-0.5, 0.25, 2.0)] == [0.0, 0.25, 1.0]
