"""Choosing an event from samples of the two worlds, for the black-box engine.

A scorer orders outputs by how much they speak for the second world. It is fitted on one part of the
selection; on the other part the threshold, the direction and the split of the error probability are
chosen by the bound that they would give at the size of the evaluation sample.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtri

from dpaudit.auditor.results import Claimed, Floats
from dpaudit.auditor.statistics import (
    JOINT_LIMIT,
    SPLITS,
    coin_log_ratio_lower,
    gdp_lower,
    joint_log_ratio_lower,
    log_ratio_lower,
    proportion_lower,
    proportion_upper,
)

Outputs = NDArray[np.float64]
Scorer = Callable[[Outputs], Floats]

BINS = 128
"""Quantile bins of a continuous coordinate."""
PESSIMISM = 0.05
"""Level of the bounds by which the selection's own counts enter the prediction."""
FIT_SHARE = 0.4
"""Part of the selection on which scorers are fitted."""
COIN = 0.0
"""Stands in the place of a split of alpha for the bound through one binomial."""
THRESHOLDS = 256
"""Thresholds of a score that are tried."""


class Selection(tuple[Outputs, Outputs]):
    """Outputs of the two worlds that may choose events, and nothing else."""


class Evaluation(tuple[Outputs, Outputs]):
    """Outputs of the two worlds that may bound a chosen event, and nothing else."""


@dataclass(frozen=True)
class ScoreEvent:
    """The event that a score is at least a threshold. `swapped`: it is likelier in the first
    world, so that the bound is on first over second."""

    scorer: Scorer
    threshold: float
    swapped: bool
    share: float
    predicted: float
    text: str

    def happened(self, outputs: Outputs) -> NDArray[np.bool_]:
        """Which outputs are in the event."""
        return self.scorer(outputs) >= self.threshold


def as_outputs(raw: object) -> Outputs:
    """Any array of outputs, one row each."""
    values = np.asarray(raw)
    if values.dtype == object or values.dtype.kind in "US":
        # The same number for a label in every sample, whatever else was drawn.
        labels, inverse = np.unique(values.astype(str), return_inverse=True)
        numbers = np.array([_label_number(label) for label in labels], dtype=np.float64)
        values = numbers[inverse].reshape(values.shape)
    values = values.reshape(len(values), -1) if values.size else values.reshape(len(values), 0)
    return np.ascontiguousarray(values, dtype=np.float64)


def _label_number(label: str) -> int:
    """A 52-bit hash of a label: exact as a double."""
    return int.from_bytes(hashlib.blake2b(label.encode(), digest_size=8).digest(), "big") >> 12


def _keys(outputs: Outputs) -> NDArray[np.uint64]:
    """A 64-bit hash of each row. Outputs that collide count as one: a coarser event, no error."""
    bits = np.ascontiguousarray(outputs + 0.0).view(np.uint64)  # -0.0 becomes 0.0
    keys = np.zeros(len(bits), np.uint64)
    for j in range(bits.shape[1]):
        keys = (keys ^ bits[:, j]) * np.uint64(0x9E3779B97F4A7C15)
        keys ^= keys >> np.uint64(29)
    return keys


def _log_ratios(second: Floats, first: Floats) -> Floats:
    """Smoothed log ratio of counts, shrunk towards 0 where both are small."""
    return np.log((second + 1.0) / (first + 1.0))


def frequency_scorer(first: Outputs, second: Outputs) -> Scorer:
    """Score of a whole output: the log ratio of how often it was seen."""
    keys, inverse = np.unique(_keys(np.concatenate([first, second])), return_inverse=True)
    counts = [
        np.bincount(part, minlength=len(keys)).astype(float)
        for part in (inverse[: len(first)], inverse[len(first) :])
    ]
    scores = _log_ratios(counts[1], counts[0])

    def score(outputs: Outputs) -> Floats:
        asked = _keys(outputs)
        at = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
        return np.where(keys[at] == asked, scores[at], 0.0)

    return score


