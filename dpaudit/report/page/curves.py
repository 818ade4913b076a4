"""Regret curves and reproduced experiments as sections of a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from dpaudit.report.figures.panels import floors_of
from dpaudit.report.page.markup import (
    Html,
    again,
    anchor,
    article,
    badge,
    counted,
    distinct,
    element,
    figures,
    folded,
    grouped,
    number,
    remarks,
    section,
    table,
)
from dpaudit.report.page.pictures import Series, plot
from dpaudit.results.regret import LowerBound, RegretResult
from dpaudit.results.reproduction import Judged, ReproducedCurve, Reproduction
from dpaudit.results.words import replay_regret

ROWS = 12
"""Of a curve's table; the raw result has all."""
ANSWERS = ("not confirmed", "open", "confirmed")
Pages = Mapping[str, str]


def regret_section(studies: Sequence[RegretResult]) -> Html:
    return section("regret", "Regret", *(_regret(r, i) for i, r in enumerate(studies, 1)))


def regret_sentence(studies: Sequence[RegretResult]) -> str:
    ends = [
        f"{r.target} {number(r.mean[-1])} at T = {number(r.horizons[-1])}"
        for r in studies[:4]
        if len(r.mean)
    ]
    return f"Regret: {'; '.join(ends)}." if ends else "Regret: no points."


def _regret(r: RegretResult, i: int) -> Html:
    ident = anchor("regret", i, r.target)
    across, mean, low, high = columns = [c.tolist() for c in (r.horizons, r.mean, r.low, r.high)]
    header = ["T", "mean", "low", "high"]
    if r.normal_low is not None and r.normal_high is not None:
        columns += [r.normal_low.tolist(), r.normal_high.tolist()]
        header += ["normal low", "normal high"]
    how = f"Mean of {number(r.runs)} runs, with a band at confidence {number(r.confidence)} for all"
    law = "whatever the law of a run" if r.band == "guaranteed" else "by the central limit theorem"
    how = "Exact, with its enclosure" if r.exact else f"{how} horizons together, {law}"
    if r.measured != "pseudo-regret":
        how = f"{r.measured[0].upper()}{r.measured[1:]}. {how}"
    epsilon = "" if r.epsilon is None else f", ε = {number(r.epsilon)}"
    title = f"Regret of {r.target}{epsilon}"
    rows = [[number(column[k]) for column in columns] for k in _spread(len(across))]
    numbers = table(title, tuple(header), rows, ident=f"{ident}-numbers")
    pictures = []
    if mean:
        band = Series(r.target, across, mean, low, high, marked=True)
        below = [
            Series(f"at least: {b.short}", across, b.values.tolist(), kind="least")
            for b in r.lower_bounds
        ]
        picture = plot(
            [band, *below], title=title, x="T", y="regret", log=(True, True), ident=ident
        )
        pictures.append(("", picture))
    return article(
        ident,
        [title],
        element("p", f"{how}. Arms' means: {', '.join(map(number, r.means))} ({r.environment})."),
        figures(pictures),
        folded("Numbers", numbers),
        remarks(r.notes),
        again(replay_regret(r), f"dpaudit {r.version}", f"{r.seconds:.1f} s"),
    )


def _spread(n: int) -> list[int]:
    """Some indices of n, first and last among them."""
    return sorted({round(i * (n - 1) / max(1, ROWS - 1)) for i in range(min(n, ROWS))})


def _tallied(found: Sequence[Reproduction]) -> tuple[Counter[str], str]:
    """How often each answer was given, as numbers and in words."""
    tally: Counter[str] = Counter(s.verdict for r in found for s in r.judged)
    return tally, ", ".join(f"{tally[v]} {v}" for v in ANSWERS if tally[v])


def reproduction_sentence(found: Sequence[Reproduction]) -> str:
    tally, words = _tallied(found)
    said = counted(tally.total(), "sentence")
    run = f"{counted(len(found), 'experiment')} of the papers run again"
    return f"{run}: of {said} about their figures, {words or 'none is made'}."


