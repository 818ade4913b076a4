"""Scaling studies as a section of a page: curves beside the stated bounds, fits and residuals."""

from __future__ import annotations

import math
import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from dpaudit.report.page.curves import Pages
from dpaudit.report.page.markup import (
    Html,
    again,
    anchor,
    article,
    badge,
    capital,
    counted,
    distinct,
    element,
    facts,
    figures,
    grouped,
    number,
    percent,
    remarks,
    section,
    table,
)
from dpaudit.report.page.pictures import GREY, Series, plot, residuals
from dpaudit.results.scaling import Comparison, Fit, Scaling, Study
from dpaudit.results.scaling import Point as ScalingPoint

TERMS: dict[str, Callable[[float], float]] = {
    "1": lambda _: 1.0,
    "log": math.log,
    "log^2": lambda x: math.log(x) ** 2,
    "log log": lambda x: math.log(math.log(x)),
    "log * log log": lambda x: math.log(x) * math.log(math.log(x)),
    "x": lambda x: x,
}
"""The terms of fits whose residuals can be drawn."""
SHOWN = 8
VISIBLE = 0.002
"""A band that is narrower, as a part of the value, is not drawn."""
STATED = "dashed: the stated bound"
AGREES = 0.05
"""Relative; how near the largest residual must come to the one that the fit states, for a picture
of the residuals to be drawn."""


def scaling_sentence(documents: Sequence[Scaling]) -> str:
    tally = Counter(s.verdict for d in documents for s in d.studies)
    parts = [f"{n} {verdict}" for verdict, n in sorted(tally.items())]
    return f"Scaling of {counted(tally.total(), 'stated bound')}: {', '.join(parts)}."


def scaling_section(documents: Sequence[Scaling], pages: Pages) -> Html:
    """The verdicts, then each study; with `pages`, studies are left to their papers' pages."""
    studies = [(s, d.version) for d in documents for s in d.studies]
    idents = distinct([anchor("study", s.paper, s.study) for s, _ in studies])
    found = list(zip(studies, idents, strict=True))
    rows = [
        (
            element("a", s.study, href=pages.get(s.paper, "") + f"#{ident}"),
            s.where,
            s.question,
            badge(s.verdict),
            s.answer,
        )
        for (s, _), ident in found
    ]
    overview = table(
        "Scaling studies", ("study", "where", "question", "verdict", "answer"), rows,
        ident="studies",
    )  # fmt: skip
    rest = [_study(s, ident, version) for (s, version), ident in found if s.paper not in pages]
    command = again("dpaudit scaling --out reports", f"dpaudit {documents[0].version}")
    sentence = element("p", scaling_sentence(documents))
    return section("scaling", "Scaling", sentence, overview, *rest, "" if rest else command)


def _study(s: Study, ident: str, version: str) -> Html:
    x = s.axes[0] if s.axes else _across(s.points)
    pictures = []
    took = f"{s.seconds:.0f} s" if s.seconds else ""
    for i, (target, points) in enumerate(grouped(s.points, "target").items(), 1):
        y, series = _curves(target, points)
        if len(s.axes) > 1 and y == "regret":
            y = s.axes[1]
        if not s.axes and x == "x":
            y = "y"
        title, place = f"{target}: {y} over {x}", f"{ident}-picture-{i}"
        picture = plot(series, title=title, x=x, y=y, log=(True, True), ident=place)
        pictures.append((target, picture))
    command = ["dpaudit", "scaling", s.study, *(["--quick"] if s.quick else [])]
    command += ["--seed", str(s.seed)]
    return article(
        ident,
        [f"{s.where}: {s.study} ", badge(s.verdict)],
        element("p", element("strong", capital(s.question)), " ", capital(s.answer), "."),
        facts((("Laws", s.laws), ("Grid", s.grid), ("Regret over bound", _ratios(s.points)),
               ("Deciding numbers", _plain(s.numbers)))),
        figures(pictures),
        _fits(s, ident) if s.comparisons else "",
        _slopes(s, ident) if s.slopes else "",
        remarks(s.notes),
        again(shlex.join(command), f"dpaudit {version}", f"seed {s.seed}", took),
    )  # fmt: skip


def _plain(numbers: Mapping[str, object]) -> str:
    """Those of the deciding numbers that are single numbers."""
    single = [(k, v) for k, v in numbers.items() if isinstance(v, (int, float))]
    return "; ".join(f"{k.replace('_', ' ')} {number(v)}" for k, v in single[:SHOWN])


def _across(points: Sequence[ScalingPoint]) -> str:
    known: dict[str, Callable[[ScalingPoint], float | None]] = {
        "T": lambda p: p.horizon,
        "K": lambda p: p.arms,
        "ε": lambda p: p.epsilon,
        "1/ε": lambda p: 1 / p.epsilon if p.epsilon else None,
        "gap": lambda p: p.gap,
        "1/gap": lambda p: 1 / p.gap if p.gap else None,
    }
    for name, value in known.items():
        if all(abs(p.x - (value(p) or 0.0)) <= 1e-9 * abs(p.x) for p in points):
            return name
    return "x"


def _curves(target: str, points: Sequence[ScalingPoint]) -> tuple[str, list[Series]]:
    """A curve a series, and beside it, dashed, the bound that is stated. Where there are several
    points at one place, what is drawn is regret over bound."""
    groups = grouped(points, "series")
    found: list[Series] = []
    single = all(len({p.x for p in group}) == len(group) for group in groups.values())
    ratios = not single and all(p.bound for p in points)
    for colour, (series, group) in enumerate(groups.items()):
        group.sort(key=lambda p: p.x)
        name = series.removeprefix(f"{target}, ")
        x = [p.x for p in group]
        y = [p.regret / (p.bound or 1.0) if ratios else p.regret for p in group]
        banded = single and any(p.error > VISIBLE * abs(p.regret) for p in group)
        low = [max(p.regret - p.error, 0.0) for p in group] if banded else ()
        high = [p.regret + p.error for p in group] if banded else ()
        found.append(Series(name, x, y, low, high, single, True, colour))
        bounded = [(p.x, p.bound) for p in group if p.bound is not None]
        if bounded and single:
            at, bound = zip(*bounded, strict=True)
            found.append(Series(STATED, at, bound, colour=colour, bound=True))
    if ratios:
        ends = min(p.x for p in points), max(p.x for p in points)
        found.append(Series(STATED, ends, (1.0, 1.0), colour=GREY, bound=True))
    return ("regret / bound" if ratios else "regret"), found


def _ratios(points: Sequence[ScalingPoint]) -> str | None:
    ratios = [(p.regret / p.bound, p) for p in points if p.bound]
    if not ratios:
        return None
    least, _ = min(ratios, key=lambda pair: pair[0])
    ratio, p = max(ratios, key=lambda pair: pair[0])
    epsilon = "" if p.epsilon is None else f", ε = {number(p.epsilon)}"
    return (
        f"{_between(number(least, 3), number(ratio, 3))}; largest with {p.series}, {p.instance}, "
        f"K = {number(p.arms)}, T = {number(p.horizon)}{epsilon}: {number(p.regret)} of "
        f"{number(p.bound)}"
    )


def _between(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def _fits(s: Study, ident: str) -> Html:
    rows = [
        (
            c.curve,
            _formula(c.fit),
            _residuals(c, s.points),
            percent(c.fit.residual),
            f"{c.extra}: {percent(c.extra_share[1])}",
            _between(percent(c.extra_share[0]), percent(c.extra_share[2])),
            {"law": c.law, "extra": c.extra}.get(c.answer, c.answer),
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
