"""Exact regret of random prefixes: against all outcomes, sums term by term, and what is proved."""

import math

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.polynomial import chebyshev
from scipy import stats

from dpaudit.laboratory.exact import prefixes
from dpaudit.laboratory.exact.regret import exact_regret
from dpaudit.laboratory.scaling import rule
from dpaudit.laboratory.scaling.laws import CONSTANT, LOG, Ladder
from dpaudit.proofs_checks.cesari_colomboni_2026 import bounds

NAME = "random-prefix-ftl"
MEANS = (0.4, 0.65)


def of_two(horizon, epsilon, lengths):
    """Two actions: the worse one is chosen after s rounds with the probability that a logistic
    variable of scale 2/epsilon exceeds the difference of two binomial ones."""
    gap = MEANS[1] - MEANS[0]

    def cost(s):
        masses = [stats.binom.pmf(np.arange(s + 1), s, m) for m in MEANS]
        apart = np.arange(s + 1)[None, :] - np.arange(s + 1)[:, None]
        return gap * float(masses[0] @ (1.0 / (1.0 + np.exp(epsilon * apart / 2.0))) @ masses[1])

    regret, first = gap / 2.0, 2
    while first <= horizon:
        n = first // 2
        allowed = range(1, n + 1) if lengths == "any" else range(n // 2 + 1, n + 1)
        mean = sum(map(cost, allowed)) / len(allowed)
        regret += min(first, horizon - first + 1) * mean
        first *= 2
    return regret


@pytest.mark.parametrize("lengths", ["second-half", "any"])
@pytest.mark.parametrize(("horizon", "epsilon"), [(1, 1.0), (6, 0.3), (200, 1.0), (700, 4.0)])
def test_agrees_with_all_outcomes_and_not_with_other_lengths(horizon, epsilon, lengths):
    found = exact_regret(NAME, MEANS, horizon, epsilon=epsilon, lengths=lengths)
    truth = of_two(horizon, epsilon, lengths)
    assert abs(found.regret[0] - truth) <= found.error[0] + 1e-10 * truth
    assert found.error[0] <= 1e-4 * truth
    if horizon > 6:
        other = of_two(horizon, epsilon, {"any": "second-half"}.get(lengths, "any"))
        assert abs(found.regret[0] - other) > 100 * found.error[0]


def test_sums_of_polynomials_are_exact():
    for many in (17, 100, 4096):
        values = chebyshev.chebvander(np.linspace(-1.0, 1.0, many), 8).sum(axis=0)
        np.testing.assert_allclose(prefixes.moments(many, 8), values, atol=1e-9)
        short = prefixes.moments(many + 1, 8)
        assert np.abs(short - values).max() > 0.9


@pytest.mark.parametrize("rate", [1e-5, 1e-3, 0.02])
def test_the_estimated_error_covers_that_of_the_interpolation(rate):
    """Of a plateau that falls off, where the sum is known to many digits."""

    def cost(s):
        return 1.0 / (1.0 + 1e6 * math.exp(-20.0) * math.expm1(min(rate * s, 700.0))), 0.0

    for after, last in ((0, 40), (64, 128), (1000, 30_000)):
        truth = math.fsum(cost(s)[0] for s in range(after + 1, last + 1))
        value, error = prefixes._summed(cost, after, last, 0.0)
        assert abs(value - truth) <= error + 1e-12 * truth
        assert error <= 2e-4 * truth


@pytest.mark.parametrize("arms", [2, 2**20])
@pytest.mark.parametrize("epsilon", [2.0**-20, 2.0**-6, 1.0, 16.0])
def test_on_fixed_losses_eight_and_the_mean_gap_are_enough_and_eight_is_needed(arms, epsilon):
    gap = 0.5
    found = exact_regret(
        NAME,
        (0.0, gap),
        2**60,
        epsilon=epsilon,
        counts=(1, arms - 1),
        environment="deterministic",
    )
    proved = 8.0 * math.log(arms) / epsilon
    assert found.regret[0] - found.error[0] <= proved + gap
    if epsilon < 1e-3:
        assert found.regret[0] > 0.99 * proved


def test_the_studies_can_say_violated():
    bench = bounds.Bench("cesari_colomboni_2026/controls", quick=True)
    points = bounds.per_unit(
        bench, "one", bounds.equal_gaps(64, 1.0), 2.0**-12, how="deterministic"
    )
    assert rule.of_points(points, False) == "not contradicted"
    for constant, said in ((8.0, "not contradicted"), (7.0, "violated")):
        held = [replace(p, bound=constant) for p in points]
        assert rule.of_points(held, False) == said
    for lengths, said in (("second-half", "no faster"), ("any", "faster")):
        by_name = {}
        for p in bounds.curves(bench, lengths):
            by_name.setdefault(p.series, []).append(p)
        for name, found in by_name.items():
            judged = rule.judge(bounds.curve(name, found), Ladder(CONSTANT, LOG))
            assert judged.answer == said
