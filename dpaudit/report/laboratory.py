"""Regret curves, scaling studies and reproduced experiments as sections of a page."""

from __future__ import annotations

import math
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

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
from dpaudit.report.schemas import Regret
from dpaudit.report.studies import (
    Comparison,
    Fit,
    ReproducedCurve,
    Reproduction,
    Scaling,
    ScalingPoint,
    Study,
)

ROWS = 12
"""Of a curve's table; the raw result has all."""
TERMS = {
    "1": lambda x: 1.0,
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
Pages = Mapping[str, str]


def section(ident: str, title: str, *parts: object) -> Html:
    """A section with its heading."""
    heading = element("h2", title, id=f"{ident}-title")
    return element("section", heading, *parts, id=ident, aria_labelledby=f"{ident}-title")


def regret_section(studies: Sequence[Regret]) -> Html:
    """Each regret curve with its band."""
    return section("regret", "Regret", *(_regret(r, i) for i, r in enumerate(studies, 1)))


def regret_sentence(studies: Sequence[Regret]) -> str:
    """Where the curves end."""
    ends = [
        f"{r.target} {number(r.mean[-1])} at T = {number(r.horizons[-1])}"
        for r in studies[:4]
        if r.mean
    ]
    return f"Regret: {'; '.join(ends)}." if ends else "Regret: no points."


def _regret(r: Regret, i: int) -> Html:
    ident = anchor("regret", i, r.target)
    how = "exact, with its enclosure" if r.exact else (
        f"mean of {number(r.runs)} runs, with a band at confidence {number(r.confidence)} for all "
        "horizons together"
    )  # fmt: skip
    epsilon = "" if r.epsilon is None else f", ε = {number(r.epsilon)}"
    title = f"Regret of {r.target}{epsilon}"
    kept = _spread(len(r.horizons))
    rows = [(number(r.horizons[k]), *(number(v) for v in (r.mean[k], r.low[k], r.high[k])))
            for k in kept]  # fmt: skip
    band = Series(r.target, r.horizons, r.mean, r.low, r.high, marked=True)
    words = ["dpaudit", "regret", r.target, "--horizon", str(r.horizons[-1] if r.horizons else 0)]
    words += ["--means", ",".join(f"{m:g}" for m in r.means)]
    words += [] if r.epsilon is None else ["--epsilon", f"{r.epsilon:g}"]
    words += [] if r.environment == "bernoulli" else ["--environment", r.environment]
    for name, value in r.parameters.items():
        words += ["--param", f"{name}={value}"]
    words += ["--exact"] if r.exact else ["--runs", str(r.runs), "--seed", str(r.seed)]
    return element(
        "article",
        element("h3", title, id=f"{ident}-name"),
        element("p", f"{how[0].upper()}{how[1:]}. Arms' means: "
                f"{', '.join(number(m) for m in r.means)} ({r.environment})."),
        _figure(plot([band], title=title, x="T", y="regret", log=(True, True), ident=ident))
        if r.mean else "",
        element("details", element("summary", "Numbers"),
                table(title, ("T", "mean", "low", "high"), rows, ident=f"{ident}-numbers")),
        element("p", "; ".join(r.notes)) if r.notes else "",
        again(shlex.join(words), f"dpaudit {r.version}", f"{r.seconds:.1f} s"),
        aria_labelledby=f"{ident}-name",
    )  # fmt: skip


def _spread(n: int) -> list[int]:
    """Some indices of n, first and last among them."""
    return sorted({round(i * (n - 1) / max(1, ROWS - 1)) for i in range(min(n, ROWS))})


def _figure(*pictures: Html) -> Html:
    return element("figure", *pictures, class_="plots")


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
            element("a", s.study, href=_place(s.paper, pages) + f"#{_study_id(s)}"),
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


def _place(paper: str, pages: Pages) -> str:
    return pages.get(paper, "")


def _study_id(s: Study) -> str:
    return anchor("study", s.paper, s.study)


def _study(s: Study, version: str) -> Html:
    ident = _study_id(s)
    x, y = [*s.axes, "x", "regret"][:2]
    groups: dict[str, list[ScalingPoint]] = {}
    for point in s.points:
        groups.setdefault(point.target, []).append(point)
    pictures = [
        plot(_curves(points), title=f"{target}: {y} over {x}", x=x, y=y, log=(True, True),
             ident=anchor(ident, target))  # fmt: skip
        for target, points in groups.items()
    ]
    return element(
        "article",
        element("h3", f"{s.where}: {s.study} ", badge(s.verdict), id=f"{ident}-name"),
        element("p", element("strong", s.question[:1].upper() + s.question[1:]), " ", s.answer),
        facts((("Laws", s.laws), ("Grid", s.grid), ("Nearest to its bound", _nearest(s.points)),
               ("Notes", "; ".join(s.notes)))),
        _figure(*pictures) if pictures else "",
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
    return table("Fits; residuals as parts of the largest value", header, rows, ident=f"{ident}-fits")


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


def reproduction_sentence(found: Sequence[Reproduction]) -> str:
    """How many of the papers' sentences are confirmed."""
    tally = Counter(s.verdict for r in found for s in r.sentences)
    words = ", ".join(f"{tally[v]} {v}" for v in ("confirmed", "not confirmed", "open") if tally[v])
    checks = counted(tally.total(), "check")
    return f"{counted(len(found), 'experiment')} of the papers run again; of {checks}, {words}."


def reproduction_section(found: Sequence[Reproduction], pages: Pages) -> Html:
    """The verdicts, then each experiment; with `pages`, those are left to their papers' pages."""
    rows = []
    for r in found:
        tally = Counter(s.verdict for s in r.sentences)
        link = element("a", r.experiment, href=_place(r.paper, pages) + f"#{_experiment_id(r)}")
        counts = (tally[v] for v in ("confirmed", "not confirmed", "open"))
        rows.append((link, r.where, *counts))
    header = ("experiment", "where", "confirmed", "not confirmed", "open")
    overview = table("The papers' experiments", header, rows, ident="experiments")
    rest = [_experiment(r) for r in found if r.paper not in pages]
    command = "dpaudit reproduce --out reports/reproduction"
    return section(
        "reproduction", "Reproduction", element("p", reproduction_sentence(found)), overview,
        *rest, "" if rest else again(command, f"dpaudit {found[0].version}"),
    )  # fmt: skip


def _experiment_id(r: Reproduction) -> str:
    return anchor("experiment", r.experiment)


def _experiment(r: Reproduction) -> Html:
    ident = _experiment_id(r)
    panels: dict[str, list[ReproducedCurve]] = {}
    for curve in r.curves:
        panels.setdefault(curve.panel, []).append(curve)
    x = str(r.parameters.get("x", "rounds"))
    pictures = [
        plot(
            [Series(c.label, c.across, c.mean, c.low, c.high, marked=len(c.mean) < 12)
             for c in curves if c.mean],
            title=f"{r.experiment}{', ' if panel else ''}{panel}", x=x, y=curves[0].quantity,
            log=(_wide(curves[0].across), False), ident=anchor(ident, i),
        )  # fmt: skip
        for i, (panel, curves) in enumerate(panels.items(), 1)
        if any(c.mean for c in curves)
    ]
    ends = [
        (
            c.label,
            c.panel,
            number(c.across[-1]),
            number(c.mean[-1]),
            f"{number(c.low[-1])} to {number(c.high[-1])}",
            "" if c.in_the_figure else "not in the paper's figure",
        )
        for c in r.curves
        if c.mean
    ]
    band = r.parameters.get("confidence")
    sentences = table(
        "What the paper says about the figure",
        ("sentence", "reading", "verdict", "numbers"),
        [(s.text, s.reading, badge(s.verdict), s.numbers) for s in r.sentences],
        ident=f"{ident}-sentences",
    )
    header = ("curve", "panel", x, "mean", "interval", "note")
    return element(
        "article",
        element("h3", f"{r.where}: {r.experiment}", id=f"{ident}-name"),
        element("p", "; ".join(r.notes)) if r.notes else "",
        sentences if r.sentences else "",
        _figure(*pictures) if pictures else "",
        element("p", f"Bands: confidence {number(band)} at each point by itself.")
        if isinstance(band, float) else "",
        element("details", element("summary", "Where the curves end"),
                table("The last point of each curve", header, ends, ident=f"{ident}-ends")),
        again(r.command, f"dpaudit {r.version}", f"seed {r.seed}", f"{r.seconds:.0f} s"),
        id=ident,
        aria_labelledby=f"{ident}-name",
    )  # fmt: skip


def _wide(values: Sequence[float]) -> bool:
    """Whether values are spaced as on a logarithmic axis."""
    if len(values) < 3 or values[0] <= 0:
        return False
    return (values[-1] - values[-2]) > 3 * (values[1] - values[0])
