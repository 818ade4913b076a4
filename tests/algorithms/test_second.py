"""Every entry against its second definition: from one seed they choose the same arms, and from
streams of their own they have the same law."""

import functools
import math

import numpy as np
import pytest

from dpaudit.play.catalogue import catalogue
from dpaudit.play.tables import configured
from dpaudit.testing.subject import run
from tests.algorithms.second import second
from tests.algorithms.second.settings import ours, settings_of

FALSE_ALARM = 1e-6
"""Of each comparison in law."""
THEIRS, OURS = 600, 2500
"""Runs of the second definition, which is slow, and of ours, compiled."""

# Arms, rounds, epsilon and parameters with which noise and bonuses decide within few rounds.
SMALL = {
    "dp-ts": (2, 64, 100.0, {}),
    "dp-ucb-bound": (2, 64, 60.0, {}),
    "dp-ucb-bound-repaired": (2, 64, 120.0, {}),
    "dp-ucb": (2, 64, 4.0, {}),
    "dp-ucb-repaired": (2, 64, 8.0, {}),
    "private-ucb": (2, 64, 2000.0, {}),
    "dp-se": (2, 1100, 0.1, {"beta": 1.0}),
    "dp-ucb-int": (2, 64, 1.0, {}),
    "lazy-dp-ts": (2, 64, 10.0, {}),
    "anytime-lazy-ucb": (2, 128, 20.0, {}),
    "adap-ucb": (2, 128, 20.0, {}),
    "adap-klucb": (2, 128, 20.0, {}),
    "m-ts-gaussian": (2, 64, 1.0, {"b": 3, "c": 2.0}),
}
USUAL = (2, 64, 0.5, {})
MEANS = (0.3, 0.8)
BLIND = {"ts-gaussian", "m-ts-gaussian", "dp-ts-ucb", "dp-ucb-int"}
"""Their noise does not depend on epsilon."""


@pytest.mark.parametrize("name", catalogue())
def test_with_the_same_draws_the_same_arms_are_played(name):
    for setting in settings_of(name):
        assert ours(catalogue()[name], setting) == setting.second(name), setting


def coins(rng, arms, rounds, means):
    return (rng.random((rounds, arms)) < np.resize(means, arms)).astype(float)


def counts(actions):
    """How often the first arm was played by a quarter, a half and all of the rounds."""
    first = np.cumsum(np.asarray(actions) == 0)
    return [int(first[len(first) * part // 4 - 1]) for part in (1, 2, 4)]


@functools.cache
def our_counts(name):
    arms, rounds, epsilon, given = SMALL.get(name, USUAL)
    who = configured(catalogue()[name], arms=arms, rounds=rounds, epsilon=epsilon, parameters=given)
    rng = np.random.default_rng([1, 2026])
    found = []
    for i in range(OURS):
        table = coins(rng, arms, rounds, MEANS)
        found.append(counts(run(who, table, table, 10_000 + i, python=False).actions))
    return np.array(found)


def their_counts(name, epsilon_times=1.0, means=MEANS):
    arms, rounds, epsilon, given = SMALL.get(name, USUAL)
    rng = np.random.default_rng([7, 77])
    found = []
    for _ in range(THEIRS):
        table = coins(rng, arms, rounds, means)
        found.append(counts(second(name)(table, epsilon_times * epsilon, rng, **given)))
    return np.array(found)


def distance(one, other):
    """The largest Kolmogorov-Smirnov distance over the horizons."""
    values = np.union1d(one, other)
    laws = [
        [np.searchsorted(np.sort(x[:, h]), values, side="right") / len(x) for h in range(3)]
        for x in (one, other)
    ]
    return float(np.abs(np.subtract(*laws)).max())


# Dvoretzky, Kiefer & Wolfowitz with Massart's constant, for both samples at three horizons.
LIMIT = sum(math.sqrt(math.log(2 * 6 / FALSE_ALARM) / (2 * n)) for n in (THEIRS, OURS))


@pytest.mark.parametrize("name", catalogue())
def test_with_draws_of_their_own_the_laws_are_the_same(name):
    assert distance(our_counts(name), their_counts(name)) <= LIMIT


@pytest.mark.parametrize("name", catalogue())
def test_another_law_is_noticed(name):
    """Noise four times as large; where that is large already, much less. Where epsilon does not
    set it, the arms' means are exchanged."""
    private = catalogue()[name].card.privacy.notion != "none" and name not in BLIND
    others = [{"epsilon_times": 0.25}, {"epsilon_times": 40.0}]
    others = others[: 1 if name in SMALL else 2] if private else [{"means": MEANS[::-1]}]
    assert any(distance(our_counts(name), their_counts(name, **how)) > LIMIT for how in others)
