"""What a learner is handed, what it may give, and what becomes of what it prints and costs."""

import functools
import re
import time
from dataclasses import replace

import numpy as np
import pytest

import dpaudit
from dpaudit.auditor.engines.black_box.sampling import LearnerSampler
from dpaudit.auditor.kinds import renyi
from dpaudit.auditor.kinds.groups import Groups
from dpaudit.auditor.search import make_pair, shrink
from dpaudit.errors import UsageError
from dpaudit.play.catalogue import resolve_target
from dpaudit.play.kinds.rows import NOTHING, numbers
from dpaudit.play.kinds.setting import Setting
from dpaudit.play.reach.chance import reachable
from dpaudit.results.audit import Guarantee
from dpaudit.run import process
from tests.kinds import learners


def rows(who, setting, pair, world=0, **parameters):
    """What is seen of a run."""
    target = resolve_target(who).told(horizon=9, delta=0.25, parameters=parameters)
    sampler = LearnerSampler(target, "x", 1.0, 7, setting=setting)
    return sampler.sample(pair, world, 1)[0].tolist()


PAIR = make_pair(np.zeros((6, 2)), 3, np.zeros(2), np.ones(2))


@pytest.mark.parametrize(
    ("batch", "delay", "told"),
    [
        (1, 0, [1, 2, 3, 4, 5, 6]),
        (3, 0, [0, 0, 3, 3, 3, 6]),
        (1, 2, [0, 0, 1, 2, 3, 4]),
        (2, 1, [0, 0, 2, 2, 4, 4]),
    ],
)
def test_late_feedback_comes_when_it_is_due(batch, delay, told):
    setting = Setting(sees="outputs", batch=batch, delay=delay)
    assert rows(learners.Sees, setting, PAIR) == told


def test_the_changed_round_is_hidden_from_the_others_and_left_out_of_one_world():
    arms = rows(learners.Sees, Setting(), PAIR)
    assert arms == [1, 0, 1, 0, 1, 0]
    assert rows(learners.Sees, Setting(sees="others"), PAIR) == [1, 0, 0, 1, 0]
    for world in (0, 1):
        gone = Setting("add-remove", "others")
        assert rows(learners.Sees, gone, PAIR, world) == [1, 0, 0, 1, 0]
    counted = [rows(learners.Sees, Setting("add-remove", "outputs"), PAIR, w) for w in (0, 1)]
    assert counted == [[1, 2, 4, 5, 6], [1, 2, 3, 4, 5]]


def test_a_class_of_which_parameters_are_bound_is_asked_what_the_class_is():
    asked = {"epsilon": 1.0, "arms": 1, "rounds": 2, "runs": 400, "workers": 1}
    found = dpaudit.audit(functools.partial(learners.Means, share=0.05), **asked)
    assert (found.verdict, found.sees) == ("violated", "actions+outputs")
    whole = Setting(sees="actions+outputs")
    assert whole.at_end(functools.partial(learners.Means, share=0.05))
    rng = np.random.default_rng(1)
    reached = [value for _, value in reachable(functools.partial(learners.Means, rng=rng))]
    assert any(value is rng for value in reached)


def test_what_is_left_out_of_a_pair_stays_so_where_it_is_made_simpler():
    pair = replace(make_pair(np.ones((6, 2)), 3, np.zeros(2), np.ones(2)), without=0)
    simple = shrink(pair, lambda simpler: simpler.without == 0)
    assert simple.shape == (4, 2)
    assert simple.rewards.sum() == 0
    assert simple.without == 0


def test_public_contexts_are_alike_in_both_worlds_and_private_ones_are_not():
    class Shows:
        def __init__(self, arms):
            self.seen = []

        def select(self, t, context):
            self.seen.append(context)
            return 0

        def observe(self, t, arm, reward):
            self.seen.append([reward])

        def outputs(self):
            return np.concatenate(self.seen)

    here, there = np.array([0.0, 0.0, 1.0, 0.0]), np.array([1.0, 1.0, 0.0, 1.0])
    pair = make_pair(np.zeros((2, 4)), 1, here, there)
    root = 2**-0.5
    seen = {
        (kind, world): rows(Shows, Setting(sees="outputs", contexts=f"{kind}:2"), pair, world)
        for kind in ("public", "private")
        for world in (0, 1)
    }
    assert seen["public", 0] == seen["private", 0] == pytest.approx([root, 0, 0, 0, 0, 0])
    assert seen["public", 1] == pytest.approx([root, 0, 1, 0, 0, 0])
    assert seen["private", 1] == pytest.approx([0, root, 1, 0, 0, 0])


def test_a_constructor_is_handed_what_it_names():
    target = resolve_target(learners.Sees)
    told = target.told(horizon=9, delta=0.25, parameters={"loud": "true"}, levels={"rho": 1.0})
    made = told.factory(**told.offered({"arms": 2, "epsilon": 1.0}), rng=None)
    assert made.given == {"delta": 0.25, "horizon": 9, "loud": True}
    with pytest.raises(UsageError, match="loudly: Sees does not take it; allowed is loud"):
        target.told(horizon=9, delta=0.0, parameters={"loudly": 1})


