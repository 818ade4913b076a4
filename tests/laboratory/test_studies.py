"""Simulated regret: right, reproducible, with honest bands; for algorithms and anyone's learner."""

import math

import numpy as np
import pytest

import dpaudit
from dpaudit.errors import UsageError
from dpaudit.laboratory.studies import log_spaced
from dpaudit.laboratory.tally import Tally, tallied

FIVE = [0.75, 0.625, 0.5, 0.375, 0.25]
DEVIATIONS = 5.3
"""Standard errors two correct estimates may differ by: false alarms below 1e-6 a comparison."""


class Uniform:
    """Plays at random; its regret is known."""

    def __init__(self, arms, epsilon, rng):
        self.arms, self.rng = arms, rng

    def select(self, t):
        return int(self.rng.integers(self.arms))

    def observe(self, t, arm, reward):
        self.last = reward


def same(first, second):
    keys = ("horizons", "mean", "low", "high", "quantiles")
    return all(np.array_equal(getattr(first, k), getattr(second, k)) for k in keys)


@pytest.mark.parametrize("name", ["anytime-lazy-ucb", "thompson"])
def test_any_number_of_workers_gives_the_same_bits(name):
    given = {"means": FIVE, "horizon": 2000, "runs": 3000, "epsilon": 0.5, "seed": 3}
    if name == "thompson":
        given.pop("epsilon")
    one, two, five = (dpaudit.regret(name, workers=w, **given) for w in (1, 2, 5))
    assert same(one, two)
    assert same(one, five)
    assert not same(one, dpaudit.regret(name, **{**given, "seed": 4}))


def test_leaps_and_rounds_agree_far_apart():
    given = {"means": FIVE, "epsilon": 0.5, "runs": 400, "points": 1, "horizon": 10**5}
    leaping = dpaudit.regret("anytime-lazy-ucb", **given)
    plain = dpaudit.play_environment(
        "anytime-lazy-ucb", FIVE, 10**5, epsilon=0.5, runs=100, seed=1, leaping=False, workers=2
    ).regret[:, 0]
    error = math.hypot(plain.std() / 10, (leaping.normal_high[0] - leaping.mean[0]) / 3.3)
    assert abs(leaping.mean[0] - plain.mean()) < DEVIATIONS * error
    assert (
        abs(leaping.mean[0] - 1.2 * plain.mean()) > DEVIATIONS * error
    )  # what 20 % would look like


def test_a_learner_class_of_known_regret():
    result = dpaudit.regret(Uniform, means=[0.8, 0.3], epsilon=1, horizon=100, runs=400, points=3)
    expected = 0.25 * result.horizons
    sd = 0.25 * np.sqrt(result.horizons / 400)
    assert np.all(np.abs(result.mean - expected) <= DEVIATIONS * sd)
    for low, high in ((result.low, result.high), (result.normal_low, result.normal_high)):
        assert np.all((low <= expected) & (expected <= high))
        assert not np.any((low <= expected - 12 * sd) & (expected - 12 * sd <= high))


def test_a_class_and_the_catalogue_agree_where_they_are_the_same_algorithm():
    def stepped(arms, epsilon, rng):
        return dpaudit.learner("ucb1", arms=arms, rng=rng)

    given = {"means": [0.9, 0.2], "horizon": 200, "points": 1, "runs": 300}
    ours = dpaudit.regret("ucb1", **given)
    theirs = dpaudit.regret(stepped, epsilon=1, **given)
    error = math.hypot(*((r.normal_high[0] - r.mean[0]) / 3.3 for r in (ours, theirs)))
    assert abs(ours.mean[0] - theirs.mean[0]) < DEVIATIONS * error


def test_finite_arms_of_values_0_and_1_are_bernoulli_arms():
    given = {"horizon": 1000, "runs": 4000, "points": 1, "epsilon": 0.5}
    finite = ([0, 0.4, 1], [[0.3, 0.0, 0.7], [0.6, 0.0, 0.4]])
    first = dpaudit.regret("anytime-lazy-ucb", environment=finite, **given)
    second = dpaudit.regret("anytime-lazy-ucb", means=[0.7, 0.4], seed=9, **given)
    assert first.means == pytest.approx([0.7, 0.4])
    error = math.hypot(*((r.normal_high[0] - r.mean[0]) / 3.3 for r in (first, second)))
    assert abs(first.mean[0] - second.mean[0]) < DEVIATIONS * error


def test_finite_arms_have_their_mean_and_variance_also_in_sums():
    from dpaudit.machine.feedback import finite_of_pulled, finite_sum_of_pulled

    support = np.array([[0.0, 0.3, 1.0], [0.2, 0.7, 1.0]])
    p, v = np.array([0.2, 0.5, 0.3]), support[0]
    mean, variance = p @ v, p @ v**2 - (p @ v) ** 2
    rng = np.random.default_rng(1)
    single = np.array([finite_of_pulled(support, 0, rng) for _ in range(20_000)])
    sums = np.array([finite_sum_of_pulled(support, 50, 0, rng) for _ in range(20_000)])
    for sample, times in ((single, 1), (sums, 50)):
        assert abs(sample.mean() - times * mean) < DEVIATIONS * math.sqrt(times * variance / 20_000)
        assert sample.var() == pytest.approx(times * variance, rel=0.07)
    assert set(np.unique(single)) == {0.0, 0.3, 1.0}


def test_a_sampler_is_called_once_a_round(tmp_path):
    calls = tmp_path / "calls"  # it is called in a process of its own

    def draw(rng):
        with calls.open("a") as file:
            file.write("1")
        return rng.random(2) * [1.0, 0.5]

    result = dpaudit.regret("ucb1", means=[0.5, 0.25], environment=draw, horizon=30, runs=4)
    assert len(calls.read_text()) == 120
    assert result.environment == "sampler"


