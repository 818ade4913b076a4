"""What an audit says about the horizon that it was asked for, in words."""

from __future__ import annotations

import math

import numpy as np

from dpaudit.play.tables import Configured
from dpaudit.results.found import Floats, Pair

RELEASE_CELLS = 2**22
"""The first release is looked for in no larger tables."""


def causal(who: Configured, rounds: int, pair: Pair) -> str:
    """What a pair that is shorter than the horizon has to do with it."""
    played = len(pair.rewards)
    built = "" if who.algorithm.card.anytime else f", by the learner as it is built for {rounds}"
    return (
        f"; of the tables of up to {rounds} rounds the first {played} are played{built}: what it "
        "does there hangs on nothing later, so the bound holds for all"
    )


def nothing_released(who: Configured, rounds: int, played: int) -> str:
    """What to say where no pair has made a release book anything in the rounds that were played."""
    first = first_release(who, rounds, played)
    said = f"no release in {played} rounds depends on the rewards"
    if first is None:
        return f"{said}, and none was found by doubling the rounds"
    if first < rounds:
        return f"{said}: the first is due in round {first}, and more runs would reach it"
    more = math.ceil(1.02 * first) + int(who.settings["arms"])
    return f"{said}: the first is due in round {first}; --rounds {more} would reach it"


def first_release(who: Configured, rounds: int, played: int) -> int | None:
    """The first round behind which a release has been made that depends on rewards, beyond those
    `played`: all rewards differ between the worlds, so that the first booking shows it. None
    within the reach of the search."""
    arms, length = int(who.settings["arms"]), 2 * played
    while length * arms <= RELEASE_CELLS:
        longer = Configured(who.algorithm, {**who.settings, "horizon": max(rounds, length)})
        here: Floats = np.zeros((length, arms))
        trace = longer.trace(here, np.ones((length, arms)), np.full(length, -1))
        (booked,) = np.nonzero(trace.pure + trace.gdp)
        if len(booked):
            return int(booked[0]) + 1
        length *= 2
    return None
