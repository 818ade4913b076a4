"""What a paper says that could be checked, enumerated: is each covered by an entry, or by a reason?

    python -m tests.ledger.coverage            writes reports/coverage.md
    python -m tests.ledger.coverage --open     what is covered by neither

Enumerated from the texts are numbered equations, theorems, lemmas, corollaries, facts, definitions,
remarks, propositions, algorithms, figures and tables, and all sentences with a number that is not a
label or a year. References and acknowledgements are left out. A label is covered by the entries
whose place names it; a sentence by the entry whose quotation stands in it, or by the labels in it.
What is covered by neither has a reason: in `proofs_checks/KEY/coverage.toml`, by label or by a
piece of the sentence, or as one of a kind (RULES).
"""

from __future__ import annotations

import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from dpaudit.ledger.claims import claims_of
from dpaudit.ledger.words import ELIDED, FAR, papers_folder, text_of
from dpaudit.paper_rooms import papers
from dpaudit.papers import TITLES

ROOT = Path(__file__).parents[2]
KINDS = "Theorem Lemma Corollary Fact Definition Remark Proposition Algorithm Figure Table".split()
LABEL = re.compile(rf"\b({'|'.join(KINDS)})\s+([A-Z]?\.?\d+(?:\.\d+)?)")
EQUATION = re.compile(r"(?:\\tag\{|(?<![\w)\]}])\()([A-Z]\.)?(\d{1,2})(?:\}|\))(?=[\s.,$*]|$)")
LEFT_OUT = ("References", "Acknowledgements", "ACKNOWLEDGEMENTS")
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z(*$])")
NUMBER = re.compile(r"(?<![\w.\\{}^_-])\d+(?:[.,]\d+)*(?![\w}])")
NAMED = re.compile(
    rf"\b(?:{'|'.join(KINDS)}|Section|Appendix|Step|Line|Lines|Case|Equation|Eq|line|lines|step|"
    r"Chapter|chapter|round|rounds|page|term)s?\.?\s*~?\(?[A-Z]?\.?\d+(?:\.\d+)*\)?"
    r"(?:\s*(?:to|and|,|-)\s*\(?[A-Z]?\.?\d+(?:\.\d+)*\)?)*"
    r"|\((?:[A-Z]\.)?\d{1,2}\)|\b(?:19|20)\d\d[a-z]?\b|arXiv:\S+"
)

RULES = (
    (
        r"(?i)\bappendix is organi|^useful facts|^proofs for|keywords|proceedings|pmlr|"
        r"arxiv preprint|"
        r"organization of this paper|^\W*\d*\W*$|^\W*[A-Z][\w ,-]{3,60}\W*\d[.\d]*\.?$|footnote",
        "a heading, a table of contents or a bibliographic note",
    ),
    (
        r"(?i)independent runs|mean rewards|experiment|figure|\bsetting(s)? where|empirical|"
        r"scenario|"
        r"expectation of|we set \$?T|100 ?, ?000|privacy levels|parameter is set|from \{0",
        "describes an experiment, which the laboratory runs and judges (reports/reproduction.json)",
    ),
    (
        r"(?i)\(\d{4}[a-z]?\)|\d{4}\]|et al\.?|version|open problem|prior|previous(ly)?|existing|"
        r"known",
        "about other papers, whose texts are not at hand; what is used of them is an entry",
    ),
    (
        r"(?i)\b(let|define|recall|denote[sd]?|denoting|notation|fix|w\.?l\.?o\.?g|"
        r"without (the )?loss of "
        r"generality|assume|suppose|we (write|say|call|use)|stands for|we adopt|:=)\b|:=|setting|"
        r"reward vector|collects? all|complement",
        "a definition or convention; what is concluded with it is an entry",
    ),
    (
        r"(?i)pull|initiali[sz]|update|noise|observ|epoch|budget|sampl|draw|play|mechanism|"
        r"algorithm|arm |"
        r"action|reset|release|learner|insert|posterior",
        "describes an algorithm or its analysis in words; the algorithm is in the catalogue and "
        "compared "
        "with a second definition, its bounds are entries",
    ),
    (
        r"[≤≥=<>∑]|\\leq|\\le|\\geq|\\ge|\\frac|\\sum|P ?[{(]|O ?[(]",
        "a line of a proof between displays that are entries",
    ),
)
"""Reasons of whole kinds of sentence, the first that fits. What none fits needs one of its own."""


@dataclass(frozen=True)
class Item:
    """Something to be covered: its kind, its name, and what covers it."""

    kind: str
    name: str
    covered: str


def spans(paper: str, text: str) -> dict[str, tuple[int, int]]:
    """Where the quotations of a paper's entries stand."""
    found = {}
    for claim in claims_of(paper):
        first, *others = (" ".join(p.split()) for p in claim.words.quotation.split(ELIDED))
        start = text.find(first)
        end = start + len(first)
        for piece in others:
            place = text.find(piece, end, end + FAR)
            end = place + len(piece) if place >= 0 else end
        found[claim.id] = (start, end)
    return found


