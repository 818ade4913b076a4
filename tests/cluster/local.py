"""A real cluster on this machine: a Dask scheduler and workers, each a process, over TCP on
loopback."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

START_SECONDS = 60.0
COMMON = ("--host", "127.0.0.1", "--no-dashboard")


class Cluster:
    """Start, kill, stop and replace its processes; by their ids, which are its own children's."""

    def __init__(self, folder: Path, workers: int = 2) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            self.port = taken.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.folder = folder
        self.workers: list[subprocess.Popen[bytes]] = []
        self.started = 0
        self.start_scheduler()
        for _ in range(workers):
            self.add()

    def _start(self, name: str, *words: str) -> subprocess.Popen[bytes]:
        with open(self.folder / f"{name}.log", "wb") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "dask", *words],
                stdout=log,
                stderr=log,
                env={**os.environ, "DASK_DISTRIBUTED__WORKER__DAEMON": "False"},
            )

    def start_scheduler(self) -> None:
        """On the same port as before."""
        self.scheduler = self._start("scheduler", "scheduler", *COMMON, "--port", str(self.port))
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
                return
            time.sleep(0.1)
        raise TimeoutError("the scheduler did not start")

    def add(self) -> None:
        """One more worker, with one thread."""
        self.started += 1
        words = ("--nthreads", "1", "--no-nanny", "--memory-limit", "0")
        worker = self._start(f"worker-{self.started}", "worker", self.address, *COMMON, *words)
        self.workers.append(worker)

    def kill(self, number: int) -> None:
        """SIGKILL, and another one in its place."""
        victim = self.workers.pop(number % len(self.workers))
        victim.kill()
        victim.wait()
        self.add()

    def hang(self, number: int) -> None:
        """SIGSTOP: it is there and does nothing; another one comes."""
        self.workers[number % len(self.workers)].send_signal(signal.SIGSTOP)
        self.add()

    def restart_scheduler(self) -> None:
        """Kill the scheduler; a new one knows nothing of the old one's work."""
        self.scheduler.kill()
        self.scheduler.wait()
        self.start_scheduler()
        for _ in range(2):
            self.workers.pop(0).kill()
            self.add()

    def close(self) -> None:
        """End all of it."""
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()
