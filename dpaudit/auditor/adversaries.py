"""Adaptive adversaries: the next rewards are chosen after seeing the actions.

An adversary is a function of the round and the actions so far that returns a row of rewards in
[0, 1]. In the changed round the row is replaced: by `here` in the first world, by its complement in
the second. A privacy claim for fixed tables need not hold against one, and conversely.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dpaudit.auditor.search import interesting_rounds, likely_rows
from dpaudit.errors import UsageError
from dpaudit.results.found import Floats

Adversary = Callable[[int, Sequence[int], int], Sequence[float]]
"""(round, actions so far, number of arms) -> one reward per arm."""


def reward_last(t: int, actions: Sequence[int], arms: int) -> list[float]:
    """1 for the arm that was played last, 0 for all others."""
    return [float(bool(actions) and j == actions[-1]) for j in range(arms)]


def punish_last(t: int, actions: Sequence[int], arms: int) -> list[float]:
    """0 for the arm that was played last, 1 for all others."""
    return [float(not actions or j != actions[-1]) for j in range(arms)]


def balance(t: int, actions: Sequence[int], arms: int) -> list[float]:
    """1 for the arms played least so far: keeps all arms close."""
    counts = [list(actions).count(j) for j in range(arms)]
    return [float(count == min(counts)) for count in counts]


ADVERSARIES: dict[str, Adversary] = {
    "reward-last": reward_last,
    "punish-last": punish_last,
    "balance": balance,
}


@dataclass(frozen=True)
class AdaptivePair:
    """Two worlds with the same adversary that differ in one round."""

    adversary: Adversary
    round: int
    here: Floats
    rounds: int

    @property
    def shape(self) -> tuple[int, int]:
        return self.rounds, len(self.here)

    @property
    def changed(self) -> list[int]:
        return [self.round]

    def row(self, world: int, t: int, actions: Sequence[int]) -> list[float]:
        """The rewards of round t in a world."""
        if t == self.round:
            return [float(x) for x in (1.0 - self.here if world else self.here)]
        arms = len(self.here)
        row = [float(x) for x in self.adversary(t, list(actions), arms)]
        if len(row) != arms or not all(0.0 <= x <= 1.0 for x in row):
            raise UsageError(
                f"adversary: in round {t} it returned {row}, allowed is {arms} rewards in [0, 1]"
            )
        return row


def adaptive_pairs(adversary: Adversary, rounds: int, arms: int) -> list[AdaptivePair]:
    """Every changed round (or a spread of them) in every direction."""
    return [
        AdaptivePair(adversary, t, row, rounds)
        for t in interesting_rounds(rounds, 8)
        for row in likely_rows(arms)
    ]


def find_adversary(given: str | Adversary) -> Adversary:
    """A built-in by name, or the function itself."""
    if callable(given):
        return given
    if given not in ADVERSARIES:
        allowed = ", ".join(ADVERSARIES)
        raise UsageError(f"adversary: got {given!r}, allowed is a function or one of {allowed}")
    return ADVERSARIES[given]


def as_tables(pair: AdaptivePair, actions: Sequence[int]) -> tuple[Floats, Floats]:
    """What both worlds would see along a sequence of actions, for a report."""
    rounds = range(1, pair.rounds + 1)
    here, there = ([pair.row(world, t, actions[: t - 1]) for t in rounds] for world in (0, 1))
    return np.array(here), np.array(there)
