"""The claims of the papers with their verdicts, and the certificates that show them."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal, get_args

import msgspec

Verdict = Literal["holds", "loose", "typo", "refuted", "undecided"]
VERDICTS: tuple[str, ...] = get_args(Verdict)
SEVERITIES = {
    "conclusion false": "refuted",
    "step false": "refuted",
    "ambiguous": "typo",
    "misprint": "typo",
    "undecided": "undecided",
    "loose": "loose",
    "holds for": "holds",
    "holds": "holds",
}
"""The scale of severity, the gravest first, and the verdict of the fixed interface that each is.

conclusion false: what the words conclude is false. step false: what is concluded stands. ambiguous:
false in one reading, true in another. misprint: the rest of the paper has it right. loose: true, a
better constant is known. holds for …: shown for this range only. A statement that is false in every
reading of its words is one of the first two, or a misprint; false in some readings, ambiguous."""
Trust = Literal["kernel", "checked", "statistical", "read"]
"""What has to be trusted: a proof assistant's kernel, the checker, samples at a stated error, or a
reader, where words lead from the quotation to what was computed."""
Shown = Literal["kernel", "checked", "statistical", "none"]
"""By what the parts were shown, whether or not a reader has to compare them with the quotation:
accepted by the kernel, or by the checker; drawn; or there is nothing but words."""
LEVELS: dict[str, str] = {
    "kernel": "a proof assistant's kernel",
    "checked": "the checker, which shares no code with what found it",
    "statistical": "samples, at a stated error",
    "read": "a reader: words lead from the quotation to what was computed",
    "none": "nothing was computed",
}


SAMPLED = ("counts", "regret", "laboratory")
"""Kinds of part that are drawn."""


def kind_of(severity: str) -> str:
    """A severity without its range."""
    return "holds for" if severity.startswith("holds for ") else severity


class Statement(msgspec.Struct, frozen=True):
    """What was found out about a claim. `fails` are the goals that are false, with the point at
    which they are."""

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
    severity: str = ""
    trust: Trust = "read"
    quotation: str = ""
    anchor: str = ""
    reading: str = ""
    readings: list[tuple[str, str]] = []
    decides: str | None = None
    rests: list[str] = []
    fails: list[str] = []
    seconds: float = 0.0


class ClaimEntry(Statement, frozen=True, kw_only=True):
    """What is published of a claim. `theorem` is one in `proofs_checks/rocq` that is the claim, or
    what refutes it; `uses` are the claims of the same paper that its proof is put together from."""

    shown: Shown = "none"
    theorem: str = ""
    uses: list[str] = []


class Claims(msgspec.Struct, frozen=True, kw_only=True):
    """The claims ledger, `dpaudit/claims/1`."""

    schema: str = "dpaudit/claims/1"
    version: str
    claims: list[ClaimEntry]


def levels(entries: Sequence[ClaimEntry]) -> str:
    """By what how many claims were shown, and for how many nothing is left to a reader."""
    tally = Counter(e.shown for e in entries)
    counts = ", ".join(f"{level} {tally[level]}" for level in get_args(Shown) if tally[level])
    formal = sum(e.trust != "read" for e in entries)
    return f"shown by: {counts or 'nothing'}; for {formal} nothing is left to a reader"


class Certificate(Statement, frozen=True, kw_only=True):
    """A claim with its goals, the parts that show it (p1, p2, … in this order), and the derivation
    from parts to goals; `broken` says what the verdict became when a constant was moved. The seal
    is a digest of all but the seconds."""

    goals: list[str] = []
    derivation: list[dict[str, Any]] = []
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
    def statement_alone(self) -> dict[str, Any]:
        """The fields that are published as they are."""
        return {name: getattr(self, name) for name in Statement.__struct_fields__}


class Certificates(msgspec.Struct, frozen=True, kw_only=True):
    """The certificates of a paper, `dpaudit/certificates/2`."""

    schema: Literal["dpaudit/certificates/2"] = "dpaudit/certificates/2"
    paper: str
    claims: list[Certificate]
