"""Learners on instances, played: their regret, order and privacy."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dpaudit import __version__
from dpaudit.errors import UsageError, check_count, check_number
from dpaudit.laboratory.comparing.fields import Entrant, Played, field_of, kinds, overall, remarks
from dpaudit.laboratory.comparing.suites import instances, one
from dpaudit.laboratory.forecast import refuse_beyond
from dpaudit.laboratory.studies import DAY, LONG, regret
from dpaudit.laboratory.tally import Tally
from dpaudit.play.catalogue import in_catalogue, resolve_target
from dpaudit.results.comparison import (
    Comparison,
    Field,
    Instance,
    LeftOut,
)
from dpaudit.run.task import stream

FAR = 2**16
"""Rounds from which leaps in law are taken."""
Progress = Callable[[str, int, int], None]


@dataclass
class Asked:
    """How everything is played."""

    horizon: int
    runs: int
    seed: int
    band: float
    workers: int | None
    longest: float
    progress: Progress | None
    left_out: list[LeftOut] = field(default_factory=list)


class _Told(Exception):
    """Ends a call of `regret` once it has said how long it would take."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds


def compare(
    targets: Sequence[Any],
    *,
    means: Sequence[float] | None = None,
    suite: str | None = None,
    horizon: int = 10**6,
    epsilon: float | None = None,
    runs: int = 200,
    environment: str = "bernoulli",
    confidence: float = 0.999,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress | None = None,
    longest: float = DAY,
    announce: Callable[[float], None] | None = None,
    lenient: bool = False,
) -> Comparison:
    """Learners on one instance (`means` of rewards) or on a suite's; `all` if nothing is said.

    Bandits and learners with full information are kept apart. What takes more than `longest`
    seconds in all is refused; if `lenient`, those learners that alone take longer, or that take no
    such settings, are left out, which is said. After Ctrl-C what is done is kept.
    """
    began = time.perf_counter()
    if means is not None and suite is not None:
        raise UsageError("means, suite: one of the two is allowed")
    level = check_number("confidence", confidence, 0.5, 1.0 - 1e-9)
    named = suite or "all"
    own = instances(named, epsilon) if means is None else [one(means, epsilon, environment)]
    entrants = _entrants(targets)
    pairs = _pairs(entrants, len(own))
    bands = len(own) * len(entrants)
    asked = Asked(
        horizon=check_count("horizon", horizon),
        runs=check_count("runs", runs, 2),
        seed=check_count("seed", seed, 0),
        band=1.0 - max((1.0 - level) / 2.0 / bands, 1e-12),
        workers=workers,
        longest=longest,
        progress=progress,
    )
    entrants, expected = _fit(entrants, own, asked, lenient=lenient)
    what = f"{len(entrants)} learners on {len(own)} instances, {asked.runs} runs each,"
    refuse_beyond(longest * (len(own) * len(entrants) if lenient else 1), expected, what)
    if announce is not None and expected > 0.0:
        announce(expected)
    fields, complete = _play(entrants, own, asked, (1.0 - level) / 2.0 / max(pairs, 1))
    return Comparison(
        suite=named if means is None else "",
        horizon=asked.horizon,
        epsilon=epsilon,
        runs=asked.runs,
        seed=asked.seed,
        confidence=level,
        fields=fields,
        overall=[o for kind in kinds(entrants) for o in overall(kind, fields)],
        left_out=asked.left_out,
        complete=complete,
        seconds=round(time.perf_counter() - began, 3),
        notes=remarks(entrants, fields),
        version=__version__,
    )


def _entrants(targets: Sequence[Any]) -> list[Entrant]:
    if not targets:
        raise UsageError("names: none given, allowed are catalogue names and learner classes")
    found: list[Entrant] = []
    for place, target in enumerate(targets):
        subject = resolve_target(target)
        before = sum(each.subject.name == subject.name for each in found)
        name = f"{subject.name} ({before + 1})" if before else subject.name
        found.append(Entrant(name, subject, place))
    return found


