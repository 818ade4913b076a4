"""Algorithms whose books are wrong: the conformance suite fails every one of them."""

import dataclasses
import math

import pytest

from dpaudit.machine.compiling import with_globals
from dpaudit.machine.releases import laplace
from dpaudit.play.catalogue import find
from dpaudit.testing import ALGORITHM_CHECKS, Subject
from dpaudit.testing.algorithms import (
    each_pseudocode_line_is_cited_once,
    python_equals_compiled,
)

CHECKS = [
    check
    for check in ALGORITHM_CHECKS
    if check not in (python_equals_compiled, each_pseudocode_line_is_cited_once)
]


def a_raw_sum_decides(own, arm, rng):
    laplace(own, arm.total, arm.total_in_neighbour, 1.0 / own.epsilon, rng)
    return arm.total


def noise_is_added_by_hand(own, arm, rng):
    return arm.total + rng.laplace(0.0, 1.0 / own.epsilon)


def the_release_is_of_nothing(own, arm, rng):
    return arm.total + laplace(own, 0.0, 0.0, 1.0 / own.epsilon, rng)


def noise_is_shrunk_after_the_release(own, arm, rng):
    noisy = laplace(own, arm.total, arm.total_in_neighbour, 1.0 / own.epsilon, rng)
    return arm.total + 0.5 * (noisy - arm.total)


def the_book_is_set_back(own, arm, rng):
    loss, pure = own.loss, own.pure
    noisy = laplace(own, arm.total, arm.total_in_neighbour, 1.0 / own.epsilon, rng)
    own.loss, own.pure = loss, pure
    return noisy


def a_release_only_where_the_sum_is_large(own, arm, rng):
    if arm.total < 0.6:
        return 0.0
    return laplace(own, arm.total, arm.total_in_neighbour, 1.0 / own.epsilon, rng)


def the_scale_follows_the_data(own, arm, rng):
    scale = (1.0 + arm.total) / own.epsilon
    return laplace(own, arm.total, arm.total_in_neighbour, scale, rng)


def whole_rewards_pass_raw(own, arm, rng):
    noisy = laplace(own, arm.total, arm.total_in_neighbour, 1.0 / own.epsilon, rng)
    return noisy + int(arm.total)


def the_neighbour_is_taken_for_the_same(own, arm, rng):
    return laplace(own, arm.total, arm.total, 1.0 / own.epsilon, rng)


def half_of_the_difference_is_booked(own, arm, rng):
    there = 0.5 * (arm.total + arm.total_in_neighbour)
    return laplace(own, arm.total, there, 1.0 / own.epsilon, rng)


def as_it_should_be(own, arm, rng):
    return laplace(own, arm.total, arm.total_in_neighbour, 1.0 / own.epsilon, rng)


release = as_it_should_be


def observe(arms, own, arm, pulls, reward, reward_in_neighbour, rng):
    pulled = arms[arm]
    pulled.pending += pulls
    pulled.total += reward
    pulled.total_in_neighbour += reward_in_neighbour
    if pulled.pending == 1 << (pulled.epoch + 1):
        pulled.noisy_mean = release(own, pulled, rng) / pulled.pending
        pulled.width = math.sqrt(3.0 / pulled.pending)
        pulled.noise_width = 3.0 / (own.epsilon * pulled.pending)
        pulled.epoch += 1
        pulled.pending = 0
        pulled.total = 0.0
        pulled.total_in_neighbour = 0.0


def complaints(bad, checks):
    """Which checks fail for Anytime-Lazy-UCB with another release, as plain Python."""
    algorithm = dataclasses.replace(
        find("anytime-lazy-ucb"), observe=with_globals(observe, "observe", {"release": bad})
    )
    said = []
    for check in checks:
        try:
            check(Subject(algorithm, 1.0, {}, python=True))
        except AssertionError:
            said.append(check.__name__)
    return said


PAST = "private_data_leaves_through_releases_only"
WORLDS = "releases_compare_the_two_worlds"
WRONG = {
    a_raw_sum_decides: PAST,
    noise_is_added_by_hand: PAST,
    the_release_is_of_nothing: PAST,
    noise_is_shrunk_after_the_release: PAST,
    the_book_is_set_back: "bookings_are_those_of_the_releases",
    a_release_only_where_the_sum_is_large: PAST,
    the_scale_follows_the_data: PAST,
    whole_rewards_pass_raw: PAST,
    the_neighbour_is_taken_for_the_same: WORLDS,
    half_of_the_difference_is_booked: WORLDS,
}


@pytest.mark.parametrize("bad", WRONG, ids=lambda f: f.__name__)
def test_a_wrong_book_is_noticed(bad):
    assert complaints(bad, [check for check in CHECKS if check.__name__ == WRONG[bad]])


def test_the_right_book_is_not():
    assert complaints(as_it_should_be, CHECKS) == []
