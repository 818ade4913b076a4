"""Runs of a learner that have nothing to do with each other.

`together`: one after the other in this process, every generator within reach being set for each.
`apart`: each in a copy of this process, in which the learner's module is run again, so that nothing
that a run leaves behind meets another. That is slower by some milliseconds a run, and is done where
`look` has seen that runs leave something behind.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpaudit.errors import UsageError
from dpaudit.play.reach.chance import Chance, Memory, Words
from dpaudit.run import heard
from dpaudit.run.process import die_with_parent

Actions = NDArray[np.int16]
PlayRun = Callable[[Any, np.random.Generator, int], list[int]]
"""(the learner's class, its generator, which run) -> the arms that it plays."""

LOOKED = 1.0
"""Seconds after which no more runs are looked at."""


def together(factory: Any, seeds: Sequence[Words], play: PlayRun) -> list[list[int]]:
    """First the global generators are not set; where one was drawn from, all runs are played again
    with everything set. The answer is the same, and mostly sooner."""
    with Chance(factory) as chance:
        before = chance.states()
        played = [play(factory, chance.set(s, own=True), i) for i, s in enumerate(seeds)]
        if chance.states() == before:
            return played
        return [play(factory, chance.set(s), i) for i, s in enumerate(seeds)]


def apart(factory: Any, seeds: Sequence[Words], play: PlayRun) -> list[list[int]]:
    """Each run in a process of its own."""
    return [_alone(factory, seed, _told(play, i)) for i, seed in enumerate(seeds)]


def _told(play: Callable[..., Any], run: int) -> Callable[..., Any]:
    return lambda factory, rng: play(factory, rng, run)


def _alone(factory: Any, seed: Words, play: Callable[..., Any]) -> Any:
    read, write = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        code = 0
        try:
            die_with_parent(parent)
            heard.taken()  # the parent tells what it heard itself
            said = _answer(factory, seed, play) | {"printed": heard.taken()}
            with os.fdopen(write, "w") as out:
                out.write(json.dumps(said))
        except BaseException:
            code = 1
        os._exit(code)
    os.close(write)
    with os.fdopen(read) as answers:
        text = answers.read()
    _, status = os.waitpid(child, 0)
    if not text:
        # As the run would have ended this process: the runner names the round, and tries again.
        os._exit(os.waitstatus_to_exitcode(status) or 1)
    said = json.loads(text)
    heard.told(said["printed"])
    if "error" in said:
        raise UsageError(said["error"])
    return said["played"]


def _answer(factory: Any, seed: Words, play: Callable[..., Any]) -> dict[str, Any]:
    try:
        with Chance(factory) as chance:
            chance.set(seed)
            fresh = renewed(factory)
        with Chance(fresh) as chance:
            return {"played": play(fresh, chance.set(seed))}
    except UsageError as error:
        return {"error": str(error)}


def renewed(factory: Any) -> Any:
    """The learner's class out of its module, run again; the class itself where that cannot be."""
    known = getattr(factory, "__qualname__", "<")
    module = sys.modules.get(getattr(factory, "__module__", ""))
    file = getattr(module, "__file__", None)
    if module is None or file is None or "<" in known or module.__name__ == "__main__":
        return factory
    name = name_in_module(factory)
    try:
        spec = importlib.util.spec_from_file_location(module.__name__, file)
        assert spec is not None
        assert spec.loader is not None
        again = importlib.util.module_from_spec(spec)
        sys.modules[module.__name__] = again
        spec.loader.exec_module(again)
        return functools.reduce(getattr, name.split("."), again)
    except Exception:
        sys.modules[module.__name__] = module
        return factory


def name_in_module(factory: Any) -> str:
    """The name that a class has in its module: for an adapted one it is not its own."""
    module = sys.modules.get(factory.__module__)
    called = [name for name, value in getattr(module, "__dict__", {}).items() if value is factory]
    return called[0] if called else str(factory.__qualname__)


def states_of_new(
    factory: Any,
    seeds: Sequence[Words],
    worlds: Sequence[int],
    mark: Callable[..., Any],
    *,
    alone: bool,
) -> list[Any]:
    """What `mark` says of the new learner of each run."""
    if alone:
        return [_alone(factory, s, _told(mark, w)) for s, w in zip(seeds, worlds, strict=True)]
    with Chance(factory) as chance:
        return [mark(factory, chance.set(s), w) for s, w in zip(seeds, worlds, strict=True)]


def look(
    factory: Any, seeds: Sequence[Words], play: PlayRun, *, alone: bool, backwards: bool
) -> tuple[dict[int, list[int]], list[str]]:
    """What runs play, in order or from the last to the first, and what they leave behind. Looking
    ends when it takes long; the runs that were played are known by their numbers."""
    order = range(len(seeds))[:: -1 if backwards else 1]
    played: dict[int, list[int]] = {}
    memory, began = Memory(factory), time.monotonic()
    for number in order:
        if alone:
            played[number] = _alone(factory, seeds[number], _told(play, number))
        else:
            with Chance(factory) as chance:
                played[number] = play(factory, chance.set(seeds[number]), number)
        if not backwards and len(played) >= 2 and time.monotonic() - began > LOOKED:
            break
    return played, memory.changed()
