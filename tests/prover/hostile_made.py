"""How hostile algorithms are made, and what they share."""

import math
from dataclasses import dataclass

from dpaudit.algorithm.card import Card, Notion, PrivacyClaim
from dpaudit.algorithm.contract import Algorithm, no_leap, no_opening

ARM = {"n": int, "total": float, "total_in_neighbour": float, "noisy": float, "flag": float}
OWN = {"playing": int, "count": int, "noisy": float}
TINY = 0.01
"""Noise of this scale hides nothing: a release costs 100 epsilon."""


@dataclass(frozen=True)
class Hostile:
    """An algorithm, and what it truly loses at three arms, in multiples of its epsilon."""

    algorithm: Algorithm
    truth: float


HOSTILE: dict[str, Hostile] = {}


def in_turn(arms, own, t, rng):
    """Nothing hangs on data."""
    return t % len(arms)


def quiet(arms, own, arm, pulls, reward, there, rng):
    """Collects, and releases nothing."""
    arms[arm].n += 1
    arms[arm].total += reward
    arms[arm].total_in_neighbour += there


def card(name, feedback="bandit", anytime=True):
    return Card(
        name=name.replace("_", "-"),
        title=name,
        paper="none",
        where="tests",
        feedback=feedback,
        privacy=PrivacyClaim(Notion.PURE, "nowhere", "epsilon-DP"),
        regret="none",
        anytime=anytime,
        pseudocode=(),
    )


def made(name, *, observe=quiet, select=in_turn, arm=None, own=None, leap=no_leap, full=False,
         anytime=True):  # fmt: skip
    return Algorithm(
        card(name, "full-information" if full else "bandit", anytime),
        arm={**ARM, **(arm or {})},
        own={**OWN, **(own or {})},
        select=select,
        observe=observe,
        leap=leap,
        opening=no_opening,
    )


def hostile(truth=math.inf, step="observe", **given):
    """Puts one step into an algorithm whose other steps are harmless."""

    def register(function):
        name = function.__name__
        HOSTILE[name] = Hostile(made(name, **{step: function}, **given), truth)
        return function

    return register
