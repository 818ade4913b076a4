"""What an entry of the zoo of the field says, and how it is played to show it.

A broken learner comes with two neighbouring inputs, an event on its actions and the event's
probability under both, worked out by hand. A sound one comes with the reason, and where there is
one, with an event whose two probabilities are known exactly. `tests/quality/test_field.py` plays
them, so that no entry stands on the wrong side.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Actions = list[int]
Event = Callable[[Actions], bool]
Adversary = Callable[[int, Sequence[int], int], Sequence[float]]


@dataclass(frozen=True)
class Worlds:
    """Two worlds that differ in the rewards of one round, and an event of the actions."""

    base: Any
    """A table, a row of rewards each, or an adversary; the changed round's row is not used."""
    rounds: int
    changed: int
    here: Sequence[float]
    there: Sequence[float]
    event: Event
    first: float
    """The event's probability with `here`: of broken learners at least, of sound ones exactly."""
    second: float
    """With `there`: of broken learners at most, of sound ones exactly."""
    runs: int = 200

    @property
    def log_ratio(self) -> float:
        return math.log(self.first / self.second) if self.second else math.inf

    def row(self, world: int, t: int, actions: Actions) -> Sequence[float]:
        if t == self.changed:
            return self.there if world else self.here
        if callable(self.base):
            return self.base(t, actions, len(self.here))  # type: ignore[no-any-return]
        return self.base[t - 1]  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Broken:
    """A learner that is not epsilon-private at these arms and rounds, through its actions alone."""

    name: str
    learner: type
    wrong: str
    arms: int
    rounds: int
    truth: float
    """Epsilon is at least this."""
    show: Callable[[], Worlds]
    epsilon: float = 1.0
    adversary: str | Adversary | None = None


@dataclass(frozen=True)
class Sound:
    """A learner that is epsilon-private, each run taken alone in a process of its own."""

    name: str
    learner: type
    why: str
    arms: int
    rounds: int
    blind: bool = False
    """Nothing it observes changes what it does: same randomness, same actions."""
    law: Callable[[], Worlds] | None = None
    fresh: bool = False
    """It keeps state outside its instances: a run alone is a run in a newly loaded module."""
    epsilon: float = 1.0
    adversary: None = None


BROKEN: dict[str, Broken] = {}
SOUND: dict[str, Sound] = {}
COPY = "copy_of_"
"""Names of modules that were loaded again, whose entries are known already."""


def _enter(kind: Any, book: dict[str, Any], learner: type, given: dict[str, Any]) -> type:
    name = given.pop("name", learner.__name__)
    if learner.__module__.startswith(COPY):
        return learner
    if name in book:
        raise ValueError(f"{name}: entered twice")
    book[name] = kind(name=name, learner=learner, **given)
    return learner


def broken(wrong: str, **given: Any) -> Callable[[type], type]:
    """Enter a class into the zoo as broken."""
    return lambda learner: _enter(Broken, BROKEN, learner, {"wrong": wrong, **given})


def sound(why: str, **given: Any) -> Callable[[type], type]:
    """Enter a class into the zoo as sound."""
    return lambda learner: _enter(Sound, SOUND, learner, {"why": why, **given})


def play(learner: type, worlds: Worlds, world: int, rng: Any, epsilon: float = 1.0) -> Actions:
    """The actions of one run."""
    subject: Any = learner(arms=len(worlds.here), epsilon=epsilon, rng=rng)
    full = getattr(learner, "feedback", "bandit") == "full-information"
    actions: Actions = []
    for t in range(1, worlds.rounds + 1):
        arm = int(subject.select(t))
        row = worlds.row(world, t, actions)
        subject.observe(t, arm, np.array(row, dtype=float) if full else float(row[arm]))
        actions.append(arm)
    return actions


def always(rounds: int, row: Sequence[float], **others: Sequence[float]) -> list[Sequence[float]]:
    """A table of one row, but for rounds named `r7=[...]`."""
    table = [row] * rounds
    for key, other in others.items():
        table[int(key[1:]) - 1] = other
    return table


def plays(t: int, arm: int) -> Event:
    """Round t is played with that arm."""
    return lambda actions: actions[t - 1] == arm


def tail(d: float, scale: float = 1.0) -> float:
    """P(X - Y > d) for independent X, Y ~ Lap(scale): exp(-x) (2 + x) / 4, where x = d / scale."""
    x = abs(d) / scale
    beyond = math.exp(-x) * (2.0 + x) / 4.0
    return beyond if d >= 0 else 1.0 - beyond
