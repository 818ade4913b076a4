"""Points of a scaling study as lines that can be drawn: each a function of x, at most six in a
panel, none left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dpaudit.results.scaling import Point

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


def panels_of(lines: Mapping[str, list[Point]]) -> list[tuple[str, dict[str, list[Point]]]]:
    """Panels by algorithm, and as many for each as its lines need; a panel's title, and its lines
    by what the title does not say."""
    targets: dict[str, dict[str, list[Point]]] = {}
    for name, points in lines.items():
        targets.setdefault(points[0].target, {})[name] = points
    few = len(lines) <= PANEL
    groups = {"": dict(lines)} if few and len(targets) > 1 else targets
    found = []
    for target, inside in groups.items():
        names = list(inside)
        for start in range(0, len(names), PANEL):
            part = {_short(name, target): inside[name] for name in names[start : start + PANEL]}
            found.append((target, part))
    return found


def _short(name: str, target: str) -> str:
    """Without the algorithm that stands above the panel."""
    rest = name.removeprefix(target).lstrip(",: ") if target else name
    return rest or name
