"""Generators that a learner makes for itself, seeded alike in every run: with a constant, or as a
copy of one that is. Its noise then repeats, and runs are no sample. They are told by their states:
the same behind the constructor, whatever the run's seed was. For each run they are set from that
run's own stream; those that were alike among themselves stay so.
"""

from __future__ import annotations

import gc
import hashlib
import random
from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from dpaudit.play.reach.chance import DEEP, GENERATORS, held_by, reseed


def marks(learner: Any, rng: np.random.Generator) -> dict[str, str]:
    """Where the generators are that a new learner holds, by name, and the global ones."""
    states = {name: _state(generator) for name, generator in _held(learner, rng)}
    states["random"] = random.getstate()
    states["np.random"] = np.random.get_state()  # noqa: NPY002
    return {name: _digest(state) for name, state in states.items()}


def renew(learner: Any, rng: np.random.Generator, alike: Collection[str]) -> None:
    """Set those that are seeded alike in every run from the seed of this one."""
    words = [int(word) for word in np.atleast_1d(rng.bit_generator.seed_seq.entropy)]  # type: ignore[attr-defined]
    for name, generator in _held(learner, rng):
        if name in alike:
            reseed(generator, [int(_digest(_state(generator)), 16), *words])
    if "random" in alike:
        random.seed(repr(words))
    if "np.random" in alike:
        np.random.seed([word & 0xFFFFFFFF for word in words])  # noqa: NPY002


def _held(learner: Any, rng: np.random.Generator) -> Iterator[tuple[str, Any]]:
    for name, value in held_by("self", learner, set(), DEEP):
        if _settable(value) and value is not rng:
            yield name, value


def alive() -> dict[int, str]:
    """All generators that there are, wherever they are held: where they are."""
    return {id(g): _digest(_state(g)) for g in gc.get_objects() if _settable(g)}


def _settable(value: Any) -> bool:
    return isinstance(value, GENERATORS) and not isinstance(value, random.SystemRandom)


def _state(generator: Any) -> Any:
    if isinstance(generator, np.random.Generator):
        return generator.bit_generator.state
    if isinstance(generator, np.random.RandomState):
        return generator.get_state()
    return generator.getstate()


def _digest(state: Any) -> str:
    with np.printoptions(threshold=10_000):
        return hashlib.sha256(repr(state).encode()).hexdigest()[:12]
