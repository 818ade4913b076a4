"""Learners that were made to be certified wrongly: leaks that a derivation could lose, and dead
branches that could accuse. Each was answered wrongly before what it tests was there."""

import dataclasses
import math

import pytest

from dpaudit.auditor.engines.exact.engine import exact_lower, refusal
from dpaudit.machine.releases import laplace, noisy_argmax
from dpaudit.play.catalogue import find
from dpaudit.play.tables import configured
from dpaudit.results.audit import Guarantee, _verdict
from dpaudit.results.found import Upper
from tests.auditor.engines.exact.laws import collect, playing, wipe

ARM = {"total": float, "total_in_neighbour": float, "mark": float}
OWN = {"epoch": int, "played": int, "playing": int, "flag": int, "sign": float}


def last_bit(arms, own, t, rng):
    return own.flag & 1


def minus(arms, own, t, rng):
    return int(math.copysign(1.0, own.sign) < 0.0)


def marked(arms, own, t, rng):
    return int(arms[0].mark > 0.5)


def threshold(arms, own, arm, pulls, reward, there, rng):
    """Noise so small that the other world's probability is lost in the rounding of doubles."""
    own.played += 1
    if own.played == 1:
        own.playing = 1 if laplace(own, reward[0], there[0], 0.01, rng) > 0.5 else 0


def steep(arms, own, arm, pulls, reward, there, rng):
    collect(arms, own, reward, there)
    if own.played == 3:
        noisy = laplace(own, arms[0].total, arms[0].total_in_neighbour, 0.02, rng)
        own.playing = 1 if noisy > 0.9 else 0
        wipe(arms)


def selected(arms, own, arm, pulls, reward, there, rng):
    """A noisy maximum of the first round."""
    collect(arms, own, reward, there)
    if own.played == 1:
        ours, others = arms["total"], arms["total_in_neighbour"]
        own.playing = noisy_argmax(own, ours, others, 1.0 / own.epsilon, 0, rng)
        wipe(arms)


def large_numbers(arms, own, arm, pulls, reward, there, rng):
    """Two states that are the same number as doubles."""
    collect(arms, own, reward, there)
    if own.played == 12:
        own.flag = 1 << 60
        if arms[0].total > 11.5:
            own.flag += 1
        wipe(arms)


def signed_zero(arms, own, arm, pulls, reward, there, rng):
    collect(arms, own, reward, there)
    if own.played == 12:
        own.sign = -0.0 if arms[0].total > 11.5 else 0.0
        wipe(arms)


def by_a_view(arms, own, arm, pulls, reward, there, rng):
    """A field of all arms is numpy's view: what is written to it is the state's. One run in 4096
    does it, so that playing the steps does not show it."""
    collect(arms, own, reward, there)
    if own.played == 12:
        seen = arms["mark"]
        if arms[0].total > 11.5:
            seen[0] = 1.0
        wipe(arms)


def by_the_book(arms, own, arm, pulls, reward, there, rng):
    """What was booked says what the rewards were."""
    laplace(own, reward[0], there[0], 5.0, rng)
    own.playing = 1 if own.pure > 0.1 else 0


def rounded(arms, own, arm, pulls, reward, there, rng):
    own.small = 1e8 + reward[0]
    own.playing = 1 if rng.laplace() + own.small > 1e8 else 0
    own.small = 0.0


def dead(arms, own, arm, pulls, reward, there, rng):
    """a > 1 > 0 > b and a < b is never so: the round with little noise is never played."""
    own.played += 1
    if own.played == 1:
        a, b = rng.laplace(), rng.laplace()
        if a > 1.0 and b < 0.0 and a < b:
            own.flag = 1
            own.playing = 1
    elif own.flag == 1 and own.played == 2:
        own.playing = 1 if laplace(own, reward[0], there[0], 0.2, rng) > 0.5 else 0


def alive(arms, own, arm, pulls, reward, there, rng):
    own.played += 1
    if own.played == 1:
        a, b = rng.laplace(), rng.laplace()
        if a > -1.0 and b < 0.0 and a < b:
            own.flag = 1
            own.playing = 1
    elif own.flag == 1 and own.played == 2:
        own.playing = 1 if laplace(own, reward[0], there[0], 0.2, rng) > 0.5 else 0


