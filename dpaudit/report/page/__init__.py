"""One self-contained HTML page: the verdict first, evidence below it, the raw results within.

It is read from disk, without network and, but for filtering a table, without scripts; its own
content security policy forbids anything else. Made of result documents only, and of nothing else
that could change between two runs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence

from dpaudit.papers import TITLES
from dpaudit.report.page.audits import audits_section, audits_sentence, places
from dpaudit.report.page.best.comparisons import comparisons_section, comparisons_sentence
from dpaudit.report.page.blueprint import blueprint_section
from dpaudit.report.page.claims import claims_section, claims_sentence
from dpaudit.report.page.curves import (
    regret_section,
    regret_sentence,
    reproduction_section,
    reproduction_sentence,
)
from dpaudit.report.page.first.findings import Found, findings_section
from dpaudit.report.page.first.meaning import meaning_section
from dpaudit.report.page.frame import LIMIT, ascii_only, begun, ended, links
from dpaudit.report.page.markup import Html, element, joined, number, raw, section, short
from dpaudit.report.page.open.optima import optima_section, optima_sentence
from dpaudit.report.page.open.questions import questions_section, questions_sentence
from dpaudit.report.page.scaling import scaling_section, scaling_sentence
from dpaudit.results.audit import AuditResult
from dpaudit.results.claims import Claims
from dpaudit.results.comparison import Comparison, Leaderboard
from dpaudit.results.documents import Catalogue, Document
from dpaudit.results.optima import Optima, OptimumResult
from dpaudit.results.questions import Questions
from dpaudit.results.regret import RegretResult
from dpaudit.results.reproduction import Reproduction, Reproductions
from dpaudit.results.scaling import Scaling
from dpaudit.results.showing import plain


def audit_page(audits: Sequence[AuditResult]) -> str:
    """What `--html` writes: the audits of one command."""
    if len(audits) == 1:
        return full_page([audits[0]], f"Privacy audit of {audits[0].name or audits[0].target}")
    return full_page([Catalogue(list(audits))], "Privacy audits")


def full_page(
    documents: Sequence[Document],
    title: str,
    *,
    pages: Mapping[str, str] | None = None,
    home: str | None = None,
    more: Mapping[str, str] | None = None,
) -> str:
    """A page of any results. `pages` are addresses of papers' own pages, to which a paper's
    studies, experiments and lesser evidence are left; `home` is that of the page of all papers, and
    `more` are those of further pages, by their titles."""
    pages = pages or {}
    sections = list(_sections(documents, pages))
    wrong = any(a.verdict == "violated" for a in _audits(documents))
    first = sections[0][2] if sections else "There are no results."
    found = _found(documents)
    idents = [f"#{place}" for place in places(found.audits)]
    known = {f"audit {id(a)}": place for a, place in zip(found.audits, idents, strict=True)}
    begins = {
        "Findings": findings_section(found, pages, known),
        "What this means for you": meaning_section(found),
    }
    contents = {"Findings": "#findings", "What this means for you": "#meaning"}
    contents = {name: to for name, to in contents.items() if begins[name]}
    contents |= {name: f"#{ident}" for ident, name, _, _ in sections} | {RAW[1]: f"#{RAW[0]}"}
    contents |= ({"All papers": home} if home else {}) | dict(more or {})
    start = begun(
        title,
        element(
            "header",
            element("p", "dpaudit report", class_="kicker"),
            element("h1", title),
            element("p", first, class_="verdict wrong" if wrong else "verdict"),
            *(element("p", sentence) for _, _, sentence, _ in sections[1:]),
        ),
        links("Contents", contents),
        links("Papers", {short(TITLES[paper]): to for paper, to in pages.items()}),
    )
    parts = [*begins.values(), *(part for _, _, _, part in sections)]
    content = joined(joined((part, "\n")) for part in parts if part)
    page, end = start + ascii_only(content), ended()
    return page + _embedded(documents, LIMIT - len(page) - len(end), set(pages)) + end


RAW = ("raw", "Raw results")


def _found(documents: Sequence[Document]) -> Found:
    """What the findings are of."""
    made = [d for d in documents if isinstance(d, Reproduction)]
    made += [r for d in documents if isinstance(d, Reproductions) for r in d.results]
    return Found(
        _audits(documents),
        [c for d in documents if isinstance(d, Claims) for c in d.claims],
        [s for d in documents if isinstance(d, Scaling) for s in d.studies],
        sum(s.verdict == "not confirmed" for r in made for s in r.judged),
    )


def _audits(documents: Sequence[Document]) -> list[AuditResult]:
    found = [d for d in documents if isinstance(d, AuditResult)]
    found += [a for d in documents if isinstance(d, Catalogue) for a in d.audits]
    return sorted(found, key=lambda a: a.verdict != "violated")


def _sections(
    documents: Sequence[Document], pages: Mapping[str, str]
) -> Iterator[tuple[str, str, str, Html]]:
    """Id, name, sentence and content of each section that there is something for."""
    if audits := _audits(documents):
        yield "privacy", "Privacy", audits_sentence(audits), audits_section(audits)
    ledgers = [d for d in documents if isinstance(d, Claims)]
    if claims := [c for d in ledgers for c in d.claims]:
        content = claims_section(claims, ledgers[0].version, pages)
        # Blueprints are on the papers' own pages, where the table has all rows open.
        plan = raw("") if pages else blueprint_section(claims)
        yield "claims", "Claims", claims_sentence(claims), plan + content
    if regrets := [d for d in documents if isinstance(d, RegretResult)]:
        yield "regret", "Regret", regret_sentence(regrets), regret_section(regrets)
    if scalings := [d for d in documents if isinstance(d, Scaling) and d.studies]:
        content = scaling_section(scalings, pages)
        yield "scaling", "Scaling", scaling_sentence(scalings), content
    found = [d for d in documents if isinstance(d, Reproduction)]
    found += [r for d in documents if isinstance(d, Reproductions) for r in d.results]
    if found:
        content = reproduction_section(found, pages)
        yield "reproduction", "Reproduction", reproduction_sentence(found), content
    compared = [d for d in documents if isinstance(d, Comparison)]
    compared += [c for d in documents if isinstance(d, Leaderboard) for c in d.comparisons]
    if compared:
        yield "best", "Who is best", comparisons_sentence(compared), comparisons_section(compared)
    optima = [d for d in documents if isinstance(d, OptimumResult)]
    optima += [e for d in documents if isinstance(d, Optima) for e in d.entries]
    if optima:
        yield "optima", "Optima", optima_sentence(optima), optima_section(optima)
    if asked := [q for d in documents if isinstance(d, Questions) for q in d.questions]:
        yield "questions", "Open questions", questions_sentence(asked), questions_section(asked)


def _elsewhere(document: Document, left: set[str]) -> bool:
    """Whether other pages have all details of a document."""
    if isinstance(document, Scaling):
        return all(study.paper in left for study in document.studies)
    return isinstance(document, Reproduction) and document.paper in left


def embeddable(document: Document) -> str:
    """JSON that ends no script and opens no comment, whatever its texts are."""
    text = json.dumps(plain(document), separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _embedded(documents: Sequence[Document], room: int, left: set[str]) -> str:
    """The raw results in their order; those that there is no room for, and those that are shown on
    the pages of the papers that are left out here, are named instead."""
    texts = [embeddable(d) for d in documents]
    room -= 1500 + 250 * len(texts)
    items, scripts = [], []
    for i, (document, text) in enumerate(zip(documents, texts, strict=True), 1):
        where = "left to the papers' pages" if left else "left out to keep this page small"
        if len(text) <= room and not _elsewhere(document, left):
            room -= len(text)
            where = f"result-{i}"
            scripts.append(element("script", raw(text), id=where, type="application/json"))
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        words = f"{document.schema}: {where} ({number(len(text))} bytes, SHA-256 {digest}…)"
        items.append(element("li", element("code", words)))
    note = (
        "The results that this page was made of are embedded in it as JSON, in script elements of "
        "type application/json with these ids."
    )
    part = section("raw", RAW[1], element("p", note), element("ul", *items))
    return ascii_only("\n".join((part, *scripts, "")))
