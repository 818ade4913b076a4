"""The worst gaps: a certified bracket of the regret's supremum over gap profiles, fixed payoffs.

One best arm, groups of equal arms beside it, their gaps anywhere in [0, 1]: branch and bound. With
fixed payoffs an arm wins where its noise, less its gap in units of the scale, is the largest. The
noises' densities are log-concave and this is a convex set of noises and gaps together, so that the
probability is log-concave in the gaps (Prekopa's theorem), and so is gap times probability: its
tangent at a box's centre, taken of the logarithm, is above it on the whole box. The sum of these
exponentials over epochs and groups is convex, so that the box's corners have its maximum. Epochs
in which the box's centre says little are bounded by the largest gap, or by the duel with the best.

Who doubts an answer replays it: `replay` goes down the recorded cuts, which cover all gap profiles
by construction, bounds every box again, and computes the found instance by `exact_regret`.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpaudit.errors import UsageError, check_count, check_number
from dpaudit.laboratory.exact.duels import duel, duels
from dpaudit.laboratory.exact.regret import LONGEST, MOST_ARMS, exact_regret, learner_of, supported
from dpaudit.laboratory.exact.sums import Floats

BATCH = 64
"""Boxes bounded at once."""
SLACK = 1e-5
"""Relative allowance for the errors of `duels`, of its slopes, and of rounding."""
FAINT, LOW = 1e-6, 1e-4
"""Winning probabilities and gaps (in scales) below which there is no tangent."""
MOST_GROUPS = 4
"""Beside the best arm's; boxes grow in number exponentially with it."""
Cut = tuple[int, float] | None
"""An axis and where a box is cut across it; None is a box that is bounded as a whole."""


@dataclass(frozen=True)
class Question:
    """The setting: what is played, how many equal arms in each group beside the best arm."""

    target: str
    counts: tuple[float, ...]
    horizon: int
    epsilon: float
    parameters: tuple[tuple[str, float | str], ...] = ()


@dataclass(frozen=True)
class Worst:
    """`least` <= the supremum of the regret over gaps in [0, 1] <= `most`; `gaps` are the instance
    whose regret is at least `least`, and `cuts` the boxes, the first half of each cut first."""

    question: Question
    least: float
    most: float
    gaps: tuple[float, ...]
    cuts: tuple[Cut, ...]

    @property
    def boxes(self) -> int:
        return sum(cut is None for cut in self.cuts)


def worst_gaps(
    target: str,
    counts: Sequence[float],
    horizon: int,
    *,
    epsilon: float,
    tolerance: float = 0.02,
    most_boxes: int = 50_000,
    **parameters: float | str,
) -> Worst:
    """Search until the bracket's ends differ by the relative `tolerance`, or there are as many
    boxes as are allowed: then the bracket is wider.

    Of a learner that begins with its first action, that is the action of the largest gap.
    """
    groups = tuple(check_number("counts", count, 1, MOST_ARMS) for count in counts)
    if not 1 <= len(groups) <= MOST_GROUPS:
        raise UsageError(f"counts: got {len(groups)} groups, allowed are 1 to {MOST_GROUPS}")
    check_number("tolerance", tolerance, 1e-4, 10.0)
    asked = Question(
        target,
        groups,
        check_count("horizon", horizon, 1, LONGEST),
        check_number("epsilon", epsilon, 0.0, math.inf, low_open=True),
        tuple(sorted(parameters.items())),
    )
    bounds, size = _Bounds(asked), len(groups)
    whole = (0.0,) * size, (1.0,) * size
    first = bounds.of([whole])
    heap = [(-float(first.most[0]), 0, *whole, int(first.axis[0]))]
    children: dict[int, tuple[int, float, int, int]] = {}
    found, where, made = float(first.here[0]), first.centre[0], 1
    while heap and len(heap) < most_boxes:
        batch = []
        while heap and len(batch) < BATCH and -heap[0][0] > found * (1.0 + 0.9 * tolerance):
            batch.append(heapq.heappop(heap))
        if not batch:
            break
        fresh: list[tuple[int, tuple[float, ...], tuple[float, ...]]] = []
        for _, name, low, high, along in batch:
            axis, point = _cut(low, high, along)
            children[name] = (axis, point, made, made + 1)
            fresh.append((made, low, _moved(high, axis, point)))
            fresh.append((made + 1, _moved(low, axis, point), high))
            made += 2
        new = bounds.of([(low, high) for _, low, high in fresh])
        if new.here.max() > found:
            found, where = float(new.here.max()), new.centre[int(new.here.argmax())]
        for (name, low, high), bound, axis in zip(fresh, new.most, new.axis, strict=True):
            heapq.heappush(heap, (-float(bound), name, low, high, int(axis)))
    cuts: list[Cut] = []
    stack = [0]
    while stack:
        split = children.get(stack.pop())
        cuts.append(None if split is None else split[:2])
        if split is not None:
            stack += [split[3], split[2]]
    least = instance_regret(asked, where)
    return Worst(asked, least, max(least, -heap[0][0]), tuple(map(float, where)), tuple(cuts))


