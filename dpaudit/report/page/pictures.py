"""Plots as inline SVG, drawn by ourselves: a page of at most 500 kB holds some sixty plots of many
curves each, in the colours of the reader's theme, with titles for who cannot see them. Matplotlib's
SVG is too large for that. Figures that are files of their own are matplotlib's:
`dpaudit.report.figures`."""

from __future__ import annotations

import dataclasses
import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dpaudit.report.figures.series import DEEPEST
from dpaudit.report.figures.style import FLOORS, PALETTE, spread
from dpaudit.report.page.markup import SUPERSCRIPT, Html, element, joined, number

COLOURS = len(PALETTE)
GREY = "s7"
DASHES = (None, "7 3", "9 3 2 3", "14 3")
"""Of curves; the next one once all colours are used."""
KINDS = {
    "bound": "the stated bound, in the colour of what it bounds",
    "least": FLOORS,
    "guide": "how the laws in question grow",
}
"""Lines that were not measured, and how they are explained."""
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 480, 234, 66, 14, 44
"""Of a plot, its labels included."""
LINE, LETTER, NAME = 13, 6.4, 22
"""Of the names at the lines' ends: pixels a line, pixels a letter at most, letters a line."""
TOLERANCE = 0.4
"""Pixels by which a drawn line may miss its points."""
HUGE = 1e200
"""Nothing larger is drawn to scale."""

Place = tuple[float, float]


