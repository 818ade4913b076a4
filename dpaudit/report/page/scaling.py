"""Scaling studies as a section of a page: curves beside the stated bounds, and what the rule
finds in them."""

from __future__ import annotations

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
    folded,
    grouped,
    number,
    percent,
    remarks,
    section,
    table,
)
from dpaudit.report.page.pictures import GREY, Series, plot
from dpaudit.results.scaling import Point as ScalingPoint
from dpaudit.results.scaling import Rule, Scaling, Study

SHOWN = 8
VISIBLE = 0.002
"""A band that is narrower, as a part of the value, is not drawn."""
STATED = "dashed: the stated bound"


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
               ("Rests on", s.basis), ("Control", _control(s)),
               ("Deciding numbers", _plain(s.numbers)))),
        figures(pictures),
        _judged(s, ident) if s.judged else "",
        _sensitivity(s, ident) if s.sensitivity else "",
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
