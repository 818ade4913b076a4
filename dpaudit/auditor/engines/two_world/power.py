"""What an audit could have found, and what it could not: in numbers and in words."""

from __future__ import annotations

import math

import numpy as np

from dpaudit.auditor.accountant import composed_epsilon, gdp_eta
from dpaudit.auditor.engines.two_world.events import Counted
from dpaudit.play.tables import Configured
from dpaudit.results.audit import Floats, Guarantee, Pair

RELEASE_CELLS = 2**22
"""The first release is looked for in no larger tables."""


def power(
    claim: Guarantee, sample: Counted, low: float, estimate: float, most: tuple[float, float]
) -> float:
    """The least value at which this pair and event would have shown more than the claim: it must
    exceed the claim by the width of this bound and 1.28 standard deviations for the luck of the
    draw, and the event shows a part only of what the releases have lost, `most`."""
    if sample.hits < 2 or not math.isfinite(low) or low <= 0.0:
        return math.inf
    deviation = sample.deviation / sample.mean / math.sqrt(sample.hits)
    needed = claim.level + (estimate - low) + 1.2816 * deviation
    return needed / min(1.0, estimate / lost(claim, most))


def lost(claim: Guarantee, most: tuple[float, float]) -> float:
    """The largest bookings of a run, pure and squared GDP, in the terms of the claim."""
    pure, gdp = np.array([most[0]]), np.array([most[1]])
    if claim.notion == "gdp":
        return gdp_eta(pure, gdp)
    if claim.notion == "pure":
        return math.inf if most[1] > 0.0 else most[0]
    return most[0] if most[1] == 0.0 else composed_epsilon(pure, gdp, claim.delta)


def causal(who: Configured, rounds: int, pair: Pair) -> str:
    """What a pair that is shorter than the horizon has to do with it."""
    played = len(pair.rewards)
    if played == rounds:
        return ""
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
