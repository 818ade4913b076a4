"""The privacy-regret frontier: regret up, the audited interval of epsilon across, and below it what
no learner reaches. A panel an instance; learners without pure privacy stand in a strip of their
own.

Labels are written beside the panel, at the height of their points as far as there is room.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dpaudit.report.comparing import kind_of, limits, place_of, sorted_places
from dpaudit.report.figures.style import (
    DARK,
    PALETTE,
    End,
    drawing,
    legend_below,
    name_ends,
    panels,
    title,
)
from dpaudit.results.comparison import Comparison, Field, Standing

LOOKS = {
    "audited": (PALETTE[0], "o"),
    "not audited": (PALETTE[1], "s"),
    "no pure epsilon": (DARK, "D"),
}
BELOW = "black"
APART = 0.05
"""Of names, as a part of a panel's height: there may be twenty."""
REACH = 8.0
"""The panel goes from a part of the instance's epsilon to a multiple of it."""


def draw_comparison(result: Comparison, path: str | Path) -> None:
    wanted = len(result.fields)
    with drawing(path, 6.6 * min(2, wanted), 1.0 + 4.2 * -(-wanted // 2)) as figure:
        compose(figure, result)


def compose(figure: Any, result: Comparison) -> None:
    """Fill a figure."""
    for axes, field in zip(panels(figure, len(result.fields)), result.fields, strict=True):
        _panel(axes, field, result.horizon)
    kinds: dict[str, dict[str, Any]] = {}
    for standing in (s for field in result.fields for s in field.standings):
        colour, marker = LOOKS[kind_of(standing)]
        hollow = {"mfc": "white"} if kind_of(standing) == "not audited" else {}
        kinds[f"mean regret, {kind_of(standing)}"] = {
            "color": colour, "marker": marker, "ls": "none", **hollow
        }  # fmt: skip
    kinds["median"] = {"marker": "_", "ls": "none", "ms": 7}
    if any(field.least is not None for field in result.fields):
        kinds["what is possible at least"] = {"color": BELOW, "lw": 1.4}
    legend_below(figure, kinds)
    title(
        figure,
        f"Who is best: {result.runs} runs each, T = {result.horizon:g}",
        "bars: bands of the mean up, the audited interval of epsilon across",
    )


def _panel(axes: Any, field: Field, horizon: int) -> None:
    epsilon = field.instance.epsilon or 1.0
    bottom, top = limits(field)
    left, right = epsilon / REACH, epsilon * REACH
    strip = right * 2.0
    axes.set(xscale="log", yscale="log", xlim=(left, strip * 2.0), ylim=(bottom, top))
    axes.axvline(right, color="#bbbbbb", lw=0.8)
    if field.least is not None:
        _least(axes, field, bottom, (left, right))
    ends = []
    for i in sorted_places(field):
        s = field.standings[i]
        x, y = _learner(axes, s, (left, right, strip), (bottom, top))
        ends.append(End(s.name, x, y, LOOKS[kind_of(s)][0]))
    of = field.instance
    axes.set_title(f"{of.name}: {field.feedback}, K = {len(of.means)}, T = {horizon:g}")
    ticks = [epsilon * 2.0**k for k in range(-2, 3)]
    axes.set_xticks([*ticks, strip], [*(f"{e:g}" for e in ticks), "no pure\nepsilon"])
    axes.minorticks_off()
    axes.set(xlabel="epsilon, from below and from above", ylabel="regret")
    name_ends(axes, ends, APART)


def _least(axes: Any, field: Field, bottom: float, ends: tuple[float, float]) -> None:
    least = field.least
    assert least is not None
    inside = [
        (e, r)
        for e, r in zip(least.epsilons, least.regret, strict=True)
        if ends[0] <= e <= ends[1] * (1 + 1e-9)
    ]
    x, y = zip(*inside, strict=True)
    axes.plot(x, y, color=BELOW, lw=1.4)
    axes.fill_between(x, bottom, y, color=BELOW, alpha=0.07, lw=0)
    words = f"{least.name}: {'asymptotic ' * least.asymptotic}lower bound"
    axes.text(0.015, 0.025, words, transform=axes.transAxes, fontsize=7, color=BELOW)


def _learner(
    axes: Any, s: Standing, across: tuple[float, float, float], up: tuple[float, float]
) -> tuple[float, float]:
    """A marker at the mean, a tick at the median, the band up, and epsilon across; where its label
    is tied to."""
    left, right, strip = across
    colour, marker = LOOKS[kind_of(s)]
    place = place_of(s)
    y = max(s.mean, up[0])
    x = strip if place is None else min(max(place[2], left), right)
    hollow = {} if kind_of(s) != "not audited" else {"mfc": "white"}
    axes.plot([x], [y], marker, color=colour, ms=5, **hollow)
    axes.plot([x, x], [max(s.low, up[0]), min(s.high, up[1])], color=colour, lw=0.9)
    median = s.quantiles.get("0.5")
    if median is not None and median > 0.0:
        axes.plot([x], [median], "_", color=colour, ms=7)
    if place is not None and kind_of(s) == "audited":
        low, high, _ = place
        axes.plot([max(low, left), min(high, right)], [y, y], color=colour, lw=2.2, alpha=0.7)
        if s.privacy.lower is None:
            # Nothing is known from below.
            axes.plot([left, min(high, right)], [y, y], ":", color=colour, lw=0.8, alpha=0.6)
    return x, y