def _pairs(entrants: Sequence[Entrant], instances: int) -> int:
    sizes = [sum(e.feedback == kind for e in entrants) for kind in kinds(entrants)]
    return instances * sum(n * (n - 1) // 2 for n in sizes)


def _regret(who: Entrant, instance: Instance, number: int, asked: Asked, **more: Any) -> Any:
    values = np.asarray(instance.means)
    algorithm = who.subject.algorithm
    leaps = algorithm is not None and algorithm.stretch is not None and in_catalogue(algorithm)
    return regret(
        algorithm or who.subject.place or who.subject.factory,
        means=(1.0 - values if who.on_losses else values).tolist(),
        horizon=asked.horizon,
        epsilon=instance.epsilon,
        runs=asked.runs,
        environment=instance.environment,
        points=1,
        confidence=asked.band,
        seed=stream(asked.seed, number, who.place),
        workers=asked.workers,
        far=True if leaps and asked.horizon >= FAR else None,
        **more,
    )


def _expected(
    who: Entrant, instance: Instance, number: int, asked: Asked, *, lenient: bool
) -> float:
    """Seconds, as `regret` forecasts them; 0 for what is short, as far as rounds can tell. If
    lenient, more is forecast: of so many runs that `regret` does."""
    algorithm = who.subject.algorithm
    rounds = asked.horizon
    steps = rounds if algorithm is None else algorithm.steps(rounds, leaping=True)
    most, runs = LONG[algorithm is not None], asked.runs
    if lenient and steps >= FAR:
        runs = max(runs, -(-most // steps))
    if steps * runs < most:
        return 0.0

    def told(seconds: float) -> None:
        raise _Told(seconds)

    try:
        more = replace(asked, runs=runs)
        _regret(who, instance, number, more, announce=told, longest=math.inf)
    except _Told as found:
        return found.seconds * asked.runs / runs
    return 0.0


def _fit(
    entrants: list[Entrant], own: Sequence[Instance], asked: Asked, *, lenient: bool
) -> tuple[list[Entrant], float]:
    """Who can be played with these settings, and how long all of it takes."""
    total, fit = 0.0, []
    for who in entrants:
        try:
            needed = 0.0
            for number, instance in enumerate(own):
                _check(who, instance, asked.horizon)
                seconds = _expected(who, instance, number, asked, lenient=lenient)
                needed += seconds
                if lenient:
                    what = f"{asked.runs} runs to {asked.horizon:.4g} rounds on {instance.name}"
                    refuse_beyond(asked.longest, seconds, what)
        except UsageError as error:
            if not lenient:
                raise
            reason = str(error).partition("; --yes")[0].removeprefix("horizon: ")
            asked.left_out.append(LeftOut(who.name, reason))
            continue
        total += needed
        fit.append(who)
    return fit, total


def _check(who: Entrant, instance: Instance, horizon: int) -> None:
    """A bad epsilon is refused before anything is played."""
    arms = len(instance.means)
    if who.subject.algorithm is not None:
        who.subject.algorithm.settings(
            arms=arms, epsilon=instance.epsilon, horizon=horizon, given={}
        )
    elif instance.epsilon is None:
        raise UsageError("epsilon: none given, allowed is a number in (0, inf)")


def _play(
    entrants: Sequence[Entrant], own: Sequence[Instance], asked: Asked, alpha: float
) -> tuple[list[Field], bool]:
    """The fields, and whether all was done."""
    fields: list[Field] = []
    total, done, complete = len(own) * len(entrants), 0, True
    for number, instance in enumerate(own):
        played: list[Played] = []
        for who in entrants:
            if asked.progress is not None:
                asked.progress(f"{who.name} on {instance.name}", done, total)
            found: list[Tally] = []
            try:
                result = _regret(who, instance, number, asked, watch=found.append, longest=math.inf)
                complete = result.complete
            except KeyboardInterrupt:
                complete = False
            if found and found[0].runs > 1:
                played.append(Played(who, result, found[0]))
            if not complete:
                break
            done += 1
        for kind in kinds(entrants):
            inside = [p for p in played if p.who.feedback == kind]
            if inside:
                fields.append(field_of(instance, kind, inside, asked.horizon, alpha))
        if not complete:
            break
    if not fields and not complete:
        raise KeyboardInterrupt
    return fields, complete
