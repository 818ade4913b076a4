"""Crews: who plays the blocks of a task. Threads and processes of this machine, any other
`concurrent.futures.Executor`, or the workers of a Dask cluster.

A crew says which errors mean that workers were lost, and can be renewed; what is played again then
is the runner's business.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import multiprocessing
import os
import signal
import sys
from concurrent.futures import (
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Literal

from dpaudit.errors import Unfinished
from dpaudit.run.block import Block
from dpaudit.run.task import Sent, Task, code_digest, play_elsewhere

AHEAD = 4
"""Blocks in flight a worker: enough that none waits for the next."""

Loss = Literal["", "block", "all"]


class Crew:
    """Who plays. This one plays in the calling thread."""

    capacity = 1

    def __init__(self, task: Task) -> None:
        self.task = task

    def submit(self, block: Block) -> Future[str]:
        """Have a block played."""
        future: Future[str] = Future()
        try:
            future.set_result(self.task.play(block))
        except Exception as error:
            future.set_exception(error)
        return future

    def lost(self, error: BaseException) -> Loss:
        """Whether an error means that workers were lost: with this block only, or with all."""
        return ""

    def renew(self) -> None:
        """Replace what was lost. All blocks in flight are forgotten."""

    def stalled(self, seconds: float) -> None:
        """Nothing was finished for so long: end what hangs, or say that it cannot be ended."""
        raise Unfinished(
            f"{self.task.name}: no block was finished within {seconds:g} s; use processes"
        )

    def close(self) -> None:
        """Send the workers home."""


class Threads(Crew):
    """Threads of this process: for compiled code, which does not hold the interpreter."""

    def __init__(self, task: Task, workers: int) -> None:
        super().__init__(task)
        self.capacity = AHEAD * workers
        self._pool = ThreadPoolExecutor(workers)
        _ = task.player  # made once, before the threads ask for it

    def submit(self, block: Block) -> Future[str]:
        """Have a block played."""
        return self._pool.submit(self.task.play, block)

    def close(self) -> None:
        """Send the workers home."""
        self._pool.shutdown(wait=True, cancel_futures=True)


_inherited: dict[int, Task] = {}
"""Tasks that processes of a pool find there when they are forked."""
_places = itertools.count()


def _play_inherited(place: int, block: Block) -> str:
    return _inherited[place].play(block)


def _enter_pool(parent: int) -> None:
    """In a new process: Ctrl-C is the parent's business, and nobody outlives it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent(parent)


def die_with_parent(parent: int) -> None:
    """Have the kernel end this process when its parent ends (Linux; elsewhere it is found out when
    the pipe breaks)."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
            if os.getppid() != parent:
                os._exit(1)


class Processes(Crew):
    """Processes of this machine: for plain Python, and for whatever must not take this one down."""

    def __init__(self, task: Task, workers: int) -> None:
        super().__init__(task)
        self._workers = workers
        self.capacity = AHEAD * workers
        self._place = next(_places)
        _inherited[self._place] = task
        _ = task.player
        self._pool = self._new()

    def _new(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            self._workers,
            mp_context=multiprocessing.get_context("fork"),
            initializer=_enter_pool,
            initargs=(os.getpid(),),
        )

    def submit(self, block: Block) -> Future[str]:
        """Have a block played."""
        return self._pool.submit(_play_inherited, self._place, block)

    def lost(self, error: BaseException) -> Loss:
        """Whether workers were lost."""
        return "all" if isinstance(error, (BrokenProcessPool, CancelledError)) else ""

    def renew(self) -> None:
        """Replace what was lost."""
        self._kill()
        self._pool = self._new()

    def stalled(self, seconds: float) -> None:
        """End what hangs."""
        self.renew()

    def _kill(self) -> None:
        for process in list((getattr(self._pool, "_processes", None) or {}).values()):
            process.kill()
        # Whoever still reads what a killed process had begun to say finds the end of the pipe.
        results: Any = getattr(self._pool, "_result_queue", None)
        with contextlib.suppress(AttributeError, OSError):
            results._writer.close()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def close(self) -> None:
        """Send the workers home. They are killed: where one died with a lock in its hand, the
        others would wait for ever to be told."""
        _inherited.pop(self._place, None)
        self._kill()


class Given(Crew):
    """Any other executor. A task that lives in this process only needs one of threads."""

    def __init__(self, task: Task, executor: Executor, workers: int) -> None:
        super().__init__(task)
        self.capacity = AHEAD * workers
        self._executor = executor

    def submit(self, block: Block) -> Future[str]:
        """Have a block played."""
        if self.task.local is not None:
            return self._executor.submit(self.task.play, block)
        return self._executor.submit(play_elsewhere, *sent(self.task), numbers(block))

    def lost(self, error: BaseException) -> Loss:
        """Whether workers were lost."""
        return "block" if isinstance(error, CancelledError) else ""


def sent(task: Task) -> tuple[Sent, str]:
    """What a worker elsewhere is told of a task, and of the code it must have."""
    return (task.kind, task.name, task.text, task.where, task.python), code_digest()


def numbers(block: Block) -> tuple[int, int, int]:
    """A block as plain data."""
    return block.number, block.first, block.runs
