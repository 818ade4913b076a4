"""What is released once, when a counter has come to its number, is booked once; a counter that
comes to its number again, or a release that goes on, is not."""

import pytest

from dpaudit.machine.releases import laplace
from dpaudit.prover.prove import prove
from tests.prover.hostile_made import made


def unguarded(arms, own, arm, pulls, reward, there, rng):
    pulled = arms[arm]
    pulled.n += 1
    pulled.total += reward
    pulled.total_in_neighbour += there
    if pulled.n == 3:
        pulled.noisy = laplace(own, pulled.total, pulled.total_in_neighbour, 1.0 / own.epsilon, rng)


def observe(arms, own, arm, pulls, reward, there, rng):
    pulled = arms[arm]
    if pulled.n >= 3:
        return
    unguarded(arms, own, arm, pulls, reward, there, rng)


def begun_again(arms, own, arm, pulls, reward, there, rng):
    pulled = arms[arm]
    if pulled.n >= 3:
        pulled.n = 0
        return
    unguarded(arms, own, arm, pulls, reward, there, rng)


def counting_down(arms, own, arm, pulls, reward, there, rng):
    pulled = arms[arm]
    pulled.n -= 1
    pulled.total += reward
    pulled.total_in_neighbour += there
    if pulled.n == 3:
        pulled.noisy = laplace(own, pulled.total, pulled.total_in_neighbour, 1.0 / own.epsilon, rng)
        pulled.n = 5


def from_then_on(arms, own, arm, pulls, reward, there, rng):
    pulled = arms[arm]
    pulled.n += 1
    pulled.total += reward
    pulled.total_in_neighbour += there
    if pulled.n >= 3:
        pulled.n = 3
        pulled.noisy = laplace(own, pulled.total, pulled.total_in_neighbour, 1.0 / own.epsilon, rng)


def twice(arms, own, arm, pulls, reward, there, rng):
    pulled = arms[arm]
    pulled.n += 1
    pulled.total += reward
    pulled.total_in_neighbour += there
    if pulled.n == 3 or pulled.n == 4:
        pulled.noisy = laplace(own, pulled.total, pulled.total_in_neighbour, 1.0 / own.epsilon, rng)


def dearer_at_once(arms, own, arm, pulls, reward, there, rng):
    """The changed round, where it is the third, costs ten times as much."""
    pulled = arms[arm]
    pulled.n += 1
    pulled.total += reward
    pulled.total_in_neighbour += there
    if pulled.n == 2:
        own.noisy = laplace(own, reward, there, 0.1 / own.epsilon, rng)
    if pulled.n == 3:
        pulled.noisy = laplace(own, pulled.total, pulled.total_in_neighbour, 1.0 / own.epsilon, rng)


def counted_by_the_noise(arms, own, arm, pulls, reward, there, rng):
    pulled = arms[arm]
    pulled.n += 1
    if pulled.noisy > 1.0:
        pulled.n = 0
    pulled.total += reward
    pulled.total_in_neighbour += there
    if pulled.n == 3:
        pulled.noisy = laplace(own, pulled.total, pulled.total_in_neighbour, 1.0 / own.epsilon, rng)


def selects_anew(arms, own, t, rng):
    if t == 8:
        arms[0].n = 0
    return t % len(arms)


@pytest.mark.parametrize(
    ("step", "bound"), [(observe, 1.0), (unguarded, 1.0), (dearer_at_once, 11)]
)
def test_a_release_at_a_number_is_booked_once_for_every_horizon(step, bound):
    found = prove(made("once", observe=step))
    assert (found.bound, found.rounds, found.arms) == (bound, "every", "every")
    assert found.counted == ["arm0.n: all turns together book at most 1"]


@pytest.mark.parametrize(
    "step", [begun_again, counting_down, from_then_on, twice, counted_by_the_noise]
)
def test_what_comes_again_is_not_booked_once(step):
    assert prove(made("again", observe=step)).bound is None


def test_a_counter_that_the_choice_of_an_arm_sets_back_counts_nothing():
    assert prove(made("again", observe=observe, select=selects_anew)).bound is None
