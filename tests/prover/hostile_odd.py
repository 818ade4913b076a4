"""Algorithms that pass private data by Python's own ways, and by functions of private numbers."""

import math
import operator
import random

from dpaudit.machine.releases import laplace, noisy_argmax
from tests.prover.hostile_made import TINY, hostile, quiet

KEPT = [0.0, 0.0]


class Kept:
    x = 0.0
    y = 0.0


# Python's own ways.


@hostile()
def a_comparison_that_is_compared(arms, own, arm, pulls, reward, there, rng):
    if (reward > 0.5) == True:  # noqa: E712
        own.playing += 1


@hostile()
def two_comparisons_that_are_compared(arms, own, arm, pulls, reward, there, rng):
    if (reward > 0.5) != (reward > 2.0):
        own.playing += 1


@hostile(step="select")
def a_comparison_is_the_arm(arms, own, t, rng):
    return arms[1].total > arms[0].total


@hostile()
def what_cannot_be_run_is_caught(arms, own, arm, pulls, reward, there, rng):
    try:
        if reward > 0.5:
            own.playing += 1
    except Exception:
        own.playing += 0


@hostile()
def as_text(arms, own, arm, pulls, reward, there, rng):
    if str(float(reward)) == "1.0":
        own.playing += 1


@hostile()
def by_type(arms, own, arm, pulls, reward, there, rng):
    if isinstance(reward, float):
        own.noisy = laplace(own, reward, there, TINY / own.epsilon, rng)


@hostile()
def kept_in_a_default(arms, own, arm, pulls, reward, there, rng, kept=[0.0, 0.0]):  # noqa: B006
    own.noisy = laplace(own, kept[0], kept[1], TINY / own.epsilon, rng)
    kept[0] = reward
    kept[1] = there


@hostile()
def kept_in_a_list(arms, own, arm, pulls, reward, there, rng):
    own.noisy = laplace(own, KEPT[0], KEPT[1], TINY / own.epsilon, rng)
    KEPT[0] = reward
    KEPT[1] = there


@hostile()
def kept_in_a_class(arms, own, arm, pulls, reward, there, rng):
    own.noisy = laplace(own, Kept.x, Kept.y, TINY / own.epsilon, rng)
    Kept.x = reward
    Kept.y = there


@hostile()
def kept_in_a_global(arms, own, arm, pulls, reward, there, rng):
    global LAST, LAST_THERE
    own.noisy = laplace(own, LAST, LAST_THERE, TINY / own.epsilon, rng)
    LAST = reward
    LAST_THERE = there


LAST = LAST_THERE = 0.0


@hostile()
def set_by_name(arms, own, arm, pulls, reward, there, rng):
    operator.setitem(KEPT, 0, reward)
    own.noisy = KEPT[0]


@hostile()
def identity(arms, own, arm, pulls, reward, there, rng):
    if own.count is own.playing:
        own.noisy = laplace(own, reward, there, TINY / own.epsilon, rng)


# Functions that look.


def third_field(arms):
    x = 0.0
    for j in range(len(arms)):
        x += arms[j][1]
    return x


def every_field(arms):
    x = 0.0
    for each in arms[0]:
        x += each
    return x


def largest_field(arms):
    x = 0.0
    for j in range(len(arms)):
        x = max(arms[j])
    return x


def alike(arms):
    for j in range(1, len(arms)):
        if arms[0] == arms[j]:
            return 1
    return 0


@hostile(step="select")
def a_field_by_its_number(arms, own, t, rng):
    return int(third_field(arms)) % len(arms)


@hostile(step="select")
def all_fields_in_turn(arms, own, t, rng):
    return int(every_field(arms)) % len(arms)


@hostile(step="select")
def the_largest_field(arms, own, t, rng):
    return int(largest_field(arms)) % len(arms)


@hostile(step="select")
def whole_records_compared(arms, own, t, rng):
    return alike(arms)


def summed_leap(arms, own, t, arm):
    return 1 + int(arms[arm].total)


@hostile(leap=summed_leap)
def a_leap_that_reads_a_sum(arms, own, arm, pulls, reward, there, rng):
    quiet(arms, own, arm, pulls, reward, there, rng)


