"""A pool of Dask workers, and the connection to their scheduler, which may be lost and found again.

What is sent is a letter (see `task`), and what comes back is JSON text.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from typing import Any

from dpaudit.errors import Unfinished, UsageError, check_address, one_line
from dpaudit.run.elsewhere import play_elsewhere
from dpaudit.run.pools import AHEAD, Loss, Pool, numbers, opened
from dpaudit.run.task import Block, Record, Task

CONNECT_SECONDS = 10.0
"""How long a scheduler may take to answer."""
KNOCK_SECONDS = 1.0
ANSWER_SECONDS = 5.0
"""How long it may take to say who is there."""


class Cluster(Pool):
    """The workers of a Dask scheduler. Where the scheduler is gone, it is looked for again until
    `patience` is over; everything that was in flight is then sent once more."""

    def __init__(self, task: Task, connection: Connection) -> None:
        super().__init__(task)
        self._connection = connection

    @property
    def capacity(self) -> int:  # type: ignore[override]
        return AHEAD * max(2, self._connection.threads())

    def submit(self, block: Block) -> Future[Record]:
        return opened(self._connection.submit(tuple(self.task.letter), numbers(block)))

    def lost(self, error: BaseException) -> Loss:
        if type(error).__name__ == "KilledWorker":
            return "block"
        if isinstance(error, ImportError):
            raise UsageError(f"scheduler: a worker cannot import dpaudit ({error})") from None
        gone = isinstance(error, (CancelledError, OSError, TimeoutError))
        return "all" if gone or "Cancelled" in type(error).__name__ else ""

    def renew(self) -> None:
        self._connection.again()

    def stalled(self, seconds: float) -> None:
        self._connection.avoid_busy(seconds)


def _within(seconds: float, work: Callable[[], Any]) -> Any:
    """What a function of distributed's returns; a scheduler that accepts and then says nothing
    would let it wait for ever."""
    future: Future[Any] = Future()

    def wait() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=wait, daemon=True).start()
    return future.result(timeout=seconds)


def _knock(address: str) -> None:
    """Where nobody listens, distributed would ask again for ten seconds."""
    scheme, _, place = address.partition("://")
    host, _, port = place.rpartition(":")
    if scheme != "inproc":
        with contextlib.suppress(TimeoutError):
            socket.create_connection((host, int(port)), timeout=KNOCK_SECONDS).close()


class Connection:
    """A connection to a Dask scheduler, made again when it breaks."""

    def __init__(self, address: str, patience: float) -> None:
        self.address, self._patience = check_address(address), patience
        self._avoided: set[str] = set()
        self._counted, self._threads = -1.0, 0
        self._client: Any = None
        self._executor: Any = None
        try:
            _knock(address)
            self._connect()
        except (OSError, ValueError) as error:
            what = one_line(error, 150) or type(error).__name__
            raise UsageError(f"scheduler: cannot reach {address} ({what})") from None

    def _connect(self) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise UsageError("scheduler: needs Dask; pip install 'dpaudit[cluster]'") from None
        # What is wrong is said in one line, not in distributed's tracebacks.
        for name in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        limit = min(CONNECT_SECONDS, self._patience)
        self._client = _within(
            limit + 1.0,
            lambda: Client(self.address, timeout=limit, set_as_default=False),  # type: ignore[no-untyped-call]
        )
        self._counted = -1.0
        self._executor = self._client.get_executor(pure=False)

    def submit(self, *arguments: Any) -> Future[str]:
        extra: dict[str, Any] = {}
        if self._avoided:
            free = [each for each in self._workers() if each not in self._avoided]
            extra = {"workers": free or None}
        future: Future[str] = self._executor.submit(play_elsewhere, *arguments, **extra)
        return future

    def _workers(self) -> dict[str, int]:
        known: dict[str, int] = self._asked("ncores")
        return known

    def _asked(self, what: str) -> Any:
        """The scheduler's answer; one that hangs is an error."""
        question = getattr(self._client.scheduler, what)
        return self._client.sync(question, workers=None, callback_timeout=ANSWER_SECONDS)

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
            busy = {worker for worker, keys in self._asked("processing").items() if keys}
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
                _within(3.0, lambda: self._client.close(timeout=2))

    def close(self) -> None:
        self._drop()
