"""Scaling studies as a section of a page: curves beside the stated bounds, fits and residuals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from dpaudit.report.laboratory import Pages, figure, place, section
from dpaudit.report.markup import (
    Html,
    again,
    anchor,
    badge,
    counted,
    element,
    facts,
    number,
    percent,
    table,
)
from dpaudit.report.pictures import Series, plot, residuals
from dpaudit.report.studies import Comparison, Fit, Scaling, ScalingPoint, Study

TERMS: dict[str, Callable[[float], float]] = {
    "1": lambda _: 1.0,
    "log": math.log,
    "log^2": lambda x: math.log(x) ** 2,
    "log log": lambda x: math.log(math.log(x)),
    "log * log log": lambda x: math.log(x) * math.log(math.log(x)),
    "x": lambda x: x,
}
"""The terms of fits whose residuals can be drawn."""
AGREES = 0.05
"""Relative; how near the largest residual must come to the one that the fit states, for a picture
of the residuals to be drawn."""


def scaling_sentence(documents: Sequence[Scaling]) -> str:
    """How many laws come out as stated."""
    tally = Counter(s.verdict for d in documents for s in d.studies)
    parts = [f"{n} {verdict}" for verdict, n in sorted(tally.items())]
    return f"Scaling of {counted(tally.total(), 'stated bound')}: {', '.join(parts)}."


def scaling_section(documents: Sequence[Scaling], pages: Pages) -> Html:
    """The verdicts, then each study; with `pages`, studies are left to their papers' pages."""
    studies = [(s, d.version) for d in documents for s in d.studies]
    rows = [
        (
            element("a", s.study, href=place(s.paper, pages) + f"#{_study_id(s)}"),
            s.where,
            s.question,
            badge(s.verdict),
            s.answer,
        )
        for s, _ in studies
    ]
    overview = table(
        "Scaling studies", ("study", "where", "question", "verdict", "answer"), rows,
        ident="studies",
    )  # fmt: skip
    rest = [_study(s, version) for s, version in studies if s.paper not in pages]
    command = again("dpaudit scaling --out reports/scaling", f"dpaudit {documents[0].version}")
    sentence = element("p", scaling_sentence(documents))
    return section("scaling", "Scaling", sentence, overview, *rest, "" if rest else command)


def _study_id(s: Study) -> str:
    return anchor("study", s.paper, s.study)


def _study(s: Study, version: str) -> Html:
    ident = _study_id(s)
    x, y = [*s.axes, "x", "regret"][:2]
    groups: dict[str, list[ScalingPoint]] = {}
    for point in s.points:
        groups.setdefault(point.target, []).append(point)
    pictures = [
        plot(
            _curves(points),
            title=f"{target}: {y} over {x}",
            x=x,
            y=y,
            log=(True, True),
            ident=anchor(ident, target),
        )
        for target, points in groups.items()
    ]
    return element(
        "article",
        element("h3", f"{s.where}: {s.study} ", badge(s.verdict), id=f"{ident}-name"),
        element("p", element("strong", s.question[:1].upper() + s.question[1:]), " ", s.answer),
        facts((("Laws", s.laws), ("Grid", s.grid), ("Nearest to its bound", _nearest(s.points)),
               ("Notes", "; ".join(s.notes)))),
        figure(*pictures) if pictures else "",
        _fits(s, ident) if s.comparisons else "",
        _slopes(s, ident) if s.slopes else "",
        again("dpaudit scaling --out reports/scaling", f"dpaudit {version}", f"seed {s.seed}",
              f"{s.seconds:.0f} s"),
        id=ident,
        aria_labelledby=f"{ident}-name",
    )  # fmt: skip


def _curves(points: Iterable[ScalingPoint]) -> list[Series]:
    """A curve a series, and beside it, dashed, the bound that is stated."""
    groups: dict[str, list[ScalingPoint]] = {}
    for point in points:
        groups.setdefault(point.series, []).append(point)
    found: list[Series] = []
    for name, group in groups.items():
        group.sort(key=lambda p: p.x)
        x = [p.x for p in group]
        one_each = len(set(x)) == len(x)
        banded = one_each and any(p.error > 0.002 * abs(p.regret) for p in group)
        low = [max(p.regret - p.error, 0.0) for p in group] if banded else ()
        high = [p.regret + p.error for p in group] if banded else ()
        y = [p.regret for p in group]
        found.append(Series(name, x, y, low, high, joined=one_each, marked=True))
        bounded = [(p.x, p.bound) for p in group if p.bound is not None]
        if bounded:
            at, bound = zip(*bounded, strict=True)
            like = len(found) - 1
            found.append(Series("its stated bound", at, bound, joined=one_each, like=like))
    return found


def _nearest(points: Sequence[ScalingPoint]) -> str | None:
    ratios = [(p.regret / p.bound, p) for p in points if p.bound]
    if not ratios:
        return None
    ratio, p = max(ratios, key=lambda pair: pair[0])
    epsilon = "" if p.epsilon is None else f", ε = {number(p.epsilon)}"
    return (
        f"{number(p.regret)} of {number(p.bound)} (ratio {number(ratio, 3)}): {p.series}, "
        f"{p.instance}, K = {number(p.arms)}, T = {number(p.horizon)}{epsilon}"
    )


def _fits(s: Study, ident: str) -> Html:
    rows = [
        (
            c.curve,
            _formula(c.fit),
            _residuals(c, s.points),
            percent(c.fit.residual),
            f"{c.extra}: {percent(c.extra_share[1])}",
            f"{percent(c.extra_share[0])} to {percent(c.extra_share[2])}",
            c.answer,
        )
        for c in s.comparisons
    ]
    header = (
        "curve", "fit", "residuals", "largest", "share of the extra term", "range", "grows like",
    )  # fmt: skip
    return table(
        "Fits; residuals as parts of the largest value", header, rows, ident=f"{ident}-fits"
    )


def _formula(fit: Fit) -> str:
    terms = []
    for name, value, slack in zip(fit.terms, fit.coefficients, fit.slack, strict=True):
        words = number(value, 3) + (f" ± {number(slack, 2)}" if slack else "")
        terms.append(words if name == "1" else f"({words}) {name}" if slack else f"{words} {name}")
    return " + ".join(terms).replace("+ -", "− ")


def _residuals(c: Comparison, points: Sequence[ScalingPoint]) -> Html | str:
    """A picture, if the residuals of the points agree with what the fit states."""
    own = [p for p in points if p.series == c.curve]
    if not own or not set(c.fit.terms) <= set(TERMS):
        return "not drawn"
    try:
        found = [
            (p.x, p.regret - sum(
                k * TERMS[t](p.x) for t, k in zip(c.fit.terms, c.fit.coefficients, strict=True)
            ))
            for p in own
        ]  # fmt: skip
    except ValueError:
        return "not drawn"
    scale = max(abs(p.regret) for p in own) or 1.0
    limit = c.fit.residual * (1 + AGREES) + 1e-12
    values = [(x, r / scale, abs(r / scale) <= limit) for x, r in found]
    reach = max((abs(r) for _, r, fitted in values if fitted), default=0.0)
    if len(values) < 2 or reach < c.fit.residual * (1 - AGREES) - 1e-12:
        return "not drawn"
    return residuals(values, c.fit.residual)


def _slopes(s: Study, ident: str) -> Html:
    rows = [
        (slope.curve, *(number(v, 3) for v in (slope.slope[1], slope.slope[0], slope.slope[2])))
        for slope in s.slopes
    ]
    header = ("curve", "slope", "from", "to")
    return table("Slopes of ln y against ln x", header, rows, ident=f"{ident}-slopes")
