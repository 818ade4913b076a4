"""The runner: plays the blocks of a task with whoever is there, in whatever order they finish, and
hands their records on in the order of the blocks.

So every decision is taken at the boundary of a block, in block order, and the numbers are the same
for any number and kind of workers, however often one of them is lost. Few blocks are in memory at
once. With a journal a finished block is never played again.
"""

from __future__ import annotations

import contextvars
import json
import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from itertools import chain, islice
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from dpaudit.errors import UsageError, check_count, one_line, shortened
from dpaudit.run.code import package_digest
from dpaudit.run.plain import Parcel, pack
from dpaudit.run.pools import Given, Pool, Threads
from dpaudit.run.task import Block, Record, Task, digest_of, record_of, text_of

if TYPE_CHECKING:
    from dpaudit.run.cluster import Connection
    from dpaudit.run.journal import Finished, Journal

PATIENCE = 600.0
"""Seconds without any finished block after which workers count as hanging."""
MOST_FAILURES = 3
"""So often a block may be lost while it is played alone."""
WINDOW = 8
"""A block is begun only if it is at most so many times the capacity behind the first unfinished."""

Kind = Literal["auto", "threads", "processes"]
_current: contextvars.ContextVar[Runner | None] = contextvars.ContextVar("runner", default=None)
_clock: contextvars.ContextVar[Clock | None] = contextvars.ContextVar("clock", default=None)


class Clock:
    """What was decided by more than the seed, in the order in which it was asked. Told again, it is
    decided so again, and the clock is not looked at."""

    def __init__(self, told: Sequence[Any] = ()) -> None:
        self.again, self.taken = bool(told), list[Any]()
        self.timed = False
        """Whether what is spent is seconds, and an evaluation may end by the clock."""
        self._told = deque(told)
        self._token = _clock.set(self)

    def decide(self, choose: Callable[[], Any]) -> Any:
        if self.again and not self._told:
            self.refuse(IndexError())
        self.taken.append(self._told.popleft() if self.again else _shortly(choose()))
        return self.taken[-1]

    def refuse(self, error: Exception) -> None:
        """What was told does not fit what is asked, if anything was told."""
        if self.again and not isinstance(error, UsageError):
            raise UsageError("clock: it is of another audit, or of other code of dpaudit") from None

    def stop(self) -> None:
        _clock.reset(self._token)


