"""Upper bounds on the regret over boxes of gaps, fixed payoffs.

An arm wins where its noise, less its gap in units of the scale, is the largest. The noises'
densities are log-concave and this is a convex set of noises and gaps together, so that the
probability is log-concave in the gaps (Prekopa's theorem), and so is gap times probability: its
tangent at a box's centre, taken of the logarithm, is above it on the whole box. The sum of these
exponentials over epochs and groups is convex, so that the box's corners have its maximum. Epochs
in which the centre says little are bounded by the largest gap, or by the duels with the best arm.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpaudit.algorithm.exact import NoisyMax
from dpaudit.errors import UsageError
from dpaudit.laboratory.exact.regret import learner_of, supported
from dpaudit.laboratory.exact.sums import Floats
from dpaudit.laboratory.exact.worst.duels import duel, duels

SLACK = 1e-5
"""Relative allowance for the errors of `duels`, of its slopes, and of rounding."""
FAINT, LOW = 1e-6, 1e-4
"""Winning probabilities, in units of those of equal arms, and gaps, in scales, below which there is
no tangent."""
Box = tuple[tuple[float, ...], tuple[float, ...]]
"""The lowest gaps and the highest."""


@dataclass(frozen=True)
class Bounded:
    """Of each box: the upper bound; the centre (boxes x groups) and the regret there; the axis
    across which the bound is the loosest."""

    most: Floats
    here: Floats
    centre: Floats
    axis: NDArray[np.int64]


class Bounds:
    """What is the same for all boxes."""

    def __init__(
        self,
        target: str,
        counts: Sequence[float],
        horizon: int,
        epsilon: float,
        parameters: Mapping[str, float | str],
    ) -> None:
        self.counts = np.array(counts)
        algorithm = supported(target)
        settings = algorithm.settings(
            arms=int(self.counts.sum() + 1.0), epsilon=epsilon, horizon=None, given=parameters
        )
        noisy = isinstance(algorithm.exact, NoisyMax) or algorithm.card.name == "ftnl"
        if not noisy or settings.get("resample") == "1":
            raise UsageError(
                f"target: got {target!r}, allowed are leaders by noisy sums, fixed losses not "
                "resampled"
            )
        learner = self.learner = learner_of(algorithm, settings, True)
        # A learner on losses begins with any action.
        self.shares = self.counts / (self.counts.sum() + 1.0) if learner.sign < 0 else None
        epochs = range(1, horizon.bit_length())
        self.rounds = np.array([min(2**e, horizon - 2**e + 1) for e in epochs], float)
        self.lengths = np.array([2.0 ** (e - 1) for e in epochs])
        self.corners = np.array(
            list(itertools.product((0, 1), repeat=len(self.counts))), dtype=bool
        )

    def of(self, boxes: Sequence[Box]) -> Bounded:
        low, high = (np.array([box[end] for box in boxes]) for end in (0, 1))
        centre = np.where(low > 0.0, np.sqrt(low * high), 0.5 * high)
        corners = np.where(self.corners[:, None, :], high, low)  # corners x boxes x groups
        scaled = self.lengths[:, None] / self.learner.scale
        value, slope = self._tangents(centre, scaled)
        faint = np.isnan(value)
        # Epochs x boxes: what needs no tangent.
        met = duel(self.learner.noise, scaled[:, :, None] * low) * self.counts
        one = high * np.minimum(met, 1.0)  # epochs x boxes x groups
        plain = np.minimum(high.max(axis=1), one.sum(axis=2))
        moved = np.einsum("ebgh,cbh->cebg", slope, corners - centre)
        with np.errstate(over="ignore"):
            terms = value * np.exp(np.minimum(moved, 700.0))
        # A group that hardly ever wins in the middle of the box has its duel only.
        tangent = np.where(faint, one, terms).sum(axis=3)  # corners x epochs x boxes
        whole = np.where(tangent.max(axis=0) < plain, tangent, plain)
        most = (self.rounds @ whole + self._start(corners)).max(axis=0)
        known = np.where(faint, 0.0, value)
        wide = (slope * (high - low)[:, None, :]) ** 2
        loose = np.einsum("e,ebg,ebgh->bh", self.rounds, known, wide)
        loose += np.einsum("e,ebg->bg", self.rounds, np.where(faint, one, 0.0)) * (low < high)
        # Of groups of the same size the mirrored box says the same.
        mirrored = (low[:, :-1] >= high[:, 1:]) & (self.counts[:-1] == self.counts[1:])
        most = np.where(mirrored.any(axis=1), 0.0, most * (1.0 + SLACK))
        here = self.rounds @ known.sum(axis=2) + self._start(centre)
        return Bounded(most, here, centre, loose.argmax(axis=1))

    def _start(self, gaps: Floats) -> Floats:
        return np.asarray(gaps.max(axis=-1) if self.shares is None else gaps @ self.shares)

    def _tangents(self, centre: Floats, scaled: Floats) -> tuple[Floats, Floats]:
        """Gap times probability (epochs x boxes x groups; NaN where it is not taken), and the
        gradient of its logarithm in the gaps (... x groups)."""
        away = scaled[:, :, None] * centre
        shape, groups = away.shape, away.shape[2]
        rows = away.reshape(-1, groups)
        live = (rows.max(axis=1) > LOW) & (rows.min(axis=1) < 60.0 + math.log(self.counts.sum()))
        chance = np.full(rows.shape, np.nan)
        change = np.zeros((*rows.shape, groups))
        if live.any():
            won, ties = duels(self.learner.noise, rows[live], self.counts)
            moves = ties[:, :, 1:].copy()
            moves[:, range(groups), range(groups)] = -ties.sum(axis=2)
            with np.errstate(divide="ignore", invalid="ignore"):
                change[live] = moves / won[:, :, None]
            shares = self.counts / (1.0 + self.counts.sum())
            chance[live] = np.where(won > FAINT * shares, won, np.nan)
        value = chance.reshape(shape) * centre
        slope = change.reshape(*shape, groups) * scaled[:, :, None, None]
        slope[:, :, range(groups), range(groups)] += 1.0 / centre
        return value, np.where(np.isnan(value)[:, :, :, None], 0.0, slope)
