"""Bandit algorithms that lose more than a careless proof sees: loops, indices, numbers."""

import math

from dpaudit.machine.releases import laplace
from dpaudit.machine.trees import bit_length
from tests.prover.hostile_made import TINY, hostile, quiet

SUMS = {"sums": (float, 8), "sums_in_neighbour": (float, 8)}


# Loops.


@hostile(truth=3.0)
def a_release_in_every_turn(arms, own, arm, pulls, reward, there, rng):
    for j in range(len(arms)):
        arms[j].noisy = laplace(own, reward, there, 1.0 / own.epsilon, rng)


@hostile(truth=3.0)
def one_reward_for_every_arm(arms, own, arm, pulls, reward, there, rng):
    for j in range(len(arms)):
        arms[j].total += reward
        arms[j].total_in_neighbour += there
        arms[j].noisy = laplace(
            own, arms[j].total, arms[j].total_in_neighbour, 1.0 / own.epsilon, rng
        )
        arms[j].total = 0.0
        arms[j].total_in_neighbour = 0.0


@hostile()
def all_arms_but_the_last(arms, own, arm, pulls, reward, there, rng):
    quiet(arms, own, arm, pulls, reward, there, rng)
    for j in range(len(arms) - 1):
        own.noisy = laplace(own, arms[j].total, arms[j].total_in_neighbour, TINY / own.epsilon, rng)


@hostile()
def as_often_as_pulled(arms, own, arm, pulls, reward, there, rng):
    arms[arm].n += 1
    for _i in range(arms[arm].n):
        own.noisy = laplace(own, reward, there, 1.0 / own.epsilon, rng)


@hostile()
def a_sum_in_a_loop_of_unknown_length(arms, own, arm, pulls, reward, there, rng):
    pulled = arms[arm]
    pulled.n += 1
    for _i in range(pulled.n):
        pulled.total += reward
        pulled.total_in_neighbour += there
    own.noisy = laplace(own, pulled.total, pulled.total_in_neighbour, 1.0 / own.epsilon, rng)
    pulled.total = 0.0
    pulled.total_in_neighbour = 0.0


@hostile()
def the_index_after_the_loop(arms, own, arm, pulls, reward, there, rng):
    quiet(arms, own, arm, pulls, reward, there, rng)
    for j in range(len(arms)):
        arms[j].flag = 1.0
    pulled = arms[arm]
    own.noisy = laplace(own, pulled.total, pulled.total_in_neighbour, 1.0 / own.epsilon, rng)
    arms[j].total = 0.0
    arms[j].total_in_neighbour = 0.0


@hostile(truth=100.0)
def a_local_that_begins_at_infinity(arms, own, arm, pulls, reward, there, rng):
    quiet(arms, own, arm, pulls, reward, there, rng)
    best = -math.inf
    for j in range(len(arms)):
        if best == -math.inf:
            arms[j].noisy = laplace(
                own, arms[j].total, arms[j].total_in_neighbour, TINY / own.epsilon, rng
            )
        best = arms[j].noisy
    arms[arm].total = 0.0
    arms[arm].total_in_neighbour = 0.0


@hostile()
def a_count_by_halves(arms, own, arm, pulls, reward, there, rng):
    quiet(arms, own, arm, pulls, reward, there, rng)
    halves = 0
    for j in range(len(arms)):
        if halves > 0 and halves < 1:
            arms[j].noisy = laplace(
                own, arms[j].total, arms[j].total_in_neighbour, TINY / own.epsilon, rng
            )
        halves += 0.5
    arms[arm].total = 0.0
    arms[arm].total_in_neighbour = 0.0


@hostile()
def a_local_that_other_turns_fill(arms, own, arm, pulls, reward, there, rng):
    x = 0.0
    for j in range(len(arms)):
        if j != arm:
            x = reward
    own.noisy = x


@hostile()
def a_local_left_by_a_loop_is_compared(arms, own, arm, pulls, reward, there, rng):
    quiet(arms, own, arm, pulls, reward, there, rng)
    for j in range(len(arms)):
        x = arms[j].total
    if x == 3.0:
        own.playing += 1


@hostile()
def a_local_left_by_a_loop_is_released(arms, own, arm, pulls, reward, there, rng):
    quiet(arms, own, arm, pulls, reward, there, rng)
    for j in range(len(arms)):
        x = arms[j].total
        y = arms[j].total_in_neighbour
    own.noisy = laplace(own, x, y, TINY / own.epsilon, rng)


@hostile()
def an_arm_by_number_after_a_write(arms, own, arm, pulls, reward, there, rng):
    pulled = arms[arm]
    pulled.total += reward
    pulled.total_in_neighbour += there
    other = arms[own.playing]
    own.noisy = laplace(own, other.total, other.total_in_neighbour, TINY / own.epsilon, rng)
    pulled.total = 0.0
    pulled.total_in_neighbour = 0.0


# Arrays.