def test_a_full_information_learner_gets_the_whole_vector():
    class Leader(Uniform):
        feedback = "full-information"

        def observe(self, t, arm, reward):
            assert np.shape(reward) == (3,)

    dpaudit.regret(Leader, means=[0.1, 0.2, 0.3], epsilon=1, horizon=5, runs=2)


def test_losses_turn_the_gap_around():
    result = dpaudit.regret("rnm-ftnl-gumbel", means=[0.9, 0.1], epsilon=1, horizon=64, points=1)
    assert result.mean[0] < 0.25 * 0.8 * 64  # rewards would give at least half of this


def tally_of(*pieces):
    tally = Tally.empty(pieces[0].shape[1])
    for piece in pieces:
        tally.add(tallied(piece))
    return tally


def test_tallies_add_up_and_quantiles_are_of_runs():
    rng = np.random.default_rng(0)
    data = rng.exponential(100.0, (5000, 2))
    whole = tally_of(data)
    parts = tally_of(*np.array_split(data, 7))
    assert parts.runs == 5000
    assert np.array_equal(parts.places, whole.places)
    assert np.array_equal(parts.counts, whole.counts)
    assert np.array_equal(parts.histogram, whole.histogram)
    assert parts.histogram.sum(axis=1).tolist() == [5000, 5000]
    assert parts.sums == pytest.approx(whole.sums)
    assert parts.mean == pytest.approx(data.mean(axis=0))
    assert parts.standard_error == pytest.approx(data.std(axis=0, ddof=1) / math.sqrt(5000))
    for level in (0.05, 0.5, 0.95):
        assert parts.quantile(level) == pytest.approx(np.quantile(data, level, axis=0), rel=0.012)
    assert tally_of(np.zeros((3, 1))).quantile(0.5)[0] == 0.0
    assert math.isinf(tally_of(np.zeros((1, 1))).standard_error[0])


def test_horizons_are_different_and_end_at_the_last():
    for last, points in ((1, 25), (7, 25), (10**12, 25), (2**60, 60)):
        ends = log_spaced(last, points)
        assert ends[-1] == last
        assert np.all(np.diff(ends) > 0)
        assert len(ends) <= points


@pytest.mark.parametrize(
    ("means", "horizon", "note"),
    [
        ([0.5, 0.5], 10, "gap undefined"),
        ([0.5, 0.5, 0.1], 10, "2 arms are best"),
        ([0.5, 0.2, 0.1], 2, "shorter than one pull of every arm"),
    ],
)
def test_odd_instances_are_played_and_remarked_on(means, horizon, note):
    result = dpaudit.regret("ucb1", means=means, horizon=horizon, runs=5)
    assert any(note in text for text in result.notes)


def test_an_algorithm_that_needs_the_horizon_says_which_it_was_told():
    result = dpaudit.regret("dp-ts-ucb", means=[0.5, 0.4], horizon=50, runs=2, points=2)
    assert any("told 50" in note for note in result.notes)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"means": [0.5, 1.5]}, "means: got"),
        ({"means": None}, "means: none given"),
        ({"horizon": 0}, "horizon: got 0"),
        ({"horizon": 2.5}, "horizon: got 2.5"),
        ({"runs": 0}, "runs: got 0"),
        ({"points": 0}, "points: got 0"),
        ({"confidence": 1.0}, "confidence: got 1.0"),
        ({"environment": "gaussian"}, "environment: got 'gaussian'"),
        ({"environment": ([0, 2], [[0.5, 0.5]])}, "environment: allowed"),
        ({"environment": ([0, 1], [[0.5, 0.6]])}, "environment: an arm's probabilities"),
        ({"environment": lambda _: [1.0]}, "environment: in round 1 the function returned"),
        ({"target": Uniform}, "epsilon: none given"),
        ({"target": "ucb-1"}, "algorithm: unknown name 'ucb-1'"),
        ({"target": Uniform, "epsilon": 1, "factor": 2}, "factor: Uniform does not take it"),
        ({"target": "ucb1", "exact": True}, "target: got 'ucb1', which has no exact engine"),
        ({"target": Uniform, "epsilon": 1, "exact": True}, "exact: only catalogue algorithms"),
    ],
)
def test_bad_input_is_one_line(changed, message):
    given = {"target": "ucb1", "means": [0.6, 0.4], "horizon": 10, "runs": 3, **changed}
    with pytest.raises(UsageError) as error:
        dpaudit.regret(given.pop("target"), **given)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("bad", [7, 0.5, None])
def test_a_learner_that_misbehaves_is_named_with_its_round(bad):
    class Bad(Uniform):
        def select(self, t):
            return 0 if t < 4 else bad

    with pytest.raises(UsageError, match=r"Bad: in round 4 select returned"):
        dpaudit.regret(Bad, means=[0.6, 0.4], epsilon=1, horizon=10, runs=1)


def test_an_interrupt_keeps_the_blocks_that_are_done():
    def stop(done, total):
        if done >= 100:
            raise KeyboardInterrupt

    result = dpaudit.regret(
        "ucb1", means=[0.6, 0.4], horizon=100_000, runs=2000, workers=1, progress=stop
    )
    assert not result.complete
    assert 100 <= result.runs < 2000


def test_uniform_play_is_exact():
    result = dpaudit.regret("uniform", means=[0.8, 0.3], horizon=2**60, exact=True)
    assert result.mean[-1] == pytest.approx(0.25 * 2**60)
