"""Plots as SVG files, by matplotlib: regret curves, scaling studies, the papers' experiments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dpaudit.errors import UsageError
from dpaudit.results.regret import RegretResult
from dpaudit.results.reproduction import ReproducedCurve
from dpaudit.results.scaling import Point, Study

MOST_SERIES = 12
"""Series in a figure; of more, evenly chosen ones are drawn."""
COLOURS = 64
"""Of a PNG."""
QUANTITIES = {"regret": "pseudo-regret", "gdp": "GDP parameter"}
"""What stands at the vertical axis."""


def draw_regret(result: RegretResult, path: str | Path) -> None:
    """A regret curve: the mean, its band, and the outer quantiles where there are any."""
    with drawing(path, 6.4, 4.2) as figure:
        axes = figure.subplots()
        (line,) = axes.plot(result.horizons, result.mean, label=result.target)
        color = line.get_color()
        axes.fill_between(result.horizons, result.low, result.high, color=color, alpha=0.25, lw=0)
        if result.quantiles is not None:
            for level in ("0.05", "0.95"):
                axes.plot(result.horizons, result.quantiles[level], ":", color=color, lw=1)
        _finish(axes, "rounds", "pseudo-regret", ("log", "linear"), "small")


def draw_study(study: Study, path: str | Path) -> None:
    """Points of a scaling study with their errors, bounds dashed."""
    series: dict[str, list[Point]] = {}
    for p in study.points:
        series.setdefault(p.series, []).append(p)
    step = -(-len(series) // MOST_SERIES)
    drawn = dict(list(series.items())[:: max(1, step)])
    with drawing(path, 6.8, 4.6) as figure:
        axes = figure.subplots()
        for name, points in drawn.items():
            part = sorted(points, key=lambda p: p.x)
            x, y = [p.x for p in part], [p.regret for p in part]
            errors = [p.error for p in part]
            line = axes.errorbar(x, y, errors, fmt="o", ms=3, lw=1, label=name).lines[0]
            color = line.get_color()
            bounds = [(p.x, p.bound) for p in part if p.bound is not None]
            if bounds:
                axes.plot(*zip(*bounds, strict=True), "--", lw=0.7, color=color, alpha=0.6)
        up = "log" if all(p.regret > 0 for p in study.points) else "linear"
        axes.set_title(f"{study.study}: {study.verdict}", fontsize="medium")
        _finish(axes, study.axes[0], study.axes[1], ("log", up), 5)


def draw_panels(
    curves: Sequence[ReproducedCurve],
    path: str | Path,
    *,
    title: str,
    scales: tuple[str, str] = ("linear", "linear"),
    x: str = "rounds",
) -> None:
    """An experiment's curves, one panel for each that they name. Curves that the paper's figure
    does not have are dashed; swept curves have their points marked."""
    panels = list(dict.fromkeys(each.panel for each in curves))
    columns = len(panels) if len(panels) <= 3 else 2
    rows = -(-len(panels) // columns)
    width = 6.4 if columns == 1 else 4.2 * columns
    with drawing(path, width, 4.0 * rows) as figure:
        grid = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes, panel in zip(grid, panels, strict=False):
            inside = [each for each in curves if each.panel == panel]
            for c in inside:
                style, mark = "-" if c.in_the_figure else "--", "o" if c.sweep else ""
                (line,) = axes.plot(
                    c.across, c.mean, style, marker=mark, ms=4, lw=1.2, label=c.label
                )
                axes.fill_between(c.across, c.low, c.high, color=line.get_color(), alpha=0.2, lw=0)
            axes.set_title(panel, fontsize="small")
            _finish(axes, x, QUANTITIES[inside[0].quantity], scales, "x-small")
        for axes in grid[len(panels) :]:
            axes.set_axis_off()
        figure.suptitle(title, fontsize="medium")


def _finish(axes: Any, x: str, y: str, scales: tuple[str, str], size: str | int) -> None:
    axes.set(xscale=scales[0], yscale=scales[1], xlabel=x, ylabel=y)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, fontsize=size)


@contextmanager
def drawing(path: str | Path, width: float, height: float) -> Iterator[Any]:
    """A figure that is written in the end, as SVG or, if the file is named so, as PNG: text stays
    text, and the same curves give the same file."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "dpaudit"}):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        try:
            if str(path).endswith(".png"):
                _save_small(figure, path)
            else:
                figure.savefig(path, format="svg", metadata={"Date": None})
        except OSError as error:
            raise UsageError(f"svg: cannot write {path} ({error.strerror})") from None


def _save_small(figure: Any, path: str | Path) -> None:
    """As PNG of few colours: committed pictures are small."""
    import io

    from PIL import Image

    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=90, metadata={"Software": None})
    few = Image.open(drawn).convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE)
    few.save(path, format="png", optimize=True)
