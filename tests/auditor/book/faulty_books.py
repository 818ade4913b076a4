"""Algorithms whose books are wrong, each made of a correct one by one fault, with what is true.

`sound` commits after two pulls of each arm to the arm of the larger noisy sum: epsilon-DP. Each
faulty one comes with a control that does something similar and keeps an honest book.
"""

import math
from dataclasses import dataclass

from dpaudit.algorithm.card import Card, Notion, PrivacyClaim
from dpaudit.algorithm.contract import Algorithm, each_arm_once
from dpaudit.machine.releases import gaussian, laplace, noisy_argmax

TURNS = 2
STATE = {"pulls": int, "total": float, "total_in_neighbour": float, "noisy": float, "raw": float}


def four(arms, own):
    return TURNS * len(arms)


def six(arms, own):
    return (TURNS + 1) * len(arms)


def best_of(arms):
    best = 0
    for j in range(len(arms)):
        if arms[j].noisy > arms[best].noisy:
            best = j
    return best


def select(arms, own, t, rng):
    if t <= TURNS * len(arms):
        return (t - 1) % len(arms)
    return best_of(arms)


def raw_decides(arms, own, t, rng):
    if t <= TURNS * len(arms):
        return (t - 1) % len(arms)
    best = 0
    for j in range(len(arms)):
        if arms[j].raw > arms[best].raw:
            best = j
    return best


def ties_by_raw(arms, own, t, rng):
    """The raw sums decide where the noisy ones are close."""
    if t <= TURNS * len(arms):
        return (t - 1) % len(arms)
    best = best_of(arms)
    for j in range(len(arms)):
        if abs(arms[j].noisy - arms[best].noisy) < 1.0 and arms[j].raw > arms[best].raw:
            best = j
    return best


def ties_by_coin(arms, own, t, rng):
    if t <= TURNS * len(arms):
        return (t - 1) % len(arms)
    coin = rng.random()
    best = best_of(arms)
    if coin < 0.5:
        best = len(arms) - 1 if abs(arms[best].noisy) < 1.0 else best
    return best


def neighbour_decides(arms, own, t, rng):
    """An actual player has no neighbour to look at."""
    if t > TURNS * len(arms):
        lead = arms[0].total_in_neighbour - arms[len(arms) - 1].total_in_neighbour
        if lead > TURNS - 0.5:
            return 0
    return select(arms, own, t, rng)


def in_turn(arms, own, t, rng):
    return (t - 1) % len(arms)


def book_decides(arms, own, t, rng):
    if own.loss != 0.0:
        return len(arms) - 1
    return select(arms, own, t, rng)


def collect(arms, arm, reward, there):
    pulled = arms[arm]
    pulled.pulls += 1
    if pulled.pulls <= TURNS:
        pulled.total += reward
        pulled.total_in_neighbour += there
        pulled.raw += reward
    return pulled.pulls == TURNS


def observe(arms, own, arm, pulls, reward, there, rng):
    if collect(arms, arm, reward, there):
        pulled = arms[arm]
        scale = 1.0 / own.epsilon
        pulled.noisy = laplace(own, pulled.total, pulled.total_in_neighbour, scale, rng)


def doubled(arms, own, arm, pulls, reward, there, rng):
    """Control: any function of one world's data may be released, and booked."""
    if collect(arms, arm, reward, there):
        a = arms[arm]
        scale = 2.0 / own.epsilon
        a.noisy = laplace(own, 2.0 * a.total, 2.0 * a.total_in_neighbour, scale, rng)


def squared(arms, own, arm, pulls, reward, there, rng):
    """Control: numbers of rewards that are 1, in both worlds."""
    if collect(arms, arm, int(reward), int(there)):
        a = arms[arm]
        a.noisy = laplace(own, a.total, a.total_in_neighbour, 1.0 / own.epsilon, rng)


def by_hand(arms, own, arm, pulls, reward, there, rng):
    if collect(arms, arm, reward, there):
        arms[arm].noisy = arms[arm].total + rng.laplace(0.0, 0.1 / own.epsilon)


def one_value_raw(arms, own, arm, pulls, reward, there, rng):
    """A single value of a reward gets past the releases."""
    observe(arms, own, arm, pulls, reward, there, rng)
    if abs(reward - 0.37) < 1e-6:
        arms[arm].noisy = 1e9


def more_noise_by_hand(arms, own, arm, pulls, reward, there, rng):
    """Control: noise on top of what was released."""
    if collect(arms, arm, reward, there):
        a = arms[arm]
        noisy = laplace(own, a.total, a.total_in_neighbour, 1.0 / own.epsilon, rng)
        a.noisy = noisy + rng.laplace(0.0, 0.1 / own.epsilon)


def own_reward_for_neighbour(arms, own, arm, pulls, reward, there, rng):
    if collect(arms, arm, reward, reward):
        a = arms[arm]
        a.noisy = laplace(own, a.total, a.total_in_neighbour, 0.1 / own.epsilon, rng)


