"""A project's audits: `[tool.dpaudit]` in its pyproject.toml.

[tool.dpaudit]
confidence = 0.999          # of all audits together
seed = 0

[[tool.dpaudit.audits]]
target = "recommender/learner.py:Learner"
epsilon = 1.0
arms = 2
rounds = 12
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpaudit.errors import UsageError, read_bytes, unknown

NUMBER = (int, float)
SESSION = {"confidence": NUMBER, "seed": int, "workers": int, "audits": list}
AUDIT: dict[str, Any] = {
    "target": str,
    "name": str,
    "epsilon": NUMBER,
    "delta": NUMBER,
    "eta": NUMBER,
    "mu": NUMBER,
    "rho": NUMBER,
    "rdp": list,
    "neighbours": str,
    "sees": str,
    "contexts": str,
    "batch": int,
    "delay": int,
    "claim": str,
    "arms": int,
    "rounds": int,
    "engine": str,
    "gate": bool,
    "tradeoff": bool,
    "adversary": str,
    "runs": int,
    "seconds": NUMBER,
    "parameters": dict,
}
"""The keys of the two tables, and what their values may be."""


@dataclass(frozen=True)
class Project:
    path: Path
    audits: list[dict[str, Any]]
    confidence: float = 0.999
    seed: int = 0
    workers: int | None = None


def read_project(path: str | Path = "pyproject.toml") -> Project:
    """The audits of a project; what is wrong is said with its key and line."""
    file = Path(path)
    try:
        text = read_bytes(file, f"config: {file}").decode()
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"config: {file}: {error}") from None
    settings = table.get("tool", {}).get("dpaudit")
    if settings is None:
        raise UsageError(f"config: {file} has no table [tool.dpaudit]")
    where = _Places(file, text)
    where.check("tool.dpaudit", settings, SESSION, 0)
    audits = settings.get("audits", [])
    if not audits:
        raise UsageError(f"{where.line('tool.dpaudit', 0)}: no [[tool.dpaudit.audits]]")
    for number, audit in enumerate(audits, 1):
        if not isinstance(audit, dict):
            raise UsageError(f"{where.line('audits', 0)}: audits: allowed is a list of tables")
        where.check("tool.dpaudit.audits", audit, AUDIT, number)
        if "target" not in audit:
            place = where.line("tool.dpaudit.audits", number)
            raise UsageError(f"{place}: audit {number} has no target")
    return Project(file, **settings)


@dataclass(frozen=True)
class _Places:
    """Where keys stand in the file, for error messages."""

    file: Path
    text: str

    def check(self, name: str, table: dict[str, Any], known: dict[str, Any], number: int) -> None:
        """Every key is known and its value of its kind."""
        for key, value in table.items():
            place = self.line(name, number, key)
            if key not in known:
                raise UsageError(f"{place}: {unknown('key', key, known)}")
            kind = known[key]
            wrong_bool = isinstance(value, bool) and kind is not bool
            if wrong_bool or not isinstance(value, kind):
                allowed = "a number" if kind is NUMBER else f"of type {kind.__name__}"
                raise UsageError(f"{place}: {key}: got {value!r}, allowed is {allowed}")

    def line(self, name: str, number: int, key: str | None = None) -> str:
        """`file:line` of a key in the table of that name (the number-th, for a list of tables)."""
        seen, at, inside = 0, 1, False
        for index, text in enumerate(self.text.splitlines(), 1):
            header = re.match(r"\s*\[+\s*([\w.\s-]+?)\s*\]+", text)
            if header:
                seen += header[1] == name
                inside = header[1] == name and seen == max(1, number)
                at = index if inside else at
            elif inside and key is not None and re.match(rf"""\s*["']?{re.escape(key)}\b""", text):
                at = index
        return f"{self.file}:{at}"
