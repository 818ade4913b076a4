"""The style of all figures: colours that the colour-blind tell apart, names at the lines' ends, one
entry below for each kind of line, and the same file for the same numbers."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpaudit.errors import UsageError

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Okabe & Ito (2008), without yellow, which is not seen on white; black and grey are for bounds."""
ON_LIGHT = ("#0072b2", "#d55e00", "#009e73", "#c877a4", "#c18600", "#4999c6")
ON_DARK = ("#2687be", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""The same hues in a page, as dark or as light as lines on its backgrounds need; `page.css` has
them."""
MARKERS = "osD^vP"
SHEET: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "dpaudit",
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.3,
    "lines.markersize": 3.5,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "figure.titlesize": 10,
}
COLOURS = 64
"""Of a PNG."""
APART = 0.075
"""Least distance of two names at the ends of lines, as a part of the panel's height."""
ROUNDING = 1e-9
"""Relative, of such distances."""
WIDEST = 11.5
"""Characters of a title for each inch of the figure's width."""
SHORT, LONG, TICKS = 8.0, 100.0, 6
"""An axis whose values differ by less than the first factor is linear, by less than the second one
is marked at some of the values."""
FLOORS = "what is possible at least (~: asymptotically)"
LEAST: Mapping[str, Any] = {"ls": ":", "lw": 1.3}
DARK = "0.35"
"""Of lines that were not measured."""
HANDLE, LETTER = 0.65, 0.066
"""Inches that an entry of the legend takes besides its words, and for each letter."""
SMALL = 7.5
"""Points of the names at the lines' ends."""


@dataclass(frozen=True)
class End:
    """The name of a line, and where it ends."""

    name: str
    x: float
    y: float
    colour: str


def look(number: int) -> dict[str, str]:
    """Colour and marker of a panel's line by its place; there are as many as a panel may hold."""
    return {"color": PALETTE[number], "marker": MARKERS[number]}


def panels(figure: Any, wanted: int, most: int = 2) -> list[Any]:
    """That many panels in rows; places that are left over are empty."""
    columns = min(wanted, most)
    rows = -(-wanted // columns)
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes in grid[wanted:]:
        axes.set_axis_off()
    return list(grid[:wanted])


def size(wanted: int, most: int = 2) -> tuple[float, float]:
    """Width and height that so many panels need, with names at their right."""
    columns = min(wanted, most)
    return (7.2 if columns == 1 else 5.6 * columns), 0.9 + 3.4 * -(-wanted // columns)


def scale(axes: Any, which: str, values: Sequence[float]) -> bool:
    """Makes an axis, x or y, logarithmic where its values are positive and span enough; a short one
    is marked at the values themselves. Returns whether it is logarithmic."""
    if min(values) <= 0.0 or max(values) < SHORT * min(values):
        return False
    axes.set(**{f"{which}scale": "log"})
    axis = getattr(axes, f"{which}axis")
    if max(values) < LONG * min(values):
        at = sorted(set(values))
        at = at[:: -(-len(at) // TICKS)]
        axis.set_ticks(at, [_short(each) for each in at])
        axis.set_ticks([], minor=True)
    return True


def _short(value: float) -> str:
    return f"{value:.3g}".replace("e+0", "e").replace("e+", "e")


def name_ends(axes: Any, ends: Sequence[End], apart: float = APART) -> None:
    """Names right of the panel, at the height of their lines' ends or as near as there is room."""
    axes.autoscale_view()
    within = axes.transScale + axes.transLimits
    places = [within.transform((end.x, end.y)) for end in ends]
    heights = spread([y for _, y in places], apart)
    for end, (x, y), height in zip(ends, places, heights, strict=True):
        axes.plot(
            [x + 0.005, 1.02],
            [y, height],
            transform=axes.transAxes,
            color=end.colour,
            lw=0.5,
            alpha=0.6,
            clip_on=False,
        )
        axes.text(
            1.03,
            height,
            end.name,
            transform=axes.transAxes,
            color=end.colour,
            fontsize=SMALL,
            va="center",
        )


def spread(wanted: Sequence[float], apart: float = APART) -> list[float]:
    """Near the wanted heights (parts of the panel's), but at least so far from each other and
    inside: those that are too near are spread about their middle. More than there is room for
    share it evenly."""
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    apart = min(apart, 1.0 / max(len(wanted), 1))
    groups: list[tuple[float, list[int]]] = []
    for i in order:
        middle, members = wanted[i], [i]
        while True:
            half = apart * (len(members) - 1) / 2
            middle = min(max(middle, half), 1.0 - half)  # which may bring it near the ones below
            if not groups:
                break
            needed = apart * (len(members) + len(groups[-1][1])) / 2
            if middle - groups[-1][0] >= needed * (1.0 - ROUNDING):
                break
            before, others = groups.pop()
            count = len(others) + len(members)
            middle = (before * len(others) + middle * len(members)) / count
            members = others + members
        groups.append((middle, members))
    found = [0.0] * len(wanted)
    for middle, members in groups:
        for rank, i in enumerate(members):
            found[i] = middle + apart * (rank - (len(members) - 1) / 2)
    return found


def legend_below(figure: Any, kinds: Mapping[str, Mapping[str, Any]]) -> None:
    """What kinds of line there are, once for the whole figure."""
    from matplotlib.lines import Line2D

    if kinds:
        lines = [Line2D([], [], **{"color": "0.25", **kind}) for kind in kinds.values()]
        room = figure.get_figwidth() / (HANDLE + LETTER * max(map(len, kinds)))
        columns = max(1, min(4, len(kinds), int(room)))
        figure.legend(lines, list(kinds), loc="outside lower left", ncols=columns)


def title(figure: Any, *lines: str) -> None:
    """The first line says what is asked, the others what is answered."""
    wide = int(WIDEST * figure.get_figwidth())
    wrapped = [part for line in lines for part in textwrap.wrap(line, wide)]
    figure.suptitle("\n".join(wrapped), x=0.01, ha="left")


def error_bars(y: Sequence[float], errors: Sequence[float], log: bool) -> list[list[float]]:
    """Downwards and upwards. On a logarithmic axis a bar that would go to 0 and below is left out
    downwards: it would end at the axis, wherever that is."""
    down = [0.0 if log and e >= v else e for v, e in zip(y, errors, strict=True)]
    return [down, list(errors)]


def guide(axes: Any, x: Sequence[float], y: Sequence[float], name: str) -> None:
    """A reference: how a law grows from a point on."""
    axes.plot(x, y, color="0.7", lw=0.8, zorder=0)
    axes.annotate(name, (x[-1], y[-1]), color="0.45", fontsize=SMALL - 0.5, va="bottom", ha="right")


@contextmanager
def drawing(path: str | Path, width: float, height: float) -> Iterator[Any]:
    """A figure in the house's style that is written in the end, as SVG or, if the file is named so,
    as PNG: text stays text, and the same curves give the same file."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(SHEET):
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
    from PIL import Image

    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=90, metadata={"Software": None})
    few = Image.open(drawn).convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE)
    few.save(path, format="png", optimize=True)
