"""The claims of the papers with their verdicts, and the certificates that show them."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Literal, get_args

import msgspec

Verdict = Literal["holds", "loose", "typo", "refuted", "undecided"]
VERDICTS: tuple[str, ...] = get_args(Verdict)


class ClaimEntry(msgspec.Struct, frozen=True):
    id: str
    paper: str
    where: str
    statement: str
    method: str
    verdict: Verdict
    detail: str
    counterexample: str | None
    tight: str | None
    scope: str = ""
    repair: str | None = None
    considered: list[str] = []
    seconds: float = 0.0


class Claims(msgspec.Struct, frozen=True, kw_only=True):
    """The claims ledger, `dpaudit/claims/1`."""

    schema: str = "dpaudit/claims/1"
    version: str
    claims: list[ClaimEntry]


class Certificate(ClaimEntry, frozen=True, kw_only=True):
    """A claim with the parts that show it; `broken` says what the verdict became when a constant
    was moved. The seal is a digest of all but the seconds."""

    parts: list[dict[str, Any]]
    broken: dict[str, str]
    seal: str = ""

    def sealed(self) -> Certificate:
        """With its seal."""
        plain = msgspec.to_builtins(self)
        kept = {key: value for key, value in plain.items() if key not in ("seal", "seconds")}
        text = json.dumps(kept, sort_keys=True)
        return msgspec.structs.replace(self, seal=hashlib.sha256(text.encode()).hexdigest())

    @property
    def entry(self) -> ClaimEntry:
        """What is published of it."""
        return ClaimEntry(**{name: getattr(self, name) for name in ClaimEntry.__struct_fields__})


class Certificates(msgspec.Struct, frozen=True, kw_only=True):
    """The certificates of a paper, `dpaudit/certificates/1`."""

    schema: Literal["dpaudit/certificates/1"] = "dpaudit/certificates/1"
    paper: str
    claims: list[Certificate]
