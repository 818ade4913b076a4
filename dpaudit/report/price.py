"""The price of privacy, as one picture: regret against epsilon, what no private learner reaches,
what the literature says of it, and where those of the catalogue are.

Above two arms and few rounds, where the least regret is known; below many of both. A learner's line
is its regret at the epsilon that it is set to; the bar at 1 is what an audit says its epsilon is.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpaudit.report.figures import drawing
from dpaudit.report.figures.style import PALETTE, SMALL, legend_below, spread, title
from dpaudit.results.optima import Optima, OptimumResult

KEPT, BROKEN, APART = PALETTE[0], PALETTE[1], "#666666"
"""What an audit says of a learner's claim; grey: no pure epsilon is claimed and audited."""
STRIP = 1.9
"""Learners without a pure epsilon stand so far right of the largest one."""
TALL = 1.22
"""Of uniform play's regret: so high is a panel of few rounds. Who is worse leaves it."""
CLOSE = 0.034
"""Least distance of two names, as a part of the panel's height."""
WIDE = 36
"""Characters beside a panel."""
BAR: Any = {"lw": 3.2, "alpha": 0.85, "solid_capstyle": "butt", "marker": "|", "ms": 8, "mew": 1.8}
AUDITED_AT = 1.0
Audited = Mapping[str, tuple[float, float]]
"""The interval that an audit found, by the learner's name, in multiples of its epsilon."""
FEEDBACKS = ("full-information", "bandit")


@dataclass(frozen=True)
class Floor:
    """A lower bound of the literature, by epsilon."""

    name: str
    epsilons: Sequence[float]
    values: Sequence[float]
    asymptotic: bool


Floors = Mapping[tuple[str, bool], Sequence[Floor]]
"""By feedback, and whether the game is the large one."""


@dataclass(frozen=True)
class Line:
    """A learner's regret: epsilons and the middles and half widths of its intervals."""

    name: str
    epsilons: tuple[float, ...]
    regret: tuple[float, ...]
    apart: tuple[float, ...]

    def at(self, epsilon: float) -> float | None:
        pairs = zip(self.epsilons, self.regret, strict=True)
        return next((y for x, y in pairs if math.isclose(x, epsilon)), None)


def draw_price(optima: Optima, audited: Audited, floors: Floors, path: str | Path) -> None:
    below = fallen(optima)
    with drawing(path, 12.4, 10.2) as figure:
        grid = figure.subplots(2, 2, height_ratios=(1.25, 1.0))
        for axes, feedback in zip(grid[0], FEEDBACKS, strict=True):
            _small(axes, longest(optima, feedback), audited, floors.get((feedback, False), ()))
        for axes, feedback in zip(grid[1], FEEDBACKS, strict=True):
            _large(axes, optima, feedback, audited, floors.get((feedback, True), ()))
        legend_below(
            figure,
            {
                "regret of a learner by the epsilon it is set to": {"color": KEPT},
                "at 1: what its epsilon is, audited [lower, upper]": {"color": KEPT, **BAR},
                "the same, above the claim": {"color": BROKEN, **BAR},
                "no pure epsilon is claimed and audited": {"color": APART, "marker": "D", "ls": ""},
                "least regret of any private learner, certified": {"color": "black", "lw": 2.2},
                "lower bound of the literature": {"color": "0.35", "ls": "--"},
                "the same, for T to infinity only": {"color": "0.35", "ls": ":"},
            },
        )
        title(
            figure, "The price of privacy: regret against epsilon", *map(_sentence(audited), below)
        )


def longest(optima: Optima, feedback: str) -> list[OptimumResult]:
    """The optima of two arms, and of the most rounds that have one for every epsilon."""
    found = [e for e in optima.entries if e.feedback == feedback and e.arms == 2 and not e.delta]
    games = Counter(e.rounds for e in found)
    rounds = max(games, key=lambda n: (games[n], n))
    return sorted((e for e in found if e.rounds == rounds), key=lambda e: e.epsilon)


