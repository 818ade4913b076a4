"""The accountant's compositions, against exact sums and known formulas."""

import math

import numpy as np
import pytest
from scipy import stats

from dpaudit.auditor.accountant import (
    FFT_ERROR,
    advanced_epsilon,
    composed_delta,
    composed_epsilon,
    gdp_delta,
    gdp_eta,
    gdp_of_pure,
    pure_epsilon,
)

NONE = np.zeros(0)


def exact_delta(epsilon_each, count, epsilon):
    """Randomised response composed exactly: the binomial sum."""
    likely = 1 / (1 + math.exp(-epsilon_each))
    wins = np.arange(count + 1)
    losses = (2 * wins - count) * epsilon_each
    mass = stats.binom.pmf(wins, count, likely)
    above = losses > epsilon
    return float(np.sum(mass[above] * -np.expm1(epsilon - losses[above])))


def test_pure_losses_add_up_and_gaussians_have_none():
    assert pure_epsilon(np.array([0.5, 0.25]), NONE) == 0.75
    assert pure_epsilon(np.array([0.5]), np.array([0.1])) == math.inf
    assert pure_epsilon(NONE, NONE) == 0.0


@pytest.mark.parametrize(("each", "count"), [(1.0, 1), (0.1, 50), (0.5, 7), (0.02, 2000)])
def test_numerical_composition_is_just_above_the_exact_binomial(each, count):
    for epsilon in (0.0, 0.3, 1.0, 2.0):
        exact = exact_delta(each, count, epsilon)
        ours = composed_delta(np.full(count, each), NONE, epsilon)
        # 1e-5: half a grid step, where epsilon is itself an atom of the loss.
        assert exact <= ours <= exact * 1.001 + 1e-5


def test_numerical_composition_of_different_releases_against_enumeration():
    steps = np.array([0.3, 0.8, 1.1])
    delta = 0.0
    for signs in np.ndindex(2, 2, 2):
        loss = float(np.sum(np.where(signs, steps, -steps)))
        likely = 1 / (1 + np.exp(-steps))
        mass = float(np.prod(np.where(signs, likely, 1 - likely)))
        delta += mass * max(0.0, -math.expm1(0.9 - loss))
    assert delta <= composed_delta(steps, NONE, 0.9) <= delta * 1.001 + 10 * FFT_ERROR


def test_gaussians_alone_and_mixed_with_nothing_follow_the_closed_form():
    for eta in (0.3, 1.0, 2.5):
        for epsilon in (0.0, 1.0, 3.0):
            closed = stats.norm.cdf(-epsilon / eta + eta / 2) - math.exp(epsilon) * stats.norm.cdf(
                -epsilon / eta - eta / 2
            )
            assert gdp_delta(eta, epsilon) == pytest.approx(closed, abs=1e-14)
            mixed = composed_delta(np.array([1e-9]), np.array([eta**2]), epsilon)
            assert closed <= mixed <= closed * 1.001 + 10 * FFT_ERROR
    assert gdp_eta(NONE, np.array([0.25, 0.75])) == 1.0


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, 4.0])
def test_the_gdp_of_a_pure_release_is_the_least(epsilon):
    """eta-GDP must imply delta(0) of randomised response, with equality at the corner."""
    eta = float(gdp_of_pure(epsilon))
    # Total variation of epsilon-DP is at most tanh(epsilon / 2), that of eta-GDP 2 Phi(eta/2) - 1.
    corner = math.tanh(epsilon / 2)
    assert 2 * stats.norm.cdf(eta / 2) - 1 == pytest.approx(corner)
    for level in (0.0, 0.5, 1.0, 2.0):
        assert gdp_delta(eta, level) >= exact_delta(epsilon, 1, level) - 1e-15
    assert gdp_delta(0.99 * eta, 0.0) < exact_delta(epsilon, 1, 0.0)


def test_advanced_composition_is_between_numerical_and_basic():
    steps, delta = np.full(200, 0.05), 1e-5
    numerical = composed_epsilon(steps, NONE, delta)
    advanced = advanced_epsilon(steps, NONE, delta)
    assert numerical < advanced < pure_epsilon(steps, NONE)
    # Kairouz, Oh & Viswanath, Theorem 3.5, by hand.
    by_hand = 200 * 0.05 * math.expm1(0.05) / (math.exp(0.05) + 1) + math.sqrt(
        2 * math.log(1e5) * 200 * 0.05**2
    )
    assert advanced == pytest.approx(by_hand)
    assert exact_delta(0.05, 200, numerical) <= delta
    assert exact_delta(0.05, 200, numerical - 0.02) > delta


def test_with_few_releases_the_sum_is_best():
    assert advanced_epsilon(np.array([0.5]), NONE, 1e-6) == 0.5
    assert composed_epsilon(np.array([0.5]), NONE, 1e-6) <= 0.5 + 1e-4


def test_what_got_past_the_releases_has_no_bound():
    past = np.array([math.inf])
    assert pure_epsilon(past, NONE) == math.inf
    assert advanced_epsilon(past, NONE, 0.1) == math.inf
    assert composed_delta(past, past, 5.0) == 1.0
    assert composed_epsilon(past, past, 0.1) == math.inf
