"""The runner: plays the blocks of a task with whoever is there, in whatever order they finish, and
hands their records on in the order of the blocks.

So every decision is taken at the boundary of a block, in block order, and the numbers are the same
for any number and kind of workers, however often one of them is lost. Few blocks are in memory at
once. With a journal a finished block is never played again.
"""

from __future__ import annotations

import contextvars
import json
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from itertools import chain, islice
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from dpaudit.errors import UsageError, one_line
from dpaudit.run.block import Block, check_workers
from dpaudit.run.cluster import Cluster, Connection
from dpaudit.run.journal import Finished, Journal
from dpaudit.run.pools import Crew, Given, Processes, Threads
from dpaudit.run.task import Record, Task, digest_of

PATIENCE = 600.0
"""Seconds without any finished block after which workers count as hanging."""
MOST_FAILURES = 3
"""So often a block may be lost while it is played alone."""
WINDOW = 8
"""A block is begun only if it is at most so many times the capacity behind the first unfinished."""

Kind = Literal["auto", "threads", "processes"]
_current: contextvars.ContextVar[Runner | None] = contextvars.ContextVar("runner", default=None)


class Runner:
    """Who plays, and what is noted. Used as a context, it is everybody's runner inside it.

    `kind` "auto" takes threads for compiled code and processes for Python; `executor` is any
    `concurrent.futures.Executor` in their place, `scheduler` the address of a Dask scheduler.
    """

    def __init__(
        self,
        workers: int | None = None,
        *,
        kind: Kind = "auto",
        executor: Executor | None = None,
        scheduler: str | None = None,
        journal: str | Path | None = None,
        patience: float = PATIENCE,
    ) -> None:
        self.workers = check_workers(workers)
        self._kind, self._executor, self._patience = kind, executor, patience
        self._journal = None if journal is None else Journal(journal)
        self._connection: Connection | None = None
        try:
            if scheduler is not None:
                self._connection = Connection(scheduler, patience)
        except BaseException:
            self.close()
            raise
        self._token: contextvars.Token[Runner | None] | None = None

    @property
    def far(self) -> bool:
        """Whether work is sent away or noted, so that it has to be plain data."""
        return not (self._connection is None and self._executor is None and self._journal is None)

    @property
    def hands(self) -> int:
        """How many blocks are played at a time, about."""
        return self.workers if self._connection is None else max(1, self._connection.threads())

    def __enter__(self) -> Runner:
        self._token = _current.set(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._token is not None:
            _current.reset(self._token)
        self.close()

    def close(self) -> None:
        """Give back journal and connection."""
        if self._journal is not None:
            self._journal.close()
            self._journal = None
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def bind(self, command: str, spec: Any) -> None:
        """Say what is done as a whole; the journal of anything else is refused."""
        if self._journal is not None:
            from dpaudit import __version__

            text = json.dumps(spec, sort_keys=True, default=str)
            self._journal.bind(digest_of(command, text), command, __version__)

    def decide(self, name: str, spec: Any, choose: Callable[[], Any]) -> Any:
        """A decision that hangs on more than the seed, the clock say: once noted, it stays."""
        found = self.noted(name, spec)
        return self.note(name, spec, choose()) if found is None else found

    def note(self, name: str, spec: Any, value: Any) -> Any:
        """Note a decision."""
        if self._journal is not None:
            task = _decision(name, spec)
            self._journal.start(task.digest, task.kind, task.name)
            self._journal.note(task.digest, 0, json.dumps({"value": value}))
        return value

    def run(self, task: Task, work: Iterator[Block]) -> Iterator[tuple[Block, Record]]:
        """The records of the blocks, in block order. Numbers of blocks count up from 0."""
        first = list(islice(work, 2))
        crew = self._crew(task, alone=len(first) < 2)
        run: _Run | None = None
        try:
            run = _Run(self, task, crew, chain(first, work))
            for block, text in run.records():
                yield block, json.loads(text)
        finally:
            if run is not None:
                run.cancel()
            crew.close()

    def noted(self, name: str, spec: Any) -> Any:
        """A decision that the journal holds; None if there is none."""
        if self._journal is None:
            return None
        found = self._journal.finished(_decision(name, spec).digest).take(0)
        return None if found is None else json.loads(found)["value"]

    def one(self, task: Task, runs: int = 1) -> Record:
        """The record of a task of one block."""
        return next(self.run(task, iter([Block(0, 0, runs)])))[1]

    def _crew(self, task: Task, *, alone: bool) -> Crew:
        if self._connection is not None and task.local is None:
            return Cluster(task, self._connection)
        if self._executor is not None:
            return Given(task, self._executor, self.workers)
        processes = self._kind == "processes" or (self._kind == "auto" and task.python)
        if self._kind == "auto" and (alone or self.workers == 1):
            return Crew(task)
        return Processes(task, self.workers) if processes else Threads(task, self.workers)


def _decision(name: str, spec: Any) -> Task:
    return Task("decision", name, {"decides": name, "spec": spec})


class _Run:
    """One task being run."""

    def __init__(self, runner: Runner, task: Task, crew: Crew, work: Iterator[Block]) -> None:
        self.task, self.crew, self.work = task, crew, work
        self.patience, self.journal = runner._patience, runner._journal
        self.noted: Finished | None = None
        if self.journal is not None:
            self.noted = self.journal.finished(task.digest)
            self.journal.start(task.digest, task.kind, task.name)
        self.flying: dict[Future[str], Block] = {}
        self.ready: dict[int, tuple[Block, str]] = {}
        self.again: deque[Block] = deque()
        self.failures: Counter[int] = Counter()
        self.strikes = 0
        self.moved = time.monotonic()

    def records(self) -> Iterator[tuple[Block, str]]:
        """What was noted, and what is played."""
        expected, ended = 0, False
        while True:
            ended = self._send(ended)
            while expected in self.ready:
                yield self.ready.pop(expected)
                expected += 1
                self.moved = time.monotonic()
            if self.flying:
                self._receive()
            elif ended and not self.again and not self.ready:
                return

    def _send(self, ended: bool) -> bool:
        """Fill up what is in flight; whether there is no more work."""
        # After a loss one block at a time, until one is finished: so the guilty one is found.
        capacity = self.crew.capacity
        room = 1 if self.strikes else capacity
        while len(self.flying) < room:
            if self.again:
                block = self.again.popleft()
            elif ended or len(self.flying) + len(self.ready) >= WINDOW * capacity:
                break
            else:
                following = next(self.work, None)
                if following is None:
                    return True
                block = following
                text = self.noted.take(block.number) if self.noted is not None else None
                if text is not None:
                    self.ready[block.number] = block, text
                    continue
            try:
                self.flying[self.crew.submit(block)] = block
            except Exception as error:
                loss = self.crew.lost(error)
                if not loss:
                    raise
                self._lose([block], error, everything=True, alone=not self.flying)
                break
        return ended

    def _receive(self) -> None:
        """Take what is finished; play again what was lost."""
        alone = len(self.flying) == 1
        left = self.moved + self.patience - time.monotonic()
        done, _ = wait(self.flying, timeout=max(0.0, left), return_when=FIRST_COMPLETED)
        if not done:
            error = TimeoutError(f"nothing was finished within {self.patience:g} s")
            blocks = self._ground()
            self.crew.stalled(self.patience)
            self._count(blocks, error, alone=alone)
            return
        lost: list[Block] = []
        broken: BaseException | None = None
        everything = False
        for future in done:
            block = self.flying.pop(future)
            try:
                text = future.result()
            except BaseException as error:
                loss = self.crew.lost(error)
                if not loss:
                    raise
                lost.append(block)
                broken, everything = error, everything or loss == "all"
                alone = alone or loss == "block"
                continue
            self._keep(block, text)
        if broken is not None:
            self._lose(lost, broken, everything=everything, alone=alone)

    def _lose(
        self, blocks: list[Block], error: BaseException, *, everything: bool, alone: bool = False
    ) -> None:
        if everything:
            blocks = blocks + self._ground()
            self.crew.renew()
        self._count(blocks, error, alone=alone)

    def _keep(self, block: Block, text: str) -> None:
        self.strikes, self.moved = 0, time.monotonic()
        if self.journal is not None:
            self.journal.note(self.task.digest, block.number, text)
        self.ready[block.number] = block, text

    def _ground(self) -> list[Block]:
        """Keep what is finished, forget what is in flight, and say which blocks that were."""
        for future, block in list(self.flying.items()):
            if future.done() and not future.cancelled() and future.exception() is None:
                self._keep(block, future.result())
                del self.flying[future]
        blocks = list(self.flying.values())
        self.cancel()
        return blocks

    def cancel(self) -> None:
        """Nothing of what is in flight is wanted any more."""
        for future in self.flying:
            future.cancel()
        self.flying.clear()

    def _count(self, blocks: list[Block], error: BaseException, *, alone: bool) -> None:
        self.strikes += 1
        self.moved = time.monotonic()
        self.again = deque(sorted([*self.again, *blocks], key=lambda block: block.number))
        for block in blocks if alone else ():
            self.failures[block.number] += 1
            if self.failures[block.number] >= MOST_FAILURES:
                what = one_line(error, 150) or type(error).__name__
                raise UsageError(
                    f"{self.task.name}: block {block.number} of {self.task.kind} ended its worker "
                    f"{MOST_FAILURES} times ({what})"
                )


def current(workers: int | None = None) -> Runner:
    """The runner of the context, or one for this machine."""
    return _current.get() or Runner(workers)


def active() -> Runner | None:
    """The runner of the context, if there is one."""
    return _current.get()
