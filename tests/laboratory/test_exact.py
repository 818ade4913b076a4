"""Exact regret: against enumeration, simulation, mpmath, and itself computed otherwise."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from scipy import stats

from dpaudit.errors import UsageError
from dpaudit.laboratory.exact import quadrature, winning
from dpaudit.laboratory.exact.regret import exact_regret
from dpaudit.laboratory.exact.sums import Sums
from dpaudit.machine.noisy_max import EXPONENTIAL, GUMBEL, LAPLACE, NOISES, log_win
from dpaudit.play.catalogue import find
from dpaudit.play.environments import play_environment

NOISY = {
    "rnm-ftnl": (LAPLACE, 1.0),
    "rnm-ftnl-repaired": (LAPLACE, 2.0),
    "rnm-ftnl-laplace": (LAPLACE, 2.0),
    "rnm-ftnl-exponential": (EXPONENTIAL, 1.0),
    "rnm-ftnl-exponential-repaired": (EXPONENTIAL, 2.0),
    "rnm-ftnl-gumbel": (GUMBEL, 2.0),
}
MEANS = [0.5, 0.8, 0.3]


def by_enumeration(name, means, horizon, epsilon, factor=None, environment="bernoulli"):
    """All outcomes of every epoch's sums, and for each the selection's exact probabilities."""
    noise, published = NOISY[name]
    scale = (published if factor is None else factor) / epsilon
    losses = find(name).card.payoff == "losses"
    sign = -1.0 if losses else 1.0
    gaps = np.max(sign * np.array(means)) - sign * np.array(means)
    regret = float(gaps.mean() if losses else gaps[0])
    first = 2
    while first <= horizon:
        n = first // 2
        if environment == "deterministic":
            outcomes = [(n * np.array(means), 1.0)]
        else:
            outcomes = [
                (np.array(sums, float), math.prod(stats.binom.pmf(sums, n, means)))
                for sums in itertools.product(range(n + 1), repeat=len(means))
            ]
        cost = sum(
            mass * gaps[j] * math.exp(log_win(sign * sums, j, scale, noise))
            for sums, mass in outcomes
            for j in range(len(means))
        )
        regret += min(first, horizon - first + 1) * cost
        first *= 2
    return regret


@pytest.mark.parametrize("environment", ["bernoulli", "deterministic"])
@pytest.mark.parametrize("name", NOISY)
def test_agrees_with_all_outcomes_and_not_with_half_the_noise(name, environment):
    for epsilon, horizon in ((0.3, 15), (2.0, 9), (40.0, 8)):
        found = exact_regret(name, MEANS, horizon, epsilon=epsilon, environment=environment)
        truth = by_enumeration(name, MEANS, horizon, epsilon, environment=environment)
        # log_win promises 1e-12 relative, its tests 1e-10.
        assert abs(found.regret[0] - truth) <= found.error[0] + 1e-10 * truth
        other = by_enumeration(
            name, MEANS, horizon, epsilon, NOISY[name][1] / 2, environment=environment
        )
        if epsilon < 40.0:
            assert abs(found.regret[0] - other) > 100 * found.error[0] + 1e-6


def test_every_outcome_of_follow_the_leader():
    """Ties go to the lowest action: the order of the arms matters, and is kept."""
    for means in ([0.5, 0.8, 0.3], [0.3, 0.5, 0.5], [0.5, 0.3, 0.5], [1.0, 0.2, 0.0]):
        regret = []
        for n in range(12):
            cost = 0.0
            for sums in itertools.product(range(n + 1), repeat=3):
                mass = math.prod(stats.binom.pmf(sums, n, means))
                cost += mass * (max(means) - means[int(np.argmax(sums))])
            regret.append(cost)
        found = exact_regret("follow-the-leader", means, list(range(1, 13)))
        assert np.all(np.abs(found.regret - np.cumsum(regret)) <= found.error + 1e-12)
        # The control takes the arms the other way round.
        turned = exact_regret("follow-the-leader", means[::-1], 12)
        if means != means[::-1]:
            assert abs(turned.regret[0] - sum(regret)) > 1e-4


GRID = [
    *((name, "bernoulli", {}) for name in NOISY),
    *((name, "deterministic", {}) for name in NOISY),
    ("rnm-ftnl-laplace", "deterministic", {"resample": "1"}),
    ("rnm-ftnl-gumbel", "deterministic", {"resample": "1"}),
    ("rnm-ftnl-exponential", "bernoulli", {"resample": "1"}),
    ("random-prefix-ftl", "bernoulli", {}),
    ("random-prefix-ftl", "deterministic", {}),
    ("random-prefix-ftl", "bernoulli", {"lengths": "any"}),
    ("ftnl", "bernoulli", {}),
    ("ftnl", "deterministic", {}),
]


def score(name, environment, parameters, found, runs=20_000):
    """How many standard errors the simulated mean is from the exact one."""
    plays = play_environment(
        name,
        [0.4, 0.7, 0.4],
        200,
        epsilon=0.7,
        runs=runs,
        seed=11,
        environment=environment,
        **parameters,
    )
    mean, spread = plays.regret[:, 0].mean(), plays.regret[:, 0].std()
    return abs(mean - found.regret[0]) / (spread / math.sqrt(runs))


@pytest.mark.parametrize(("name", "environment", "parameters"), GRID)
def test_agrees_with_simulation(name, environment, parameters):
    """5.5 standard errors: false alarms about 4e-8 a case, below 1e-6 for all; the control asks
    for an epsilon a quarter larger."""
    for epsilon, agrees in ((0.7, True), (0.875, False)):
        found = exact_regret(
            name, [0.4, 0.7, 0.4], 200, epsilon=epsilon, environment=environment, **parameters
        )
        assert (score(name, environment, parameters, found) < 5.5) == agrees


def test_follow_the_leader_and_resampling_agree_with_simulation():
    found = exact_regret("follow-the-leader", [0.4, 0.5, 0.45], 300)
    plays = play_environment("follow-the-leader", [0.4, 0.5, 0.45], 300, runs=20_000, seed=3)
    mean, spread = plays.regret.mean(), plays.regret.std() / math.sqrt(20_000)
    assert abs(mean - found.regret[0]) < 5.5 * spread
    assert abs(mean - 1.1 * found.regret[0]) > 5.5 * spread
    # Resampled fixed losses are Bernoulli losses; fixed ones are not.
    one, two, three = (
        exact_regret("rnm-ftnl-laplace", MEANS, 2**20, epsilon=0.5, environment=e, resample=r)
        for e, r in (("deterministic", "1"), ("bernoulli", "0"), ("deterministic", "0"))
    )
    assert one.regret[0] == two.regret[0]
    assert abs(one.regret[0] - three.regret[0]) > 0.01


@pytest.mark.parametrize("environment", ["bernoulli", "deterministic"])
@pytest.mark.parametrize("name", [*NOISY, "ftnl", "follow-the-leader", "uniform"])
def test_groups_are_the_same_as_their_arms(name, environment):
    epsilon = None if name in ("follow-the-leader", "uniform") else 0.8
    asked = {"epsilon": epsilon, "environment": environment}
    grouped = exact_regret(name, [0.4, 0.6, 0.1], [10, 3000], counts=[2, 1, 3], **asked)
    single = exact_regret(name, [0.4, 0.4, 0.6, 0.1, 0.1, 0.1], [10, 3000], **asked)
    assert np.all(np.abs(grouped.regret - single.regret) <= grouped.error + single.error)
    other = exact_regret(name, [0.4, 0.6, 0.1], [10, 3000], counts=[3, 2, 3], **asked)
    if not (name == "follow-the-leader" and environment == "deterministic"):
        assert np.all(np.abs(other.regret - grouped.regret) > 1e-3)


def by_mpmath(n, p, q, scale, noise, arms=1):
    """P(one of `arms` of mean q beats the arm of mean p), rewards, in 40 digits."""
    with mpmath.workdps(40):

        def below(y):
            if noise == LAPLACE:
                return mpmath.exp(y) / 2 if y < 0 else 1 - mpmath.exp(-y) / 2
            if noise == EXPONENTIAL:
                return 1 - mpmath.exp(-y) if y > 0 else mpmath.mpf(0)
            return mpmath.exp(-mpmath.exp(-y))

        def density(y):
            if noise == LAPLACE:
                return mpmath.exp(-abs(y)) / 2
            if noise == EXPONENTIAL:
                return mpmath.exp(-y) if y >= 0 else mpmath.mpf(0)
            return mpmath.exp(-y - mpmath.exp(-y))

        def masses(mean):
            mean = mpmath.mpf(mean)
            return [mpmath.binomial(n, k) * mean**k * (1 - mean) ** (n - k) for k in range(n + 1)]

        best, other = masses(p), masses(q)

        def integrand(x):
            f = mpmath.fsum(m * density((x - k) / scale) / scale for k, m in enumerate(other))
            up = mpmath.fsum(m * below((x - k) / scale) for k, m in enumerate(other))
            rival = mpmath.fsum(m * below((x - k) / scale) for k, m in enumerate(best))
            return arms * f * up ** (arms - 1) * rival

        cuts = [-80 * scale, -30 * scale, -10 * scale, -3 * scale]
        cuts += [
            *range(n + 1),
            *(n + scale * i for i in (1, 2, 4, 6, 8, 10, 13, 17, 22, 30, 45, 90)),
        ]
        return mpmath.quad(integrand, cuts, maxdegree=5)


@pytest.mark.parametrize("arms", [1, 1000])
@pytest.mark.parametrize("noise", [LAPLACE, EXPONENTIAL, GUMBEL], ids=NOISES)
def test_probabilities_and_their_errors_against_mpmath(noise, arms):
    """A probability of about 1e-7 too; and a relative change of 1e-9 would be seen."""
    for n, p, q, scale in ((4, 0.75, 0.25, 1.5), (16, 0.9, 0.1, 0.75)):
        sums = Sums(np.array([p, q]), np.array([1.0, arms]), n, False, 1)
        found = winning.winning(sums, noise, scale, 1e-30)
        truth = float(by_mpmath(n, p, q, scale, noise, arms))
        assert abs(found.probability[1] - truth) <= found.error[1]
        assert found.error[1] < 2e-11 * truth
        assert abs(found.probability[1] * (1 + 1e-9) - truth) > found.error[1]


@pytest.mark.parametrize("noise", [LAPLACE, EXPONENTIAL], ids=NOISES[:2])
def test_the_ellipse_bound_holds_for_coarse_quadrature(noise, monkeypatch):
    """With fewer nodes the error grows by many orders of magnitude and stays within the bound."""
    sums = Sums(np.array([0.6, 0.5, 0.3]), np.array([1.0, 2.0, 500.0]), 64, False, 1)
    fine = winning.winning(sums, noise, 2.0, 1e-30)
    monkeypatch.setattr(winning, "ROUNDING", 0.0)
    worst = []
    for digits in (3.0, 8.0, 14.0):
        monkeypatch.setattr(quadrature, "DIGITS", digits)
        coarse = winning.winning(sums, noise, 2.0, 1e-30)
        away = np.abs(coarse.probability - fine.probability)
        assert np.all(away <= coarse.error + fine.error)
        worst.append(float(away[1]))
    # It is an error that the fine one does not have: without its bound the test would fail.
    assert worst[0] > 100 * fine.error[1]


@pytest.mark.parametrize("noise", [LAPLACE, EXPONENTIAL, GUMBEL], ids=NOISES)
def test_the_grid_brackets_what_quadrature_gives(noise, monkeypatch):
    sums = Sums(np.array([0.51, 0.5, 0.45]), np.array([1.0, 2.0, 50.0]), 2**16, False, 1)
    fine = winning.winning(sums, noise, 30.0, 1e-25)
    monkeypatch.setattr(quadrature, "WORK", 0)
    monkeypatch.setattr(winning, "WORK", 0)
    for cells in (2**11, 2**14):
        monkeypatch.setattr(winning, "CELLS", cells)
        rough = winning.winning(sums, noise, 30.0, 1e-25)
        assert rough.how == "bracket on a grid" != fine.how
        assert np.all(np.abs(rough.probability - fine.probability) <= rough.error + fine.error)
    assert rough.error[1] < 0.1 * fine.probability[1]


def test_blocks_of_a_binomial_are_bounded_by_their_slack():
    sums = Sums(np.array([0.5, 0.2]), np.ones(2), 2**20, False, 1)
    for g, length in ((0, 4), (1, 32), (0, 5000)):
        low, high = sums.window(g, 1e-40)
        starts = np.arange(low, high + length, length)
        masses, slack = sums.blocks(g, starts, length)
        first, exact = sums.lattice(g, 1e-40)
        owner = ((first + np.arange(len(exact)) - starts[0]) // length).astype(int)
        truth = np.bincount(owner, weights=exact, minlength=len(starts))
        assert slack < 1e-4
        # Blocks that the window cuts are left out.
        masses, truth = masses[1:-2], truth[1:-2]
        assert np.all(masses <= truth * (1 + 1e-10))
        assert np.all(truth <= masses * (1 + slack) * (1 + 1e-10))
        if slack:  # not without it
            assert not np.all(truth <= masses * (1 + 1e-10))


def test_masses_agree_with_mpmath_up_to_long_epochs():
    for n, mean in ((1, 0.3), (40, 0.01), (1000, 0.5), (2**33, 0.3), (2**57, 0.499)):
        for sign in (1, -1):
            sums = Sums(np.array([mean]), np.ones(1), n, False, sign)
            x = np.unique(np.round(np.linspace(*sums.window(0, 1e-33), 7)))
            for at, value in zip(x, sums.log_mass(0, x), strict=True):
                k = sign * (int(at) + sums.reference)
                with mpmath.workdps(45):
                    p = mpmath.mpf(mean)
                    truth = k * mpmath.log(p) + (n - k) * mpmath.log(1 - p) + mpmath.loggamma(n + 1)
                    truth -= mpmath.loggamma(k + 1) + mpmath.loggamma(n - k + 1)
                assert abs(float(truth - mpmath.mpf(float(value)))) < 1e-12


def epoch_of(name, means, epoch, epsilon):
    """Sums, noise and scale of epoch r, which has 2^r rounds (r = 0 is round 1) and whose noisy
    leader plays the next one; the best arm first."""
    noise, factor = NOISY[name]
    sign = -1 if find(name).card.payoff == "losses" else 1
    ordered = np.array(sorted(means, reverse=sign > 0))
    return Sums(ordered, np.ones(len(means)), 2**epoch, False, sign), noise, factor / epsilon


def test_chernoff_bounds_every_probability_and_is_not_the_probability():
    for name in NOISY:
        for epoch in (0, 4, 7):
            sums, noise, scale = epoch_of(name, [0.7, 0.5, 0.4], epoch, epsilon=0.9)
            found = winning.winning(sums, noise, scale, 1e-30)
            bound = sums.counts * winning.chernoff(sums, noise, scale)
            assert np.all(found.probability[1:] <= bound[1:] + found.error[1:])
            assert np.all(found.probability.sum() == pytest.approx(1.0, abs=1e-12))
            assert bound[1] > 1.01 * found.probability[1]


def test_regret_stops_growing_and_grows_until_then():
    horizons = [2**k for k in range(0, 61, 2)]
    for name in NOISY:
        found = exact_regret(name, [0.75, 0.25], horizons, epsilon=0.1)
        assert np.all(np.diff(found.regret) >= -found.error[1:])
        assert abs(found.regret[-1] - found.regret[25]) <= found.error[-1] + found.error[25]
        # Earlier it does grow.
        assert found.regret[3] - found.regret[2] > 100 * found.error[-1]
        assert found.error[-1] < 1e-10 * found.regret[-1]


def test_two_groups_of_a_million_arms_and_sixteen_means():
    few = exact_regret("rnm-ftnl-repaired", [0.6, 0.3], 2**60, epsilon=0.5, counts=[2**20 - 1, 1])
    many = exact_regret("rnm-ftnl-repaired", [0.3, 0.6], 2**60, epsilon=0.5, counts=[2**20 - 1, 1])
    assert few.regret[0] < 1e-3 < 10.0 < many.regret[0]
    assert many.error[0] < 1e-9 * many.regret[0]
    means = np.linspace(0.2, 0.8, 16)
    assert exact_regret("rnm-ftnl", means, 2**60, epsilon=0.5).error[0] < 1e-8


def test_small_gaps_leave_an_honest_error():
    """What quadrature or summation cannot reach is in the error, not in the value."""
    wide = exact_regret("follow-the-leader", [0.5, 0.501], [1000, 2**40])
    assert wide.error[0] < 1e-8
    assert wide.error[1] > 1.0
    assert wide.regret[1] > wide.regret[0]
    assert exact_regret("follow-the-leader", [0.5, 0.6], 2**60).error[0] < 1e-9


def test_uniform_play_and_equal_means():
    found = exact_regret("uniform", [0.2, 0.5], 10, counts=[1, 2])
    assert found.regret[0] == pytest.approx(1.0)
    for name in ("rnm-ftnl", "follow-the-leader"):
        epsilon = 1.0 if name == "rnm-ftnl" else None
        assert exact_regret(name, [0.5, 0.5], 2**60, epsilon=epsilon).regret[0] == 0.0


BAD = {
    "target": ({"target": "dp-se"}, "target: got 'dp-se'.* allowed is one of .*rnm-ftnl"),
    "unknown": ({"target": "rnm-ftn"}, "did you mean"),
    "means": ({"means": [0.5, 1.5]}, "means: got .* allowed is one number"),
    "horizon": ({"horizons": 2**61}, "horizon: got .* allowed is a number in"),
    "order": ({"horizons": [4, 2]}, "horizons: got .* increasing"),
    "environment": ({"environment": "adversarial"}, "environment: got .* allowed is one of"),
    "epsilon": ({"epsilon": 0.0}, "epsilon: got 0.0, allowed is a number in"),
    "no epsilon": ({"epsilon": None}, "epsilon: rnm-ftnl needs one"),
    "counts": ({"counts": [1]}, "counts: got 1 numbers, allowed is one for each"),
    "count": ({"counts": [1, 0]}, "counts: got 0, allowed is a number in"),
    "arms": ({"counts": [2.0**320, 2.0**319]}, r"counts: got 3.2\d*e\+96 arms, allowed is up to 2"),
    "fixed": ({"factor": 2.0}, "rnm-ftnl is the entry with factor = 1.0"),
    "parameter": ({"target": "uniform", "factor": 2.0}, "factor: uniform has no parameters"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_told_in_one_line(case):
    changed, message = BAD[case]
    asked = {"target": "rnm-ftnl", "means": [0.5, 0.6], "horizons": 8, "epsilon": 1.0} | changed
    with pytest.raises(UsageError, match=message) as error:
        exact_regret(**asked)
    assert "\n" not in str(error.value)
    exact_regret("rnm-ftnl", [0.5, 0.6], 8, epsilon=1.0)


def test_epochs_are_those_of_the_algorithm():
    """Round 1 is epoch 0, whose leader plays rounds 2 and 3."""
    first = winning.winning(*epoch_of("rnm-ftnl", [0.2, 0.9], 0, epsilon=1.0), 1e-30)
    found = exact_regret("rnm-ftnl", [0.2, 0.9], [1, 2, 3], epsilon=1.0)
    steps = 0.7 + 0.7 * first.probability[1] * np.array([0, 1, 2])
    assert found.regret == pytest.approx(steps, abs=1e-12)
