"""The papers' own experiments, run again.

The figures' curves are played with the paper's parameters and number of runs, and what the paper
says about them is checked, with several seeds: an experiment of few runs may come out this way or
that. Every curve has its own streams of the seed, found by the experiment's name, the curve's place
and the repetition, so any number of workers, any choice of experiments and any number of
repetitions gives the same numbers. What is drawn and printed is the first repetition.
"""

from __future__ import annotations

import csv
import io
import shlex
import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from msgspec.structs import replace

import dpaudit
from dpaudit.digests import code_digest
from dpaudit.errors import check_count
from dpaudit.laboratory.experiments.judging import judge
from dpaudit.laboratory.experiments.terms import (
    BAND,
    Curve,
    Experiment,
    Floats,
    Measured,
)
from dpaudit.laboratory.lower_bounds import LowerBound, yardstick
from dpaudit.laboratory.lower_bounds.beside import bounds_for
from dpaudit.laboratory.studies import log_spaced
from dpaudit.paper_rooms import modules
from dpaudit.play.catalogue import find
from dpaudit.play.environments import play_environment
from dpaudit.results.reproduction import ReproducedCurve, Reproduction
from dpaudit.run.task import stream

POINTS = {"linear": 50, "log": 80}
"""Of a curve over time; on a logarithmic axis somewhat fewer, since rounds are whole."""
SEEDS = 5
"""How often an experiment is played, if nothing is said, as for what is committed and what the
ledger says of it. A sentence that is true of half of all experiments is decided with probability
1/16 then, and with one seed always."""
DIGITS = 6
"""Significant digits of the curves in files: far below their uncertainty."""
FEWER = 4
"""Of the lower bounds beside them, which are there for comparison."""

Progress = Callable[[str, int, int], None]
"""Called with the experiment's name, the curves that are done, and how many there are."""


@dataclass(frozen=True)
class Rerun:
    """An experiment that was run again: every run of every curve with the first seed, and the
    result to be kept."""

    experiment: Experiment
    curves: list[Measured]
    result: Reproduction


def reproduce(
    wanted: Experiment,
    *,
    runs: int | None = None,
    seed: int = 0,
    seeds: int = SEEDS,
    progress: Progress | None = None,
) -> Rerun:
    """Run an experiment, with the paper's number of runs or another one (at least 2), as often as
    there are seeds; they are children of `seed`."""
    count = wanted.runs if runs is None else check_count("runs", runs, 2)
    check_count("seed", seed, 0)
    check_count("seeds", seeds, 1)
    began = time.perf_counter()
    measured: list[list[Measured]] = []
    complete = True
    try:
        for number, curve in enumerate(wanted.curves):
            if progress is not None:
                progress(wanted.name, number, len(wanted.curves))
            path = (zlib.crc32(wanted.name.encode()), number)
            measured.append(
                [_measure(wanted, curve, count, (seed, *path), r) for r in range(seeds)]
            )
    except KeyboardInterrupt:
        if not measured:
            raise
        complete = False
    repetitions = [
        {each.curve.key: each for each in found} for found in zip(*measured, strict=True)
    ]
    sentences = [judge(said, repetitions) for said in wanted.sentences] if complete else []
    first = [found[0] for found in measured]
    floors: dict[str, LowerBound] = {}
    curves = [_curve(each, wanted, floors) for each in first]
    command = ["dpaudit", "reproduce", wanted.name, "--seed", str(seed)]
    size = []
    if seeds != SEEDS:
        command += ["--seeds", str(seeds)]
    if count != wanted.runs:
        command += ["--runs", str(count)]
        size.append(f"{count} runs a curve, not the experiment's {wanted.runs}")
    result = Reproduction(
        experiment=wanted.name,
        paper=wanted.paper,
        where=wanted.where,
        parameters={
            "horizon": wanted.horizon,
            "runs": count,
            "runs_of_the_experiment": wanted.runs,
            **({} if seeds == 1 else {"seeds": seeds}),
            "x": wanted.x,
            "confidence": BAND,
        },
        sentences=sentences,
        curves=curves,
        lower_bounds=list(floors.values()),
        notes=[*size, *wanted.notes],
        command=shlex.join(command),
        seed=seed,
        seconds=round(time.perf_counter() - began, 2),
        complete=complete,
        version=dpaudit.__version__,
    )
    return Rerun(wanted, first, result)