def binned_scorer(first: Outputs, second: Outputs) -> Scorer:
    """Sum over coordinates of the log ratio of the coordinate's bin: right where the coordinates
    are independent given the input."""
    tables: list[tuple[Floats, Floats]] = []
    for j in range(first.shape[1]):
        pooled = np.concatenate([first[:, j], second[:, j]])
        edges = np.unique(np.quantile(pooled, np.linspace(0, 1, BINS + 1)[1:-1]))
        size = len(edges) + 1
        counts = [
            np.bincount(np.searchsorted(edges, part[:, j], side="right"), minlength=size)
            for part in (first, second)
        ]
        tables.append((edges, _log_ratios(counts[1].astype(float), counts[0].astype(float))))

    def score(outputs: Outputs) -> Floats:
        total = np.zeros(len(outputs))
        for j, (edges, scores) in enumerate(tables):
            total += scores[np.searchsorted(edges, outputs[:, j], side="right")]
        return total

    return score


def coordinate_scorer(j: int) -> Scorer:
    """The coordinate itself."""
    return lambda outputs: outputs[:, j]


def prefix_scorer(first: Outputs, second: Outputs, depth: int) -> Scorer:
    """Frequencies of the first `depth` coordinates."""
    inner = frequency_scorer(first[:, :depth], second[:, :depth])
    return lambda outputs: inner(np.ascontiguousarray(outputs[:, :depth]))


def scorers(first: Outputs, second: Outputs) -> Iterator[tuple[str, Scorer]]:
    """Scorers worth trying on such outputs, with the words for their events; `entry J` stands for
    a threshold on that coordinate."""
    width = first.shape[1]
    taste = np.concatenate([first[:2000], second[:2000]])
    distinct = len(np.unique(_keys(taste)))
    discrete = distinct <= len(taste) // 2
    if discrete:
        yield "the output is one of those seen more often there", frequency_scorer(first, second)
    if width > 1:
        integral = bool(np.all(taste == np.round(taste)))
        if integral:
            for depth in sorted({1, 2, 3, 4, 6, 8, 12, 16, 24} & set(range(1, width))):
                yield (
                    f"the first {depth} entries are among those seen more often there",
                    prefix_scorer(first, second, depth),
                )
        yield "the sum of the entries' log ratios is large", binned_scorer(first, second)
    elif not discrete:
        yield "the value is in bins seen more often there", binned_scorer(first, second)
    if not discrete:
        for j in range(min(width, 16)):
            yield f"entry {j}", coordinate_scorer(j)


def choose(sample: Selection, claim: Claimed, ahead: int, alpha: float) -> ScoreEvent:
    """The event with the best predicted bound for an evaluation of `ahead` outputs a world."""
    first, second = sample
    cut = int(FIT_SHARE * len(first))
    fit, rest = (first[:cut], second[:cut]), (first[cut:], second[cut:])
    best: ScoreEvent | None = None
    for text, scorer in scorers(*fit):
        # A coordinate is not fitted: its threshold may be chosen on all of the selection.
        coordinate = text.startswith("entry ")
        test = sample if coordinate else rest
        scores = scorer(test[0]), scorer(test[1])
        # A large score speaks for the second world, but a coordinate may speak for either.
        for swapped, sign in itertools.product((False, True), (1.0, -1.0)):
            if not coordinate and (sign < 0) != swapped:
                continue
            base, hit = sign * scores[swapped], sign * scores[1 - swapped]
            found = _best_threshold(base, hit, claim, ahead, alpha)
            if best is None or found[0] > best.predicted:
                predicted, threshold, share = found
                side = "at least" if sign > 0 else "at most"
                words = f"{text} is {side} {sign * threshold:.6g}" if coordinate else text
                signed = _signed(scorer, sign)
                best = ScoreEvent(signed, threshold, swapped, share, predicted, words)
    if best is None:
        raise AssertionError("no scorer applies")
    return best


def _signed(scorer: Scorer, sign: float) -> Scorer:
    return scorer if sign > 0 else (lambda outputs: -scorer(outputs))


