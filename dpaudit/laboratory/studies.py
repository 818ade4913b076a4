"""`dpaudit.regret`: how the regret of a learner grows, simulated or exact."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from dpaudit import __version__
from dpaudit.errors import UsageError, check_count, check_number
from dpaudit.laboratory.tally import Tally, tallied
from dpaudit.machine.feedback import ENVIRONMENTS
from dpaudit.play.catalogue import Target, resolve_target
from dpaudit.play.environments import Stochastic, check_means, stochastic
from dpaudit.play.learner import SteppedClass, step
from dpaudit.results.regret import LEVELS, Floats, RegretResult
from dpaudit.run.plain import travels
from dpaudit.run.runner import current
from dpaudit.run.task import Block, Play, Task, blocks

Draw = Callable[[np.random.Generator], Any]
Environment = str | tuple[Sequence[float], Sequence[Sequence[float]]] | Callable[..., Any]
Progress = Callable[[int, int], None]
LONG = {True: 2**28, False: 2**22}
"""Rounds in all, compiled or not, from which the time is forecast first."""
DAY = 86_400.0


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
    longest: float = DAY,
    announce: Callable[[float], None] | None = None,
    far: bool | None = None,
    watch: Callable[[Tally], None] | None = None,
    **parameters: float | str,
) -> RegretResult:
    """Pseudo-regret at log-spaced horizons up to `horizon`.

    `target` is a catalogue name, `module:Class`, `file.py:Class` or a class. `environment` is
    "bernoulli", "deterministic" (each round gives the mean), a pair (values, probabilities: one row
    an arm) of arms on a finite set, or a function of a generator that returns a round's rewards of
    all arms. A catalogue algorithm that needs the horizon is told the last one, for all points.
    What will take long is tried first: `announce` is told the seconds that are forecast, and more
    than `longest` is refused. A seed gives other draws with leaps than without, of the same law;
    `far` says whether leaps in law are taken, None leaves it to the horizon. `watch` is handed the
    tally of the runs, where there are any.
    """
    # Uniform play is no catalogue entry: nothing private happens in it.
    subject = Target("uniform") if exact and target == "uniform" else resolve_target(target)
    last = check_count("horizon", horizon)
    ends = log_spaced(last, check_count("points", points, 1, 10_000))
    values, world, named = _environment(environment, means)
    level = check_number("confidence", confidence, 0.5, 1.0 - 1e-12)
    began = time.perf_counter()
    about: dict[str, Any] = {
        "target": subject.name,
        "parameters": parameters,
        "epsilon": epsilon,
        "means": values.tolist(),
        "environment": named,
        "horizons": ends,
        "exact": exact,
        "seed": seed,
        "version": __version__,
    }
    notes = _remarks(subject, values, last)
    if exact:
        if named not in ("bernoulli", "deterministic") or subject.factory is not None:
            raise UsageError("exact: only catalogue algorithms, bernoulli or deterministic")
        from dpaudit.laboratory.exact.regret import exact_regret

        asked: dict[str, Any] = {"epsilon": epsilon, "environment": named, **parameters}
        found = exact_regret(subject.algorithm or subject.name, values, ends, **asked)
        return RegretResult(
            **about,
            mean=found.regret,
            low=np.maximum(found.regret - found.error, 0.0),
            high=found.regret + found.error,
            runs=0,
            seconds=time.perf_counter() - began,
            notes=[*notes, found.how],
        )
    runs = check_count("runs", runs)
    runner = current(workers)
    task, work = _work(subject, values, world, ends, epsilon, runs, seed, parameters, far)
    steps = last if subject.algorithm is None else subject.algorithm.steps(last, leaping=True)
    if steps * runs >= LONG[task.home == "thread"]:
        from dpaudit.laboratory.forecast import forecast, refuse_beyond

        def alone(horizon: int) -> Task:
            about = subject, values, world, np.array([horizon]), epsilon, 1, seed, parameters
            return _work(*about, far=_far(task))[0]

        seconds = forecast(alone, last, runs, min(runs, runner.at_a_time))
        refuse_beyond(longest, seconds, f"{runs} runs of {subject.name} to {last:.4g} rounds")
        if announce is not None:
            announce(seconds)
    runner.bind(f"regret {subject.name}", [task, runs])
    tally, complete = Tally.empty(len(ends)), True
    try:
        for _, record in runner.run(task, work):
            tally.add(record)
            if progress is not None:
                progress(tally.runs, runs)
    except KeyboardInterrupt:
        if tally.runs == 0:
            raise
        complete = False  # the blocks that are done are kept
    if watch is not None:
        watch(tally)
    from scipy.special import ndtri

    slack = float(ndtri(1.0 - (1.0 - level) / (2 * len(ends)))) * tally.standard_error
    if tally.neglected > 0.0:
        # A run of another law, with that chance, has another regret by the largest gap a round.
        bias = tally.neglected * float(np.ptp(values)) * ends
        slack = slack + bias
        notes.append(
            f"played by leaps in law: a run's law is that of single rounds but for a chance of "
            f"{tally.neglected:.1e}; for that {bias[-1]:.1e} is in the band at the last horizon"
        )
    return RegretResult(
        **about,
        mean=tally.mean,
        low=np.maximum(tally.mean - slack, 0.0),
        high=tally.mean + slack,
        runs=tally.runs,
        seconds=time.perf_counter() - began,
        confidence=level,
        quantiles={f"{q:g}": tally.quantile(q).tolist() for q in LEVELS},
        complete=complete,
        notes=notes,
    )


def _far(task: Task) -> bool | None:
    asked = task.given.get("asked")
    return asked.far if isinstance(asked, Stochastic) else None


def log_spaced(last: int, points: int) -> Any:
    """Different whole horizons, about evenly spaced in their logarithm, ending at the last."""
    if points == 1:
        return np.array([last], dtype=np.int64)
    exponents = np.linspace(0.0, math.log2(last), points)
    ends = {min(last, round(2.0**x)) for x in exponents[:-1]} | {last}
    return np.array(sorted(ends), dtype=np.int64)


def _work(
    subject: Target,
    values: Floats,
    world: Any,
    ends: Any,
    epsilon: float | None,
    runs: int,
    seed: int,
    parameters: dict[str, Any],
    far: bool | None = None,
) -> tuple[Task, Iterator[Block]]:
    """What is done to each block, and the blocks."""
    name, last = subject.name, int(ends[-1])
    who: Target | SteppedClass = subject
    if subject.algorithm is not None:
        if not callable(world):
            asked = stochastic(
                subject.algorithm,
                values,
                ends,
                epsilon=epsilon,
                environment=world,
                far=far,
                **parameters,
            )
            return Task(regret_of_algorithm, name, {"asked": asked, "seed": seed}), asked.work(runs)
        who = SteppedClass(subject.algorithm, epsilon, last, parameters)
    elif epsilon is None:
        raise UsageError("epsilon: none given, allowed is a number in (0, inf)")
    else:
        who = subject.told(horizon=last, delta=0.0, parameters=parameters)
    _sampler(world, values)  # a bad one is refused before anything is noted or sent
    given: dict[str, Any] = {"who": who, "name": name, "losses": _on_losses(subject)}
    given |= {"means": values, "world": world, "ends": ends, "epsilon": epsilon, "seed": seed}
    task = Task(regret_of_learner, f"learner {name}", given, home="fresh process")
    return task, blocks(runs, last)


def _on_losses(subject: Target) -> bool:
    return subject.algorithm is not None and subject.algorithm.card.payoff == "losses"


@travels
def regret_of_algorithm(asked: Stochastic, seed: int) -> Play:
    """Block i: its part of the tally."""

    def play(block: Block) -> dict[str, Any]:
        regret, beside = asked.runs(block, seed)
        return {**tallied(regret), "neglected": float(beside[:, 0].max())}

    return play


@travels
def regret_of_learner(
    who: Target | SteppedClass,
    name: str,
    losses: bool,
    epsilon: float | None,
    means: Floats,
    world: Any,
    ends: Any,
    seed: int,
) -> Play:
    """Block i: its part of the tally, round by round, in plain Python."""
    gaps = means - means.min() if losses else means.max() - means
    draw = _sampler(world, means)

    def play(block: Block) -> dict[str, Any]:
        rng = block.generator(seed)
        regret = np.empty((block.runs, len(ends)))
        for run in range(block.runs):
            chosen = step(
                name,
                lambda: who(arms=len(means), epsilon=epsilon, rng=rng),
                len(means),
                int(ends[-1]),
                lambda *_: draw(rng),
                run,
            )
            regret[run] = np.cumsum(gaps[chosen])[ends - 1]
        return tallied(regret)

    return play


def _sampler(world: Any, means: Floats) -> Draw:
    """One round's rewards of all arms."""
    if callable(world):

        def checked(rng: np.random.Generator) -> Any:
            rewards = np.asarray(world(rng), dtype=np.float64)
            if rewards.shape != means.shape or not np.all((rewards >= 0) & (rewards <= 1)):
                raise UsageError(
                    f"environment: the function returned {rewards!r}, allowed are {len(means)} "
                    "numbers in [0, 1]"
                )
            return rewards

        return checked
    named = world if isinstance(world, str) else "finite"
    if named not in ("bernoulli", "deterministic") and isinstance(world, str):
        raise UsageError(
            f"environment: got {world!r}, allowed is bernoulli, deterministic, finite arms or a "
            "function"
        )
    one, numbers = ENVIRONMENTS[named]["draw"], means if isinstance(world, str) else world
    return lambda rng: np.array([one(numbers, arm, rng) for arm in range(len(means))])


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
    best = values.min() if _on_losses(subject) else values.max()
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


__all__ = ["Environment", "log_spaced", "regret"]
