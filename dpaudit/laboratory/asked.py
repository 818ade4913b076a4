"""A study of regret as it is asked for: who plays, in what world, with what feedback. Checked once,
here; then it is cut into blocks of work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpaudit.errors import UsageError, check_count
from dpaudit.laboratory.learners import Late, arguments_of, regret_of_learner
from dpaudit.laboratory.measures import Linear, linear_from, told_of
from dpaudit.machine.feedback import ENVIRONMENTS
from dpaudit.play.catalogue import Target
from dpaudit.play.environments import Stochastic, check_means, stochastic
from dpaudit.play.learner import SteppedClass
from dpaudit.play.tables import Floats
from dpaudit.play.worlds import Changes, Measured, World, measured, world_of
from dpaudit.run.plain import travels
from dpaudit.run.task import Block, Play, Task, blocks

Environment = str | tuple[Sequence[float], Sequence[Sequence[float]]] | Callable[..., Any]
Means = Sequence[float] | Callable[[int], Sequence[float]]


@dataclass(frozen=True)
class Place:
    """Where it is played: by what rewards are drawn, the means if they are known, and how many arms
    there are."""

    environment: Any
    named: str
    world: World | None
    arms: int


@dataclass(frozen=True)
class Asked:
    subject: Target
    ends: Any
    place: Place
    epsilon: float | None
    late: Late
    metrics: tuple[str, ...]
    seed: int
    parameters: Mapping[str, Any]

    @property
    def last(self) -> int:
        return int(self.ends[-1])

    @property
    def linear(self) -> Linear | None:
        return linear_from(self.place.world, self.ends)

    @property
    def compiled(self) -> bool:
        """Whether a catalogue algorithm is played by compiled code: not where anybody's code draws
        the rewards, or feedback is late."""
        plain = callable(self.place.environment) or bool(self.late)
        return self.subject.algorithm is not None and not plain

    def until(self, end: int) -> Asked:
        """The same for a shorter time, in which means change as often: for a forecast."""
        world = self.place.world
        place = replace(self.place, world=None if world is None else world.squeezed(end))
        return replace(self, ends=np.array([end]), place=place)

    def work(self, runs: int, far: bool | None = None) -> tuple[Task, Iterator[Block]]:
        """What is done to each block, and the blocks."""
        name, algorithm, place = self.subject.name, self.subject.algorithm, self.place
        if algorithm is not None and self.compiled:
            assert place.world is not None
            asked = stochastic(
                algorithm,
                place.world.means[0],
                self.ends,
                epsilon=self.epsilon,
                environment=place.environment,
                far=far,
                **self.parameters,
            )
            given: dict[str, Any] = {"asked": asked, "linear": self.linear, "seed": self.seed}
            if place.world.changing or set(self.metrics) - {"linear"}:
                given["asked"] = measured(asked, place.world, self.metrics)
            return Task(regret_of_algorithm, name, given), given["asked"].work(runs)
        if algorithm is not None:
            settings = self.epsilon, self.last, dict(self.parameters)
            who: Target | SteppedClass = SteppedClass(algorithm, *settings)
        elif self.epsilon is None:
            raise UsageError("epsilon: none given, allowed is a number in (0, inf)")
        else:
            who = self.subject.told(horizon=self.last, delta=0.0, parameters=self.parameters)
        given = {"who": who, "name": name, "arms": place.arms, "losses": on_losses(self.subject)}
        given |= {"epsilon": self.epsilon, "world": place.world, "environment": place.environment}
        given |= {"ends": self.ends, "late": self.late, "linear": self.linear, "seed": self.seed}
        task = Task(regret_of_learner, f"learner {name}", given, home="fresh process")
        return task, blocks(runs, self.last)

    def steps(self) -> int:
        """About how many a run takes."""
        algorithm, world = self.subject.algorithm, self.place.world
        if algorithm is None or not self.compiled or (world is not None and world.drifting):
            return self.last
        return algorithm.steps(self.last, leaping=True)


def on_losses(subject: Target) -> bool:
    return subject.algorithm is not None and subject.algorithm.card.payoff == "losses"


@travels
def regret_of_algorithm(asked: Stochastic | Measured, linear: Linear | None, seed: int) -> Play:
    """Block i: its part of the tally, and of what is measured beside it."""

    def play(block: Block) -> dict[str, Any]:
        regret, beside, *seen = asked.runs(block, seed)
        neglected = float(beside[:, 0].max())
        return {**told_of(regret, linear, *seen), "neglected": neglected}

    return play


def place_of(
    environment: Environment,
    means: Means | None,
    rounds: int,
    *,
    changes: Changes = (),
    drift: Sequence[float] | None = None,
    arms: int | None = None,
    losses: bool = False,
) -> Place:
    """Checked."""
    if isinstance(environment, str) or callable(environment):
        if isinstance(environment, str) and environment not in set(ENVIRONMENTS) - {"finite"}:
            raise UsageError(
                f"environment: got {environment!r}, allowed is bernoulli, deterministic, finite "
                "arms or a function"
            )
        named = environment if isinstance(environment, str) else "sampler"
        if means is not None:
            world = world_of(means, rounds, changes=changes, drift=drift, losses=losses)
            known = world.means.shape[1]
            if arms is not None and check_count("arms", arms) != known:
                raise UsageError(f"arms: got {arms}, but there are {known} means")
        else:
            if isinstance(environment, str) or arms is None or changes or drift is not None:
                more = ", or arms= where a function's means are not known"
                other = more if callable(environment) else ""
                raise UsageError(
                    f"means: none given, allowed is one number in [0, 1] an arm{other}"
                )
            world, known = None, check_count("arms", arms, 1, 2**15 - 1)
        if callable(environment):
            arguments_of(environment)
        return Place(environment, named, world, known)
    if changes or drift is not None or callable(means):
        raise UsageError("environment: arms on a finite set do not change")
    expected, numbers = _finite(environment)
    if means is not None and not np.allclose(check_means(means), expected, atol=1e-9):
        raise UsageError(f"means: got {list(means)}, but the finite arms have {expected.tolist()}")
    world = world_of(expected, rounds, losses=losses)
    return Place(numbers, "finite", world, len(expected))


def _finite(environment: Any) -> tuple[Floats, Floats]:
    """Means of arms on a finite set, and what they are drawn from."""
    try:
        support, table = (np.asarray(part, dtype=np.float64) for part in environment)
        shaped = support.ndim == 1 and table.ndim == 2 and table.shape[1] == len(support)
    except (TypeError, ValueError):
        shaped = False
    if not shaped or not np.all((support >= 0) & (support <= 1)):
        raise UsageError(
            "environment: allowed is a name, a function, or (values in [0, 1], a row of "
            "probabilities an arm)"
        )
    if not np.all(table >= 0) or np.any(np.abs(table.sum(axis=1) - 1.0) > 1e-9):
        raise UsageError("environment: an arm's probabilities are not >= 0 with sum 1")
    cumulative = np.cumsum(table, axis=1)
    cumulative[:, -1] = 1.0
    return table @ support, np.vstack([support, cumulative])