@hostile(arm={"table": (float, 2)})
def a_table_at_a_private_index(arms, own, arm, pulls, reward, there, rng):
    arms[arm].table[int(reward)] = 1.0


@hostile(step="select", arm={"table": (float, 2)})
def a_table_read_at_a_private_index(arms, own, t, rng):
    return int(arms[0].table[int(arms[0].total)])


@hostile(arm=SUMS)
def a_place_from_the_end(arms, own, arm, pulls, reward, there, rng):
    pulled = arms[arm]
    pulled.sums[7] += reward
    pulled.sums_in_neighbour[7] += there
    own.noisy = laplace(own, pulled.sums[-1], pulled.sums_in_neighbour[-1], TINY / own.epsilon, rng)


@hostile(arm={**SUMS, "m": int}, truth=100.0)
def two_names_of_one_place(arms, own, arm, pulls, reward, there, rng):
    pulled = arms[arm]
    pulled.sums[pulled.n] += reward
    pulled.sums_in_neighbour[pulled.n] += there
    own.noisy = laplace(
        own, pulled.sums[pulled.m], pulled.sums_in_neighbour[pulled.m], TINY / own.epsilon, rng
    )
    pulled.sums[pulled.n] = 0.0
    pulled.sums_in_neighbour[pulled.n] = 0.0
    pulled.n += 1
    pulled.m += 1


@hostile(arm=SUMS)
def sums_that_move_up(arms, own, arm, pulls, reward, there, rng):
    pulled = arms[arm]
    pulled.n += 1
    pulled.sums[0] = reward
    pulled.sums_in_neighbour[0] = there
    for i in range(pulled.n):
        own.noisy = laplace(
            own, pulled.sums[i], pulled.sums_in_neighbour[i], 1.0 / own.epsilon, rng
        )
        pulled.sums[i + 1] = pulled.sums[i]
        pulled.sums_in_neighbour[i + 1] = pulled.sums_in_neighbour[i]
        pulled.sums[i] = 0.0
        pulled.sums_in_neighbour[i] = 0.0


@hostile(own=SUMS)
def sums_of_the_learner(arms, own, arm, pulls, reward, there, rng):
    own.count += 1
    own.sums[0] += reward
    own.sums_in_neighbour[0] += there
    for i in range(own.count):
        own.noisy = laplace(own, own.sums[i], own.sums_in_neighbour[i], TINY / own.epsilon, rng)


def second_of(sums):
    x = 0.0
    for i in range(2):
        x = sums[i]
    return x


@hostile(arm=SUMS)
def sums_handed_to_a_function(arms, own, arm, pulls, reward, there, rng):
    arms[arm].sums[1] = reward
    arms[arm].sums_in_neighbour[1] = there
    own.noisy = second_of(arms[arm].sums)


# Counters.


@hostile(arm={"since": int})
def a_counter_set_back_in_passing(arms, own, arm, pulls, reward, there, rng):
    """The sum is released where the counter is 0, which it is again only after a quiet round."""
    pulled = arms[arm]
    if pulled.since == 0 and pulled.n >= 1:
        own.noisy = laplace(own, pulled.total, pulled.total_in_neighbour, 1.0 / own.epsilon, rng)
    if pulled.n == 0:
        pulled.total = reward
        pulled.total_in_neighbour = there
    pulled.n = 1
    pulled.since += 1
    if pulled.since == 5:
        pulled.since = 0


@hostile(truth=100.0)
def bits_of_a_number_below_zero(arms, own, arm, pulls, reward, there, rng):
    pulled = arms[arm]
    pulled.n += 1
    if bit_length(-pulled.n) > 0 and bit_length(0 * pulled.n) == 0:
        own.noisy = laplace(own, reward, there, TINY / own.epsilon, rng)


@hostile(truth=100.0)
def the_lowest_bit_of_nothing(arms, own, arm, pulls, reward, there, rng):
    pulled = arms[arm]
    if pulled.n & -pulled.n == 0:
        own.noisy = laplace(own, reward, there, TINY / own.epsilon, rng)
    pulled.n += 1


@hostile(truth=100.0)
def bits_of_two_numbers_below_zero(arms, own, arm, pulls, reward, there, rng):
    pulled = arms[arm]
    pulled.n += 1
    if (-pulled.n) & (-2 * pulled.n) < 0:
        own.noisy = laplace(own, reward, there, TINY / own.epsilon, rng)


# Scales.


@hostile()
def a_scale_of_nothing(arms, own, arm, pulls, reward, there, rng):
    n = arms[arm].n
    own.noisy = laplace(own, reward, there, (n - n) / own.epsilon, rng)


@hostile()
def a_scale_of_zero(arms, own, arm, pulls, reward, there, rng):
    own.noisy = laplace(own, reward, there, 0.0, rng)


@hostile()
def a_scale_below_zero(arms, own, arm, pulls, reward, there, rng):
    own.noisy = laplace(own, reward, there, -1.0 / own.epsilon, rng)
    own.noisy = laplace(own, reward, there, 1.0 / own.epsilon, rng)


