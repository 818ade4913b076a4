"""The black-box engine's answer about a learner: how its runs are kept apart, what they cost, and
what of the claim they put to the test.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.auditor.engines.black_box.engine import BlackBox, sequence_event
from dpaudit.auditor.engines.black_box.sampling import (
    AlgorithmSampler,
    LearnerSampler,
)
from dpaudit.auditor.engines.black_box.scoring import band
from dpaudit.auditor.engines.black_box.search.curriculum import Curriculum
from dpaudit.auditor.engines.black_box.search.means import (
    PLANNED,
    Looked,
    Means,
    limit,
    looks,
    means_of,
    no_time,
    some_pair,
    timed,
)
from dpaudit.auditor.engines.black_box.search.walks import SHORT
from dpaudit.auditor.engines.black_box.tasks import (
    ALONE,
    look_at_new,
    look_at_runs,
)
from dpaudit.auditor.statistics import Alpha
from dpaudit.errors import UsageError
from dpaudit.play.catalogue import Target
from dpaudit.play.learner import SteppedClass
from dpaudit.results.found import Lower
from dpaudit.run.pools import OutOfTime
from dpaudit.run.runner import current
from dpaudit.run.task import Block

if TYPE_CHECKING:
    from dpaudit.auditor.auditing import Request

ONE_PAIR = "one pair, as asked"
LEAST_RUNS, LATE_RUNS = 400, 20
"""Runs that an evaluation has, and where the time is over."""


def black_box(request: Request, alpha: Alpha) -> Lower:
    """The engine's answer. Where the sample's own test finds runs that are not independent,
    nothing is claimed."""
    share = alpha.take(band.SHARE * alpha.value, band.SPENT_ON) if request.tradeoff else None
    alpha = alpha.rest("the chosen event, both bounds")
    try:
        engine, means, notes = prepared(request)
        engine.band = share
        lower = _answered(request, engine, means, alpha)
    except OutOfTime as late:
        return no_time(request, str(late))
    finally:
        current(request.workers).limit = None  # of the next audit it is another one
    return replace(lower, notes=notes)


def _answered(request: Request, engine: BlackBox, means: Means, alpha: Alpha) -> Lower:
    search = searched(request, engine, means, alpha.value)
    pair = request.pair if request.pair is not None else search.pair()
    left = engine.decide(
        "left", [request.seed], lambda: left_of(request, engine, means, search, pair.shape[0])
    )
    lower = engine.bounded(
        pair,
        left,
        alpha,
        spent=search.spent,
        deadline=means.deadline,
        progress=request.progress,
        shrinks=request.adversary is None and request.pair is None and not request.tradeoff,
    )
    return replace(
        lower,
        budget=means.budget,
        searched=described(search),
        untested=(*lower.untested, *untested_of(request, engine, search, lower.bound > 0.0)),
    )


def described(search: Curriculum) -> str:
    if search.searched:
        return f"{search.tried} pairs tried at {_list(search.searched)} rounds"
    return ONE_PAIR


def left_of(
    request: Request, engine: BlackBox, means: Means, search: Curriculum, rounds: int
) -> int:
    """Runs of the chosen length that can still be paid; where time counts, by the clock."""
    left = (means.purse - search.paid) / means.prices.of(rounds)
    if means.deadline is not None:
        seconds = max(0.0, means.deadline - time.monotonic())
        few = max(1, min(200, int(0.02 * seconds / means.prices.of(rounds))))
        price = timed(engine, request, rounds, few)
        left = PLANNED * (seconds - 2 * few * price) * engine.runner.at_a_time / price
        # What was slower than planned is still given half of the time that was asked for.
        late = 0.5 * means.purse / price
        return max(int(left), min(LEAST_RUNS, max(LATE_RUNS, int(late))))
    return max(LEAST_RUNS, int(left))


def searched(request: Request, engine: BlackBox, means: Means, alpha: float) -> Curriculum:
    return Curriculum(
        engine,
        request.arms,
        request.rounds,
        means.purse,
        means.prices,
        alpha,
        request.adversary,
        request.setting,
        timed=means.deadline is not None,
    )


def untested_of(
    request: Request, engine: BlackBox, search: Curriculum, shown: bool = False
) -> list[str]:
    """Why the absence of a violation would say nothing. `shown`: a single reward was seen to change
    the actions."""
    said = []
    if engine.repeats:
        said.append(
            f"its noise as it stands: {', '.join(engine.repeats)} is seeded alike in every run, and"
            " was seeded for each run here; make it from rng="
        )
    if request.pair is not None:
        return [*said, "any pair but the one that was asked for"]
    moved = search.moved or shown
    if not engine.varied and not moved:
        said.append(
            "its actions were the same in every run and on both tables; more rounds would help"
        )
    elif not moved:
        said.append(
            f"the rewards were not seen to change its actions within {search.searched[-1]} rounds; "
            "more rounds or runs would help"
        )
    if search.left_out:
        said.append(
            f"play of {_list(search.left_out)} rounds, for which there was no time; --seconds would"
            " help"
        )
    if request.rounds > SHORT:
        said.append(
            f"most of the pairs of {request.rounds} rounds; {SHORT} rounds and fewer are searched "
            "from all sides"
        )
    return said


def _list(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def sampler_of(request: Request) -> AlgorithmSampler | LearnerSampler:
    algorithm, epsilon = request.target.algorithm, request.epsilon
    stepped: Target | SteppedClass = request.target
    setting = request.setting
    by_steps = request.adversary is not None or setting.removes or not setting.prompt
    if algorithm is not None and not by_steps:
        return AlgorithmSampler(request.who, request.seed, setting)
    if algorithm is not None:  # what is asked round by round is asked of the steps in Python
        horizon = None if algorithm.card.anytime else request.rounds
        stepped = SteppedClass(algorithm, epsilon, horizon, request.parameters)
    level = request.claim.level if epsilon is None else epsilon
    return LearnerSampler(stepped, request.target.name, level, request.seed, setting=setting)


def prepared(request: Request) -> tuple[BlackBox, Means, tuple[str, ...]]:
    """The engine, what it may spend, and notes on how runs are kept apart."""
    began = time.monotonic()
    sampler, runner = sampler_of(request), current(request.workers)
    # Whatever a learner costs, the answer is not much later than it was asked for.
    timed = request.seconds is not None and not request.again
    runner.limit = began + limit(request.seconds or 0.0) if timed else None
    engine = BlackBox(
        sampler, request.claim, sequence_event, request.seed, runner, whole=request.whole
    )
    notes: tuple[str, ...] = ()
    own = isinstance(sampler, LearnerSampler)
    if isinstance(sampler, LearnerSampler):
        looked = looks(request, engine)
        alone, notes = kept_apart(request, engine, sampler, looked)
        engine.sampler = sampler = replace(sampler, apart=alone)
        if not isinstance(sampler.who, SteppedClass):
            alike, engine.repeats = seeded_alike(request, engine, looked)
            engine.sampler = replace(sampler, alike=alike)
    return engine, means_of(request, engine, own, began), notes


def kept_apart(
    request: Request, engine: BlackBox, sampler: LearnerSampler, looked: Looked
) -> tuple[bool, tuple[str, ...]]:
    """Whether each run needs a process of its own: some runs are played in order, from the last to
    the first, and apart. Runs that never come out the same tell nothing."""
    if isinstance(sampler.who, SteppedClass):
        return False, ()
    runs, rounds, processes = looked
    pair = some_pair(request, rounds)
    task = engine.bounding(look_at_runs, (9,), pair=pair, runs=runs)

    def choose() -> Any:
        ways = (Block(i, 0, runs) for i in range(4 if processes else 2))
        first, back, *others = (r for _, r in engine.runner.run(task, ways))
        nothing: dict[str, Any] = {"runs": [], "actions": []}
        alone, again = others or (nothing, nothing)
        plain = _differs(first, back) or _differs(first, alone)
        alone_too = _differs(alone, again)
        left = sorted({*first["left"], *back["left"]})
        return {"plain": plain, "alone": alone_too, "left": left}

    seen = engine.decide("isolation", task, choose)
    if seen["plain"] is None and not seen["left"]:
        return False, ()
    if seen["alone"] is not None:
        run, at = seen["alone"]
        raise UsageError(
            f"{sampler.name}: in round {at} of run {run} it chooses differently for the same rng "
            "and the same global generators; all its randomness must come from rng="
        )
    what = f"keeps {', '.join(seen['left'])} from run to run" if seen["left"] else ""
    if seen["plain"] is not None:
        run, at = seen["plain"]
        what = what or f"depends in round {at} of run {run} on the runs before it"
    return True, (f"{sampler.name} {what}: each run was played in a process of its own",)


def seeded_alike(
    request: Request, engine: BlackBox, looked: Looked
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Generators whose state is the same behind the constructor of every run, and those of them
    that are drawn from: whatever the rewards, as one that is seeded with them is a leak."""
    runs, rounds, _ = looked
    pair = some_pair(request, rounds)
    if request.adversary is None and request.setting.usual:
        pair = replace(pair, there=rounds)
    task = engine.bounding(look_at_new, (24,), pair=pair)
    found = engine.runner.one(task, Block(0, 0, min(runs, ALONE)))
    if found["later"]:
        raise UsageError(
            f"{engine.sampler.name}: in run 0 it makes a generator that is seeded alike in every "
            "run, and plays the same in all of them; all its randomness must come from rng="
        )
    return tuple(found["alike"]), tuple(found["drawn"])


def _differs(one: dict[str, Any], other: dict[str, Any]) -> tuple[int, int] | None:
    """The first run that two ways of playing have in common and play differently, and its round."""
    for number in sorted(set(one["runs"]) & set(other["runs"])):
        first = np.array(one["actions"][one["runs"].index(number)])
        second = np.array(other["actions"][other["runs"].index(number)])
        if not np.array_equal(first, second):
            return int(number), int(np.argmax(first != second)) + 1
    return None
