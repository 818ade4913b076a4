"""Outputs of anyone's learner: its actions, played in child processes. One that crashes or never
returns does not take the audit down, and is reported by name and round. Results come back as plain
bytes.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from dpaudit.algorithm.contract import Algorithm
from dpaudit.auditor.engines.black_box.events import as_outputs
from dpaudit.auditor.engines.black_box.sampling import AlgorithmSampler, Sampler, Sent
from dpaudit.auditor.engines.black_box.scorers import Outputs
from dpaudit.errors import UsageError
from dpaudit.play.catalogue import find
from dpaudit.play.child import Child
from dpaudit.play.learner import Stepped
from dpaudit.play.targets import arrive
from dpaudit.results.audit import Pair
from dpaudit.run.block import Block
from dpaudit.run.seeding import stream
from dpaudit.run.task import object_digest

RUN_LIMIT = 10.0
"""Seconds after which a single run of a learner counts as never returning."""
REPEATS = 32
"""Runs that are repeated with the same generator, to see whether the learner is reproducible."""
LEARNER_ROUNDS = 40_000
"""Rounds of a learner in one child process: starting one costs as much as a thousand."""
MOST_DEATHS = 3
"""A child process that dies so often with the same runs is reported."""


class Inputs(Protocol):
    """Two neighbouring inputs of a learner: tables, or an adversary."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rounds and arms."""

    def row(self, world: int, t: int, actions: Sequence[int]) -> list[float]:
        """The rewards of round t in a world, given the actions before it."""


class Part(NamedTuple):
    """Runs of a learner with one generator."""

    pair: Inputs
    world: int
    runs: int
    seed: int