@hostile()
def epsilon_is_raised(arms, own, arm, pulls, reward, there, rng):
    own.noisy = laplace(own, reward, there, 1.0 / own.epsilon, rng)
    own.epsilon *= 2.0


@hostile()
def this_world_twice(arms, own, arm, pulls, reward, there, rng):
    own.noisy = laplace(own, reward, reward, 1.0 / own.epsilon, rng)


@hostile(anytime=False, truth=100.0)
def where_rounds_are_fewer_than_arms(arms, own, arm, pulls, reward, there, rng):
    if own.horizon < len(arms):
        own.noisy = laplace(own, reward, there, TINY / own.epsilon, rng)


@hostile(truth=102.0)
def a_dear_release_and_a_cheap_one_in_each_round(arms, own, arm, pulls, reward, there, rng):
    """To T = 3: 100 in the changed round and 1 in each of the two after it."""
    own.noisy = laplace(own, reward, there, TINY / own.epsilon, rng)
    pulled = arms[arm]
    own.noisy = laplace(own, pulled.total, pulled.total_in_neighbour, 1.0 / own.epsilon, rng)
    pulled.total += reward
    pulled.total_in_neighbour += there


@hostile(truth=2.0)
def the_last_arm_twice(arms, own, arm, pulls, reward, there, rng):
    arms[arm].total = reward
    arms[arm].total_in_neighbour = there
    for j in range(-1, len(arms)):
        arms[j].noisy = laplace(
            own, arms[j].total, arms[j].total_in_neighbour, 1.0 / own.epsilon, rng
        )
        arms[j].flag += 1.0
    arms[arm].total = 0.0
    arms[arm].total_in_neighbour = 0.0


@hostile()
def another_arm_keeps_the_reward(arms, own, arm, pulls, reward, there, rng):
    for j in range(len(arms)):
        arms[j].noisy = laplace(
            own, arms[j].total, arms[j].total_in_neighbour, TINY / own.epsilon, rng
        )
    for j in range(len(arms)):
        if j != arm:
            arms[j].total += reward
            arms[j].total_in_neighbour += there
            return


@hostile(truth=3.0)
def sums_over_the_arms_before(arms, own, arm, pulls, reward, there, rng):
    arms[arm].total = reward
    arms[arm].total_in_neighbour = there
    x = 0.0
    x_in_neighbour = 0.0
    for j in range(len(arms)):
        x += arms[j].total
        x_in_neighbour += arms[j].total_in_neighbour
        arms[j].noisy = laplace(own, x, x_in_neighbour, 1.0 / own.epsilon, rng)
    arms[arm].total = 0.0
    arms[arm].total_in_neighbour = 0.0


@hostile(truth=8.0)
def each_turn_doubles_the_sum(arms, own, arm, pulls, reward, there, rng):
    x = 0.0
    x_in_neighbour = 0.0
    for j in range(len(arms)):
        here = reward if j == arm else 0.0
        neighbour = there if j == arm else 0.0
        x = 2.0 * x + here
        x_in_neighbour = 2.0 * x_in_neighbour + neighbour
    own.noisy = laplace(own, x, x_in_neighbour, 0.5 / own.epsilon, rng)


@hostile()
def the_turns_after_it_release_the_sum(arms, own, arm, pulls, reward, there, rng):
    x = 0.0
    x_in_neighbour = 0.0
    for j in range(len(arms)):
        if j == arm:
            x = x + reward
            x_in_neighbour = x_in_neighbour + there
        else:
            arms[j].noisy = laplace(own, x, x_in_neighbour, TINY / own.epsilon, rng)


@hostile()
def the_turns_after_it_keep_the_sum(arms, own, arm, pulls, reward, there, rng):
    x = 0.0
    x_in_neighbour = 0.0
    for j in range(len(arms)):
        if j != arm:
            arms[j].total += x
            arms[j].total_in_neighbour += x_in_neighbour
        x = x + (reward if j == arm else 0.0)
        x_in_neighbour = x_in_neighbour + (there if j == arm else 0.0)
    own.noisy = laplace(own, arms[0].total, arms[0].total_in_neighbour, TINY / own.epsilon, rng)


def first_marked(arms):
    for j in range(len(arms)):
        if arms[j].flag > 0.0:
            return j
    return 0


@hostile()
def all_but_one_that_was_found(arms, own, arm, pulls, reward, there, rng):
    for j in range(len(arms)):
        arms[j].noisy = laplace(
            own, arms[j].total, arms[j].total_in_neighbour, TINY / own.epsilon, rng
        )
    best = first_marked(arms)
    for j in range(len(arms)):
        if j != best and j != arm:
            arms[j].total += reward
            arms[j].total_in_neighbour += there


@hostile(arm=SUMS)
def behind_the_end(arms, own, arm, pulls, reward, there, rng):
    arms[arm].sums[8] += reward
    arms[arm].sums_in_neighbour[8] += there
