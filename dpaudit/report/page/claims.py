"""The claims ledger as a section of a page: a table that is complete without scripts and can be
filtered with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import get_args

from dpaudit.papers import TITLES
from dpaudit.report.mathml import goal_html
from dpaudit.report.page.markup import (
    Html,
    again,
    anchor,
    badge,
    counted,
    element,
    facts,
    folded,
    grouped,
    head,
    joined,
    prose,
    raw,
    remarks,
    scrolling,
    section,
    short,
    table,
)
from dpaudit.results.claims import LEVELS, SEVERITIES, ClaimEntry, Shown, kind_of, levels

Papers = Mapping[str, Sequence[ClaimEntry]]
VERDICTS = ("refuted", "typo", "loose", "undecided", "holds")
WORDS = {
    "conclusion false": "are false conclusions",
    "step false": "are steps that fail",
    "ambiguous": "are true in one reading only",
    "misprint": "are misprints",
    "undecided": "are undecided",
    "loose": "are loose",
    "holds for": "are shown for a stated range",
    "holds": "hold as printed",
}
"""The gravest first."""
OLDER = {"typo": "misprint", "refuted": "conclusion false"}
"""Severities of entries that have none."""


def claims_sentence(claims: Sequence[ClaimEntry]) -> str:
    tally: Counter[str] = Counter(
        kind_of(c.severity) or OLDER.get(c.verdict, c.verdict) for c in claims
    )
    parts = [f"{tally[v]} {WORDS[v]}" for v in WORDS if tally[v]]
    found = f"Of {counted(len(claims), 'statement')} in the papers, {', '.join(parts)}."
    return f"{found} Their parts were {levels(claims)}."


def claims_section(claims: Sequence[ClaimEntry], version: str, pages: Mapping[str, str]) -> Html:
    """The claims ledger. With `pages`, evidence for what is not false is left to each paper's
    page."""
    papers = grouped(claims, "paper")
    names = {paper: TITLES.get(paper, paper) for paper in papers}
    only = f" --paper {claims[0].paper}" if len(papers) == 1 else ""
    return section(
        "claims",
        "Claims",
        element("p", claims_sentence(claims)),
        element("p", "Evidence for what is not false is on the papers' own pages.")
        if pages
        else "",
        _tally(papers, names, pages) if len(papers) > 1 else "",
        trust_table(claims),
        _filter(names),
        _claims(papers, names, everything=not pages),
        again(f"dpaudit claims{only} --fresh", f"dpaudit {version}", "nothing is drawn at random"),
    )


def _tally(papers: Papers, names: Mapping[str, str], pages: Mapping[str, str]) -> Html:
    rows: list[tuple[object, ...]] = []
    for paper, claims in papers.items():
        found: list[str] = [c.verdict for c in claims]
        name = short(names[paper])
        title = element("a", name, href=pages[paper]) if paper in pages else name
        rows.append((title, *(found.count(v) for v in VERDICTS), len(found)))
    return table("Verdicts by paper", ("paper", *VERDICTS, "all"), rows, ident="tally")


def trust_table(claims: Sequence[ClaimEntry]) -> Html:
    """How many claims were shown by what, and what a reader has to do."""
    rows: list[tuple[object, ...]] = []
    for level in get_args(Shown):
        own = [c for c in claims if c.shown == level]
        read = sum(c.trust == "read" for c in own)
        if own:
            rows.append((f"{level}: {LEVELS[level]}", len(own) - read, read, len(own)))
    header = ("shown by", "the goals are the quotation", "a reader compares the two", "all")
    return table("What has to be trusted", header, rows, ident="trust")


def _filter(names: Mapping[str, str]) -> Html:
    """Controls that the script shows; without it, all rows are there."""

    def choice(name: str, options: Mapping[str, str]) -> Html:
        every = element("option", "all", value="")
        chosen = (element("option", text, value=value) for value, text in options.items())
        return element("label", name, " ", element("select", every, *chosen, name=name.lower()))

    papers = {paper: short(name) for paper, name in names.items()}
    return element(
        "form",
        choice("Verdict", {v: v for v in VERDICTS}),
        choice("Paper", papers) if len(papers) > 1 else "",
        element("label", "Words ", element("input", type="search", name="words")),
        element("p", "", role="status"),
        id="filter",
        hidden=True,
        aria_label="Filter the claims",
    )


def _claims(papers: Papers, names: Mapping[str, str], *, everything: bool) -> Html:
    header = ("where", "verdict", "statement", "tight", "trust", "method")
    bodies = []
    for paper, claims in papers.items():
        title = element("span", names[paper])
        name = element("th", title, scope="rowgroup", colspan=len(header))
        gravest = sorted(claims, key=_grave)
        rows = (_claim(c, everything=everything) + "\n" for c in gravest)
        bodies.append(element("tbody", element("tr", name), *rows, data_paper=paper))
    caption = "Every claim, with the verdict on it; of each paper the gravest first"
    return scrolling(caption, head(header), *bodies, ident="ledger", class_="ledger")


def _goal(goal: str) -> Html:
    """A formula, which may be wider than the page."""
    return element("div", raw(goal_html(goal)), class_="goal", tabindex="0")


def _grave(c: ClaimEntry) -> int:
    """Where on the scale of severities; entries without one go by their verdict."""
    scale = list(SEVERITIES)
    kind = kind_of(c.severity) or OLDER.get(c.verdict, c.verdict)
    return scale.index(kind) if kind in scale else len(scale)


def trust_words(c: ClaimEntry) -> str:
    """The weakest link, and in brackets what showed the parts where that is more."""
    more = c.shown not in ("none", c.trust)
    return f"{c.trust} ({c.shown})" if more else c.trust


def row_of(c: ClaimEntry) -> str:
    """The id of a claim's row on its paper's own page."""
    return f"claim-{anchor(c.paper, c.id)}"


def _claim(c: ClaimEntry, *, everything: bool) -> Html:
    pairs = [
        ("Quotation", c.quotation),
        *((f"Reading: {severity}", text) for text, severity in c.readings),
        ("Detail", prose(c.detail)),
        ("What is false", joined(_goal(goal) for goal in c.fails) or None),
        ("Counterexample", prose(c.counterexample or "")),
        ("Repair", prose(c.repair or "")),
        ("Decided by", prose(c.decides or "")),
        ("Considered", remarks(c.considered)),
        ("Trust", LEVELS[c.trust]),
        ("Theorem", element("code", c.theorem) if c.theorem else None),
    ]
    shown = everything or c.verdict in ("refuted", "undecided")
    there = shown and any(value for _, value in pairs)
    evidence = folded("Evidence", facts(pairs)) if there else ""
    return element(
        "tr",
        element("th", c.where, element("code", c.id), scope="row"),
        element("td", badge(c.verdict), " ", c.severity),
        element("td", prose(c.statement), evidence),
        element("td", prose(c.tight or "")),
        element("td", trust_words(c)),
        element("td", c.method),
        id=row_of(c) if everything else None,
        data_verdict=c.verdict,
    )
