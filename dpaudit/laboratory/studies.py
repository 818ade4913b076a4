"""`dpaudit.regret`: how the regret of a learner grows, simulated or exact."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dpaudit import __version__
from dpaudit.errors import UsageError, check_count, check_number, extras_for
from dpaudit.laboratory.asked import Asked, Environment, Means, on_losses, place_of
from dpaudit.laboratory.bands import unseen
from dpaudit.laboratory.learners import Late
from dpaudit.laboratory.measures import Measures, check_metrics
from dpaudit.laboratory.tally import Tally
from dpaudit.play.catalogue import Target, resolve_target
from dpaudit.play.worlds import Changes
from dpaudit.results.regret import LEVELS, RegretResult
from dpaudit.run.runner import current
from dpaudit.run.task import Task

Progress = Callable[[int, int], None]
LONG = {True: 2**28, False: 2**22}
"""Rounds in all, compiled or not, from which the time is forecast first."""
DAY = 86_400.0


@extras_for("regret")
def regret(
    target: Any,
    *,
    means: Means | None = None,
    horizon: int,
    epsilon: float | None = None,
    runs: int = 1000,
    exact: bool = False,
    environment: Environment = "bernoulli",
    changes: Changes = (),
    drift: Sequence[float] | None = None,
    arms: int | None = None,
    delay: int = 0,
    batch: int = 1,
    metrics: Sequence[str] | str = (),
    points: int = 25,
    confidence: float = 0.999,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress | None = None,
    longest: float = DAY,
    announce: Callable[[float], None] | None = None,
    far: bool | None = None,
    watch: Callable[[Tally], None] | None = None,
    **parameters: float | str,
) -> RegretResult:
    """Pseudo-regret at log-spaced horizons up to `horizon`.

    `target` is a catalogue name, `module:Class`, `file.py:Class` or a class. `environment` is
    "bernoulli", "deterministic" (each round gives the mean), a pair (values, probabilities: one row
    an arm) of arms on a finite set, or a function that returns a round's rewards of all arms: of a
    generator, or of the round, the actions before it and a generator. What it returns outside
    [0, 1] is clipped, and said.

    Means may change: at `changes`, pairs of a round and the means from then on; by a `drift`, along
    a line to the means of the last round; or as a function of the round. Regret is then against the
    best fixed arm of the means. Of a function whose means are not known only the number of `arms`
    is told; regret is then against the best fixed arm of the rewards that were drawn.

    Feedback comes `delay` rounds after the end of a `batch` of rounds. A catalogue algorithm that
    needs the horizon is told the last one, for all points. `metrics` are "linear", "realised",
    "error", "switches" or "all" (see `dpaudit.results.regret`).

    What will take long is tried first: `announce` is told the seconds that are forecast, and more
    than `longest` is refused. A seed gives other draws with leaps than without, of the same law;
    `far` says whether leaps in law are taken, None leaves it to the horizon. `watch` is handed the
    tally of the runs, where there are any.
    """
    # Uniform play is no catalogue entry: nothing private happens in it.
    subject = Target("uniform") if exact and target == "uniform" else resolve_target(target)
    last = check_count("horizon", horizon)
    ends = log_spaced(last, check_count("points", points, 1, 10_000))
    losses = on_losses(subject)
    change: dict[str, Any] = {"changes": changes, "drift": drift, "arms": arms, "losses": losses}
    asked = Asked(
        subject,
        ends,
        place_of(environment, means, last, **change),
        epsilon,
        Late(check_count("delay", delay, 0), check_count("batch", batch)),
        check_metrics(metrics),
        seed,
        parameters,
    )
    level = check_number("confidence", confidence, 0.5, 1.0 - 1e-12)
    began = time.perf_counter()
    if exact:
        return _exact(asked, environment, began)
    runs = check_count("runs", runs)
    runner = current(workers)
    task, work = asked.work(runs, far)
    if asked.steps() * runs >= LONG[task.home == "thread"]:
        from dpaudit.laboratory.forecast import forecast, refuse_beyond

        taken, at_a_time = _played_far(task), min(runs, runner.at_a_time)
        seconds = forecast(
            lambda end: asked.until(end).work(1, taken)[0],
            last,
            runs,
            at_a_time,
            leaping=bool(taken),
        )
        refuse_beyond(longest, seconds, f"{runs} runs of {subject.name} to {last:.4g} rounds")
        if announce is not None:
            announce(seconds)
    runner.bind(f"regret {subject.name}", [task, runs])
    found, complete = Measures.empty(len(ends)), True
    try:
        for _, record in runner.run(task, work):
            found.add(record)
            if progress is not None:
                progress(found.tally.runs, runs)
    except KeyboardInterrupt:
        if found.tally.runs == 0:
            raise
        complete = False  # the blocks that are done are kept
    if watch is not None:
        watch(found.tally)
    bands = _bands(asked, found, 1.0 - level)
    return RegretResult(
        **_about(asked),
        **bands,
        exact=False,
        runs=found.tally.runs,
        seconds=time.perf_counter() - began,
        confidence=level,
        complete=complete,
        notes=[*_remarks(asked), *_how(asked, found, bands, task)],
    )


def _about(asked: Asked) -> dict[str, Any]:
    place, world = asked.place, asked.place.world
    about: dict[str, Any] = {
        "target": asked.subject.name,
        "parameters": dict(asked.parameters),
        "epsilon": asked.epsilon,
        "means": [] if world is None else world.means[0].tolist(),
        "environment": place.named,
        "delay": asked.late.delay,
        "batch": asked.late.batch,
        "horizons": asked.ends,
        "seed": asked.seed,
        "version": __version__,
    }
    if world is None:
        return about | {"measured": "regret against the best fixed arm of the rewards drawn"}
    if not world.changing:
        return about
    about["measured"] = "pseudo-regret against the best fixed arm of the means"
    if world.drifting:
        about["drift"] = world.at(asked.last).tolist()
    else:
        points = zip(world.starts[1:].tolist(), world.means[1:].tolist(), strict=True)
        about["changes"] = list(points)
    return about


def _exact(asked: Asked, environment: Any, began: float) -> RegretResult:
    """`environment` as it was given: values and probabilities are read exactly."""
    world = asked.place.world
    if callable(environment) or asked.subject.factory is not None:
        raise UsageError("exact: only catalogue algorithms, and no function as environment")
    assert world is not None
    if world.changing or asked.late or asked.metrics:
        raise UsageError("exact: not for means that change, late feedback or other metrics")
    from dpaudit.laboratory.exact.regret import exact_regret

    found = exact_regret(
        asked.subject.algorithm or asked.subject.name,
        world.means[0],
        asked.ends,
        epsilon=asked.epsilon,
        environment=environment,
        **asked.parameters,
    )
    return RegretResult(
        **_about(asked),
        mean=found.regret,
        low=np.maximum(found.regret - found.error, 0.0),
        high=found.regret + found.error,
        band="exact",
        exact=True,
        runs=0,
        seconds=time.perf_counter() - began,
        notes=[*_remarks(asked), found.how],
    )


def _bands(asked: Asked, found: Measures, alpha: float) -> dict[str, Any]:
    """What is said about the runs, each with error probability alpha."""
    from scipy.special import ndtri

    tally, ends, world = found.tally, asked.ends, asked.place.world
    bottom, top = (-1.0 * ends, 1.0 * ends) if world is None else world.within(ends)
    low, high = tally.band(bottom, top, alpha)
    # A run of another law, with that chance, has another regret by the whole range.
    bias = tally.neglected * (top - bottom)
    bands: dict[str, Any] = {
        "mean": tally.mean,
        "low": np.maximum(low - bias, bottom),
        "high": high + bias,
        "band": "guaranteed",
        "quantiles": {f"{q:g}": tally.quantile(q).tolist() for q in LEVELS},
        "beyond": unseen(tally.runs, alpha / len(ends)),
        "linear": found.linear_runs(asked.linear, asked.last, alpha),
        "metrics": found.metrics(asked.metrics, ends, alpha),
    }
    if tally.runs > 1:
        slack = float(ndtri(1.0 - alpha / (2 * len(ends)))) * tally.standard_error + bias
        bands["normal_low"] = np.maximum(tally.mean - slack, bottom)
        bands["normal_high"] = tally.mean + slack
    return bands


def _played_far(task: Task) -> bool | None:
    asked = task.given.get("asked")
    return None if asked is None else bool(asked.far)


def log_spaced(last: int, points: int) -> Any:
    """Different whole horizons, about evenly spaced in their logarithm, ending at the last."""
    if points == 1:
        return np.array([last], dtype=np.int64)
    exponents = np.linspace(0.0, math.log2(last), points)
    ends = {min(last, round(2.0**x)) for x in exponents[:-1]} | {last}
    return np.array(sorted(ends), dtype=np.int64)


def _remarks(asked: Asked) -> list[str]:
    """On what was asked for."""
    notes = []
    subject, world = asked.subject, asked.place.world
    if world is not None and not world.changing:
        values = world.means[0]
        ties = int(np.sum(values == (values.min() if world.losses else values.max())))
        if ties == len(values):
            notes.append("all arms are equally good: the regret is 0 and the gap undefined")
        elif ties > 1:
            notes.append(f"{ties} arms are best; the gap is to the best of the others")
    if asked.last < asked.place.arms and subject.algorithm is not None:
        notes.append("the horizon is shorter than one pull of every arm")
    if subject.algorithm is not None and not subject.algorithm.card.anytime:
        notes.append(f"{subject.name} needs the horizon and is told {asked.last} at every point")
    if world is not None and world.changing:
        more = world.beyond_fixed()
        notes.append(
            "means change: regret is against the best fixed arm of the means and may be negative"
            + (
                ""
                if more is None
                else f"; against the best arm of each round it is {more:.6g} more"
            )
            + ("" if more is None else " at the last horizon")
        )
    if asked.late:
        batch = "its round" if asked.late.batch == 1 else f"a batch of {asked.late.batch} rounds"
        notes.append(f"feedback comes {asked.late.delay} rounds after the end of {batch}")
        if subject.algorithm is not None:
            notes.append("until it is told of its whole opening, the algorithm plays that again")
    return notes


def _how(asked: Asked, found: Measures, bands: dict[str, Any], task: Task) -> list[str]:
    """On what was found, and what is not."""
    tally, notes = found.tally, []
    linear = bands["linear"]
    if linear is not None and (linear.runs or "linear" in asked.metrics):
        notes.append(
            f"linear runs: {linear.runs} of {tally.runs} lost more than {linear.share:.0%} of the "
            f"smallest gap a round after round {linear.after}; the chance of one is in "
            f"[{linear.low:.3g}, {linear.high:.3g}]"
        )
    if linear is None and "linear" in asked.metrics:
        notes.append("linear runs: there are none where means change, are equal or are not known")
    if asked.compiled and "switches" in asked.metrics and not _played_far(task):
        algorithm = asked.subject.algorithm
        if algorithm is not None and algorithm.stretch is not None and not algorithm.in_order:
            notes.append("not played by leaps in law, for those do not tell the switches")
    if found.clipped:
        every = tally.runs * asked.last * asked.place.arms
        notes.append(f"{found.clipped} of {every} rewards were outside [0, 1] and were clipped")
    notes.append(
        "low and high hold whatever the law of a run; normal low and high are by the central limit "
        f"theorem, as if no run were rarer than what was seen. A run beyond the largest of the "
        f"{tally.runs} has a chance of at most {bands['beyond']:.2g}"
    )
    if tally.neglected > 0.0:
        assert asked.place.world is not None
        bottom, top = asked.place.world.within(asked.ends)
        bias = tally.neglected * float(top[-1] - bottom[-1])
        notes.append(
            f"played by leaps in law: a run's law is that of single rounds but for a chance of "
            f"{tally.neglected:.1e}; for that {bias:.1e} is in the band at the last horizon"
        )
    return notes


__all__ = ["Environment", "log_spaced", "regret"]