def late(arms, own, arm, pulls, reward, there, rng):
    collect(arms, own, reward, there)
    if own.played == 1 << own.epoch:
        scale = 2.0 if own.epoch < 7 else 0.02
        own.playing = noisy_argmax(own, arms["total"], arms["total_in_neighbour"], scale, 2, rng)
        wipe(arms)
        own.played = 0
        own.epoch += 1


def asked(observe, select, rounds, arms=2, own=OWN, epsilon=1.0):
    entry = dataclasses.replace(find("ftnl"), arm=ARM, own=own, observe=observe, select=select)
    return configured(entry, arms=arms, rounds=rounds, epsilon=epsilon, parameters={})


def answer(*given, **settings):
    who = asked(*given, **settings)
    assert refusal(who) is None
    return exact_lower(who)


SMALL = {
    "threshold": (threshold, 2, math.log((1 - math.exp(-50) / 2) / (math.exp(-50) / 2)), 1e-9),
    "steep": (steep, 4, 50.0, 1e-9),
    "noisy maximum": (selected, 2, 1000 - math.log(1 / 2 + 1000 / 4), 1e-6),
}
"""The log-ratios as formulas of the Laplace law. Certified as 0, 5.69 and 0 before."""


@pytest.mark.parametrize("name", SMALL)
def test_a_ratio_that_doubles_do_not_resolve_is_certified_all_the_same(name):
    observe, rounds, true, error = SMALL[name]
    found = answer(observe, playing, rounds, epsilon=1000.0)[0].bound
    assert true - error <= found <= true + 1e-12


def test_what_is_beyond_the_bits_is_bounded_by_them():
    """A true value of 10,000 that 2,048 bits do not resolve: what they do is certain, and large."""
    lower, how = answer(selected, playing, 2, epsilon=10_000.0)
    assert 1000.0 < lower.bound < 10_000.0
    assert "is beyond 2048 bits" in how


@pytest.mark.parametrize(("observe", "select"), [(large_numbers, last_bit), (signed_zero, minus)])
def test_states_that_differ_in_a_bit_are_two(observe, select):
    assert answer(observe, select, 13)[0].bound == 700.0


REFUSED = {
    "a view": (by_a_view, marked, 13, 2, "read-only"),
    "the book": (by_the_book, playing, 3, 3, "a reward of the neighbouring world decides"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_derivation_would_lose_is_refused(name):
    observe, select, rounds, arms, why = REFUSED[name]
    assert why in refusal(asked(observe, select, rounds, arms))


def test_a_state_of_few_bits_is_refused():
    assert "less than 64 bits" in refusal(asked(rounded, playing, 2, own=OWN | {"small": "f4"}))


def test_a_branch_that_is_never_taken_accuses_nobody():
    """The control: where the same branch is taken now and then, it does."""
    assert answer(dead, playing, 3)[0].bound == 0.0
    assert answer(alive, playing, 3)[0].bound == pytest.approx(3.1512386591998456, abs=1e-12)


def test_rounds_that_are_not_looked_at_are_named():
    """Its later epochs have a hundredth of the noise."""
    assert "; what is decided from round 128 on is not looked at" in answer(late, playing, 300)[1]
    assert "not looked at" not in answer(late, playing, 127)[1]
    near, _ = answer(late, playing, 127)
    assert near.bound <= 1.0


def caught(arms, own, arm, pulls, reward, there, rng):
    """What symbols refuse looks like an error of the numbers, once in 4096 runs."""
    collect(arms, own, reward, there)
    if own.played == 12:
        try:
            own.sign = math.sqrt(arms[0].total - 0.5 - 12.0 * (arms[0].total > 11.5))
        except ValueError:
            own.playing = 1
        except Exception:
            own.playing = 0
        own.sign = 0.0
        wipe(arms)


def test_steps_that_catch_errors_are_refused():
    assert "caught catches errors" in refusal(asked(caught, playing, 13))


def test_what_is_not_looked_at_is_untested_unless_the_claim_is_proved():
    """True is 100 here, from round 128 on: nothing may be consistent with a claim of 1."""
    claim = Guarantee("pure", 1.0)
    for rounds, verdict in ((300, "inconclusive"), (127, "consistent")):
        lower, _ = answer(late, playing, rounds)
        assert _verdict(claim, lower, None) == verdict
        assert _verdict(claim, lower, Upper(1.0, "by a proof", proof=True)) == "consistent"
