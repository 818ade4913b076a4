"""Where a black box's outputs come from: a compiled algorithm, or any mechanism. Learners:
`learner_sampling`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from dpaudit.algorithm.contract import Algorithm
from dpaudit.auditor.engines.black_box.events import as_outputs
from dpaudit.auditor.engines.black_box.scorers import Outputs
from dpaudit.errors import UsageError, one_line
from dpaudit.machine.compiling import compiled_driver
from dpaudit.play.catalogue import described
from dpaudit.play.tables import play_tables, two_worlds
from dpaudit.results.audit import Pair
from dpaudit.run.block import Block, blocks
from dpaudit.run.seeding import stream


@dataclass(frozen=True)
class Sent:
    """A sampler as it is told to a worker; `goes`: it can be made again elsewhere."""

    name: str
    spec: dict[str, Any]
    where: dict[str, str]
    goes: bool
    python: bool


class Sampler(Protocol):
    """Outputs of a black box on one of two neighbouring inputs."""

    def sample(self, pair: Any, world: int, runs: int, *path: int) -> Outputs:
        """`runs` outputs, one a row; the same path gives the same outputs."""

    def block(self, pair: Any, world: int, block: Block, *path: int) -> Outputs:
        """A block of what `sample` gives."""

    def blocks(self, runs: int, rounds: int) -> Iterator[Block]:
        """The blocks of `sample`."""

    def worlds(self, pair: Any, runs: int, *path: int) -> tuple[Outputs, Outputs]:
        """What `sample` gives in the two worlds; to choose by, not to bound by."""
        return self.sample(pair, 0, runs, *path), self.sample(pair, 1, runs, *path)

    def sent(self) -> Sent:
        """What a worker is told."""


@dataclass(frozen=True)
class AlgorithmSampler(Sampler):
    """A catalogue algorithm, compiled, seen only through its actions."""

    algorithm: Algorithm
    settings: dict[str, Any]
    seed: int
    workers: int

    def sample(self, pair: Pair, world: int, runs: int, *path: int) -> Outputs:
        """Action sequences."""
        plays = play_tables(
            self.algorithm,
            pair.neighbour if world else pair.rewards,
            runs=runs,
            seed=stream(self.seed, *path, world),
            workers=self.workers,
            **self.settings,
        )
        return as_outputs(plays.actions)

    def block(self, pair: Pair, world: int, block: Block, *path: int) -> Outputs:
        """A block of the sequences."""
        here = pair.neighbour if world else pair.rewards
        worlds = two_worlds(self.algorithm, here, here, self.settings)
        actions, books = np.empty((block.runs, len(here)), np.int16), np.empty((block.runs, 3))
        rng = block.generator(stream(self.seed, *path, world))
        drive = compiled_driver("play_tables", self.algorithm)
        drive(*worlds.state, worlds.here, worlds.there, False, actions, books, rng)
        return as_outputs(actions)

    def blocks(self, runs: int, rounds: int) -> Iterator[Block]:
        """As it plays tables."""
        return blocks(runs, rounds)

    def sent(self) -> Sent:
        """By name, if it is in the catalogue."""
        name, local = described(self.algorithm)
        spec = {"algorithm": name, "settings": self.settings, "seed": self.seed}
        return Sent(self.algorithm.card.name, spec, {}, local is None, python=False)


@dataclass
class MechanismSampler(Sampler):
    """A third-party mechanism: `mechanism(data, n, rng)` returns n outputs."""

    mechanism: Callable[[Any, int, np.random.Generator], Any]
    name: str
    seed: int

    def sample(self, pair: Any, world: int, runs: int, *path: int) -> Outputs:
        """Outputs on `pair[world]`."""
        rng = np.random.default_rng(stream(self.seed, *path, world))
        try:
            outputs = as_outputs(self.mechanism(pair[world], runs, rng))
        except Exception as error:
            raise UsageError(
                f"mechanism {self.name}: raised {type(error).__name__}: {one_line(error)}"
            ) from None
        if len(outputs) != runs:
            raise UsageError(f"mechanism {self.name}: returned {len(outputs)} outputs, not {runs}")
        return outputs

    def block(self, pair: Any, world: int, block: Block, *path: int) -> Outputs:
        """Each block with a generator of its own."""
        return self.sample(pair, world, block.runs, *path, block.number)

    def blocks(self, runs: int, rounds: int) -> Iterator[Block]:
        """All at once."""
        yield Block(0, 0, runs)

    def sent(self) -> Sent:
        """It lives in this process."""
        return Sent(self.name, {"mechanism": self.name, "seed": self.seed}, {}, False, python=True)
