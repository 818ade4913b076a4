"""Every algorithm, in every reading, passes the conformance suite; each check can fail."""

import dataclasses
import math
import random

import numpy as np
import pytest

from dpaudit.algorithm.contract import Algorithm
from dpaudit.errors import UsageError
from dpaudit.machine.compiling import replacing
from dpaudit.machine.releases import laplace
from dpaudit.play.catalogue import catalogue, find
from dpaudit.testing import (
    ALGORITHM_CHECKS,
    LEARNER_CHECKS,
    Subject,
    check_learner,
    checks_for,
    noise,
    reach,
)
from dpaudit.testing.subject import assert_same, reward_table

THE_23 = """
anytime-lazy-ucb lazy-dp-ts rnm-ftnl ftnl dp-ts dp-ucb-bound dp-ucb dp-ucb-int rnm-ftnl-laplace
rnm-ftnl-exponential rnm-ftnl-gumbel dp-ts-ucb ts-gaussian m-ts-gaussian dp-se adap-ucb adap-klucb
private-ucb ucb1 kl-ucb thompson follow-the-leader hedge
""".split()
"""The names of the five papers' algorithms, which are relied on from outside."""


DEVIATIONS = {
    ("dp-ts", "printed"): {
        "actions_depend_on_the_noise": "it decides by the non-private mean, as printed"
    }
}


def readings():
    """The default of each entry, and each alternative value of each parameter of words."""
    for name, entry in catalogue().items():
        yield name, {}
        for parameter in entry.card.parameters:
            if parameter.name not in entry.card.fixed:
                for word in parameter.words:
                    if word != parameter.default:
                        yield name, {parameter.name: word}
    yield "lazy-dp-ts", {"log_base": 2}
    yield "dp-ts-ucb", {"alpha": 0.0}
    yield "m-ts-gaussian", {"b": 3, "c": 2.5}
    yield "dp-ucb-int", {"schedule": "lemma-y", "v": 1.5}


@pytest.mark.parametrize(
    ("name", "parameters"),
    list(readings()),
    ids=lambda v: v if isinstance(v, str) else str(v or ""),
)
def test_every_entry_in_every_reading_passes_the_conformance_suite(name, parameters):
    check_learner(
        name,
        epsilon=0.3,
        expected_failures=DEVIATIONS.get((name, *parameters.values())),
        **parameters,
    )


def test_the_names_that_are_relied_on_stay_in_the_catalogue():
    assert set(THE_23) <= set(catalogue())


def test_a_repaired_entry_repairs_another():
    for name in catalogue():
        original = name.removesuffix("-repaired")
        if name != original:
            assert find(original).card.where == find(name).card.where.removesuffix(", repaired")


# Negative controls: a learner or algorithm that breaks just the thing a check is for.


class Good:
    def __init__(self, arms, epsilon, rng):
        self.arms, self.rng, self.t = arms, rng, 0

    def select(self, t):
        return int(self.rng.integers(self.arms))

    def observe(self, t, arm, reward):
        self.t += 1


class SharedState(Good):
    calls = 0

    def select(self, t):
        SharedState.calls += 1
        return SharedState.calls // 7 % self.arms


class GlobalRandom(Good):
    def select(self, t):
        return random.randrange(self.arms)


class OutOfRange(Good):
    def select(self, t):
        return 2


class ChangesRewards(Good):
    feedback = "full-information"

    def observe(self, t, arm, reward):
        reward[0] = 0.25


class LooksAround(Good):
    """Reads the caller's table: what was not pulled is seen."""

    def observe(self, t, arm, reward):
        import sys

        self.peeked = sys._getframe(1).f_locals["table"][t - 1].sum()

    def select(self, t):
        return int(getattr(self, "peeked", 0) * 1000) % self.arms


class KnowsTheEnd(Good):
    def select(self, t):
        import sys

        return int(sys._getframe(1).f_locals["rounds"]) % self.arms


BROKEN_LEARNERS = {
    "same_seed_gives_same_actions": SharedState,
    "no_global_randomness": GlobalRandom,
    "edge_cases": OutOfRange,
    "unpulled_rewards_are_not_read": LooksAround,
    "anytime_has_the_prefix_property": KnowsTheEnd,
}


