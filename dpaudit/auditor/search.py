"""The search for the worst pair of neighbours, and the way from it to a witness for people.

Candidates are binary tables: all where there are few, else patterns, then steps of a hill climb.
The engines play them; a pair that violates a claim is shrunk to fewer rounds and fewer ones.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from dpaudit.errors import UsageError, check_count, check_number
from dpaudit.results.found import Floats, Pair
from dpaudit.run.plain import travels

EXHAUSTIVE_CELLS = 6
"""All binary tables are tried up to so many cells."""
ALL_CELLS = 2**24
"""All candidates together have no more cells than that."""
MANY_ARMS = 8
"""Up to so many arms each is raised alone."""
SHRUNK_SHARE = 0.1
"""Part of the error probability for a simpler witness."""


def likely_rows(arms: int) -> list[Floats]:
    """Rows worth trying: all for few arms, else one arm against the others and all alike."""
    if arms <= 3:
        return [np.array(bits, float) for bits in itertools.product((0, 1), repeat=arms)]
    single = np.eye(arms)
    if arms > MANY_ARMS:  # they are nearly alike: the first and the last stand for all
        single = single[[0, -1]]
    return [np.zeros(arms), np.ones(arms), *single, *(1.0 - single)]


def patterns(rounds: int, arms: int) -> Iterator[Floats]:
    """Base tables: all rows equal, alternating rows, a half of each."""
    for others in (slice(0), slice(1, None, 2), slice(rounds // 2, None)):
        for row in likely_rows(arms):
            table = np.tile(row, (rounds, 1))
            table[others] = 1.0 - row
            yield table


def interesting_rounds(rounds: int, limit: int) -> list[int]:
    """Rounds to change, counted from 1: all, or the boundaries of doubling epochs and a spread."""
    if rounds <= limit:
        return list(range(1, rounds + 1))
    doubling = {2**k + d for k in range(rounds.bit_length()) for d in (-1, 0, 1)}
    spread = {1 + (rounds - 1) * i // (limit // 2) for i in range(limit // 2 + 1)}
    return sorted(t for t in doubling | spread if 1 <= t <= rounds)


def candidates(rounds: int, arms: int, limit: int = 16) -> Iterator[Pair]:
    """Pairs to try first, without repetition; of very large tables only every so many-th."""
    seen: set[bytes] = set()
    tables = patterns(rounds, arms)
    count = 3 * len(likely_rows(arms)) ** 2 * len(interesting_rounds(rounds, limit))
    every, number = -(-count * rounds * arms // ALL_CELLS), 0
    if rounds * arms <= EXHAUSTIVE_CELLS:
        cells = itertools.product((0, 1), repeat=rounds * arms)
        tables = (np.array(bits, float).reshape(rounds, arms) for bits in cells)
    for table in tables:
        for changed in interesting_rounds(rounds, limit):
            for row in likely_rows(arms):
                number += 1
                if every > 1 and number % every:
                    continue
                pair = make_pair(table, changed, row, 1.0 - row)
                key = pair.rewards.tobytes() + pair.neighbour.tobytes()
                if key not in seen:
                    seen.add(key)
                    yield pair


def likely_levels(rounds: int, arms: int, opening: int, *, bandit: bool) -> Iterator[Pair]:
    """Pairs to try first where there are too many tables: rewards are at one level in the opening
    and at one behind it, or the first arm's differ from the others'; one round is all 0 in one
    world and all 1 in the other. With full information it is the first arm against the others.
    """
    changed = {1, opening, opening + 1, opening + 2, rounds // 2, 3 * rounds // 4, rounds - 1}
    first = np.eye(arms)[0]
    tables = []
    if bandit:
        for start, behind in itertools.product((0.0, 1.0), repeat=2):
            table = np.full((rounds, arms), behind)
            table[:opening] = start
            tables.append(table)
        row = np.ones(arms)
    else:
        row = first
    if rounds > 2 * opening or not bandit:
        levels = itertools.product((0.0, 0.5, 1.0), repeat=2)
        pairs_of_levels = levels if bandit else ((x, 0.0) for x in (0.0, 0.25, 0.5, 0.75, 1.0))
        for mine, others in pairs_of_levels:
            if mine != others or not bandit:
                tables.append(np.tile(np.where(first > 0.0, mine, others), (rounds, 1)))
    for table in tables:
        for t in sorted(changed):
            if 1 <= t <= rounds:
                yield make_pair(table, t, row, 1.0 - row)
                yield make_pair(table, t, 1.0 - row, row)


def make_pair(table: Floats, changed: int, here: Floats, there: Floats) -> Pair:
    """The table with round `changed` replaced by `here`, and by `there` in the neighbour."""
    rewards, neighbour = table.copy(), table.copy()
    rewards[changed - 1], neighbour[changed - 1] = here, there
    return Pair(rewards, neighbour, changed)


def neighbours_of(pair: Pair, rng: np.random.Generator, count: int) -> Iterator[Pair]:
    """Steps of a hill climb: flip one cell or one row of the base, or move the changed round."""
    rounds, arms = pair.shape
    here, there = pair.rewards[pair.round - 1], pair.neighbour[pair.round - 1]
    for _ in range(count):
        table = pair.rewards.copy()
        changed = pair.round
        kind = rng.integers(4)
        t = int(rng.integers(rounds))
        if kind == 0:
            table[t, rng.integers(arms)] = rng.integers(2)
        elif kind == 1:
            table[t] = rng.integers(0, 2, arms)
        elif kind == 2:
            table[t:] = rng.integers(0, 2, arms)
        else:
            table[changed - 1] = table[changed - 2]
            changed = t + 1
        yield make_pair(table, changed, here, there)


def shrink(pair: Pair, violates: Callable[[Pair], bool], *, cut_rounds: bool = True) -> Pair:
    """The simplest pair on the way down that `violates`; the given one if nothing simpler does.
    `cut_rounds` is for learners that do not know the horizon: others would change with it.

    `violates` may err: it works on selection samples, and what it returns is bounded afterwards.
    """
    rounds, arms = pair.shape
    for shorter in range(pair.round + 1, rounds if cut_rounds else 0):
        cut = replace(pair, rewards=pair.rewards[:shorter], neighbour=pair.neighbour[:shorter])
        if violates(cut):
            pair = cut
            break
    # Whole rounds first, then single cells; the changed round stays as it is.
    for t in range(len(pair.rewards)):
        ones = [arm for arm in range(arms) if pair.rewards[t, arm] > 0.0]
        if t + 1 == pair.round or not ones:
            continue
        for group in [ones] if len(ones) == 1 else [ones, *([arm] for arm in ones)]:
            tables = pair.rewards.copy(), pair.neighbour.copy()
            simpler = replace(pair, rewards=tables[0], neighbour=tables[1])
            simpler.rewards[t, group] = simpler.neighbour[t, group] = 0.0
            if violates(simpler):
                pair = simpler
                break
    return pair


@travels
@dataclass(frozen=True)
class Levels:
    """A pair of tables: the first arm's rewards are at one level and the others' at another, and in
    one round all are 0, or, in the neighbour, all are 1. `swapped`: the first arm has 1 and the
    others 0 in that round, and the other way round in the neighbour."""

    mine: float
    others: float
    changed: int
    swapped: bool = False

    @classmethod
    def read(cls, text: str) -> Levels:
        """MINE,OTHERS,ROUND or MINE,OTHERS,ROUND,swapped."""
        parts = text.split(",")
        if len(parts) not in (3, 4) or (len(parts) == 4 and parts[3] != "swapped"):
            raise UsageError(f"levels: got {text!r}, allowed is MINE,OTHERS,ROUND[,swapped]")
        mine, others = (check_number("levels", part, 0.0, 1.0) for part in parts[:2])
        return cls(mine, others, check_count("levels", parts[2]), len(parts) == 4)

    def __str__(self) -> str:
        return f"{self.mine:g},{self.others:g},{self.changed}" + ",swapped" * self.swapped

    def pair(self, arms: int, rounds: int) -> Pair:
        """The tables."""
        if self.changed > rounds:
            raise UsageError(f"levels: got round {self.changed}, allowed is 1 to {rounds}")
        table = np.full((rounds, arms), self.others)
        table[:, 0] = self.mine
        here = np.zeros(arms)
        here[0] = float(self.swapped)
        return make_pair(table, self.changed, here, 1.0 - here)
