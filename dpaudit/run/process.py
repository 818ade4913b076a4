"""Processes in which blocks are played: copies of this one, which find the task there.

This is the one place where anybody's class or mechanism is stepped: limited in
memory and watched. A process that dies is named with the round it was in; what it played is played
again by the runner. Tasks of our own code may use processes too.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import multiprocessing
import multiprocessing.connection
import os
import resource
import signal
import sys
import time
from collections import deque
from collections.abc import Collection
from concurrent.futures import Future
from pathlib import Path
from typing import IO, Any

from dpaudit.errors import UsageError, last_line, one_line
from dpaudit.run import heard
from dpaudit.run.plain import Parcel, pack, unpack
from dpaudit.run.pools import AHEAD, Loss, OutOfTime, Pool
from dpaudit.run.task import Block, Record, Task

MEMORY_LIMIT = 4 << 30
"""Bytes that a process with user code may take beyond what it starts with."""
ROUND_LIMIT = 10.0
"""Seconds after which a single round of a learner counts as never ending."""
LOOK = 0.2
"""Seconds between looks at the rounds."""

SIGNALS = (signal.SIGINT, signal.SIGTERM)

at: Any = [-1, -1]
"""The run and the round that this process is in; where they are not told, time is not limited."""


class Died(RuntimeError): ...


def place(t: int) -> str:
    """Where a learner is, in words; nothing is played before it is made."""
    return "in its constructor" if t == 0 else f"in round {t}"


def busyness() -> float:
    """How many times more there is to do on this machine than it has processors for; 1 at least."""
    try:
        return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    except (AttributeError, OSError):  # not told here
        return 1.0


def die_with_parent(parent: int) -> None:
    """Have the kernel end this process when its parent ends (Linux; elsewhere it is found out when
    the pipe breaks)."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
            if os.getppid() != parent:
                os._exit(1)


