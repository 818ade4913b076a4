"""Pools: who plays the blocks of a task. The calling thread, threads of this process, and any other
`concurrent.futures.Executor`; processes stand in `process`, the workers of a cluster in `cluster`.

A pool says which errors mean that workers were lost, and can be renewed; what is played again then
is the runner's business.
"""

from __future__ import annotations

import concurrent.futures
from collections.abc import Collection
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from typing import Literal

from dpaudit.errors import Unfinished
from dpaudit.run import leaving
from dpaudit.run.elsewhere import play_elsewhere
from dpaudit.run.task import Block, Record, Task, record_of

AHEAD = 4
"""Blocks in flight a worker: enough that none waits for the next."""

Loss = Literal["", "block", "all"]


class OutOfTime(Exception):
    """The time that was set is over, and blocks are still played."""


class Pool:
    """Who plays. This one plays in the calling thread."""

    capacity = 1
    limit: float | None = None
    """When processes stop to be waited for, on the monotonic clock."""

    def __init__(self, task: Task) -> None:
        self.task = task

    def submit(self, block: Block) -> Future[Record]:
        future: Future[Record] = Future()
        try:
            future.set_result(self.task.player(block))
        except Exception as error:
            future.set_exception(error)
        return future

    def wait(
        self, flying: Collection[Future[Record]], seconds: float
    ) -> Collection[Future[Record]]:
        """Those in flight that are done, as soon as one is; none where time is up."""
        return concurrent.futures.wait(
            flying, timeout=seconds, return_when=concurrent.futures.FIRST_COMPLETED
        ).done

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

    def close(self) -> None: ...


class Threads(Pool):
    """Threads of this process: for compiled code, which does not hold the interpreter."""

    def __init__(self, task: Task, workers: int) -> None:
        super().__init__(task)
        self.capacity = AHEAD * workers
        self._pool = ThreadPoolExecutor(workers)
        _ = task.player  # made once, before the threads ask for it

    def submit(self, block: Block) -> Future[Record]:
        return self._pool.submit(self.task.player, block)

    def close(self) -> None:
        self._pool.shutdown(wait=not leaving.is_set(), cancel_futures=True)


class Given(Pool):
    """Any other executor. A task that lives in this process only needs one of threads."""

    def __init__(self, task: Task, executor: Executor, workers: int) -> None:
        super().__init__(task)
        self.capacity = AHEAD * workers
        self._executor = executor

    def submit(self, block: Block) -> Future[Record]:
        if self.task.stays:
            return self._executor.submit(self.task.player, block)
        return opened(
            self._executor.submit(play_elsewhere, tuple(self.task.letter), numbers(block))
        )

    def lost(self, error: BaseException) -> Loss:
        return "block" if isinstance(error, CancelledError) else ""


def opened(sealed: Future[str]) -> Future[Record]:
    future: Future[Record] = Future()

    def take(done: Future[str]) -> None:
        try:
            text = done.result()
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(record_of(text))

    sealed.add_done_callback(take)
    return future


def numbers(block: Block) -> tuple[int, int, int]:
    return block.number, block.first, block.runs
