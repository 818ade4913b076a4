"""Reward tables in two worlds, played by catalogue algorithms.

Arguments are checked once, at the door: `play_tables` and `trace` check, play and return plain
arrays, one row a run. `Configured` and `force_paths` take what is known to be right.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpaudit.algorithm.contract import Algorithm, Settings
from dpaudit.errors import UsageError, check_count
from dpaudit.machine.compiling import Function, bound, compiled_driver, digest
from dpaudit.play.catalogue import resolve
from dpaudit.run.plain import travels
from dpaudit.run.runner import current
from dpaudit.run.task import Block, Play, Task, blocks

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TablePlays:
    """What came out of playing a table: `actions` (runs x rounds), and per run the realised privacy
    loss, the pure and the GDP booking."""

    actions: NDArray[np.int16]
    loss: Floats
    pure: Floats
    gdp: Floats


@dataclass(frozen=True)
class Trace:
    """One run: the arms played, and what each round booked."""

    path: NDArray[np.int64]
    loss: Floats
    pure: Floats
    gdp: Floats


@dataclass(frozen=True)
class Forced:
    """The largest bookings over forced paths, and where the pure one was: path (-1 in the opening),
    round (from 1), and the changed row in the world that was run, its complement in the other."""

    pure: float
    gdp: float
    path: tuple[int, ...]
    round: int
    row: tuple[float, ...]


def check_table(name: str, table: ArrayLike) -> Floats:
    """A reward table: rounds x arms, entries in [0, 1]."""
    allowed = "allowed is a table of rounds x arms with entries in [0, 1]"
    try:
        rows = np.ascontiguousarray(table, dtype=np.float64)
    except (TypeError, ValueError):
        raise UsageError(f"{name}: got something that is no table of numbers, {allowed}") from None
    if rows.ndim != 2 or rows.shape[1] < 1 or rows.shape[0] < 1:
        raise UsageError(f"{name}: got shape {rows.shape}, {allowed}")
    bad = ~((rows >= 0.0) & (rows <= 1.0))
    if bad.any():
        t, arm = (int(i) for i in np.argwhere(bad)[0])
        raise UsageError(f"{name}: got {rows[t, arm]:g} at round {t + 1}, arm {arm}, {allowed}")
    return rows


@travels
@dataclass(frozen=True, eq=False)
class Configured:
    """An algorithm with checked settings. Nothing that it is handed is checked again. Two are equal
    if all that an answer about them hangs on is, the source of the steps included: by that an
    answer may be remembered."""

    algorithm: Algorithm
    settings: dict[str, Any]

    @functools.cached_property
    def source(self) -> tuple[str, ...] | None:
        """Digests of what it does, as it is now; None where its source is not to be had, as what
        was typed in."""
        steps = bound("play_tables", self.algorithm), self.algorithm.start, self.algorithm.opening
        try:
            return tuple(digest(cast(Function, step)) for step in steps)
        except OSError:
            return None

    @property
    def _version(self) -> tuple[Any, ...]:
        return self.algorithm, self.source, *sorted(self.settings.items())

    def __eq__(self, other: object) -> bool:
        if self is other or not isinstance(other, Configured):
            return self is other
        return self.source is not None and self._version == other._version

    def __hash__(self) -> int:
        return hash(self._version)

    def fresh(self) -> tuple[Any, ...]:
        """A state to work on, and the fresh one to reset it to."""
        arms, owns = self.algorithm.fresh(self.settings)
        return arms.copy(), owns.copy(), arms, owns

    def opening(self, rounds: int) -> int:
        """How many of the first rounds are the same whatever the data."""
        arms, owns = self.algorithm.fresh(self.settings)
        return min(rounds, self.algorithm.opening(arms, owns[0]))

    def play(
        self, here: Floats, there: Floats, runs: int, seed: int, *, leaping: bool = False
    ) -> TablePlays:
        """Play a table and its neighbour so many times, block by block, in this thread."""
        work = blocks(runs, len(here))
        parts = [self.block(here, there, block, seed, leaping=leaping) for block in work]
        actions, books = (np.concatenate(part) for part in zip(*parts, strict=True))
        return TablePlays(actions, books[:, 0], books[:, 1], books[:, 2])

    def block(
        self,
        here: Floats,
        there: Floats,
        block: Block,
        seed: int,
        *,
        leaping: bool = False,
        python: bool = False,
    ) -> tuple[NDArray[np.int16], Floats]:
        drive: Any = (bound if python else compiled_driver)("play_tables", self.algorithm)
        actions = np.empty((block.runs, len(here)), np.int16)
        books = np.empty((block.runs, 3))
        rng = block.generator(seed)
        drive(self.fresh(), here, there, leaping, actions, books, rng)
        return actions, books

    def trace(
        self, here: Floats, there: Floats, path: Any, seed: int = 0, *, python: bool = False
    ) -> Trace:
        """One run along a path; -1 there leaves the choice to the rule."""
        drive: Any = (bound if python else compiled_driver)("trace_path", self.algorithm)
        forced = np.array(path, dtype=np.int64)
        booked = np.empty((len(here), 3))
        drive(self.fresh(), here, there, forced, booked, np.random.default_rng(seed))
        return Trace(forced, booked[:, 0], booked[:, 1], booked[:, 2])


def configured(
    target: str | Algorithm,
    *,
    arms: int,
    rounds: int,
    epsilon: float | None = None,
    parameters: Settings,
) -> Configured:
    """Check who plays, with which settings, tables of which size."""
    algorithm = resolve(target)
    settings = algorithm.settings(
        arms=check_count("arms", arms, 1, 2**15 - 1),
        epsilon=epsilon,
        horizon=rounds,
        given=parameters,
    )
    return Configured(algorithm, settings)


def _checked(
    target: str | Algorithm,
    rewards: ArrayLike,
    neighbour: ArrayLike | None,
    epsilon: float | None,
    parameters: Settings,
) -> tuple[Configured, Floats, Floats]:
    here = check_table("rewards", rewards)
    there = here if neighbour is None else check_table("neighbour", neighbour)
    if there.shape != here.shape:
        raise UsageError(f"neighbour: got shape {there.shape}, allowed is {here.shape} as rewards")
    rounds, arms = here.shape
    who = configured(target, arms=arms, rounds=rounds, epsilon=epsilon, parameters=parameters)
    return who, here, there


def play_tables(
    target: str | Algorithm,
    rewards: ArrayLike,
    neighbour: ArrayLike | None = None,
    *,
    epsilon: float | None = None,
    runs: int = 1,
    seed: int = 0,
    workers: int | None = 1,
    leaping: bool = False,
    python: bool = False,
    **parameters: float | str,
) -> TablePlays:
    """Play a table of rewards, and its neighbour as the second world, `runs` times."""
    who, here, there = _checked(target, rewards, neighbour, epsilon, parameters)
    given = {"who": who, "here": here, "there": there, "seed": seed}
    task = Task(
        table_runs, who.algorithm.card.name, {**given, "leaping": leaping, "python": python}
    )
    steps = who.algorithm.steps(len(here), leaping=leaping)
    work = blocks(check_count("runs", runs), steps)
    records = [record for _, record in current(workers).run(task, work)]
    actions, books = (np.concatenate([r[name] for r in records]) for name in ("actions", "books"))
    return TablePlays(actions, books[:, 0], books[:, 1], books[:, 2])


@travels
def table_runs(
    who: Configured, here: Floats, there: Floats, seed: int, leaping: bool, python: bool
) -> Play:
    """Block i: actions and bookings of its runs."""

    def play(block: Block) -> dict[str, Any]:
        actions, books = who.block(here, there, block, seed, leaping=leaping, python=python)
        return {"actions": actions, "books": books}

    return play


def trace(
    target: str | Algorithm,
    rewards: ArrayLike,
    neighbour: ArrayLike,
    path: Sequence[int] | None = None,
    *,
    epsilon: float | None = None,
    seed: int = 0,
    python: bool = False,
    **parameters: float | str,
) -> Trace:
    """Play one run and see what each round books. `path` forces the arm of a round, whatever the
    rule says; -1 there, or no path, leaves the choice to the rule."""
    who, here, there = _checked(target, rewards, neighbour, epsilon, parameters)
    rounds, arms = here.shape
    forced = np.full(rounds, -1) if path is None else np.array(path, dtype=np.int64)
    if forced.shape != (rounds,) or np.any(forced < -1) or np.any(forced >= arms):
        raise UsageError(
            f"path: got {path!r}, allowed is {rounds} arms from 0 to {arms - 1}, or -1"
        )
    return who.trace(here, there, forced, seed, python=python)


def force_paths(who: Configured, base: Floats, *, seed: int = 0, workers: int = 1) -> Forced:
    """Force every action path (behind the opening) of the base table's length, with every round
    changed in every direction."""
    rounds, arms = base.shape
    opening = who.opening(rounds)
    task = Task(
        forced_paths,
        who.algorithm.card.name,
        {"who": who, "base": base, "opening": opening, "seed": seed},
    )
    best, where = np.zeros(2), np.zeros((2, 3), np.int64)
    for _, record in current(workers).run(task, blocks(arms ** (rounds - opening), rounds**2)):
        found, at = record["best"], record["where"]
        for book in range(2):
            # The lowest path among equals, whatever the order of the blocks.
            if (found[book], -at[book, 0]) > (best[book], -where[book, 0]):
                best[book], where[book] = found[book], at[book]
    code, changed, direction = (int(i) for i in where[0])
    free = tuple(code // arms ** (rounds - 1 - t) % arms for t in range(opening, rounds))
    row = tuple(float((direction >> j) & 1) for j in range(arms))
    return Forced(float(best[0]), float(best[1]), (-1,) * opening + free, changed + 1, row)


@travels
def forced_paths(who: Configured, base: Floats, opening: int, seed: int) -> Play:
    """Block i, paths standing in the place of runs: their largest bookings, and where."""
    drive: Any = compiled_driver("force_paths", who.algorithm)

    def play(block: Block) -> dict[str, Any]:
        best, where = np.zeros(2), np.zeros((2, 3), np.int64)
        rng = block.generator(seed)
        drive(who.fresh(), base, opening, block.first, block.runs, best, where, rng)
        return {"best": best, "where": where}

    return play
