"""Instances to compare learners on: built-in suites, and files of instances.

A file is one that `dpaudit.play.instances` reads.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpaudit.errors import UsageError, unknown
from dpaudit.play.environments import check_means
from dpaudit.play.instances import read_instances
from dpaudit.results.comparison import Instance

FIVE = (0.75, 0.625, 0.5, 0.375, 0.25)


@dataclass(frozen=True)
class Arms:
    """An instance of a built-in suite; `share` is the part of the epsilon asked that it is for."""

    name: str
    means: tuple[float, ...]
    share: float = 1.0


EASY = (Arms("two arms", (0.75, 0.25)), Arms("five arms", FIVE))
HARD = (Arms("five close arms", (0.55, 0.5, 0.5, 0.5, 0.5)),)
MANY = (Arms("one of 16 arms", (0.75, *[0.5] * 15)),)
SMALL = (Arms("five arms, a tenth of epsilon", FIVE, 0.1),)
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
    # Of a name that no file can have, this is False, where Path.is_file raises.
    if os.path.isfile(suite):
        return _from_file(Path(suite), epsilon)
    raise unknown("suite", suite, SUITES)


def check_environment(name: Any) -> str:
    """What means alone describe."""
    if name not in ("bernoulli", "deterministic"):
        raise UsageError(f"environment: got {name!r}, allowed is bernoulli or deterministic")
    return str(name)


def one(means: Any, epsilon: float | None, environment: str) -> Instance:
    check_environment(environment)
    values = check_means(means).tolist()
    name = ", ".join(f"{m:g}" for m in values)
    return Instance(name=name, means=values, epsilon=epsilon, environment=environment)


def _from_file(path: Path, epsilon: float | None) -> list[Instance]:
    """Of a file of instances, which may hold others, those that lower bounds are about."""
    found = []
    for each in read_instances(path):
        if each.means is None or each.changes or each.drift is not None:
            raise UsageError(
                f"suite: {path}: {each.name}: allowed are means that stay; others are for "
                "dpaudit regret --instances"
            )
        means, world = list(each.means), each.environment
        found.append(Instance(name=each.name, means=means, epsilon=epsilon, environment=world))
    return found
