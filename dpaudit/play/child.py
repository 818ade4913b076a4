"""Child processes in which user code is played: limited in memory and time, answering in bytes."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import resource
import signal
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from dpaudit.errors import UsageError, one_line
from dpaudit.run.pools import die_with_parent

MEMORY_LIMIT = 4 << 30
"""Bytes that a child process may take beyond what it starts with."""

Play = Callable[[Any], Any]
"""Plays runs; is handed a place to write run and round to."""


def _limit_memory() -> None:
    """A learner that eats memory gets a MemoryError, not the machine."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        wanted = taken + MEMORY_LIMIT
        if hard == resource.RLIM_INFINITY or wanted < hard:
            resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))


class Child:
    """One chunk of runs in a child process."""

    def __init__(self, name: str, play: Play, shape: tuple[int, int], run_limit: float) -> None:
        context = multiprocessing.get_context("fork")
        self.name, self.shape, self.run_limit = name, shape, run_limit
        self.where = context.Array("q", 2, lock=False)
        self.pipe, end = context.Pipe(duplex=False)
        self.process = context.Process(
            target=_work, args=(name, play, self.where, end, os.getpid()), daemon=True
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
        if now - self.since > self.run_limit:
            at = self.where[1]
            self.stop()
            raise UsageError(
                f"learner {self.name}: in round {at} it did not return within {self.run_limit:g} s"
            )
        return False

    def result(self) -> Any:
        """The actions, or the error of the learner."""
        if self.answer is None:
            raise UsageError(
                f"learner {self.name}: in round {self.where[1]} its process died "
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


def _work(name: str, play: Play, where: Any, end: Connection, parent: int) -> None:
    # Ctrl-C reaches the whole group: what is done about it is the parent's decision.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent(parent)
    _limit_memory()
    try:
        actions = play(where)
        end.send_bytes(b"actions")
        end.send_bytes(actions.tobytes())
    except UsageError as error:
        end.send_bytes(b"error")
        end.send_bytes(str(error).encode())
    except BaseException as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        text = (
            f"learner {name}: in round {where[1]} it raised {type(error).__name__}: "
            f"{one_line(error)} ({last.name}, line {last.lineno})"
        )
        end.send_bytes(b"error")
        end.send_bytes(text.encode())
    finally:
        end.close()
