"""Regret curves and reproduced experiments as sections of a page."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence

from dpaudit.report.markup import (
    Html,
    again,
    anchor,
    badge,
    counted,
    distinct,
    element,
    number,
    table,
)
from dpaudit.report.pictures import Series, plot
from dpaudit.results.documents import Regret
from dpaudit.results.reproduction import ReproducedCurve, Reproduction

ROWS = 12
"""Of a curve's table; the raw result has all."""
ANSWERS = ("confirmed", "not confirmed", "open")
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
    if r.confidence is not None and r.confidence != 0.999:
        words += ["--confidence", f"{r.confidence:g}"]
    words += ["--exact"] if r.exact else ["--runs", str(r.runs), "--seed", str(r.seed)]
    return element(
        "article",
        element("h3", title, id=f"{ident}-name"),
        element("p", f"{how[0].upper()}{how[1:]}. Arms' means: "
                f"{', '.join(number(m) for m in r.means)} ({r.environment})."),
        figures([("", plot([band], title=title, x="T", y="regret", log=(True, True), ident=ident))])
        if r.mean else "",
        element("details", element("summary", "Numbers"),
                table(title, ("T", "mean", "low", "high"), rows, ident=f"{ident}-numbers")),
        remarks(r.notes),
        again(shlex.join(words), f"dpaudit {r.version}", f"{r.seconds:.1f} s"),
        aria_labelledby=f"{ident}-name",
    )  # fmt: skip


def _spread(n: int) -> list[int]:
    """Some indices of n, first and last among them."""
    return sorted({round(i * (n - 1) / max(1, ROWS - 1)) for i in range(min(n, ROWS))})


def figures(pictures: Sequence[tuple[str, Html]]) -> Html:
    """Pictures with their captions, beside each other where there is room."""
    shown = (element("figure", element("figcaption", name), svg) for name, svg in pictures)
    return element("div", *shown, class_="plots")


def remarks(notes: Sequence[str]) -> Html | str:
    """Notes, as a list."""
    return element("ul", *(element("li", note) for note in notes)) if notes else ""


def place(paper: str, pages: Pages) -> str:
    """The page that holds a paper's details; this one if none does."""
    return pages.get(paper, "")


def reproduction_sentence(found: Sequence[Reproduction]) -> str:
    """How many of the papers' sentences are confirmed."""
    tally: Counter[str] = Counter(s.verdict for r in found for s in r.sentences)
    words = ", ".join(f"{tally[v]} {v}" for v in ANSWERS if tally[v])
    checks = counted(tally.total(), "check")
    again = f"{counted(len(found), 'experiment')} of the papers run again"
    return f"{again}: of {checks} of what they say about their figures, {words or 'none is made'}."


def reproduction_section(found: Sequence[Reproduction], pages: Pages) -> Html:
    """The verdicts, then each experiment; with `pages`, those are left to their papers' pages."""
    rows = []
    idents = distinct([anchor("experiment", r.experiment) for r in found])
    for r, ident in zip(found, idents, strict=True):
        tally: Counter[str] = Counter(s.verdict for s in r.sentences)
        link = element("a", r.experiment, href=place(r.paper, pages) + f"#{ident}")
        counts = (tally[v] for v in ANSWERS)
        rows.append((link, r.where, *counts))
    header = ("experiment", "where", *ANSWERS)
    overview = table("The papers' experiments", header, rows, ident="experiments")
    pairs = zip(found, idents, strict=True)
    rest = [_experiment(r, ident) for r, ident in pairs if r.paper not in pages]
    command = "dpaudit reproduce --out reports"
    return section(
        "reproduction", "Reproduction", element("p", reproduction_sentence(found)), overview,
        *rest, "" if rest else again(command, f"dpaudit {found[0].version}"),
    )  # fmt: skip


def _experiment(r: Reproduction, ident: str) -> Html:
    panels: dict[str, list[ReproducedCurve]] = {}
    for curve in r.curves:
        if curve.mean:
            panels.setdefault(curve.panel, []).append(curve)
    x = str(r.parameters.get("x", "rounds"))
    pictures = [
        (
            panel or r.where,
            _panel(curves, f"{r.experiment} {panel}".strip(), x, f"{ident}-picture-{i}"),
        )
        for i, (panel, curves) in enumerate(panels.items(), 1)
    ]
    sentences = table(
        "What the paper says about the figure",
        ("sentence", "reading", "verdict", "numbers"),
        [(s.text, s.reading, badge(s.verdict), s.numbers) for s in r.sentences],
        ident=f"{ident}-sentences",
    )
    tally: Counter[str] = Counter(s.verdict for s in r.sentences)
    counts = ", ".join(f"{tally[v]} {v}" for v in ANSWERS if tally[v])
    summary = f"Of {counted(len(r.sentences), 'check')}: {counts}." if counts else ""
    band = r.parameters.get("confidence")
    if isinstance(band, float) and pictures:
        summary += f" Bands: confidence {number(band)} at each point by itself."
    return element(
        "article",
        element("h3", f"{r.where}: {r.experiment}", id=f"{ident}-name"),
        element("p", summary),
        figures(pictures) if pictures else "",
        sentences if r.sentences else "",
        _ends([c for curves in panels.values() for c in curves], x, ident),
        remarks(r.notes),
        again(
            r.command,
            f"dpaudit {r.version}",
            f"seed {r.seed}",
            f"{r.seconds:.0f} s" if r.seconds else "",
        ),
        id=ident,
        aria_labelledby=f"{ident}-name",
    )


def _panel(curves: Sequence[ReproducedCurve], title: str, x: str, ident: str) -> Html:
    series = [
        Series(c.label, c.across, c.mean, c.low, c.high, marked=len(c.mean) < ROWS) for c in curves
    ]
    log = (_wide(curves[0].across), False)
    return plot(series, title=title, x=x, y=curves[0].quantity, log=log, ident=ident)


def _ends(curves: Sequence[ReproducedCurve], x: str, ident: str) -> Html:
    rows = [
        (
            c.label,
            c.panel,
            number(c.across[-1]),
            number(c.mean[-1]),
            f"{number(c.low[-1])} to {number(c.high[-1])}",
            "" if c.in_the_figure else "not in the paper's figure",
        )
        for c in curves
    ]
    header = ("curve", "panel", x, "mean", "interval", "note")
    numbers = table("The last point of each curve", header, rows, ident=f"{ident}-ends")
    return element("details", element("summary", "Where the curves end"), numbers)


def _wide(values: Sequence[float]) -> bool:
    """Whether values are spaced as on a logarithmic axis."""
    if len(values) < 3 or values[0] <= 0:
        return False
    return (values[-1] - values[-2]) > 3 * (values[1] - values[0])
