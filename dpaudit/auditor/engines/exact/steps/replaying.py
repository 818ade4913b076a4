"""Does the derived law say what the steps do?

The steps are played as they are, on numbers, and their draws are kept. In each phase exactly one
way must hold of these draws and rewards, and its actions must be those that were played.
"""

from __future__ import annotations

import math

import numpy as np

from dpaudit.auditor.engines.exact.steps.bands import Asked
from dpaudit.auditor.engines.exact.steps.deriving import Law, Outcome
from dpaudit.auditor.engines.exact.steps.forms import Weights, double
from dpaudit.machine.compiling import bound
from dpaudit.play.tables import Configured
from dpaudit.results.found import Floats

RUNS = 32
WORK = 40_000
"""Ways that are looked at in all."""
SPREADS = (1.0, 0.1, 0.4, 4.0)
"""Noise is made so many times as large, so that runs go apart."""


class Kept:
    """A generator that keeps what it draws, in standard units."""

    def __init__(self, rng: np.random.Generator, spread: float) -> None:
        self._rng, self._spread = rng, spread
        self.drawn: list[tuple[str, float]] = []

    def _keep(self, kind: str, value: float) -> float:
        self.drawn.append((kind, value))
        return value

    def laplace(self, loc: float = 0.0, scale: float = 1.0) -> float:
        return loc + scale * self._keep("laplace", self._spread * self._rng.laplace())

    def normal(self, loc: float = 0.0, scale: float = 1.0) -> float:
        return loc + scale * self.standard_normal()

    def standard_normal(self) -> float:
        return self._keep("gaussian", self._spread * self._rng.standard_normal())

    def gumbel(self, loc: float = 0.0, scale: float = 1.0) -> float:
        return loc + scale * self._keep("gumbel", self._spread * self._rng.gumbel())

    def exponential(self, scale: float = 1.0) -> float:
        return scale * self.standard_exponential()

    def standard_exponential(self) -> float:
        return self._keep("exponential", self._spread * self._rng.standard_exponential())

    def random(self) -> float:
        return self._keep("uniform", self._rng.random())

    def uniform(self, low: float = 0.0, high: float = 1.0) -> float:
        return low + (high - low) * self.random()


def disagreement(who: Configured, law: Law) -> str | None:
    """Where a run leaves the law, in words; None if none does."""
    ends = [p.first + len(o.actions) - 1 for p in law.phases.values() for o in p.outcomes]
    ways = sum(len(each) for p in law.phases.values() for each in p.outcomes.values())
    rounds, rng = max(ends), np.random.default_rng(0)
    play = bound("play_tables", who.algorithm)
    for run in range(max(4, min(RUNS, WORK // max(1, ways)))):
        table = rng.integers(0, 2, (rounds, law.arms)).astype(float)
        # What more than two actions lose is long to compute: there both worlds are the same.
        beside = 1.0 - table if law.arms == 2 else table
        kept = Kept(rng, SPREADS[run % len(SPREADS)])
        actions = np.empty((1, rounds), np.int64)
        play(who.fresh(), table, beside, False, actions, np.empty((1, 3)), kept)
        where = _followed(law, table, tuple(actions[0].tolist()), kept.drawn)
        if where is not None:
            return where
    return None


def _followed(
    law: Law, table: Floats, actions: tuple[int, ...], drawn: list[tuple[str, float]]
) -> str | None:
    t, state, used = 1, law.start, 0
    while (t, state) in law.phases:
        found: list[tuple[Outcome, Asked]] = []
        for outcome, ways in law.phases[t, state].outcomes.items():
            for asked in ways:
                noise = _noise(asked.kinds, drawn[used:])
                if noise is not None and _holds(asked, noise, table.ravel()):
                    found.append((outcome, asked))
        if len(found) != 1:
            return (
                f"noise that leads along {_shown(actions)} is on {len(found)} ways from round {t}"
            )
        ((outcome, asked),) = found
        played = actions[t - 1 : t - 1 + len(outcome.actions)]
        if played != outcome.actions:
            return (
                f"noise of rounds {t} to {t + len(outcome.actions) - 1} that should lead along "
                f"{_shown(outcome.actions)} leads along {_shown(played)}"
            )
        t, used = t + len(outcome.actions), used + len(asked.kinds)
        if outcome.then is None:
            return None if used == len(drawn) else "noise is drawn that the law does not know"
        state = outcome.then
    return None


def _shown(actions: tuple[int, ...]) -> str:
    return " ".join(str(a) for a in actions)


def _noise(kinds: list[str], drawn: list[tuple[str, float]]) -> list[float] | None:
    """The draws of a way, where they are of its kinds."""
    found = []
    for kind, (other, value) in zip(kinds, drawn, strict=False):
        if kind == "gumbel" and other == "exponential":
            found.append(-math.log(value))
        elif kind != other:
            return None
        else:
            found.append(value)
    return found if len(found) == len(kinds) else None


def _holds(asked: Asked, noise: list[float], rewards: Floats) -> bool:
    def data(weights: Weights) -> float:
        return sum(double(w) * float(rewards[name]) for name, w in weights.items())

    for key, band in asked.bands.items():
        value = noise[key[0]] + data(band.data)
        if len(key) == 2:
            value += double(band.ratio) * noise[key[1]]
        for side, sign in ((band.low, 1.0), (band.high, -1.0)):
            if side is not None and sign * (value - double(side)) <= 0.0:
                return False
    for condition in asked.conditions:
        value = data(condition.data) + double(condition.constant)
        value = 0.0 if abs(value) < 1e-12 else value
        if (value > 0.0 if condition.sign else value == 0.0) != condition.holds:
            return False
    for contest in asked.contests:
        scale = double(contest.scale)
        scores = [
            data(weights) + double(constant) + scale * noise[contest.first + j]
            for j, (weights, constant) in enumerate(contest.scores)
        ]
        if int(np.argmax(scores)) != contest.winner:
            return False
    return True
