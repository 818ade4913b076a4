"""The ledger as Markdown: one table of all claims, and for each paper what its authors may want to
know, courteous and short. Written by `dpaudit claims --out`."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path

from dpaudit.papers import TITLES
from dpaudit.report.markdown import table
from dpaudit.results.claims import VERDICTS, ClaimEntry

NOTICED = "noticed on reading: "
"""How an undecided claim begins that is about words rather than numbers."""
SECTIONS = (
    ("refuted", "Statements that do not hold"),
    ("typo", "Misprints"),
    ("loose", "Constants that could be better"),
)


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
        "Every lemma, constant and theorem of the five papers, checked by machine. Made by "
        "`dpaudit claims --out reports`; the certificates are verified again by `dpaudit claims "
        "--recheck`.",
        "",
    ]
    papers = list(dict.fromkeys(e.paper for e in entries))
    tally = []
    for paper in [*papers, ""]:
        verdicts: list[str] = [e.verdict for e in entries if paper in ("", e.paper)]
        name = f"[{paper}](errata/{paper}.md)" if paper else "all"
        tally.append([name, *(verdicts.count(v) for v in VERDICTS), len(verdicts)])
    lines += table(["paper", *VERDICTS, "all"], tally)
    for paper in papers:
        own = [
            map(_cell, (e.where, f"`{e.id}` {e.statement}", e.verdict, e.tight or "", e.method))
            for e in entries
            if e.paper == paper
        ]
        lines += ["", f"## {TITLES.get(paper, paper)}", ""]
        lines += table(("where", "claim", "verdict", "tight", "method"), own)
    return "\n".join(lines) + "\n"


def errata_page(paper: str, entries: Sequence[ClaimEntry]) -> str:
    """What is refuted, mistyped or loose in a paper, each with place, evidence and repair."""
    lines = [
        f"# Notes on {TITLES.get(paper, paper)}",
        "",
        *_wrapped(
            f"We checked {len(entries)} statements of the paper by machine; "
            f"{sum(e.verdict == 'holds' for e in entries)} hold as printed. Below is what we "
            "would change, with what shows it. Places are the paper's own labels. Corrections to "
            "these notes are welcome."
        ),
    ]
    for verdict, title in SECTIONS:
        chosen = [e for e in entries if e.verdict == verdict]
        if chosen:
            lines += ["", f"## {title}"]
        for entry in chosen:
            lines += ["", *_item(entry)]
    noticed = [e for e in entries if e.detail.startswith(NOTICED)]
    if noticed:
        lines += ["", "## Noticed on reading", ""]
        lines += [
            line
            for e in noticed
            for line in _wrapped(f"- {e.where}: {e.detail.removeprefix(NOTICED)}", "  ")
        ]
    lines += [
        "",
        "## Check it again",
        "",
        "```",
        f"dpaudit claims --paper {paper} --fresh",
        f"dpaudit claims --paper {paper} --recheck",
        "```",
    ]
    return "\n".join(lines) + "\n"


def _item(entry: ClaimEntry) -> list[str]:
    lines = [f"### {entry.where} (`{entry.id}`)", ""]
    lines += _wrapped(f"{entry.statement}. {_sentence(entry.detail)}".replace("..", "."))
    facts = {
        "Counterexample": entry.counterexample,
        "Tight": entry.tight,
        "Repair": entry.repair,
        "What fails": {
            "step": "the step; the conclusion drawn from it is not affected by this alone",
            "conclusion": "the conclusion as well",
        }.get(entry.scope),
        "Also considered": " ".join(_sentence(text) for text in entry.considered),
        "Shown by": entry.method,
    }
    lines.append("")
    for name, text in facts.items():
        if text:
            lines += _wrapped(f"- {name}: {text}", "  ")
    return lines


def _sentence(text: str) -> str:
    text = text.strip()
    return text[0].upper() + text[1:] + ("" if text.endswith(".") else ".") if text else ""


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(
        text, 100, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
