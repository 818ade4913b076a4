"""A finding: the verdict on a claim, with the parts that show it.

The constructors do not decide: a part that could not be shown raises, and the claim is then
undecided, or refuted where a point was met at which it certainly fails.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpaudit.ledger.points import Part

VERDICTS = ("holds", "loose", "typo", "refuted", "undecided")
METHODS = {
    "identity": "symbolic identity",
    "polynomial": "polynomial with signed coefficients",
    "evident": "polynomial with signed coefficients",
    "chain": "derivative chain",
    "induction": "induction",
    "cover": "interval arithmetic",
    "point": "exact numbers",
    "each": "exact enumeration",
    "grid": "high-precision grid",
    "bookings": "enumeration of all paths",
    "counts": "Monte Carlo",
    "regret": "Monte Carlo",
}
"""Kinds of part and the method they stand for, the strongest first."""
SCOPES = ("step", "conclusion", "")


@dataclass(frozen=True)
class Finding:
    """What was found out about a claim.

    `scope` says of a wrong statement whether only a step fails or the conclusion as well;
    `considered` what else it could have meant, and why that does not save it.
    """

    verdict: str
    detail: str
    parts: tuple[Part, ...] = ()
    counterexample: str | None = None
    tight: str | None = None
    repair: str | None = None
    scope: str = ""
    considered: tuple[str, ...] = ()

    @property
    def method(self) -> str:
        """The methods of the parts, the weakest last."""
        order = list(METHODS)
        kinds = sorted({part["kind"] for part in self.parts}, key=order.index)
        return " + ".join(dict.fromkeys(METHODS[kind] for kind in kinds)) or "none"


def holds(detail: str, *parts: Part) -> Finding:
    """True as printed."""
    return Finding("holds", detail, parts)


def loose(detail: str, *parts: Part, tight: str) -> Finding:
    """True, and the printed constant could be replaced by `tight`."""
    return Finding("loose", detail, parts, tight=tight)


def typo(
    detail: str,
    *parts: Part,
    correction: str,
    counterexample: str | None = None,
    considered: tuple[str, ...] = (),
) -> Finding:
    """False as printed, true as the rest of the paper uses it."""
    return Finding(
        "typo",
        detail,
        parts,
        counterexample=counterexample,
        repair=correction,
        considered=considered,
    )


def refuted(
    detail: str,
    *parts: Part,
    counterexample: str,
    scope: str,
    repair: str,
    considered: tuple[str, ...],
    tight: str | None = None,
) -> Finding:
    """False; `scope` is `step` or `conclusion`."""
    if scope not in SCOPES[:2]:
        raise ValueError(f"scope: got {scope!r}, allowed is step or conclusion")
    return Finding("refuted", detail, parts, counterexample, tight, repair, scope, considered)


def undecided(reason: str) -> Finding:
    """No machine check, and why."""
    return Finding("undecided", reason)
