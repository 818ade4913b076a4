"""Confidence bounds hold as often as they say, and the controls fail.

Coverage is counted over fixed seeds; a binomial test with false-alarm probability 1e-6 decides.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpaudit.auditor.statistics import (
    Alpha,
    coin_log_ratio_lower,
    fixed_stake_lower,
    gdp_lower,
    joint_log_ratio_lower,
    log_ratio_lower,
    proportion_lower,
    proportion_upper,
)


def too_many(errors, trials, alpha):
    """Whether so many errors are impossible (1e-6) for an error probability of alpha."""
    return stats.binom.sf(errors - 1, trials, alpha) < 1e-6


@pytest.mark.parametrize(("hits", "runs"), [(0, 10), (3, 10), (10, 10), (500, 1000)])
def test_clopper_pearson_is_the_exact_binomial_inversion(hits, runs):
    low, high = proportion_lower(hits, runs, Alpha(0.05)), proportion_upper(hits, runs, Alpha(0.05))
    assert low <= hits / runs <= high
    if hits > 0:
        assert stats.binom.sf(hits - 1, runs, low) == pytest.approx(0.05)
    if hits < runs:
        assert stats.binom.cdf(hits, runs, high) == pytest.approx(0.05)


@pytest.mark.parametrize("truth", [0.0, 1.0, 2.0])
def test_ratio_bounds_cover(truth):
    """300 experiments, 30 of the slow joint test; the control takes the estimate for a bound."""
    rng, alpha, trials, slow = np.random.default_rng(1), 0.1, 300, 30
    q = 0.08
    errors = {"pair": 0, "joint": 0, "coin": 0, "estimate": 0}
    for trial in range(trials):
        hits, base = rng.binomial(80, q * math.exp(truth)), rng.binomial(80, q)
        errors["pair"] += log_ratio_lower(hits, 80, base, 80, Alpha(alpha)) > truth
        if trial < slow:
            errors["joint"] += joint_log_ratio_lower(hits, base, 80, Alpha(alpha)) > truth + 1e-3
        many = rng.binomial(2000, q * math.exp(truth)), rng.binomial(2000, q)
        errors["coin"] += coin_log_ratio_lower(*many, 2000, Alpha(alpha), rng) > truth
        errors["estimate"] += math.log((hits + 0.01) / (base + 0.01)) > truth
    assert not too_many(errors["pair"], trials, alpha)
    assert not too_many(errors["joint"], slow, alpha)
    assert not too_many(errors["coin"], trials, alpha)
    assert too_many(errors["estimate"], trials, alpha)


def test_the_bound_through_one_binomial_is_tighter_for_rare_events():
    rng = np.random.default_rng(0)
    pair = log_ratio_lower(2700, 10**5, 1000, 10**5, Alpha(0.001))
    assert pair + 0.01 < coin_log_ratio_lower(2700, 1000, 10**5, Alpha(0.001), rng) < math.log(2.7)
    # Almost always within a coin's toss of what all runs would say; never on fewer than 50 runs.
    assert coin_log_ratio_lower(5, 0, 10, Alpha(0.05), rng) == -math.inf


def test_the_coins_of_an_audit_depend_on_its_seed():
    """The bound holds over the coins: coins fixed by the number of runs would not do."""
    from dpaudit.auditor.engines.black_box.engine import BlackBox
    from dpaudit.run.runner import Runner

    box = [BlackBox(None, None, None, seed, Runner(1)) for seed in (1, 1, 2)]
    tosses = [b.coins(7).integers(10**9) for b in box]
    assert tosses[0] == tosses[1] != tosses[2]
    assert box[0].coins(13).integers(10**9) != tosses[0]


def test_the_joint_bound_is_tighter_than_a_pair_of_bounds():
    assert (
        log_ratio_lower(60, 100, 20, 100, Alpha(0.05))
        < joint_log_ratio_lower(60, 20, 100, Alpha(0.05)) - 0.1
    )


@given(st.integers(1, 60), st.integers(0, 60))
@settings(max_examples=30, deadline=None, derandomize=True)
def test_the_joint_bound_is_below_the_estimate_and_monotone(hits, base):
    bound = joint_log_ratio_lower(hits, base, 60, Alpha(0.05))
    assert bound <= math.log(hits / max(base, 1e-3)) + 1e-3
    assert joint_log_ratio_lower(hits, min(base + 5, 60), 60, Alpha(0.05)) <= bound + 1e-3


@pytest.mark.parametrize(
    ("name", "draw", "mean"),
    [
        ("exponential", lambda rng, n: rng.exponential(1.0, n), 1.0),
        ("two points", lambda rng, n: np.where(rng.random(n) < 0.02, 50.0, 0.0), 1.0),
        ("nearly constant", lambda rng, n: 1.0 + 1e-3 * rng.standard_normal(n), 1.0),
        ("uniform", lambda rng, n: 2.0 * rng.random(n), 1.0),
    ],
)
def test_the_betting_bound_covers(name, draw, mean):
    """The stake comes from another sample of the law, as in an audit. The controls take their stake
    from the values themselves, or the plain mean for a bound."""
    rng, alpha, trials = np.random.default_rng(2), 0.1, 600
    betting = sum(betting_lower(draw(rng, 150), alpha, draw(rng, 50)) > mean for _ in range(trials))
    assert not too_many(betting, trials, alpha), name


def betting_lower(values, alpha, before):
    """The bound from counts of values, with a stake for what was seen before."""
    distinct, counts = np.unique(values, return_counts=True)
    return fixed_stake_lower(distinct, counts, Alpha(alpha), len(values), float(before.var()))


def test_a_plain_mean_does_not_cover():
    rng = np.random.default_rng(2)
    errors = sum(rng.exponential(1.0, 150).mean() > 1.0 for _ in range(600))
    assert too_many(errors, 600, 0.1)


def test_the_best_of_many_betting_bounds_does_not_cover():
    """The control: an event chosen on the values that bound it."""
    rng, errors = np.random.default_rng(3), 0
    for _ in range(60):
        tried = [
            betting_lower(rng.exponential(1.0, 150), 0.1, rng.exponential(1.0, 50))
            for _ in range(100)
        ]
        errors += max(tried) > 1.0
    assert too_many(errors, 60, 0.1)


def test_the_betting_bound_does_not_see_the_order_and_falls_when_values_are_rounded_down():
    rng = np.random.default_rng(4)
    values, before = rng.exponential(1.0, 5000), rng.exponential(1.0, 500)
    bound = betting_lower(values, 0.01, before)
    assert betting_lower(values[::-1], 0.01, before) == bound
    step = 2.0**-12
    down = np.exp(step * np.floor(np.log(values) / step))
    assert bound * (1 - 2 * step) < betting_lower(down, 0.01, before) <= bound


def test_the_betting_bound_is_close_where_there_is_little_variance():
    rng = np.random.default_rng(0)
    values = np.full(10_000, math.e) - 1e-3 * rng.random(10_000)
    bound = betting_lower(values, 1e-3, values[:100])
    assert 0.998 < math.log(bound) < math.log(values.mean())
    values = rng.exponential(1.0, 100_000)
    low = betting_lower(values, 0.05, rng.exponential(1.0, 10_000))
    normal = values.mean() - 1.645 * values.std() / math.sqrt(len(values))
    assert normal - 0.01 < low < values.mean()


def test_the_betting_bound_of_nothing_is_zero():
    assert fixed_stake_lower(np.zeros(0), np.zeros(0, np.int64), Alpha(0.1), 10, 1.0) == 0.0
    assert fixed_stake_lower(np.zeros(1), np.array([10]), Alpha(0.1), 10, 1.0) == 0.0


def test_gdp_of_two_probabilities():
    eta = 1.3
    p, q = stats.norm.cdf(0.4), stats.norm.cdf(0.4 - eta)
    assert gdp_lower(p, q) == pytest.approx(eta)
    assert gdp_lower(0.0, 0.5) == -math.inf
