"""Learners that keep Laplace noise: the closed form, and the laws that are made of it."""

import dataclasses
import math

import flint
import numpy as np
import pytest
from scipy.stats import binomtest, chi2

import dpaudit
from dpaudit.curves.answer import privacy_curve, privacy_losses
from dpaudit.curves.noise.forms import Asks, Fields, aware
from dpaudit.curves.noise.laplace import chance
from dpaudit.curves.noise.laws import letter_logs, noisy_laws, noisy_losses, noisy_table_laws
from dpaudit.curves.tradeoff import largest_loss
from dpaudit.errors import UsageError
from dpaudit.play.catalogue import catalogue
from dpaudit.play.tables import configured

COVERED = ("private-ucb", "dp-ucb-bound", "dp-ucb", "adap-ucb", "anytime-lazy-ucb")
RUNS = 100_000
FALSE_ALARM = 1e-6
"""Of each test, for all that it compares together."""


def who(name, rounds, epsilon=1.0):
    return configured(name, arms=2, rounds=rounds, epsilon=epsilon, parameters={})


def matrix(*rows):
    return np.array(rows, float)


def test_known_probabilities():
    third = matrix([1, -1, 0], [1, 0, -1])
    assert float(chance(matrix([1, -1]), np.zeros(1))) == 0.5
    assert float(chance(third, np.zeros(2))) == pytest.approx(1 / 3, abs=1e-16)
    for b in (-3.0, 0.0, 0.5):
        below = 0.5 * math.exp(b) if b < 0 else 1 - 0.5 * math.exp(-b)
        assert float(chance(matrix([2]), np.array([2 * b]))) == pytest.approx(below, abs=1e-16)
        # x - y <= b has 1 - (2 + b) e^-b / 4 for b >= 0.
        apart = 1 - (2 + abs(b)) * math.exp(-abs(b)) / 4
        apart = 1 - apart if b < 0 else apart
        assert float(chance(matrix([1, -1]), np.array([b]))) == pytest.approx(apart, abs=1e-16)
    assert float(chance(np.zeros((0, 0)), np.zeros(0))) == 1.0
    assert not chance(matrix([1], [-1]), np.array([-1.0, -1.0])) > 1e-100


