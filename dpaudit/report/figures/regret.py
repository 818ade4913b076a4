"""A regret curve as a figure: the mean with its band, single runs, and where the median is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dpaudit.report.figures.style import PALETTE, End, drawing, legend_below, name_ends, title
from dpaudit.results.regret import RegretResult

OUTER = {"0.05": "5 % of runs are below", "0.95": "95 % of runs are below"}
MEDIAN = "0.5"
MISLEADS = 2.0
"""Times the median: a mean above it is made by few runs, and the median is drawn as strongly."""


def draw_regret(result: RegretResult, path: str | Path) -> None:
    with drawing(path, 7.2, 4.2) as figure:
        compose(figure, result)


def compose(figure: Any, result: RegretResult) -> None:
    """Fill a figure."""
    axes = figure.subplots()
    axes.set(xscale="log", xlabel="rounds", ylabel="pseudo-regret")
    x, colour = result.horizons, PALETTE[0]
    axes.fill_between(x, result.low, result.high, color=colour, alpha=0.25, lw=0)
    axes.plot(x, result.mean, color=colour, marker="o")
    ends = [End("mean", x[-1], result.mean[-1], colour)]
    quantiles = result.quantiles or {}
    for level in sorted(OUTER.keys() & quantiles.keys()):
        name, values = OUTER[level], quantiles[level]
        axes.plot(x, values, ":", color=colour, lw=1)
        ends.append(End(name, x[-1], values[-1], colour))
    if MEDIAN in quantiles:
        median = quantiles[MEDIAN]
        strong = result.mean[-1] > MISLEADS * median[-1]
        axes.plot(x, median, color=PALETTE[1], lw=1.6 if strong else 0.8)
        ends.append(End("median", x[-1], median[-1], PALETTE[1]))
    name_ends(axes, ends)
    band = "its enclosure" if result.exact else f"its band at confidence {result.confidence:g}"
    legend_below(figure, {f"mean, with {band}": {"color": colour, "marker": "o"}})
    epsilon = "" if result.epsilon is None else f", epsilon = {result.epsilon:g}"
    means = ", ".join(f"{m:g}" for m in result.means)
    how = "exact" if result.exact else f"{result.runs} runs"
    title(figure, f"{result.target}{epsilon}: {result.environment} {means}, {how}")