def limit_memory() -> None:
    """What eats memory gets a MemoryError, not the machine."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        wanted = taken + MEMORY_LIMIT
        if hard == resource.RLIM_INFINITY or wanted < hard:
            resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))


class Child:
    """A process that plays the blocks it is told, one at a time."""

    def __init__(self, task: Task) -> None:
        context = multiprocessing.get_context("fork")
        self.task = task
        self.at = context.Array("q", [-1, -1], lock=False)
        self.pipe, end = context.Pipe()
        self.written = None if task.home == "thread" else heard.file()
        self.process = context.Process(
            target=_serve,
            args=(task, self.at, end, self.pipe, os.getpid(), self.written),
            daemon=True,
        )
        # A signal that comes before the child has said what it does about signals waits for that.
        # And a collector that looks at what was there before would copy all of it into the child.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        gc.freeze()
        try:
            self.process.start()
        finally:
            gc.unfreeze()
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        end.close()
        self.future: Future[Record] | None = None

    def begin(self, block: Block, future: Future[Record]) -> None:
        self.future = future
        self.seen, self.since = self.now, time.monotonic()
        with contextlib.suppress(OSError):  # it died already, as will be seen
            self.pipe.send(block)

    @property
    def now(self) -> tuple[int, int]:
        return self.at[0], self.at[1]

    def answer(self) -> None:
        future, self.future = self.future, None
        assert future is not None
        try:
            kind, count, said, printed = json.loads(self.pipe.recv_bytes())
            heard.note(self.task.name, printed)
            frames = [self.pipe.recv_bytes() for _ in range(count)]
        except (EOFError, OSError):
            self.process.kill()
            self.process.join()
            code = self.process.exitcode
            self._listened()
            self.stop()
            future.set_exception(Died(f"{self.where()} its process died (exit code {code})"))
            return
        self._listened()
        if kind == "record":
            future.set_result(unpack(said, Parcel(frames=frames)))
        else:
            future.set_exception(UsageError(said))

    def _listened(self) -> None:
        if self.written is not None:
            heard.note(self.task.name, heard.of_file(self.written))

    def where(self) -> str:
        return f"{self.task.name}: {place(self.at[1])}" if self.at[0] >= 0 else self.task.name

    def check_progress(self, limit: float) -> None:
        """A round that never ends is the task's error. On a busy machine it is waited for as much
        longer as there is more to do than processors: the child may just not have had its turn."""
        if self.now != self.seen:
            self.seen, self.since = self.now, time.monotonic()
        waited = time.monotonic() - self.since
        if self.future is not None and self.at[0] >= 0 and waited > limit * busyness():
            where = self.where()
            self._listened()
            self.stop()
            self.future.set_exception(UsageError(f"{where} it did not return within {limit:g} s"))
            self.future = None

    def stop(self) -> None:
        # Its end is not waited for: the next process that is started clears it away.
        self.process.kill()
        self.pipe.close()
        if self.written is not None:
            self.written.close()
            self.written = None


def _serve(
    task: Task, place: Any, pipe: Any, other: Any, parent: int, written: IO[bytes] | None
) -> None:
    # Ctrl-C reaches the whole group: what is done about it is the parent's decision.
    global at
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    die_with_parent(parent)
    other.close()
    at = place
    if task.home != "thread":
        limit_memory()
    if written is not None:
        heard.listen(written)
    while True:
        try:
            block = pipe.recv()
        except EOFError:
            return
        parcel = Parcel(frames=[])
        try:
            said = "record", pack(task.player(block), parcel)
        except BaseException as error:
            said = "error", error_text(task.name, error)
        # Bytes, not pickles: nothing that a child says is executed.
        frames = parcel.frames or []
        pipe.send_bytes(json.dumps([said[0], len(frames), said[1], heard.taken()]).encode())
        for frame in frames:
            pipe.send_bytes(frame)


def error_text(name: str, error: BaseException) -> str:
    """What is said of an error: of one in the code that is played also where it was raised."""
    if isinstance(error, UsageError):
        return str(error)
    last = last_line(error)
    raised = f"{type(error).__name__}: {one_line(error)}"
    return f"{name}: raised {raised} ({last.name}, line {last.lineno})"


class Processes(Pool):
    def __init__(self, task: Task, workers: int) -> None:
        super().__init__(task)
        self.capacity = AHEAD * workers
        self._workers = workers
        self._waiting: deque[tuple[Block, Future[Record]]] = deque()
        self._children: list[Child] = []
        if task.home == "thread":
            _ = task.player  # made once, before there are copies

    def submit(self, block: Block) -> Future[Record]:
        future: Future[Record] = Future()
        self._waiting.append((block, future))
        self._begin()
        return future

    def _begin(self) -> None:
        """Give waiting blocks to who is free; blocks with user code to somebody new."""
        while self._waiting:
            free = [child for child in self._children if child.future is None]
            if self.task.home == "fresh process" or any(not c.process.is_alive() for c in free):
                for child in free:
                    child.stop()
                    self._children.remove(child)
                free = []
            if not free and len(self._children) == self._workers:
                return
            if not free:
                free = [Child(self.task)]
                self._children += free
            block, future = self._waiting.popleft()
            if not future.cancelled():
                free[0].begin(block, future)

    def wait(
        self, flying: Collection[Future[Record]], seconds: float
    ) -> Collection[Future[Record]]:
        deadline = time.monotonic() + seconds
        while not (done := [future for future in flying if future.done()]):
            busy = {child.pipe: child for child in self._children if child.future is not None}
            left = deadline - time.monotonic()
            if self.limit is not None and time.monotonic() > self.limit:
                raise OutOfTime
            if left <= 0.0:
                return []
            for pipe in multiprocessing.connection.wait(list(busy), timeout=min(LOOK, left)):
                busy[pipe].answer()  # type: ignore[index]
            for child in busy.values():
                if child.future is not None:
                    child.check_progress(ROUND_LIMIT)
            self._children = [c for c in self._children if not c.pipe.closed]
            self._begin()
        return done

    def lost(self, error: BaseException) -> Loss:
        return "block" if isinstance(error, Died) else ""

    def renew(self) -> None:
        self.close()

    def stalled(self, seconds: float) -> None:
        self.close()

    def close(self) -> None:
        """The processes are killed: one that is stopped would never hear that it may go."""
        self._waiting.clear()
        for child in self._children:
            child.stop()
        self._children = []
