"""Play catalogue algorithms: reward tables in two worlds, or stochastic environments.

Each call checks its arguments, then runs blocks of the compiled driver (or, with `python=True`,
the same source as plain Python) and returns plain arrays, one row a run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpaudit.algorithm.contract import Algorithm, Settings
from dpaudit.errors import UsageError, check_count, check_number
from dpaudit.machine.binding import bound
from dpaudit.machine.compiling import compiled_driver
from dpaudit.machine.feedback import ENVIRONMENTS
from dpaudit.play.catalogue import find
from dpaudit.run.block import Block, blocks, check_workers, run_blocks
from dpaudit.run.runner import active
from dpaudit.run.task import unpack

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
class EnvironmentPlays:
    """Pseudo-regret of each run at each horizon (runs x horizons)."""

    horizons: NDArray[np.int64]
    regret: Floats


def resolve(target: str | Algorithm) -> Algorithm:
    """A catalogue entry by name, or an algorithm as it is."""
    return target if isinstance(target, Algorithm) else find(target)


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


def check_means(means: Sequence[float] | Floats) -> Floats:
    """Mean rewards (or losses), one an arm."""
    allowed = "allowed is one number in [0, 1] an arm"
    try:
        values = np.asarray(means, dtype=np.float64)
    except (TypeError, ValueError):
        raise UsageError(f"means: got {means!r}, {allowed}") from None
    if values.ndim != 1 or len(values) < 1 or not np.all((values >= 0.0) & (values <= 1.0)):
        raise UsageError(f"means: got {values.ravel().tolist()}, {allowed}")
    return values


def check_epsilon(algorithm: Algorithm, epsilon: float | None) -> float | None:
    """Privacy parameter, within what the algorithm allows."""
    if epsilon is None:
        return None
    return check_number("epsilon", epsilon, 0.0, algorithm.card.epsilon_max, low_open=True)


@dataclass(frozen=True)
class Trace:
    """One run: the arms played, and what each round booked."""

    path: NDArray[np.int64]
    loss: Floats
    pure: Floats
    gdp: Floats


@dataclass(frozen=True)
class _TwoWorlds:
    """A checked question: an algorithm, a table, its neighbour, and the state to start from."""

    algorithm: Algorithm
    here: Floats
    there: Floats
    fresh_arms: Any
    fresh_owns: Any

    @property
    def state(self) -> tuple[Any, ...]:
        """A state to work on, and the fresh one to reset it to."""
        return self.fresh_arms.copy(), self.fresh_owns.copy(), self.fresh_arms, self.fresh_owns


def _two_worlds(
    target: str | Algorithm,
    rewards: ArrayLike,
    neighbour: ArrayLike | None,
    epsilon: float | None,
    parameters: Settings,
) -> _TwoWorlds:
    algorithm = resolve(target)
    here = check_table("rewards", rewards)
    there = here if neighbour is None else check_table("neighbour", neighbour)
    if there.shape != here.shape:
        raise UsageError(f"neighbour: got shape {there.shape}, allowed is {here.shape} as rewards")
    settings = algorithm.settings(
        arms=check_count("arms", here.shape[1], 1, 2**15 - 1),
        epsilon=check_epsilon(algorithm, epsilon),
        horizon=here.shape[0],
        given=parameters,
    )
    return _TwoWorlds(algorithm, here, there, *algorithm.fresh(settings))


def two_worlds(
    algorithm: Algorithm, rewards: Floats, neighbour: Floats, settings: dict[str, Any]
) -> _TwoWorlds:
    """A table, its neighbour, and the state to start from; `settings` may hold an epsilon."""
    given = dict(settings)
    return _two_worlds(algorithm, rewards, neighbour, given.pop("epsilon", None), given)


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
    worlds = _two_worlds(target, rewards, neighbour, epsilon, parameters)
    algorithm, horizon = worlds.algorithm, len(worlds.here)
    runs = check_count("runs", runs)
    play: Any = (bound if python else compiled_driver)("play_tables", algorithm)
    actions = np.empty((runs, horizon), np.int16)
    books = np.empty((runs, 3))

    def task(block: Block) -> None:
        rows = slice(block.first, block.first + block.runs)
        outputs = actions[rows], books[rows]
        rng = block.generator(seed)
        play(*worlds.state, worlds.here, worlds.there, leaping, *outputs, rng)

    steps = algorithm.steps(horizon, leaping=leaping)
    for _ in run_blocks(task, blocks(runs, steps), check_workers(workers)):
        pass
    return TablePlays(actions, books[:, 0], books[:, 1], books[:, 2])


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
    worlds = _two_worlds(target, rewards, neighbour, epsilon, parameters)
    rounds, arms = worlds.here.shape
    forced = np.full(rounds, -1) if path is None else np.array(path, dtype=np.int64)
    if forced.shape != (rounds,) or np.any(forced < -1) or np.any(forced >= arms):
        raise UsageError(
            f"path: got {path!r}, allowed is {rounds} arms from 0 to {arms - 1}, or -1"
        )
    drive: Any = (bound if python else compiled_driver)("trace_path", worlds.algorithm)
    booked = np.empty((rounds, 3))
    rng = np.random.default_rng(seed)
    drive(*worlds.state, worlds.here, worlds.there, forced, booked, rng)
    return Trace(forced, booked[:, 0], booked[:, 1], booked[:, 2])


@dataclass(frozen=True)
class Stochastic:
    """A checked question: an algorithm in a stochastic environment, and the horizons to look at."""

    algorithm: Algorithm
    horizons: NDArray[np.int64]
    parameters: Floats
    gaps: Floats
    fresh_arms: Any
    fresh_owns: Any
    drive: Any
    leaping: bool

    def work(self, runs: int) -> Iterator[Block]:
        """The blocks of so many runs."""
        last = int(self.horizons[-1])
        return blocks(runs, self.algorithm.steps(last, leaping=self.leaping))

    def play(self, block: Block, seed: int) -> Floats:
        """Pseudo-regret of a block's runs (runs x horizons)."""
        regret = np.empty((block.runs, len(self.horizons)))
        state = self.fresh_arms.copy(), self.fresh_owns.copy(), self.fresh_arms, self.fresh_owns
        rng = block.generator(seed)
        question = self.parameters, self.gaps, self.horizons
        self.drive(*state, *question, self.leaping, regret, rng)
        return regret


