"""What became of each audit over many versions: a row of points, and the steps between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from dpaudit.results.audit import AuditResult
from dpaudit.results.changes.difference import Change, asked_otherwise, entries, of_audits
from dpaudit.results.changes.versions import Version


@dataclass(frozen=True)
class Step:
    """Where something changed, and since which version."""

    name: str
    since: Version
    change: Change


@dataclass
class Series:
    """One audit, version by version; None where it was not made."""

    name: str
    points: list[AuditResult | None] = field(default_factory=list)

    @property
    def last(self) -> AuditResult | None:
        return next((point for point in reversed(self.points) if point is not None), None)


def series(found: Sequence[Version]) -> tuple[list[Series], list[Step]]:
    """All audits of all versions, and every step; the seed is part of a result, so that the same
    code gives the same numbers, and each step is one of the code or of what was asked."""
    names: dict[str, Series] = {}
    steps: list[Step] = []
    for number, version in enumerate(found):
        here = entries(version.document)
        for name in here:
            names.setdefault(name, Series(name, [None] * number))
        for name, each in names.items():
            now, was = here.get(name), each.last
            each.points.append(now if isinstance(now, AuditResult) else None)
            if isinstance(now, AuditResult) and was is not None:
                change = _step(name, was, now)
            elif now is None and number and each.points[number - 1] is not None:
                change = Change(name, worse=("is not there any more",))
            else:
                continue
            if change:
                steps.append(Step(name, version, change))
    return list(names.values()), steps


def _step(name: str, was: AuditResult, now: AuditResult) -> Change:
    told = asked_otherwise(was, now)
    if told:
        return Change(name, other=(f"asked otherwise: {told}",))
    return of_audits(name, was, now)