def failed_checks(target):
    try:
        check_learner(target)
    except AssertionError as error:
        return str(error)
    return ""


def test_a_good_learner_passes():
    check_learner(Good)


def test_a_learner_that_changes_the_rewards_it_is_handed_is_caught():
    assert "observe changed the rewards" in failed_checks(ChangesRewards)


@pytest.mark.parametrize("check", LEARNER_CHECKS, ids=lambda c: c.__name__)
def test_each_learner_check_fails_on_a_learner_broken_for_it(check):
    assert check.__name__ in failed_checks(BROKEN_LEARNERS[check.__name__])


def hasty_leap(arms, own, t, arm):
    return 5


def leaking_select(arms, own, t, rng):
    if t <= len(arms):
        return t - 1
    return int(arms[0].total * 10.0) % len(arms)


def noisy_even_without_noise(arms, own, arm, pulls, reward, reward_in_neighbour, rng):
    arms[arm].pulls += 1
    arms[arm].total += reward + rng.laplace(0.0, 1.0)
    arms[arm].average = arms[arm].total / arms[arm].pulls
    arms[arm].width = math.sqrt(2.0 / arms[arm].pulls)


def releases_late(arms, own, arm, pulls, reward, reward_in_neighbour, rng):
    arms[arm].pending += pulls
    if arms[arm].pending > 100_000:
        arms[arm].noisy_mean = laplace(own, reward, reward_in_neighbour, 1.0 / own.epsilon, rng)


def takes_its_own_reward_for_the_neighbour(arms, own, arm, pulls, reward, reward_in_neighbour, rng):
    arms[arm].total += reward
    arms[arm].total_in_neighbour += reward if arms[arm].pending == 3 else reward_in_neighbour
    arms[arm].pending += 1
    here, there = arms[arm].total, arms[arm].total_in_neighbour
    arms[arm].noisy_mean = laplace(own, here, there, 1.0 / own.epsilon, rng)


def sets_the_book_back(arms, own, arm, pulls, reward, reward_in_neighbour, rng):
    arms[arm].noisy_mean = laplace(own, reward, reward_in_neighbour, 1.0 / own.epsilon, rng)
    own.pure = min(own.pure, 1.0)


def quiet_laplace(own, value, value_in_neighbour, scale, rng):
    """Books more noise than it adds."""
    if value != value_in_neighbour:
        own.pure += abs(value - value_in_neighbour) / scale
    return value + rng.laplace(0.0, scale / 1.3)


def is_quiet(arms, own, arm, pulls, reward, reward_in_neighbour, rng):
    arms[arm].noisy_mean = quiet_laplace(own, reward, reward_in_neighbour, 1.0 / own.epsilon, rng)


def wastes_its_release(arms, own, arm, pulls, reward, reward_in_neighbour, rng):
    arms[arm].total = laplace(own, reward, reward_in_neighbour, 1.0 / own.epsilon, rng)


def thirty_rounds(arms, own):
    return 30


def broken(check):
    lazy, ucb1 = find("anytime-lazy-ucb"), find("ucb1")
    return {
        "every_release_is_reached": dataclasses.replace(lazy, observe=releases_late),
        "releases_compare_the_two_worlds": dataclasses.replace(
            lazy, observe=takes_its_own_reward_for_the_neighbour
        ),
        "bookings_are_those_of_the_releases": dataclasses.replace(lazy, observe=sets_the_book_back),
        "released_noise_is_what_is_booked": dataclasses.replace(lazy, observe=is_quiet),
        "opening_depends_on_nothing": dataclasses.replace(lazy, opening=thirty_rounds),
        "actions_depend_on_the_noise": dataclasses.replace(lazy, observe=wastes_its_release),
        "leaps_reproduce_single_rounds": dataclasses.replace(lazy, leap=hasty_leap),
        "private_data_leaves_through_releases_only": dataclasses.replace(
            lazy, select=leaking_select
        ),
        "without_noise_it_is_its_parent": dataclasses.replace(
            ucb1,
            card=dataclasses.replace(ucb1.card, parent="ucb1"),
            observe=noisy_even_without_noise,
        ),
        "each_pseudocode_line_is_cited_once": dataclasses.replace(
            lazy, card=dataclasses.replace(lazy.card, pseudocode=lazy.card.pseudocode[1:])
        ),
        "python_equals_compiled": dataclasses.replace(lazy, observe=reads_a_global),
    }[check]


