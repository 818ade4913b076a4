"""Crews: who plays the blocks of a task. Threads and processes of this machine, any other
`concurrent.futures.Executor`, or the workers of a Dask cluster.

A crew says which errors mean that workers were lost, and can be renewed; what is played again then
is the runner's business.
"""

from __future__ import annotations

import contextlib
import ctypes
import logging
import multiprocessing
import os
import signal
import sys
import time
from concurrent.futures import (
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Literal

from dpaudit.errors import Unfinished, UsageError
from dpaudit.running.blocks import Block
from dpaudit.running.tasks import Sent, Task, code_digest, play_elsewhere

AHEAD = 4
"""Blocks in flight a worker: enough that none waits for the next."""
CONNECT_SECONDS = 10.0
"""How long a scheduler may take to answer."""
WORKER_MEMORY = 8 << 30
"""Address space, in bytes, of the processes in which user code is played."""

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

    def close(self, *, kill: bool = False) -> None:
        """Send the workers home; `kill` does not wait for what they do."""


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

    def close(self, *, kill: bool = False) -> None:
        """Send the workers home."""
        self._pool.shutdown(wait=True, cancel_futures=True)


_inherited: dict[str, Task] = {}
"""Tasks that processes of a pool find there when they are forked."""


def _play_inherited(digest: str, block: Block) -> str:
    return _inherited[digest].play(block)


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
        _inherited[task.digest] = task
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
        return self._pool.submit(_play_inherited, self.task.digest, block)

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
        self._pool.shutdown(wait=True, cancel_futures=True)

    def close(self, *, kill: bool = False) -> None:
        """Send the workers home."""
        _inherited.pop(self.task.digest, None)
        if kill:
            self._kill()
        else:
            self._pool.shutdown(wait=True)


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
        return self._executor.submit(play_elsewhere, *sent(self.task), _numbers(block))

    def lost(self, error: BaseException) -> Loss:
        """Whether workers were lost."""
        return "block" if isinstance(error, CancelledError) else ""


def sent(task: Task) -> tuple[Sent, str]:
    """What a worker elsewhere is told of a task, and of the code it must have."""
    return (task.kind, task.name, task.text, task.where, task.python), code_digest()


def _numbers(block: Block) -> tuple[int, int, int]:
    return block.number, block.first, block.runs


class Cluster(Crew):
    """The workers of a Dask scheduler. Where the scheduler is gone, it is looked for again until
    `patience` is over; everything that was in flight is then sent once more."""

    def __init__(self, task: Task, connection: Connection) -> None:
        super().__init__(task)
        self._connection = connection

    @property
    def capacity(self) -> int:  # type: ignore[override]
        """Blocks in flight; follows the number of workers."""
        return AHEAD * max(2, self._connection.threads())

    def submit(self, block: Block) -> Future[str]:
        """Have a block played."""
        return self._connection.submit(*sent(self.task), _numbers(block))

    def lost(self, error: BaseException) -> Loss:
        """Whether workers were lost."""
        if type(error).__name__ == "KilledWorker":
            return "block"
        if isinstance(error, ImportError):
            raise UsageError(f"scheduler: a worker cannot import dpaudit ({error})") from None
        gone = isinstance(error, (CancelledError, OSError, TimeoutError))
        return "all" if gone or "Cancelled" in type(error).__name__ else ""

    def renew(self) -> None:
        """Replace what was lost."""
        self._connection.again()

    def stalled(self, seconds: float) -> None:
        """End what hangs."""
        self._connection.avoid_busy(seconds)

    def close(self, *, kill: bool = False) -> None:
        """Send the workers home."""
        self._connection.forget()


class Connection:
    """A connection to a Dask scheduler, made again when it breaks."""

    def __init__(self, address: str, patience: float) -> None:
        self.address, self._patience = address, patience
        self._avoided: set[str] = set()
        self._counted, self._threads = -1.0, 0
        self._futures: list[Any] = []
        self._client: Any = None
        self._executor: Any = None
        try:
            self._connect()
        except (OSError, ValueError) as error:
            what = " ".join(str(error).split()) or type(error).__name__
            raise UsageError(f"scheduler: cannot reach {address} ({what[:150]})") from None

    def _connect(self) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise UsageError("scheduler: needs Dask; pip install 'dpaudit[cluster]'") from None
        # What is wrong is said in one line, not in distributed's tracebacks.
        for name in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        self._client = Client(  # type: ignore[no-untyped-call]
            self.address, timeout=min(CONNECT_SECONDS, self._patience), set_as_default=False
        )
        self._counted = -1.0
        self._executor = self._client.get_executor(pure=False)

    def submit(self, *arguments: Any) -> Future[str]:
        """Send a block."""
        extra: dict[str, Any] = {}
        if self._avoided:
            free = [each for each in self._workers() if each not in self._avoided]
            extra = {"workers": free or None}
        future: Future[str] = self._executor.submit(play_elsewhere, *arguments, **extra)
        return future

    def _workers(self) -> dict[str, int]:
        known: dict[str, int] = self._client.nthreads()
        return known

    def threads(self) -> int:
        """Threads of all workers, counted again now and then."""
        now = time.monotonic()
        if self._counted < 0 or now - self._counted > 2.0:
            with contextlib.suppress(Exception):
                known = self._workers()
                self._avoided &= set(known)
                self._threads = sum(known.values())
            self._counted = now
        return self._threads

    def avoid_busy(self, seconds: float) -> None:
        """What is played by workers that do not finish is sent to others."""
        try:
            busy = {worker for worker, keys in self._client.processing().items() if keys}
            workers = set(self._workers())
        except Exception:
            self.again()
            return
        if not workers:
            raise Unfinished(f"scheduler: {self.address} has had no worker for {seconds:g} s")
        self._avoided = busy if workers - busy else set()
        self.again()

    def again(self) -> None:
        """Connect anew; the scheduler may be away for a while."""
        self._drop()
        began, pause = time.monotonic(), 0.2
        while True:
            try:
                self._connect()
                return
            except (OSError, ValueError):
                if time.monotonic() - began > self._patience:
                    raise Unfinished(
                        f"scheduler: {self.address} did not answer for {self._patience:g} s"
                    ) from None
                time.sleep(pause)
                pause = min(2 * pause, 5.0)

    def _drop(self) -> None:
        if self._client is not None:
            with contextlib.suppress(Exception):
                self._client.close(timeout=2)

    def forget(self) -> None:
        """Nothing of what is still in flight is wanted any more."""

    def close(self) -> None:
        """Leave the cluster."""
        self._drop()
