"""Choosing an event from samples of the two worlds, for the black-box engine.

A scorer orders outputs by how much they speak for the second world. It is fitted on one part of the
selection; on the other part the threshold, the direction and the split of the error probability are
chosen by the bound that they would give at the size of the evaluation sample.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtri

from dpaudit.auditor.engines.black_box.scorers import (
    SINGLE,
    Coordinate,
    Negative,
    Outputs,
    Scorer,
    apart,
    bare,
    scorers,
)
from dpaudit.auditor.engines.black_box.scoring.models import WIDE, above, models
from dpaudit.auditor.kinds import renyi
from dpaudit.auditor.kinds.renyi import RANKED, divergence
from dpaudit.auditor.samples import Evaluation, Selection
from dpaudit.auditor.statistics import (
    JOINT_LIMIT,
    SPLITS,
    Alpha,
    coin_log_ratio_lower,
    gdp_lower,
    joint_log_ratio_lower,
    log_ratio_lower,
    proportion_lower,
    proportion_upper,
)
from dpaudit.play.kinds.rows import label_number
from dpaudit.results.audit import Guarantee
from dpaudit.results.claimed import RENYI
from dpaudit.results.found import Floats
from dpaudit.run.plain import travels

PESSIMISM = 0.001
"""Level of the bounds by which the selection's own counts enter the prediction. Small: the best of
hundreds of thresholds is taken, and in the tails some look good by luck."""
FIT_SHARE = 0.4
"""Part of the selection on which scorers are fitted."""
COIN = 0.0
"""Stands in the place of a split of alpha for the bound through one binomial."""
GRID = 128
"""Thresholds by which the whole trade-off is shown, at most."""
THRESHOLDS = 256
"""Thresholds of a score that are tried."""


Drawn = tuple[Outputs, Outputs]
"""Outputs of the two worlds."""


@travels
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
    grid: tuple[float, ...] = ()
    """Thresholds by which the whole trade-off is shown, if that is asked for."""
    searched: tuple[float, ...] = ()
    """How probable the events are that were looked at, in the world where each is less likely to be
    asked for: what a violation could have shown itself by."""

    def happened(self, outputs: Outputs) -> NDArray[np.bool_]:
        return self.scorer(outputs) >= self.threshold

    def bare(self) -> ScoreEvent:
        """The event as far as it decides whether an output is in it: what is sent to workers."""
        return replace(
            self, scorer=bare(self.scorer, self.threshold), text="", searched=(), grid=()
        )


def as_outputs(raw: object) -> Outputs:
    values = np.asarray(raw)
    if values.dtype == object or values.dtype.kind in "US":
        # The same number for a label in every sample, whatever else was drawn.
        labels, inverse = np.unique(values.astype(str), return_inverse=True)
        numbers = np.array([label_number(label) for label in labels], dtype=np.float64)
        values = numbers[inverse].reshape(values.shape)
    values = values.reshape(len(values), -1) if values.size else values.reshape(len(values), 0)
    return np.ascontiguousarray(values, dtype=np.float64)


def choose(
    selection: Selection[Drawn],
    claim: Guarantee,
    ahead: int,
    alpha: float,
    names: Sequence[str] = (),
    pessimism: float = PESSIMISM,
    modelled: bool = False,
    betting: bool = False,
) -> ScoreEvent:
    """The event with the best predicted bound for an evaluation of `ahead` outputs a world. `names`
    says what an output's numbers are, where they are features; `modelled`: outputs of many numbers
    are modelled, too; `betting`: the best is the one that a bet against the claim grows on."""
    best: ScoreEvent | None = None
    shares: set[float] = set()
    chosen: tuple[Floats, Floats] = (np.zeros(0), np.zeros(0))
    modelled_best = False
    for text, scorer, worlds, smooth in _candidates(selection.sample, names, modelled):
        coordinate = isinstance(scorer, Coordinate)
        scores = tuple(np.sort(world) for world in worlds)
        # A large score speaks for the second world, but a coordinate may speak for either.
        for swapped, sign in itertools.product((False, True), (1.0, -1.0)):
            if not coordinate and (sign < 0) != swapped:
                continue
            base, hit = scores[swapped], scores[1 - swapped]
            if sign < 0:
                base, hit = -base[::-1], -hit[::-1]
            shares |= _shares(base)
            found = _best_threshold(base, hit, claim, ahead, alpha, pessimism, betting=betting)
            if best is None or found[0] > best.predicted:
                predicted, threshold, share = found
                side = "at least" if sign > 0 else "at most"
                words = f"{text} is {side} {sign * threshold:.6g}" if coordinate else text
                best = ScoreEvent(
                    scorer if sign > 0 else Negative(scorer),
                    threshold,
                    swapped,
                    share,
                    predicted,
                    words,
                )
                chosen, modelled_best = (base, hit), smooth
    if best is None:
        raise AssertionError("no scorer applies")
    chances = above(*chosen) if modelled_best else None
    if chances is not None:
        predicted, threshold, share = _best_of(*chances, claim, ahead, alpha)
        best = replace(best, predicted=predicted, threshold=threshold, share=share)
    return replace(best, searched=tuple(sorted(shares)), grid=_grid(*chosen))


def _candidates(
    sample: Drawn, names: Sequence[str], modelled: bool
) -> Iterator[tuple[str, Scorer, tuple[Floats, Floats], bool]]:
    """Scorers, scores of outputs that they were not fitted on, and whether these are log ratios of
    many values, whose distribution is smooth."""
    first, second = sample
    single: Sequence[int] = range(SINGLE)
    if modelled and first.shape[1] >= WIDE:
        single = apart(first, second)
        for text, scorer, scores in models(first, second):
            yield text, scorer, scores, True
    cut = int(FIT_SHARE * len(first))
    for text, scorer in scorers(first[:cut], second[:cut], names, single):
        # A coordinate is not fitted: its threshold may be chosen on all of the selection.
        start = 0 if isinstance(scorer, Coordinate) else cut
        yield text, scorer, (scorer(first[start:]), scorer(second[start:])), False


def _shares(base: Floats) -> set[float]:
    """About how probable the events above the scores' quantiles are."""
    at = base[(len(base) * np.linspace(0.02, 0.98, 25)).astype(int)]
    above = 1.0 - np.searchsorted(base, np.unique(at), side="left") / len(base)
    return {round(float(share), 2) for share in above if 0.005 < share < 0.995}


