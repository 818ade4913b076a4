"""What runs of a learner cost, and what there is to spend."""

from __future__ import annotations

import contextlib
import importlib
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dpaudit.auditor.adversaries import adaptive_pairs
from dpaudit.auditor.engines.black_box.engine import BlackBox
from dpaudit.auditor.engines.black_box.sampling import LEARNER_ROUNDS, SLOW, WHOLE, LearnerSampler
from dpaudit.auditor.engines.black_box.search.curriculum import Prices, any_pair
from dpaudit.auditor.engines.black_box.search.walks import SHORT, horizons
from dpaudit.auditor.engines.black_box.tasks import ALONE, time_runs
from dpaudit.play.catalogue import loading
from dpaudit.results.found import Event, Lower
from dpaudit.run.pools import OutOfTime
from dpaudit.run.task import Block

if TYPE_CHECKING:
    from dpaudit.auditor.auditing import Request


ALGORITHM_RUNS, LEARNER_RUNS = 2_000_000, 200_000
"""Runs of 12 rounds where neither a number nor a time is given: compiled steps, a user's class."""
NOMINAL = Prices(8.0, 1.0)
"""What runs cost there, relative to each other: long runs are fewer, the same on any machine."""
LONGEST = 60.0
"""Seconds after which an audit ends that was given neither runs nor time."""
PLANNED = 0.8
"""Part of the time that is planned for: the rest is for starting processes and for sorting."""
TIMED_SECONDS = 0.2
"""Runs are timed for about so long."""
SHORT_SECONDS = 0.005
"""Of a learner that takes longer for four rounds, shorter runs are timed."""
LOOKS = 0.15
"""Part of the time in which runs are played in several orders and places, before any counts."""
LOOKED_AT = 16
"""Runs of each world that are played in several orders."""
LOOKED_ROUNDS = 32
FEWEST_RUNS = 24
"""From fewer runs of both worlds together nothing is seen."""
SLOW_START = 0.3
"""Seconds of a first run behind which it is worth while to import here what it imported."""


@dataclass(frozen=True)
class Means:
    """What there is to spend: so much at these prices, until then; `budget` are the runs that were
    asked for."""

    prices: Prices
    purse: float
    deadline: float | None
    budget: int


def some_pair(request: Request, rounds: int) -> Any:
    """Any pair of that length, or of the one that is asked for, if what is seen is of the end."""
    rounds = request.rounds if request.whole else rounds
    if request.adversary is not None:
        return adaptive_pairs(request.adversary, rounds, request.arms)[0]
    return any_pair(request.setting, request.arms, rounds)


Looked = tuple[int, int, bool]
"""How many runs are looked at before any counts, how many rounds of each, and whether in processes
of their own, too."""


def looks(request: Request, engine: BlackBox) -> Looked:
    """What is looked at: of a slow learner less, where it is time that is given. Where the time
    pays for next to no runs, it is over."""
    if request.runs is not None:
        return LOOKED_AT, min(request.rounds, LOOKED_ROUNDS), True
    asked = [request.seconds]
    runs, rounds, processes = engine.decide("looks", asked, lambda: _affordable(request, engine))
    return runs, rounds, processes


def _affordable(request: Request, engine: BlackBox) -> list[Any]:
    """What the time pays for."""
    runs, rounds = LOOKED_AT, min(request.rounds, LOOKED_ROUNDS)
    short, longer = (timed(engine, request, n, 1) for n in (1, min(rounds, 8)))
    a_round = max(0.0, longer - short) / 7.0
    a_run = max(0.0, min(short, longer) - a_round)
    given = (request.seconds or LONGEST) * engine.runner.at_a_time
    least = a_run + a_round * next(horizons(request.rounds, request.arms))
    if request.seconds is not None and PLANNED * given < FEWEST_RUNS * least:
        raise OutOfTime(f"a run takes {least:.2g} s")
    load = loading(request.target.factory)
    most = LOOKS * given
    processes = 6 * load < given
    while (4 * runs + 6 * min(runs, ALONE)) * (a_run + rounds * a_round) > most:
        if rounds > 8:
            rounds //= 2
        elif runs > 1:
            runs //= 2
        else:
            break
    while processes and runs > 1 and 4 * min(runs, ALONE) * load > most:
        runs //= 2
    return [runs, rounds, processes]