def reproduction_section(found: Sequence[Reproduction], pages: Pages) -> Html:
    """The verdicts, then each experiment; with `pages`, those are left to their papers' pages."""
    idents = distinct([anchor("experiment", r.experiment) for r in found])
    pairs = sorted(
        zip(found, idents, strict=True),
        key=lambda pair: not any(s.verdict == "not confirmed" for s in pair[0].judged),
    )
    rows = []
    for r, ident in pairs:
        link = element("a", r.experiment, href=pages.get(r.paper, "") + f"#{ident}")
        tally, _ = _tallied([r])
        rows.append((link, r.where, *(tally[v] for v in ANSWERS)))
    header = ("experiment", "where", *ANSWERS)
    overview = table("The papers' experiments", header, rows, ident="experiments")
    rest = [_experiment(r, ident) for r, ident in pairs if r.paper not in pages]
    command = again("dpaudit reproduce --out reports/reproduction", f"dpaudit {found[0].version}")
    sentence = element("p", reproduction_sentence(found))
    return section(
        "reproduction", "Reproduction", sentence, overview, *rest, "" if rest else command
    )


def _experiment(r: Reproduction, ident: str) -> Html:
    panels = grouped((curve for curve in r.curves if curve.mean), "panel")
    x = str(r.parameters.get("x", "rounds"))
    pictures = []
    for i, (panel, curves) in enumerate(panels.items(), 1):
        picture = _panel(
            curves, r.lower_bounds, f"{r.experiment} {panel}".strip(), x, f"{ident}-picture-{i}"
        )
        pictures.append((panel or r.where, picture))
    sentences = table(
        "What the paper says about the figure",
        ("sentence", "reading", "verdict", "seeds that confirm", "numbers"),
        [(t, how, badge(v), *rest) for s in _first(r) for t, how, v, *rest in s.rows()],
        ident=f"{ident}-sentences",
    )
    _, counts = _tallied([r])
    summary = f"Of {counted(len(r.judged), 'sentence')}: {counts}." if counts else ""
    band = r.parameters.get("confidence")
    if isinstance(band, float) and pictures:
        summary += f" Bands: confidence {number(band)} at each point by itself."
    if isinstance(band, float) and any(s.answers for s in r.sentences):
        summary += (
            " Seeds: of so many experiments of this size the sentence is confirmed in so many, and "
            f"this is the probability of it, at confidence {number(band)} for each row by itself."
            " Numbers and curves are of the first seed."
        )
    return article(
        ident,
        [f"{r.where}: {r.experiment}"],
        element("p", summary),
        figures(pictures),
        sentences if r.sentences else "",
        _ends(r, x, ident),
        remarks(r.notes),
        again(r.command, f"dpaudit {r.version}", f"seed {r.seed}", f"{r.seconds:.0f} s"),
    )


def _first(r: Reproduction) -> list[Judged]:
    """What is not confirmed, then what is open."""
    return sorted(r.judged, key=lambda s: ANSWERS.index(s.verdict))


def _panel(
    curves: Sequence[ReproducedCurve],
    floors: Sequence[LowerBound],
    title: str,
    x: str,
    ident: str,
) -> Html:
    series = [
        Series(c.label, c.across, c.mean, c.low, c.high, marked=len(c.mean) < ROWS) for c in curves
    ]
    series += [
        Series(name, x_of, y_of, kind="least") for name, x_of, y_of in floors_of(curves, floors)
    ]
    log = (_wide(curves[0].across), False)
    return plot(series, title=title, x=x, y=curves[0].quantity, log=log, ident=ident)


def _ends(r: Reproduction, x: str, ident: str) -> Html:
    rows = [
        (
            c.label,
            c.panel,
            number(c.across[-1]),
            number(c.mean[-1]),
            f"{number(c.low[-1])} to {number(c.high[-1])}",
            *beside(r, c),
            "" if c.in_the_figure else "not in the paper's figure",
        )
        for c in r.curves
        if c.mean
    ]
    header = ("curve", "panel", x, "mean", "interval", "at least", "so many times", "note")
    numbers = table("The last point of each curve", header, rows, ident=f"{ident}-ends")
    return folded("Where the curves end", numbers)


def beside(r: Reproduction, curve: ReproducedCurve) -> tuple[str, str]:
    """A curve's lower bound at its end, and how often it fits into the mean."""
    floor, times = r.floor(curve), r.times(curve)
    if floor is None or times is None:
        return "", ""
    return f"{number(floor.values[-1])} ({floor.short})", number(times, 3)


def _wide(values: Sequence[float]) -> bool:
    """Whether values are spaced as on a logarithmic axis."""
    if len(values) < 3 or values[0] <= 0:
        return False
    return (values[-1] - values[-2]) > 3 * (values[1] - values[0])
