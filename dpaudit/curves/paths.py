"""The law of all action sequences under a table and its neighbour, from the learner's own steps.

A learner's state under one table depends on its actions only; states that are the same to the bit
are one. Each world is run by itself: what the steps are handed as the neighbour's reward is the
same as their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpaudit.algorithm.contract import BOOK
from dpaudit.curves.draws import STEP_ERROR, Coins, log_chances
from dpaudit.errors import UsageError
from dpaudit.play.tables import Configured

Floats = NDArray[np.float64]
LONGEST = 23
"""Rounds: 2^23 sequences are held in memory at once."""


@dataclass(frozen=True)
class Laws:
    """Log-probabilities of the same action sequences under a table and under its neighbour."""

    here: Floats
    there: Floats
    error: float
    """Bounds the error of each, relative to 1 + |log-probability|."""


class Steps:
    """A learner's states, its choices there, and what it becomes of what it sees."""

    def __init__(self, who: Configured) -> None:
        self.algorithm = who.algorithm
        self.full = who.algorithm.card.feedback == "full-information"
        self._chances: dict[tuple[bytes, int], tuple[float, float]] = {}
        arms, owns = who.algorithm.fresh(who.settings)
        self.start = self._keyed(arms, owns)

    def _keyed(self, arms: Any, owns: Any) -> tuple[bytes, Any]:
        for name in BOOK:
            owns[name] = 0.0
        return arms.tobytes() + owns.tobytes(), (arms, owns)

    def chances(self, state: tuple[bytes, Any], t: int) -> tuple[float, float]:
        key, (arms, owns) = state
        if (key, t) not in self._chances:
            select, stored = self.algorithm.select, _has_nan(arms) or _has_nan(owns)

            def choose(coins: Coins) -> int:
                fresh = arms.copy(), owns.copy()
                try:
                    chosen = int(select(fresh[0], fresh[1][0], t, coins))
                except ValueError as error:
                    raise _not_covered(error) from None
                if stored and coins.draws != len(arms):
                    raise UsageError(f"target: round {t} may use an older draw: not covered")
                return chosen

            self._chances[key, t] = log_chances(choose)
        return self._chances[key, t]

    def seen(self, state: tuple[bytes, Any], t: int, arm: int, row: Floats) -> Any:
        """The state after the choice of an arm, which may count its draws, and a row of rewards."""
        arms, owns = (records.copy() for records in state[1])
        reward = row.copy() if self.full else float(row[arm])
        try:
            self.algorithm.select(arms, owns[0], t, _Any())
            self.algorithm.observe(arms, owns[0], arm, 1, reward, reward, Coins(silent=True))
        except ValueError as error:
            raise _not_covered(error) from None
        return self._keyed(arms, owns)


def _not_covered(error: ValueError) -> UsageError:
    """A step wrote where it may not, say: to what is kept outside its state."""
    if isinstance(error, UsageError):
        return error
    return UsageError(f"target: a step that is not covered ({error})")


class World(Steps):
    """The same under one table."""

    def __init__(self, who: Configured, table: Floats) -> None:
        super().__init__(who)
        self.table = table
        self._after: dict[tuple[bytes, int, int], Any] = {}

    def after(self, state: tuple[bytes, Any], t: int, arm: int) -> Any:
        key = state[0], t, arm
        if key not in self._after:
            self._after[key] = self.seen(state, t, arm, self.table[t - 1])
        return self._after[key]


def _has_nan(records: Any) -> bool:
    """Whether a draw was stored."""
    names = [n for n in records.dtype.names if records.dtype[n].kind == "f"]
    return any(bool(np.isnan(records[n]).any()) for n in names)


class _Any(Coins):
    """Answers every comparison, and the same way."""

    def less(self, a: Any, b: Any) -> bool:
        return True


def laws(who: Configured, here: Floats, there: Floats) -> Laws:
    """Of all sequences that can happen in one of the two worlds."""
    rounds = len(here)
    if here.shape != there.shape or here.shape[1] != 2:
        raise UsageError("rewards: allowed are two tables of two arms and as many rounds")
    if rounds > LONGEST:
        raise UsageError(f"rounds: got {rounds}, allowed are at most {LONGEST}")
    worlds = World(who, here), World(who, there)
    keys = tuple(world.start[0] for world in worlds)
    layer: dict[Any, Any] = {keys: (tuple(w.start for w in worlds), [np.zeros(1)], [np.zeros(1)])}
    for t in range(1, rounds + 1):
        following: dict[Any, Any] = {}
        for states, mine, other in layer.values():
            p, q = (np.concatenate(part) for part in (mine, other))
            here_, there_ = (w.chances(s, t) for w, s in zip(worlds, states, strict=True))
            for arm in (0, 1):
                if here_[arm] == there_[arm] == -np.inf:
                    continue
                moved = (
                    tuple(w.after(s, t, arm) for w, s in zip(worlds, states, strict=True))
                    if t < rounds
                    else ((b"", None), (b"", None))
                )
                key = tuple(s[0] for s in moved)
                entry = following.setdefault(key, (moved, [], []))
                entry[1].append(p + here_[arm])
                entry[2].append(q + there_[arm])
        layer = following
    mine = np.concatenate([part for _, parts, _ in layer.values() for part in parts])
    other = np.concatenate([part for _, _, parts in layer.values() for part in parts])
    return Laws(mine, other, STEP_ERROR * rounds)
