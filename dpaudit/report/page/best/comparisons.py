"""Comparisons as a section of a page: who is best on all instances, then instance by instance."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from dpaudit.report.comparing import HEADER, OVERALL, overall_rows, rows, title
from dpaudit.report.page.best.frontier import frontier
from dpaudit.report.page.markup import (
    Html,
    again,
    anchor,
    article,
    capital,
    counted,
    distinct,
    element,
    figures,
    number,
    remarks,
    section,
    table,
)
from dpaudit.results.comparison import Comparison, Field, ordered

WHAT = (
    "Ranks are intervals: a learner is certainly better than another if a run of it has less "
    "regret than one of the other with a chance above one half, and all intervals of a comparison "
    "hold together at the stated confidence, whatever the laws of regret. Means and their bands "
    "stand beside; where a learner is better in most runs and worse on average, it is said. An ε "
    "in brackets is from below by an audit and from above by a proof of the learner's own steps."
)


def comparisons_sentence(found: Sequence[Comparison]) -> str:
    parts = []
    for c in found:
        for kind in dict.fromkeys(each.feedback for each in c.overall):
            best = ordered(c.overall, kind)[0]
            private = [e for e in ordered(c.overall, kind) if _private(c, e.name)]
            words = f"{best.name} ({kind}, T = {number(c.horizon)}"
            if private and private[0].name != best.name:
                words += f"; of those with pure ε-privacy {private[0].name}"
            parts.append(words + ")")
    if not parts:
        return "Comparisons: no learner stands on all instances."
    return f"Best in {counted(len(found), 'comparison')}, by mean ranks: {', '.join(parts)}."


def _private(c: Comparison, name: str) -> bool:
    own = [s for f in c.fields for s in f.standings if s.name == name]
    return all(s.privacy.held is not None for s in own)


def comparisons_section(found: Sequence[Comparison]) -> Html:
    idents = distinct([anchor("comparison", c.suite or "instance", c.horizon) for c in found])
    parts = [_comparison(c, ident) for c, ident in zip(found, idents, strict=True)]
    return section("best", "Who is best", element("p", WHAT), *parts)


def _comparison(c: Comparison, ident: str) -> Html:
    kinds = dict.fromkeys(each.feedback for each in c.overall)
    epsilon = "" if c.epsilon is None else f", ε = {number(c.epsilon)}"
    tables = [
        table(
            f"{capital(kind)}, all instances, T = {number(c.horizon)}", OVERALL,
            overall_rows(c.overall, kind), ident=f"{ident}-{kind}",
        )
        for kind in kinds
    ]  # fmt: skip
    left = [f"Left out: {each.name}: {each.reason}" for each in c.left_out]
    names = distinct([anchor(ident, f.instance.name, f.feedback) for f in c.fields])
    fields = [_field(f, c, name) for f, name in zip(c.fields, names, strict=True)]
    suite = f"suite {c.suite}" if c.suite else "one instance"
    heading = f"T = {number(c.horizon)}{epsilon}: {suite}"
    sure = f"{c.runs} runs each; all intervals hold together at confidence {number(c.confidence)}."
    return article(
        ident,
        [heading],
        element("p", sure),
        *tables,
        remarks([*left, *c.notes]),
        *fields,
        again(_command(c), f"dpaudit {c.version}", f"seed {c.seed}"),
    )


def _field(f: Field, c: Comparison, ident: str) -> Html:
    picture = frontier(f, title=f"regret over epsilon: {f.instance.name}", ident=f"{ident}-plot")
    shown = table(title(f, c), HEADER, rows(f), ident=f"{ident}-table")
    return article(
        ident,
        [f"{f.instance.name} ({f.feedback})"],
        figures([("", picture)]),
        shown,
        remarks(f.notes),
    )


def _command(c: Comparison) -> str:
    """By the names that learners have here; a second one of a name is asked for by the name
    twice."""
    names = list(dict.fromkeys(s.name.partition(" (")[0] for f in c.fields for s in f.standings))
    words = ["dpaudit", "compare", *names, "--horizon", str(c.horizon), "--runs", str(c.runs)]
    words += [] if c.epsilon is None else ["--epsilon", f"{c.epsilon:g}"]
    if c.suite:
        words += ["--suite", c.suite]
    elif c.fields:
        words += ["--means", ",".join(f"{m:g}" for m in c.fields[0].instance.means)]
    return shlex.join([*words, "--seed", str(c.seed)])
