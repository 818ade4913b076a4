"""A scaling study as a figure: every series that was measured, with its error, the bound that is
stated for it, and how the laws in question grow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dpaudit.papers import cited
from dpaudit.report.figures.series import lines_of, panels_of
from dpaudit.report.figures.style import (
    End,
    drawing,
    error_bars,
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
BOUND = {"ls": "--", "lw": 0.9}


def draw_study(study: Study, path: str | Path) -> None:
    parts = panels_of(lines_of(study.points))
    with drawing(path, *size(len(parts))) as figure:
        compose(figure, study, parts)


def compose(
    figure: Any, study: Study, parts: Sequence[tuple[str, Mapping[str, list[Point]]]]
) -> None:
    """Fill a figure; `parts` are its panels."""
    for axes, (target, lines) in zip(panels(figure, len(parts)), parts, strict=True):
        inside = [point for points in lines.values() for point in points]
        heights = [p.regret for p in inside] + [p.bound for p in inside if p.bound is not None]
        axes.set(xlabel=study.axes[0], ylabel=study.axes[1])
        scale(axes, "x", [p.x for p in inside])
        up = scale(axes, "y", heights)
        if target and len(parts) > 1:
            axes.set_title(target)
        ends = [_line(axes, name, points, i, up) for i, (name, points) in
                enumerate(lines.items())]  # fmt: skip
        name_ends(axes, ends)
    kinds: dict[str, Mapping[str, Any]] = {"measured, with its error": MEASURED}
    if any(p.bound is not None for p in study.points):
        kinds["the stated bound, in the colour of what it bounds"] = BOUND
    legend_below(figure, kinds)
    title(figure, f"{cited(study.paper)}, {study.where}: {study.question}", study.verdict)


def _line(axes: Any, name: str, points: Sequence[Point], place: int, log: bool) -> End:
    x, y = [p.x for p in points], [p.regret for p in points]
    bars = error_bars(y, [p.error for p in points], log)
    style = look(place)
    axes.errorbar(x, y, bars, elinewidth=0.8, capsize=1.5, label=name, **style)
    bounds = [(p.x, p.bound) for p in points if p.bound is not None]
    if bounds:
        axes.plot(*zip(*bounds, strict=True), color=style["color"], alpha=0.7, **BOUND)
    return End(name, x[-1], y[-1], style["color"])
