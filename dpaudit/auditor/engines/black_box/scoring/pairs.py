"""What two numbers of an output say together and neither says alone, for the black-box engine.

A mask beside what it masks, two releases in random order: each number's law is the same in both
worlds, and a sum of scores of single numbers is blind. All pairs are screened at once, by what that
sum leaves over (Lou, Caruana, Gehrke & Hooker, "Accurate intelligible models with pairwise
interactions", 2013), and a table for each of the few that are found is added to the sum by gradient
boosting (Friedman, "Greedy function approximation", 2001), a Newton step of the logistic loss each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import chi2

from dpaudit.auditor.engines.black_box.scorers import Binned, Outputs, bins_of
from dpaudit.results.found import Floats
from dpaudit.run.plain import travels

WIDEST = 128
"""Of more numbers there are too many pairs for a second."""
COARSE, BINS = 4, 16
"""Bins of a number when all pairs are screened; and in a pair's table, as it is coded."""
SCREENED = 20_000
"""Outputs of a world by which pairs are screened, at most."""
CHANCE = 0.01
"""Probability that noise lets any pair through."""
MOST_PAIRS = 6
STEPS, LEARNED, PRIOR = 6, 0.7, 0.5
"""Newton steps a table, the part of each that is made, and what is added to a cell's curvature."""

Codes = NDArray[np.uint8]
Scores = tuple[Floats, Floats]
"""Of the two worlds' outputs."""


@travels
@dataclass(frozen=True)
class Paired:
    """The sum of single scores, and of pairs' scores: two coordinates, their edges, the table."""

    inner: Binned
    tables: tuple[tuple[int, int, Floats, Floats, Floats], ...]

    def __call__(self, outputs: Outputs) -> Floats:
        total = self.inner(outputs)
        for j, k, across, down, scores in self.tables:
            total += scores[bins_of(outputs[:, j], across), bins_of(outputs[:, k], down)]
        return total


def _coarse(edges: Floats) -> NDArray[np.intp]:
    """Which of COARSE bins each bin goes to; fewer stay as they are."""
    most = np.minimum(COARSE, len(edges) + 1)
    return np.asarray(np.arange(len(edges) + 1) * most // (len(edges) + 1))


def screened(
    edges: tuple[Floats, ...], codes: tuple[Codes, Codes], scores: Scores
) -> list[tuple[int, int]]:
    """The pairs of coordinates that explain more of what scores leave over than the two alone: by
    more than noise would, but for CHANCE."""
    part = min(SCREENED, *(len(each) for each in scores))
    left = np.concatenate([world - expit(scores[world][:part]) for world in (0, 1)])
    if not (spread := left.var()) > 0.0:
        return []  # no output is left to be explained
    ones = np.zeros((2 * part, len(edges), COARSE), np.float32)
    for j, own in enumerate(edges):
        both = np.concatenate([world[j, :part] for world in codes])
        ones[np.arange(2 * part), j, _coarse(own)[both]] = 1.0
    flat = ones.reshape(2 * part, -1)
    sums, counts = flat.T @ (flat * left[:, None].astype(np.float32)), flat.T @ flat
    gain = np.where(counts > 0, sums**2 / np.maximum(counts, 1.0), 0.0)
    gain = gain.reshape(len(edges), COARSE, len(edges), COARSE).sum(axis=(1, 3)) / spread
    alone = np.diag(gain)
    more = np.triu(gain - alone[:, None] - alone[None, :], 1)
    least = chi2.isf(CHANCE / more.size, (COARSE - 1) ** 2)
    order = np.argsort(-more, axis=None)[:MOST_PAIRS]
    return [divmod(int(at), len(edges)) for at in order if more.flat[at] > least]


def _boosted(places: list[NDArray[np.intp]], labels: Floats, start: Floats) -> list[Floats]:
    """Tables, flat, that are added to a score."""
    tables, score = [np.zeros(BINS * BINS) for _ in places], start.copy()
    for _ in range(STEPS):
        for table, place in zip(tables, places, strict=True):
            likely = expit(score)
            slope = np.bincount(place, labels - likely, BINS * BINS)
            curvature = np.bincount(place, likely * (1.0 - likely), BINS * BINS)
            step = LEARNED * slope / (curvature + PRIOR)
            table += step
            score += step[place]
    return tables


def paired(
    edges: tuple[Floats, ...], codes: tuple[Codes, Codes], scores: Scores, inner: Binned
) -> tuple[Scores, Paired] | None:
    """A sum of single scores with tables of pairs on top, and the scores of these outputs, each by
    tables that were fitted without its half; `scores` are of models that had not seen the output.
    None where no pair says more."""
    if len(edges) > WIDEST or not (pairs := screened(edges, codes, scores)):
        return None
    labels = np.repeat([0.0, 1.0], [len(each) for each in scores])
    start = np.concatenate(scores)
    both = {j: np.concatenate([world[j] for world in codes]) for pair in pairs for j in pair}
    places = [both[j].astype(np.intp) * BINS + both[k] for j, k in pairs]
    found, half = start.copy(), np.arange(len(start)) % 2 == 0
    for own in (half, ~half):
        tables = _boosted([place[~own] for place in places], labels[~own], start[~own])
        found[own] += sum(table[place[own]] for table, place in zip(tables, places, strict=True))
    whole = _boosted(places, labels, start)
    tables_of = tuple(
        (j, k, edges[j], edges[k], table.reshape(BINS, BINS))
        for (j, k), table in zip(pairs, whole, strict=True)
    )
    ends = len(scores[0])
    return (found[:ends], found[ends:]), Paired(inner, tables_of)