def release_of_zero(arms, own, arm, pulls, reward, there, rng):
    if collect(arms, arm, reward, there):
        arms[arm].noisy = arms[arm].total + laplace(own, 0.0, 0.0, 0.1 / own.epsilon, rng)


def a_constant_too(arms, own, arm, pulls, reward, there, rng):
    """Control: a release of 0 costs nothing, and its output may be used."""
    if collect(arms, arm, reward, there):
        a = arms[arm]
        noisy = laplace(own, a.total, a.total_in_neighbour, 1.0 / own.epsilon, rng)
        a.noisy = noisy + laplace(own, 0.0, 0.0, 0.1 / own.epsilon, rng)


def loss_set_back(arms, own, arm, pulls, reward, there, rng):
    if collect(arms, arm, reward, there):
        a = arms[arm]
        a.noisy = laplace(own, a.total, a.total_in_neighbour, 0.1 / own.epsilon, rng)
        own.loss = 0.0
        own.pure = 0.0


def half_booked(arms, own, arm, pulls, reward, there, rng):
    if collect(arms, arm, reward, there):
        a = arms[arm]
        a.noisy = laplace(own, a.total, a.total_in_neighbour, 0.2 / own.epsilon, rng)
        own.pure *= 0.2


def shrunk_noise(arms, own, arm, pulls, reward, there, rng):
    if collect(arms, arm, reward, there):
        a = arms[arm]
        noisy = laplace(own, a.total, a.total_in_neighbour, 1.0 / own.epsilon, rng)
        a.noisy = a.total + 0.1 * (noisy - a.total)


def shrunk_output(arms, own, arm, pulls, reward, there, rng):
    """Control: the output alone is made smaller."""
    if collect(arms, arm, reward, there):
        a = arms[arm]
        a.noisy = 0.1 * laplace(own, a.total, a.total_in_neighbour, 1.0 / own.epsilon, rng)


def where_it_reaches_two(arms, own, arm, pulls, reward, there, rng):
    if collect(arms, arm, reward, there) and arms[arm].total >= 2.0:
        a = arms[arm]
        a.noisy = 50.0 + laplace(own, a.total, a.total_in_neighbour, 1.0 / own.epsilon, rng)


def where_its_output_reaches_two(arms, own, arm, pulls, reward, there, rng):
    """Control: a second release where the first gave much."""
    if collect(arms, arm, reward, there):
        a = arms[arm]
        a.noisy = laplace(own, a.total, a.total_in_neighbour, 2.0 / own.epsilon, rng)
        if a.noisy >= 2.0:
            a.noisy = laplace(own, a.total, a.total_in_neighbour, 2.0 / own.epsilon, rng)


def whole_reward(arms, own, arm, pulls, reward, there, rng):
    observe(arms, own, arm, pulls, reward, there, rng)
    if arms[arm].pulls == TURNS:
        arms[arm].noisy += 10.0 * int(reward)


def scale_by_sum(arms, own, arm, pulls, reward, there, rng):
    if collect(arms, arm, reward, there):
        a = arms[arm]
        scale = 1.0 / own.epsilon if a.total < 1.5 else 100.0 / own.epsilon
        a.noisy = laplace(own, a.total, a.total_in_neighbour, scale, rng)


def louder_where_worlds_differ(arms, own, arm, pulls, reward, there, rng):
    if collect(arms, arm, reward, there):
        a = arms[arm]
        scale = 0.1 / own.epsilon if a.total == a.total_in_neighbour else 1.0 / own.epsilon
        a.noisy = laplace(own, a.total, a.total_in_neighbour, scale, rng)


def scale_by_arm(arms, own, arm, pulls, reward, there, rng):
    """Control: the scale depends on what is played."""
    if collect(arms, arm, reward, there):
        a = arms[arm]
        scale = (1.0 + arm) / own.epsilon
        a.noisy = laplace(own, a.total, a.total_in_neighbour, scale, rng)


def neighbour_damped(arms, own, arm, pulls, reward, there, rng):
    if collect(arms, arm, reward, 0.9 * reward + 0.1 * there):
        a = arms[arm]
        a.noisy = laplace(own, a.total, a.total_in_neighbour, 0.1 / own.epsilon, rng)


def pulled_to_neighbour(arms, own, arm, pulls, reward, there, rng):
    """What is released is nearer to the neighbour's sum than the own sum is."""
    if collect(arms, arm, 0.1 * reward + 0.9 * there, there):
        a = arms[arm]
        a.noisy = laplace(own, a.total, a.total_in_neighbour, 0.1 / own.epsilon, rng)


def neighbour_kept(arms, own, arm, pulls, reward, there, rng):
    """The neighbour's sum is that of the first reward alone."""
    if collect(arms, arm, reward, there if arms[arm].pulls == 0 else reward):
        a = arms[arm]
        a.noisy = laplace(own, a.total, a.total_in_neighbour, 0.1 / own.epsilon, rng)


def worlds_swapped(arms, own, arm, pulls, reward, there, rng):
    """Its bookings are right in size and its actions are those of the other world."""
    if collect(arms, arm, there, reward):
        a = arms[arm]
        a.noisy = laplace(own, a.total, a.total_in_neighbour, 1.0 / own.epsilon, rng)


