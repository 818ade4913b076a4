"""Algorithms whose bookings hang on more than the actions: what is booked along a forced path says
nothing of another run. And some that do something similar, and whose bookings do not."""

import dataclasses
from dataclasses import dataclass
from typing import Any

from dpaudit.algorithm.contract import each_arm_once
from dpaudit.machine.releases import laplace
from tests.prover.hostile_made import made, quiet

NOISY: dict[str, Any] = {}
"""Those that must be refused."""
COUNTED: dict[str, "Known"] = {}
"""Those that are shown."""
OWN = {"level": float, "rate": float, "leader": int}
SUMS = {"sums": (float, 8), "sums_in_neighbour": (float, 8)}


@dataclass(frozen=True)
class Known:
    """With the most that two arms and six rounds can book, by hand."""

    algorithm: Any
    most: float


def noisy(step="observe", **given):
    def register(function):
        given.setdefault("own", OWN)
        name = function.__name__
        NOISY[name] = made(name, **{step: function}, **given)
        return function

    return register


def counted(most, step="observe", **given):
    def register(function):
        given.setdefault("own", OWN)
        name = function.__name__
        COUNTED[name] = Known(made(name, **{step: function}, **given), most)
        return function

    return register


def release(arms, own, arm, scale, rng):
    """Of the arm's sum, which is kept."""
    total, there = arms[arm].total, arms[arm].total_in_neighbour
    arms[arm].noisy = laplace(own, total, there, scale / own.epsilon, rng)


# Whether something is released.


@noisy()
def a_flag_of_a_release_lets_release(arms, own, arm, pulls, reward, there, rng):
    quiet(arms, own, arm, pulls, reward, there, rng)
    if arms[arm].flag <= 0.0:
        release(arms, own, arm, 1.0, rng)
        arms[arm].flag = arms[arm].noisy


@counted(3.0)
def a_flag_of_the_count_lets_release(arms, own, arm, pulls, reward, there, rng):
    """On the pulls 1, 2, 3 of an arm, of which the first reward is in all."""
    quiet(arms, own, arm, pulls, reward, there, rng)
    if arms[arm].flag <= 2.0:
        release(arms, own, arm, 1.0, rng)
        arms[arm].flag = arms[arm].n


@noisy()
def a_coin_lets_release(arms, own, arm, pulls, reward, there, rng):
    quiet(arms, own, arm, pulls, reward, there, rng)
    if rng.random() < 0.5:
        release(arms, own, arm, 1.0, rng)


@noisy()
def a_count_of_what_was_large_lets_release(arms, own, arm, pulls, reward, there, rng):
    """The field that decides holds whole numbers, and is moved by a field that is not counted."""
    quiet(arms, own, arm, pulls, reward, there, rng)
    if own.playing < 2:
        release(arms, own, arm, 1.0, rng)
    if arms[arm].noisy > 0.5:
        own.level += 1.0
    own.playing = int(own.level)


@counted(2.0)
def a_count_of_rounds_lets_release(arms, own, arm, pulls, reward, there, rng):
    quiet(arms, own, arm, pulls, reward, there, rng)
    if own.playing < 2:
        release(arms, own, arm, 1.0, rng)
    own.level += 1.0
    own.playing = int(own.level)


@noisy()
def the_leader_is_released(arms, own, arm, pulls, reward, there, rng):
    """In true play the leader is the arm that was pulled before; a forced path knows no leader."""
    quiet(arms, own, arm, pulls, reward, there, rng)
    if own.leader == arm:
        release(arms, own, arm, 1.0, rng)
    for j in range(len(arms)):
        if arms[j].noisy > own.level:
            own.leader = j


@noisy()
def a_coin_lets_the_reward_itself_out(arms, own, arm, pulls, reward, there, rng):
    """It is not kept: no later round books anything of it."""
    if rng.random() < 0.5:
        own.noisy = laplace(own, reward, there, 1.0 / own.epsilon, rng)


# By how much noise it is hidden.


@noisy()
def the_scale_is_of_a_release(arms, own, arm, pulls, reward, there, rng):
    quiet(arms, own, arm, pulls, reward, there, rng)
    release(arms, own, arm, 1.0 + abs(arms[arm].noisy), rng)


@noisy()
def the_scale_was_drawn_by_a_coin(arms, own, arm, pulls, reward, there, rng):
    quiet(arms, own, arm, pulls, reward, there, rng)
    release(arms, own, arm, 1.0 + own.rate, rng)
    own.rate = rng.random()


