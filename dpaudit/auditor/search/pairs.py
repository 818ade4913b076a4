"""Candidates for the worst pair of neighbours: exhaustive where small, else structured patterns,
then steps of a hill climb. All candidates are binary tables; nothing here is random but `rng`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from dpaudit.results.audit import Floats, Pair

EXHAUSTIVE_CELLS = 6
"""All binary tables are tried up to so many cells."""


def _rows(arms: int) -> list[Floats]:
    """Rows worth trying: all for few arms, else one arm against the others and all alike."""
    if arms <= 3:
        return [np.array(bits, float) for bits in itertools.product((0, 1), repeat=arms)]
    single = np.eye(arms)
    return [np.zeros(arms), np.ones(arms), *single, *(1.0 - single)]


def _opposites(arms: int) -> list[tuple[Floats, Floats]]:
    """The changed row in both worlds: complements, each way round."""
    rows = _rows(arms)
    return [(row, 1.0 - row) for row in rows]


def patterns(rounds: int, arms: int) -> Iterator[Floats]:
    """Base tables: all rows equal, alternating rows, a half of each."""
    rows = _rows(arms)
    for row in rows:
        yield np.tile(row, (rounds, 1))
    for row in rows:
        table = np.tile(row, (rounds, 1))
        table[1::2] = 1.0 - row
        yield table
    for row in rows:
        table = np.tile(row, (rounds, 1))
        table[rounds // 2 :] = 1.0 - row
        yield table


def interesting_rounds(rounds: int, limit: int) -> list[int]:
    """Rounds to change, counted from 1: all, or the boundaries of doubling epochs and a spread."""
    if rounds <= limit:
        return list(range(1, rounds + 1))
    doubling = {2**k + d for k in range(rounds.bit_length()) for d in (-1, 0, 1)}
    spread = {1 + (rounds - 1) * i // (limit // 2) for i in range(limit // 2 + 1)}
    return sorted(t for t in doubling | spread if 1 <= t <= rounds)


def candidates(rounds: int, arms: int, limit: int = 16) -> Iterator[Pair]:
    """Pairs to try first, without repetition."""
    seen: set[bytes] = set()
    if rounds * arms <= EXHAUSTIVE_CELLS:
        tables: Iterator[Floats] = (
            np.array(bits, float).reshape(rounds, arms)
            for bits in itertools.product((0, 1), repeat=rounds * arms)
        )
    else:
        tables = patterns(rounds, arms)
    for table in tables:
        for changed in interesting_rounds(rounds, limit):
            for here, there in _opposites(arms):
                pair = make_pair(table, changed, here, there)
                key = pair.rewards.tobytes() + pair.neighbour.tobytes()
                if key not in seen:
                    seen.add(key)
                    yield pair


def make_pair(table: Floats, changed: int, here: Floats, there: Floats) -> Pair:
    """The table with round `changed` replaced by `here`, and by `there` in the neighbour."""
    rewards, neighbour = table.copy(), table.copy()
    rewards[changed - 1], neighbour[changed - 1] = here, there
    return Pair(rewards, neighbour, changed)


def neighbours_of(pair: Pair, rng: np.random.Generator, count: int) -> Iterator[Pair]:
    """Steps of a hill climb: flip one cell or one row of the base, or move the changed round."""
    rounds, arms = pair.rewards.shape
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
