"""Where a black box's outputs come from: a compiled algorithm or anyone's learner, seen through its
actions, or any mechanism. The same path from the seed gives the same outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from dpaudit.auditor.engines.black_box.events import as_outputs
from dpaudit.auditor.engines.black_box.scorers import Outputs
from dpaudit.errors import UsageError, one_line
from dpaudit.play.catalogue import Target
from dpaudit.play.learner import SteppedClass, step
from dpaudit.play.tables import Configured
from dpaudit.results.audit import Pair
from dpaudit.run.plain import travels
from dpaudit.run.task import Block, Home, blocks, cut, stream

if TYPE_CHECKING:
    from dpaudit.auditor.auditing import Request

REPEATS = 32
"""Runs that are repeated with the same generator, to see whether the learner is reproducible."""
LEARNER_ROUNDS = 40_000
"""Rounds of a learner in one process: starting one costs as much as a thousand."""


class Inputs(Protocol):
    """Two neighbouring inputs of a learner: tables, or an adversary."""

    @property
    def shape(self) -> tuple[int, int]: ...

    def row(self, world: int, t: int, actions: Sequence[int]) -> list[float]:
        """The rewards of round t in a world, given the actions before it."""


class Sampler(Protocol):
    """Outputs of a black box on one of two neighbouring inputs."""

    name: str
    home: Home
    kind: type[np.generic]
    """What holds an output's numbers when it is sent."""

    def sample(self, pair: Any, world: int, runs: int, *path: int) -> Outputs: ...

    def block(self, pair: Any, world: int, block: Block, *path: int) -> Outputs: ...

    def blocks(self, runs: int, pair: Any) -> Iterator[Block]: ...


@travels
@dataclass(frozen=True)
class AlgorithmSampler(Sampler):
    """A catalogue algorithm, compiled, seen only through its actions."""

    who: Configured
    seed: int
    home = "thread"
    kind = np.int16

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.who.algorithm.card.name

    def sample(self, pair: Pair, world: int, runs: int, *path: int) -> Outputs:
        here = pair.neighbour if world else pair.rewards
        return as_outputs(self.who.play(here, here, runs, stream(self.seed, *path, world)).actions)

    def block(self, pair: Pair, world: int, block: Block, *path: int) -> Outputs:
        here = pair.neighbour if world else pair.rewards
        return as_outputs(self.who.block(here, here, block, stream(self.seed, *path, world))[0])

    def blocks(self, runs: int, pair: Pair) -> Iterator[Block]:
        return blocks(runs, pair.shape[0])


@travels
@dataclass(frozen=True)
class LearnerSampler(Sampler):
    """Anyone's learner class, or a catalogue algorithm stepped in plain Python."""

    who: Target | SteppedClass
    learner: str
    epsilon: float
    seed: int
    home = "fresh process"
    kind = np.int16

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"learner {self.learner}"

    def blocks(self, runs: int, pair: Inputs) -> Iterator[Block]:
        return cut(runs, learner_chunk(pair.shape[0]))

    def sample(self, pair: Inputs, world: int, runs: int, *path: int) -> Outputs:
        work = self.blocks(runs, pair)
        return np.concatenate([self.block(pair, world, block, *path) for block in work])

    def block(self, pair: Inputs, world: int, block: Block, *path: int) -> Outputs:
        rng = np.random.default_rng(stream(self.seed, *path, world, block.number))
        rounds, arms = pair.shape

        def fresh() -> Any:
            return self.who(arms=arms, epsilon=self.epsilon, rng=rng)

        def rewards(t: int, chosen: Sequence[int]) -> list[float]:
            return rows[t - 1] if rows else pair.row(world, t, chosen)

        rows = [pair.row(world, t, ()) for t in range(1, rounds + 1)] if fixed(pair) else []
        actions = np.empty((block.runs, rounds), np.int16)
        for run in range(block.runs):
            actions[run] = step(self.learner, fresh, arms, rounds, rewards, run)
        return as_outputs(actions)

    def check_reproducible(self, first: Outputs, again: Outputs) -> None:
        """The same generator must give the same actions, or samples mean nothing."""
        if not np.array_equal(first, again):
            at = int(np.argmax((first != again).any(axis=0))) + 1
            raise UsageError(
                f"learner {self.learner}: in round {at} it chooses differently for the same rng; "
                "all its randomness must come from rng="
            )


def fixed(pair: Any) -> bool:
    """Whether the rewards do not look at the actions."""
    return isinstance(pair, Pair)


def learner_chunk(rounds: int) -> int:
    return max(100, LEARNER_ROUNDS // rounds)


@dataclass(frozen=True)
class MechanismSampler(Sampler):
    """A third-party mechanism: `mechanism(data, n, rng)` returns n outputs."""

    mechanism: Callable[[Any, int, np.random.Generator], Any]
    called: str
    seed: int
    home = "process"
    kind = np.float64

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"mechanism {self.called}"

    def sample(self, pair: Any, world: int, runs: int, *path: int) -> Outputs:
        rng = np.random.default_rng(stream(self.seed, *path, world))
        try:
            outputs = as_outputs(self.mechanism(pair[world], runs, rng))
        except Exception as error:
            raise UsageError(
                f"{self.name}: raised {type(error).__name__}: {one_line(error)}"
            ) from None
        if len(outputs) != runs:
            raise UsageError(f"{self.name}: returned {len(outputs)} outputs, not {runs}")
        return outputs

    def block(self, pair: Any, world: int, block: Block, *path: int) -> Outputs:
        return self.sample(pair, world, block.runs, *path)

    def blocks(self, runs: int, pair: Any) -> Iterator[Block]:
        return cut(runs, runs)


def sampler_of(request: Request) -> AlgorithmSampler | LearnerSampler:
    algorithm, epsilon = request.target.algorithm, request.epsilon
    stepped: Target | SteppedClass = request.target
    if algorithm is not None and request.adversary is None:
        return AlgorithmSampler(request.who, request.seed)
    if algorithm is not None:  # an adversary is asked round by round, so the steps are a learner's
        horizon = None if algorithm.card.anytime else request.rounds
        stepped = SteppedClass(algorithm, epsilon, horizon, request.parameters)
    level = request.claim.level if epsilon is None else epsilon
    return LearnerSampler(stepped, request.target.name, level, request.seed)
