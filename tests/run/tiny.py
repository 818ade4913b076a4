"""Tasks of tiny blocks, for the tests of runner and journal."""

from __future__ import annotations

import os
import time

import numpy as np

from dpaudit.run.plain import travels
from dpaudit.run.task import Block, Task


def task(**spec):
    """A task of sums of random numbers; `spec` may slow it down or break it."""
    return Task(tiny, "Tiny", {"seed": 1, **spec})


def work(count):
    """Blocks of three runs."""
    return (Block(i, 3 * i, 3) for i in range(count))


@travels
def tiny(**spec):
    """Plays a block; a file that is `once` away makes a block misbehave the first time only."""

    def play(block):
        if block.number == spec.get("dies"):
            os._exit(7)
        if block.number == spec.get("hangs") and not os.path.exists(spec["once"]):
            open(spec["once"], "w").close()
            time.sleep(600)
        if "log" in spec:
            with open(spec["log"], "a") as log:
                log.write(f"{block.number}\n")
        time.sleep(spec.get("seconds", 0.0) * (1 + block.number % 3))
        drawn = block.generator(spec["seed"]).standard_normal(block.runs)
        return {"sum": float(drawn.sum()), "runs": block.runs, "odd": float(np.pi) / 3.0}

    return play