def _measure(
    experiment: Experiment, curve: Curve, runs: int, path: tuple[int, ...], repetition: int
) -> Measured:
    means = curve.means or experiment.means
    algorithm = find(curve.target)

    def settings(horizon: int, more: Any) -> dict[str, Any]:
        given = {**curve.parameters, **more}
        return algorithm.settings(
            arms=len(means), epsilon=curve.epsilon, horizon=horizon, given=given
        )

    if curve.quantity == "gdp":
        level = algorithm.card.privacy.level
        assert level is not None, f"{curve.target} claims no privacy"
        values = [level(settings(point.horizon, point.parameters)) for point in curve.sweep]
        return Measured(curve, np.array([p.x for p in curve.sweep]), np.array([values]))

    again = (repetition,) if repetition else ()  # the first one is what a single seed has played

    def play(horizons: Any, part: int, more: Any) -> Floats:
        return play_environment(
            algorithm,
            means,
            horizons,
            epsilon=curve.epsilon,
            runs=runs,
            seed=stream(*path, part, *again),
            workers=None,
            **{**curve.parameters, **more},
        ).regret

    if curve.sweep:
        columns = [play(p.horizon, i, p.parameters) for i, p in enumerate(curve.sweep)]
        return Measured(curve, np.array([p.x for p in curve.sweep]), np.hstack(columns))
    last = experiment.horizon
    if experiment.axes[0] == "log":
        ends = log_spaced(last, POINTS["log"])
    else:
        steps = min(last, POINTS["linear"])
        ends = np.linspace(last / steps, last, steps).round().astype(np.int64)
    arms, owns = algorithm.fresh(settings(last, {}))
    opening = algorithm.opening(arms, owns[0])  # all of it, also what is behind the last round
    return Measured(curve, ends.astype(np.float64), play(ends, 0, {}), opening)


def _floor(each: Measured, experiment: Experiment) -> LowerBound | None:
    """What the curve is measured by at its points; None if they have not all the same."""
    curve = each.curve
    if curve.quantity != "regret":
        return None
    studies: list[tuple[Mapping[str, Any], Any]]
    studies = [(p.parameters, [p.horizon]) for p in curve.sweep] or [({}, each.x)]
    parts = [
        yardstick(
            bounds_for(
                curve.target,
                curve.means or experiment.means,
                horizons,
                epsilon=curve.epsilon,
                parameters={**curve.parameters, **more},
            )
        )
        for more, horizons in studies
    ]
    first = parts[0]
    if first is None or any(part is None or part.name != first.name for part in parts):
        return None
    values = np.concatenate([part.values for part in parts if part is not None])
    return replace(first, values=np.array([float(f"{value:.{FEWER}g}") for value in values]))


def _curve(
    each: Measured, experiment: Experiment, floors: dict[str, LowerBound]
) -> ReproducedCurve:
    """To be kept; its lower bound joins the others, unless it is among them."""
    curve, x = each.curve, _rounded(each.x)
    floor = _floor(each, experiment)
    least = None
    if floor is not None:
        key = f"{floor.name} {floor.values.tolist()}"
        floors.setdefault(key, floor)
        least = list(floors).index(key)
    sweep = [
        {"x": p.x, "horizon": p.horizon, "parameters": dict(p.parameters)} for p in curve.sweep
    ]
    return ReproducedCurve(
        panel=curve.panel,
        label=curve.label,
        target=curve.target,
        epsilon=curve.epsilon,
        parameters=dict(curve.parameters),
        means=list(curve.means or experiment.means),
        sweep=sweep,
        in_the_figure=not curve.extra,
        quantity=curve.quantity,
        runs=each.runs,
        horizons=[] if sweep else x,
        x=x if sweep else [],
        mean=_rounded(each.mean),
        low=_rounded(each.low),
        high=_rounded(each.high),
        least=least,
    )


def _rounded(values: Floats) -> list[float]:
    """To DIGITS, whole numbers as such."""
    numbers = (float(f"{value:.{DIGITS}g}") for value in values)
    return [int(number) if number == int(number) else number for number in numbers]


def digest(experiment: Experiment) -> str:
    """Digest of the code that an experiment's result depends on: its paper's figures."""
    homes = modules(experiment.paper, "figures")
    return "-".join(code_digest(home.__name__, "EXPERIMENTS") for home in homes)


def table_of(rerun: Rerun) -> str:
    """The curves as comma-separated values, with the best and the worst run."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow("panel label quantity runs x mean low high smallest largest".split())
    for each in rerun.curves:
        curve = each.curve
        extremes = each.samples.min(axis=0), each.samples.max(axis=0)
        columns = map(_rounded, (each.x, each.mean, each.low, each.high, *extremes))
        for row in zip(*columns, strict=True):
            rows.writerow([curve.panel, curve.label, curve.quantity, each.runs, *row])
    return text.getvalue()
