"""Scorers: how much an output speaks for the second world. They are plain functions of an output
with their tables, so that an event can be sent to a worker as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dpaudit.results.found import Floats
from dpaudit.run.plain import travels

Outputs = NDArray[np.float64]

BINS = 128
"""Quantile bins of a continuous coordinate."""
PIECE = 4096
"""Outputs that are scored at a time: they stay in the processor's cache."""
FEATURES = 8
"""So many of the features are tried one by one."""
SINGLE = 16
"""So many numbers of a mechanism's output, or actions, are tried one by one."""
FEW = 4
"""So few edges are compared with one by one."""


class Scorer(Protocol):
    def __call__(self, outputs: Outputs) -> Floats: ...


def keys_of(outputs: Outputs) -> NDArray[np.uint64]:
    """A 64-bit hash of each row. Outputs that collide count as one: a coarser event, no error."""
    keys = np.zeros(len(outputs), np.uint64)
    for first in range(0, len(outputs), PIECE):
        bits = np.ascontiguousarray(outputs[first : first + PIECE] + 0.0)  # -0.0 becomes 0.0
        piece = keys[first : first + PIECE]
        for column in bits.view(np.uint64).T:
            piece ^= column
            piece *= np.uint64(0x9E3779B97F4A7C15)
            piece ^= piece >> np.uint64(29)
    return keys


@travels
@dataclass(frozen=True)
class Frequency:
    """A score for each of some whole outputs, known by their keys; 0 for all others."""

    keys: NDArray[np.uint64]
    scores: Floats

    def __call__(self, outputs: Outputs) -> Floats:
        asked = keys_of(outputs)
        at = np.minimum(np.searchsorted(self.keys, asked), len(self.keys) - 1)
        return np.where(self.keys[at] == asked, self.scores[at], 0.0)


def bins_of(values: Floats, edges: Floats) -> NDArray[np.intp]:
    """How many of the sorted edges are at most the value."""
    if len(edges) > FEW:
        return np.searchsorted(edges, values, side="right")
    bins = np.zeros(len(values), np.intp)
    for edge in edges:
        bins += values >= edge
    return bins


@travels
@dataclass(frozen=True)
class Binned:
    """The sum over coordinates of the score of the coordinate's bin."""

    tables: tuple[tuple[Floats, Floats], ...]

    def __call__(self, outputs: Outputs) -> Floats:
        total = np.zeros(len(outputs))
        for first in range(0, len(outputs), PIECE):
            columns = np.ascontiguousarray(outputs[first : first + PIECE].T)
            for column, (edges, scores) in zip(columns, self.tables, strict=True):
                total[first : first + PIECE] += scores[bins_of(column, edges)]
        return total


@travels
@dataclass(frozen=True)
class Coordinate:
    j: int

    def __call__(self, outputs: Outputs) -> Floats:
        return outputs[:, self.j]


@travels
@dataclass(frozen=True)
class Prefix:
    """The score of the first `depth` coordinates."""

    inner: Frequency
    depth: int

    def __call__(self, outputs: Outputs) -> Floats:
        return self.inner(np.ascontiguousarray(outputs[:, : self.depth]))


@travels
@dataclass(frozen=True)
class Negative:
    inner: Scorer

    def __call__(self, outputs: Outputs) -> Floats:
        return -self.inner(outputs)


def bare(scorer: Scorer, threshold: float) -> Scorer:
    """A scorer as far as "the score is at least `threshold`" needs it: outputs on the same side as
    those never seen need no entry."""
    if isinstance(scorer, Frequency):
        differ = (scorer.scores >= threshold) != (threshold <= 0.0)
        kept = differ if differ.any() else np.arange(len(differ)) == 0
        return Frequency(scorer.keys[kept], scorer.scores[kept])
    if isinstance(scorer, Prefix):
        inner = bare(scorer.inner, threshold)
        assert isinstance(inner, Frequency)
        return Prefix(inner, scorer.depth)
    return scorer


def _log_ratios(second: Floats, first: Floats) -> Floats:
    """Smoothed log ratio of counts, shrunk towards 0 where both are small."""
    return np.log((second + 1.0) / (first + 1.0))


def frequency_scorer(first: Outputs, second: Outputs) -> Frequency:
    """Score of a whole output: the log ratio of how often it was seen."""
    keys, inverse = np.unique(keys_of(np.concatenate([first, second])), return_inverse=True)
    counts = [
        np.bincount(part, minlength=len(keys)).astype(float)
        for part in (inverse[: len(first)], inverse[len(first) :])
    ]
    scores = _log_ratios(counts[1], counts[0])

    return Frequency(keys, scores)


def binned_scorer(first: Outputs, second: Outputs) -> Binned:
    """Sum over coordinates of the log ratio of the coordinate's bin: right where the coordinates
    are independent given the input."""
    tables: list[tuple[Floats, Floats]] = []
    for j in range(first.shape[1]):
        pooled = np.concatenate([first[:, j], second[:, j]])
        edges = np.unique(np.quantile(pooled, np.linspace(0, 1, BINS + 1)[1:-1]))
        size = len(edges) + 1
        counts = [
            np.bincount(bins_of(part[:, j], edges), minlength=size) for part in (first, second)
        ]
        tables.append((edges, _log_ratios(counts[1].astype(float), counts[0].astype(float))))

    return Binned(tuple(tables))


def apart(first: Outputs, second: Outputs) -> list[int]:
    """The FEATURES whose means differ most, for their spread."""
    with np.errstate(
        over="ignore", invalid="ignore"
    ):  # where values are not finite, none is better
        difference = np.abs(second.mean(axis=0) - first.mean(axis=0))
        spread = np.sqrt(first.var(axis=0) + second.var(axis=0)) + 1e-9
        order = np.argsort(-np.nan_to_num(difference / spread), kind="stable")
    return [int(j) for j in order[:FEATURES]]


def scorers(
    first: Outputs,
    second: Outputs,
    names: Sequence[str] = (),
    single: Sequence[int] = range(SINGLE),
) -> Iterator[tuple[str, Scorer]]:
    """Scorers worth trying on such outputs, with the words for their events; `entry J`, or its
    name, stands for a threshold on that coordinate. `single`: which coordinates are tried, where
    they have no names."""
    width = first.shape[1]
    some = np.concatenate([first[:2000], second[:2000]])
    distinct = len(np.unique(keys_of(some)))
    discrete = distinct <= len(some) // 2
    if discrete:
        yield "the output is one of those seen more often there", frequency_scorer(first, second)
    if width > 1:
        integral = bool(np.all(some == np.round(some)))
        if integral:
            for depth in sorted({1, 2, 3, 4, 6, 8, 12, 16, 24} & set(range(1, width))):
                yield (
                    f"the first {depth} entries are among those seen more often there",
                    Prefix(frequency_scorer(first[:, :depth], second[:, :depth]), depth),
                )
        yield "the sum of the entries' log ratios is large", binned_scorer(first, second)
    elif not discrete:
        yield "the value is in bins seen more often there", binned_scorer(first, second)
    if names:
        for j in apart(first, second):
            yield names[j], Coordinate(j)
    elif not discrete:
        for j in single:
            if j < width:
                yield f"entry {j}", Coordinate(j)
