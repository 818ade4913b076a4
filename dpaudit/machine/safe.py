"""Releases that stay private in floating point, as an option: for a catalogue algorithm, and alone.

`with_safe_laplace`, or a catalogue name that ends with -safe, gives an algorithm whose Laplace
releases are those of `dpaudit.machine.safe_laplace`; `sum_release` gives a mechanism for
`dpaudit.audit_mechanism`.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dpaudit.algorithm.contract import BOOK, Algorithm
from dpaudit.errors import UsageError, check_number
from dpaudit.machine.compiling import Function, compiled, deep_copy, replacing, with_globals
from dpaudit.machine.releases import laplace
from dpaudit.machine.safe_laplace import safe_laplace

Mechanism = Callable[[Any, int, np.random.Generator], NDArray[np.float64]]
Release = Callable[..., float]

SAFE = "-safe"
"""Ends the name of an algorithm with `safe_laplace` in place of ordinary noise."""


@functools.cache
def with_safe_laplace(algorithm: Algorithm) -> Algorithm:
    """The algorithm with every `laplace` replaced by `safe_laplace`; runs, leaps, audits and books
    as before. Other releases stay, so one that calls no `laplace` is refused."""
    reached: dict[Function, Any] = {}
    for step in (algorithm.select, algorithm.observe):
        deep_copy(cast(Function, step), lambda inner: inner, reached)
    if laplace not in reached:
        raise UsageError(f"target: {algorithm.card.name} makes no Laplace release")
    card = dataclasses.replace(
        algorithm.card,
        name=algorithm.card.name + SAFE,
        parent_limit=algorithm.card.parent_limit or "holds sums of up to 2^35 noise scales only",
        notes=(*algorithm.card.notes, "Laplace noise is discrete, on a grid: safe_laplace."),
    )
    steps = replacing(algorithm, {laplace: safe_laplace})
    # Nothing exact, and no leaps in law: what they draw is continuous noise.
    bare = dataclasses.replace(algorithm, card=card, exact=None, stretch=None, take=None)
    return dataclasses.replace(bare, **steps)


def release(own: Any, value: float, value_in_neighbour: float, scale: float, rng: Any) -> float:
    """Bound to a release."""
    raise TypeError("not bound to a release")


def _releases(owns: Any, value: float, scale: float, outputs: Any, rng: Any) -> None:
    own = owns[0]
    for i in range(len(outputs)):
        outputs[i] = release(own, value, value, scale, rng)


@functools.cache
def _bound(which: Release) -> Function:
    template = cast(Function, _releases)
    return with_globals(template, f"releases_of_{which.__name__}", {"release": which})


def sum_release(scale: float, which: Release = safe_laplace, *, python: bool = False) -> Mechanism:
    """A mechanism `sample(data, n, rng)`: n releases of the sum of the data, each on its own.

    `which` is `safe_laplace` or a release of the same signature; `python` does not compile it.
    """
    size = check_number("scale", scale, 0.0, math.inf, low_open=True)

    def sample(data: Any, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
        owns = np.zeros(1, np.dtype(list(BOOK.items()))).view(np.recarray)
        outputs = np.empty(n)
        draw = _bound(which) if python else compiled(_bound(which))
        draw(owns, float(np.sum(data)), size, outputs, rng)
        return outputs

    sample.__qualname__ = f"{which.__name__} of the sum, scale {size:g}"
    return sample
