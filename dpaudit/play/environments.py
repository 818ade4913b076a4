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
from dpaudit.play.catalogue import in_catalogue, resolve
from dpaudit.play.tables import Configured, Floats
from dpaudit.run.plain import travels
from dpaudit.run.runner import current
from dpaudit.run.task import Block, Play, Task, blocks

LONG = 2**23
"""Horizons from which algorithms that have leaps in law are played by them, if nothing is said."""


@dataclass(frozen=True)
class EnvironmentPlays:
    """Pseudo-regret of each run at each horizon (runs x horizons).

    Far play says besides what chance its leaps neglected in each run, at most: the law of a run is
    the law of one round by round but for this; and the number of its steps.
    """

    horizons: NDArray[np.int64]
    regret: Floats
    neglected: Floats | None = None
    steps: Floats | None = None


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
    far: bool = False

    def work(self, runs: int) -> Iterator[Block]:
        return blocks(runs, self.who.algorithm.steps(int(self.horizons[-1]), leaping=self.leaping))

    def block(self, block: Block, seed: int) -> Floats:
        return self.runs(block, seed)[0]

    def runs(self, block: Block, seed: int) -> tuple[Floats, Floats]:
        """Regret (runs x horizons), and of far play each run's neglected chance and its steps."""
        algorithm, rng = self.who.algorithm, block.generator(seed)
        driver = "play_far" if self.far else "play_environment"
        bind: Any = bound if self.python else compiled_driver
        drive = bind(driver, algorithm, self.environment)
        regret, beside = np.empty((block.runs, len(self.horizons))), np.zeros((block.runs, 2))
        where = self.drawn, self.gaps, self.horizons
        if self.far:
            pace = algorithm.pace(len(self.gaps))
            drive(self.who.fresh(), *pace, *where, regret, beside, rng)
        else:
            drive(self.who.fresh(), *where, self.leaping, regret, rng)
        return regret, beside


def stochastic(
    target: str | Algorithm,
    means: Sequence[float] | Floats,
    horizons: Sequence[int] | int,
    *,
    epsilon: float | None = None,
    environment: str | Floats = "bernoulli",
    leaping: bool = True,
    far: bool | None = None,
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
    if ends[-1] > algorithm.longest:
        raise UsageError(
            f"horizon: got {ends[-1]:.4g}, but {algorithm.card.name} has room for "
            f"{algorithm.longest:.4g} rounds"
        )
    settings = algorithm.settings(
        arms=len(values),
        epsilon=epsilon,
        horizon=int(ends[-1]),
        given=parameters,
    )
    losses = algorithm.card.payoff == "losses"
    gaps = values - values.min() if losses else values.max() - values
    drawn = values if isinstance(environment, str) else environment
    if far is None:
        # A copy with other steps has still the stretch of its original: asked for, not taken.
        known = algorithm.stretch is not None and in_catalogue(algorithm)
        far = leaping and known and int(ends[-1]) >= LONG
    elif far and algorithm.stretch is None:
        raise UsageError(f"far: {algorithm.card.name} has no leaps in law")
    if far and algorithm.redraws(settings):
        named, drawn = "bernoulli", values
    who = Configured(algorithm, settings)
    return Stochastic(who, named, drawn, gaps, ends, leaping, python, far)


@travels
def environment_runs(asked: Stochastic, seed: int) -> Play:
    def play(block: Block) -> dict[str, Floats]:
        regret, beside = asked.runs(block, seed)
        return {"regret": regret, "beside": beside}

    return play


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
    far: bool | None = None,
    python: bool = False,
    **parameters: float | str,
) -> EnvironmentPlays:
    """Play a stochastic environment `runs` times and record the pseudo-regret at the horizons.

    `means` are mean rewards, or mean losses for an algorithm on losses. `leaping` plays what a
    choice is kept for at once; `far`, leaps in law, is taken from 2^23 rounds on unless it is said.
    With other leaps a seed gives other draws, of the same law.
    """
    asked = stochastic(
        target,
        means,
        horizons,
        epsilon=epsilon,
        environment=environment,
        leaping=leaping,
        far=far,
        python=python,
        **parameters,
    )
    task = Task(environment_runs, asked.who.algorithm.card.name, {"asked": asked, "seed": seed})
    work = asked.work(check_count("runs", runs))
    records = [record for _, record in current(workers).run(task, work)]
    regret, beside = (np.concatenate([r[part] for r in records]) for part in ("regret", "beside"))
    if not asked.far:
        return EnvironmentPlays(asked.horizons, regret)
    return EnvironmentPlays(asked.horizons, regret, beside[:, 0], beside[:, 1])
