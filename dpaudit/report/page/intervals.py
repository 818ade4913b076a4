"""Pictures of [lower, upper] against the claim, as inline SVG."""

from __future__ import annotations

from dpaudit.report.page.markup import Html, at_least, at_most, element, joined, number
from dpaudit.report.page.pictures import Scale, spot, steps, svg, text, within


def interval(
    lower: float, upper: float | None, claim: float, *, symbol: str, name: str, ident: str
) -> Html:
    """[lower, upper] against the claim; the part of it that is above the claim for certain is
    hatched by a thick line."""
    lower, claim = within(lower), within(claim)
    upper = None if upper is None else within(upper)
    most = 1.12 * max(claim, lower, upper or 0.0, 1e-9)
    scale = Scale(0.0, most if upper is not None else 1.25 * most, 12.0, 348.0, False)
    a, c = scale(lower), scale(claim)
    b = scale.end if upper is None else scale(upper)
    words = interval_words(lower, upper, claim, symbol)
    parts = [
        element("line", x1=12, x2=348, y1=52, y2=52, class_="axis"),
        *(
            joined(
                (
                    element(
                        "line", x1=spot(scale(t)), x2=spot(scale(t)), y1=52, y2=56, class_="axis"
                    ),
                    text(scale(t), 70, number(t, 3), "quiet"),
                )
            )
            for t in steps(0.0, scale.last, 4)
        ),
        element("rect", x=spot(a), y=28, width=spot(max(b - a, 3)), height=14, class_="interval"),
    ]
    if lower > claim:
        parts.append(element("line", x1=spot(c), x2=spot(a), y1=35, y2=35, class_="excess"))
    if upper is None:
        parts.append(element("path", d=f"M{spot(b)} 24l10 11l-10 11z", class_="arrow"))
    parts += [
        element("line", x1=spot(c), x2=spot(c), y1=18, y2=52, class_="claim"),
        text(c, 12, f"claimed {number(claim)}", None),
        text((a + b) / 2, 90, _bounds(lower, upper, symbol), "strong"),
    ]
    return svg(360, 98, f"{name}: {words}", parts, ident=ident, class_="wide")


def interval_words(lower: float, upper: float | None, claim: float, symbol: str) -> str:
    """What the picture of an interval shows."""
    end = "no upper bound" if upper is None else f"at most {at_most(upper)}"
    side = "above" if lower > claim else "not above"
    return (
        f"{symbol} is at least {at_least(lower)}, {end}; claimed {number(claim)}; "
        f"the lower end is {side} the claim"
    )


def _bounds(lower: float, upper: float | None, symbol: str) -> str:
    if upper is not None and at_least(lower) == at_most(upper):
        return f"{symbol} = {at_least(lower)}"
    return f"{at_least(lower)} ≤ {symbol}" + ("" if upper is None else f" ≤ {at_most(upper)}")


def small_interval(lower: float, upper: float | None, claim: float, *, symbol: str) -> Html:
    """The same for a table's row, in multiples of the claim; the scale ends at 2.5 claims."""
    scale = Scale(0.0, 2.5, 1.0, 149.0, False)
    unit = claim or 1.0
    a = scale(min(lower / unit, 2.5))
    b = scale.end if upper is None else scale(min(upper / unit, 2.5))
    parts = [
        element("line", x1=1, x2=149, y1=15, y2=15, class_="axis"),
        element("rect", x=spot(a), y=5, width=spot(max(b - a, 3)), height=8, class_="interval"),
    ]
    c = spot(scale(1))
    if lower > claim:
        parts.append(element("line", x1=c, x2=spot(a), y1=9, y2=9, class_="excess thin"))
    parts.append(element("line", x1=c, x2=c, y1=1, y2=18, class_="claim"))
    words = interval_words(lower, upper, claim, symbol)
    return svg(150, 19, words, parts, class_="small")