def test_whatever_is_published_is_a_row_of_numbers():
    value = {"b": [1, None, True], "a": np.array([[0.5], [np.nan]]), "c": {3, 1}}
    assert numbers(value) == [0.5, NOTHING, 1.0, NOTHING, 1.0, 1.0, 3.0]
    assert numbers("red") == numbers(np.str_("red")) != numbers("blue")
    assert numbers(float("inf")) == [1e18]
    with pytest.raises(UsageError, match="outputs: got <object object"):
        numbers(object())


def test_shuffled_reports_are_in_no_order():
    class Sends(learners.Alternates):
        def reports(self):
            return [[2, 0], [1, 5], [1, 3]][:: -1 if self.rng.random() < 0.5 else 1]

    target = resolve_target(Sends).told(horizon=9, delta=0.0, parameters={})
    for sees, many in (("reports", 2), ("shuffled", 1)):
        sampler = LearnerSampler(target, "x", 1.0, 7, setting=Setting(sees=sees))
        seen = sampler.sample(PAIR, 0, 40)
        assert len(np.unique(seen, axis=0)) == many
    assert seen[0].tolist() == [1, 3, 1, 5, 2, 0, 4, 8]


@pytest.mark.parametrize("changes", [1, 2, 5, 9])
def test_neighbours_differ_in_as_many_rounds_as_was_asked(changes):
    rng = np.random.default_rng(1)
    setting = Setting(f"rounds:{changes}")
    for pair in Groups(setting, 2).shaped([PAIR] * 30, rng):
        assert 1 <= len(pair.changed) <= changes
        assert pair.round == pair.changed[0]
    found = {tuple(p.changed) for p in Groups(setting, 2).shaped([PAIR] * 30, rng)}
    assert len(found) > 3 or changes in (1, 9)


def test_a_coin_shows_its_renyi_divergence_and_no_more():
    """Against the sum over outcomes, and for the normal law against what two outcomes may show."""
    p, q, order = 0.7, 0.2, 3.0
    exact = np.log(p**3 / q**2 + 0.3**3 / 0.8**2) / 2
    claim = Guarantee("rdp", 1.0, order=order)
    assert renyi.lower(p, q, claim) == pytest.approx(exact)
    assert renyi.lower(q, p, claim) == -np.inf
    rho = Guarantee.of("zcdp", 0.5)
    from scipy.special import ndtr

    cuts = np.linspace(-8, 8, 400)
    shown = max(renyi.lower(float(ndtr(1 - c)), float(ndtr(-c)), rho) for c in cuts)
    assert 0.3 < shown <= 0.5  # rho of N(1, 1) against N(0, 1) is 1/2
    level = renyi.lower(0.7, 0.2, rho)
    assert renyi.most_likely(0.2, level, rho) == pytest.approx(0.7)
    assert renyi.most_likely(0.9, 5.0, rho) > 1.0


@pytest.mark.parametrize("above", [1e-3, 1e-7, 1e-12, 4e-16])
def test_an_order_next_to_1_is_not_rounded_up(above):
    """The divergence rises with the order: at 1.001 it is 0.02016, at 1 0.02014."""
    shown = renyi.lower(0.6, 0.5, Guarantee("rdp", 1.0, order=1.0 + above))
    assert 0.0201355 < shown < 0.020156


def test_what_a_learner_prints_is_shown_once(capfd):
    dpaudit.audit(learners.Talks, epsilon=1.0, rounds=4, runs=400, workers=1)
    said = capfd.readouterr()
    assert said.out == ""
    lines = said.err.splitlines()
    assert lines[0].startswith("dpaudit: learner Talks printed ")
    assert [line.strip("| ") for line in lines[1:3]] == ["playing", "round 1 of many"]
    assert len(lines) <= 6


@pytest.mark.parametrize("who", [learners.SlowRounds, learners.SlowToMake])
def test_a_slow_learner_is_answered_in_time(who):
    began = time.monotonic()
    found = dpaudit.audit(who, epsilon=1.0, rounds=12, seconds=2.0, workers=1)
    assert found.verdict == "inconclusive"
    assert "anything: " in found.untested[0]
    assert time.monotonic() - began < 20.0


def test_an_error_inside_a_library_is_told_with_the_learner_s_own_line():
    class Inverts(learners.Alternates):
        def observe(self, t, arm, reward):
            np.linalg.inv(np.zeros((2, 2)))

    line = Inverts.observe.__code__.co_firstlineno + 1
    said = f"in round 1 it raised LinAlgError: Singular matrix (observe, line {line})"
    with pytest.raises(UsageError, match=re.escape(said)):
        rows(Inverts, Setting(), PAIR)
    with pytest.raises(np.linalg.LinAlgError) as raised:
        Inverts(2, 1.0, None).observe(1, 0, 0.0)
    assert process.error_text("it", raised.value).endswith(f"(observe, line {line})")
