"""Blocks of runs: the unit of work. Block i has its own child of the seed, so any number of
workers, in any order, gives the same numbers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from dpaudit.errors import check_count

Result = TypeVar("Result")

ROUNDS_IN_A_BLOCK = 2**20
"""A block holds about so many rounds: some 20 ms of compiled work."""
LARGEST_BLOCK = 2**14


@dataclass(frozen=True)
class Block:
    """A block of runs: its number, its first run and how many there are."""

    number: int
    first: int
    runs: int

    def generator(self, seed: int) -> np.random.Generator:
        """The block's own stream: child `number` of the seed."""
        return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(self.number,)))


def blocks(runs: int, rounds: int) -> Iterator[Block]:
    """Cut `runs` runs into blocks; `rounds` is the work of one run. Depends on nothing else."""
    size = max(1, min(LARGEST_BLOCK, ROUNDS_IN_A_BLOCK // max(1, rounds)))
    for number, first in enumerate(range(0, runs, size)):
        yield Block(number, first, min(size, runs - first))


def large_blocks(runs: int, rounds: int) -> Iterator[Block]:
    """Blocks for work of any size: some 128 of them, but none under 20 ms or over a second or so.
    Depends on nothing else."""
    least, most = ROUNDS_IN_A_BLOCK, 64 * ROUNDS_IN_A_BLOCK
    size = max(1, min(most, max(least, runs * rounds // 128)) // max(1, rounds))
    for number, first in enumerate(range(0, runs, size)):
        yield Block(number, first, min(size, runs - first))


def check_workers(workers: int | None) -> int:
    """Number of worker threads; None means one a core."""
    if workers is None:
        return os.cpu_count() or 1
    return check_count("workers", workers, 1, 4096)


def run_blocks(
    task: Callable[[Block], Result], work: Iterator[Block], workers: int
) -> Iterator[tuple[Block, Result]]:
    """Run the task on every block in threads, a few in flight at a time; yields as they finish."""
    if workers == 1:
        for block in work:
            yield block, task(block)
        return
    with ThreadPoolExecutor(workers) as pool:
        running: dict[Future[Result], Block] = {}
        try:
            for block in work:
                running[pool.submit(task, block)] = block
                if len(running) >= 4 * workers:
                    yield from _finished(running)
            while running:
                yield from _finished(running)
        finally:
            for future in running:
                future.cancel()


def _finished(running: dict[Future[Any], Block]) -> Iterator[tuple[Block, Any]]:
    done, _ = wait(running, return_when=FIRST_COMPLETED)
    for future in done:
        yield running.pop(future), future.result()
