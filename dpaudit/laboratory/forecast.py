"""How long a simulation will take, before it is begun: one run at longer and longer horizons."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable

from dpaudit.errors import UsageError
from dpaudit.run.runner import Runner
from dpaudit.run.task import Block, Task

ENOUGH = 0.5
"""Seconds of trial after which the rest is extrapolated."""
PATIENT, LEAPING = 4.0, 20.0
"""Seconds of trial where a run would take more than `SLOW`; the second where there are leaps in
law: these begin only when the leader is far ahead, and before that, and the more so on a busy
machine, a run looks hopeless."""
SLOW = 10.0
GROWTH = 4
FIRST = 64
UNITS = (("days", 86_400.0), ("hours", 3600.0), ("minutes", 60.0), ("seconds", 1.0))


def forecast(
    task_at: Callable[[int], Task], rounds: int, runs: int, workers: int, *, leaping: bool = False
) -> float:
    """Seconds for so many runs, from single runs of `task_at(horizon)` until they took `ENOUGH`.

    Time grows as a power of the horizon, at most linearly: by the middle one of the last three
    steps, since one run that had to wait for the processor makes a step seem steep and the next one
    flat.
    """
    patient = LEAPING if leaping else PATIENT
    runner, block = Runner(1), Block(0, 0, 1)
    runner.one(task_at(1), block)  # compiles, and starts what has to be started
    horizon, spent, took = FIRST, 0.0, 0.0
    powers: list[float] = []
    while True:
        horizon = min(rounds, horizon)
        began = time.perf_counter()
        runner.one(task_at(horizon), block)
        before, took = took, max(time.perf_counter() - began, 1e-9)
        spent += took
        powers.append(math.log(took / before) / math.log(GROWTH) if before > 0.0 else 1.0)
        power = statistics.median_high(powers[-3:])
        one = took * math.pow(rounds / horizon, min(max(power, 0.0), 1.0))
        if spent >= (patient if one > SLOW else ENOUGH) or horizon >= rounds:
            return one * math.ceil(runs / workers)
        horizon *= GROWTH


def in_words(seconds: float) -> str:
    """In the largest unit of which it is one at least."""
    name, size = next((u for u in UNITS if seconds >= u[1]), UNITS[-1])
    number = seconds / size
    return f"{number:.3g} {name[:-1] if 0.95 < number < 1.05 else name}"


def refuse_beyond(longest: float, seconds: float, what: str) -> None:
    """A UsageError if it would take longer."""
    if seconds > longest:
        raise UsageError(
            f"horizon: {what} would take about {in_words(seconds)}, allowed is "
            f"{in_words(longest)}; --yes (longest=inf) plays them all the same"
        )
