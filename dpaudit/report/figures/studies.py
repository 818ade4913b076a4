"""A scaling study as a figure: every series that was measured, with its error, the bound that is
stated for it, and how the laws in question grow."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dpaudit.papers import cited
from dpaudit.report.figures.series import lines_of, panels_of
from dpaudit.report.figures.style import (
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
BOUND = {"ls": "--", "lw": 0.9}


def draw_study(study: Study, path: str | Path) -> None:
    parts = panels_of(lines_of(study.points))
    with drawing(path, *size(len(parts))) as figure:
        compose(figure, study, parts)


def compose(
    figure: Any, study: Study, parts: Sequence[tuple[str, Mapping[str, list[Point]]]]
) -> None:
    """Fill a figure; `parts` are its panels."""
    guided = False
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
        guided |= _guides(axes, study, lines)
        name_ends(axes, ends)
    kinds: dict[str, Mapping[str, Any]] = {"measured, with its error": MEASURED}
    if guided:
        kinds["how the laws in question grow"] = GUIDE
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


def _guides(axes: Any, study: Study, lines: Mapping[str, list[Point]]) -> bool:
    """From the first point of the panel's first curve that was tried against laws, the stated one
    and the faster one; whether there are any."""
    ladders = {judged.curve: judged.laws.split(" < ")[-2:] for judged in study.judged}
    for points in lines.values():
        wanted = [law for law in ladders.get(points[0].series, ()) if law in LAWS]
        for name in wanted:
            guide(axes, [p.x for p in points], points[0].regret, LAWS[name], f"like {name}")
        if wanted:
            return True
    return False