def systems(seed, count):
    """Small whole numbers: many of their vertices coincide."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        rows = rng.integers(-2, 3, (rng.integers(1, 5), rng.integers(1, 6))).astype(float)
        yield rows, rng.integers(-1, 3, len(rows)).astype(float), rng


def p_of(rows, thresholds, rng, expected):
    drawn = rng.laplace(size=(RUNS // 2, rows.shape[1]))
    inside = int((drawn @ rows.T <= thresholds + 1e-9).all(axis=1).sum())
    return binomtest(inside, len(drawn), min(max(expected, 0.0), 1.0)).pvalue


def test_the_closed_form_is_the_share_of_draws():
    for rows, thresholds, rng in systems(3, 25):
        ball = chance(rows, thresholds)
        assert float(ball.rad()) < 1e-100
        assert p_of(rows, thresholds, rng, float(ball)) > FALSE_ALARM / 25


def test_another_threshold_is_seen():
    """The control: a tenth of a scale more."""
    seen = 0
    for rows, thresholds, rng in systems(3, 25):
        seen += p_of(rows, thresholds, rng, float(chance(rows, thresholds + 0.1))) < FALSE_ALARM
    assert seen > 10


def test_a_half_space_and_its_complement_have_all_the_mass():
    for rows, thresholds, _ in systems(5, 10):
        for k in range(len(rows)):
            if rows[k].any():
                turned = rows.copy(), thresholds.copy()
                turned[0][k], turned[1][k] = -rows[k], -thresholds[k]
                rest = np.delete(rows, k, 0), np.delete(thresholds, k)
                with flint.ctx.workprec(1000):
                    left = chance(rows, thresholds) + chance(*turned) - chance(*rest)
                assert left.contains(0)
                assert abs(float(left)) < 1e-100


def p_value(law, actions):
    counts = np.bincount(actions @ (1 << np.arange(actions.shape[1])[::-1]), minlength=len(law))
    expected = len(actions) * law
    assert counts[expected == 0].sum() == 0
    kept = expected > 5
    statistic = ((counts - expected) ** 2 / np.where(kept, expected, 1.0))[kept].sum()
    return chi2.sf(statistic, kept.sum() - 1)


def law_of(learner, table):
    """Probability by sequence, the first action leading."""
    logs = noisy_table_laws(letter_logs(learner, len(table)))
    number = sum(int(2 * a + b) * 4 ** (len(table) - 2 - t) for t, (a, b) in enumerate(table[:-1]))
    return np.exp(logs[number])


@pytest.mark.parametrize("name", COVERED)
def test_the_law_is_that_of_the_steps_as_they_are_played(name):
    rounds = 4 if name == "dp-ucb" else 5
    table = np.random.default_rng(7).integers(0, 2, (rounds, 2)).astype(float)
    law = law_of(who(name, rounds), table)
    assert law.sum() == pytest.approx(1.0, abs=1e-12)
    actions = dpaudit.play_tables(name, table, runs=RUNS, seed=1, epsilon=1.0).actions
    assert p_value(law, actions) > FALSE_ALARM
    pair = noisy_laws(who(name, rounds), table, 1.0 - table)
    assert np.allclose(np.sort(np.exp(pair.here)), np.sort(law[law > 0]), atol=1e-12)


def test_another_scale_is_seen():
    """The control: three tenths more noise."""
    table = np.random.default_rng(7).integers(0, 2, (5, 2)).astype(float)
    actions = dpaudit.play_tables("adap-ucb", table, runs=RUNS, seed=1, epsilon=1.0).actions
    assert p_value(law_of(who("adap-ucb", 5, 1 / 1.3), table), actions) < FALSE_ALARM


def test_losses_are_the_worst_of_all_pairs():
    learner = who("dp-ucb-bound", 4)
    found = noisy_losses(letter_logs(learner, 4), 3)
    for worst in found:
        assert 0 < (worst.here != worst.there).any(axis=1).sum() <= worst.changed
        assert largest_loss(noisy_laws(learner, worst.here, worst.there)) >= worst.loss - 1e-9
    tables = noisy_table_laws(letter_logs(learner, 4))
    numbers = np.arange(len(tables))
    for m in (1, 2, 3):
        changed = sum(
            (numbers[:, None] // 4**t % 4 != numbers[None, :] // 4**t % 4).astype(int)
            for t in range(3)
        )
        possible = tables[0] > -np.inf
        loss = max(
            np.abs(tables[a][possible] - tables[b][possible]).max()
            for a, b in np.argwhere((changed > 0) & (changed <= m))
        )
        assert found[m - 1].loss == pytest.approx(loss, abs=1e-12)


def test_it_agrees_with_the_engine_that_audits():
    """Another derivation, for one learner: chains of one-dimensional integrals."""
    audit = dpaudit.audit("anytime-lazy-ucb", epsilon=1.0, arms=2, rounds=5, engine="exact")
    result = privacy_losses("anytime-lazy-ucb", rounds=5, most=1)
    assert result.losses[0].epsilon == pytest.approx(audit.lower_bound, abs=1e-9)


def test_a_third_of_the_noise_is_three_times_the_loss_at_most_and_breaks_the_claim():
    """The law is of the steps, not of the name."""
    entry = catalogue()["anytime-lazy-ucb"]

    class Less:
        def __init__(self, rng):
            self.rng = rng

        def laplace(self, location, scale):
            return self.rng.laplace(location, scale / 3.0)

    def observe(arms, own, arm, pulls, reward, reward_in_neighbour, rng):
        entry.observe(arms, own, arm, pulls, reward, reward_in_neighbour, Less(rng))

    weak = dataclasses.replace(entry, observe=observe)
    sound = noisy_losses(letter_logs(who("anytime-lazy-ucb", 5), 5), 1)[0].loss
    broken = noisy_losses(letter_logs(who(weak, 5), 5), 1)[0].loss
    assert sound <= 1.0 + 1e-12 < broken <= 3.0 + 1e-12


def test_all_tables_and_one_pair_through_the_front_door():
    result, _ = privacy_curve("private-ucb", rounds=4, everything=True)
    pair, found = privacy_curve("private-ucb", rounds=4)
    assert pair.mu_high <= result.mu_high
    assert pair.epsilon <= result.epsilon < 1.0
    assert np.exp(found.here).sum() == pytest.approx(1.0)
    half, _ = privacy_curve("private-ucb", rounds=4, epsilon=0.5)
    assert half.epsilon < pair.epsilon


@pytest.mark.parametrize(
    ("name", "given", "why"),
    [
        ("dp-ts", {"rounds": 4}, "draws beta"),
        ("dp-klucb", {"rounds": 4}, "too many comparisons"),
        ("rnm-ftnl-laplace", {"rounds": 4}, "not covered"),
        ("private-ucb", {"rounds": 9}, "keeps its noise are at most 8"),
        ("private-ucb", {"rounds": 7, "everything": True}, "at most 6 for all tables"),
        ("private-ucb", {"rounds": 4, "epsilon": 0}, "epsilon"),
    ],
)
def test_what_is_not_covered_is_refused(name, given, why):
    with pytest.raises(UsageError, match=why):
        privacy_curve(name, **given)


def test_what_is_too_small_to_be_resolved_is_no_impossible_event():
    """A loss of 300 is not an infinite one. The control: 100 is resolved, and is the claim."""
    found = privacy_losses("dp-ucb-bound", rounds=4, most=1, epsilon=100.0)
    assert found.losses[0].epsilon == pytest.approx(100.0, abs=1e-6)
    for epsilon in (300.0, 700.0):
        with pytest.raises(UsageError, match="is not resolved"):
            privacy_losses("dp-ucb-bound", rounds=4, most=1, epsilon=epsilon)


def test_contradictions_have_no_probability_and_the_same_said_twice_has():
    apart = matrix([1, -1], [-1, 1])
    for b in (-1.0, 0.0, 1e-300):
        assert chance(apart, np.array([-b, b])).is_zero()
        assert chance(apart, np.array([b, -b])).is_zero()
    assert not chance(apart, np.array([0.5, 0.0])).is_zero()
    assert float(chance(matrix([1, -1], [1, -1]), np.array([0.0, 0.0]))) == 0.5
    assert float(chance(matrix([0, 0], [0, 0], [1, 0]), np.array([0.5, 0.5, 0.0]))) == 0.5


def test_a_whole_number_holds_no_noise():
    """An array would cut it off, which no linear form does."""
    asks = Asks(0)
    (record,) = aware([Fields(n=1, x=0.0, whole_numbers=frozenset({"n"}))], asks)
    record.n = 2.7
    record.x = asks.laplace(0.0, 1.0)
    assert record.n == 2
    with pytest.raises(UsageError, match="not linear"):
        record.n = record.x
