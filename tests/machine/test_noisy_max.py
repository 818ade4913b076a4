"""The exact probabilities of report-noisy-max, against closed forms, mpmath and the sampler."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpaudit.machine.noisy_max import EXPONENTIAL, GUMBEL, LAPLACE, NOISES, log_win
from dpaudit.machine.releases import noisy_argmax

ALL = (LAPLACE, EXPONENTIAL, GUMBEL)
SCORES = st.lists(st.floats(-30, 30), min_size=2, max_size=6)


class Own:
    loss = pure = gdp = 0.0


def by_mpmath(scores, j, scale, noise):
    """The defining integral in 30 digits, cut at the kinks."""
    with mpmath.workdps(30):
        shifts = [(mpmath.mpf(s) - mpmath.mpf(scores[j])) / scale for s in scores]
        del shifts[j]
        if noise == LAPLACE:

            def density(x):
                return mpmath.exp(-abs(x)) / 2

            def below(x):
                return mpmath.exp(x) / 2 if x < 0 else 1 - mpmath.exp(-x) / 2

            cuts = sorted({mpmath.mpf(0), *shifts})
            cuts = [cuts[0] - 60, *cuts, cuts[-1] + 60]
        elif noise == EXPONENTIAL:

            def density(x):
                return mpmath.exp(-x)

            def below(x):
                return mpmath.mpf(0) if x < 0 else 1 - mpmath.exp(-x)

            start = max(mpmath.mpf(0), *shifts)
            cuts = [start, start + 1, start + 5, start + 20, start + 80]
        else:

            def density(x):
                return mpmath.exp(-x - mpmath.exp(-x))

            def below(x):
                return mpmath.exp(-mpmath.exp(-x))

            cuts = [-6, -2, 0, 2, 5, 10, 30, 70]
        # Pieces of length 4 at most: mpmath's rule loses digits on long exponentials.
        fine = []
        for a, b in itertools.pairwise(cuts):
            parts = int(mpmath.ceil((b - a) / 4))
            fine += [a + (b - a) * i / max(parts, 1) for i in range(max(parts, 1))]
        fine.append(cuts[-1])
        return mpmath.log(
            mpmath.quad(lambda x: density(x) * mpmath.fprod(below(x - d) for d in shifts), fine)
        )


@pytest.mark.parametrize("noise", ALL, ids=NOISES)
@pytest.mark.parametrize(
    "scores", [[0, 0], [0, 1], [1, 0.25, 0.5], [3, -2, 7, 7], [0, 0.5, 11, -4, 2]], ids=str
)
def test_log_probability_agrees_with_mpmath(noise, scores):
    for scale in (0.5, 1.0, 3.0):
        for j in range(len(scores)):
            exact = float(by_mpmath(scores, j, scale, noise))
            assert log_win(np.array(scores, float), j, scale, noise) == pytest.approx(
                exact, rel=1e-10, abs=1e-11
            )


@pytest.mark.parametrize("noise", ALL, ids=NOISES)
@pytest.mark.parametrize("count", [2, 3, 5, 40])
def test_probabilities_sum_to_one_and_are_equal_for_equal_scores(noise, count):
    scores = np.random.default_rng(count).normal(0, 3, count)
    total = sum(math.exp(log_win(scores, j, 0.7, noise)) for j in range(count))
    assert total == pytest.approx(1.0, abs=1e-10)
    assert log_win(np.zeros(count), 0, 1.0, noise) == pytest.approx(-math.log(count), abs=1e-10)


@given(SCORES, st.floats(0.1, 10), st.sampled_from(ALL))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_two_scores_agree_with_the_same_problem_padded_by_a_hopeless_third(scores, scale, noise):
    pair = np.array(scores[:2])
    padded = np.append(pair, min(pair) - 60 * scale)
    for j in range(2):
        assert log_win(padded, j, scale, noise) == pytest.approx(
            log_win(pair, j, scale, noise), abs=1e-9
        )


def test_far_scores_do_not_underflow():
    scores = np.array([0.0, 2000.0, 1.0])
    # All of X_0's rivals must lose by 2000: e^-2000 (2 + 2000)/4 for the pair (0, 1).
    pair = log_win(scores[:2], 0, 1.0, LAPLACE)
    assert pair == pytest.approx(math.log(2002 / 4) - 2000)
    for noise in ALL:
        value = log_win(scores, 0, 1.0, noise)
        assert -2002 < value < -1990


@given(SCORES, st.data(), st.floats(0.3, 5), st.sampled_from(ALL))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_the_booked_loss_never_exceeds_the_booked_worst(scores, data, scale, noise):
    here = np.array(scores)
    changes = data.draw(
        st.lists(st.floats(-1, 1), min_size=len(scores), max_size=len(scores)), label="changes"
    )
    own = Own()
    rng = np.random.default_rng(data.draw(st.integers(0, 99), label="seed"))
    noisy_argmax(own, here, here + np.array(changes), scale, noise, rng)
    # 1e-9 covers the quadrature.
    assert abs(own.loss) <= own.pure + 1e-9


def test_the_worst_loss_of_opposite_movers_is_approached():
    """Lap(1/eps) under a replaced row loses 2 eps in the limit: the bound is not loose."""
    here, there = np.array([0.0, 40.0]), np.array([1.0, 39.0])
    ratio = log_win(there, 0, 1.0, LAPLACE) - log_win(here, 0, 1.0, LAPLACE)
    assert 1.9 < ratio < 2.0


@pytest.mark.parametrize("noise", ALL, ids=NOISES)
def test_the_sampler_follows_the_exact_probabilities(noise):
    """Chi-square, false-alarm probability 1e-6; the control moves one score by half a scale."""
    scores, scale, runs = np.array([0.0, 1.0, 0.3]), 2.0, 40_000
    rng = np.random.default_rng(7)
    own = Own()
    counts = np.bincount(
        [noisy_argmax(own, scores, scores, scale, noise, rng) for _ in range(runs)], minlength=3
    )
    for shift, passes in ((0.0, True), (1.0, False)):
        asked = scores + np.array([shift, 0.0, 0.0])
        expected = [runs * math.exp(log_win(asked, j, scale, noise)) for j in range(3)]
        # The probabilities sum to 1 up to quadrature; chisquare wants equal sums.
        expected = np.array(expected) * (counts.sum() / np.sum(expected))
        assert (stats.chisquare(counts, expected).pvalue > 1e-6) == passes