def fallen(optima: Optima) -> list[tuple[str, float]]:
    """Who has less regret than any learner that is private as it claims, and at which epsilon,
    the nearest to the one that is audited."""
    found: dict[str, float] = {}
    for feedback in FEEDBACKS:
        for e in longest(optima, feedback):
            for b in e.learners:
                away = abs(math.log(e.epsilon))
                if b.high < e.certified and away <= abs(math.log(found.get(b.name, math.inf))):
                    found[b.name] = e.epsilon
    return sorted(found.items())


def _sentence(audited: Audited) -> Any:
    """Of those that claim something."""

    def said(entry: tuple[str, float]) -> str:
        name, epsilon = entry
        if name not in audited:
            return ""
        low, high = (f"{end * epsilon:.3g}" for end in audited[name])
        found = f"its epsilon is {low}" if low == high else f"its epsilon is in [{low}, {high}]"
        return (
            f"{name}, set to epsilon = {epsilon:g}, has less regret than any learner of that "
            f"epsilon: audited, {found}"
        )

    return said


def _small(axes: Any, entries: Sequence[OptimumResult], audited: Audited, floors: Any) -> None:
    epsilons = [e.epsilon for e in entries]
    bound = [e.certified for e in entries]
    names = dict.fromkeys(b.name for e in entries for b in e.learners)
    lines = []
    for name in names:
        own = [(e.epsilon, b) for e in entries for b in e.learners if b.name == name]
        lines.append(_line(name, [x for x, _ in own], [(b.low, b.high) for _, b in own]))
    axes.set(ylim=(0.0, entries[0].uniform * TALL), ylabel="worst-case regret")
    axes.fill_between(epsilons, 0.0, bound, color="0.93", lw=0, zorder=0)
    axes.plot(epsilons, bound, color="black", lw=2.2, zorder=4)
    first = entries[0]
    axes.axhline(first.uniform, color="0.6", lw=0.8, zorder=0)
    axes.text(
        epsilons[-1] * STRIP, first.uniform * 1.005, "uniform\nplay",
        fontsize=SMALL - 0.5, color="0.4", va="bottom", ha="center",
    )  # fmt: skip
    middle = len(bound) // 2
    axes.text(
        epsilons[middle] * 1.05, bound[middle] * 0.52, "no private learner is here",
        fontsize=SMALL + 0.5, color="0.3", ha="center",
    )  # fmt: skip
    _finish(axes, lines, audited, floors, epsilons)
    axes.set_title(
        f"{first.feedback}, K = {first.arms}, T = {first.rounds}, gap {first.instance_gap:g}"
    )


def _large(axes: Any, optima: Optima, feedback: str, audited: Audited, floors: Any) -> None:
    lines = [
        _line(e.name, e.epsilons, list(zip(e.low, e.high, strict=True)))
        for e in optima.large
        if e.feedback == feedback
    ]
    axes.set(yscale="log", ylabel="regret")
    values = [y for line in lines for y in line.regret]
    shown = [f for f in floors if max(f.values) > 0.05 * min(values)]
    low = min([min(values), *(min(y for y in f.values if y > 0.0) for f in shown)], default=1.0)
    axes.set_ylim(low * 0.7, max(values, default=1.0) * 1.6)
    epsilons = sorted({x for line in lines for x in line.epsilons})
    _finish(axes, lines, audited, shown, epsilons)
    axes.set_title(
        f"{feedback}, K = {optima.large_arms}, T = {_power(optima.large_rounds)}, gap "
        f"{optima.large_gap:g}: no least regret can be computed"
    )


def _power(rounds: float) -> str:
    power = round(math.log10(rounds))
    return f"$10^{{{power}}}$" if rounds == 10.0**power else f"{rounds:g}"


def _line(name: str, epsilons: Sequence[float], ends: Sequence[tuple[float, float]]) -> Line:
    middles = tuple((low + high) / 2 for low, high in ends)
    return Line(name, tuple(epsilons), middles, tuple((high - low) / 2 for low, high in ends))


