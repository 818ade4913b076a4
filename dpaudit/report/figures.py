"""Regret curves as SVG: the mean, its band, and the quantiles where there are any."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit.errors import UsageError
from dpaudit.results.regret import RegretResult

if TYPE_CHECKING:
    from dpaudit.laboratory.experiments.terms import Measured

QUANTITIES = {"regret": "pseudo-regret", "gdp": "GDP parameter"}
"""What stands at the vertical axis."""


def draw_regret(
    results: Sequence[RegretResult],
    path: str | Path,
    *,
    title: str = "",
    labels: Sequence[str] | None = None,
    bounds: Mapping[str, Sequence[float]] | None = None,
    logarithmic: bool = True,
) -> None:
    """Draw curves into an SVG file. `bounds` are further curves, at the first result's horizons."""
    with _drawing(path, 6.4, 4.2) as figure:
        axes = figure.subplots()
        for i, result in enumerate(results):
            name = labels[i] if labels else result.target
            (line,) = axes.plot(result.horizons, result.mean, label=name)
            axes.fill_between(
                result.horizons, result.low, result.high, color=line.get_color(), alpha=0.25, lw=0
            )
            if result.quantiles is not None and len(results) == 1:
                for level in ("0.05", "0.95"):
                    axes.plot(
                        result.horizons, result.quantiles[level], ":", color=line.get_color(), lw=1
                    )
        for name, values in (bounds or {}).items():
            axes.plot(results[0].horizons, values, "--", label=name, lw=1)
        if logarithmic:
            axes.set_xscale("log")
        axes.set_xlabel("rounds")
        axes.set_ylabel("pseudo-regret")
        axes.set_title(title, fontsize="medium")
        axes.grid(alpha=0.3)
        axes.legend(frameon=False, fontsize="small")


def draw_panels(
    curves: Sequence[Measured],
    path: str | Path,
    *,
    title: str,
    scales: tuple[str, str] = ("linear", "linear"),
    x: str = "rounds",
) -> None:
    """Draw an experiment's curves into an SVG file, one panel for each that they name. Curves that
    the paper's figure does not have are dashed; swept curves have their points marked."""
    curves = [each for each in curves if each.curve.drawn]
    panels = list(dict.fromkeys(each.curve.panel for each in curves))
    columns = len(panels) if len(panels) <= 3 else 2
    rows = -(-len(panels) // columns)
    width = 6.4 if columns == 1 else 4.2 * columns
    with _drawing(path, width, 4.0 * rows) as figure:
        grid = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes, panel in zip(grid, panels, strict=False):
            inside = [each for each in curves if each.curve.panel == panel]
            for each in inside:
                style = "--" if each.curve.extra else "-"
                mark = "o" if each.curve.sweep else ""
                name = each.curve.label
                (line,) = axes.plot(each.x, each.mean, style, marker=mark, ms=4, lw=1.2, label=name)
                if not each.exact:
                    axes.fill_between(
                        each.x, each.low, each.high, color=line.get_color(), alpha=0.2, lw=0
                    )
            axes.set_xscale(scales[0])
            axes.set_yscale(scales[1])
            axes.set_xlabel(x)
            axes.set_ylabel(QUANTITIES[inside[0].curve.quantity])
            axes.set_title(panel, fontsize="small")
            axes.grid(alpha=0.3)
            axes.legend(frameon=False, fontsize="x-small")
        for axes in grid[len(panels) :]:
            axes.set_axis_off()
        figure.suptitle(title, fontsize="medium")


@contextmanager
def _drawing(path: str | Path, width: float, height: float) -> Iterator[Any]:
    """A figure that is written as SVG in the end: text stays text, and the same curves give the
    same file."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "dpaudit"}):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        try:
            figure.savefig(path, format="svg", metadata={"Date": None})
        except OSError as error:
            raise UsageError(f"svg: cannot write {path} ({error.strerror})") from None
