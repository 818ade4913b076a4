"""A regret curve as a figure: the mean with its band, single runs, and where the median is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dpaudit.report.figures.style import (
    DARK,
    FLOORS,
    LEAST,
    PALETTE,
    End,
    drawing,
    legend_below,
    name_ends,
    title,
)
from dpaudit.results.regret import RegretResult

OUTER = {"0.05": "5 % of runs are below", "0.95": "95 % of runs are below"}
MEDIAN = "0.5"
BANDS = {
    "guaranteed": "its band, whatever the law of a run",
    "normal": "its band by the central limit theorem",
    "exact": "its enclosure",
}
LIGHT, HEAVY = 0.12, 0.3
FARTHEST = 3.0
"""So many times what was seen is shown of a band that allows for what was not."""
MISLEADS = 2.0
"""Times the median: a mean above it is made by few runs, and the median is drawn as strongly."""


def draw_regret(result: RegretResult, path: str | Path) -> None:
    with drawing(path, 7.2, 4.2) as figure:
        compose(figure, result)


def compose(figure: Any, result: RegretResult) -> None:
    """Fill a figure."""
    axes = figure.subplots()
    axes.set(xscale="log", xlabel="rounds", ylabel=result.measured.partition(" against")[0])
    x, colour = result.horizons, PALETTE[0]
    both = result.normal_low is not None
    light = LIGHT if both else 0.25
    axes.fill_between(x, result.low, result.high, color=colour, alpha=light, lw=0)
    kinds: dict[str, dict[str, Any]] = {"mean": {"color": colour, "marker": "o"}}
    kinds[BANDS[result.band]] = {"color": colour, "alpha": light, "lw": 6}
    if both:
        axes.fill_between(x, *result.normal, color=colour, alpha=HEAVY, lw=0)
        kinds[BANDS["normal"]] = {"color": colour, "alpha": HEAVY, "lw": 6}
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
    said = _cut(axes, result)
    for below in result.lower_bounds:
        axes.plot(x, below.values, color=DARK, **LEAST)
        ends.append(End(f"at least: {below.short}", x[-1], below.values[-1], DARK))
        kinds[FLOORS] = {"color": DARK, **LEAST}
    name_ends(axes, ends)
    legend_below(figure, kinds)
    epsilon = "" if result.epsilon is None else f", epsilon = {result.epsilon:g}"
    means = ", ".join(f"{m:g}" for m in result.means)
    how = "exact" if result.exact else f"{result.runs} runs, confidence {result.confidence:g}"
    title(figure, f"{result.target}{epsilon}: {result.environment} {means}, {how}", *said)


def _cut(axes: Any, result: RegretResult) -> list[str]:
    """Where rare runs could take the guaranteed band far out of the picture, it is cut off, and
    that is said."""
    if result.normal_high is None or result.beyond is None:
        return []
    outer = [0.0] if result.quantiles is None else result.quantiles.get("0.95", [0.0])
    seen = max(float(result.normal_high.max()), *outer)
    top, bottom = float(result.high.max()), min(float(result.low.min()), 0.0)
    if top > FARTHEST * seen > 0.0:
        axes.set_ylim(bottom - 0.05 * FARTHEST * seen, FARTHEST * seen)
    return [
        f"guaranteed: at most {top:.3g}; a run beyond all seen has a chance of at most "
        f"{result.beyond:.2g}"
    ]
