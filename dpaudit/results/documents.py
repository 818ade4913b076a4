"""The result documents: their fields, versions, and how a file is checked when it is read.

A document names its schema and version, `dpaudit/KIND/NUMBER`. Fields may be added under the same
number; one is renamed, removed or changes its meaning only with the next. So far one has: the band
of `dpaudit/regret/2` is guaranteed, that of `…/1` normal. Documents are plain JSON;
reading one executes nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import msgspec
import numpy as np

from dpaudit.errors import UsageError, read_bytes
from dpaudit.results.audit import AuditResult
from dpaudit.results.claims import Claims
from dpaudit.results.comparison import Comparison, Leaderboard
from dpaudit.results.made import untabled
from dpaudit.results.optima import Optima, OptimumResult
from dpaudit.results.questions import Questions
from dpaudit.results.regret import RegretResult
from dpaudit.results.reproduction import Reproduction, Reproductions
from dpaudit.results.scaling import Scaling
from dpaudit.results.showing import Published


class Catalogue(Published, frozen=True):
    """Many audits under one confidence, `dpaudit/catalogue/1`."""

    audits: list[AuditResult]
    schema: str = "dpaudit/catalogue/1"

    def public(self) -> dict[str, Any]:
        return {"schema": self.schema, "audits": [audit.public() for audit in self.audits]}


Document = (
    AuditResult
    | Catalogue
    | Claims
    | RegretResult
    | Scaling
    | Reproduction
    | Reproductions
    | OptimumResult
    | Optima
    | Questions
    | Comparison
    | Leaderboard
)
KINDS: dict[str, type[Document]] = {
    field.default.split("/")[1]: kind
    for kind in get_args(Document)
    for field in msgspec.structs.fields(kind)
    if field.name == "schema"
}
OLDER = {"dpaudit/regret/1"}
"""Read, too, though not written: what was not in them has a default that says so."""


def schema_of(kind: str) -> str:
    """The schema, with the version, that is read and written."""
    fields = msgspec.structs.fields(KINDS[kind])
    return str(next(field.default for field in fields if field.name == "schema"))


def _column(kind: Any, numbers: Any) -> Any:
    _, dtype = get_args(kind)
    [number] = get_args(dtype)
    whole = issubclass(number, np.integer)
    return np.array(msgspec.convert(numbers, list[int] if whole else list[float]), dtype=number)


def parse(data: Any, name: str = "result") -> Document:
    """A document from plain data, or a UsageError that names the field."""
    label = data.get("schema") if isinstance(data, dict) else None
    if not isinstance(label, str) or label.count("/") != 2 or not label.startswith("dpaudit/"):
        raise UsageError(f"{name}: no result of dpaudit (it names no schema)")
    kind = label.split("/")[1]
    if kind not in KINDS:
        raise UsageError(f"{name}: schema {label!r} is not known; known: {', '.join(KINDS)}")
    if label != schema_of(kind) and label not in OLDER:
        raise UsageError(f"{name}: schema {label!r}, but this dpaudit reads {schema_of(kind)}")
    try:
        return msgspec.convert(untabled(data), KINDS[kind], dec_hook=_column)
    except (msgspec.ValidationError, ValueError, TypeError) as error:
        raise UsageError(f"{name}: not a valid {label} ({error})") from None


def read(path: str | Path) -> Document:
    """A document from a file; truncated, foreign and tampered ones are refused in one line."""
    content = read_bytes(path, str(path))
    try:
        data = msgspec.json.decode(content)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: not JSON, perhaps truncated ({error})") from None
    return parse(data, str(path))


def schema_in(content: bytes) -> str:
    """The schema that a file names, which need not be one that is read here."""
    data = msgspec.json.decode(content)
    found = data.get("schema") if isinstance(data, dict) else None
    return str(found or "JSON")
