"""Lower bounds: their limits, their definitions on grids, and that no learner is below them."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from dpaudit.laboratory.exact.regret import exact_regret
from dpaudit.laboratory.lower_bounds import (
    bandits,
    by_epsilon,
    full_information,
    lower_bounds,
    strongest,
    yardstick,
)
from dpaudit.laboratory.lower_bounds.beside import bounds_for
from dpaudit.laboratory.scaling.measuring import STAIRS, Bench, Instance, scaled
from dpaudit.machine.indices import bernoulli_kl

FIVE = (0.75, 0.625, 0.5, 0.375, 0.25)
ARMS = [(x, 1) for x in FIVE]
GRID = [(x, y) for x in (0.0, 0.05, 0.3, 0.6, 0.9) for y in (0.1, 0.35, 0.61, 0.95) if x != y]
EPSILONS = (0.01, 0.1, 0.5, 1.0, 3.0, 10.0)
OPTIMA = json.loads((Path(__file__).parents[3] / "reports/optima.json").read_text())["entries"]


def on_a_grid(x, y, epsilon):
    """The definition: the smallest over z."""
    z = np.linspace(min(x, y), max(x, y), 20_001)
    return min(epsilon * abs(x - each) + bernoulli_kl(float(each), y) for each in z)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_divergence_is_the_infimum_that_defines_it(epsilon):
    for x, y in GRID:
        found, least = bandits.divergence(x, y, epsilon), on_a_grid(x, y, epsilon)
        # The grid's smallest value is above the infimum, by the square of its step.
        assert found <= least + 1e-12
        assert found == pytest.approx(least, rel=1e-5, abs=1e-9)


def test_the_comparison_with_the_grid_sees_a_wrong_divergence():
    wrong = [(x, y) for x, y in GRID
             if abs(min(bernoulli_kl(x, y), abs(x - y)) - on_a_grid(x, y, 1.0)) > 1e-3]  # fmt: skip
    assert wrong


def test_the_divergence_lies_below_both_of_what_it_joins_and_tends_to_them():
    for x, y in GRID:
        before = 0.0
        for epsilon in EPSILONS:
            found = bandits.divergence(x, y, epsilon)
            assert before <= found <= min(bernoulli_kl(x, y), epsilon * abs(x - y)) * (1 + 1e-12)
            before = found
        # For x = 0 the best z is never x itself, but tends to it.
        assert bandits.divergence(x, y, 700.0) == pytest.approx(bernoulli_kl(x, y), rel=1e-9)
        assert bandits.divergence(x, y, 1e-6) == pytest.approx(1e-6 * abs(x - y), rel=1e-4)


def test_without_privacy_the_bounds_are_those_of_lai_and_robbins():
    plain = bandits.lai_robbins(ARMS)
    assert plain == pytest.approx(sum((0.75 - x) / bernoulli_kl(x, 0.75) for x in FIVE[1:]))
    for rate in (bandits.azize_et_al, bandits.azize_basu):
        assert rate(ARMS, 50.0) == pytest.approx(plain, rel=1e-12)
        assert rate(ARMS, 0.01) > 2 * plain
    assert bandits.shariff_sheffet(ARMS, 0.5) == pytest.approx(4 / 100)


def test_the_newer_bound_is_never_weaker_than_the_older_ones():
    for epsilon in EPSILONS:
        newer = bandits.azize_et_al(ARMS, epsilon)
        assert newer >= bandits.azize_basu(ARMS, epsilon) * (1 - 1e-12)
        assert newer >= bandits.shariff_sheffet(ARMS, epsilon)


def test_a_mean_of_one_leaves_no_bernoulli_arm_that_is_better():
    assert bandits.lai_robbins([(1.0, 1), (0.5, 1)]) == 0.0
    found = lower_bounds([1.0, 0.5], [1000], feedback="bandit", epsilon=1.0)
    assert not any(bound.asymptotic for bound in found)


def below_the_optimum(factor):
    """Where a bound times the factor is above what some private learner reaches."""
    wrong = []
    for e in OPTIMA:
        gap = e["instance_gap"]
        losses = [0.5 - gap / 2] + [0.5 + gap / 2] * (e["arms"] - 1)
        bounds = lower_bounds(
            losses, [e["rounds"]], feedback=e["feedback"], epsilon=e["epsilon"], payoff="losses"
        )
        best = strongest(bounds, asymptotic=False)
        if factor * best.values[-1] > e["value"]:
            wrong.append(e)
    return wrong


def test_no_bound_is_above_the_optimum_of_all_private_learners():
    """The published optima are exact: the worst labelling of two arms, K = 2, up to 6 rounds."""
    assert len(OPTIMA) >= 30
    assert below_the_optimum(1.0) == []


def test_a_bound_that_is_a_tenth_too_large_is_seen():
    assert below_the_optimum(1.1)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("arms", [2, 5, 64])
def test_the_exact_regret_of_private_learners_is_above(arms, epsilon):
    # It opens with the first arm: the labelling in which that is the best one is not the worst.
    rewards = np.array([0.5] * (arms - 1) + [0.6])
    horizons = 2 ** np.arange(1, 40, 6)
    bounds = lower_bounds(rewards, horizons, feedback="full-information", epsilon=epsilon)
    found = exact_regret("rnm-ftnl-repaired", rewards, horizons, epsilon=epsilon)
    most = found.regret + found.error
    names = {bound.name for bound in bounds}
    assert {"testing", "group privacy"} <= names
    assert ("Theorem 12" in names) == (arms >= 4)
    for bound in bounds:
        assert np.all(np.diff(bound.values) >= 0.0)
        assert np.all(bound.values <= most)


def test_more_privacy_costs_more_than_a_learner_of_less_privacy_pays():
    """A control: what holds for epsilon = 0.01 is not true of a learner at epsilon = 1."""
    rewards, horizon = np.array([0.6] + [0.5] * 63), [2**39]
    bound = strongest(lower_bounds(rewards, horizon, feedback="full-information", epsilon=0.01))
    paid = exact_regret("rnm-ftnl-repaired", rewards, np.array(horizon), epsilon=1.0)
    assert bound.name == "group privacy"
    assert paid.regret[-1] < bound.values[-1]


def test_sums_over_rounds_are_what_their_closed_forms_say():
    rounds = np.array([1.0, 2.0, 7.0, 50.0, 4000.0])
    [asked] = full_information.exchanges([(0.6, 1), (0.5, 4)])[1:]
    grows = 1 + 0.1 * math.expm1(0.3)
    divergence = bernoulli_kl(0.6, 0.5)
    for t, private, plain in zip(
        rounds,
        full_information.group_privacy(asked, 0.3, rounds),
        full_information.fano(asked, rounds),
        strict=True,
    ):
        at = np.arange(int(t))
        assert private == pytest.approx(0.1 * np.maximum(1 - grows**at / 5, 0).sum())
        left = 1 - (at * divergence + math.log(2)) / math.log(5)
        assert plain == pytest.approx(0.1 * np.maximum(left, 0).sum())


def test_theorem_7_is_below_the_sum_that_it_bounds_and_tends_to_its_limit():
    for arms, epsilon in ((4, 1.0), (100, 0.1), (2**20, 0.5)):
        at = np.arange(4000)
        terms = (arms - 3) / (3 * np.exp(np.minimum(at * epsilon, 700)) + arms - 3)
        for rounds in (1, 10, 4000):
            found = full_information.theorem_7(arms, epsilon, np.array([float(rounds)]))[0]
            assert 0.0 < found <= terms[:rounds].sum() * (1 + 1e-12)
        assert found == pytest.approx(math.log(arms / 3) / epsilon, rel=1e-6)


def test_the_papers_instances_are_known_however_they_are_written():
    losses = [0.0, 0.1, 0.1, 1.0, 1.0, 1.0]
    about = {"feedback": "full-information", "environment": "deterministic"}
    found = lower_bounds(losses, [100], epsilon=0.1, payoff="losses", **about)
    assert "Theorem 7" in {bound.name for bound in found}
    assert "testing" not in {bound.name for bound in found}  # of known losses one row tells all
    other = lower_bounds([0.0, 0.1, 0.2, 1.0], [100], epsilon=0.1, payoff="losses", **about)
    assert "Theorem 7" not in {bound.name for bound in other}


def test_where_nothing_is_known_nothing_is_said():
    about = {"feedback": "bandit", "epsilon": 1.0}
    assert lower_bounds([0.5, 0.5], [100], **about) == []
    assert lower_bounds([0.7, 0.5], [100], environment="finite", **about) == []
    # Two best arms: a learner that errs between them loses nothing.
    tied = lower_bounds([0.7, 0.7, 0.5], [100], **about)
    assert tied
    assert all(bound.asymptotic for bound in tied)


def test_learners_without_pure_privacy_get_no_private_bound():
    found = lower_bounds(FIVE, [100], feedback="bandit", epsilon=None)
    assert [bound.name for bound in found] == ["Lai-Robbins", "testing"]
    recalled = {
        b.name for b in lower_bounds(FIVE, [100], feedback="bandit", epsilon=1.0) if b.recalled
    }
    assert recalled == {"Azize et al.", "Azize-Basu", "Shariff-Sheffet"}


@pytest.mark.parametrize("feedback", ["bandit", "full-information"])
def test_bounds_by_epsilon_are_those_of_each_epsilon(feedback):
    means, given = [0.25, 0.75, 0.75], {"feedback": feedback, "payoff": "losses"}
    epsilons = [0.1, 0.5, 2.0]
    found = by_epsilon(means, 100, epsilons, **given)
    names = [name for bound in found for name in bound.name.split("; ")]
    assert len(set(names)) == len(names) > 0
    for place, epsilon in enumerate(epsilons):
        for one in lower_bounds(means, [100], epsilon=epsilon, **given):
            [same] = [b for b in found if one.name in b.name.split("; ")]
            assert same.values[place] == pytest.approx(one.values[-1], rel=1e-9)


GROUPED = [
    ("bernoulli", (0.6, 0.5), (1, 7)),
    ("bernoulli", (0.5, 0.6, 0.45), (3, 1, 4)),
    ("deterministic", (1.0, 0.9, 0.0), (1, 2, 9)),
    ("bernoulli", (0.7, 0.5), (2, 3)),
]


@pytest.mark.parametrize(("environment", "means", "counts"), GROUPED)
@pytest.mark.parametrize("feedback", ["bandit", "full-information"])
def test_groups_of_arms_are_the_arms_one_by_one(environment, means, counts, feedback):
    about = {"feedback": feedback, "environment": environment, "epsilon": 0.3}
    horizons = [1, 50, 10**6]
    grouped = lower_bounds(means, horizons, counts=counts, **about)
    single = lower_bounds(np.repeat(means, counts), horizons, **about)
    assert [b.name for b in grouped] == [b.name for b in single]
    for one, other in zip(grouped, single, strict=True):
        assert one.values == pytest.approx(other.values, rel=1e-12)
    if means != (0.7, 0.5):
        fewer = lower_bounds(means, horizons, counts=[1] * len(means), **about)
        assert [b.values[-1] for b in fewer] != [b.values[-1] for b in grouped]


def test_a_group_may_have_more_arms_than_a_machine_counts():
    found = lower_bounds(
        (0.6, 0.5), [10**18], counts=(1, 2**320), feedback="full-information", epsilon=0.1
    )
    values = {b.name: float(b.values[-1]) for b in found}
    # Theorem 12: ln K/(20 epsilon gap) rounds cost 0.4 gap each.
    assert values["Theorem 12"] == pytest.approx(
        0.04 * math.floor(320 * math.log(2) / 0.2), rel=0.01
    )
    assert all(math.isfinite(v) and v > 0.0 for v in values.values())


def test_the_yardstick_is_asymptotic_for_bandits_only():
    for feedback, name in (("bandit", "Azize et al."), ("full-information", "testing")):
        best = yardstick(lower_bounds(FIVE, [10**6], feedback=feedback, epsilon=0.5))
        assert (best.name, best.asymptotic) == (name, feedback == "bandit")
    assert yardstick([]) is None


def test_what_holds_for_a_reading_is_what_holds_for_all():
    """Nothing is proved of readings: the private bound is not taken for them."""
    about = {"epsilon": 0.1, "environment": "bernoulli"}
    plain = bounds_for("lazy-dp-ts", FIVE, [10**6], **about)
    reading = bounds_for("lazy-dp-ts", FIVE, [10**6], parameters={"log": "base 2"}, **about)
    assert "Azize et al." in {b.name for b in plain}
    assert {b.name for b in reading} == {"Lai-Robbins", "testing"}
    assert bounds_for("uniform", FIVE, [10**6], **about) == []
    assert bounds_for("ucb1", FIVE, [10**6], epsilon=None, environment=object()) == []


def test_points_of_a_study_have_what_is_possible_at_least():
    bench = Bench("a study")
    arms = Instance("five", (0.75, 0.5), (1, 4))
    points, _ = bench.simulate("s", "ucb1", arms, [2**10, 2**12], 4)
    rate = bandits.lai_robbins([(0.75, 1), (0.5, 4)])
    assert [p.least for p in points] == pytest.approx([rate * math.log(p.horizon) for p in points])
    assert {p.least_by for p in points} == {"Lai-Robbins ~"}
    assert points[0].times == points[0].regret / points[0].least
    assert list(bench.lower_bounds) == ["Lai-Robbins ~"]
    twice = scaled(points[0], 2.0)
    assert (twice.least, twice.regret) == (2 * points[0].least, 2 * points[0].regret)
    # Where nothing is known nothing is said.
    fixed = bench.exact("s", "follow-the-leader", Instance("two", (0.0, 0.5), (1, 1)), [64])
    assert [(p.least, p.times, p.least_by) for p in fixed] == [(None, None, "")]


def test_an_asymptotic_bound_above_what_idlers_lose_is_not_taken():
    """At gap 1/sqrt(T) ln T/gap is more than play at random loses."""
    near = Instance("near", (0.5 + 2.0**-5, 0.5), (1, 1))
    points, _ = Bench("a study").simulate("s", "ucb1", near, [2**10, 2**16], 4)
    assert [p.least_by for p in points] == ["testing", "Lai-Robbins ~"]
    assert all(p.least <= p.idle for p in points)


def test_phases_have_the_mean_of_what_each_has_at_least():
    points, _ = Bench("a study").averaged("s", "anytime-lazy-ucb", [0.25], [2**12], 4, epsilon=0.5)
    parts = [
        2.0**-phase
        * yardstick(
            bounds_for("anytime-lazy-ucb", (0.9, 0.9 - 0.25 * 2.0**-phase), [2**12],
                       epsilon=0.5 * 2.0**-phase)
        ).values[0]
        for phase in STAIRS
    ]  # fmt: skip
    assert points[0].least == pytest.approx(np.mean(parts))
    assert points[0].least != pytest.approx(parts[0])