def _finish(
    axes: Any, lines: Sequence[Line], audited: Audited, floors: Any, epsilons: Sequence[float]
) -> None:
    """Learners, bounds, names and the axis of epsilons."""
    left, right = epsilons[0], epsilons[-1]
    strip = right * STRIP
    apart = any(line.name not in audited for line in lines)
    axes.set(xscale="log", xlim=(left / 1.08, strip * 1.35 if apart else right * 1.05))
    axes.set(xlabel="epsilon")
    if apart:
        axes.axvline(right * math.sqrt(STRIP), color="0.8", lw=0.8, zorder=0)
    ticks = [(e, f"{e:g}") for e in epsilons] + ([(strip, "no pure\nepsilon")] if apart else [])
    axes.set_xticks(*map(list, zip(*ticks, strict=True)))
    axes.minorticks_off()
    for floor in floors:
        _floor(axes, floor)
    ends = []
    for line in sorted(lines, key=lambda line: _broken(line.name, audited)):
        if line.name in audited:
            colour = BROKEN if _broken(line.name, audited) else KEPT
            ends.append((line.name, colour, _claimed(axes, line, audited[line.name], colour)))
        else:
            axes.plot([strip], [line.regret[-1]], color=APART, marker="D", ms=3.5, ls="")
            ends.append((line.name, APART, (strip, line.regret[-1])))
    _names(axes, ends)


def _broken(name: str, audited: Audited) -> bool:
    return name in audited and audited[name][0] > AUDITED_AT * (1 + 1e-9)


def _claimed(
    axes: Any, line: Line, interval: tuple[float, float], colour: str
) -> tuple[float, float]:
    axes.plot(line.epsilons, line.regret, color=colour, lw=0.9, alpha=0.75)
    low, high = (
        [y + sign * a for y, a in zip(line.regret, line.apart, strict=True)] for sign in (-1, 1)
    )
    axes.fill_between(line.epsilons, low, high, color=colour, alpha=0.07, lw=0)
    here = line.at(AUDITED_AT)
    if here is not None:
        at = [max(interval[0], axes.get_xlim()[0]), interval[1]]
        axes.plot([AUDITED_AT, *at], [here] * 3, color=colour, lw=1.0, ls=(0, (2, 1)), zorder=5)
        axes.plot(at, [here, here], color=colour, **BAR, zorder=6)
        axes.plot([AUDITED_AT], [here], color=colour, marker="o", ms=3.2, zorder=7)
    return line.epsilons[-1], line.regret[-1]


def _floor(axes: Any, floor: Floor) -> None:
    pairs = [(x, y) for x, y in zip(floor.epsilons, floor.values, strict=True) if y > 0.0]
    x, y = zip(*pairs, strict=True)
    axes.plot(x, y, color="0.35", lw=1.0, ls=":" if floor.asymptotic else "--", zorder=3)
    place = len(x) // 6
    axes.annotate(
        floor.name, (x[place], y[place]), (5, 2), textcoords="offset points", va="bottom",
        fontsize=SMALL - 0.5, color="0.25", zorder=7,
    )  # fmt: skip


def _rows(names: Iterable[str]) -> list[str]:
    """As many names in a row as there is room for."""
    rows: list[str] = []
    for name in names:
        if rows and len(rows[-1]) + len(name) < WIDE:
            rows[-1] += f", {name}"
        else:
            rows.append(name)
    return rows


def _names(axes: Any, ends: Sequence[tuple[str, str, tuple[float, float]]]) -> None:
    """Right of the panel, at the heights of the lines' ends or as near as there is room; those that
    end at the same height have one."""
    within = axes.transScale + axes.transLimits
    placed = sorted((tuple(within.transform(end)), name, colour) for name, colour, end in ends)
    placed.sort(key=lambda p: p[0][1])
    together = []
    for _, group in itertools.groupby(placed, lambda p: (round(p[0][1], 3), p[0][0], p[2])):
        (at, _, colour), *_ = same = list(group)
        together += [(at, names, colour) for names in _rows(name for _, name, _ in same)]
    heights = spread([at[1] for at, _, _ in together], CLOSE)
    for (at, name, colour), height in zip(together, heights, strict=True):
        axes.plot(
            [at[0] + 0.005, 1.0, 1.02], [at[1], at[1], height], transform=axes.transAxes,
            color=colour, lw=0.4, alpha=0.5, clip_on=False,
        )  # fmt: skip
        axes.text(
            1.025, height, name, transform=axes.transAxes, color=colour, fontsize=SMALL - 0.5,
            va="center",
        )  # fmt: skip
