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
    section,
    short,
)
from dpaudit.results.questions import Question


def questions_sentence(asked: Sequence[Question]) -> str:
    tally = Counter(q.answer for q in asked)
    words = ", ".join(f"{tally[a]} {a}" for a in ("decided", "partly", "open") if tally[a])
    return f"Of {counted(len(asked), 'question')} that the papers leave open: {words}."


def questions_section(asked: Sequence[Question]) -> Html:
    idents = distinct([anchor("question", q.paper, q.id) for q in asked])
    parts = [_question(q, ident) for q, ident in zip(asked, idents, strict=True)]
    return section("questions", "Open questions", *parts, again("dpaudit questions"))


def _question(q: Question, ident: str) -> Html:
    left = [element("p", f"Still open: {q.left}")] if q.left else []
    return article(
        ident,
        [capital(q.asked)],
        element("p", badge(q.answer), f" {short(TITLES.get(q.paper, q.paper))}, {q.where}"),
        element("p", q.says),
        element("p", f"By {q.means}."),
        *left,
        again(q.command) if q.command else "",
    )