@dataclass(frozen=True)
class Series:
    """A line: y over x, with a band where `low` and `high` are given, and marks at the points.
    `place` is that of its colour (None: the series' own place, and grey where it is no curve)."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    marked: bool = False
    kind: Literal["curve", "bound", "least", "guide"] = "curve"
    place: int | None = None


@dataclass(frozen=True)
class Scale:
    """From values to pixels, linear or logarithmic."""

    first: float
    last: float
    start: float
    end: float
    log: bool

    def __call__(self, value: float) -> float:
        if self.log:
            share = math.log(max(value, self.first) / self.first) / math.log(self.last / self.first)
        else:
            share = (value - self.first) / (self.last - self.first)
        return self.start + min(max(share, -0.02), 1.02) * (self.end - self.start)

    def ticks(self) -> list[tuple[float, str]]:
        if not self.log:
            return [(v, number(v, 3)) for v in steps(self.first, self.last)]
        return [(v, power(v)) for v in powers(self.first, self.last)]


def steps(first: float, last: float, wanted: int = 5) -> list[float]:
    """Round values between the two."""
    rough = (last - first) / wanted
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * m for m in (1, 2, 5, 10) if unit * m >= rough * (1 - 1e-9))
    return [i * step for i in range(math.ceil(first / step), math.floor(last / step + 1e-9) + 1)]


def powers(first: float, last: float) -> list[float]:
    """Powers of ten between the two; where there are few, 2 and 5 times these as well."""
    low, high = math.floor(math.log10(first)), math.ceil(math.log10(last))
    every = max(1, -(-(high - low) // 6))
    within = (1 - 1e-9) * first, (1 + 1e-9) * last
    found = [10.0**e for e in range(low, high + 1) if e % every == 0]
    if high - low <= 2:
        found = [m * 10.0**e for e in range(low, high + 1) for m in (1, 2, 5)]
    return [value for value in found if within[0] <= value <= within[1]]


def power(value: float) -> str:
    """A power of ten, as one where it is long."""
    exponent = round(math.log10(value))
    if -3 < exponent < 5 or abs(value / 10.0**exponent - 1) > 1e-6:
        return number(value, 3)
    return "10" + str(exponent).translate(SUPERSCRIPT)


def plot(
    series: Sequence[Series], *, title: str, x: str, y: str, log: tuple[bool, bool], ident: str
) -> Html:
    """Curves with their names at their ends, and below one entry for each other kind of line."""
    placed = [
        dataclasses.replace(s, place=i if s.place is None and s.kind == "curve" else s.place)
        for i, s in enumerate(series)
    ]
    known = [s for s in placed if len(s.y)]
    named = [s for s in known if s.kind == "curve" or (s.kind == "least" and s.place is None)]
    words = [wrapped(s.name) for s in named]
    end = WIDTH - 14 - math.ceil(LETTER * max((len(w) for each in words for w in each), default=0))
    down = max(HEIGHT, TOP + BOTTOM + LINE * len(words) * _most(words)) - BOTTOM
    flat_x = [within(v) for s in known for v in s.x]
    log_x = log[0] and min(flat_x) > 0
    first, last = min(flat_x), max(flat_x)
    across = Scale(
        *_range(0.0 if not log_x and first < 0.1 * last else first, last), LEFT, end, log_x
    )
    up = _upwards(known, down, log[1])
    parts = [*_grid(across, up, x, y)]
    parts += [_band(s, across, up) for s in known if len(s.low)]
    parts += [_curve(s, across, up) for s in known]
    parts += [_inside(s, across, up) for s in known if s.kind == "guide"]
    parts += _names(named, words, across, up)
    height = down + BOTTOM + 8
    for kind, said in KINDS.items():
        example = next((s for s in known if s.kind == kind), None)
        if example is not None:
            height += 17
            sample = dataclasses.replace(example, place=None)
            parts.append(element("path", d=f"M8 {height - 12}h30", **_look(sample)))
            parts.append(element("text", said, x=46, y=height - 8, class_="quiet"))
    described = "; ".join(
        f"{s.name}: from {number(s.y[0], 3)} at {number(s.x[0], 3)} to {number(s.y[-1], 3)} at "
        f"{number(s.x[-1], 3)}"
        for s in known
    )
    return svg(WIDTH, height, title, parts, ident=ident, described=f"{y} over {x}. {described}")


def _upwards(known: Sequence[Series], down: float, log: bool) -> Scale:
    """The vertical axis: all that is drawn but for the least possible, which is shown as far as it
    is not far below the rest."""
    shown = [s for s in known if s.kind != "least"]
    flat = [within(v) for s in shown for v in (*s.y, *s.low, *s.high)]
    floors = [within(v) for s in known if s.kind == "least" for v in s.y]
    positive = [v for v in flat if v > 0]
    if log and positive:
        lowest = min(positive)
        positive += [max(v, lowest / DEEPEST) for v in floors]
        return Scale(*_range(0.9 * min(positive), 1.05 * max(positive)), down, TOP, True)
    return Scale(*_range(min(0.0, *flat), 1.05 * max(0.0, *flat, *floors)), down, TOP, False)


def wrapped(name: str) -> list[str]:
    """A name in lines that fit beside the plot."""
    found = textwrap.wrap(name, NAME, max_lines=2, placeholder="…")
    return found or [""]


def _most(words: Sequence[list[str]]) -> int:
    """Lines of the longest name; each has room for as many."""
    return max((len(lines) for lines in words), default=1)


def _names(
    named: Sequence[Series], words: Sequence[list[str]], across: Scale, up: Scale
) -> list[Html]:
    """Right of the plot, as near to the ends of their lines as there is room."""
    tall = up.start - up.end
    most = _most(words)
    ends = [(up.start - up(within(s.y[-1]))) / tall for s in named]
    parts = []
    for s, lines, share in zip(named, words, spread(ends, LINE * most / tall), strict=True):
        at = up.start - share * tall
        x, y = across(within(s.x[-1])), up(within(s.y[-1]))
        parts.append(line(f"leader {_own('', s).strip()}", (x + 3, across.end + 9), (y, at)))
        for row, text_of in enumerate(lines):
            height = at + 4 + LINE * (row - (len(lines) - 1) / 2)
            parts.append(
                element("text", text_of, x=spot(across.end + 12), y=spot(height),
                        class_=_own("name", s))
            )  # fmt: skip
    return parts


def _inside(s: Series, across: Scale, up: Scale) -> Html:
    """The name of a reference line, left of its end: where it rises, it is below its name."""
    x, y = across(within(s.x[-1])), up(within(s.y[-1]))
    at = {"x": spot(x - 8), "y": spot(max(y + 4, up.end + 9)), "text_anchor": "end"}
    return element("text", s.name, **at, class_="quiet")


def cut(words: str, longest: int) -> str:
    """What there is room for."""
    return words if len(words) <= longest else words[: longest - 1] + "…"


def within(value: float) -> float:
    """The value, where it leaves room to compute with it."""
    return min(max(value, -HUGE), HUGE)


def _range(low: float, high: float) -> tuple[float, float]:
    if high > low:
        return low, high
    return (low / 2, low * 2) if low > 0 else (low - 1, high + 1)


def _grid(across: Scale, up: Scale, x: str, y: str) -> list[Html]:
    down, right = up.start, across.end
    parts = []
    for tick, label in up.ticks():
        at = up(tick)
        parts.append(line("grid", (LEFT, right), (at, at)))
        place = {"x": LEFT - 6, "y": spot(at + 4), "text_anchor": "end"}
        parts.append(element("text", label, **place, class_="quiet"))
    for tick, label in across.ticks():
        at = across(tick)
        parts.append(line("axis", (at, at), (down, down + 4)))
        parts.append(text(at, down + 17, label, "quiet", WIDTH))
    parts.append(line("axis", (LEFT, right), (down, down)))
    middle = spot((TOP + down) / 2)
    parts.append(text((LEFT + right) / 2, down + BOTTOM - 10, x, None, WIDTH))
    turned = f"rotate(-90 13 {middle})"
    parts.append(element("text", y, x=13, y=middle, text_anchor="middle", transform=turned))
    return parts


def _own(class_: str, series: Series) -> str:
    own = GREY if series.place is None else f"s{series.place % COLOURS}"
    return f"{class_} {own}"


def _look(series: Series) -> dict[str, str | None]:
    if series.kind == "curve":
        dash = DASHES[(series.place or 0) // COLOURS % len(DASHES)]
    else:
        dash = {"bound": "5 4", "least": "1 3", "guide": None}[series.kind]
    thin = {"bound": "thin ", "guide": "faint "}.get(series.kind, "")
    return {"class_": _own(f"{thin}curve", series), "stroke_dasharray": dash}


def _curve(series: Series, across: Scale, up: Scale) -> Html:
    """A line; of the least possible what is below the picture is left out."""
    places = [
        (across(within(a)), up(within(b)))
        for a, b in zip(series.x, series.y, strict=True)
        if series.kind != "least" or b >= up.first
    ]
    parts = []
    if len(places) > 1:
        parts.append(element("path", d=_path(thinned(places)), **_look(series)))
    if series.kind == "least" and len(places) == 1:  # no run was measured there
        x, y = places[0]
        parts.append(element("path", d=f"M{spot(x - 4.0)} {spot(y)}h8", **_look(series)))
    elif series.marked or len(places) == 1:
        parts.append(_dots(places, _own("mark", series)))
    return joined(parts)


def _band(series: Series, across: Scale, up: Scale) -> Html:
    """On a logarithmic axis a band that would go to 0 and below goes down to the curve only."""
    lows = [
        b if up.log and low <= 0.0 else low for b, low in zip(series.y, series.low, strict=True)
    ]
    ends = [
        thinned([(across(within(a)), up(within(b))) for a, b in zip(series.x, edge, strict=True)])
        for edge in (lows, series.high)
    ]
    return element(
        "path", d=_path([*ends[0], *reversed(ends[1])]) + "z", class_=_own("band", series)
    )


def thinned(places: list[Place]) -> list[Place]:
    """Without the points that a straight line through the others hits anyway (Douglas-Peucker)."""
    if len(places) < 3:
        return places
    (x0, y0), (x1, y1) = places[0], places[-1]
    length = math.hypot(x1 - x0, y1 - y0) or 1.0
    away = [abs((x1 - x0) * (y0 - y) - (x0 - x) * (y1 - y0)) / length for x, y in places[1:-1]]
    far = max(range(len(away)), key=away.__getitem__)
    if away[far] <= TOLERANCE:
        return [places[0], places[-1]]
    return thinned(places[: far + 2])[:-1] + thinned(places[far + 1 :])


def _path(places: Sequence[Place]) -> str:
    return "M" + "L".join(f"{spot(x)} {spot(y)}" for x, y in places)


def line(class_: str, x: Place, y: Place) -> Html:
    (x1, x2), (y1, y2) = map(spot, x), map(spot, y)
    return element("line", x1=x1, x2=x2, y1=y1, y2=y2, class_=class_)


def _dots(places: Sequence[tuple[float, float]], class_: str) -> Html:
    """Lines of no length with round ends: a third of the bytes of circles."""
    return element("path", d="".join(f"M{spot(x)} {spot(y)}h0" for x, y in places), class_=class_)


def spot(value: float) -> str:
    """A coordinate, to a tenth of a pixel."""
    return f"{value:.1f}".removesuffix(".0")


def text(x: float, y: float, words: str, class_: str | None, width: float = 360.0) -> Html:
    """Centred where it fits, else against the edge."""
    half = 3.6 * len(words)
    anchor = "start" if x - half < 0 else "end" if x + half > width else "middle"
    at = 1.0 if anchor == "start" else width - 1.0 if anchor == "end" else x
    return element("text", words, x=spot(at), y=y, text_anchor=anchor, class_=class_)


def svg(
    width: int,
    height: int,
    title: str,
    parts: Sequence[Html],
    *,
    class_: str | None = None,
    ident: str | None = None,
    described: str | None = None,
) -> Html:
    own = None if ident is None else f"{ident}-title"
    names = f"{own} {ident}-desc" if ident and described else own
    return element(
        "svg",
        element("title", title, id=own),
        element("desc", described, id=f"{ident}-desc") if described and ident else "",
        *parts,
        viewbox=f"0 0 {width} {height}",
        role="img",
        aria_labelledby=names,
        class_=class_,
    )
