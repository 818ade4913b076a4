"""What the papers say, for the checker: read from the claims' own files; nothing of it is run.

A certificate repeats where a claim stands, its statement, quotation, anchor, reading and goals. The
register has them from `proofs_checks/KEY/claims`: the statement from the source as text, the words
from the TOML file beside it. So a certificate about another sentence is refused, sealed or not.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import tomllib
from pathlib import Path
from typing import Any

from dpaudit.recheck.numbers import need

HOUSE = Path(__file__).parents[1] / "proofs_checks"
TEXTS = Path(__file__).parents[3] / "shared" / "papers"
REPEATED = ("where", "statement", "quotation", "anchor", "reading", "readings", "goals")
ABSENT: dict[str, Any] = {
    "quotation": "",
    "anchor": "",
    "reading": "",
    "readings": [],
    "goals": [],
    "formal": False,
}
AROUND, BETWEEN, GAP = 80, " … ", 4000


@functools.cache
def register(paper: str, house: Path = HOUSE) -> dict[str, dict[str, Any]]:
    """The entries of a paper by id."""
    found: dict[str, dict[str, Any]] = {}
    for source in sorted((house / paper / "claims").glob("*.py")):
        beside = source.with_suffix(".toml")
        words = tomllib.loads(beside.read_text("utf-8")) if beside.is_file() else {}
        for node in ast.parse(source.read_text("utf-8")).body:
            for call in getattr(node, "decorator_list", []):
                if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "claim":
                    name = node.name.replace("_", "-")  # type: ignore[attr-defined]
                    where, statement = (ast.literal_eval(word) for word in call.args[:2])
                    given = [ast.literal_eval(k.value) for k in call.keywords if k.arg == "breaks"]
                    moved = [
                        f"{constant}={to}" for breaks in given for constant, to in breaks.items()
                    ]
                    own = {"where": where, "statement": statement, "moved": moved}
                    found[name] = {**ABSENT, **words.get(name, {}), **own}
    return found


@functools.cache
def text(paper: str) -> tuple[str, list[int]] | None:
    """A paper's text on one line, and where its lines began; None where it is not at hand."""
    file = TEXTS / f"{paper}.txt"
    if not file.is_file():
        return None
    joined, starts = [], []
    length = 0
    for line in file.read_text("utf-8").split("\n"):
        starts.append(length)
        piece = " ".join(line.split())
        if piece:
            joined.append(piece + " ")
            length += len(piece) + 1
    return "".join(joined), starts


def anchored(paper: str, quotation: str, anchor: str) -> bool | None:
    """Whether a quotation stands in the text with the passage that its anchor is a digest of; None
    where the text is not at hand."""
    found = text(paper)
    if found is None:
        return None
    pieces = [" ".join(piece.split()) for piece in quotation.split(BETWEEN)]
    _, _, digest = anchor.partition(" ")
    start = found[0].find(pieces[0])
    while start >= 0:
        end = start + len(pieces[0])
        for piece in pieces[1:]:
            place = found[0].find(piece, end, end + GAP) if end >= 0 else -1
            end = place + len(piece) if place >= 0 else -1
        passage = found[0][max(0, start - AROUND) : end + AROUND]
        if end >= 0 and hashlib.sha256(passage.encode()).hexdigest()[:16] == digest:
            return True
        start = found[0].find(pieces[0], start + 1)
    return False


def check_words(entry: dict[str, Any]) -> dict[str, Any]:
    """The register's entry that a certificate is about, which says the same; its anchor fits."""
    own = register(entry["paper"])
    need(entry["id"] in own, "the paper's claims do not have it")
    known = own[entry["id"]]
    for name in REPEATED:
        need(entry[name] == known[name], f"another {name} than the claim's")
    need(sorted(entry["broken"]) == sorted(known["moved"]), "constants that were not moved")
    if known["quotation"]:
        fits = anchored(entry["paper"], known["quotation"], known["anchor"])
        need(fits is not False, "the anchor does not match the paper's text")
    return known
