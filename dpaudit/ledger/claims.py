"""A claim of a paper, the function that checks it, and the finding that comes of it.

The constructors of findings do not decide: a part that could not be shown raises, and the claim is
then undecided, or refuted where a point was met at which it certainly fails.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from dpaudit.errors import unknown
from dpaudit.ledger.formulas import OPPOSITE, NotShown, sides
from dpaudit.ledger.parts import Fails, Part, at
from dpaudit.ledger.words import NONE, Words, words_of
from dpaudit.paper_rooms import modules

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
    "proved": "the steps on symbols",
    "bookings": "enumeration of all paths",
    "counts": "Monte Carlo",
    "regret": "Monte Carlo",
    "laboratory": "experiment",
    "words": "the paper's own words",
}
"""Kinds of part and the method they stand for, the strongest first."""


@dataclass(frozen=True)
class Finding:
    """What was found out about a claim.

    `severity` is the verdict on one scale (`dpaudit.results.claims`); `scope` says of a wrong
    statement whether only a step fails or the conclusion as well; `considered` what else it could
    have meant, and why that does not save it; `decides` what would decide what is undecided, or
    the rest of what is shown for a finite range only; `rests` the claims that it is put together
    from, `id` or `paper/id`, with ` (repaired)` behind one that is true as corrected only.
    """

    verdict: str
    severity: str
    detail: str
    parts: tuple[Part, ...] = ()
    counterexample: str | None = None
    tight: str | None = None
    repair: str | None = None
    scope: str = ""
    considered: tuple[str, ...] = ()
    decides: str | None = None
    rests: tuple[str, ...] = ()

    @property
    def method(self) -> str:
        """The methods of the parts, the weakest last."""
        order = list(METHODS)
        kinds = sorted({part["kind"] for part in self.parts}, key=order.index)
        return " + ".join(dict.fromkeys(METHODS[kind] for kind in kinds)) or "none"


def holds(
    detail: str,
    *parts: Part,
    only: str = "",
    decides: str | None = None,
    rests: tuple[str, ...] = (),
) -> Finding:
    """True as printed; `only` for a range, and `decides` would decide the rest."""
    severity = f"holds for {only}" if only else "holds"
    return Finding("holds", severity, detail, parts, decides=decides, rests=rests)


def loose(detail: str, *parts: Part, tight: str) -> Finding:
    """True, and the printed constant could be replaced by `tight`."""
    return Finding("loose", "loose", detail, parts, tight=tight)


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
        "misprint",
        detail,
        parts,
        counterexample=counterexample,
        repair=correction,
        considered=considered,
    )


def ambiguous(
    detail: str,
    *parts: Part,
    repair: str,
    considered: tuple[str, ...],
    counterexample: str | None = None,
    tight: str | None = None,
) -> Finding:
    """True in one reading of the words and false in another; the words say which is which."""
    return Finding(
        "typo",
        "ambiguous",
        detail,
        parts,
        counterexample=counterexample,
        tight=tight,
        repair=repair,
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
    """False; `scope` is `step` (the conclusion stands, and the detail says who shows it) or
    `conclusion`."""
    if scope not in ("step", "conclusion"):
        raise ValueError(f"scope: got {scope!r}, allowed is step or conclusion")
    return Finding(
        "refuted",
        f"{scope} false",
        detail,
        parts,
        counterexample=counterexample,
        tight=tight,
        repair=repair,
        scope=scope,
        considered=considered,
    )


def undecided(reason: str, *, decides: str | None = None) -> Finding:
    """No machine check: why, and what would decide it."""
    return Finding("undecided", "undecided", reason, decides=decides)


def words() -> Part:
    """The quotation stands in the paper as anchored. It is all that can be shown of a slip that is
    one of words: that it is one is read, not computed."""
    return {"kind": "words"}


def laboratory(experiment: str, text: str, reading: str = "", verdict: str = "confirmed") -> Part:
    """The laboratory's verdict on a sentence about an experiment, from its committed report."""
    found = judged(experiment, text, reading)
    if found != verdict:
        raise NotShown(f"{experiment}: {text!r} ({reading}) is {found}, not {verdict}")
    return {
        "kind": "laboratory",
        "experiment": experiment,
        "text": text,
        "reading": reading,
        "verdict": verdict,
    }


def judged(experiment: str, text: str, reading: str) -> str | None:
    """What the committed report of the experiments says of a sentence; None if it does not."""
    from dpaudit.results.made import committed

    for file in committed():
        document = json.loads(file.read_text()) if file.stem == "reproduction" else {}
        for entry in document.get("results", []):
            for sentence in entry["sentences"] if entry["experiment"] == experiment else ():
                if (sentence["text"], sentence.get("reading", "")) == (text, reading):
                    return str(sentence["verdict"])
    return None


@dataclass(frozen=True)
class Claim:
    """`breaks` gives, by argument of the check, a value that must change the verdict: the printed
    constant moved by about the least amount that makes the statement false. `slow` ones take
    seconds."""

    paper: str
    id: str
    where: str
    statement: str
    check: Callable[..., Finding] = field(repr=False)
    breaks: Mapping[str, str] = field(default_factory=dict)
    slow: bool = False
    words: Words = NONE

    def find(self, **changed: str) -> Finding:
        """Run the check; what cannot be shown is undecided, what certainly fails refuted."""
        try:
            return self.check(**changed)
        except Fails as failure:
            left, relation, right = sides(failure.statement)
            shown = at(f"({left}) {OPPOSITE[relation]} ({right})", **failure.point)
            text = str(failure)
            return Finding("refuted", "conclusion false", text, (shown,), counterexample=text)
        except NotShown as reason:
            return undecided(f"could not be shown: {reason}")


def claim(
    where: str, statement: str, *, breaks: Mapping[str, str] | None = None, slow: bool = False
) -> Callable[[Callable[..., Finding]], Claim]:
    """Enter a check into its paper's ledger; the function's name is the claim's id."""

    def enter(check: Callable[..., Finding]) -> Claim:
        paper = check.__module__.split(".")[2]
        name = check.__name__.replace("_", "-")
        said = words_of(check.__module__).get(name, NONE)
        return Claim(paper, name, where, statement, check, breaks or {}, slow, said)

    return enter


def claims_of(paper: str) -> list[Claim]:
    """A paper's claims, in the order of its modules and of their definition."""
    return [
        found
        for module in modules(paper, "claims")
        for found in vars(module).values()
        if isinstance(found, Claim) and found.check.__module__ == module.__name__
    ]


def find_claim(paper: str, name: str) -> Claim:
    known = {c.id: c for c in claims_of(paper)}
    if name not in known:
        raise unknown("show", name, known)
    return known[name]