@dataclass
class LearnerSampler(Sampler):
    """Anyone's learner class, in child processes of which `workers` run at a time."""

    factory: Callable[..., Any]
    name: str
    epsilon: float
    seed: int
    workers: int
    run_limit: float = RUN_LIMIT
    named: dict[str, Any] = field(default_factory=dict)
    where: dict[str, str] = field(default_factory=dict)
    """How a worker finds the factory; nowhere, if it lives in this process."""
    feedback: str = field(init=False)

    def __post_init__(self) -> None:
        self.feedback = getattr(self.factory, "feedback", "bandit")
        if self.feedback not in ("bandit", "full-information"):
            raise UsageError(
                f"feedback of {self.name}: got {self.feedback!r}, allowed is 'bandit' or "
                "'full-information'"
            )

    def sent(self) -> Sent:
        """With the digest of its source."""
        about = {"epsilon": self.epsilon, "seed": self.seed, "limit": self.run_limit}
        spec = {**about, "learner": self.named or object_digest(self.factory), "name": self.name}
        return Sent(self.name, spec, self.where, bool(self.where), python=True)

    def blocks(self, runs: int, rounds: int) -> Iterator[Block]:
        """One child process each."""
        chunk = learner_chunk(rounds)
        for number, first in enumerate(range(0, runs, chunk)):
            yield Block(number, first, min(chunk, runs - first))

    def block(self, pair: Inputs, world: int, block: Block, *path: int) -> Outputs:
        """A block of the sequences."""
        seed = stream(self.seed, *path, world, block.number)
        return self._play([[Part(pair, world, block.runs, seed)]])

    def sample(self, pair: Inputs, world: int, runs: int, *path: int) -> Outputs:
        """Action sequences."""
        return self._play([[part] for part in self._parts(pair, world, runs, path)])

    def worlds(self, pair: Inputs, runs: int, *path: int) -> tuple[Outputs, Outputs]:
        """Both worlds, in one child process if they are small: what a learner remembers of the one
        in the other may mislead the choice of a pair, and no bound."""
        parts = [part for w in (0, 1) for part in self._parts(pair, w, runs, path)]
        both = self._play([parts] if len(parts) == 2 else [[part] for part in parts])
        return both[:runs], both[runs:]

    def _parts(self, pair: Inputs, world: int, runs: int, path: tuple[int, ...]) -> list[Part]:
        work = self.blocks(runs, pair.shape[0])
        seeds = (self.seed, *path, world)
        return [Part(pair, world, one.runs, stream(*seeds, one.number)) for one in work]

    def _play(self, jobs: list[list[Part]]) -> Outputs:
        """Blocks in child processes. One that dies is played again: the learner may not be to
        blame."""
        parts: list[Any] = [None] * len(jobs)
        deaths = [0] * len(jobs)
        running: dict[int, Child] = {}
        waiting = list(range(len(jobs)))
        try:
            while waiting or running:
                while waiting and len(running) < self.workers:
                    number = waiting.pop(0)
                    running[number] = self._child(jobs[number])
                for number, child in list(running.items()):
                    if not child.finished():
                        continue
                    del running[number]
                    if child.answer is None and deaths[number] + 1 < MOST_DEATHS:
                        deaths[number] += 1
                        waiting.insert(0, number)
                        continue
                    parts[number] = child.result()
                if running:
                    multiprocessing.connection.wait(
                        [child.pipe for child in running.values()], timeout=0.05
                    )
        finally:
            for child in running.values():
                child.stop()
        return as_outputs(np.concatenate(parts))

    def _child(self, parts: list[Part]) -> Child:
        def play(where: Any) -> Any:
            return np.concatenate([self.play(*part, where) for part in parts])

        shape = sum(part.runs for part in parts), parts[0].pair.shape[0]
        return Child(self.name, play, shape, self.run_limit)

    def check_reproducible(self, first: Outputs, again: Outputs) -> None:
        """The same generator must give the same actions, or samples mean nothing."""
        if not np.array_equal(first, again):
            at = int(np.argmax((first != again).any(axis=0))) + 1
            raise UsageError(
                f"learner {self.name}: in round {at} it chooses differently for the same rng; "
                "all its randomness must come from rng="
            )

    def play(self, pair: Inputs, world: int, runs: int, seed: int, where: Any) -> Any:
        """Runs in this process; `where` is told the run and the round."""
        rng = np.random.default_rng(seed)
        rounds, arms = pair.shape
        bandit = self.feedback == "bandit"
        fixed = isinstance(pair, Pair)
        rows = [pair.row(world, t, ()) for t in range(1, rounds + 1)] if fixed else []
        actions = np.empty((runs, rounds), np.int16)
        for run in range(runs):
            where[0], where[1] = run, 0
            learner = self.factory(arms=arms, epsilon=self.epsilon, rng=rng)
            chosen: list[int] = []
            for t in range(1, rounds + 1):
                where[1] = t
                arm = learner.select(t)
                if not (isinstance(arm, (int, np.integer)) and 0 <= arm < arms):
                    raise UsageError(
                        f"learner {self.name}: in round {t} select returned {arm!r}, allowed is an "
                        f"arm from 0 to {arms - 1}"
                    )
                row = rows[t - 1] if fixed else pair.row(world, t, chosen)
                learner.observe(t, int(arm), row[arm] if bandit else np.array(row))
                chosen.append(int(arm))
            actions[run] = chosen
        return actions


def learner_chunk(rounds: int) -> int:
    """Runs of a learner in one child process."""
    return max(100, LEARNER_ROUNDS // rounds)


def stepped_factory(
    algorithm: Algorithm, epsilon: float | None, horizon: int | None, parameters: dict[str, Any]
) -> Callable[..., Any]:
    """A catalogue algorithm as a learner class, in plain Python."""

    def stepped(arms: int, epsilon: float, rng: np.random.Generator) -> Stepped:
        return Stepped(algorithm, arms, given, rng, horizon, **parameters)

    given = epsilon
    stepped.feedback = algorithm.card.feedback  # type: ignore[attr-defined]
    return stepped


def sampler_of(spec: dict[str, Any], where: dict[str, str]) -> Sampler:
    """The sampler, made again by a worker; it plays one block at a time there."""
    if "algorithm" in spec:
        return AlgorithmSampler(find(spec["algorithm"]), spec["settings"], spec["seed"], 1)
    named = spec["learner"]
    if "stepped" in named:
        algorithm = find(named["stepped"])
        given = named["epsilon"], named["horizon"], named["parameters"]
        factory: Any = stepped_factory(algorithm, *given)
    else:
        factory = arrive(named, where).factory
    about = spec["name"], spec["epsilon"], spec["seed"]
    return LearnerSampler(factory, *about, 1, spec["limit"], named, where)
