"""Pictures of what was found against the claim, as inline SVG: [lower, upper], and the band of a
trade-off curve."""

from __future__ import annotations

import numpy as np

from dpaudit.report.page.markup import Html, at_least, at_most, element, figures, number
from dpaudit.report.page.pictures import (
    Scale,
    Series,
    line,
    plot,
    spot,
    steps,
    svg,
    text,
    within,
)
from dpaudit.results.audit import AuditResult
from dpaudit.results.tradeoff import CURVES, claimed

POINTS = 101
"""Of a drawn curve."""


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
    parts = [line("axis", (12, 348), (52, 52))]
    for tick in steps(0.0, scale.last, 4):
        at = scale(tick)
        parts += [line("axis", (at, at), (52, 56)), text(at, 70, number(tick, 3), "quiet")]
    parts.append(_bar(a, b, 28, 14))
    if lower > claim:
        parts.append(line("excess", (c, a), (35, 35)))
    if upper is None:
        parts.append(element("path", d=f"M{spot(b)} 24l10 11l-10 11z", class_="arrow"))
    parts += [
        line("claim", (c, c), (18, 52)),
        text(c, 12, f"claimed {number(claim)}", None),
        text((a + b) / 2, 90, _bounds(lower, upper, symbol), "strong"),
    ]
    words = interval_words(lower, upper, claim, symbol)
    return svg(360, 98, f"{name}: {words}", parts, ident=ident, class_="wide")


def small_interval(lower: float, upper: float | None, claim: float, *, symbol: str) -> Html:
    """The same for a table's row, in multiples of the claim; the scale ends at 2.5 claims."""
    scale = Scale(0.0, 2.5, 1.0, 149.0, False)
    unit = claim or 1.0
    a, c = scale(min(lower / unit, 2.5)), scale(1)
    b = scale.end if upper is None else scale(min(upper / unit, 2.5))
    parts = [line("axis", (1, 149), (15, 15)), _bar(a, b, 5, 8)]
    if lower > claim:
        parts.append(line("excess thin", (c, a), (9, 9)))
    parts.append(line("claim", (c, c), (1, 18)))
    return svg(150, 19, interval_words(lower, upper, claim, symbol), parts, class_="small")


def _bar(a: float, b: float, top: int, height: int) -> Html:
    width = spot(max(b - a, 3))
    return element("rect", x=spot(a), y=top, width=width, height=height, class_="interval")


def interval_words(lower: float, upper: float | None, claim: float, symbol: str) -> str:
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


def trade_off(audit: AuditResult, ident: str) -> Html | str:
    """The band of the trade-off curve, with the curve that the claim allows; where the band ends
    under it the claim is refuted. Nothing where no band was asked for."""
    band = audit.tradeoff
    if band is None:
        return ""
    across = np.linspace(0.0, 1.0, POINTS)
    low, high = band.below(across), band.above(across)
    curves = [Series("at most", across.tolist(), high.tolist(), low.tolist(), high.tolist())]
    if audit.claim.notion in CURVES:
        allowed, name = claimed(audit.claim, across), f"claimed: {audit.claim}"
        curves.append(Series(name, across.tolist(), allowed.tolist(), kind="bound"))
    title = f"Trade-off curve at confidence {number(band.confidence)}"
    words = (
        f"{title}: the pair's curve is nowhere above the line, and tests of the event's score are "
        "in the band. Where the line is under the dashed curve, the claim is refuted."
    )
    picture = plot(
        curves,
        title=title,
        x="error of the first kind",
        y="of the second",
        log=(False, False),
        ident=ident,
    )
    return figures([(words, picture)])