def peeking_leap(arms, own, t, arm):
    return 1 + int(max(arms[arm]))


@hostile(leap=peeking_leap)
def a_leap_that_reads_a_record(arms, own, arm, pulls, reward, there, rng):
    quiet(arms, own, arm, pulls, reward, there, rng)


# Functions of private numbers.


@hostile()
def thresholds_of_one_number(arms, own, arm, pulls, reward, there, rng):
    own.noisy = (2.0 if reward > 0.5 else 0.0) - (1.0 if reward > 0.5 else 0.0)


@hostile(truth=100.0)
def thresholds_that_move_alike(arms, own, arm, pulls, reward, there, rng):
    here = (1.0 if reward > 0.3 else 0.0) - (1.0 if reward > 0.6 else 0.0)
    other = (1.0 if there > 0.3 else 0.0) - (1.0 if there > 0.6 else 0.0)
    own.noisy = laplace(own, here, other, TINY / own.epsilon, rng)


def thousand(x):
    if x > 0.5:
        return 1000.0
    return 0.0


def steep(x):
    if x > 0.5:
        return 1000.0 * x
    return 0.0


steep.__name__ = "abs"


@hostile()
def a_steep_function_called_abs(arms, own, arm, pulls, reward, there, rng):
    own.noisy = laplace(own, steep(reward), steep(there), 1.0 / own.epsilon, rng)


def first_function(x):
    return 1.0 if x > 0.5 else 0.0


def second_function(x):
    return 3.0 if x > 0.5 else 0.0


second_function.__name__ = first_function.__name__


@hostile()
def two_functions_of_one_name(arms, own, arm, pulls, reward, there, rng):
    own.noisy = second_function(reward) - first_function(reward)


def coin(x, rng):
    for _i in range(3):
        x += 0.0
    return 1.0 if rng.random() < x else 0.0


@hostile()
def coins_that_cancel(arms, own, arm, pulls, reward, there, rng):
    own.noisy = coin(reward, rng) - coin(reward, rng)


def mark(record):
    record.flag = 1.0
    return 0.0


@hostile()
def a_choice_that_writes(arms, own, arm, pulls, reward, there, rng):
    own.noisy = 0.0 * (mark(arms[arm]) if reward > 0.5 else 0.0)


@hostile()
def a_law_by_a_comparison(arms, own, arm, pulls, reward, there, rng):
    own.noisy = rng.binomial(1, reward > 0.5)


@hostile(arm={"hits": int, "hits_in_neighbour": int})
def rounded_when_it_is_kept(arms, own, arm, pulls, reward, there, rng):
    arms[arm].hits += 0.5 + 0.5 * reward
    arms[arm].hits_in_neighbour += 0.5 + 0.5 * there
    own.noisy = laplace(own, arms[arm].hits, arms[arm].hits_in_neighbour, 0.5 / own.epsilon, rng)
    arms[arm].hits = 0
    arms[arm].hits_in_neighbour = 0


@hostile(arm={"hits": bool, "hits_in_neighbour": bool})
def a_field_of_truths(arms, own, arm, pulls, reward, there, rng):
    arms[arm].hits = 0.001 * reward
    arms[arm].hits_in_neighbour = 0.001 * there
    own.noisy = laplace(own, arms[arm].hits, arms[arm].hits_in_neighbour, 0.001 / own.epsilon, rng)


@hostile(arm={"total_in_neighbour_in_neighbour": float})
def a_twin_with_a_twin(arms, own, arm, pulls, reward, there, rng):
    own.noisy = arms[arm].total - arms[arm].total_in_neighbour


@hostile(own={"x": float, "x_in_neighbour": float})
def sums_of_arms_that_change(arms, own, arm, pulls, reward, there, rng):
    """What was taken of one arm is given back of another."""
    here, other = arms[own.playing].total, arms[own.playing].total_in_neighbour
    own.x = here - own.x
    own.x_in_neighbour = other - own.x_in_neighbour
    own.noisy = laplace(own, own.x, own.x_in_neighbour, 1.0 / own.epsilon, rng)
    own.playing = (own.playing + 1) % len(arms)
    arms[arm].total += reward
    arms[arm].total_in_neighbour += there


# Full information.


