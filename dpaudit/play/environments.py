"""Plays of stochastic environments as tasks: blocks that go to any worker, or into a journal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpaudit.algorithm.contract import Algorithm
from dpaudit.play.catalogue import described
from dpaudit.play.tables import Floats, Stochastic, stochastic
from dpaudit.run.block import Block
from dpaudit.run.task import Play, Record, Task, pack, unpack


def environment_task(
    kind: str,
    algorithm: Algorithm,
    means: Sequence[float] | Floats,
    horizons: Any,
    *,
    epsilon: float | None,
    environment: str | Floats,
    leaping: bool,
    python: bool,
    seed: int,
    parameters: dict[str, Any],
) -> Task:
    """The task of a question of `dpaudit.play.tables.stochastic`."""
    name, local = described(algorithm)
    spec = {
        "algorithm": name,
        "means": [float(x) for x in means],
        "horizons": [int(t) for t in np.atleast_1d(horizons)],
        "epsilon": epsilon,
        "environment": environment if isinstance(environment, str) else pack(environment),
        "leaping": leaping,
        "python": python,
        "seed": seed,
        "parameters": parameters,
    }
    return Task(kind, algorithm.card.name, spec, local=local, python=python)


def question_of(task: Task) -> Stochastic:
    """The question of a task."""
    spec = task.spec
    world = spec["environment"]
    return stochastic(
        task.local or spec["algorithm"],
        spec["means"],
        spec["horizons"],
        epsilon=spec["epsilon"],
        environment=world if isinstance(world, str) else unpack(world),
        leaping=spec["leaping"],
        python=spec["python"],
        **spec["parameters"],
    )


def play_block(task: Task) -> Play:
    """Block i: the pseudo-regret of its runs at the horizons."""
    question, seed = question_of(task), task.spec["seed"]

    def play(block: Block) -> Record:
        return {"regret": pack(question.play(block, seed))}

    return play