def replay(worst: Worst) -> bool:
    """Whether the recorded cuts give the upper end again, and the instance the lower one."""
    size = len(worst.question.counts)
    stack = [((0.0,) * size, (1.0,) * size)]
    leaves = []
    for cut in worst.cuts:
        if not stack:
            return False
        low, high = stack.pop()
        if cut is None:
            leaves.append((low, high))
            continue
        axis, point = cut
        if not low[axis] <= point <= high[axis]:
            return False
        stack.append((_moved(low, axis, point), high))
        stack.append((low, _moved(high, axis, point)))
    bounds = _Bounds(worst.question)
    parts = [leaves[i : i + BATCH] for i in range(0, len(leaves), BATCH)]
    most = max(float(bounds.of(part).most.max()) for part in parts)
    least = instance_regret(worst.question, worst.gaps)
    return not stack and most <= worst.most * (1.0 + 1e-12) and least >= worst.least


def instance(question: Question, gaps: Sequence[float]) -> tuple[list[float], list[float]]:
    """Means and counts for `exact_regret`: the largest gap first, the best arm last."""
    losses = supported(question.target).card.payoff == "losses"
    order = np.argsort(gaps)[::-1]
    means = [float(gaps[g]) if losses else 1.0 - float(gaps[g]) for g in order]
    return [*means, 0.0 if losses else 1.0], [*(question.counts[g] for g in order), 1.0]


def instance_regret(question: Question, gaps: Sequence[float]) -> float:
    """A lower bound on the instance's regret."""
    means, counts = instance(question, gaps)
    found = exact_regret(
        question.target,
        means,
        question.horizon,
        epsilon=question.epsilon,
        environment="deterministic",
        counts=counts,
        **dict(question.parameters),
    )
    return float(found.regret[0] - found.error[0])


def _cut(low: tuple[float, ...], high: tuple[float, ...], axis: int) -> tuple[int, float]:
    """In the middle of the logarithm; from 0 on first a sixteenth."""
    if low[axis] == 0.0:
        return axis, high[axis] / 16.0
    return axis, math.sqrt(low[axis] * high[axis])


def _moved(ends: tuple[float, ...], axis: int, point: float) -> tuple[float, ...]:
    return (*ends[:axis], point, *ends[axis + 1 :])


@dataclass(frozen=True)
class _Bounded:
    """Of each box: the upper bound; the centre (boxes x groups) and the regret there; the axis
    across which the bound is the loosest."""

    most: Floats
    here: Floats
    centre: Floats
    axis: NDArray[np.int64]


class _Bounds:
    """What is the same for all boxes."""

    def __init__(self, question: Question) -> None:
        counts = np.array(question.counts)
        algorithm = supported(question.target)
        settings = algorithm.settings(
            arms=int(counts.sum() + 1.0),
            epsilon=question.epsilon,
            horizon=None,
            given=dict(question.parameters),
        )
        learner = learner_of(algorithm, settings, True)
        if algorithm.card.name == "follow-the-leader" or not learner.fixed:
            raise UsageError("target: allowed are noisy leaders that do not resample fixed losses")
        self.learner, self.counts = learner, counts
        # A learner on losses begins with any action.
        self.shares = counts / (counts.sum() + 1.0) if learner.sign < 0 else None
        epochs = range(1, question.horizon.bit_length())
        self.rounds = np.array([min(2**e, question.horizon - 2**e + 1) for e in epochs], float)
        self.lengths = np.array([2.0 ** (e - 1) for e in epochs])
        self.corners = np.array(list(itertools.product((0, 1), repeat=len(counts))), dtype=bool)

    def of(self, boxes: Sequence[tuple[tuple[float, ...], tuple[float, ...]]]) -> _Bounded:
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
        return _Bounded(most, here, centre, loose.argmax(axis=1))

    def _start(self, gaps: Floats) -> Floats:
        return gaps.max(axis=-1) if self.shares is None else gaps @ self.shares

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
            chance[live] = np.where(won > FAINT, won, np.nan)
        chance, change = chance.reshape(shape), change.reshape(*shape, groups)
        value = chance * centre
        slope = change * scaled[:, :, None, None]
        slope[:, :, range(groups), range(groups)] += 1.0 / centre
        return value, np.where(np.isnan(value)[:, :, :, None], 0.0, slope)
