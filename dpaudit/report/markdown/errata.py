"""A page for a paper's authors: what is false first, then steps, then misprints, courteous and
short. Written by `dpaudit claims --out`."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from dpaudit.papers import TITLES
from dpaudit.report.markdown import table
from dpaudit.report.mathml import goal_html
from dpaudit.results.claims import ClaimEntry, kind_of

SECTIONS = (
    ("conclusion false", "Conclusions that are false"),
    ("step false", "Steps that fail; what is concluded stands"),
    ("ambiguous", "True in one reading, false in another"),
    ("misprint", "Misprints"),
    ("loose", "Constants that could be better"),
    ("undecided", "What we could not decide"),
)
SURE = {
    "kernel": "by a proof assistant's kernel",
    "checked": "by machine, and by a second checker that shares no code with the first",
    "statistical": "by samples that can be drawn again, at a stated error",
    "read": "the numbers by machine; that they are about these words is read",
}


def errata_page(paper: str, entries: Sequence[ClaimEntry]) -> str:
    """What is false, mistyped, loose or open in a paper, each with quotation and repair."""
    tally = {kind: [e for e in entries if kind_of(e.severity) == kind] for kind, _ in SECTIONS}
    hold = [e for e in entries if kind_of(e.severity) == "holds"]
    some = [e for e in entries if kind_of(e.severity) == "holds for"]
    false = tally["conclusion false"]
    lines = [f"# Notes on {TITLES.get(paper, paper)}", ""]
    counted = {
        "conclusions false": false,
        "steps false, with the conclusion standing": tally["step false"],
        "false in one reading and true in another": tally["ambiguous"],
        "misprints": tally["misprint"],
        "true, and could be sharper": tally["loose"],
        "shown for a stated range": some,
        "true": hold,
        "open": tally["undecided"],
    }
    text = ", ".join(f"{len(found)} {words}" for words, found in counted.items())
    lines += _wrapped(
        f"{len(entries)} statements of the paper, each quoted: {text}. Corrections to these notes "
        "are welcome."
    )
    if false:
        lines += ["", "## In thirty seconds", ""]
        rows = (
            (f"[{e.where}](#{e.id})", e.statement, e.counterexample or "", e.repair or "")
            for e in false
        )
        lines += table(("where", "what is false", "counterexample", "repair"), map(_cells, rows))
    for kind, title in SECTIONS:
        if tally[kind]:
            lines += ["", f"## {title}"]
        for entry in tally[kind]:
            lines += ["", *_item(entry)]
    return "\n".join([*lines, *_again(paper)]) + "\n"


def _again(paper: str) -> list[str]:
    return [
        "",
        "## Check it again",
        "",
        "```",
        f"dpaudit claims --paper {paper} --fresh",
        f"dpaudit claims --paper {paper} --recheck",
        "```",
    ]


def _item(entry: ClaimEntry) -> list[str]:
    lines = [f'### <a id="{entry.id}"></a>{entry.where} (`{entry.id}`)', ""]
    if entry.quotation:
        line = entry.anchor.partition(" ")[0]
        lines += [f"> {_quoted(entry.quotation)}", f"> (line {line} of the text)", ""]
    lines += _wrapped(f"{_sentence(entry.statement)} {_sentence(entry.detail)}")
    facts = {
        "Read as": entry.reading,
        **{f"Reading {i}": f"{v}: {text}" for i, (text, v) in enumerate(entry.readings, 1)},
        "Formally": "; ".join(goal_html(goal) for goal in entry.fails),
        "Counterexample": entry.counterexample,
        "Tight": entry.tight,
        "Repair": entry.repair,
        "Would be decided by": entry.decides,
        "Also considered": " ".join(_sentence(text) for text in entry.considered),
        "How sure": _sure(entry),
    }
    lines.append("")
    for name, text in facts.items():
        if text:
            lines += (
                [f"- {name}: {text}"] if "<math>" in text else _wrapped(f"- {name}: {text}", "  ")
            )
    return lines


def _sure(entry: ClaimEntry) -> str:
    """The level of trust; where words are read, what showed the numbers."""
    by = {"kernel": "; the kernel accepted them", "none": ""}.get(entry.shown, "")
    theorem = f"; {entry.theorem} in proofs_checks/rocq" if entry.theorem else ""
    return f"{SURE[entry.trust]}{by if entry.trust == 'read' else ''}{theorem} ({entry.method})"


def _quoted(words: str) -> str:
    """A quotation on one line; text between dollar signs stays mathematics."""
    return re.sub(r"\s+", " ", words).strip()


def _cells(row: Sequence[str]) -> list[str]:
    return [text.replace("|", "\\|").replace("\n", " ") for text in row]


def _sentence(text: str) -> str:
    text = text.strip()
    return text[0].upper() + text[1:] + ("" if text.endswith(".") else ".") if text else ""


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(
        text, 100, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
    )
