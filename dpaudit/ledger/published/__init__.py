"""What is published of a certificate: the claim as found, what has to be trusted, what it uses.

A claim is `kernel` where the kernel accepted each of its parts, or a theorem that is the claim.
Where a reader has to compare parts with the quotation it stays `read`, whatever showed the parts.
"""

from __future__ import annotations

import functools
import tomllib

from dpaudit.ledger.published import theorems
from dpaudit.paper_rooms import beside
from dpaudit.results.claims import SAMPLED, Certificate, ClaimEntry, Shown, Trust
from dpaudit.results.kernel import accepted


def published(made: Certificate) -> ClaimEntry:
    """The entry of a certificate."""
    theorem = theorems.register().claims.get(made.paper, {}).get(made.id, "")
    by_theorem = bool(theorem) and theorems.is_accepted(theorem)
    shown = shown_by(made, by_theorem=by_theorem)
    trust: Trust = made.trust
    if by_theorem or (shown == "kernel" and trust != "read"):
        trust = "kernel"
    given = made.statement_alone | {"trust": trust}
    uses = list(uses_of(made.paper).get(made.id, ()))
    return ClaimEntry(**given, shown=shown, theorem=theorem if by_theorem else "", uses=uses)


def shown_by(made: Certificate, *, by_theorem: bool) -> Shown:
    """What the parts are worth by themselves. Of samples the kernel sees the counts alone, and not
    that they were drawn."""
    kinds = {part["kind"] for part in made.parts}
    if by_theorem:
        return "kernel"
    if kinds & set(SAMPLED):
        return "statistical"
    if accepted(made.paper, made.id, made.parts):
        return "kernel"
    return "checked" if kinds - {"words"} else "none"


@functools.cache
def uses_of(paper: str) -> dict[str, list[str]]:
    """By claim, the claims that its proof in the paper uses: `proofs_checks/KEY/uses.toml`."""
    file = beside(paper, "uses.toml")
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
