"""Exact regret on finite sets of losses, and with more arms than there are atoms."""

import itertools
import math

import mpmath
import numpy as np
import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.errors import UsageError
from dpaudit.laboratory.exact import finite, winning
from dpaudit.laboratory.exact.finite import FiniteSums, laws_of
from dpaudit.laboratory.exact.regret import exact_regret
from dpaudit.laboratory.exact.sums import Sums
from dpaudit.machine.noisy_max import EXPONENTIAL, LAPLACE, NOISES, log_win
from dpaudit.play.environments import play_environment
from tests.laboratory.test_exact import NOISY

EXAMPLE = [0.0, 0.3, 0.4], [[0.0, 1.0, 0.0], [0.2, 0.0, 0.8]]
"""Wu & Wang, Section 3.1."""
UNEVEN = [0.0, 0.25, 0.7, 1.0], [[0.3, 0.2, 0.1, 0.4], [0.0, 0.5, 0.5, 0.0], [0.6, 0.0, 0.0, 0.4]]


def by_enumeration(name, environment, horizon, epsilon):
    """All outcomes of all rounds, and for each the selection's exact probabilities."""
    values, rows = (np.array(part) for part in environment)
    noise, factor = NOISY[name]
    losses = not name.startswith("rnm-ftnl-repaired") and name != "rnm-ftnl"
    sign = -1.0 if losses else 1.0
    means = rows @ values
    gaps = np.max(sign * means) - sign * means
    regret, first = float(gaps.mean() if losses else gaps[0]), 2
    while first <= horizon:
        tables = []
        for row in rows:
            masses = {}
            for rounds in itertools.product(range(len(values)), repeat=first // 2):
                total = round(float(values[list(rounds)].sum()), 9)
                masses[total] = masses.get(total, 0.0) + float(row[list(rounds)].prod())
            tables.append([(total, mass) for total, mass in masses.items() if mass])
        cost = 0.0
        for outcome in itertools.product(*tables):
            totals = sign * np.array([total for total, _ in outcome])
            mass = math.prod(mass for _, mass in outcome)
            wins = [math.exp(log_win(totals, j, factor / epsilon, noise)) for j in range(len(rows))]
            cost += mass * float(gaps @ wins)
        regret += min(first, horizon - first + 1) * cost
        first *= 2
    return regret


@pytest.mark.parametrize("name", NOISY)
def test_agrees_with_all_outcomes_and_not_with_other_probabilities(name):
    other = UNEVEN[0], [[0.3, 0.2, 0.11, 0.39], *UNEVEN[1][1:]]
    for environment, horizon, epsilon in ((EXAMPLE, 14, 2.0), (UNEVEN, 6, 0.7)):
        found = exact_regret(name, None, horizon, epsilon=epsilon, environment=environment)
        truth = by_enumeration(name, environment, horizon, epsilon)
        assert abs(found.regret[0] - truth) <= found.error[0] + 1e-10 * truth
    moved = exact_regret(name, None, 6, epsilon=0.7, environment=other)
    assert abs(moved.regret[0] - truth) > 100 * found.error[0] + 1e-5


def without_noise(environment, horizons, resample):
    """Regret of the leader of the last epoch's losses, ties uniform: noise of scale 2e-9."""
    how = {"environment": environment, "resample": resample}
    return exact_regret("rnm-ftnl-laplace", None, horizons, epsilon=1e9, **how).regret


def test_the_example_of_wu_and_wang():
    """Section 3.1 prints P(J_1 = 2) = 0.8 without noise; it is 0.2, and 0.49 with resampling, as
    the ledger's `resampling-example` has it. With losses 0.02, and 0.01 or 1 with 0.9 and 0.1, it
    is 0.9, and resampling lowers the regret of 63 rounds from 2.10 to 1.34."""
    chance = {}
    for resample in "01":
        regret = without_noise(EXAMPLE, [1, 2], resample)
        chance[resample] = (regret[1] - regret[0]) / 0.02
    assert chance["0"] == pytest.approx(0.2, abs=1e-6)
    assert chance["1"] == pytest.approx(0.3 * 0.68 + 0.5 * (0.3 * 0.32 + 0.7 * 0.68), abs=1e-6)
    mended = [0.01, 0.02, 1.0], [[0.0, 1.0, 0.0], [0.9, 0.0, 0.1]]
    regret = without_noise(mended, [1, 2, 63], "0")
    assert (regret[1] - regret[0]) / 0.089 == pytest.approx(0.9, abs=1e-6)
    assert regret[2] == pytest.approx(2.10, abs=0.005)
    assert without_noise(mended, 63, "1")[0] == pytest.approx(1.34, abs=0.005)


@pytest.mark.parametrize("name", ["rnm-ftnl-laplace", "rnm-ftnl-gumbel"])
def test_agrees_with_simulation(name):
    """5.5 standard errors: false alarms below 1e-7; the control has another epsilon."""
    values, rows = UNEVEN
    drawn = np.vstack([values, np.cumsum(rows, axis=1)])
    means = np.array(rows) @ values
    plays = play_environment(
        name, means, 200, epsilon=0.7, runs=20_000, seed=5, environment=drawn, workers=1
    )
    mean, spread = plays.regret.mean(), plays.regret.std() / math.sqrt(20_000)
    for epsilon, agrees in ((0.7, True), (0.9, False)):
        found = exact_regret(name, None, 200, epsilon=epsilon, environment=UNEVEN)
        assert (abs(mean - found.regret[0]) < 5.5 * spread) == agrees


@pytest.mark.parametrize("name", ["rnm-ftnl", "rnm-ftnl-exponential", "rnm-ftnl-gumbel"])
def test_zeros_and_ones_are_bernoulli_to_the_last_round(name):
    environment = [0.0, 1.0], [[0.5, 0.5], [0.499, 0.501], [0.49, 0.51]]
    horizons = [10, 2**20, 2**60]
    one = exact_regret(name, None, horizons, epsilon=0.3, environment=environment)
    two = exact_regret(name, [0.5, 0.501, 0.51], horizons, epsilon=0.3)
    assert np.all(np.abs(one.regret - two.regret) <= one.error + two.error)
    assert np.all(one.error < 1e-9 * one.regret)
    other = exact_regret(name, [0.5, 0.50101, 0.51], horizons, epsilon=0.3)
    assert np.all(np.abs(one.regret - other.regret)[1:] > 10 * (one.error + other.error)[1:])


def test_longer_epochs_of_three_values():
    """Series beside convolved and transformed masses."""
    environment = [0.0, 0.5, 1.0], [[0.2, 0.3, 0.5], [0.2, 0.3005, 0.4995]]
    found = exact_regret("rnm-ftnl", None, 2**60, epsilon=0.1, environment=environment)
    assert "Gauss-Legendre, Fourier series" in found.how
    assert found.error[0] < 1e-9 * found.regret[0]


def _laws(n, sign=1):
    _, _, laws = laws_of(*UNEVEN)
    means = np.array([float(law.mean) for law in laws])
    return FiniteSums(means, np.ones(3), n, False, sign, tuple(laws))


@pytest.mark.parametrize("sign", [1, -1])
def test_transformed_masses_are_convolved_ones(sign, monkeypatch):
    """The second law has two points 9 steps apart, the third 20: coarser lattices."""
    n = 150
    exact = [_laws(n, sign).lattice(g, 1e-18) for g in range(3)]
    monkeypatch.setattr(finite, "CONVOLVED", 0)
    for g, (first, masses) in enumerate(exact):
        again, other, error = finite._lattice(_laws(n, sign), g, 1e-18)
        assert (again, len(other)) == (first, len(masses))
        assert abs(masses.sum() - 1.0) < 1e-12
        assert np.abs(np.cumsum(masses - other)).max() < error < 1e-11
        assert np.abs(np.cumsum(masses - np.roll(other, 1))).max() > 1e-3


def test_moments_of_one_round_at_large_and_small_rates():
    """Chernoff's bound rests on them: too small a moment would leave out what happens."""
    sums = _laws(8)
    for g, law in enumerate(sums.laws):
        for rate in (1e-9, 1e-3, 0.05, 2.0, 300.0, -300.0):
            with mpmath.workdps(40):
                parts = zip(law.points, law.chances, strict=True)
                whole = mpmath.fsum(
                    mpmath.mpf(chance.numerator) / chance.denominator * mpmath.exp(rate * at)
                    for at, chance in parts
                )
                truth = float(mpmath.log(whole))
            found = float(sums.log_moment(g, np.array([rate]))[0])
            assert found == pytest.approx(truth, rel=1e-12, abs=0.0)
            assert found != pytest.approx(1.00001 * truth, rel=1e-12, abs=0.0)


def test_series_and_masses_agree_on_three_values(monkeypatch):
    _, _, laws = laws_of([0.0, 0.5, 1.0], [[0.2, 0.3, 0.5], [0.25, 0.3, 0.45]])
    means = np.array([float(law.mean) for law in laws])
    sums = FiniteSums(means, np.array([1.0, 3.0]), 2**12, False, 1, tuple(laws))
    found = {}
    for long in (0.0, math.inf):
        monkeypatch.setattr(winning, "LONG", long)
        monkeypatch.setattr(winning, "TOO_LONG", long)
        found[long] = winning.winning(sums, LAPLACE, 20.0, 1e-30)
    one, two = found.values()
    assert one.how != two.how
    assert abs(one.probability[1] - two.probability[1]) <= one.error[1] + two.error[1]
    assert one.error[1] + two.error[1] < 1e-11 < 1e-3 * one.probability[1]


def test_what_is_too_wide_is_in_the_error(monkeypatch):
    """A coarse law beside a fine one, gaps 2^-20: no series, and masses are out of reach."""
    monkeypatch.setattr(finite, "TRANSFORMED", 2**13)
    environment = [0.0, 0.5, 1.0], [[0.5, 0.0, 0.5], [0.25 + 2.0**-21, 0.5, 0.25 - 2.0**-21]]
    found = exact_regret("rnm-ftnl", None, [2**16, 2**60], epsilon=0.1, environment=environment)
    assert found.error[0] < 1e-9 * found.regret[0]
    assert found.error[1] > 0.1 * found.regret[1]


def test_everybody_asks_for_it_in_the_same_way(capsys):
    result = dpaudit.regret(
        "rnm-ftnl-laplace", environment=EXAMPLE, horizon=2**20, epsilon=0.5, exact=True, points=3
    )
    assert (result.exact, result.environment) == (True, "finite")
    assert np.all(result.high - result.low < 1e-9 * result.mean)
    words = ["regret", "rnm-ftnl-laplace", "--values", "0,0.3,0.4", "--exact", "--points", "3"]
    rows = "0,1,0;0.2,0,0.8"
    assert main([*words, "--probabilities", rows, "--horizon", "2**20", "--epsilon", "0.5"]) == 2
    capsys.readouterr()
    assert main([*words, "--probabilities", rows, "--horizon", "1048576", "--epsilon", "0.5"]) == 0
    assert f"{result.mean[-1]:.6g}" in capsys.readouterr().out


BAD = {
    "steps": ({"environment": ([0.0, 0.5, math.pi / 4], [[0.5, 0.5, 0.0]])}, "values: got 3 num"),
    "leader": ({"target": "follow-the-leader", "epsilon": None}, "environment: follow-the-leader"),
    "counts": ({"counts": [1, 2]}, "counts: got 2 numbers, allowed is one for each"),
    "many": ({"counts": [1, 1, 2.0**321]}, "counts: got .* allowed is a number in"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_told_in_one_line(case):
    changed, message = BAD[case]
    asked = {"target": "rnm-ftnl", "means": None, "horizons": 8, "epsilon": 1.0}
    asked |= {"environment": UNEVEN} | changed
    with pytest.raises(UsageError, match=message) as error:
        exact_regret(**asked)
    assert "\n" not in str(error.value)
    exact_regret("rnm-ftnl", None, 8, epsilon=1.0, environment=UNEVEN)


def wins(noise, count, away):
    """P(one of c arms at a gap of a scales beats the best), a closed form. With s = e^-a, h = 1 or,
    for Laplace noise, 1/2: 1 - q - (1 - q(1 + c h s))/((c + 1) s), q = (1 - h s)^c; where the best
    has negative noise, Laplace adds c s/4 E1(c s/2), up to 1/c."""
    with mpmath.workdps(130):
        c, s, h = mpmath.mpf(count), mpmath.exp(-mpmath.mpf(away)), mpmath.mpf(1)
        h = h / 2 if noise == LAPLACE else h
        q = mpmath.exp(c * mpmath.log(1 - h * s))
        found = 1 - q - (1 - q * (1 + c * h * s)) / ((c + 1) * s)
        if noise == LAPLACE:
            found += c * s / 4 * mpmath.e1(c * s / 2)
        return float(found)


@pytest.mark.parametrize("noise", [LAPLACE, EXPONENTIAL], ids=NOISES[:2])
def test_two_to_the_three_hundred_arms_against_a_closed_form(noise):
    for exponent in (60, 200, 319):
        count = 2.0**exponent
        for more in (-30.0, -3.0, 0.0, 1.0, 9.0):
            away = exponent * math.log(2.0) + more
            sums = Sums(np.array([away / 256.0, 0.0]), np.array([1.0, count]), 256, True, 1)
            found = winning.winning(sums, noise, 1.0, 1e-30)
            truth = wins(noise, count, sums.n * float(sums.means[0]))
            assert abs(found.probability[1] - truth) <= found.error[1]
            assert found.error[1] < 1e-10 * truth
            assert abs(found.probability[1] * (1 + 1e-9) - truth) > found.error[1]


@pytest.mark.parametrize("noise", ["laplace", "exponential", "gumbel"])
def test_equal_gaps_show_no_square_of_the_logarithm(noise):
    """epsilon * regret / (scale * ln K), its largest over four phases, up to K = 2^320."""
    scale = {"laplace": 2.0, "exponential": 1.0, "gumbel": 2.0}[noise]
    found = {}
    for exponent in (20, 80, 319):
        regrets = [
            exact_regret(
                f"rnm-ftnl-{noise}",
                [0.0, 0.5],
                2**60,
                epsilon=2.0 ** (-12.0 - phase),
                environment="deterministic",
                counts=[1, 2.0**exponent],
            ).regret[0] * 2.0 ** (-12.0 - phase)
            for phase in (0.0, 0.25, 0.5, 0.75)
        ]  # fmt: skip
        found[exponent] = max(regrets) / (scale * exponent * math.log(2.0))
    # A square would multiply it by 4 from 80 to 319.
    assert 2.9 < found[20] < found[80] < found[319] < 4.0
