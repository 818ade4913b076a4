"""A certified bracket of the regret's supremum over gap profiles, fixed payoffs: branch and bound.

One best arm, groups of equal arms beside it, their gaps anywhere in [0, 1]. Who doubts an answer
replays it: `replay` goes down the recorded cuts, which cover all gap profiles by construction,
bounds every box again, and computes the found instance by `exact_regret`.
"""

from __future__ import annotations

import heapq
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from dpaudit.errors import UsageError, check_count, check_number
from dpaudit.laboratory.exact.regret import LONGEST, MOST_ARMS, exact_regret, supported
from dpaudit.laboratory.exact.worst.bounds import Bounds

TOLERANCE = 0.02
"""Of the bracket, unless something else is asked for."""
BATCH = 64
"""Boxes bounded at once."""
SCHEMA = "dpaudit/worst-gaps/1"
MOST_GROUPS = 4
"""Beside the best arm's; boxes grow in number exponentially with it."""
Cut = tuple[int, float] | None
"""An axis and where a box is cut across it; None is a box that is bounded as a whole."""
Entry = tuple[float, int, tuple[float, ...], tuple[float, ...], int]
"""A box in the queue: minus its bound, its name, its ends, and the axis to cut across."""


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
    complete: bool = True

    @property
    def boxes(self) -> int:
        return sum(cut is None for cut in self.cuts)

    def json(self) -> str:
        """Everything that `replay` needs."""
        return json.dumps({"schema": SCHEMA, **asdict(self)})


def worst_gaps(
    target: str,
    counts: Sequence[float],
    horizon: int,
    *,
    epsilon: float,
    tolerance: float = TOLERANCE,
    most_boxes: int = 50_000,
    progress: Callable[[int, float, float], None] | None = None,
    **parameters: float | str,
) -> Worst:
    """Search until the bracket's ends differ by the relative `tolerance`, or there are as many
    boxes as are allowed, or it is interrupted: then the bracket is wider. `progress` is told how
    many boxes there are, and the bracket so far.

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
    bounds, size = _bounds(asked), len(groups)
    whole = (0.0,) * size, (1.0,) * size
    first = bounds.of([whole])
    heap: list[Entry] = [(-float(first.most[0]), 0, *whole, int(first.axis[0]))]
    children: dict[int, tuple[int, float, int, int]] = {}
    found, where, made, complete = float(first.here[0]), first.centre[0], 1, True
    while heap and len(heap) < most_boxes:
        batch: list[Entry] = []
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
        try:
            new = bounds.of([(low, high) for _, low, high in fresh])
        except KeyboardInterrupt:  # these boxes stay uncut
            for entry in batch:
                heapq.heappush(heap, entry)
                del children[entry[1]]
            complete = False
            break
        if new.here.max() > found:
            found, where = float(new.here.max()), new.centre[int(new.here.argmax())]
        for (name, low, high), bound, axis in zip(fresh, new.most, new.axis, strict=True):
            heapq.heappush(heap, (-float(bound), name, low, high, int(axis)))
        if progress is not None:
            progress(len(heap), found, -heap[0][0])
    cuts: list[Cut] = []
    stack = [0]
    while stack:
        split = children.get(stack.pop())
        cuts.append(None if split is None else split[:2])
        if split is not None:
            stack += [split[3], split[2]]
    least = instance_regret(asked, where)
    gaps, most = tuple(map(float, where)), max(least, -heap[0][0])
    return Worst(asked, least, most, gaps, tuple(cuts), complete)


def _bounds(asked: Question) -> Bounds:
    how = asked.counts, asked.horizon, asked.epsilon, dict(asked.parameters)
    return Bounds(asked.target, *how)


def read(text: str) -> Worst:
    """What `json` wrote."""
    try:
        found = json.loads(text)
        if found.pop("schema") != SCHEMA:
            raise ValueError
        asked = found.pop("question")
        for name in ("counts", "parameters"):
            asked[name] = tuple(tuple(x) if isinstance(x, list) else x for x in asked[name])
        cuts = tuple(None if cut is None else (cut[0], cut[1]) for cut in found.pop("cuts"))
        gaps = tuple(found.pop("gaps"))
        return Worst(Question(**asked), gaps=gaps, cuts=cuts, **found)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UsageError(f"worst gaps: not a document of {SCHEMA}") from None


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
    bounds = _bounds(worst.question)
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
