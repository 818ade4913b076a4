"""`dpaudit.regret`: how the regret of a learner grows, simulated or exact."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dpaudit import __version__
from dpaudit.errors import UsageError, check_count, check_number
from dpaudit.laboratory.tally import Tally
from dpaudit.laboratory.tasks import regret_task
from dpaudit.play.environments import question_of
from dpaudit.play.tables import check_means
from dpaudit.play.targets import Target, resolve_target
from dpaudit.results.regret import LEVELS, Floats, RegretResult
from dpaudit.run.block import blocks
from dpaudit.run.runner import current

Environment = str | tuple[Sequence[float], Sequence[Sequence[float]]] | Callable[..., Any]
Progress = Callable[[int, int], None]


def regret(
    target: Any,
    *,
    means: Sequence[float] | None = None,
    horizon: int,
    epsilon: float | None = None,
    runs: int = 1000,
    exact: bool = False,
    environment: Environment = "bernoulli",
    points: int = 25,
    confidence: float = 0.999,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress | None = None,
    **parameters: float | str,
) -> RegretResult:
    """Pseudo-regret at log-spaced horizons up to `horizon`.

    `target` is a catalogue name, `module:Class`, `file.py:Class` or a class. `environment` is
    "bernoulli", "deterministic" (each round gives the mean), a pair (values, probabilities: one row
    an arm) of arms on a finite set, or a function of a generator that returns a round's rewards of
    all arms. A catalogue algorithm that needs the horizon is told the last one, for all points.
    """
    # Uniform play is no catalogue entry: nothing private happens in it.
    subject = Target("uniform") if exact and target == "uniform" else resolve_target(target)
    last = check_count("horizon", horizon)
    ends = log_spaced(last, check_count("points", points, 1, 10_000))
    values, world, named = _environment(environment, means)
    notes = _remarks(subject, values, last)
    began = time.perf_counter()
    if exact:
        if named not in ("bernoulli", "deterministic") or subject.factory is not None:
            raise UsageError("exact: only catalogue algorithms, bernoulli or deterministic")
        from dpaudit.laboratory.exact.regret import exact_regret

        found = exact_regret(
            subject.algorithm or subject.name,
            values,
            ends,
            epsilon=epsilon,
            environment=named,
            counts=None,
            **parameters,
        )
        return RegretResult(
            target=subject.name,
            parameters=dict(parameters),
            epsilon=epsilon,
            means=values.tolist(),
            environment=named,
            horizons=found.horizons,
            mean=found.regret,
            low=np.maximum(found.regret - found.error, 0.0),
            high=found.regret + found.error,
            runs=0,
            exact=True,
            seed=seed,
            seconds=time.perf_counter() - began,
            notes=[*notes, found.how],
            version=__version__,
        )
    runs = check_count("runs", runs)
    level = check_number("confidence", confidence, 0.5, 1.0 - 1e-12)
    tally, complete = _simulate(
        subject, values, world, ends, epsilon, runs, seed, workers, progress, parameters
    )
    slack = _normal_quantile(1.0 - (1.0 - level) / (2 * len(ends))) * tally.standard_error
    return RegretResult(
        target=subject.name,
        parameters=dict(parameters),
        epsilon=epsilon,
        means=values.tolist(),
        environment=named,
        horizons=ends,
        mean=tally.mean,
        low=np.maximum(tally.mean - slack, 0.0),
        high=tally.mean + slack,
        runs=tally.runs,
        exact=False,
        seed=seed,
        seconds=time.perf_counter() - began,
        confidence=level,
        quantiles={f"{q:g}": tally.quantile(q).tolist() for q in LEVELS},
        complete=complete,
        notes=notes,
        version=__version__,
    )


def log_spaced(last: int, points: int) -> Any:
    """Different whole horizons, about evenly spaced in their logarithm, ending at the last."""
    if points == 1:
        return np.array([last], dtype=np.int64)
    exponents = np.linspace(0.0, math.log2(last), points)
    ends = {min(last, round(2.0**x)) for x in exponents[:-1]} | {last}
    return np.array(sorted(ends), dtype=np.int64)


def _simulate(
    subject: Target,
    values: Floats,
    world: Any,
    ends: Any,
    epsilon: float | None,
    runs: int,
    seed: int,
    workers: int | None,
    progress: Progress | None,
    parameters: dict[str, float | str],
) -> tuple[Tally, bool]:
    """The tally, and whether all runs were made; an interrupt keeps the blocks that are done."""
    compiled = subject.algorithm is not None and not callable(world)
    runner = current(workers)
    task = regret_task(subject, values, world, ends, epsilon, seed, parameters)
    task.player  # noqa: B018 (bad arguments are refused here, before anything is noted or sent)
    work = question_of(task).work(runs) if compiled else blocks(runs, int(ends[-1]))
    runner.bind(f"regret {subject.name}", [task.digest, runs])
    tally = Tally.empty(len(ends))
    try:
        for _, record in runner.run(task, work):
            tally.add(Tally.of_record(record))
            if progress is not None:
                progress(tally.runs, runs)
    except KeyboardInterrupt:
        if tally.runs == 0:
            raise
        return tally, False
    return tally, True


def _environment(environment: Any, means: Sequence[float] | None) -> tuple[Floats, Any, str]:
    """The means, what to draw from, and the environment's name."""
    if isinstance(environment, str) or callable(environment):
        if means is None:
            raise UsageError("means: none given, allowed is one number in [0, 1] an arm")
        named = environment if isinstance(environment, str) else "sampler"
        return check_means(means), environment, named
    try:
        support, table = (np.asarray(part, dtype=np.float64) for part in environment)
        shaped = support.ndim == 1 and table.ndim == 2 and table.shape[1] == len(support)
    except (TypeError, ValueError):
        shaped = False
    if not shaped or np.any((support < 0) | (support > 1)):
        raise UsageError(
            "environment: allowed is a name, a function, or (values in [0, 1], a row of "
            "probabilities an arm)"
        )
    if np.any(table < 0) or np.any(np.abs(table.sum(axis=1) - 1.0) > 1e-9):
        raise UsageError("environment: an arm's probabilities are not >= 0 with sum 1")
    expected = table @ support
    if means is not None and not np.allclose(check_means(means), expected, atol=1e-9):
        raise UsageError(f"means: got {list(means)}, but the finite arms have {expected.tolist()}")
    cumulative = np.cumsum(table, axis=1)
    cumulative[:, -1] = 1.0
    return expected, np.vstack([support, cumulative]), "finite"


def _remarks(subject: Target, values: Floats, last: int) -> list[str]:
    notes = []
    losses = subject.algorithm is not None and subject.algorithm.card.payoff == "losses"
    best = values.min() if losses else values.max()
    ties = int(np.sum(values == best))
    if ties == len(values):
        notes.append("all arms are equally good: the regret is 0 and the gap undefined")
    elif ties > 1:
        notes.append(f"{ties} arms are best; the gap is to the best of the others")
    if last < len(values) and subject.algorithm is not None:
        notes.append("the horizon is shorter than one pull of every arm")
    if subject.algorithm is not None and not subject.algorithm.card.anytime:
        notes.append(f"{subject.name} needs the horizon and is told {last} at every point")
    return notes


def _normal_quantile(p: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(p))


__all__ = ["Environment", "log_spaced", "regret"]
