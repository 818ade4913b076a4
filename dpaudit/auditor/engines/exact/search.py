"""The worst pair of binary tables for an outcome: the largest ratio of its two probabilities.

Where few values of the sums are possible all are tried on a grid, else a climb goes from corners;
what is found is certified in balls.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import flint
import numpy as np

from dpaudit.auditor.engines.exact.noisy_max import lower_log_ratio
from dpaudit.auditor.engines.exact.outcomes import Chances, Sums
from dpaudit.results.found import Floats

BITS = 192
MOST_BITS = 6144
LEAST = 1e-9
"""Outcomes of less probability are left out: the grid does not resolve their ratio."""
RESOLVED, LOOKED_AT = 1e-14, 4
"""Smaller probabilities are rounding errors: of the first ones balls say what they are."""
ALIKE = 1e-9
"""Log-ratios that differ by less are the same."""
GRID_ERROR = 2e-5
"""Largest error of a log-ratio on the grid (tested against the certified values)."""
TRIED = 10_000_000
"""Numbers in one array up to which all sums are tried."""
MOST_SUMS = 4
"""With more sums than these a climb would not say much."""
CORNERS = 12
LIKELY, BISECTIONS = 1e-3, 16
"""A climb also starts where an outcome stops being likely between two corners."""
CLIMB_BITS = 128
SHARP = 1e-17


@dataclass(frozen=True)
class Worst:
    """A log-ratio: the sums in the likelier world, and in the other."""

    loss: float
    sums: Sums
    other: Sums


def steps(chances: Chances) -> list[tuple[int, ...]]:
    """How one changed round can move the sums."""
    found = []
    for group in chances.groups:
        for moves in itertools.product((0, -1, 1), repeat=len(group)):
            if any(moves):
                step = [0] * len(chances.sums)
                for place, move in zip(group, moves, strict=True):
                    step[place] = move
                found.append(tuple(step))
    return found


def worst(chances: Chances) -> Worst | None:
    """The largest log-ratio; None where nothing moves the probability."""
    if not chances.sums:
        return None
    return _tried(chances) if chances.largest <= TRIED else _climbed(chances)


def _tried(chances: Chances) -> Worst | None:
    """The first pair, in the order of the sums, of those that are the worst but for rounding."""
    table, found = chances.everywhere(), list[Worst]()
    for step in steps(chances):
        moves = list(zip(step, table.shape, strict=True))
        here = tuple(slice(max(0, -s), n + min(0, -s)) for s, n in moves)
        there = tuple(slice(max(0, s), n + min(0, s)) for s, n in moves)

        def pair(place: Any, loss: float, step: Sums = step, here: Any = here) -> Worst:
            sums = tuple(int(i) + s.start for i, s in zip(place, here, strict=True))
            return Worst(loss, sums, tuple(a + b for a, b in zip(sums, step, strict=True)))

        likely, resolved = table[here] > LEAST, table[there] > RESOLVED
        for place in np.argwhere(likely & ~resolved)[:LOOKED_AT]:
            steep = pair(place, math.inf)
            low, _ = certified(chances, steep)
            if low == math.inf:
                return steep
            found.append(replace(steep, loss=low))
        both = likely & resolved
        if both.any():
            ratio = np.where(both, table[here], 1.0) / np.where(both, table[there], 1.0)
            loss = np.where(both, np.log(ratio), -math.inf)
            # argmax takes the first True.
            first = np.unravel_index(int(np.argmax(loss >= loss.max() - ALIKE)), loss.shape)
            found.append(pair(first, float(loss[first])))
    most = max((each.loss for each in found), default=0.0)
    alike = [each for each in found if each.loss >= most - ALIKE]
    return min(alike, key=lambda each: each.sums, default=None)


def _climbed(chances: Chances) -> Worst | None:
    known: dict[Sums, float] = {}

    def log(sums: Sums) -> float:
        if sums not in known:
            with flint.ctx.workprec(CLIMB_BITS):
                chance = chances.at(sums)
                # What these bits do not tell from 0 is taken as large as it may be.
                known[sums] = (
                    -math.inf
                    if chance.is_zero()
                    else float((chance if chance > 0 else chance.upper()).log().mid())
                )
        return known[sums]

    tops, moves = [each.most for each in chances.sums], steps(chances)

    def inside(sums: Sums) -> bool:
        return all(0 <= s <= top for s, top in zip(sums, tops, strict=True))

    def best_at(sums: Sums) -> Worst:
        others = (tuple(a + b for a, b in zip(sums, step, strict=True)) for step in moves)
        here = log(sums)
        if not math.isfinite(here) or here < math.log(LEAST):
            return Worst(-math.inf, sums, sums)
        return max(
            (Worst(here - log(other), sums, other) for other in others if inside(other)),
            key=lambda found: found.loss,
        )

    corners = list(itertools.islice(itertools.product(*((0, top) for top in tops)), CORNERS))
    edges = [
        _between(log, a, b) for a in corners for b in corners if log(a) > math.log(LIKELY) > log(b)
    ]
    middle = tuple(top // 2 for top in tops)
    best: Worst | None = None
    for start in dict.fromkeys((*corners, middle, *edges)):
        current = best_at(start)
        for stride in _strides(max(tops)):
            improved = True
            while improved:
                improved = False
                for place, sign in itertools.product(range(len(tops)), (-1, 1)):
                    moved = list(current.sums)
                    moved[place] = min(max(moved[place] + sign * stride, 0), tops[place])
                    found = best_at(tuple(moved))
                    if found.loss > current.loss + 1e-12:
                        current, improved = found, True
        if best is None or current.loss > best.loss:
            best = current
    return best


def _between(log: Callable[[Sums], float], likely: Sums, unlikely: Sums) -> Sums:
    """On the way from one to the other, where the outcome stops being likely."""
    near, far = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = 0.5 * (near + far)
        place = _on_the_way(likely, unlikely, middle)
        near, far = (middle, far) if log(place) > math.log(LIKELY) else (near, middle)
    return _on_the_way(likely, unlikely, near)


def _on_the_way(a: Sums, b: Sums, part: float) -> Sums:
    return tuple(round(x + part * (y - x)) for x, y in zip(a, b, strict=True))


def _strides(most: int) -> Iterator[int]:
    stride = max(1, most // 4)
    while stride > 1:
        yield stride
        stride //= 4
    yield 1


def certified(chances: Chances, found: Worst) -> tuple[float, float]:
    """A double that is certainly at most the log-ratio, and the nearest one; infinite where the
    other world's probability is certainly 0 and this one's is not."""
    bits = BITS
    while True:
        with flint.ctx.workprec(bits):
            here, there = chances.at(found.sums), chances.at(found.other)
            if here > 0 and there.is_zero():
                return math.inf, math.inf
            ratio = (here / there).log()
            sharp = bool(ratio.is_finite()) and float(ratio.rad()) < SHARP
            if sharp or bits >= MOST_BITS:
                low = lower_log_ratio(here, there)
                return low, float(ratio.mid()) if ratio.is_finite() else low
        bits *= 2


def tables(chances: Chances, found: Worst, rounds: int, arms: int) -> tuple[Floats, Floats, int]:
    """Tables with these sums, the likelier one first, and the round that differs. What does not
    count is 0. Of rounds that are alike it is the one where the last 1 goes or comes; where several
    arms count in a round, the first."""
    likely = np.zeros((rounds, arms))
    moves = [b - a for a, b in zip(found.sums, found.other, strict=True)]
    (moved,) = (group for group in chances.groups if any(moves[i] for i in group))
    changed = 0
    for i, (each, total) in enumerate(zip(chances.sums, found.sums, strict=True)):
        order = list(each.rounds)
        if i in moved and len(moved) == 1:
            changed = order[min(total, found.other[i])]
        elif i in moved:
            changed = order[0]
            ones_first = moves[i] < 0 or (moves[i] == 0 and total == each.most)
            order = order if ones_first else [*order[1:], order[0]]
        likely[[t - 1 for t in order[:total]], each.arm] = 1.0
    other = likely.copy()
    for i in moved:
        other[changed - 1, chances.sums[i].arm] += moves[i]
    return likely, other, changed


def most_likely(chances: Chances) -> Sums | None:
    """Sums that make an outcome likely, where balls say that it is possible; None if none do."""
    if not chances.sums or chances.largest > TRIED:
        tops = [each.most for each in chances.sums]
        tried = itertools.islice(itertools.product(*((0, top) for top in tops)), CORNERS)
        places = [*tried, tuple(top // 2 for top in tops)]
    else:
        table = chances.everywhere()
        best = np.unravel_index(int(np.argmax(table)), table.shape)
        places = [tuple(int(i) for i in best)]
    with flint.ctx.workprec(BITS):
        return next((sums for sums in places if chances.at(sums) > 0), None)


def lead(chances: Chances, likely: Sums, pair: tuple[Floats, Floats]) -> None:
    """Fill both tables with these sums."""
    for each, total in zip(chances.sums, likely, strict=True):
        for one in pair:
            one[[t - 1 for t in each.rounds[:total]], each.arm] = 1.0
