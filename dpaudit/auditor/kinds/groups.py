"""Pairs of neighbours that differ in more than one row of rewards: in several rounds, or in the
contexts, too. They are made of those that differ in one round."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpaudit.auditor.search import make_pair
from dpaudit.errors import UsageError
from dpaudit.play.kinds.setting import Setting
from dpaudit.results.found import Floats, Pair

LAYOUTS = 3
"""A user's rounds are one after the other, evenly spread, or anywhere."""


@dataclass(frozen=True)
class Groups:
    """What pairs of a setting look like; `arms` without the numbers of a context."""

    setting: Setting
    arms: int

    @property
    def width(self) -> int:
        return self.arms + self.setting.numbers

    @property
    def walked(self) -> bool:
        """Whether tables between two far ones are pairs, too: not where a round is left out."""
        return not self.setting.removes

    def shaped(self, pairs: Iterable[Any], rng: np.random.Generator) -> Iterator[Any]:
        """The pairs as this setting has them."""
        for pair in pairs:
            if not isinstance(pair, Pair) or (
                self.setting.changes == 1 and not self.setting.numbers
            ):
                yield pair
                continue
            found = self._widened(pair, rng)
            if not self.setting.private and self.setting.numbers:
                neighbour = found.neighbour.copy()
                neighbour[:, self.arms :] = found.rewards[:, self.arms :]
                found = replace(found, neighbour=neighbour)
            if found.changed:
                yield replace(found, round=found.changed[0])

    def _widened(self, pair: Pair, rng: np.random.Generator) -> Pair:
        """The same change in as many rounds as neighbours may differ in."""
        rounds, number = pair.shape[0], min(self.setting.changes, pair.shape[0])
        if number == 1:
            return pair
        layout, at = int(rng.integers(LAYOUTS)), pair.round - 1
        if layout == 0:
            first = max(0, min(at, rounds - number))
            places = np.arange(first, first + number)
        elif layout == 1:
            places = np.unique(
                np.linspace(at % max(1, rounds // number), rounds - 1, number).astype(int)
            )
        else:
            places = rng.permutation(rounds)[:number]
        rewards, neighbour = pair.rewards.copy(), pair.rewards.copy()
        rewards[places], neighbour[places] = pair.rewards[at], pair.neighbour[at]
        return Pair(rewards, neighbour, int(min(places)) + 1)

    def contextual(self, rounds: int, rng: np.random.Generator, count: int) -> list[Pair]:
        """Pairs with contexts: tables whose rows are alike, of which one round changes its rewards,
        and, where they are private, its context."""
        rows = _rows(self.setting.numbers)
        paid = _rows(self.arms)
        found = []
        for number in range(count):
            rewards = [paid[rng.integers(len(paid))] for _ in range(2)]
            shown = [rows[rng.integers(len(rows))] for _ in range(3)]
            base = np.concatenate([rewards[0], shown[0]])
            here = np.concatenate([rewards[1], shown[1]])
            there = np.concatenate([1.0 - rewards[1], shown[2]])
            if number % 2 == 0:  # all that a round has, against nothing
                here, there = np.ones(self.width), np.zeros(self.width)
            if not self.setting.private:
                here[self.arms :] = there[self.arms :] = shown[1] if shown[1].any() else 1.0
            table = np.tile(base, (rounds, 1))
            found.append(make_pair(table, int(rng.integers(rounds)) + 1, here, there))
        return found


def _rows(numbers: int) -> list[Floats]:
    """Some rows of so many numbers: none, all, one."""
    return [np.zeros(numbers), np.ones(numbers), *np.eye(numbers)]


def check_pair(
    pair: Pair | None, setting: Setting, arms: int, rounds: int, *, adaptive: bool, whole: bool
) -> None:
    """Whether a pair that is given, or an adversary, fits what is asked. `whole`: a shorter one is
    not what the claim is about."""
    if adaptive and (setting.numbers or setting.changes > 1 or setting.removes):
        raise UsageError(
            "adversary: got one beside contexts or neighbours, allowed is one changed round without"
        )
    if adaptive and not setting.arms_seen:
        raise UsageError(
            f"adversary: it sees the arms, got sees {setting.sees!r}, allowed are actions among it"
        )
    if pair is None:
        return
    if adaptive:
        raise UsageError("pair: got one beside an adversary, allowed is one of the two")
    width = arms + setting.numbers
    if pair.rewards.shape != pair.neighbour.shape:
        raise UsageError("pair: got tables of two shapes, allowed is one shape")
    if whole and pair.shape[0] < rounds:
        raise UsageError(
            f"pair: got tables of {pair.shape[0]} rounds, allowed is {rounds}: what is seen is of "
            "whole runs"
        )
    if pair.shape[1] != width or pair.shape[0] > rounds:
        raise UsageError(
            f"pair: got tables of {pair.shape[0]} rounds and {pair.shape[1]} arms, allowed are "
            f"{width} arms and at most {rounds} rounds"
        )
    least = np.zeros(width)
    least[arms:] = -1.0
    for table in (pair.rewards, pair.neighbour):
        if not ((table >= least) & (table <= 1.0)).all():
            raise UsageError(
                "pair: got numbers out of range, allowed are rewards in [0, 1] and contexts in "
                "[-1, 1]"
            )
    if len(pair.changed) > setting.changes:
        raise UsageError(
            f"pair: got tables that differ in {len(pair.changed)} rounds, allowed is "
            f"{setting.changes}"
        )


def steps_of(low: int, high: int, rounds: int, changes: int) -> tuple[int, int]:
    """The step of a walk that covers a stretch: as many rows as neighbours may differ in."""
    first = max(0, min(low - (changes - (high - low)) // 2, rounds - changes))
    return first, min(first + changes, rounds)
