"""Fourier series for long epochs: against the other quadratures, mpmath and the normal law."""

import math

import mpmath
import numpy as np
import pytest
from scipy import special

from dpaudit.laboratory.exact import fourier, winning
from dpaudit.laboratory.exact.regret import exact_regret
from dpaudit.laboratory.exact.sums import Sums, log_characteristic
from dpaudit.machine.noisy_max import EXPONENTIAL, GUMBEL, LAPLACE, NOISES

WORK = 2**24


def sums_of(n, groups=4, counts=None, sign=1):
    """Gaps of about a standard deviation over n rounds."""
    means = 0.7 - np.arange(groups) / math.sqrt(n)
    means = means if sign > 0 else 1.0 - means
    return Sums(means, np.ones(groups) if counts is None else np.array(counts), n, False, sign)


@pytest.mark.parametrize("noise", [LAPLACE, EXPONENTIAL, GUMBEL], ids=NOISES)
@pytest.mark.parametrize(("scale", "sign"), [(0.7, 1), (3.0, -1), (40.0, 1)])
def test_series_agree_with_the_other_quadratures(noise, scale, sign, monkeypatch):
    """And a noise larger by a thousandth would be seen."""
    for n in (2**9 + 1, 2**14):
        sums = sums_of(n, counts=[1.0, 2.0, 50.0, 1.0], sign=sign)
        value, error = fourier.fourier(sums, noise, scale, WORK)
        monkeypatch.setattr(winning, "LONG", math.inf)
        other = winning.winning(sums, noise, scale, 1e-30)
        wrong = ~(np.arange(4) == sums.best)
        assert other.how != "Fourier series"
        assert np.all(np.abs(value - other.probability)[wrong] <= (error + other.error)[wrong])
        assert error.max() < 1e-12
        moved, _ = fourier.fourier(sums, noise, 1.001 * scale, WORK)
        assert np.any(np.abs(moved - other.probability)[wrong] > 100 * (error + other.error)[wrong])


@pytest.mark.parametrize("noise", [LAPLACE, EXPONENTIAL, GUMBEL], ids=NOISES)
def test_coarse_series_stay_within_their_bounds(noise, monkeypatch):
    """Fewer coefficients, or fewer points: an error that the fine series do not have."""
    sums = sums_of(2**12, counts=[1.0, 1.0, 30.0, 1.0])
    fine, error = fourier.fourier(sums, noise, 2.0, WORK)
    monkeypatch.setattr(fourier, "FLOATS", 0.0)
    away = {}
    with monkeypatch.context() as changed:
        for digits in (2.0, 4.0, 8.0):
            changed.setattr(fourier, "DIGITS", digits)
            value, bound = fourier.fourier(sums, noise, 2.0, WORK) or (fine, error)
            away[digits] = np.abs(value - fine).max()
            assert np.all(np.abs(value - fine) <= bound + error)
    series = fourier._series
    for nodes in (128, 256, 512):

        def few(sums, noise, scale, work, nodes=nodes):
            known = series(sums, noise, scale, work)
            stride = math.ceil(known.period / nodes)
            highest = float(known.frequencies[-1])
            adjacent = np.array([sums.adjacent(g) for g in range(4)])
            first = math.floor(sums.window(3, 1e-20)[0] - 100.0)
            return fourier._of(sums, noise, scale, first, stride, nodes, highest, adjacent)

        with monkeypatch.context() as changed:
            changed.setattr(fourier, "_series", few)
            found = fourier.fourier(sums, noise, 2.0, WORK)
        if found is not None:
            away[nodes] = np.abs(found[0] - fine).max()
            assert np.all(np.abs(found[0] - fine) <= found[1] + error)
    assert max(away.values()) > 100 * error.max()


def test_transforms_of_one_round_keep_their_digits():
    for mean in (0.3, 0.9, 1e-3):
        points, masses = np.array([0.0, 1.0]) - round(mean), np.array([1.0 - mean, mean])
        frequencies = np.array([1e-8, 1e-4, 0.02, 0.26, 0.7, 2.0, 3.1])
        found = log_characteristic(points, masses, frequencies)
        with mpmath.workdps(50):
            p = mpmath.mpf(mean)
            for w, value in zip(frequencies.tolist(), found, strict=True):
                turn = mpmath.expj(mpmath.mpf(w))
                truth = mpmath.log(1 - p + p * turn) - 1j * mpmath.mpf(w) * p
                assert abs(complex(truth) - value) < 1e-15 * abs(complex(truth)) + 1e-17
                # What is computed without care loses half of them.
        naive = np.log(masses @ np.exp(1j * np.outer(points, frequencies)))
        naive -= 1j * frequencies * (masses @ points)
        assert abs(naive[0] - found[0]) > 1e-3 * abs(found[0])


def test_very_long_epochs_are_normal():
    """Two arms, 2^50 rounds: the noise is nothing, skewness about 2^-25."""
    n = 2**50
    for noise in (LAPLACE, EXPONENTIAL, GUMBEL):
        sums = sums_of(n, groups=2)
        value, error = fourier.fourier(sums, noise, 10.0, WORK)
        spread = math.sqrt(0.21 * n + sums.means[1] * (1.0 - sums.means[1]) * n)
        near = special.ndtr(-sums.gaps[1] * n / spread)
        assert abs(value[1] - near) < 1e-7
        assert error[1] < 1e-13
        assert abs(value[1] - special.ndtr(-1.001 * sums.gaps[1] * n / spread)) > 1e-5


@pytest.mark.parametrize("name", ["rnm-ftnl", "rnm-ftnl-exponential", "rnm-ftnl-gumbel"])
def test_small_gaps_are_known_to_ten_digits(name):
    """Sixteen means 2^-20 apart, 2^60 rounds; the brackets on a grid gave 417,460 +- 1,006."""
    rewards = 0.9 - 2.0**-20 * np.arange(16)
    means = rewards if name == "rnm-ftnl" else 1.0 - rewards
    found = exact_regret(name, means, 2**60, epsilon=0.1)
    assert abs(found.regret[0] - 417_460.0) < 1006.0
    assert 0.0 < found.error[0] < 1e-10 * found.regret[0]
    other = exact_regret(name, means, 2**60, epsilon=0.05)
    assert abs(other.regret[0] - found.regret[0]) > 100 * found.error[0]


def test_many_arms_are_left_to_the_others():
    assert fourier.fourier(sums_of(2**20, counts=[1.0, 1e20, 1.0, 1.0]), LAPLACE, 3.0, WORK) is None
    assert fourier.fourier(sums_of(2**20), LAPLACE, 3.0, WORK) is not None
    fixed = Sums(np.array([0.7, 0.6]), np.ones(2), 2**20, True, 1)
    assert fourier.fourier(fixed, LAPLACE, 3.0, WORK) is None