def leader_of(scores):
    best = 0
    for j in range(len(scores)):
        if scores[j] > scores[best]:
            best = j
    return best


@hostile(full=True)
def the_leader_of_the_rewards(arms, own, arm, pulls, reward, there, rng):
    own.playing = leader_of(reward)


@hostile(full=True, truth=3.0)
def the_sum_of_all_rewards(arms, own, arm, pulls, reward, there, rng):
    here, other = 0.0, 0.0
    for j in range(len(arms)):
        here += reward[j]
        other += there[j]
    own.noisy = laplace(own, here, other, 1.0 / own.epsilon, rng)


@hostile(full=True)
def only_the_played_arm_is_cleared(arms, own, arm, pulls, reward, there, rng):
    for j in range(len(arms)):
        arms[j].total += reward[j]
        arms[j].total_in_neighbour += there[j]
    scale = 1.0 / own.epsilon
    own.playing = noisy_argmax(own, arms["total"], arms["total_in_neighbour"], scale, 0, rng)
    arms[arm].total = 0.0
    arms[arm].total_in_neighbour = 0.0


@hostile(full=True)
def other_arms_than_the_played_one(arms, own, arm, pulls, reward, there, rng):
    for j in range(len(arms)):
        if j != arm:
            arms[j].noisy = laplace(own, reward[j], there[j], TINY / own.epsilon, rng)


@hostile(full=True, truth=100.0)
def a_view_of_what_comes(arms, own, arm, pulls, reward, there, rng):
    here, other = arms["total"], arms["total_in_neighbour"]
    for j in range(len(arms)):
        arms[j].total += reward[j]
        arms[j].total_in_neighbour += there[j]
    own.playing = noisy_argmax(own, here, other, TINY / own.epsilon, 0, rng)
    for j in range(len(arms)):
        arms[j].total = 0.0
        arms[j].total_in_neighbour = 0.0


@hostile(full=True)
def a_view_that_is_added_to(arms, own, arm, pulls, reward, there, rng):
    own.playing = noisy_argmax(
        own, arms["total"], arms["total_in_neighbour"], TINY / own.epsilon, 0, rng
    )
    here, other = arms["total"], arms["total_in_neighbour"]
    here += reward
    other += there


@hostile(full=True)
def the_reward_of_one_arm(arms, own, arm, pulls, reward, there, rng):
    x = 0.0
    for j in range(len(arms)):
        if j == own.playing:
            x = reward[j]
    own.noisy = math.floor(x)


@hostile(full=True)
def cleared_until_one_returns(arms, own, arm, pulls, reward, there, rng):
    for j in range(len(arms)):
        arms[j].total += reward[j]
        arms[j].total_in_neighbour += there[j]
    scale = 1.0 / own.epsilon
    own.playing = noisy_argmax(own, arms["total"], arms["total_in_neighbour"], scale, 0, rng)
    for j in range(len(arms)):
        arms[j].total = 0.0
        arms[j].total_in_neighbour = 0.0
        if rng.random() < 0.5:
            return


@hostile(full=True)
def the_sum_of_a_column(arms, own, arm, pulls, reward, there, rng):
    own.noisy = laplace(own, sum(reward), sum(there), 1.0 / own.epsilon, rng)


def helper(x):
    return x


@hostile()
def kept_in_a_function(arms, own, arm, pulls, reward, there, rng):
    own.noisy = laplace(own, helper.x, helper.y, TINY / own.epsilon, rng)
    helper.x = reward
    helper.y = there


helper.x = helper.y = 0.0


class Drawn(float):
    def __mul__(self, other):
        return random.random()


class Draws(tuple):
    def __getitem__(self, place):
        return random.random()


COIN, COINS = Drawn(1.0), Draws((1.0,))


@hostile()
def a_number_that_draws(arms, own, arm, pulls, reward, there, rng):
    if COIN * 0.5 < 0.001:
        own.noisy = laplace(own, reward, there, TINY / own.epsilon, rng)


@hostile()
def a_tuple_that_draws(arms, own, arm, pulls, reward, there, rng):
    if COINS[0] < 0.001:
        own.noisy = laplace(own, reward, there, TINY / own.epsilon, rng)