def places(where: str) -> set[str]:
    """The labels that an entry's place names; ranges of equations are filled."""
    names = {f"{kind} {number}" for kind, number in LABEL.findall(where)}
    for head, low, high in re.findall(
        r"\((?:([A-Z])\.)?(\d+)\)\s*(?:to|-)\s*\((?:[A-Z]\.)?(\d+)\)", where
    ):
        names |= {f"({head + '.' if head else ''}{n})" for n in range(int(low), int(high) + 1)}
    names |= set(re.findall(r"\((?:[A-Z]\.)?\d+\)", where))
    return names | {f"({n})" for n in re.findall(r"\beqs?\. (\d+)", where)}


def reasons(paper: str) -> dict[str, str]:
    file = ROOT / "proofs_checks" / paper / "coverage.toml"
    found: dict[str, str] = tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}
    return found


def body(text: str) -> list[tuple[int, str]]:
    """The sentences with their places, without references and acknowledgements."""
    cut = [text.find(f" {head} ", 2000) for head in LEFT_OUT]
    first = min((c for c in cut if c > 0), default=len(text))
    after = re.search(
        r"The appendix is organized|## Appendix A|APPENDIX|A Collected proofs", text[first:]
    )
    again = first + after.start() if after else len(text)
    kept, place = [], 0
    for sentence in SENTENCE.split(text):
        at = text.find(sentence, place)
        place = at + len(sentence)
        if at < first or at >= again:
            kept.append((at, sentence))
    return kept


def items(paper: str) -> list[Item]:
    """Everything that is to be covered."""
    known = text_of(paper)
    assert known is not None
    text, own = known[0], claims_of(paper)
    quoted, why = spans(paper, text), reasons(paper)
    by_label: dict[str, list[str]] = {}
    for claim in own:
        for label in places(claim.where):
            by_label.setdefault(label, []).append(claim.id)
    found: list[Item] = []
    labels = dict.fromkeys(f"{kind} {number}" for kind, number in LABEL.findall(text))
    sentences = body(text)
    numbered = dict.fromkeys(
        f"({head or ''}{number})" for _, s in sentences for head, number in EQUATION.findall(s)
    )
    for label in [*labels, *numbered]:
        entries = by_label.get(label, [])
        covered = ", ".join(entries[:4]) + (" …" if len(entries) > 4 else "")
        found.append(Item("label", label, covered or why.get(label, "")))
    for at, sentence in sentences:
        plain = NAMED.sub(" ", sentence)
        if not NUMBER.search(plain):
            continue
        inside = [i for i, (a, b) in quoted.items() if a < at + len(sentence) and b > at]
        named = [f"{k} {n}" for k, n in LABEL.findall(sentence) if f"{k} {n}" in by_label]
        written = next(
            (why[key] for key in why if key in sentence and not LABEL.match(key) and key[0] != "("),
            "",
        )
        ruled = next((reason for rule, reason in RULES if re.search(rule, sentence)), "")
        label = f"see {named[0]}" if named else ""
        covered = ", ".join(inside[:3]) or written or label or ruled
        found.append(Item("sentence", sentence[:110], covered))
    return found


def page() -> str:
    lines = [
        "# What of the papers is covered",
        "",
        "Made by `python -m tests.ledger.coverage`.",
        "",
    ]
    for paper in papers("claims"):
        all_items = items(paper)
        labels = [i for i in all_items if i.kind == "label"]
        sentences = [i for i in all_items if i.kind == "sentence"]
        lines += [f"## {TITLES.get(paper, paper)}", ""]
        lines += ["| label | covered by |", "|---|---|"]
        lines += [f"| {i.name} | {i.covered or 'OPEN'} |" for i in labels]
        tally: dict[str, int] = {}
        entries = {c.id for c in claims_of(paper)}
        for item in sentences:
            by_entry = item.covered.split(",")[0].strip() in entries or item.covered[:4] == "see "
            reason = "an entry, or a label above" if by_entry else item.covered or "OPEN"
            tally[reason] = tally.get(reason, 0) + 1
        lines += ["", f"| {len(sentences)} sentences with a number are covered by | |", "|---|---|"]
        lines += [f"| {reason} | {n} |" for reason, n in sorted(tally.items(), key=lambda x: -x[1])]
        lines += [""]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    if papers_folder() is None:
        print("the papers' texts are not at hand")
        return 2
    left = [(paper, i) for paper in papers("claims") for i in items(paper) if not i.covered]
    if "--open" in arguments:
        print("\n".join(f"{paper} {i.kind}: {i.name}" for paper, i in left))
    else:
        (ROOT / "reports" / "coverage.md").write_text(page())
    print(f"{len(left)} are covered by neither an entry nor a reason")
    return int(bool(left))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
