"""The privacy-regret frontier as inline SVG: regret up, the audited interval of epsilon across."""

from __future__ import annotations

from dpaudit.report.comparing import kind_of, limits, place_of, sorted_places
from dpaudit.report.figures.style import spread
from dpaudit.report.page.markup import Html, element, number
from dpaudit.report.page.pictures import Scale, cut, line, spot, svg, text
from dpaudit.results.comparison import Field

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 600, 58, 215, 10, 44
LINE = 15
"""Pixels between labels."""
NAME = 30
"""Characters beside the plot."""
REACH = 8.0
LOOKS = {"audited": "s0", "not audited": "s1", "no pure epsilon": "s7"}


def frontier(field: Field, *, title: str, ident: str) -> Html:
    """A dot at the mean, its band up, and epsilon across; names beside the plot."""
    epsilon = field.instance.epsilon or 1.0
    height = max(230, TOP + BOTTOM + LINE * len(field.standings))
    down, end = height - BOTTOM, WIDTH - RIGHT
    across = Scale(epsilon / REACH, epsilon * REACH, LEFT, end - 60, True)
    bottom, top = limits(field)
    up = Scale(bottom, top, down, TOP, True)
    parts = [line("axis", (LEFT, end), (down, down))]
    for tick, words in up.ticks():
        at = up(tick)
        parts.append(line("grid", (LEFT, end), (at, at)))
        place = {"x": LEFT - 6, "y": spot(at + 4), "text_anchor": "end"}
        parts.append(element("text", words, **place, class_="quiet"))
    for k in range(-2, 3, 2):
        at = across(epsilon * 2.0**k)
        parts.append(line("axis", (at, at), (down, down + 4)))
        parts.append(text(at, down + 17, number(epsilon * 2.0**k, 3), "quiet", WIDTH))
    parts.append(text(end - 30, down + 17, "no pure ε", "quiet", WIDTH))
    parts.append(text((LEFT + end) / 2, height - 10, "ε, from below and above", None, WIDTH))
    parts += _least(field, across, up)
    parts += _learners(field, across, up, end)
    words = ", ".join(f"{s.name} {number(s.mean, 3)}" for s in field.standings)
    described = f"Mean regret: {words}. ε is in the tables."
    return svg(WIDTH, height, title, parts, ident=ident, described=described)


def _least(field: Field, across: Scale, up: Scale) -> list[Html]:
    if field.least is None:
        return []
    points = [
        (across(e), up(r))
        for e, r in zip(field.least.epsilons, field.least.regret, strict=True)
        if across.first <= e <= across.last * (1 + 1e-9)
    ]
    path = "M" + "L".join(f"{spot(x)} {spot(y)}" for x, y in points)
    words = f"{field.least.name}: {'asymptotic ' * field.least.asymptotic}lower bound"
    at = {"x": LEFT + 4, "y": spot(up.start - 5)}
    return [
        element("path", d=path, class_="curve s7", stroke_dasharray="4 3"),
        element("text", cut(words, 2 * NAME), **at, class_="quiet"),
    ]


def _learners(field: Field, across: Scale, up: Scale, end: float) -> list[Html]:
    order = sorted_places(field)
    span = up.start - up.end
    wanted = [(up.start - up(field.standings[i].mean)) / span for i in order]
    beside = spread(wanted, LINE / span)
    parts = []
    for i, share in zip(order, beside, strict=True):
        s, height = field.standings[i], up.start - share * span
        look, place, y = LOOKS[kind_of(s)], place_of(s), up(s.mean)
        x = end - 30.0 if place is None else across(place[2])
        if place is not None and s.privacy.lower is not None:
            parts.append(line(f"curve {look}", (across(place[0]), across(place[1])), (y, y)))
        low, high = up(max(s.low, up.first)), up(min(s.high, up.last))
        parts.append(line(f"curve {look}", (x, x), (low, high)))
        parts.append(line(f"leader {look}", (x + 3, end + 9), (y, height)))
        parts.append(element("circle", cx=spot(x), cy=spot(y), r=3, class_=f"mark {look}"))
        parts.append(
            element("text", cut(s.name, NAME), x=spot(end + 12), y=spot(height + 4), class_="name")
        )
    return parts
