"""A claim of a paper: where it stands, what it says, and the function that checks it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from dpaudit.errors import unknown
from dpaudit.ledger.findings import Finding, undecided
from dpaudit.ledger.formulas import NotShown, sides
from dpaudit.ledger.points import Fails, at

Check = Callable[..., Finding]
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


@dataclass(frozen=True)
class Claim:
    """`breaks` gives, by argument of the check, a value that must change the verdict: the printed
    constant moved by about the least amount that makes the statement false."""

    paper: str
    id: str
    where: str
    statement: str
    check: Check = field(repr=False)
    breaks: Mapping[str, str] = field(default_factory=dict)
    slow: bool = False

    def find(self, **changed: str) -> Finding:
        """Run the check; what cannot be shown is undecided, what certainly fails refuted."""
        try:
            return self.check(**changed)
        except Fails as failure:
            return _refuted_at(failure)
        except NotShown as reason:
            return undecided(f"could not be shown: {reason}")


def claim(
    where: str, statement: str, *, breaks: Mapping[str, str] | None = None, slow: bool = False
) -> Callable[[Check], Claim]:
    """Enter a check into its paper's ledger; the function's name is the claim's id."""

    def enter(check: Check) -> Claim:
        paper = check.__module__.split(".")[1]
        name = check.__name__.replace("_", "-")
        return Claim(paper, name, where, statement, check, breaks or {}, slow)

    return enter


def claims_of(paper: str) -> list[Claim]:
    """A paper's claims, in the order of its modules and of their definition."""
    package = importlib.import_module(f"proofs_checks.{paper}")
    found = []
    for name in package.MODULES:
        module = importlib.import_module(f"proofs_checks.{paper}.claims.{name}")
        entries = [v for v in vars(module).values() if isinstance(v, Claim) and v.paper == paper]
        found += [c for c in entries if c.check.__module__ == module.__name__]
    return found


def find_claim(paper: str, name: str) -> Claim:
    """One claim by its id."""
    known = {c.id: c for c in claims_of(paper)}
    if name not in known:
        raise unknown("show", name, known)
    return known[name]


def _refuted_at(failure: Fails) -> Finding:
    left, relation, right = sides(failure.statement)
    point = {name: str(value) for name, value in failure.point.items()}
    shown = at(f"({left}) {OPPOSITE[relation]} ({right})", **point)
    return Finding("refuted", str(failure), (shown,), counterexample=str(failure))


__all__ = ["Claim", "claim", "claims_of", "find_claim"]
