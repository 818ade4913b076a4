"""Certificates on disk: one file a paper, one sealed entry a claim, plain data throughout."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import dpaudit
from dpaudit.errors import UsageError
from dpaudit.ledger.claims import Claim
from dpaudit.ledger.findings import VERDICTS, Finding
from dpaudit.recheck import SCHEMA, seal

FOLDER = Path(dpaudit.__file__).parents[1] / "reports" / "certificates"
"""The committed certificates."""
PUBLIC = (
    "id paper where statement method verdict detail counterexample tight scope repair considered "
    "seconds"
).split()
"""What `--json` gives of a claim; `--show` gives the parts as well."""
Entry = dict[str, Any]


def make_entry(
    claim: Claim, finding: Finding, broken: dict[str, str], seconds: float, code: str
) -> Entry:
    """A claim's sealed entry; `broken` says what the verdict became when a constant was moved."""
    entry: Entry = {
        "id": claim.id,
        "paper": claim.paper,
        "where": claim.where,
        "statement": claim.statement,
        "method": finding.method,
        "verdict": finding.verdict,
        "detail": finding.detail,
        "counterexample": finding.counterexample,
        "tight": finding.tight,
        "scope": finding.scope,
        "repair": finding.repair,
        "considered": list(finding.considered),
        "parts": json.loads(json.dumps(finding.parts)),
        "broken": broken,
        "seconds": round(seconds, 1),
        "code": code,
    }
    return {**entry, "seal": seal(entry)}


def load(paper: str, folder: Path) -> dict[str, Entry]:
    """A paper's entries by id; nothing where there is no file."""
    path = folder / f"{paper}.json"
    if not path.exists():
        return {}
    try:
        document = json.loads(path.read_text())
        entries = {entry["id"]: entry for entry in document["claims"]}
        good = document["schema"] == SCHEMA and all(
            set(PUBLIC) <= set(e) and e["verdict"] in VERDICTS for e in entries.values()
        )
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise UsageError(f"certificates: {path} cannot be read ({type(error).__name__})") from None
    if not good:
        raise UsageError(f"certificates: {path} is not of schema {SCHEMA}")
    return entries


def save(paper: str, entries: Iterable[Entry], folder: Path) -> None:
    """Write a paper's entries, a line for each part so that changes can be read."""
    blocks = []
    for entry in entries:
        fields = [
            f'    "{key}": {json.dumps(value, ensure_ascii=False)}'
            for key, value in entry.items()
            if key != "parts"
        ]
        parts = ",\n".join(f"      {json.dumps(part)}" for part in entry["parts"])
        fields.insert(-4, '    "parts": [' + (f"\n{parts}\n    ]" if parts else "]"))
        blocks.append("  {\n" + ",\n".join(fields) + "\n  }")
    head = f'{{"schema": "{SCHEMA}", "paper": "{paper}", "claims": [\n'
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{paper}.json").write_text(head + ",\n".join(blocks) + "\n]}\n")


def public(entry: Entry) -> Entry:
    """What is published of an entry."""
    return {key: entry[key] for key in PUBLIC}
