"""Results as plain data: what of them must stay, a digest of it, and the first place where two
differ. Takes documents in any layout and knows nothing of the code that made them."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dpaudit.results.made import untabled

ROOT = Path(__file__).parents[2]
BEFORE = "75c68d7fb66ed35e8ce20b04cb209436be281ade"
"""The commit whose results have to come out again."""
ASIDE = {"seconds", "code", "seal", "schema", "version", "mends"}
"""Of an entry, at its top: how long it took, what sealed it, the layout's own labels, and what
would mend it, which has tests of its own."""
SHOWN = {"trust", "shown", "theorem"}
"""Of a claim: what the kernel's record and the theorems say of it; they have tests of their own."""
LINE = re.compile(r", line \d+")
"""Where something stands in a file."""
PARTS = {"parts", "broken", "goals", "derivation"}
"""Of a claim: what its certificate holds besides."""
KINDS = ("audit", "claim", "parts", "scaling", "reproduction", "csv")
PATTERNS = (
    "reports/catalogue.json",
    "reports/claims.json",
    "reports/certificates/",
    "reports/scaling",
    "reports/reproduction",
)
Key = tuple[str, str]


def canonical(value: Any) -> str:
    """One text for one value; floats to the last bit."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def digest(value: Any) -> str:
    """Of a value's canonical text."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()[:32]


def entries(document: Any) -> Iterator[tuple[Key, Any]]:
    """The results in a document, each with its kind and name, wherever they stand in it."""
    if isinstance(document, list):
        for item in document:
            yield from entries(item)
    elif isinstance(document, dict):
        found = list(_entry(document))
        yield from found
        if not found:
            for item in document.values():
                yield from entries(item)


def _entry(whole: dict[str, Any]) -> Iterator[tuple[Key, Any]]:
    given = told(still(whole))
    kept = {key: value for key, value in given.items() if key not in ASIDE}
    keys = set(whole)
    if keys >= {"target", "claim", "lower_bound", "witness"}:
        yield ("audit", audit_name(given)), kept
    elif keys >= {"id", "paper", "where", "statement", "verdict"}:
        name = f"{given['paper']}/{given['id']}"
        yield ("claim", name), {k: v for k, v in kept.items() if k not in PARTS}
        if keys >= PARTS:
            yield ("parts", name), still({k: whole[k] for k in sorted(PARTS)})
    elif keys >= {"study", "paper", "points", "verdict"}:
        yield ("scaling", f"{given['paper']}/{given['study']}"), kept
    elif keys >= {"experiment", "curves", "sentences"}:
        yield ("reproduction", given["experiment"]), kept


def still(value: Any) -> Any:
    """Without where in a file something stands, and a proof's digest of the steps it is about."""
    if isinstance(value, dict):
        apart = {"source"} if "graph" in value else set[str]()
        return {key: still(each) for key, each in value.items() if key not in apart}
    if isinstance(value, list):
        return [still(each) for each in value]
    return LINE.sub(", line", value) if isinstance(value, str) else value


def told(value: Any) -> Any:
    """Without what is empty, which committed results leave out, and without what showed a claim."""
    if isinstance(value, dict):
        if {"fields", "rows"} <= value.keys() <= {"fields", "rows", "same"}:  # committed points
            return told(untabled(value))
        apart = SHOWN if value.keys() >= {"id", "paper", "verdict"} else set[str]()
        inner = {key: told(each) for key, each in value.items() if key not in apart}
        return {key: each for key, each in inner.items() if each not in (None, "", [], {})}
    return [told(each) for each in value] if isinstance(value, list) else value


def audit_name(given: dict[str, Any]) -> str:
    """Who was audited, in which reading and size."""
    reading = "".join(f" {k}={v}" for k, v in sorted(given.get("parameters", {}).items()))
    return f"{given['target']}{reading} T={given['rounds']}"


def parse(text: str) -> Any:
    """JSON, or JSON a line."""
    try:
        return json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]


def of_file(name: str, text: str) -> Iterator[tuple[Key, Any]]:
    """The results in a file: a JSON document's entries, or a table of curves."""
    if name.endswith(".csv"):
        yield ("csv", Path(name).stem), text
    elif name.endswith((".json", ".jsonl")):
        yield from entries(parse(text))


def of_folder(folder: Path) -> dict[Key, Any]:
    """All results below a folder."""
    files = (path for path in sorted(folder.rglob("*")) if path.suffix in (".json", ".csv"))
    return {k: v for path in files for k, v in of_file(path.name, path.read_text())}


def of_commit(commit: str = BEFORE) -> dict[Key, Any] | None:
    """All results that were committed then; None where git does not have it."""
    listed = _git("ls-tree", "-r", "--name-only", commit, "reports")
    if listed is None:
        return None
    found: dict[Key, Any] = {}
    for name in listed.split("\n"):
        if name.startswith(PATTERNS):
            found |= of_file(name, _git("show", f"{commit}:{name}") or "")
    return found


def _git(*words: str) -> str | None:
    out = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return out.stdout if out.returncode == 0 else None


def difference(before: Any, now: Any, path: str = "") -> str | None:
    """Where two values first differ, and how; None if nowhere."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in [*before, *(key for key in now if key not in before)]:
            if key not in before or key not in now:
                return f"{path}/{key}: {'new' if key in now else 'gone'}"
            found = difference(before[key], now[key], f"{path}/{key}")
            if found:
                return found
        return None
    if isinstance(before, list) and isinstance(now, list):
        for i, (one, other) in enumerate(zip(before, now, strict=False)):
            found = difference(one, other, f"{path}/{i}")
            if found:
                return found
        if len(before) != len(now):
            return f"{path}: {len(before)} items before, {len(now)} now"
        return None
    if canonical(before) == canonical(now):
        return None
    return f"{path or '/'}: {_short(before)} before, {_short(now)} now"


def _short(value: Any) -> str:
    text = canonical(value)
    return text if len(text) <= 160 else f"{text[:160]}…"
