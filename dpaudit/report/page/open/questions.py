"""The papers' open questions as a section of a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from dpaudit.papers import TITLES
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
    folded,
    section,
    short,
    table,
)
from dpaudit.results.questions import Question


def questions_sentence(asked: Sequence[Question]) -> str:
    tally = Counter(q.answer for q in asked)
    words = ", ".join(f"{tally[a]} {a}" for a in ("decided", "partly", "open") if tally[a])
    return f"Of {counted(len(asked), 'question')} that the papers leave open: {words}."


def questions_section(asked: Sequence[Question]) -> Html:
    idents = distinct([anchor("question", q.paper, q.id) for q in asked])
    parts = [_question(q, ident) for q, ident in zip(asked, idents, strict=True)]
    return section("questions", "Open questions", *parts, again("dpaudit questions --recheck"))


def _question(q: Question, ident: str) -> Html:
    left = [element("p", f"Still open: {q.left}")] if q.left else []
    quoted = [element("blockquote", q.quotation)] if q.quotation else []
    return article(
        ident,
        [capital(q.asked)],
        element("p", badge(q.answer), f" {short(TITLES.get(q.paper, q.paper))}, {q.where}"),
        *quoted,
        element("p", q.says),
        element("p", f"By {q.means}."),
        *left,
        _sources(q, ident),
        again(q.command) if q.command else "",
    )


def _sources(q: Question, ident: str) -> Html:
    """Where each number comes from."""
    if not q.sources:
        return Html("")
    rows = [
        (n.value, f"dpaudit {n.run}" if n.run else f"reports/{n.result}.json", n.at)
        for n in q.sources
    ]
    header = ("number", "from", "place")
    found = table("Where the numbers come from", header, rows, ident=f"{ident}-numbers")
    return folded("Numbers", found)