def stochastic(
    target: str | Algorithm,
    means: Sequence[float] | Floats,
    horizons: Sequence[int] | int,
    *,
    epsilon: float | None = None,
    environment: str | Floats = "bernoulli",
    leaping: bool = True,
    python: bool = False,
    **parameters: float | str,
) -> Stochastic:
    """Check the question. An array as environment is the support of arms on finite sets (see
    `dpaudit.machine.feedback.finite_of_pulled`)."""
    algorithm = resolve(target)
    values = check_means(means)
    points = [horizons] if isinstance(horizons, (int, float)) else list(horizons)
    ends = np.array([check_count("horizon", h) for h in points], dtype=np.int64)
    if len(ends) == 0 or np.any(np.diff(ends) <= 0):
        raise UsageError(f"horizons: got {points}, allowed is an increasing list of rounds")
    named = environment if isinstance(environment, str) else "finite"
    if named not in ENVIRONMENTS:
        raise UsageError(f"environment: got {named!r}, allowed is one of {', '.join(ENVIRONMENTS)}")
    settings = algorithm.settings(
        arms=len(values),
        epsilon=check_epsilon(algorithm, epsilon),
        horizon=int(ends[-1]),
        given=parameters,
    )
    losses = algorithm.card.payoff == "losses"
    gaps = values - values.min() if losses else values.max() - values
    drive: Any = (bound if python else compiled_driver)("play_environment", algorithm, named)
    drawn = values if isinstance(environment, str) else environment
    return Stochastic(algorithm, ends, drawn, gaps, *algorithm.fresh(settings), drive, leaping)


def play_environment(
    target: str | Algorithm,
    means: Sequence[float] | Floats,
    horizons: Sequence[int] | int,
    *,
    epsilon: float | None = None,
    environment: str | Floats = "bernoulli",
    runs: int = 1,
    seed: int = 0,
    workers: int | None = 1,
    leaping: bool = True,
    python: bool = False,
    **parameters: float | str,
) -> EnvironmentPlays:
    """Play a stochastic environment `runs` times and record the pseudo-regret at the horizons.

    `means` are mean rewards, or mean losses for an algorithm on losses.
    """
    question = stochastic(
        target,
        means,
        horizons,
        epsilon=epsilon,
        environment=environment,
        leaping=leaping,
        python=python,
        **parameters,
    )
    runs = check_count("runs", runs)
    regret = np.empty((runs, len(question.horizons)))
    runner = active()
    if runner is not None and runner.far:
        from dpaudit.play.environments import environment_task

        far = environment_task(
            "environment",
            question.algorithm,
            means,
            question.horizons,
            epsilon=epsilon,
            environment=environment,
            leaping=leaping,
            python=python,
            seed=seed,
            parameters=parameters,
        )
        for block, record in runner.run(far, question.work(runs)):
            regret[block.first : block.first + block.runs] = unpack(record["regret"])
        return EnvironmentPlays(question.horizons, regret)

    def task(block: Block) -> None:
        regret[block.first : block.first + block.runs] = question.play(block, seed)

    for _ in run_blocks(task, question.work(runs), check_workers(workers)):
        pass
    return EnvironmentPlays(question.horizons, regret)


@dataclass(frozen=True)
class Forced:
    """The largest bookings over forced paths, and where the pure one was: path (-1 in the opening),
    round (from 1), and the changed row in the world that was run, its complement in the other."""

    pure: float
    gdp: float
    path: tuple[int, ...]
    round: int
    row: tuple[float, ...]


def force_paths(
    target: str | Algorithm,
    base: ArrayLike,
    *,
    epsilon: float | None = None,
    seed: int = 0,
    workers: int | None = 1,
    **parameters: float | str,
) -> Forced:
    """Force every action path (behind the opening) of the base table's length, with every round
    changed in every direction."""
    worlds = _two_worlds(target, base, None, epsilon, parameters)
    rounds, arms = worlds.here.shape
    opening = min(rounds, worlds.algorithm.opening(worlds.fresh_arms, worlds.fresh_owns[0]))
    drive: Any = compiled_driver("force_paths", worlds.algorithm)

    def task(block: Block) -> tuple[Floats, NDArray[np.int64]]:
        best, where = np.zeros(2), np.zeros((2, 3), np.int64)
        rng = block.generator(seed)
        drive(*worlds.state, worlds.here, opening, block.first, block.runs, best, where, rng)
        return best, where

    best, where = np.zeros(2), np.zeros((2, 3), np.int64)
    for _, (found, at) in run_blocks(
        task, blocks(arms ** (rounds - opening), rounds**2), check_workers(workers)
    ):
        for book in range(2):
            # The lowest path among equals, whatever the order of the blocks.
            if (found[book], -at[book, 0]) > (best[book], -where[book, 0]):
                best[book], where[book] = found[book], at[book]

    code, changed, direction = (int(i) for i in where[0])
    free = tuple(code // arms ** (rounds - 1 - t) % arms for t in range(opening, rounds))
    row = tuple(float((direction >> j) & 1) for j in range(arms))
    return Forced(float(best[0]), float(best[1]), (-1,) * opening + free, changed + 1, row)