def no_time(request: Request, why: str) -> Lower:
    """The answer where the time was over before anything was counted."""
    given = why or f"{request.seconds:g} s were over before an event was counted"
    more = f"{given}, so that {request.seconds:g} s show nothing; --seconds or --runs would help"
    return Lower(
        bound=0.0,
        pair=None,
        event=Event("no event was bounded"),
        runs=0,
        estimate=0.0,
        untested=(f"anything: {more}",),
    )


def limit(seconds: float) -> float:
    """Seconds after which an answer is given whatever is still running."""
    return max(1.6 * seconds, seconds + 6.0)


def means_of(request: Request, engine: BlackBox, own: bool, began: float) -> Means:
    """What there is to spend, in runs or in seconds. A learner that is slow is given a minute."""
    seconds, runs = request.seconds, request.runs
    default = LEARNER_RUNS if own else ALGORITHM_RUNS
    measured = engine.decide("prices", [seconds], lambda: _measured(request, engine))
    prices = Prices(*measured)
    slow = LEARNER_ROUNDS * max(prices.a_run / WHOLE + prices.a_round, prices.of(4) / 4.0) > SLOW
    if slow and isinstance(engine.sampler, LearnerSampler):
        engine.sampler = replace(engine.sampler, pace=(prices.a_run, prices.a_round))
    if seconds is None and runs is None:
        typical = min(request.rounds, WHOLE)
        nominal = default / 2 * NOMINAL.of(typical) if typical > SHORT else float(default)
        soon = default * prices.of(typical) / engine.runner.at_a_time < LONGEST
        if engine.decide("soon", [], lambda: soon):
            if typical > SHORT:
                return Means(NOMINAL, nominal, None, 0)
            return Means(Prices(1.0, 0.0), nominal, None, default)
        seconds = LONGEST
    if seconds is None:
        assert runs is not None
        return Means(Prices(1.0, 0.0), float(runs), None, runs)
    left = max(0.3 * seconds, began + seconds - time.monotonic())
    planned = PLANNED * left * engine.runner.at_a_time
    purse = engine.decide("purse", [seconds], lambda: planned)
    return Means(prices, purse, began + seconds, 0)


def _measured(request: Request, engine: BlackBox) -> list[float]:
    """Seconds for a run and for a round of it, from a few short and a few longer runs."""
    short, longer = min(request.rounds, 4), min(request.rounds, 64)
    if request.whole:
        short = longer = request.rounds
    # Where no time is set, a machine that is busy with other things makes no learner slow.
    alone = request.seconds is None
    few = timed(engine, request, short, 2, alone)
    if few <= TIMED_SECONDS:
        few = timed(engine, request, short, 2, alone)  # the first may compile
    if few > TIMED_SECONDS or longer == short:
        return [max(few, 1e-7), 0.0] if longer == short else [1e-7, few / short]
    longer = min(longer, 64 if few < SHORT_SECONDS else 16)
    runs = max(1, min(200, int(TIMED_SECONDS / max(few, 1e-5))))
    times = [timed(engine, request, rounds, runs, alone) for rounds in (short, longer)]
    a_round = max(0.0, times[1] - times[0]) / (longer - short)
    return [max(times[0] - short * a_round, 1e-7), a_round]


def timed(engine: BlackBox, request: Request, rounds: int, runs: int, alone: bool = False) -> float:
    """Seconds of one run; `alone`: as if nothing else ran on the machine."""
    task = engine.task(time_runs, (8,), pair=some_pair(request, rounds))
    found = engine.runner.one(task, Block(0, 0, runs))
    if found["seconds"] > SLOW_START and found["imported"]:
        for module in found["imported"]:
            with contextlib.suppress(Exception):
                importlib.import_module(module)
        found = engine.runner.one(task, Block(0, 0, runs))
    return float(found["alone" if alone else "seconds"]) / (2 * runs)
