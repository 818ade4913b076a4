"""The claims ledger as a section of a page: a table that is complete without scripts and can be
filtered with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from dpaudit.report.markup import (
    Html,
    again,
    badge,
    counted,
    element,
    facts,
    raw,
    scrolling,
    short,
    table,
)
from dpaudit.results.claims import ClaimEntry

VERDICTS = ("refuted", "typo", "loose", "undecided", "holds")
WORDS = {
    "holds": "hold as printed",
    "loose": "are loose",
    "typo": "are misprinted",
    "refuted": "are refuted",
    "undecided": "are undecided",
}
SCOPES = {
    "step": "the step; what is concluded from it is not affected by this alone",
    "conclusion": "the conclusion as well",
}


def claims_sentence(claims: Sequence[ClaimEntry]) -> str:
    """How many statements have which verdict."""
    tally: Counter[str] = Counter(c.verdict for c in claims)
    parts = [f"{tally[v]} {WORDS[v]}" for v in WORDS if tally[v]]
    return f"Of {counted(len(claims), 'statement')} in the papers, {', '.join(parts)}."


def claims_section(
    claims: Sequence[ClaimEntry],
    version: str,
    titles: Mapping[str, str],
    pages: Mapping[str, str],
) -> Html:
    """The claims ledger. With `pages`, evidence for what holds is left to each paper's page."""
    papers = list(dict.fromkeys(c.paper for c in claims))
    return element(
        "section",
        element("h2", "Claims", id="claims-title"),
        element("p", claims_sentence(claims)),
        element("p", "Evidence for what holds is on the papers' own pages.") if pages else "",
        _tally(claims, papers, titles, pages) if len(papers) > 1 else "",
        _filter(papers, titles),
        _claims(claims, papers, titles, pages),
        again(_claims_command(papers), f"dpaudit {version}", "nothing is drawn at random"),
        id="claims", aria_labelledby="claims-title",
    )  # fmt: skip


def _claims_command(papers: Sequence[str]) -> str:
    return f"dpaudit claims{f' --paper {papers[0]}' if len(papers) == 1 else ''} --fresh"


def _tally(
    claims: Sequence[ClaimEntry],
    papers: Iterable[str],
    titles: Mapping[str, str],
    pages: Mapping[str, str],
) -> Html:
    rows: list[tuple[object, ...]] = []
    for paper in papers:
        found: list[str] = [c.verdict for c in claims if c.paper == paper]
        name = short(titles.get(paper, paper))
        title = element("a", name, href=pages[paper]) if paper in pages else name
        rows.append((title, *(found.count(v) for v in VERDICTS), len(found)))
    return table("Verdicts by paper", ("paper", *VERDICTS, "all"), rows, ident="tally")


def _filter(papers: Sequence[str], titles: Mapping[str, str]) -> Html:
    """Controls that the script shows; without it, all rows are there."""

    def choice(name: str, options: Iterable[tuple[str, str]]) -> Html:
        every = element("option", "all", value="")
        chosen = (element("option", text, value=value) for value, text in options)
        return element("label", name, " ", element("select", every, *chosen, name=name.lower()))

    names = [(p, short(titles.get(p, p))) for p in papers]
    return element(
        "form",
        choice("Verdict", ((v, v) for v in VERDICTS)),
        choice("Paper", names) if len(papers) > 1 else "",
        element("label", "Words ", element("input", type="search", name="words")),
        element("p", "", role="status"),
        id="filter", hidden=True, aria_label="Filter the claims",
    )  # fmt: skip


def _claims(
    claims: Sequence[ClaimEntry],
    papers: Sequence[str],
    titles: Mapping[str, str],
    pages: Mapping[str, str],
) -> Html:
    header = ("where", "verdict", "statement", "tight", "method")
    bodies = []
    for paper in papers:
        title = element("span", titles.get(paper, paper))
        name = element("th", title, scope="rowgroup", colspan=len(header))
        rows = [
            _claim(c, shown=not pages or c.verdict != "holds") + "\n"
            for c in claims
            if c.paper == paper
        ]
        bodies.append(element("tbody", element("tr", name), raw("".join(rows)), data_paper=paper))
    head = element("tr", *(element("th", cell, scope="col") for cell in header))
    caption = "Every claim, with the verdict on it"
    return scrolling(caption, element("thead", head), *bodies, ident="ledger", class_="ledger")


def _claim(c: ClaimEntry, *, shown: bool) -> Html:
    pairs = [
        ("What fails", SCOPES.get(c.scope)),
        ("Detail", c.detail),
        ("Counterexample", c.counterexample),
        ("Repair", c.repair),
        ("Considered", element("ul", *(element("li", t) for t in c.considered))
         if c.considered else None),
    ]  # fmt: skip
    evidence: Html | str = ""
    if shown and any(value for _, value in pairs):
        evidence = element("details", element("summary", "Evidence"), facts(pairs))
    return element(
        "tr",
        element("th", c.where, element("code", c.id), scope="row"),
        element("td", badge(c.verdict)),
        element("td", c.statement, evidence),
        element("td", c.tight or ""),
        element("td", c.method),
        data_verdict=c.verdict,
    )