def one_arm_only(arms, own, arm, pulls, reward, there, rng):
    """Whether there is a release hangs on data. No action hangs on anything."""
    if collect(arms, arm, reward, there):
        a = arms[arm]
        if a.total >= 1.0:
            a.noisy = laplace(own, a.total, a.total_in_neighbour, 0.3 / own.epsilon, rng)


def noisy_maximum(arms, own, arm, pulls, reward, there, rng):
    if collect(arms, arm, reward, there) and arm == len(arms) - 1:
        scale = 2.0 / own.epsilon
        best = noisy_argmax(own, arms["total"], arms["total_in_neighbour"], scale, 0, rng)
        arms[best].noisy = 1.0


def maximum_of_negated_neighbour(arms, own, arm, pulls, reward, there, rng):
    """The scores are handed over twice: nothing is booked."""
    if collect(arms, arm, reward, there) and arm == len(arms) - 1:
        best = noisy_argmax(own, arms["total"], arms["total"], 0.1 / own.epsilon, 0, rng)
        arms[best].noisy = 1.0


def gaussian_with_book_set(arms, own, arm, pulls, reward, there, rng):
    if collect(arms, arm, reward, there):
        a = arms[arm]
        a.noisy = gaussian(own, a.total, a.total_in_neighbour, 0.1 / own.epsilon, rng)
        own.gdp = 0.0


def with_gaussians(arms, own, arm, pulls, reward, there, rng):
    if collect(arms, arm, reward, there):
        a = arms[arm]
        a.noisy = gaussian(own, a.total, a.total_in_neighbour, 1.0 / own.epsilon, rng)


def made(name, observe=observe, select=select, opening=four):
    card = Card(
        name=name.replace("_", "-"),
        title=name.replace("_", " "),
        paper="none",
        where="tests",
        feedback="bandit",
        privacy=PrivacyClaim(Notion.PURE, "nowhere", "epsilon-DP"),
        regret="none",
        pseudocode=(),
    )
    return Algorithm(card, arm=STATE, own={}, select=select, observe=observe, opening=opening)


@dataclass(frozen=True)
class Fault:
    """`truth` is the true epsilon at epsilon = 1; `seen` words of the complaint."""

    algorithm: Algorithm
    control: Algorithm
    truth: float
    seen: str


sound = made("sound")
FAULTS = {
    fault.algorithm.card.name: fault
    for fault in (
        Fault(made("raw_decides", select=raw_decides), sound, math.inf, "is chosen"),
        Fault(made("by_hand", by_hand), made("louder", more_noise_by_hand), 10.0, "is chosen"),
        Fault(
            made("own_reward", own_reward_for_neighbour), made("twice", doubled), 10.0, "neighbour"
        ),
        Fault(
            made("release_of_zero", release_of_zero),
            made("zero_too", a_constant_too),
            10.0,
            "chosen",
        ),
        Fault(made("set_back", loss_set_back), sound, 10.0, "leaves loss"),
        Fault(made("half_booked", half_booked), made("twice", doubled), 5.0, "leaves pure"),
        Fault(made("shrunk_noise", shrunk_noise), made("shrunk", shrunk_output), 10.0, "is chosen"),
        Fault(
            made("reaches_two", where_it_reaches_two),
            made("output_two", where_its_output_reaches_two),
            math.inf,
            "laplace",
        ),
        Fault(made("whole_reward", whole_reward), made("squared", squared), 10.0, "is chosen"),
        Fault(made("wrong_opening", opening=six), sound, 1.0, "of the opening"),
        Fault(made("scale_by_sum", scale_by_sum), made("by_arm", scale_by_arm), math.inf, "scale"),
        Fault(made("louder_apart", louder_where_worlds_differ), sound, 10.0, "scale"),
        Fault(
            made("ties_by_raw", select=ties_by_raw), made("coin", select=ties_by_coin), math.inf, ""
        ),
        Fault(made("one_value", one_value_raw), sound, math.inf, "that the steps name"),
        Fault(made("neighbour", select=neighbour_decides), sound, math.inf, "is chosen"),
        Fault(made("damped", neighbour_damped), made("twice", doubled), 10.0, "neighbour"),
        Fault(made("pulled", pulled_to_neighbour), sound, 10.0, "looks at the neighbour"),
        Fault(made("kept", neighbour_kept), sound, 10.0, "neighbour"),
        Fault(made("swapped", worlds_swapped), sound, 1.0, "neighbour"),
        Fault(
            made("book_decides", select=book_decides),
            made("each_once", opening=each_arm_once),
            1.0,
            "is chosen",
        ),
        Fault(made("blind", one_arm_only, in_turn), made("turn", observe, in_turn), 0.0, "laplace"),
        Fault(
            made("scores_twice", maximum_of_negated_neighbour),
            made("maximum", noisy_maximum),
            20.0,
            "neighbour",
        ),
        Fault(
            made("gaussian_set", gaussian_with_book_set),
            made("gaussians", with_gaussians),
            math.inf,
            "leaves loss|leaves gdp",
        ),
    )
}