def _best_threshold(
    base: Floats, hit: Floats, claim: Claimed, ahead: int, alpha: float
) -> tuple[float, float, float]:
    """Predicted bound, threshold and share for one ordering."""
    pooled = np.unique(np.concatenate([base, hit]))
    if len(pooled) > THRESHOLDS:
        # Half of the thresholds by quantile, half in the upper tail, where ratios are extreme.
        ranks = np.unique(
            np.concatenate(
                [
                    np.linspace(0, len(pooled) - 1, THRESHOLDS // 2),
                    len(pooled) - np.geomspace(1, len(pooled), THRESHOLDS // 2),
                ]
            ).astype(int)
        )
        pooled = pooled[np.clip(ranks, 0, len(pooled) - 1)]
    above = [len(x) - np.searchsorted(np.sort(x), pooled, side="left") for x in (base, hit)]
    # Pessimistic by what this sample does not know: the best of many noisy ratios is flattered.
    q: Any = betaincinv(above[0] + 1.0, np.maximum(len(base) - above[0], 0.5), 1.0 - PESSIMISM)
    p: Any = betaincinv(np.maximum(above[1], 0.5), len(hit) - above[1] + 1.0, PESSIMISM)
    best = (-math.inf, float(pooled[-1]), 0.5)
    for share in (*SPLITS, COIN) if claim.notion == "pure" else (0.5,):
        value = _predicted(p, q, claim, ahead, alpha, share)
        k = int(np.argmax(value))
        if value[k] > best[0]:
            best = (float(value[k]), float(pooled[k]), share)
    return best


def _predicted(
    p: Floats, q: Floats, claim: Claimed, ahead: int, alpha: float, share: float
) -> Floats:
    """The bound from counts that come out as expected."""
    hits, base_hits = p * ahead, np.minimum(q * ahead, ahead - 0.5)
    if share == COIN:
        seen = (p + q) * (ahead - 3.5 * math.sqrt(ahead))
        theta = betaincinv(np.maximum(p / (p + q) * seen, 0.5), q / (p + q) * seen + 1.0, alpha)
        return np.asarray(np.log(theta / (1.0 - theta)))
    low = np.where(
        hits > 0.5,
        betaincinv(np.maximum(hits, 0.5), ahead - hits + 1.0, alpha * (1.0 - share)),
        1e-300,
    )
    high = betaincinv(base_hits + 1.0, ahead - base_hits, 1.0 - alpha * share)
    with np.errstate(divide="ignore", invalid="ignore"):
        if claim.notion == "gdp":
            values = ndtri(low) - ndtri(np.minimum(high, 1 - 1e-12))
        else:
            values = np.log(np.maximum(low - claim.delta, 1e-300) / high)
    return np.nan_to_num(np.asarray(values), nan=-1e300, neginf=-1e300)


def count(sample: Evaluation, event: ScoreEvent) -> tuple[int, int, int]:
    """Hits in the world where the event is likelier, hits in the other, and runs a world."""
    first, second = sample
    likely, base = (first, second) if event.swapped else (second, first)
    hits, base_hits = int(event.happened(likely).sum()), int(event.happened(base).sum())
    return hits, base_hits, len(first)


def bound_counts(
    hits: int,
    base_hits: int,
    runs: int,
    event: ScoreEvent,
    claim: Claimed,
    alpha: float,
    coins: np.random.Generator,
) -> float:
    """Lower bound on the privacy parameter from the counts of the evaluation. `coins` must be a
    stream that nothing else uses."""
    if claim.notion == "pure":
        if runs <= JOINT_LIMIT:
            return joint_log_ratio_lower(hits, base_hits, runs, alpha)
        if event.share == COIN:
            return coin_log_ratio_lower(hits, base_hits, runs, alpha, coins)
        return log_ratio_lower(hits, runs, base_hits, runs, alpha, event.share)
    p = proportion_lower(hits, runs, alpha / 2.0)
    q = proportion_upper(base_hits, runs, alpha / 2.0)
    if claim.notion == "gdp":
        return gdp_lower(p, q)
    return math.log((p - claim.delta) / q) if p > claim.delta else -math.inf
