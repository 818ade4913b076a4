"""The state in the hands of steps: what numpy's records can do is taken as it is, or refused with
its reason; and noise that is compared with more than one thing."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import laplace as laplace_law

from dpaudit.auditor.engines.exact.engine import exact_lower, refusal
from dpaudit.machine.releases import laplace
from dpaudit.play.catalogue import find
from dpaudit.play.tables import configured
from tests.auditor.engines.exact.laws import playing

ARM = {"total": float, "total_in_neighbour": float, "mark": float, "cells": (float, 3)}
OWN = {"played": int, "playing": int, "few": (float, 2)}
TRUTH = math.log((1.0 - math.exp(-1.0) / 2.0) / (math.exp(-1.0) / 2.0))
"""Of a release with half the noise, which is compared with 1/2."""


def asked(observe, rounds=3):
    entry = dataclasses.replace(find("ftnl"), arm=ARM, own=OWN, observe=observe, select=playing)
    return configured(entry, arms=2, rounds=rounds, epsilon=1.0, parameters={})


def released(own, reward, there, rng):
    """Of the first round; played by from then on."""
    own.played += 1
    if own.played == 1:
        own.playing = 1 if laplace(own, reward[0], there[0], 0.5, rng) > 0.5 else 0


def by_its_name(arms, own, arm, pulls, reward, there, rng):
    arms["mark"] = 2.0
    released(own, reward, there, rng)
    if arms[1].mark != 2.0:
        own.playing = 0


def numbers(arms, own, arm, pulls, reward, there, rng):
    """Fields of all arms and parts of arrays are arrays of numpy's: its functions take them."""
    arms[0].cells[1] = 4.0
    released(own, reward, there, rng)
    if np.sqrt(arms[0].cells[:2]).sum() != 2.0 or np.log1p(arms["mark"]).sum() != 0.0:
        own.playing = 0


def some_arms(arms, own, arm, pulls, reward, there, rng):
    arms[1].mark = 3.0
    released(own, reward, there, rng)
    if arms[1:]["mark"][0] != 3.0 or len(arms[:1]) != 1:
        own.playing = 0


def private_fields(arms, own, arm, pulls, reward, there, rng):
    """Sums stand in arrays, too."""
    for j in range(2):
        arms[j].total += reward[j]
        arms[j].total_in_neighbour += there[j]
    released(own, arms["total"], arms["total_in_neighbour"], rng)


TAKEN = [by_its_name, numbers, some_arms, private_fields]


@pytest.mark.parametrize("observe", TAKEN)
def test_what_records_can_do_is_taken(observe):
    who = asked(observe)
    assert refusal(who) is None
    assert exact_lower(who)[0].bound == pytest.approx(TRUTH, abs=1e-9)


def whole_array(arms, own, arm, pulls, reward, there, rng):
    own.few = np.ones(2)


def part_of_an_array(arms, own, arm, pulls, reward, there, rng):
    own.few[:2] = np.ones(2)


def whole_record(arms, own, arm, pulls, reward, there, rng):
    arms[0] = arms[1]


def no_such_field(arms, own, arm, pulls, reward, there, rng):
    own.nothing = 1.0


def three_noises(arms, own, arm, pulls, reward, there, rng):
    own.playing = 1 if rng.laplace() + rng.laplace() + rng.laplace() + reward[0] > 0.5 else 0


def two_noises(arms, own, arm, pulls, reward, there, rng):
    own.playing = 1 if rng.laplace() + rng.laplace() + reward[0] > 0.5 else 0


def more_noise_by_it(arms, own, arm, pulls, reward, there, rng):
    """A noise that stands beside two private values, which a chain leads to."""
    one, other = rng.laplace(), rng.laplace()
    if one + reward[0] > other and other + reward[1] > 0.5:
        own.playing = 1 if one + 2.0 * reward[0] > 0.5 else 0


REFUSED = {
    whole_array: "the array few of the state is set at once",
    part_of_an_array: "a part of an array in the state is set at once",
    whole_record: "an arm's record is set at once",
    no_such_field: "nothing",
    three_noises: "a comparison hangs on 3 noise variables at once",
    more_noise_by_it: "compared with several private ones",
}


@pytest.mark.parametrize("observe", REFUSED)
def test_what_they_cannot_is_refused_with_its_reason(observe):
    assert REFUSED[observe] in str(refusal(asked(observe)))


def noise_used_again(arms, own, arm, pulls, reward, there, rng):
    """Beside one reward and then beside the other, but compared with another noise in between."""
    one, other = rng.laplace(), rng.laplace()
    if one + reward[0] > other:
        own.playing = 1 if one + reward[1] > 0.5 else 0


def test_a_noise_that_is_used_again_is_one_noise():
    """Against the integral over it."""

    def chance(first, second):
        return quad(lambda z: laplace_law.pdf(z) * laplace_law.cdf(z + first), 0.5 - second, 40.0,
                    points=[-first, 0.0], limit=200)[0]  # fmt: skip

    chances = [chance(*rewards) for rewards in itertools.product((0.0, 1.0), repeat=2)]
    ratios = [math.log(p / q) for p in chances for q in chances]
    ratios += [math.log((1.0 - p) / (1.0 - q)) for p in chances for q in chances]
    assert exact_lower(asked(noise_used_again, 2))[0].bound == pytest.approx(max(ratios), abs=1e-8)


def test_a_sum_of_two_noises_is_one_comparison():
    """Its law: e^-x (1/2 + x/4) for x >= 0."""

    def above(x):
        return math.exp(-abs(x)) * (0.5 + abs(x) / 4.0) if x >= 0.0 else 1.0 - above(-x)

    truth = math.log(above(-0.5) / above(0.5))
    assert exact_lower(asked(two_noises, 2))[0].bound == pytest.approx(truth, abs=1e-9)
