"""The ledger as Markdown: one table of all claims, and a page of errata for each paper. Written by
`dpaudit claims --out`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dpaudit.papers import TITLES
from dpaudit.report.markdown import table
from dpaudit.report.markdown.errata import errata_page
from dpaudit.results.claims import SEVERITIES, ClaimEntry, kind_of, levels


def write_pages(folder: Path, papers: Sequence[str], entries: Sequence[ClaimEntry]) -> None:
    """`errata/PAPER.md` for each paper, and `claims.md` if there are several."""
    (folder / "errata").mkdir(parents=True, exist_ok=True)
    for paper in papers:
        own = [e for e in entries if e.paper == paper]
        (folder / "errata" / f"{paper}.md").write_text(errata_page(paper, own))
    if len(papers) > 1:
        (folder / "claims.md").write_text(ledger_page(entries))


def ledger_page(entries: Sequence[ClaimEntry]) -> str:
    lines = [
        "# The claims ledger",
        "",
        "What the five papers say, checked by machine. Made by `dpaudit claims --out reports`; the "
        "certificates are verified again by `dpaudit claims --recheck`.",
        "",
    ]
    papers = list(dict.fromkeys(e.paper for e in entries))
    tally = []
    for paper in [*papers, ""]:
        kinds = [kind_of(e.severity) for e in entries if paper in ("", e.paper)]
        name = f"[{paper}](errata/{paper}.md)" if paper else "all"
        tally.append([name, *(kinds.count(kind) for kind in SEVERITIES), len(kinds)])
    lines += table(["paper", *SEVERITIES, "all"], tally)
    lines += ["", f"Parts were {levels(entries)}.", ""]
    for paper in papers:
        own = [
            map(
                _cell,
                (
                    *(e.where, f"`{e.id}` {e.statement}", e.severity, e.tight or ""),
                    *(e.trust, e.shown, e.method),
                ),
            )
            for e in entries
            if e.paper == paper
        ]
        lines += ["", f"## {TITLES.get(paper, paper)}", ""]
        lines += table(("where", "claim", "severity", "tight", "trust", "shown by", "method"), own)
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