def _grid(base: Floats, hit: Floats) -> tuple[float, ...]:
    """A few thresholds of sorted scores: by quantiles, and closer together in both tails."""
    pooled = np.sort(np.concatenate([base, hit]))
    tail = np.geomspace(1, len(pooled) / 4, GRID // 4)
    middle = np.linspace(0.25 * len(pooled), 0.75 * len(pooled), GRID // 2)
    ranks = np.concatenate([tail, middle, len(pooled) - tail]).astype(int)
    return tuple(np.unique(pooled[np.clip(ranks, 0, len(pooled) - 1)]).tolist())


def _best_threshold(
    base: Floats,
    hit: Floats,
    claim: Guarantee,
    ahead: int,
    alpha: float,
    pessimism: float,
    *,
    betting: bool = False,
) -> tuple[float, float, float]:
    """Predicted bound, threshold and share for one ordering of sorted scores."""
    values = [x[np.append(True, x[1:] != x[:-1])] for x in (base, hit)]
    if len(values[0]) + len(values[1]) > THRESHOLDS:
        values = [_spread(x) for x in values]
    pooled = np.unique(np.concatenate(values))
    over = [len(x) - np.searchsorted(x, pooled, side="left") for x in (base, hit)]
    # Pessimistic by what this sample does not know: the best of many noisy ratios is flattered.
    q: Any = betaincinv(over[0] + 1.0, np.maximum(len(base) - over[0], 0.5), 1.0 - pessimism)
    p: Any = betaincinv(np.maximum(over[1], 0.5), len(hit) - over[1] + 1.0, pessimism)
    if betting:
        found = _bettable(p, q, claim)
        k = int(np.argmax(found))
        return float(found[k]), float(pooled[k]), 0.5
    return _best_of(pooled, p, q, claim, ahead, alpha)


def _bettable(p: Floats, q: Floats, claim: Guarantee) -> Floats:
    """How far an event is above what (epsilon, delta) allows, for the spread of what a pair of runs
    pays: wealth grows by half of its square."""
    slope = math.exp(claim.level)
    spread = np.sqrt(p * (1.0 - p) + slope**2 * q * (1.0 - q)) + 1e-9
    return np.asarray((p - slope * q - claim.delta) / spread)


def _best_of(
    thresholds: Floats, p: Floats, q: Floats, claim: Guarantee, ahead: int, alpha: float
) -> tuple[float, float, float]:
    """Predicted bound, threshold and share where a score is above its threshold with these
    probabilities, in the likelier world and in the other."""
    best = (-math.inf, float(thresholds[-1]), 0.5)
    for share in (*SPLITS, COIN) if claim.notion == "pure" else (0.5,):
        value = _predicted(p, q, claim, ahead, alpha, share)
        k = int(np.argmax(value))
        if value[k] > best[0]:
            best = (float(value[k]), float(thresholds[k]), share)
    return best


def _spread(values: Floats) -> Floats:
    """Half by quantile, half in the upper tail, where ratios are extreme."""
    each = THRESHOLDS // 4
    tail = len(values) - np.geomspace(1, len(values), each)
    ranks = np.concatenate([np.linspace(0, len(values) - 1, each), tail])
    spread: Floats = values[np.clip(ranks.astype(int), 0, len(values) - 1)]
    return spread


def _predicted(
    p: Floats, q: Floats, claim: Guarantee, ahead: int, alpha: float, share: float
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
    values: Any
    with np.errstate(divide="ignore", invalid="ignore"):
        if claim.notion in RENYI:
            values = divergence(low, high, claim, RANKED)
        elif claim.notion == "gdp":
            values = ndtri(low) - ndtri(np.minimum(high, 1 - 1e-12))
        elif claim.notion == "approximate":
            # Below delta nothing is shown: such events are ranked by the delta that they promise.
            shown = p - math.exp(claim.level) * q
            values = np.where(
                low > claim.delta, np.log(np.maximum(low - claim.delta, 1e-300) / high), shown - 9e9
            )
        else:
            values = np.log(np.maximum(low, 1e-300) / high)
    return np.asarray(np.nan_to_num(values, nan=-1e300, neginf=-1e300))


def count(evaluation: Evaluation[Drawn], event: ScoreEvent) -> tuple[int, int, int]:
    """Hits in the world where the event is likelier, hits in the other, and runs a world."""
    first, second = evaluation.sample
    likely, base = (first, second) if event.swapped else (second, first)
    hits, base_hits = int(event.happened(likely).sum()), int(event.happened(base).sum())
    return hits, base_hits, len(first)


def bound_counts(
    hits: int,
    base_hits: int,
    runs: int,
    event: ScoreEvent,
    claim: Guarantee,
    alpha: Alpha,
    coins: np.random.Generator,
) -> tuple[float, tuple[float, float] | None]:
    """Lower bound on the privacy parameter from the counts of the evaluation, and for claims that
    are not pure the bounds on the two probabilities. `coins` must be a stream that nothing else
    uses."""
    if claim.notion == "pure":
        if runs <= JOINT_LIMIT:
            return joint_log_ratio_lower(hits, base_hits, runs, alpha), None
        if event.share == COIN:
            return coin_log_ratio_lower(hits, base_hits, runs, alpha, coins), None
        return log_ratio_lower(hits, runs, base_hits, runs, alpha, event.share), None
    half, other_half = alpha.split(0.5, 0.5)
    p = proportion_lower(hits, runs, half)
    q = proportion_upper(base_hits, runs, other_half)
    return level_of(p, q, claim), (p, q)


def level_of(p: float, q: float, claim: Guarantee) -> float:
    """The least level that allows an event a probability of p or more in one world and of q or less
    in the other."""
    if claim.notion in RENYI:
        return renyi.lower(p, q, claim)
    if claim.notion == "gdp":
        return gdp_lower(p, q)
    return math.log((p - claim.delta) / q) if p > claim.delta else -math.inf