SCALE = 1.0


def reads_a_global(arms, own, arm, pulls, reward, reward_in_neighbour, rng):
    """Compiled code keeps the value that a global had when it was compiled."""
    arms[arm].noisy_mean = laplace(own, reward, reward_in_neighbour, SCALE, rng)


@pytest.mark.parametrize("check", ALGORITHM_CHECKS, ids=lambda c: c.__name__)
def test_each_algorithm_check_fails_on_an_algorithm_broken_for_it(check, monkeypatch):
    subject = broken(check.__name__)
    assert isinstance(subject, Algorithm)
    if check.__name__ == "released_noise_is_what_is_booked":
        monkeypatch.setattr(noise, "NOISY", (quiet_laplace,))
        monkeypatch.setattr(reach, "NOISY", (quiet_laplace,))
    if check.__name__ == "python_equals_compiled":
        check(Subject(subject, 1.0, {}))
        monkeypatch.setitem(globals(), "SCALE", 2.0)
    with pytest.raises(AssertionError):
        check(Subject(subject, 1.0, {}))


def without_noise(own, value, value_in_neighbour, scale, rng):
    rng.laplace(0.0, scale)
    return value


def test_successive_elimination_without_its_noise_is_caught():
    """Its first release comes after some three thousand rounds."""
    entry = find("dp-se")
    silent = replacing(entry, {laplace: without_noise})
    bare = Subject(dataclasses.replace(entry, **silent), 1.0, {})
    assert noise.private_data_leaves_through_releases_only in checks_for(bare.algorithm)
    with pytest.raises(
        AssertionError, match=r"rewards reach a decision past the releases.*number "
    ):
        noise.private_data_leaves_through_releases_only(bare)


def test_long_sequences_are_compared_without_drawing_the_comparison():
    """A comparison drawn by pytest goes deeper than Python's recursion."""
    long = list(range(20_000))
    assert_same(long, list(long), "never said")
    with pytest.raises(AssertionError, match=r"^plays: number 20000 is 19999, and -1$"):
        assert_same(long, [*long[:-1], -1], "plays")
    with pytest.raises(AssertionError, match=r"^plays: 20000 long, and 19999$"):
        assert_same(long, long[:-1], "plays")


def test_a_release_that_waits_is_named_with_its_line():
    late = dataclasses.replace(find("anytime-lazy-ucb"), observe=releases_late)
    missing = reach.reach(Subject(late, 1.0, {})).missing
    line = releases_late.__code__.co_firstlineno + 3
    assert len(missing) == 1
    assert missing[0].startswith(f"laplace at test_conformance.py, line {line} happened 0 times")


@pytest.mark.parametrize("name", ["laplace", "safe_laplace", "gaussian"])
def test_the_law_of_a_release_is_told_from_one_a_little_wider(name):
    release = {each.__name__: each for each in reach.NOISY}[name]
    limit = math.sqrt(math.log(2 / noise.FALSE_ALARM) / (2 * noise.DRAWS))
    near, far = noise._law_of_scalars(release, 0.7, np.random.default_rng(5))
    assert near <= limit < far


def test_an_expected_failure_must_fail_and_have_a_known_name():
    check_learner(OutOfRange, expected_failures={c.__name__: "arm 2" for c in LEARNER_CHECKS[2:3]})
    with pytest.raises(AssertionError, match="expected to fail"):
        check_learner(Good, expected_failures={"edge_cases": "not really"})
    with pytest.raises(UsageError, match="no check is called"):
        check_learner(Good, expected_failures={"edge_case": "typo"})
    assert len(checks_for("ucb1")) == len(LEARNER_CHECKS) + len(ALGORITHM_CHECKS)


def test_state_fields_that_numpy_would_shadow_are_refused():
    lazy = find("anytime-lazy-ucb")
    with pytest.raises(TypeError, match="'mean' is a name of numpy's own"):
        _ = dataclasses.replace(lazy, arm={"mean": float}).arm_dtype


def test_the_tables_of_the_suite_do_not_repeat():
    assert not np.array_equal(reward_table(5, 2, 1), reward_table(5, 2, 2))
