"""The papers' own experiments, run again: `reproduce` one, `save` it, `summary` of several.

The figures' curves are played with the paper's parameters and number of runs, and what the paper
says about them is checked. Every curve has its own stream of the seed, found by the experiment's
name and the curve's place, so any number of workers, and any choice of experiments, gives the same
numbers.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import dpaudit
from dpaudit.errors import UsageError, check_count
from dpaudit.laboratory.experiments import Experiment, find_experiment
from dpaudit.laboratory.experiments.terms import BAND, Curve, Floats, Measured
from dpaudit.laboratory.studies import log_spaced
from dpaudit.play.catalogue import find
from dpaudit.play.environments import play_environment
from dpaudit.run.task import stream

SCHEMA = "dpaudit/reproduction/1"
SCHEMA_OF_ALL = "dpaudit/reproductions/1"
POINTS = {"linear": 50, "log": 80}
"""Of a curve over time; on a logarithmic axis somewhat fewer, since rounds are whole."""
VERDICTS = {True: "confirmed", False: "not confirmed", None: "open"}
DIGITS = 6
"""Significant digits of the curves in files: far below their uncertainty."""

Progress = Callable[[str, int, int], None]
"""Called with the experiment's name, the curves that are done, and how many there are."""


@dataclass(frozen=True)
class Judged:
    """A sentence of the paper, in our words, and what came of it."""

    text: str
    reading: str
    verdict: str
    numbers: str


@dataclass(frozen=True)
class Reproduction:
    """An experiment that was run again. Incomplete: interrupted, with the curves that were done
    and no verdicts."""

    experiment: Experiment
    runs: int
    curves: list[Measured]
    sentences: list[Judged]
    seconds: float
    seed: int
    complete: bool = True

    @property
    def name(self) -> str:
        """The experiment's name."""
        return self.experiment.name

    @property
    def command(self) -> str:
        """What makes it again."""
        runs = [] if self.runs == self.experiment.runs else ["--runs", str(self.runs)]
        return shlex.join(["dpaudit", "reproduce", self.name, "--seed", str(self.seed), *runs])

    @property
    def size_note(self) -> list[str]:
        """Whether its size is the paper's."""
        if self.runs == self.experiment.runs:
            return []
        return [f"{self.runs} runs a curve, not the experiment's {self.experiment.runs}"]

    @property
    def notes(self) -> list[str]:
        """Its size, and what the paper leaves open."""
        return [*self.size_note, *self.experiment.notes]

    def public(self) -> dict[str, Any]:
        """The result as plain data."""
        return {
            "schema": SCHEMA,
            "experiment": self.name,
            "paper": self.experiment.paper,
            "where": self.experiment.where,
            "parameters": {
                "horizon": self.experiment.horizon,
                "runs": self.runs,
                "runs_of_the_experiment": self.experiment.runs,
                "x": self.experiment.x,
                "confidence": BAND,
            },
            "sentences": [vars(judged) for judged in self.sentences],
            "curves": [_curve(each, self.experiment) for each in self.curves],
            "notes": self.notes,
            "command": self.command,
            "seed": self.seed,
            "seconds": round(self.seconds, 2),
            "complete": self.complete,
            "version": dpaudit.__version__,
        }

    def json(self) -> str:
        """The result as JSON, a list of numbers a line."""
        return compact(self.public())


def reproduce(
    experiment: str | Experiment,
    *,
    runs: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Reproduction:
    """Run an experiment, with the paper's number of runs or another one (at least 2)."""
    wanted = find_experiment(experiment) if isinstance(experiment, str) else experiment
    count = wanted.runs if runs is None else check_count("runs", runs, 2)
    check_count("seed", seed, 0)
    began = time.perf_counter()
    measured: list[Measured] = []
    complete = True
    try:
        for number, curve in enumerate(wanted.curves):
            if progress is not None:
                progress(wanted.name, number, len(wanted.curves))
            path = (zlib.crc32(wanted.name.encode()), number)
            measured.append(_measure(wanted, curve, count, (seed, *path), workers))
    except KeyboardInterrupt:
        if not measured:
            raise
        complete = False
    judged = []
    if complete:
        found = {each.curve.key: each for each in measured}
        for sentence in wanted.sentences:
            verdict, numbers = sentence.check(found)
            judged.append(Judged(sentence.text, sentence.reading, VERDICTS[verdict], numbers))
    seconds = time.perf_counter() - began
    return Reproduction(wanted, count, measured, judged, seconds, seed, complete)


def _measure(
    experiment: Experiment,
    curve: Curve,
    runs: int,
    path: tuple[int, ...],
    workers: int | None,
) -> Measured:
    """Play a curve, or compute it."""
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

    def play(horizons: Any, part: int, more: Any) -> Floats:
        return play_environment(
            algorithm,
            means,
            horizons,
            epsilon=curve.epsilon,
            runs=runs,
            seed=stream(*path, part),
            workers=workers,
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
    opening = algorithm.opening(arms, owns[0])
    return Measured(curve, ends.astype(np.float64), play(ends, 0, {}), opening)


def _curve(each: Measured, experiment: Experiment) -> dict[str, Any]:
    curve = each.curve
    return {
        "panel": curve.panel,
        "label": curve.label,
        "target": curve.target,
        "epsilon": curve.epsilon,
        "parameters": dict(curve.parameters),
        "means": list(curve.means or experiment.means),
        "sweep": [
            {"x": p.x, "horizon": p.horizon, "parameters": dict(p.parameters)} for p in curve.sweep
        ],
        "in_the_figure": not curve.extra,
        "quantity": curve.quantity,
        "runs": each.runs,
        "horizons" if not curve.sweep else "x": _rounded(each.x),
        "mean": _rounded(each.mean),
        "low": _rounded(each.low),
        "high": _rounded(each.high),
    }


def _rounded(values: Floats) -> list[float]:
    numbers = (float(f"{value:.{DIGITS}g}") for value in values)
    return [int(number) if number == int(number) else number for number in numbers]


def compact(document: Any) -> str:
    """JSON with indentation, but each list of numbers on a line of its own."""
    text = json.dumps(document, indent=1, ensure_ascii=False)
    return re.sub(r"\[[\d\s.,eE+-]*\]", lambda m: re.sub(r"\s+", " ", m.group()), text)


def table_of(result: Reproduction) -> str:
    """The curves as comma-separated values, with the best and the worst run."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow("panel label quantity runs x mean low high smallest largest".split())
    for each in result.curves:
        curve = each.curve
        extremes = each.samples.min(axis=0), each.samples.max(axis=0)
        columns = map(_rounded, (each.x, each.mean, each.low, each.high, *extremes))
        for row in zip(*columns, strict=True):
            rows.writerow([curve.panel, curve.label, curve.quantity, each.runs, *row])
    return text.getvalue()


def save(result: Reproduction, folder: str | Path) -> None:
    """Write NAME.svg, NAME.csv and NAME.json into the folder."""
    from dpaudit.report.figures import draw_panels

    experiment, base = result.experiment, Path(folder)
    try:
        base.mkdir(parents=True, exist_ok=True)
        (base / f"{result.name}.json").write_text(result.json() + "\n")
        (base / f"{result.name}.csv").write_text(table_of(result))
    except OSError as error:
        raise UsageError(f"out: cannot write to {folder} ({error.strerror})") from None
    draw_panels(
        result.curves,
        base / f"{result.name}.svg",
        title=f"{experiment.paper}, {experiment.where}: {result.runs} runs",
        scales=experiment.axes,
        x=experiment.x,
    )
