"""Plots as inline SVG, drawn by ourselves: a page of at most 500 kB holds some sixty plots of many
curves each, in the colours of the reader's theme, with titles for who cannot see them. Matplotlib's
SVG is too large for that. Figures that are files of their own are matplotlib's:
`dpaudit.report.figures`."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

from dpaudit.report.page.markup import SUPERSCRIPT, Html, element, joined, number

COLOURS = 8
GREY = 7
DASHES = (None, "7 3", "2 3", "9 3 2 3", "14 3")
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 440, 230, 58, 10, 44
"""Of a plot, its labels included; wide enough for text that a phone still shows at 10 pixels."""
TOLERANCE = 0.4
"""Pixels by which a drawn line may miss its points."""
HUGE = 1e200
"""Nothing larger is drawn to scale."""
LONGEST = 54
"""Characters of a legend's line."""

Place = tuple[float, float]


@dataclass(frozen=True)
class Series:
    """A curve: y over x, with a band where `low` and `high` are given, and marks at the points.
    A `bound` is dashed; of several, the legend names the first. `colour` is a number; None: the
    series' place."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    joined: bool = True
    marked: bool = False
    colour: int | None = None
    bound: bool = False


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
    series = [
        dataclasses.replace(s, colour=i if s.colour is None else s.colour)
        for i, s in enumerate(series)
    ]
    flat_x = [within(v) for s in series for v in s.x]
    flat_y = [within(v) for s in series for v in (*s.y, *s.low, *s.high)]
    log_x = log[0] and min(flat_x) > 0
    log_y = log[1] and any(v > 0 for v in flat_y)
    first, last = min(flat_x), max(flat_x)
    across = Scale(*_range(0.0 if not log_x and first < 0.1 * last else first, last),
                   LEFT, WIDTH - 14, log_x)  # fmt: skip
    positive = [v for v in flat_y if v > 0] if log_y else [0.0, *flat_y]
    down = HEIGHT - BOTTOM
    up = Scale(
        *_range((0.9 if log_y else 1) * min(positive), 1.05 * max(positive)), down, TOP, log_y
    )
    parts = [*_grid(across, up, x, y)]
    parts += [_band(s, across, up) for s in series if len(s.low)]
    parts += [_curve(s, across, up) for s in series]
    first_bound = next((s for s in series if s.bound), None)
    legend = [s for s in series if not s.bound or s is first_bound]
    for row, each in enumerate(legend):
        at = HEIGHT + 14 + 17 * row
        name = cut(each.name, LONGEST)
        if each.joined and len(each.x) > 1:
            parts.append(element("path", d=f"M8 {at - 4}h30", **_look(each)))
        else:
            parts.append(element("circle", cx=23, cy=at - 4, r=3, class_=_own("mark", each)))
        parts.append(element("text", name, x=46, y=at))
    described = "; ".join(
        f"{s.name}: from {number(s.y[0], 3)} at {number(s.x[0], 3)} to {number(s.y[-1], 3)} at "
        f"{number(s.x[-1], 3)}"
        for s in series
        if len(s.y)
    )
    height = HEIGHT + 8 + 17 * len(legend)
    return svg(WIDTH, height, title, parts, ident=ident, described=f"{y} over {x}. {described}")


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
    down, right = HEIGHT - BOTTOM, WIDTH - 14
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
    parts.append(text((LEFT + right) / 2, HEIGHT - 10, x, None, WIDTH))
    turned = f"rotate(-90 13 {middle})"
    parts.append(element("text", y, x=13, y=middle, text_anchor="middle", transform=turned))
    return parts


def _own(kind: str, series: Series) -> str:
    return f"{kind} s{(series.colour or 0) % COLOURS}"


def _look(series: Series) -> dict[str, str | None]:
    colour = series.colour or 0
    dash = "4 3" if series.bound else DASHES[(colour + colour // COLOURS) % len(DASHES)]
    return {"class_": _own("curve", series), "stroke_dasharray": dash}


def _curve(series: Series, across: Scale, up: Scale) -> Html:
    places = [(across(a), up(b)) for a, b in zip(series.x, series.y, strict=True)]
    parts = []
    if series.joined and len(places) > 1:
        parts.append(element("path", d=_path(thinned(places)), **_look(series)))
    if series.marked or len(places) == 1 or not series.joined:
        parts += [_dot(a, b, _own("mark", series)) for a, b in places]
    return joined(parts)


def _band(series: Series, across: Scale, up: Scale) -> Html:
    ends = [
        thinned([(across(a), up(b)) for a, b in zip(series.x, edge, strict=True)])
        for edge in (series.low, series.high)
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


def _dot(x: float, y: float, class_: str) -> Html:
    return element("circle", cx=spot(x), cy=spot(y), r=2.4, class_=class_)


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
