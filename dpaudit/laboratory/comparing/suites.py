"""Instances to compare learners on: built-in suites, and files of instances.

A file is JSON: a list of objects with `name`, `means` (of rewards) and, if it is not what the
command asks, `epsilon`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dpaudit.errors import UsageError, check_number, unknown
from dpaudit.play.environments import check_means
from dpaudit.results.comparison import Instance

FIVE = (0.75, 0.625, 0.5, 0.375, 0.25)


@dataclass(frozen=True)
class Arms:
    """An instance of a built-in suite; `share` is the part of the epsilon asked that it is for."""

    name: str
    means: tuple[float, ...]
    share: float = 1.0


EASY = (Arms("two arms", (0.75, 0.25)), Arms("five arms", FIVE))
HARD = (
    Arms("five close arms", (0.55, 0.5, 0.5, 0.5, 0.5)),
    Arms("rare rewards", (0.05, 0.04, 0.03, 0.02, 0.01)),
)
MANY = (
    Arms("one of 32 arms", (0.75, *[0.5] * 31)),
    Arms("32 spread arms", tuple(np.linspace(0.9, 0.125, 32).round(6).tolist())),
)
SMALL = (
    Arms("two arms, a tenth of epsilon", (0.75, 0.25), 0.1),
    Arms("five arms, a tenth of epsilon", FIVE, 0.1),
)
SUITES: dict[str, tuple[Arms, ...]] = {
    "easy": EASY,
    "hard": HARD,
    "many-arms": MANY,
    "small-epsilon": SMALL,
    "all": EASY + HARD + MANY + SMALL,
}


def instances(suite: str, epsilon: float | None) -> list[Instance]:
    """Those of a suite by its name, or of a file."""
    if suite in SUITES:
        return [
            Instance(
                name=arms.name,
                means=list(arms.means),
                epsilon=None if epsilon is None else arms.share * epsilon,
            )
            for arms in SUITES[suite]
        ]
    if Path(suite).is_file():
        return _from_file(Path(suite), epsilon)
    raise unknown("suite", suite, SUITES)


def one(means: Any, epsilon: float | None, environment: str) -> Instance:
    values = check_means(means).tolist()
    name = ", ".join(f"{m:g}" for m in values)
    return Instance(name=name, means=values, epsilon=epsilon, environment=environment)


def _from_file(path: Path, epsilon: float | None) -> list[Instance]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"suite: {path}: cannot be read as JSON ({error})") from None
    if not isinstance(found, list) or not found:
        raise UsageError(f"suite: {path}: allowed is a list of objects with name and means")
    instances = []
    for entry in found:
        if not isinstance(entry, dict) or not {"name", "means"} <= entry.keys():
            raise UsageError(f"suite: {path}: got {entry!r}, allowed are objects with name, means")
        given = entry.get("epsilon")
        own = (
            epsilon
            if given is None
            else check_number("epsilon", given, 0.0, float("inf"), low_open=True)
        )
        means = check_means(entry["means"]).tolist()
        instances.append(Instance(name=str(entry["name"]), means=means, epsilon=own))
    if len({each.name for each in instances}) < len(instances):
        raise UsageError(f"suite: {path}: two instances have the same name")
    return instances