def _shortly(value: Any) -> Any:
    """With numbers of few digits: they are said in a command."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, list):
        return [_shortly(part) for part in value]
    return value


def check_workers(workers: int | None) -> int:
    """Number of workers; None means one a core."""
    if workers is None:
        return os.cpu_count() or 1
    return check_count("workers", workers, 1, 4096)


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
        self.limit: float | None = None
        """When processes stop to be waited for: then `OutOfTime` is raised."""
        self._journal: Journal | None = None
        self._connection: Connection | None = None
        try:
            if journal is not None:
                from dpaudit.run.journal import Journal

                self._journal = Journal(journal)
            if scheduler is not None:
                from dpaudit.run.cluster import Connection

                self._connection = Connection(scheduler, patience)
        except BaseException:
            self.close()
            raise
        self._token: contextvars.Token[Runner | None] | None = None

    @property
    def at_a_time(self) -> int:
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

            text = json.dumps(spec, sort_keys=True, default=_plain)
            self._journal.bind(digest_of(package_digest(), command, text), command, __version__)

    def decide(self, name: str, spec: Any, choose: Callable[[], Any]) -> Any:
        """A decision that hangs on more than the seed, the clock say: once noted, it stays."""

        def noted() -> Any:
            found = self.noted(name, spec)
            return self.note(name, spec, choose()) if found is None else found

        clock = _clock.get()
        if clock is not None and name == "purse":  # of seconds, also if nobody asked for so many
            clock.timed = True
        return noted() if clock is None else clock.decide(noted)

    def note(self, name: str, spec: Any, value: Any) -> Any:
        if self._journal is not None:
            digest = _decision(name, spec)
            self._journal.start(digest, "decision", name)
            self._journal.note(digest, 0, json.dumps({"value": value}))
        return value

    def run(self, task: Task, work: Iterator[Block]) -> Iterator[tuple[Block, Record]]:
        """The records of the blocks, in block order. Numbers of blocks count up by 1."""
        first = list(islice(work, 2))
        pool = self._pool(task, alone=len(first) < 2)
        run: _Run | None = None
        try:
            run = _Run(self, task, pool, chain(first, work))
            yield from run.records(first[0].number if first else 0)
        finally:
            if run is not None:
                run.cancel()
            pool.close()

    def noted(self, name: str, spec: Any) -> Any:
        """A decision that the journal holds; None if there is none."""
        if self._journal is None:
            return None
        found = self._journal.finished(_decision(name, spec)).take(0)
        return None if found is None else json.loads(found)["value"]

    def until(self, deadline: float | None, task: Task, work: Iterator[Block]) -> Iterator[Record]:
        """The records in order; after the deadline no more. It looks at the clock, never at what
        came out; where it fell is noted, and holds when the journal is read again."""
        clock = _clock.get() if deadline is not None else None
        last, place = self.noted("last block", task), 0
        if clock is not None:
            clock.timed, place = True, len(clock.taken)
            last = clock.decide(lambda: last)
            deadline = None if clock.again else deadline
        for block, record in self.run(task, work):
            yield record
            if last is None and deadline is not None and time.monotonic() > deadline:
                last = self.note("last block", task, block.number)
            if last == block.number:
                if clock is not None:
                    clock.taken[place] = last
                return

    def one(self, task: Task, block: Block) -> Record:
        return next(self.run(task, iter([block])))[1]

    def _pool(self, task: Task, *, alone: bool) -> Pool:
        if self._connection is not None and not task.stays:
            from dpaudit.run.cluster import Cluster

            return Cluster(task, self._connection)
        if self._executor is not None:
            return Given(task, self._executor, self.workers)
        if task.home != "thread" or self._kind == "processes":
            from dpaudit.run.process import Processes

            pool = Processes(task, self.workers)
            pool.limit = self.limit
            return pool
        if self._kind == "auto" and (alone or self.workers == 1):
            return Pool(task)
        return Threads(task, self.workers)


def _decision(name: str, spec: Any) -> str:
    return digest_of("decision", name, json.dumps(spec, sort_keys=True, default=_plain))


def _plain(value: Any) -> Any:
    """What a journal keeps of it."""
    parcel = Parcel()
    plain = value.digest if isinstance(value, Task) else pack(value, parcel)
    _told(value.untold if isinstance(value, Task) else parcel.untold)
    return plain


def _told(untold: str) -> None:
    """A journal is of what it can tell from all else."""
    if untold:
        what = f"{shortened(untold, 90)}, which nothing tells from another"
        raise UsageError(f"journal: {what}; allowed is file.py:Class, or none")


class _Run:
    """One task being run."""

    def __init__(self, runner: Runner, task: Task, pool: Pool, work: Iterator[Block]) -> None:
        self.task, self.pool, self.work = task, pool, work
        self.patience, self.journal = runner._patience, runner._journal
        self.noted: Finished | None = None
        if self.journal is not None:
            _told(task.untold)
            self.noted = self.journal.finished(task.digest)
            self.journal.start(task.digest, task.kind, task.name)
        self.flying: dict[Future[Record], Block] = {}
        self.ready: dict[int, tuple[Block, Record]] = {}
        self.again: deque[Block] = deque()
        self.failures: Counter[int] = Counter()
        self.strikes = 0
        self.moved = time.monotonic()

    def records(self, expected: int) -> Iterator[tuple[Block, Record]]:
        """What was noted, and what is played, from the expected number on."""
        ended = False
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
        capacity = self.pool.capacity
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
                    self.ready[block.number] = block, record_of(text)
                    continue
            try:
                self.flying[self.pool.submit(block)] = block
            except Exception as error:
                loss = self.pool.lost(error)
                if not loss:
                    raise
                self._lose([block], error, everything=True, alone=not self.flying)
                break
        return ended

    def _receive(self) -> None:
        """Take what is finished; play again what was lost."""
        alone = len(self.flying) == 1
        left = self.moved + self.patience - time.monotonic()
        done = self.pool.wait(self.flying, max(0.0, left))
        if not done:
            error = TimeoutError(f"nothing was finished within {self.patience:g} s")
            blocks = self._ground()
            self.pool.stalled(self.patience)
            self._count(blocks, error, alone=alone)
            return
        lost: list[Block] = []
        broken: BaseException | None = None
        everything = False
        for future in done:
            block = self.flying.pop(future)
            try:
                record = future.result()
            except BaseException as error:
                loss = self.pool.lost(error)
                if not loss:
                    raise
                lost.append(block)
                broken, everything = error, everything or loss == "all"
                alone = alone or loss == "block"
                continue
            self._keep(block, record)
        if broken is not None:
            self._lose(lost, broken, everything=everything, alone=alone)

    def _lose(
        self, blocks: list[Block], error: BaseException, *, everything: bool, alone: bool = False
    ) -> None:
        if everything:
            blocks = blocks + self._ground()
            self.pool.renew()
        self._count(blocks, error, alone=alone)

    def _keep(self, block: Block, record: Record) -> None:
        self.strikes, self.moved = 0, time.monotonic()
        if self.journal is not None:
            self.journal.note(self.task.digest, block.number, text_of(record))
        self.ready[block.number] = block, record

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
                if self.task.home != "thread":
                    raise UsageError(f"{what}, {MOST_FAILURES} times")
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