@counted(sum(1 / n for n in range(1, 7)))
def the_scale_is_of_the_count(arms, own, arm, pulls, reward, there, rng):
    quiet(arms, own, arm, pulls, reward, there, rng)
    release(arms, own, arm, float(arms[arm].n), rng)


@noisy()
def a_coin_says_how_much_of_it(arms, own, arm, pulls, reward, there, rng):
    quiet(arms, own, arm, pulls, reward, there, rng)
    part = rng.random()
    total, other = part * arms[arm].total, part * arms[arm].total_in_neighbour
    arms[arm].noisy = laplace(own, total, other, 1.0 / own.epsilon, rng)


@noisy()
def a_scale_below_zero_pays_back(arms, own, arm, pulls, reward, there, rng):
    quiet(arms, own, arm, pulls, reward, there, rng)
    release(arms, own, arm, 2.5 - arms[arm].n, rng)


# What of it is left.


@noisy()
def a_release_says_whether_to_forget(arms, own, arm, pulls, reward, there, rng):
    quiet(arms, own, arm, pulls, reward, there, rng)
    release(arms, own, arm, 1.0, rng)
    if arms[arm].noisy > 0.0:
        arms[arm].total = 0.0
        arms[arm].total_in_neighbour = 0.0


@counted(2.0)
def the_count_says_whether_to_forget(arms, own, arm, pulls, reward, there, rng):
    quiet(arms, own, arm, pulls, reward, there, rng)
    release(arms, own, arm, 1.0, rng)
    if arms[arm].n % 2 == 0:
        arms[arm].total = 0.0
        arms[arm].total_in_neighbour = 0.0


@noisy(arm=SUMS)
def a_coin_says_where_it_is_kept(arms, own, arm, pulls, reward, there, rng):
    """The first pull's reward; the first place is released in each later one."""
    first, first_there = arms[arm].sums[0], arms[arm].sums_in_neighbour[0]
    arms[arm].noisy = laplace(own, first, first_there, 1.0 / own.epsilon, rng)
    place = 0
    if rng.random() < 0.5:
        place = 3
    if arms[arm].n == 0:
        arms[arm].sums[place] = reward
        arms[arm].sums_in_neighbour[place] = there
    arms[arm].n += 1


@counted(2.0, arm=SUMS)
def the_count_says_where_it_is_kept(arms, own, arm, pulls, reward, there, rng):
    """The first place is released in the next two pulls, and then it is written to."""
    first, first_there = arms[arm].sums[0], arms[arm].sums_in_neighbour[0]
    arms[arm].noisy = laplace(own, first, first_there, 1.0 / own.epsilon, rng)
    place = 0
    if arms[arm].n % 2 == 1:
        place = 3
    arms[arm].n += 1
    arms[arm].sums[place] = reward
    arms[arm].sums_in_neighbour[place] = there


@noisy()
def what_is_cut_off_hangs_on_the_data(arms, own, arm, pulls, reward, there, rng):
    quiet(arms, own, arm, pulls, reward, there, rng)
    total, other = min(arms[arm].total, 1.5), min(arms[arm].total_in_neighbour, 1.5)
    arms[arm].noisy = laplace(own, total, other, 1.0 / own.epsilon, rng)


# Before an arm is chosen.


@noisy("select")
def what_leads_is_released(arms, own, t, rng):
    best = 0
    for j in range(len(arms)):
        if arms[j].noisy >= own.level:
            release(arms, own, j, 1.0, rng)
            best = j
    return best


@counted(5.0, "select")
def all_are_released(arms, own, t, rng):
    """After the round of the change, in each round once."""
    best = 0
    for j in range(len(arms)):
        release(arms, own, j, 1.0, rng)
        if arms[j].noisy >= own.level:
            best = j
    return best


def by_noise(arms, own, t, rng):
    if rng.random() < 0.5:
        return 0
    return 1


def in_turn_at_first(arms, own, t, rng):
    if t <= len(arms):
        return t - 1
    return by_noise(arms, own, t, rng)


@counted(1.0, select=in_turn_at_first)
def the_third_pull_is_dear(arms, own, arm, pulls, reward, there, rng):
    quiet(arms, own, arm, pulls, reward, there, rng)
    if arms[arm].n == 3:
        release(arms, own, arm, 1.0, rng)


NOISY["an_opening_that_is_none"] = dataclasses.replace(
    made("an_opening_that_is_none", observe=the_third_pull_is_dear, select=by_noise, own=OWN),
    opening=each_arm_once,
)
COUNTED["an_opening_that_is_one"] = Known(
    dataclasses.replace(
        made("an_opening", observe=the_third_pull_is_dear, select=in_turn_at_first, own=OWN),
        opening=each_arm_once,
    ),
    1.0,
)
