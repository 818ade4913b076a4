"""What a worker does for a regret study: play a block, and answer with sums that add up."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpaudit.laboratory.learners import play_learner
from dpaudit.laboratory.tally import Tally
from dpaudit.play.environments import environment_task, question_of
from dpaudit.play.targets import Target, arrive, sent_target
from dpaudit.results.regret import Floats
from dpaudit.run.block import Block
from dpaudit.run.task import Play, Record, Task, object_digest, pack, unpack


def regret_task(
    subject: Target,
    means: Floats,
    world: Any,
    ends: Any,
    epsilon: float | None,
    seed: int,
    parameters: dict[str, Any],
) -> Task:
    """The task of one study."""
    if subject.algorithm is not None and not callable(world):
        return environment_task(
            "regret",
            subject.algorithm,
            means,
            ends,
            epsilon=epsilon,
            environment=world,
            leaping=True,
            python=False,
            seed=seed,
            parameters=parameters,
        )
    named, where = sent_target(subject)
    spec = {
        "learner": named,
        "means": [float(x) for x in means],
        "horizons": [int(t) for t in ends],
        "epsilon": epsilon,
        "environment": world if isinstance(world, str) else None,
        "support": None if isinstance(world, str) or callable(world) else pack(world),
        "sampler": object_digest(world) if callable(world) else None,
        "seed": seed,
        "parameters": parameters,
    }
    local = (subject, world) if callable(world) or not where else None
    return Task("regret", subject.name, spec, where, local, python=True)


def tally_regret(task: Task) -> Play:
    """Block i: its tally."""
    spec, seed = task.spec, task.spec["seed"]
    if "learner" in spec:
        if task.local is not None:
            subject, world = task.local
        else:
            subject = arrive(spec["learner"], task.where)
            world = spec["environment"] or unpack(spec["support"])
        means, ends = np.array(spec["means"]), np.array(spec["horizons"], dtype=np.int64)
        play_regret = play_learner(subject, means, world, ends, spec["epsilon"], spec["parameters"])
    else:
        play_regret = question_of(task).play

    def play(block: Block) -> Record:
        return Tally.of(play_regret(block, seed)).record()

    return play
