"""What a path asks of the noise: bands in which two noisy values stay apart, or one stays.

Every comparison along a path bounds an affine form. With one or two noise variables it is an edge
of a graph; as long as that is a forest, the probability of all bounds is a chain of one-dimensional
integrals. Other comparisons are refused where they are made.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from dpaudit.auditor.engines.exact.steps.forms import Form, Weights
from dpaudit.play.reach.steps import Unfit

Key = tuple[int, ...]
NEIGHBOUR = 1 << 60
"""Numbers of the neighbour's rewards are these and above."""


class Neighbour(Unfit):
    """A reward of the other world has to do with what is chosen."""


@dataclass(frozen=True)
class Band:
    """low < Z_u + ratio Z_v + data < high; without v for a single variable. None is no bound."""

    ratio: Any
    data: Weights
    low: Any = None
    high: Any = None


@dataclass(frozen=True)
class Contest:
    """One of several scores, all private and with fresh noise of the same law, is the largest."""

    scores: tuple[tuple[Weights, Any], ...]
    """Data and constant of each."""
    winner: int
    first: int
    """The number of the first score's noise; the others' follow."""
    scale: Any
    noise: int


@dataclass(frozen=True)
class Condition:
    """data + constant > 0, or = 0 (`sign` 1 or 0); or that it is not (`holds`)."""

    data: Weights
    constant: Any
    sign: int
    holds: bool


@dataclass
class Asked:
    """All that a path has asked so far. Only additions change it, so that a copy is cheap."""

    kinds: list[str] = field(default_factory=list)
    """Of the noise variables, in the order in which they were drawn."""
    bands: dict[Key, Band] = field(default_factory=dict)
    contests: list[Contest] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)

    def copy(self) -> Asked:
        return Asked(list(self.kinds), dict(self.bands), list(self.contests), list(self.conditions))


def bounded(form: Form) -> tuple[Key, Band, bool]:
    """Of form > 0: the variables, the band that it is an edge of, and whether that is its low one
    (held in place of both)."""
    if any(name >= NEIGHBOUR for name in form.data):
        raise Neighbour("a reward of the neighbouring world decides")
    key = tuple(sorted(form.noise))
    if len(key) > 2:
        raise Unfit(f"a comparison hangs on {len(key)} noise variables at once")
    lead = form.noise[key[0]]
    ratio = form.noise[key[1]] / lead if len(key) == 2 else 0
    data = {name: weight / lead for name, weight in form.data.items()}
    edge = -form.constant / lead
    if lead > 0:
        return key, Band(ratio, data, low=edge), True
    return key, Band(ratio, data, high=edge), False


RANGES: dict[str, tuple[int | None, int | None]] = {"exponential": (0, None), "uniform": (0, 1)}


def decided(asked: Asked, form: Form) -> bool | None:
    """What the bounds so far say of form > 0; None where they leave it open."""
    key, band, is_low = bounded(form)
    if len(key) == 1 and not band.data:
        low, high = RANGES.get(asked.kinds[key[0]], (None, None))
        answer = _within(band.low if is_low else band.high, is_low, low, high)
        if answer is not None:
            return answer
    known = asked.bands.get(key)
    if known is None:
        return None
    if known.ratio != band.ratio:
        raise Unfit("two noisy values are compared in different proportions")
    if known.data != band.data:
        raise Unfit("the same noise is compared with different private values")
    return _within(band.low if is_low else band.high, is_low, known.low, known.high)


def _within(edge: Any, is_low: bool, low: Any, high: Any) -> bool | None:
    """Whether what lies between low and high is above the edge (or below it)."""
    if low is not None and edge <= low:
        return is_low
    if high is not None and edge >= high:
        return not is_low
    return None


def note(asked: Asked, form: Form, answer: bool) -> None:
    """Narrow the band; a new edge must not close a circle."""
    key, band, is_low = bounded(form if answer else -form)
    known = asked.bands.get(key)
    if known is None:
        if len(key) == 2 and _joined(asked.bands, *key):
            raise Unfit("noisy values are compared in a circle, each with each")
        asked.bands[key] = band
        return
    if is_low:
        low = band.low if known.low is None else max(known.low, band.low)
        asked.bands[key] = replace(known, low=low)
    else:
        high = band.high if known.high is None else min(known.high, band.high)
        asked.bands[key] = replace(known, high=high)


def _joined(bands: dict[Key, Band], u: int, v: int) -> bool:
    """Whether edges lead from u to v."""
    beside: dict[int, list[int]] = {}
    for key in bands:
        if len(key) == 2:
            beside.setdefault(key[0], []).append(key[1])
            beside.setdefault(key[1], []).append(key[0])
    seen, open_ = {u}, [u]
    while open_:
        for other in beside.get(open_.pop(), ()):
            if other == v:
                return True
            if other not in seen:
                seen.add(other)
                open_.append(other)
    return False
