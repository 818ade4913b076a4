"""The Hypothesis strategies draw what they say, and shrink to what a person can check."""

import numpy as np
import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

import dpaudit
from dpaudit.strategies import environments, neighbouring_pairs, reward_tables, rewards

FRESH = settings(database=None, deadline=None)


@given(neighbouring_pairs())
def test_a_pair_differs_in_exactly_its_round(pair):
    differing = np.flatnonzero((pair.rewards != pair.neighbour).any(axis=1))
    assert differing.tolist() == [pair.round - 1]
    assert pair.rewards.shape == pair.neighbour.shape


@given(reward_tables(arms=3, rounds=st.integers(2, 5), binary=False))
def test_tables_are_of_the_size_asked_for(table):
    assert table.shape[1] == 3
    assert 2 <= len(table) <= 5
    assert ((table >= 0) & (table <= 1)).all()


@settings(max_examples=20, deadline=None)
@given(environments())
def test_environments_can_be_played(environment):
    result = dpaudit.regret(
        "ucb1",
        means=environment.means,
        environment=environment.environment,
        horizon=20,
        runs=3,
        points=2,
    )
    assert (result.mean >= 0).all()


@pytest.mark.parametrize("rounds", [1, 3])
def test_pairs_shrink_to_zeros_and_one_change(rounds):
    found = find(neighbouring_pairs(), lambda pair: len(pair.rewards) >= rounds, settings=FRESH)
    assert found.rewards.shape == (rounds, 2)
    assert found.rewards.sum() + found.neighbour.sum() == 1
    assert found.round == 1


def test_a_violation_is_found_and_shrunk_by_hypothesis():
    """The forced booking of a learner that forgets to compose exceeds 1 on a small pair."""

    def leaks(pair):
        plays = dpaudit.play_tables("dp-ucb", pair.rewards, pair.neighbour, epsilon=1.0, runs=20)
        return plays.pure.max() > 1.5

    found = find(neighbouring_pairs(arms=2, rounds=st.integers(1, 8)), leaks, settings=FRESH)
    assert len(found.rewards) <= 6
    assert found.rewards.sum() + found.neighbour.sum() == 1


@given(rewards(binary=False))
def test_rewards_are_in_the_unit_interval(reward):
    assert 0.0 <= reward <= 1.0
