"""Log-ratio models of outputs of many numbers, for the black-box engine.

An output of d numbers has too many log ratios to be counted one by one: 64 numbers of 128 bins each
drown what they say in the noise of 8,192 counts. What is estimated here is few and shared. Each
coordinate is cut at its quantiles; the table of log ratios, coordinates by bins, is one shape, or a
few, times an amplitude a coordinate, and the law of the amplitudes is estimated from all of them,
so that equal, sparse, spread and signed changes are each found to be what they are.

Coordinates that depend on each other are first replaced by their innovations: what is left of each
after its regression on those before it. A sum of noises becomes the noises, a reused one nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import expit

from dpaudit.auditor.engines.black_box.scorers import (
    Binned,
    Outputs,
    Scorer,
    bins_of,
)
from dpaudit.auditor.engines.black_box.scoring.pairs import BINS, Codes, paired
from dpaudit.results.found import Floats
from dpaudit.run.plain import travels

WIDE = 16
"""Outputs of so many numbers are modelled."""
CUTS = np.linspace(0, 1, BINS + 1)[1:-1]
"""Quantiles between the bins of a coordinate, fewer where it has fewer values."""
FOLDS = 5
"""An output is scored by a model that was fitted on the other folds."""
POINTS, STEPS = 60, 100
"""Of the estimated law of amplitudes, and steps of its estimation."""
ALIKE = 4
"""So many coordinates of as many bins share their shapes."""
FEWEST_ABOVE = 20
"""Outputs of both worlds together that a threshold leaves, at least, and their part, at most."""
MOST_ABOVE = 0.98
THRESHOLDS = 300
NEWTON = 30
"""Steps of a calibration, at most."""
REFITTED = 64
"""A regression on so many coordinates is made again without the others."""
RIDGE = 1e-10
"""Of a variance, so that coordinates which are equal have a regression."""


@travels
@dataclass(frozen=True)
class Innovations:
    """The score of what is left of each coordinate after its regression on those before it."""

    inner: Binned
    matrix: Floats

    def __call__(self, outputs: Outputs) -> Floats:
        return self.inner(np.ascontiguousarray(outputs @ self.matrix.T))


def innovations(first: Outputs, second: Outputs) -> Floats | None:
    """The unit lower triangular matrix that takes outputs to their innovations, with coefficients
    that chance alone may have made set to 0; None where none is left (Pourahmadi 1999; Wu &
    Pourahmadi 2003). Coefficient k of coordinate j has variance s_j^2 [S^-1]_kk / n, S the
    covariance of the coordinates before j."""
    n, width = len(first) + len(second) - 2, first.shape[1]
    if n < 4 * width:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        centred = np.concatenate([first - first.mean(axis=0), second - second.mean(axis=0)])
        scale = centred.std(axis=0)
    if not np.isfinite(scale).all():
        return None
    scale[scale == 0.0] = 1.0
    centred /= scale
    covariance = centred.T @ centred / n + RIDGE * np.eye(width)
    inverse = solve_triangular(np.linalg.cholesky(covariance), np.eye(width), lower=True)
    left = 1.0 / np.diag(inverse)
    matrix = inverse * left[:, None]
    before = np.cumsum(inverse**2, axis=0) - inverse**2
    errors = left[:, None] * np.sqrt(before / n)
    kept = np.abs(matrix) > 2.0 * np.sqrt(np.log(width)) * errors
    kept &= np.tri(width, k=-1, dtype=bool)
    if not kept.any():
        return None
    matrix = np.where(kept, matrix, 0.0)
    np.fill_diagonal(matrix, 1.0)
    for j in np.flatnonzero(kept.sum(axis=1) <= REFITTED):
        on = np.flatnonzero(kept[j])
        matrix[j, on] = -np.linalg.solve(covariance[np.ix_(on, on)], covariance[on, j])
    return np.asarray(matrix * scale[:, None] / scale[None, :])


def amplitudes(seen: Floats, variance: Floats) -> Floats:
    """Posterior means of amplitudes that were seen with errors of these variances; their law is
    estimated by nonparametric maximum likelihood on a grid (Kiefer & Wolfowitz 1956)."""
    grid = np.append(np.linspace(min(seen.min(), 0.0), max(seen.max(), 0.0), POINTS), 0.0)
    away = (seen[:, None] - grid) ** 2 / variance[:, None]
    likely = np.exp(-0.5 * (away - away.min(axis=1, keepdims=True)))
    law = np.full(len(grid), 1.0 / len(grid))
    for _ in range(STEPS):
        law = law * (likely / (likely @ law)[:, None]).mean(axis=0)
    return np.asarray((likely @ (law * grid)) / (likely @ law))


def shrunk(first: Floats, second: Floats) -> Floats:
    """Log ratios of coordinates by bins, from how often each bin came in the two worlds."""
    counts = first + 0.5, second + 0.5
    logs = [np.log(c / c.sum(axis=1, keepdims=True)) for c in counts]
    ratios, variance = logs[1] - logs[0], 1.0 / counts[0] + 1.0 / counts[1]
    if len(ratios) < ALIKE:  # the factor of James & Stein (1961), a coordinate at a time
        strength = (ratios**2 / variance).sum(axis=1, keepdims=True)
        return np.asarray(
            ratios * np.maximum(0.0, 1.0 - ratios.shape[1] / np.maximum(strength, 1e-300))
        )
    weight = 1.0 / np.sqrt(variance.mean(axis=0))
    weighted = ratios * weight
    _, strengths, shapes = np.linalg.svd(weighted, full_matrices=False)
    # The largest singular value of noise alone is about the sum of the two roots.
    noise = np.sqrt(len(ratios)) + np.sqrt(ratios.shape[1])
    rank = max(1, int((strengths > noise + 1.0).sum()))
    found = np.zeros_like(ratios)
    for shape in shapes[:rank]:
        errors = (variance * weight**2) @ shape**2
        found += amplitudes(weighted @ shape, errors)[:, None] * shape / weight
    return np.asarray(found)


@dataclass(frozen=True)
class Coded:
    """Outputs of the two worlds as numbers of bins, a coordinate a row."""

    edges: tuple[Floats, ...]
    codes: tuple[Codes, Codes]

    @classmethod
    def of(cls, first: Outputs, second: Outputs) -> Coded:
        edges, codes = [], tuple(np.empty(x.shape[::-1], np.uint8) for x in (first, second))
        for j in range(first.shape[1]):
            pooled = np.sort(np.concatenate([first[:, j], second[:, j]]))  # what is no number last
            edges.append(np.unique(pooled[(CUTS * len(pooled)).astype(int)]))
            for code, world in zip(codes, (first, second), strict=True):
                code[j] = bins_of(np.ascontiguousarray(world[:, j]), edges[-1])
        return cls(tuple(edges), (codes[0], codes[1]))

    def counts(self, fold: int) -> tuple[Floats, Floats]:
        """How often each bin of each coordinate came in a fold of each world."""
        found = []
        for codes in self.codes:
            part = codes[:, fold::FOLDS]
            found.append(np.stack([np.bincount(row, minlength=BINS) for row in part]).astype(float))
        return found[0], found[1]

    def tables(self, first: Floats, second: Floats) -> list[Floats]:
        """The scores of each coordinate's bins; coordinates of as many bins are judged together."""
        sizes = np.array([len(edges) + 1 for edges in self.edges])
        found = [np.zeros(0)] * len(sizes)
        for size in np.unique(sizes):
            rows = np.flatnonzero(sizes == size)
            for j, scores in zip(
                rows, shrunk(first[rows, :size], second[rows, :size]), strict=True
            ):
                found[j] = scores
        return found

    def fitted(self) -> tuple[tuple[Floats, Floats], Binned]:
        """Scores of both worlds' outputs, each by a model that was fitted without its fold, and the
        model that was fitted on all."""
        folds = [self.counts(fold) for fold in range(FOLDS)]
        whole = [np.sum([fold[w] for fold in folds], axis=0) for w in (0, 1)]
        scores = tuple(np.empty(codes.shape[1]) for codes in self.codes)
        for fold, own in enumerate(folds):
            tables = self.tables(whole[0] - own[0], whole[1] - own[1])
            for score, codes in zip(scores, self.codes, strict=True):
                rows = zip(tables, codes[:, fold::FOLDS], strict=True)
                score[fold::FOLDS] = sum(table[row] for table, row in rows)
        model = Binned(tuple(zip(self.edges, self.tables(whole[0], whole[1]), strict=True)))
        return (scores[0], scores[1]), model


