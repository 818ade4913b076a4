"""Bands for means hold for bounded laws with heavy tails, and are narrow for light ones."""

import math

import numpy as np
import pytest
from scipy.special import ndtri

import dpaudit
from dpaudit.laboratory.bands import chance_band, mean_band, unseen
from dpaudit.laboratory.tally import Tally, tallied

CONFIDENCE = 0.95


def tally_of(values):
    tally = Tally.empty(1)
    tally.add(tallied(np.reshape(values, (-1, 1))))
    return tally


def misses(samples, mean, bottom, top):
    """How often the guaranteed and the normal band miss the mean, below and above."""
    guaranteed, normal = [0, 0], [0, 0]
    z = float(ndtri(0.5 + CONFIDENCE / 2))
    for values in samples:
        tally = tally_of(values)
        low, high = tally.band(np.array([bottom]), np.array([top]), 1.0 - CONFIDENCE)
        slack = z * tally.standard_error
        for counts, a, b in (
            (guaranteed, low, high),
            (normal, tally.mean - slack, tally.mean + slack),
        ):
            counts[0] += int(a[0] > mean)
            counts[1] += int(b[0] < mean)
    return guaranteed, normal


def most(trials, chance):
    """A count that is exceeded with probability below 1e-6."""
    return trials * chance + 5.5 * math.sqrt(trials * chance) + 10.0


def linear_one_in_a_hundred(rng, trials):
    bulk = 40.0 + rng.exponential(5.0, (trials, 100))
    return np.where(rng.random((trials, 100)) < 0.01, 9e4, bulk), 0.99 * 45.0 + 900.0, 0.0, 1e5


def two_values(rng, trials):
    return 1.0 * (rng.random((trials, 100)) < 0.5), 0.5, 0.0, 1.0


def below_zero(rng, trials):
    return rng.normal(-300.0, 20.0, (trials, 100)).clip(-1e3, 1e3), -300.0, -1e3, 1e3


@pytest.mark.parametrize("law", [linear_one_in_a_hundred, two_values, below_zero])
def test_the_band_misses_no_more_often_than_it_says(law):
    samples, mean, bottom, top = law(np.random.default_rng(1), 1000)
    (low, high), (_, normal_high) = misses(samples, mean, bottom, top)
    assert low <= most(1000, (1.0 - CONFIDENCE) / 2)
    assert high <= most(1000, (1.0 - CONFIDENCE) / 2)
    if law is linear_one_in_a_hundred:  # the control: a hundred runs without a linear one
        assert normal_high > most(1000, 0.2)


def test_it_holds_for_dp_ucb_int_of_a_hundred_runs():
    plays = dpaudit.play_environment(
        "dp-ucb-int", [0.9, 0.1], 10**5, epsilon=0.1, runs=20_000, seed=1, far=True
    )
    regret = plays.regret[:, 0]
    linear = np.mean(regret > 0.4 * 10**5)
    assert 0.003 < linear < 0.02
    parts = np.array_split(regret, 200)
    (low, high), (_, normal_high) = misses(parts, regret.mean(), 0.0, 0.8 * 10**5)
    assert low + high <= most(200, 1.0 - CONFIDENCE)
    assert normal_high > most(200, 0.15)


def test_a_band_that_is_too_narrow_is_found_out(monkeypatch):
    def narrow(*given):
        low, high = mean_band(*given)
        mean = given[3].sum() / given[2].sum()
        return 0.3 * low + 0.7 * mean, 0.3 * high + 0.7 * mean

    samples, mean, bottom, top = two_values(np.random.default_rng(2), 1000)
    monkeypatch.setattr("dpaudit.laboratory.tally.mean_band", narrow)
    low, high = misses(samples, mean, bottom, top)[0]
    assert low > most(1000, (1.0 - CONFIDENCE) / 2)
    assert high > most(1000, (1.0 - CONFIDENCE) / 2)


def test_light_tails_cost_little():
    rng = np.random.default_rng(3)
    for runs, wider in ((1000, 1.4), (10**5, 1.4)):
        tally = tally_of(rng.normal(100.0, 30.0, runs).clip(0.0, 400.0))
        low, high = tally.band(np.zeros(1), np.array([400.0]), 4e-5)
        slack = -float(ndtri(2e-5)) * tally.standard_error[0]
        assert slack < tally.mean[0] - low[0] < wider * slack
        assert slack < high[0] - tally.mean[0] < wider * slack
    # However far a run might go, that moves the upper end only, and no more than it must.
    far = tally_of(rng.normal(100.0, 30.0, 1000).clip(0.0))
    low, high = far.band(np.zeros(1), np.array([5e5]), 4e-5)
    assert far.mean[0] - low[0] < 1.4 * -float(ndtri(2e-5)) * far.standard_error[0]
    must = 5e5 * math.log(1 / 2e-5) / 1000
    assert 0.9 * must < high[0] - far.mean[0] < 1.3 * must


def test_the_band_is_of_the_runs_and_not_of_how_they_were_cut():
    values = np.random.default_rng(4).exponential(50.0, (3000, 3)) - 20.0
    limits = np.full(3, -20.0), np.full(3, 1e4)
    whole, parts = Tally.empty(3), Tally.empty(3)
    whole.add(tallied(values))
    for part in np.array_split(values, 11):
        parts.add(tallied(part))
    for one, other in zip(whole.band(*limits, 0.01), parts.band(*limits, 0.01), strict=True):
        assert one == pytest.approx(other, rel=1e-9)
    for level in (0.05, 0.5):
        exact = np.quantile(values, level, axis=0)
        assert parts.quantile(level) == pytest.approx(exact, rel=0.03)


def test_odd_samples_have_a_band():
    for values, bottom, top in (([0.0] * 5, 0.0, 9.0), ([3.0], 0.0, 9.0), ([9.0] * 4, 0.0, 9.0)):
        tally = tally_of(values)
        low, high = tally.band(np.array([bottom]), np.array([top]), 0.01)
        assert bottom <= low[0] <= tally.mean[0] <= high[0] <= top
    tally = tally_of([2.0, 2.0])
    assert tally.band(np.array([2.0]), np.array([2.0]), 0.01) == (2.0, 2.0)


def test_the_chance_of_a_run_beyond_those_seen():
    # 299 runs are the fewest of which the largest is beyond the 99 % quantile with chance 95 %.
    assert unseen(299, 0.05) < 0.01 < unseen(298, 0.05)
    assert chance_band(0, 299, 0.1)[1] == pytest.approx(unseen(299, 0.05))
    assert chance_band(5, 5, 0.1) == (pytest.approx(0.05**0.2), 1.0)
