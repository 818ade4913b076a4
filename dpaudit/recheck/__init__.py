"""The checker: verifies committed certificates again, by other means than those that found them.

It shares no code with the finders (`dpaudit.ledger`): formulas are walked here once more, in exact
fractions and mpmath intervals where the finders use python-flint; derivatives and identities are
compared as numbers where the finders use sympy. Run alone: `python -m dpaudit.recheck FOLDER`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dpaudit.recheck.numbers import Refused, need
from dpaudit.recheck.parts import check

SCHEMA = "dpaudit/certificates/1"


def seal(entry: dict[str, Any]) -> str:
    """Digest of a claim's certificate without its seal."""
    plain = {key: v for key, v in entry.items() if key != "seal"}
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def check_claim(entry: dict[str, Any]) -> None:
    """The seal, then every part; every verdict but `undecided` has at least one."""
    need(entry.get("seal") == seal(entry), "the seal is broken: something was changed by hand")
    need(bool(entry["parts"]) != (entry["verdict"] == "undecided"), "a verdict and no certificate")
    for part in entry["parts"]:
        check(part)
    need(entry["verdict"] not in entry["broken"].values(), "a moved constant changed nothing")


def recheck(folder: Path, papers: list[str]) -> Iterator[tuple[str, str, str | None]]:
    """For each claim of each paper's file: paper, id, and why it is refused (None if it is not)."""
    for path in (folder / f"{paper}.json" for paper in papers):
        document = json.loads(path.read_text())
        if document["schema"] != SCHEMA:
            raise ValueError(f"{path.name} is not of schema {SCHEMA}")
        for entry in document["claims"]:
            try:
                check_claim(entry)
                yield path.stem, entry["id"], None
            except Refused as refused:
                yield path.stem, entry["id"], str(refused)