def models(first: Outputs, second: Outputs) -> Iterator[tuple[str, Scorer, tuple[Floats, Floats]]]:
    """Models with the words for their events, and the scores of these outputs."""
    coded = Coded.of(first, second)
    scores, scorer = coded.fitted()
    yield "the sum of the entries' modelled log ratios is large", scorer, scores
    together = paired(coded.edges, coded.codes, scores, scorer)
    if together is not None:
        words = "the sum of the modelled log ratios of the entries and of pairs of them is large"
        yield words, together[1], together[0]
    matrix = innovations(first, second)
    if matrix is not None:
        scores, scorer = Coded.of(first @ matrix.T, second @ matrix.T).fitted()
        words = "the sum of the modelled log ratios of what the entries add to those before them"
        yield f"{words} is large", Innovations(scorer, matrix), scores


def above(base: Floats, hit: Floats) -> tuple[Floats, Floats, Floats] | None:
    """Thresholds of a score, and how probable it is to be above each, in the likelier world and in
    the other. A log ratio needs no counts of rare hits: an output of either world with log ratio l
    counts e^l / (1 + e^l) for the one and 1 / (1 + e^l) for the other, l = a + b score, by logistic
    regression. None where there is none."""
    scores = np.concatenate([base, hit])
    ordered = np.argsort(-scores, kind="stable")
    scores, labels = scores[ordered], (ordered >= len(base)).astype(float)
    centre, spread = scores.mean(), scores.std()
    if not (np.isfinite(spread) and spread > 0.0):
        return None
    terms = np.stack([np.ones(len(scores)), (scores - centre) / spread], axis=1)
    found = np.zeros(2)
    for _ in range(NEWTON):
        likely = expit(terms @ found)
        curvature = (terms * (likely * (1.0 - likely))[:, None]).T @ terms
        if np.linalg.det(curvature) < 1e-9 * len(scores):
            return None  # the worlds are apart: there is no rare hit to do without
        step = np.linalg.solve(curvature, terms.T @ (labels - likely))
        found += step
        if np.abs(step).max() < 1e-6:
            break
    if found[1] <= 0.0:
        return None
    likely = expit(terms @ found)
    p, q = np.cumsum(likely) / len(hit), np.cumsum(1.0 - likely) / len(base)
    last = np.append(scores[1:] != scores[:-1], True)
    ranks = np.geomspace(FEWEST_ABOVE, MOST_ABOVE * len(scores), THRESHOLDS).astype(int)
    ranks = np.intersect1d(np.flatnonzero(last), ranks)
    if len(ranks) == 0:
        return None
    return scores[ranks], np.minimum(p[ranks], 1.0), np.minimum(q[ranks], 1.0)
