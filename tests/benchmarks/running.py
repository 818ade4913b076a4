"""Rows about workers: what a second one, the journal and a cluster cost or gain, in one run."""

from __future__ import annotations

import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import dpaudit
from dpaudit.run.runner import Runner
from tests.benchmarks.record import Row
from tests.cluster.local import Cluster
from tests.run import tiny

RUNS = 30_000_000
MANY, FEW = 100_000, 1_000


def audit(runner: Runner) -> float:
    """Seconds of a compiled audit, search and all."""
    with runner:
        began = time.perf_counter()
        dpaudit.audit("anytime-lazy-ucb", epsilon=1.0, engine="two-world", runs=RUNS)
        return time.perf_counter() - began


def best(*ways: Callable[[], Runner], repeat: int = 3) -> list[float]:
    """The best of a few of each, taken in turns: the machine's mood is the same for all."""
    found = [float("inf")] * len(ways)
    for _ in range(repeat):
        for i, way in enumerate(ways):
            found[i] = min(found[i], audit(way()))
    return found


def workers() -> Iterator[Row]:
    """Two workers and one; with and without a journal; processes and a cluster."""
    dpaudit.audit("anytime-lazy-ucb", epsilon=1.0, engine="two-world", runs=10_000)
    with tempfile.TemporaryDirectory() as name:
        folder, number = Path(name), 0

        def noted() -> Runner:
            nonlocal number
            number += 1
            return Runner(2, journal=folder / f"{number}.journal")

        one, two, forked, with_journal = best(
            lambda: Runner(1), lambda: Runner(2), lambda: Runner(2, kind="processes"), noted
        )
        yield Row("compiled audit, two workers (threads)", one / two, "x of one", 1.8, 1)
        yield Row("compiled audit, two worker processes", one / forked, "x of one", 1.8, 1)
        cost = 100.0 * (with_journal / two - 1.0)
        yield Row("journal of that audit, beyond its time", cost, "%", 2.0, -1)
        cluster = Cluster(folder)
        try:
            time.sleep(5)

            def far() -> Runner:
                return Runner(scheduler=cluster.address)

            audit(far())  # the workers load the machine code
            processes, over_tcp = best(lambda: Runner(2, kind="processes"), far)
        finally:
            cluster.close()
        cost = 100.0 * (over_tcp / processes - 1.0)
        yield Row("cluster of two workers, beyond two processes", cost, "%", 10.0, -1)


def memory() -> Iterator[Row]:
    """What the client holds while blocks go by, with a journal."""

    def peak(count: int) -> float:
        with tempfile.TemporaryDirectory() as name, Runner(2, journal=Path(name) / "x") as runner:
            tracemalloc.start()
            runner.bind("memory", count)
            for _ in runner.run(tiny.task(), tiny.work(count)):
                pass
            top = tracemalloc.get_traced_memory()[1] / 1024
            tracemalloc.stop()
        return top

    peak(FEW)
    few, many = peak(FEW), peak(MANY)
    what = f"memory of a client, {MANY:,} blocks, of that for {FEW:,}"
    yield Row(what, many / few, f"x ({many:.0f} kB)", 1.2, -1)
