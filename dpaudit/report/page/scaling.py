"""Scaling studies as a section of a page: curves beside the stated bounds, and what the rule
finds in them."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from dpaudit.report.figures.series import (
    FLOOR_HEADER,
    Panel,
    floor_rows,
    floors_of,
    guides_of,
    lines_of,
    panels_of,
    seen,
)
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
    folded,
    number,
    percent,
    prose,
    remarks,
    section,
    table,
)
from dpaudit.report.page.pictures import Series, plot
from dpaudit.results.scaling import Point as ScalingPoint
from dpaudit.results.scaling import Rule, Scaling, Study

SHOWN = 8
VISIBLE = 0.002
"""A band that is narrower, as a part of the value, is not drawn."""


def scaling_sentence(documents: Sequence[Scaling]) -> str:
    tally = Counter(s.verdict for d in documents for s in d.studies)
    wrong_first = sorted(tally.items(), key=lambda pair: (pair[0] != "violated", pair[0]))
    parts = [f"{n} {verdict}" for verdict, n in wrong_first]
    return f"Scaling of {counted(tally.total(), 'stated bound')}: {', '.join(parts)}."


def scaling_section(documents: Sequence[Scaling], pages: Pages) -> Html:
    """The verdicts, then each study; with `pages`, studies are left to their papers' pages."""
    studies = [(s, d.version) for d in documents for s in d.studies]
    studies.sort(key=lambda pair: pair[0].verdict != "violated")
    idents = distinct([anchor("study", s.paper, s.study) for s, _ in studies])
    found = list(zip(studies, idents, strict=True))
    rows = [
        (
            element("a", s.study, href=pages.get(s.paper, "") + f"#{ident}"),
            s.where,
            s.question,
            badge(s.verdict),
            s.basis,
            s.answer,
        )
        for (s, _), ident in found
    ]
    overview = table(
        "Scaling studies", ("study", "where", "question", "verdict", "rests on", "answer"), rows,
        ident="studies",
    )  # fmt: skip
    rest = [_study(s, ident, version) for (s, version), ident in found if s.paper not in pages]
    command = again("dpaudit scaling --out reports", f"dpaudit {documents[0].version}")
    sentence = element("p", scaling_sentence(documents))
    rules = [_rule(d.rule) for d in documents[:1] if d.rule and not pages]
    return section("scaling", "Scaling", sentence, *rules, overview, *rest, "" if rest else command)


def _study(s: Study, ident: str, version: str) -> Html:
    took = f"{s.seconds:.0f} s" if s.seconds else ""
    lines = lines_of(s.points)
    pictures = []
    for i, part in enumerate(panels_of(lines, s.axes[0] if s.axes else "x"), 1):
        pictures.append((part.title, _picture(s, part, f"{ident}-picture-{i}")))
    command = ["dpaudit", "scaling", s.study, *(["--quick"] if s.quick else [])]
    command += ["--seed", str(s.seed)]
    return article(
        ident,
        [f"{s.where}: {s.study} ", badge(s.verdict)],
        element("p", element("strong", capital(s.question)), " ", capital(s.answer), "."),
        facts((("Laws", prose(s.laws)), ("Grid", s.grid), ("Regret over bound", _ratios(s.points)),
               ("Rests on", s.basis), ("Control", _control(s)),
               ("Deciding numbers", _plain(s.numbers)))),
        figures(pictures),
        _floors(s, lines, ident),
        _judged(s, ident) if s.judged else "",
        _sensitivity(s, ident) if s.sensitivity else "",
        remarks(s.notes),
        again(shlex.join(command), f"dpaudit {version}", f"seed {s.seed}", took),
    )  # fmt: skip


def _picture(s: Study, part: Panel, ident: str) -> Html:
    """A curve a line with its band, the bound that is stated, the least possible, and the laws."""
    inside = part.lines
    x, y = (part.x, s.axes[1]) if len(s.axes) == 2 else (_across(s.points), "regret")
    series, heights = [], []
    for place, (name, points) in enumerate(inside.items()):
        at = [p.x for p in points]
        values = [p.regret for p in points]
        banded = any(p.error > VISIBLE * abs(p.regret) for p in points)
        low = [p.regret - p.error for p in points] if banded else ()
        high = [p.regret + p.error for p in points] if banded else ()
        series.append(Series(name, at, values, low, high, marked=True, place=place))
        bounded = [(p.x, p.bound) for p in points if p.bound is not None]
        if bounded:
            under, bound = zip(*bounded, strict=True)
            series.append(Series(f"{name}: stated", under, bound, kind="bound", place=place))
        heights += [*values, *(bound for _, bound in bounded)]
    for floor in seen(floors_of(inside), heights):
        series.append(Series(floor.name, floor.x, floor.y, kind="least", place=floor.place))
    series += [Series(law.name, law.x, law.y, kind="guide") for law in guides_of(s, inside)]
    title = f"{part.title or s.study}: {y} over {x}"
    return plot(series, title=title, x=x, y=y, log=(True, True), ident=ident)


def _floors(s: Study, lines: Mapping[str, list[ScalingPoint]], ident: str) -> Html:
    """How far each line is from the least possible."""
    rows = floor_rows(lines)
    if not rows:
        return element("p", "No lower bound is known to hold here.")
    shown = table("The last point of each curve", FLOOR_HEADER, rows, ident=f"{ident}-floors")
    return folded("How far from the best possible", shown, remarks(s.lower_bounds))


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


def _control(s: Study) -> str | None:
    return f"{s.control.what}: {s.control.verdict}" if s.control else None


def _judged(s: Study, ident: str) -> Html:
    rows = [
        (j.curve, j.laws, j.answer, _part(j.faster), _part(j.control), _part(j.slower))
        for j in s.judged
    ]
    header = (
        "curve", "laws", "answer", "the faster law adds", "with it laid on top",
        "the stated law adds",
    )  # fmt: skip
    caption = "Growth; parts of the last value that a term adds over the grid"
    return table(caption, header, rows, ident=f"{ident}-growth")


def _part(found: Sequence[float]) -> str:
    if not found:
        return ""
    low, value, high = found
    return f"{percent(value)} ({_between(percent(low), percent(high))})"


def _sensitivity(s: Study, ident: str) -> Html:
    rows = [(x.threshold, number(x.value), x.halved, x.doubled) for x in s.sensitivity]
    header = ("threshold", "value", "verdict if halved", "verdict if doubled")
    return table("What hangs on the thresholds", header, rows, ident=f"{ident}-thresholds")


def _rule(rule: Rule) -> Html:
    """The rule, and what it would have said of known growth."""
    rows = [
        (
            p.laws,
            p.grid,
            p.truth,
            percent(p.noise) if p.noise else "exact",
            ", ".join(f"{answer} {percent(share)}" for answer, share in p.answers.items()),
        )
        for p in rule.power
    ]
    shown = table(
        "What the rule says of known growth", ("laws", "grid", "truth", "noise", "answers"),
        rows, ident="scaling-power",
    )  # fmt: skip
    return folded("The rule and its power", element("p", rule.words), shown)
