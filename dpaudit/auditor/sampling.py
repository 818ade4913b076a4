"""Where a black box's outputs come from: a compiled algorithm, anyone's learner, a mechanism.

Learners are run in child processes: one that crashes or never returns does not take the audit down,
and is reported by name and round. Results come back as plain bytes.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, Protocol

import numpy as np

from dpaudit.auditor.events import Outputs, as_outputs
from dpaudit.auditor.results import Pair
from dpaudit.contract import Algorithm
from dpaudit.errors import UsageError
from dpaudit.running.plays import play_tables
from dpaudit.running.seeding import stream

RUN_LIMIT = 10.0
"""Seconds after which a single run of a learner counts as never returning."""
REPEATS = 32
"""Runs that are repeated with the same generator, to see whether the learner is reproducible."""
LEARNER_CHUNK = 2000
"""Runs of a learner in one child process."""


class Inputs(Protocol):
    """Two neighbouring inputs of a learner: tables, or an adversary."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rounds and arms."""

    def row(self, world: int, t: int, actions: Sequence[int]) -> list[float]:
        """The rewards of round t in a world, given the actions before it."""


class Sampler(Protocol):
    """Outputs of a black box on one of two neighbouring inputs."""

    def sample(self, pair: Any, world: int, runs: int, *path: int) -> Outputs:
        """`runs` outputs, one a row; the same path gives the same outputs."""


@dataclass(frozen=True)
class AlgorithmSampler:
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


@dataclass
class MechanismSampler:
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
                f"mechanism {self.name}: raised {type(error).__name__}: {_one_line(error)}"
            ) from None
        if len(outputs) != runs:
            raise UsageError(f"mechanism {self.name}: returned {len(outputs)} outputs, not {runs}")
        return outputs


@dataclass
class LearnerSampler:
    """Anyone's learner class, in child processes of which `workers` run at a time."""

    factory: Callable[..., Any]
    name: str
    epsilon: float
    seed: int
    workers: int
    run_limit: float = RUN_LIMIT
    feedback: str = field(init=False)

    def __post_init__(self) -> None:
        self.feedback = getattr(self.factory, "feedback", "bandit")
        if self.feedback not in ("bandit", "full-information"):
            raise UsageError(
                f"feedback of {self.name}: got {self.feedback!r}, allowed is 'bandit' or "
                "'full-information'"
            )

    def sample(self, pair: Inputs, world: int, runs: int, *path: int) -> Outputs:
        """Action sequences."""
        sizes = [min(LEARNER_CHUNK, runs - first) for first in range(0, runs, LEARNER_CHUNK)]
        seeds = [stream(self.seed, *path, world, number) for number in range(len(sizes))]
        parts: list[Any] = [None] * len(sizes)
        running: dict[int, _Child] = {}
        waiting = list(range(len(sizes)))
        try:
            while waiting or running:
                while waiting and len(running) < self.workers:
                    number = waiting.pop(0)
                    running[number] = _Child(self, pair, world, sizes[number], seeds[number])
                for number, child in list(running.items()):
                    if child.finished():
                        parts[number] = child.result()
                        del running[number]
                if running:
                    multiprocessing.connection.wait(
                        [child.pipe for child in running.values()], timeout=0.05
                    )
        finally:
            for child in running.values():
                child.stop()
        return as_outputs(np.concatenate(parts))

    def check_reproducible(self, pair: Inputs) -> None:
        """The same generator must give the same actions, or samples mean nothing."""
        first = self.sample(pair, 0, REPEATS, 9, 9)
        again = self.sample(pair, 0, REPEATS, 9, 9)
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


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]


class _Child:
    """One chunk of runs in a child process."""

    def __init__(
        self, sampler: LearnerSampler, pair: Inputs, world: int, runs: int, seed: int
    ) -> None:
        context = multiprocessing.get_context("fork")
        self.sampler = sampler
        self.shape = (runs, pair.shape[0])
        self.where = context.Array("q", 2, lock=False)
        self.pipe, end = context.Pipe(duplex=False)
        self.process = context.Process(
            target=_work, args=(sampler, pair, world, runs, seed, self.where, end), daemon=True
        )
        self.process.start()
        end.close()
        self.seen, self.since = -1, time.monotonic()
        self.answer: tuple[str, bytes] | None = None

    def finished(self) -> bool:
        """Whether there is an answer; a run over the limit ends the process."""
        if self.pipe.poll():
            try:
                kind = self.pipe.recv_bytes().decode()
                self.answer = (kind, self.pipe.recv_bytes())
            except EOFError:
                self.answer = None
            self.process.join()
            return True
        now = time.monotonic()
        if self.where[0] != self.seen:
            self.seen, self.since = self.where[0], now
        if now - self.since > self.sampler.run_limit:
            at = self.where[1]
            self.stop()
            raise UsageError(
                f"learner {self.sampler.name}: in round {at} it did not return within "
                f"{self.sampler.run_limit:g} s"
            )
        return False

    def result(self) -> Any:
        """The actions, or the error of the learner."""
        if self.answer is None:
            raise UsageError(
                f"learner {self.sampler.name}: in round {self.where[1]} its process died "
                f"(exit code {self.process.exitcode})"
            )
        kind, body = self.answer
        if kind == "error":
            raise UsageError(body.decode())
        return np.frombuffer(body, np.int16).reshape(self.shape)

    def stop(self) -> None:
        """End the process."""
        if self.process.is_alive():
            self.process.kill()
        self.process.join()


def _work(
    sampler: LearnerSampler,
    pair: Inputs,
    world: int,
    runs: int,
    seed: int,
    where: Any,
    end: Connection,
) -> None:
    # Ctrl-C reaches the whole group: what is done about it is the parent's decision.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        actions = sampler.play(pair, world, runs, seed, where)
        end.send_bytes(b"actions")
        end.send_bytes(actions.tobytes())
    except UsageError as error:
        end.send_bytes(b"error")
        end.send_bytes(str(error).encode())
    except BaseException as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        text = (
            f"learner {sampler.name}: in round {where[1]} it raised {type(error).__name__}: "
            f"{_one_line(error)} ({last.name}, line {last.lineno})"
        )
        end.send_bytes(b"error")
        end.send_bytes(text.encode())
    finally:
        end.close()
