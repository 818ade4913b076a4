"""What two documents of results differ in, audit by audit or claim by claim.

Only what was asked alike is compared: another claim, size, confidence or version is refused. Worse
are a verdict, a proof and an upper end; a lower end that moves is said and no more, for it is a
bound that more luck makes larger, unless it passes what was proved or what is allowed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from dpaudit.errors import UsageError
from dpaudit.results.audit import AuditResult
from dpaudit.results.claims import ClaimEntry, Claims
from dpaudit.results.documents import Catalogue, Document

BADNESS = ("consistent", "inconclusive", "violated")
CLAIM_BADNESS = ("holds", "loose", "typo", "undecided", "refuted")


@dataclass(frozen=True)
class Change:
    """What became of one audit or claim."""

    name: str
    worse: tuple[str, ...] = ()
    better: tuple[str, ...] = ()
    other: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.worse or self.better or self.other)


Entries = Mapping[str, AuditResult] | Mapping[str, ClaimEntry]


def difference(
    old: Document, new: Document, *, mixed: bool = False, allow: float = math.inf
) -> list[Change]:
    """All that changed, what got worse first. `allow` is by how many percent a lower end may rise
    before that is worse."""
    versions = {_version(document) for document in (old, new)}
    if len(versions) > 1 and not mixed:
        raise UsageError(
            f"version: the results are of dpaudit {' and '.join(sorted(versions))}; they are "
            "compared with --mixed"
        )
    kinds = {isinstance(document, Claims) for document in (old, new)}
    if len(kinds) > 1:
        raise UsageError("new: got audits beside claims, allowed are two documents of one kind")
    before, after = entries(old), entries(new)
    changes = [Change(n, worse=("is not there any more",)) for n in before if n not in after]
    for name, now in after.items():
        was = before.get(name)
        if was is None:
            changes.append(Change(name, other=(f"new: {now.verdict}",)))
        elif isinstance(now, AuditResult) and isinstance(was, AuditResult):
            if told := asked_otherwise(was, now):
                raise UsageError(f"{name}: {told}; only what was asked alike is compared")
            changes.append(of_audits(name, was, now, allow))
        elif isinstance(now, ClaimEntry) and isinstance(was, ClaimEntry):
            changes.append(_of_claims(name, was, now))
    return sorted(filter(None, changes), key=lambda c: (not c.worse, not c.better))


def entries(document: Document) -> dict[str, AuditResult] | dict[str, ClaimEntry]:
    """The audits or claims of a document by name."""
    if isinstance(document, Claims):
        return {claim.id: claim for claim in document.claims}
    if isinstance(document, AuditResult):
        return {name_of(document): document}
    if isinstance(document, Catalogue):
        return {name_of(audit): audit for audit in document.audits}
    raise UsageError(
        f"results: got {type(document).__name__}, allowed are audits (of one learner, a project, a "
        "test session, the catalogue) and claims"
    )


def name_of(audit: AuditResult) -> str:
    """What an audit is known by: its own name, else its target with the parameters."""
    told = (f"{name}={value}" for name, value in audit.parameters.items())
    return audit.name or " ".join([audit.target, *told])


SETTING = ("neighbours", "sees", "contexts", "batch", "delay")


def asked_otherwise(old: AuditResult, new: AuditResult) -> str:
    """What was asked otherwise, in words; empty where it was the same."""
    pairs = {
        "claim": (old.claim, new.claim),
        "arms": (old.arms, new.arms),
        "rounds": (old.rounds, new.rounds),
        "epsilon": (old.epsilon, new.epsilon),
        "confidence": (old.confidence, new.confidence),
        "adversary": (old.adversary, new.adversary),
        "levels": (old.levels, new.levels),
        **{name: (getattr(old, name), getattr(new, name)) for name in SETTING},
    }
    return "; ".join(f"{name} was {a} and is {b}" for name, (a, b) in pairs.items() if a != b)


def of_audits(name: str, old: AuditResult, new: AuditResult, allow: float = math.inf) -> Change:
    """One audit, asked twice."""
    worse, better, other = list[str](), list[str](), list[str]()
    ranks = BADNESS.index(old.verdict), BADNESS.index(new.verdict)
    if ranks[0] != ranks[1]:
        side = worse if ranks[1] > ranks[0] else better
        side.append(f"was {old.verdict}, is {new.verdict}")
    least, most = (math.inf if a.upper_bound is None else a.upper_bound for a in (old, new))
    if least != most:
        side = worse if most > least else better
        side.append("upper end " + _apart(least, most))
    proofs = tuple(a.upper is not None and a.upper.proof for a in (old, new))
    if proofs[0] != proofs[1]:
        side = better if proofs[1] else worse
        side.append("upper end is proved now" if proofs[1] else "upper end is not proved any more")
    if old.lower_bound != new.lower_bound:
        said = "lower end " + _apart(old.lower_bound, new.lower_bound)
        if proofs[0] and new.lower_bound > least:
            worse.append(f"{said}, above what was proved ({_said(least)})")
        elif new.lower_bound > old.lower_bound * (1.0 + allow / 100.0):
            worse.append(f"{said}, more than {allow:g} % higher")
        else:
            other.append(said)
    return Change(name, tuple(worse), tuple(better), tuple(other))


def _of_claims(name: str, old: ClaimEntry, new: ClaimEntry) -> Change:
    worse, better, other = list[str](), list[str](), list[str]()
    ranks = CLAIM_BADNESS.index(old.verdict), CLAIM_BADNESS.index(new.verdict)
    if ranks[0] != ranks[1]:
        side = worse if ranks[1] > ranks[0] else better
        side.append(f"was {old.verdict}, is {new.verdict}")
    for what in ("tight", "counterexample", "trust", "shown", "quotation"):
        was, now = getattr(old, what), getattr(new, what)
        if was != now:
            other.append(f"{what} was {was or 'none'}, is {now or 'none'}")
    return Change(name, tuple(worse), tuple(better), tuple(other))


def _apart(old: float, new: float) -> str:
    """Both, with as many digits as it takes to tell them apart."""
    texts = ((_said(old, digits), _said(new, digits)) for digits in (4, 6, 9, 12, 17))
    was, now = next(pair for pair in texts if pair[0] != pair[1])
    return f"was {was}, is {now}"


def _said(bound: float, digits: int = 4) -> str:
    return "none" if math.isinf(bound) else f"{bound:.{digits}g}"


def _version(document: Document) -> str:
    if isinstance(document, Catalogue):
        return " and ".join(sorted({audit.version for audit in document.audits}))
    return str(getattr(document, "version", ""))
