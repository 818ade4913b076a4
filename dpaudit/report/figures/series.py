"""Points of a scaling study as lines that can be drawn: each a function of x, at most six in a
panel, none left out. And what is drawn beside them: the least possible, and how laws grow."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dpaudit.results.scaling import Point, Study

PANEL = 6
"""Lines that are told apart in one panel."""
ASIDE = {
    "epsilon": "epsilon {:.3g}",
    "gap": "gap {:.3g}",
    "arms": "K {}",
    "horizon": "T {:.3g}",
    "instance": "{}",
    "environment": "{}",
}
"""What distinguishes the points of a series that are at the same x, and how it is named."""
LAWS: Mapping[str, Callable[[float], float]] = {
    "log": math.log,
    "log^2": lambda x: math.log(x) ** 2,
    "log^3": lambda x: math.log(x) ** 3,
    "x^0.5": math.sqrt,
    "x": lambda x: x,
    "x^1.5": lambda x: x**1.5,
    "x^2": lambda x: x * x,
}
"""Laws that curves are tried against, as far as they are functions of x alone."""
DEEPEST = 30.0
"""So many times below what was measured a picture still shows what is possible at least."""


@dataclass(frozen=True)
class Beside:
    """A line that was not measured; `place` is that of the line it belongs to, or None."""

    name: str
    x: list[float]
    y: list[float]
    place: int | None = None


def lines_of(points: Sequence[Point]) -> dict[str, list[Point]]:
    """By name, in the order of their first points. A series with several points at one x is as many
    lines as it has values of what they differ in."""
    series: dict[str, list[Point]] = {}
    for point in points:
        series.setdefault(point.series, []).append(point)
    found: dict[str, list[Point]] = {}
    for name, part in series.items():
        for more, line in _functions(part, tuple(ASIDE)).items():
            found[f"{name}, {more}" if more else name] = sorted(line, key=lambda p: p.x)
    return found


def _functions(points: list[Point], asides: tuple[str, ...]) -> dict[str, list[Point]]:
    if len({p.x for p in points}) == len(points) or not asides:
        return {"": points}
    aside, *rest = asides
    parts: dict[object, list[Point]] = {}
    for point in points:
        parts.setdefault(getattr(point, aside), []).append(point)
    if len(parts) == 1 or all(len({p.x for p in part}) == 1 for part in parts.values()):
        return _functions(points, tuple(rest))
    found = {}
    for value, part in parts.items():
        for more, line in _functions(part, tuple(rest)).items():
            found[", ".join(filter(None, (ASIDE[aside].format(value), more)))] = line
    return found


@dataclass(frozen=True)
class Panel:
    """What a panel is about, what is across, and its lines by what the title does not say."""

    title: str
    x: str
    lines: dict[str, list[Point]]


def panels_of(lines: Mapping[str, list[Point]], x: str = "x") -> list[Panel]:
    """By what is across, if that is rounds or arms for some lines and something else for others (x:
    "T or 1/epsilon"); by algorithm; and as many for each as its lines need."""
    across: dict[str, dict[str, list[Point]]] = {}
    for name, points in lines.items():
        across.setdefault(_across(points, x), {})[name] = points
    found = []
    for each, own in across.items():
        targets: dict[str, dict[str, list[Point]]] = {}
        for name, points in own.items():
            targets.setdefault(points[0].target, {})[name] = points
        groups = {"": own} if len(own) <= PANEL and len(targets) > 1 else targets
        for target, inside in groups.items():
            names = list(inside)
            for start in range(0, len(names), PANEL):
                part = {_short(name, target): inside[name] for name in names[start : start + PANEL]}
                found.append(Panel(target, each, part))
    return found


def _across(points: Sequence[Point], x: str) -> str:
    """Of several variables that an axis is named after, the one of these points."""
    names = x.split(" or ")
    if len(names) == 1:
        return x
    for name, values in (("T", [p.horizon for p in points]), ("K", [p.arms for p in points])):
        if name in names and len(points) > 1 and values == [p.x for p in points]:
            return name
    return " or ".join(name for name in names if name not in ("T", "K")) or x


def _short(name: str, target: str) -> str:
    """Without the algorithm that stands above the panel."""
    rest = name.removeprefix(target).lstrip(",: ") if target else name
    return rest or name


def floors_of(lines: Mapping[str, Sequence[Point]]) -> list[Beside]:
    """What is possible at least, for each line; one for all that have the same."""
    found: dict[tuple[tuple[float, float], ...], list[int]] = {}
    names: dict[tuple[tuple[float, float], ...], str] = {}
    for place, points in enumerate(lines.values()):
        known = [p for p in points if p.least is not None]
        if known:
            key = tuple((p.x, float(p.least or 0.0)) for p in known)
            found.setdefault(key, []).append(place)
            names[key] = " or ".join(dict.fromkeys(p.least_by for p in known))
    alone = len(found) == 1
    return [
        Beside(
            f"at least: {names[key]}",
            [x for x, _ in key],
            [y for _, y in key],
            None if alone or len(places) > 1 else places[0],
        )
        for key, places in found.items()
    ]


def seen(floors: Sequence[Beside], heights: Sequence[float]) -> list[Beside]:
    """Those that are not far below all that is drawn."""
    lowest = min((y for y in heights if y > 0.0), default=0.0)
    return [each for each in floors if max(each.y) * DEEPEST >= lowest]


def guides_of(study: Study, lines: Mapping[str, Sequence[Point]]) -> list[Beside]:
    """From the first point of the first curve that was tried against laws, the stated one and the
    faster one."""
    ladders = {judged.curve: judged.laws.split(" < ")[-2:] for judged in study.judged}
    for points in lines.values():
        wanted = [law for law in ladders.get(points[0].series, ()) if law in LAWS]
        if wanted:
            return [g for name in wanted for g in _guide(name, [p.x for p in points], points[0])]
    return []


def _guide(name: str, x: list[float], first: Point) -> list[Beside]:
    values = [LAWS[name](each) for each in x]
    if values[0] <= 0.0 or not all(map(math.isfinite, values)):
        return []
    return [Beside(f"like {name}", x, [first.regret * value / values[0] for value in values])]


FLOOR_HEADER = ("curve", "at", "regret", "at least", "by", "so many times")


def floor_rows(lines: Mapping[str, Sequence[Point]]) -> list[tuple[str, ...]]:
    """Where each line ends, what is possible at least there, and how often that fits into it."""
    rows: list[tuple[str, ...]] = []
    for name, points in lines.items():
        p = points[-1]
        if p.least is not None and p.times is not None:
            numbers = (f"{p.x:.4g}", f"{p.regret:.4g}", f"{p.least:.4g}")
            rows.append((name, *numbers, p.least_by, f"{p.times:.3g}"))
    return rows
