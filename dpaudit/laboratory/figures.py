"""Regret curves as SVG: the mean, its band, and the quantiles where there are any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from dpaudit.errors import UsageError
from dpaudit.laboratory.results import RegretResult


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
    import matplotlib as mpl
    from matplotlib.figure import Figure

    # Text stays text, and the same curve gives the same file.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "dpaudit"}):
        figure = Figure(figsize=(6.4, 4.2), layout="constrained")
        axes = figure.subplots()
        for i, result in enumerate(results):
            name = labels[i] if labels else result.target
            (line,) = axes.plot(result.horizons, result.mean, label=name)
            axes.fill_between(
                result.horizons, result.low, result.high, color=line.get_color(), alpha=0.25, lw=0
            )
            if result.quantiles is not None and len(results) == 1:
                for row, style in ((0, ":"), (-1, ":")):
                    axes.plot(
                        result.horizons, result.quantiles[row], style, color=line.get_color(), lw=1
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
        try:
            figure.savefig(path, format="svg", metadata={"Date": None})
        except OSError as error:
            raise UsageError(f"svg: cannot write {path} ({error.strerror})") from None
