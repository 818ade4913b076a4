"""What is violated or false, the gravest first, each with what would mend it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dpaudit.papers import TITLES
from dpaudit.report.page.markup import (
    Html,
    anchor,
    at_least,
    badge,
    counted,
    element,
    number,
    prose,
    section,
    short,
    table,
)
from dpaudit.results.audit import AuditResult
from dpaudit.results.claims import ClaimEntry, kind_of
from dpaudit.results.proofs.mending import Mend
from dpaudit.results.scaling import Study

GRAVE = ("conclusion false", "step false")
LONGEST = 240
"""Characters of a cell; all of it is further down."""


@dataclass(frozen=True)
class Found:
    """What was found, for a page to begin with."""

    audits: Sequence[AuditResult]
    claims: Sequence[ClaimEntry]
    studies: Sequence[Study]
    unconfirmed: int = 0
    """Sentences about figures."""

    @property
    def violated(self) -> list[AuditResult]:
        return [a for a in self.audits if a.verdict == "violated"]

    @property
    def false(self) -> list[ClaimEntry]:
        found = [c for c in self.claims if kind_of(c.severity) in GRAVE or c.verdict == "refuted"]
        return sorted(found, key=lambda c: kind_of(c.severity) != GRAVE[0])

    @property
    def broken(self) -> list[Study]:
        return [s for s in self.studies if s.verdict == "violated"]

    @property
    def any(self) -> bool:
        return bool(self.violated or self.false or self.broken or self.unconfirmed)


def findings_section(
    found: Found, pages: Mapping[str, str], idents: Mapping[str, str]
) -> Html | str:
    """The table; `idents` are places on this page, by what they are of."""
    if not found.any:
        return ""
    rows = list(_rows(found, pages, idents))
    header = ("where", "finding", "what is claimed", "what would mend it")
    more = (
        f"{counted(found.unconfirmed, 'sentence')} about the papers' figures: not confirmed. "
        if found.unconfirmed
        else ""
    )
    whole = table("Violated or false, the gravest first", header, rows, ident="findings-table")
    return section(
        "findings",
        "Findings",
        whole if rows else "",
        element("p", more, element("a", "Reproduction", href="#reproduction")) if more else "",
    )


def _rows(
    found: Found, pages: Mapping[str, str], idents: Mapping[str, str]
) -> Iterator[tuple[object, ...]]:
    for a in found.violated:
        symbol = "η" if a.claim.notion == "gdp" else "ε"
        sure = "exactly" if a.engine == "exact" else f"at confidence {a.confidence:.6g}"
        shown = f" {symbol} ≥ {at_least(a.lower_bound)} {sure}"
        yield (
            _link(_named(a), idents.get(f"audit {id(a)}")),
            element("span", badge(a.verdict), shown),
            str(a.claim),
            mends_list(a.mends),
        )
    for c in found.false:
        place = f"claim-{anchor(c.paper, c.id)}"
        to = f"{pages[c.paper]}#{place}" if c.paper in pages else f"#{place}"
        paper = f"{short(TITLES.get(c.paper, c.paper))}, " if pages else ""
        yield (
            _link(f"{paper}{c.where}", to),
            element("span", badge(c.verdict), " ", c.severity),
            prose(_cut(c.statement)),
            prose(_cut(c.repair or "")),
        )
    for s in found.broken:
        to = pages.get(s.paper, "") + f"#{anchor('study', s.paper, s.study)}"
        paper = f"{short(TITLES.get(s.paper, s.paper))}, " if pages else ""
        yield (
            _link(f"{paper}{s.where}: {s.study}", to),
            element("span", badge(s.verdict), " scaling"),
            prose(_cut(s.laws)),
            "",
        )


def mends_list(mends: Sequence[Mend]) -> Html | str:
    """Ways to keep a claim, the nearest first."""
    return element("ul", *(element("li", m.text) for m in mends)) if mends else ""


def least_noise(audit: AuditResult) -> str:
    """How far the claim is missed, from below."""
    return number(audit.lower_bound / audit.claim.level, 3)


def _named(audit: AuditResult) -> str:
    return " ".join(
        [audit.name or audit.target, *(f"{k}={v}" for k, v in audit.parameters.items())]
    )


def _link(words: str, to: str | None) -> Html | str:
    return words if to is None else element("a", words, href=to)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST].rsplit(" ", 1)[0] + " …"
