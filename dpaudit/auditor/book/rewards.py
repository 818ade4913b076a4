"""What worlds pay while a book is checked: all small binary tables, many kinds of larger ones."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from dpaudit.algorithm.contract import Algorithm
from dpaudit.machine.compiling import Function, callees
from dpaudit.machine.feedback import TABLES
from dpaudit.results.found import Floats


@dataclass(frozen=True)
class Rewards:
    """What a world pays: a table, or rows that never change, for leaps over many rounds."""

    words: str
    table: Floats
    constant: bool = False

    def read(self, feedback: str, t: int, pulls: int, arm: int) -> Any:
        if self.constant:
            row = pulls * self.table[0]
            return float(row[arm]) if feedback == "bandit" else row
        return TABLES[feedback](self.table, t, pulls, arm)


def all_binary(rounds: int, arms: int, whole: int) -> Iterator[Rewards]:
    """Each next to one that differs in many cells: the order is shuffled. Later rounds pay 0."""
    cells = list(itertools.product((0.0, 1.0), repeat=rounds * arms))
    for i in np.random.default_rng([rounds, arms]).permutation(len(cells)):
        table = np.zeros((whole, arms))
        table[:rounds] = np.array(cells[i]).reshape(rounds, arms)
        yield Rewards(f"rows {table.astype(int).tolist()}", table)


def constant(arms: int) -> Iterator[Rewards]:
    rows: list[Any] = [0.0, 1.0, 0.25, *np.eye(arms)[:2]]
    for row in rows:
        table = np.full((1, arms), row)
        yield Rewards(f"all rows {table[0].tolist()}", table, constant=True)


def named_in(algorithm: Algorithm) -> list[float]:
    """Rewards that the steps name: what one does for a single value shows at that value only."""
    found: set[float] = set()
    seen: set[Function] = set()

    def visit(function: Function) -> None:
        if function in seen:
            return
        seen.add(function)
        known = (function.__globals__.get(name) for name in function.__code__.co_names)
        for value in (*function.__code__.co_consts, *known):
            if isinstance(value, float) and 0.0 < value < 1.0:
                found.add(value)
        for callee in callees(function).values():
            visit(callee)

    for step in (algorithm.select, algorithm.observe):
        visit(cast(Function, step))
    return sorted(found)


def some(
    rounds: int,
    arms: int,
    count: int,
    turn: int,
    rng: np.random.Generator,
    named: Sequence[float] = (),
) -> Iterator[Rewards]:
    """Tables of many kinds, from one of them on in turn, neighbours among them."""
    shape = rounds, arms

    def fractions() -> Floats:
        return np.round(rng.random(shape) * 1024) / 1024

    kinds: list[tuple[str, Callable[[], Floats]]] = [
        ("all rewards 0", lambda: np.zeros(shape)),
        ("all rewards 1", lambda: np.ones(shape)),
        ("random rewards 0 and 1", lambda: rng.integers(0, 2, shape).astype(float)),
        ("random fractions", fractions),
        ("one arm pays", lambda: np.tile(np.eye(arms)[rng.integers(arms)], (rounds, 1))),
        ("all rewards 1/2", lambda: np.full(shape, 0.5)),
        (
            "one arm does not pay",
            lambda: np.tile(1.0 - np.eye(arms)[rng.integers(arms)], (rounds, 1)),
        ),
    ]
    if named:
        values = np.array([0.0, 1.0, *named])
        kinds.append(("rewards that the steps name", lambda: rng.choice(values, shape)))
    given = 0
    turn %= len(kinds)
    for words, make in itertools.cycle(kinds[turn:] + kinds[:turn]):
        table = make()
        yield Rewards(words, table)
        # A neighbour: one round is another one, and often a late one.
        changed = rounds - 1 - int(rng.random() ** 2 * rounds)
        other = table.copy()
        other[changed] = 1.0 - other[changed] if rng.random() < 0.5 else rng.random(arms)
        yield Rewards(f"{words} but for round {changed + 1}", other)
        given += 2
        if given >= count:
            return
