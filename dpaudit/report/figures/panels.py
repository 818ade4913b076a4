"""A paper's experiment as a figure: a panel for each that its curves name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dpaudit.report.figures.style import (
    DARK,
    FLOORS,
    LEAST,
    MARKERS,
    PALETTE,
    End,
    drawing,
    legend_below,
    name_ends,
    panels,
    size,
    title,
)
from dpaudit.results.regret import LowerBound
from dpaudit.results.reproduction import ReproducedCurve

QUANTITIES = {"regret": "pseudo-regret", "gdp": "GDP parameter"}
"""What stands at the vertical axis."""


def draw_panels(
    curves: Sequence[ReproducedCurve],
    path: str | Path,
    *,
    heading: str,
    scales: tuple[str, str] = ("linear", "linear"),
    x: str = "rounds",
    floors: Sequence[LowerBound] = (),
) -> None:
    """`floors` are the lower bounds that curves name by their places."""
    inside: dict[str, list[ReproducedCurve]] = {}
    for each in curves:
        inside.setdefault(each.panel, []).append(each)
    with drawing(path, *size(len(inside))) as figure:
        compose(figure, inside, heading=heading, scales=scales, x=x, floors=floors)


def compose(
    figure: Any,
    inside: Mapping[str, Sequence[ReproducedCurve]],
    *,
    heading: str,
    scales: tuple[str, str],
    x: str,
    floors: Sequence[LowerBound] = (),
) -> None:
    """Fill a figure. Colours go round once all are used, with other dashes and markers: a curve is
    known by the name at its end."""
    for axes, (panel, curves) in zip(panels(figure, len(inside)), inside.items(), strict=True):
        axes.set(
            xscale=scales[0], yscale=scales[1], xlabel=x, ylabel=QUANTITIES[curves[0].quantity]
        )
        axes.set_title(panel)
        ends = [_curve(axes, curve, i) for i, curve in enumerate(curves)]
        ends += [_floor(axes, *each) for each in floors_of(curves, floors)]
        name_ends(axes, ends)
    every = [curve for curves in inside.values() for curve in curves]
    kinds: dict[str, Mapping[str, Any]] = {"mean, with its band": {}}
    if not all(curve.in_the_figure for curve in every):
        kinds["not in the paper's figure"] = {"ls": "--"}
    if any(curve.least is not None for curve in every):
        kinds[FLOORS] = LEAST
    legend_below(figure, kinds)
    title(figure, heading)


def floors_of(
    curves: Sequence[ReproducedCurve], floors: Sequence[LowerBound]
) -> list[tuple[str, list[float], list[float]]]:
    """The lower bounds of a panel, each once: name, x, and y where it is positive. Several of one
    name, for learners that hold another epsilon, are told apart by a curve that each is for."""
    found = {c.least: c for c in reversed(curves) if c.least is not None}
    names = [floors[place].short for place in found]
    lines = []
    for place, curve in sorted(found.items()):
        floor = floors[place]
        whose = f" ({curve.label})" if names.count(floor.short) > 1 else ""
        pairs = zip(curve.across, floor.values.tolist(), strict=True)
        points = [(x, y) for x, y in pairs if y > 0.0]
        x, y = ([p[i] for p in points] for i in (0, 1))
        lines.append((f"at least: {floor.short}{whose}", x, y))
    return lines


def _floor(axes: Any, name: str, x: list[float], y: list[float]) -> End:
    axes.plot(x, y, color=DARK, **LEAST)
    return End(name, x[-1], y[-1], DARK)


def _curve(axes: Any, curve: ReproducedCurve, place: int) -> End:
    colour = PALETTE[place % len(PALETTE)]
    again = place // len(PALETTE)
    style: dict[str, Any] = {"ls": "-" if curve.in_the_figure else "--", "color": colour}
    if again or curve.sweep:
        style |= {
            "marker": MARKERS[(place + again) % len(MARKERS)],
            "markevery": 1 if curve.sweep else 0.2,
        }
    axes.plot(curve.across, curve.mean, **style)
    axes.fill_between(curve.across, curve.low, curve.high, color=colour, alpha=0.2, lw=0)
    return End(curve.label, curve.across[-1], curve.mean[-1], colour)
