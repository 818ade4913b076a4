"""A scaling study as a figure: every series that was measured, with its error, the bound that is
stated for it, and how the laws in question grow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dpaudit.papers import cited
from dpaudit.report.figures.series import (
    DEEPEST,
    Beside,
    Panel,
    floors_of,
    guides_of,
    lines_of,
    panels_of,
    seen,
)
from dpaudit.report.figures.style import (
    DARK,
    FLOORS,
    LEAST,
    End,
    drawing,
    error_bars,
    guide,
    legend_below,
    look,
    name_ends,
    panels,
    scale,
    size,
    title,
)
from dpaudit.results.scaling import Point, Study

MEASURED = {"marker": "o"}
GUIDE = {"color": "0.7", "lw": 0.8}
BOUND = {"ls": "--", "lw": 0.9}


def draw_study(study: Study, path: str | Path) -> None:
    parts = panels_of(lines_of(study.points), study.axes[0] if study.axes else "x")
    with drawing(path, *size(len(parts))) as figure:
        compose(figure, study, parts)


def compose(figure: Any, study: Study, parts: Sequence[Panel]) -> None:
    """Fill a figure; `parts` are its panels."""
    kinds: dict[str, Mapping[str, Any]] = {"measured, with its error": MEASURED}
    for axes, part in zip(panels(figure, len(parts)), parts, strict=True):
        lines = part.lines
        inside = [point for points in lines.values() for point in points]
        heights = [p.regret for p in inside] + [p.bound for p in inside if p.bound is not None]
        every = floors_of(lines)
        floors = seen(every, heights)
        lowest = min(heights) / DEEPEST
        heights += [max(y, lowest) for floor in floors for y in floor.y]
        axes.set(xlabel=part.x, ylabel=study.axes[1])
        scale(axes, "x", [p.x for p in inside])
        up = scale(axes, "y", heights)
        if part.title and len(parts) > 1:
            axes.set_title(part.title)
        ends = [_line(axes, name, points, i, up) for i, (name, points) in
                enumerate(lines.items())]  # fmt: skip
        for law in guides_of(study, lines):
            guide(axes, law.x, law.y, law.name)
            kinds["how the laws in question grow"] = GUIDE
        ends += [_floor(axes, floor) for floor in floors if floor.place is None]
        for floor in floors:
            if floor.place is not None:
                _floor(axes, floor)
        if up and any(min(floor.y) < lowest for floor in floors):
            axes.set_ylim(bottom=lowest)
        if floors:
            kinds[FLOORS] = LEAST
        if len(floors) < len(every):
            kinds["some lower bounds are far below the picture"] = {"ls": "none"}
        name_ends(axes, ends)
    if any(p.bound is not None for p in study.points):
        kinds["the stated bound, in the colour of what it bounds"] = BOUND
    legend_below(figure, kinds)
    title(figure, f"{cited(study.paper)}, {study.where}: {study.question}", study.verdict)


def _floor(axes: Any, floor: Beside) -> End:
    colour = DARK if floor.place is None else look(floor.place)["color"]
    axes.plot(floor.x, floor.y, color=colour, **LEAST)
    return End(floor.name, floor.x[-1], floor.y[-1], colour)


def _line(axes: Any, name: str, points: Sequence[Point], place: int, log: bool) -> End:
    x, y = [p.x for p in points], [p.regret for p in points]
    bars = error_bars(y, [p.error for p in points], log)
    style = look(place)
    axes.errorbar(x, y, bars, elinewidth=0.8, capsize=1.5, label=name, **style)
    bounds = [(p.x, p.bound) for p in points if p.bound is not None]
    if bounds:
        axes.plot(*zip(*bounds, strict=True), color=style["color"], alpha=0.7, **BOUND)
    return End(name, x[-1], y[-1], style["color"])
