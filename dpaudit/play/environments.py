"""Stochastic environments, played by catalogue algorithms: pseudo-regret at increasing horizons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpaudit.algorithm.contract import Algorithm
from dpaudit.errors import UsageError, check_count
from dpaudit.machine.compiling import bound, compiled_driver
from dpaudit.machine.feedback import ENVIRONMENTS
from dpaudit.play.catalogue import resolve
from dpaudit.play.tables import Configured, Floats
from dpaudit.run.plain import travels
from dpaudit.run.runner import current
from dpaudit.run.task import Block, Play, Task, blocks


@dataclass(frozen=True)
class EnvironmentPlays:
    """Pseudo-regret of each run at each horizon (runs x horizons)."""

    horizons: NDArray[np.int64]
    regret: Floats


def check_means(means: Sequence[float] | Floats) -> Floats:
    allowed = "allowed is one number in [0, 1] an arm"
    try:
        values = np.asarray(means, dtype=np.float64)
    except (TypeError, ValueError):
        raise UsageError(f"means: got {means!r}, {allowed}") from None
    if values.ndim != 1 or len(values) < 1 or not np.all((values >= 0.0) & (values <= 1.0)):
        raise UsageError(f"means: got {values.ravel().tolist()}, {allowed}")
    return values


def check_horizons(horizons: Sequence[int] | int, longest: int = 2**62) -> NDArray[np.int64]:
    points = [horizons] if isinstance(horizons, (int, float)) else list(horizons)
    ends = np.array([check_count("horizon", h, 1, longest) for h in points], dtype=np.int64)
    if len(ends) == 0 or np.any(np.diff(ends) <= 0):
        raise UsageError(f"horizons: got {points}, allowed is an increasing list of rounds")
    return ends


@travels
@dataclass(frozen=True)
class Stochastic:
    """An algorithm with checked settings in an environment, and the horizons to look at.

    `drawn` is what rewards are drawn from: means, or the support of arms on finite sets (see
    `dpaudit.machine.feedback.finite_of_pulled`).
    """

    who: Configured
    environment: str
    drawn: Floats
    gaps: Floats
    horizons: NDArray[np.int64]
    leaping: bool = True
    python: bool = False

    def work(self, runs: int) -> Iterator[Block]:
        return blocks(runs, self.who.algorithm.steps(int(self.horizons[-1]), leaping=self.leaping))

    def block(self, block: Block, seed: int) -> Floats:
        algorithm = self.who.algorithm
        drive: Any = (bound if self.python else compiled_driver)(
            "play_environment", algorithm, self.environment
        )
        regret = np.empty((block.runs, len(self.horizons)))
        where = self.drawn, self.gaps, self.horizons
        drive(self.who.fresh(), *where, self.leaping, regret, block.generator(seed))
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
    """Check what is asked. An array as environment is the support of arms on finite sets."""
    algorithm = resolve(target)
    values = check_means(means)
    ends = check_horizons(horizons)
    named = environment if isinstance(environment, str) else "finite"
    if named not in ENVIRONMENTS:
        raise UsageError(f"environment: got {named!r}, allowed is one of {', '.join(ENVIRONMENTS)}")
    settings = algorithm.settings(
        arms=len(values),
        epsilon=epsilon,
        horizon=int(ends[-1]),
        given=parameters,
    )
    losses = algorithm.card.payoff == "losses"
    gaps = values - values.min() if losses else values.max() - values
    drawn = values if isinstance(environment, str) else environment
    return Stochastic(Configured(algorithm, settings), named, drawn, gaps, ends, leaping, python)


@travels
def environment_runs(asked: Stochastic, seed: int) -> Play:
    return lambda block: {"regret": asked.block(block, seed)}


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
    asked = stochastic(
        target,
        means,
        horizons,
        epsilon=epsilon,
        environment=environment,
        leaping=leaping,
        python=python,
        **parameters,
    )
    task = Task(environment_runs, asked.who.algorithm.card.name, {"asked": asked, "seed": seed})
    work = asked.work(check_count("runs", runs))
    records = [record["regret"] for _, record in current(workers).run(task, work)]
    return EnvironmentPlays(asked.horizons, np.concatenate(records))
