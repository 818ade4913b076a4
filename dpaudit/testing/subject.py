"""Who is put to the checks: a learner class, or a catalogue algorithm with its parameters; and the
plays that checks are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpaudit.algorithm.contract import Algorithm
from dpaudit.errors import UsageError
from dpaudit.machine.compiling import bound, compiled_driver
from dpaudit.play.catalogue import resolve_target
from dpaudit.play.learner import SteppedClass, step
from dpaudit.play.tables import Configured, configured

ROUNDS = 40
"""Long enough for several epochs of each arm."""
RUNS = 5


@dataclass(frozen=True)
class Played:
    """One run by an algorithm: the arms, and what it booked: loss, pure, GDP."""

    actions: list[int]
    book: tuple[float, float, float]


class Subject:
    """What is checked. With `python`, its steps are never compiled."""

    def __init__(
        self, target: Any, epsilon: float, parameters: Mapping[str, Any], *, python: bool = False
    ) -> None:
        found = resolve_target(target)
        self.target, self.name, self.algorithm = found, found.name, found.algorithm
        self.epsilon, self.parameters = epsilon, dict(parameters)
        self.feedback: str = getattr(found.factory, "feedback", "bandit")
        self.python = python
        if self.algorithm is not None:
            self.epsilon = min(epsilon, self.algorithm.card.epsilon_max)
            self.feedback = self.algorithm.card.feedback

    @property
    def entry(self) -> Algorithm:
        """The algorithm, for checks that only algorithms are put to."""
        if self.algorithm is None:
            raise UsageError(f"{self.name}: this check is for catalogue algorithms")
        return self.algorithm

    def play(self, table: Any, seed: int = 0) -> list[int]:
        """The arms chosen on a table, rounds 1 to its length."""
        rounds, arms = table.shape
        make: Any = self.target.told(horizon=rounds, delta=0.0, parameters=self.parameters)
        if self.algorithm is not None:
            horizon = None if self.algorithm.card.anytime else rounds
            make = SteppedClass(self.algorithm, self.epsilon, horizon, self.parameters)
        learner = make(arms=arms, epsilon=self.epsilon, rng=np.random.default_rng(seed))
        rows = table.copy()
        chosen = step(self.name, lambda: learner, arms, rounds, lambda t, _: rows[t - 1])
        assert np.array_equal(rows, table), f"observe changed the rewards of {rounds} x {arms}"
        return chosen

    def configured(
        self, arms: int, rounds: int, *, epsilon: float = 0.0, algorithm: Algorithm | None = None
    ) -> Configured:
        """The algorithm, or a variant of it, with its parameters and this or another epsilon."""
        most = self.entry.card.epsilon_max
        return configured(
            algorithm or self.entry,
            arms=arms,
            rounds=rounds,
            epsilon=min(epsilon or self.epsilon, most),
            parameters=self.parameters,
        )


def run(
    who: Configured,
    here: Any,
    there: Any,
    seed: int,
    *,
    leaping: bool = False,
    python: bool = True,
    path: Any = None,
) -> Played:
    """One run on a table and its neighbour, as plain Python unless told otherwise; along `path` if
    there is one."""
    rng = np.random.default_rng(seed)
    if path is not None:
        forced, booked = np.array(path, np.int64), np.empty((len(here), 3))
        bound("trace_path", who.algorithm)(who.fresh(), here, there, forced, booked, rng)
        loss, pure, gdp = (float(x) for x in booked.sum(axis=0))
        return Played(forced.tolist(), (loss, pure, gdp))
    if python and leaping:
        who = replace(who, algorithm=_leaping_forward(who.algorithm))
    drive: Any = (bound if python else compiled_driver)("play_tables", who.algorithm)
    actions, books = np.empty((1, len(here)), np.int16), np.empty((1, 3))
    drive(who.fresh(), here, there, leaping, actions, books, rng)
    return Played(actions[0].tolist(), (float(books[0, 0]), float(books[0, 1]), float(books[0, 2])))


def _leaping_forward(algorithm: Algorithm) -> Algorithm:
    """With leaps that fail, instead of never ending, where they do not go forward."""

    def leap(arms: Any, own: Any, t: int, arm: int) -> int:
        rounds = algorithm.leap(arms, own, t, arm)
        assert rounds >= 1, f"leap answers {rounds} in round {t}"
        return rounds

    return replace(algorithm, leap=leap)


def assert_same(one: Sequence[Any], other: Sequence[Any], otherwise: str) -> None:
    """Two long sequences are the same. A bare `assert one == other` would have pytest draw a
    comparison of thousands of rounds, deeper than Python's recursion goes."""
    if one == other:
        return
    both = enumerate(zip(one, other, strict=False), 1)
    place, first, second = next(
        ((k, x, y) for k, (x, y) in both if x != y), (0, len(one), len(other))
    )
    where = f"number {place} is {first}, and {second}" if place else f"{first} long, and {second}"
    raise AssertionError(f"{otherwise}: {where}")


def reward_table(rounds: int, arms: int, seed: int, *, binary: bool = False) -> Any:
    """Rewards, uniform on [0, 1] or coins."""
    table = np.random.default_rng([seed, rounds, arms]).random((rounds, arms))
    # Multiples of 2^-20: their sums are exact, in whatever order a leap takes them.
    return np.round(table) if binary else np.round(table * 2**20) / 2**20
