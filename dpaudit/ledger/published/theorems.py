"""The theorems in `proofs_checks/rocq` that algorithms and claims rest on, and what ties them.

`theorems.toml` beside them names, for an algorithm, the theorem about it, how it is an instance,
and what `dpaudit prove` has to find for the theorem's hypothesis to be true of the file; for a
claim, the theorem that it is. A theorem counts as long as its statement and its proof are those
that the kernel accepted: the digest of its file, with all that it needs, is in the register.
"""

from __future__ import annotations

import functools
import hashlib
import math
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from dpaudit.errors import UsageError
from dpaudit.paper_rooms import beside
from dpaudit.results.proofs import Arrow, ProofResult

ROOM = "rocq"
REGISTER = "theorems.toml"
AXIOMS = (
    "ClassicalDedekindReals.sig_not_dec",
    "ClassicalDedekindReals.sig_forall_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
)
"""Those of Coq's real numbers and of Coquelicot: there are no others."""
NEEDS = re.compile(r"^Require (?:Import )?([\w ]+)\.", re.MULTILINE)
ARM = re.compile(r"\barm[\d*]*\.")
"""The arm in a field's name."""
STATED = re.compile(r"^(?:Theorem|Corollary|Lemma) (\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Theorem:
    """`File.name`, how it is about the algorithm, and the release schedule that it assumes of the
    file, for every T and K: what is changed may differ in `holds` only; what books `release` (in
    multiples of epsilon) is released once, and nothing that books comes after it; what books
    `node` may come again as often as something counts; a run books `books` at most (for GDP: eta).
    """

    theorem: str
    instance: str
    books: float
    holds: tuple[str, ...]
    release: float = math.nan
    node: str = ""
    notion: str = "pure"

    @property
    def file(self) -> str:
        return f"{self.theorem.partition('.')[0]}.v"

    @property
    def unit(self) -> str:
        return "eta" if self.notion == "gdp" else "epsilon"

    @property
    def name(self) -> str:
        return self.theorem.partition(".")[2]

    @property
    def schedule(self) -> str:
        """In words."""
        once = [] if math.isnan(self.release) else [f"{self.release:g} {self.unit} once"]
        counted = [f"{self.node} in a node, which is counted"] if self.node else []
        return f"{', '.join(self.holds)} released with {' and '.join(once + counted)}"

    def unmet(self, proof: ProofResult) -> str | None:
        """Why a proof does not give the theorem's hypothesis; None if it does."""
        if proof.notion != self.notion or proof.bound is None:
            return f"no bound on {self.notion} losses was proved"
        if (proof.rounds, proof.arms) != ("every", "every"):
            return f"proved for T = {proof.rounds} and K = {proof.arms} only"
        if proof.bound > self.books * (1 + 1e-9):
            return f"{proof.bound:g} {self.unit} is booked, and the theorem needs {self.books:g}"
        strange = {x for arrow in proof.graph for x in arrow.source + arrow.target} - {*self.holds}
        if strange:
            return f"{', '.join(sorted(strange))} may differ, which the theorem does not know"
        return next((why for arrow in proof.graph if (why := self._foreign(arrow, proof))), None)

    def _foreign(self, arrow: Arrow, proof: ProofResult) -> str | None:
        """Why a way from state to state is not in the schedule."""
        for booked in arrow.books:
            if self.node and ARM.sub("arm.", booked) == self.node:
                if not proof.counted:
                    return f"nothing counts the releases that book {booked}"
            elif not _is(booked, self.release):
                allowed = self.node if math.isnan(self.release) else f"{self.release:g}"
                return f"a release books {booked} {self.unit}, not {allowed}"
            elif not _spent(arrow.target, proof.graph):
                return f"what was released with {booked} {self.unit} is released again"
        return None


def _spent(state: list[str], graph: Sequence[Arrow]) -> bool:
    """Whether nothing is booked from a state on; where nothing differs, nothing is."""
    seen: list[list[str]] = [[]]
    ahead = [state]
    while ahead:
        here = ahead.pop()
        if here not in seen:
            seen.append(here)
            out = [arrow for arrow in graph if arrow.source == here]
            if any(arrow.books for arrow in out):
                return False
            ahead += [arrow.target for arrow in out]
    return True


def _is(booked: str, release: float) -> bool:
    try:
        return not math.isnan(release) and Fraction(booked) == Fraction(release)
    except ValueError:
        return False


@dataclass(frozen=True)
class Register:
    """What `theorems.toml` says; `accepted` is a digest by file."""

    coqc: str
    algorithms: dict[str, Theorem]
    claims: dict[str, dict[str, str]]
    accepted: dict[str, str] = field(default_factory=dict)


@functools.cache
def register() -> Register:
    return read(beside(ROOM, REGISTER))


def read(file: Path) -> Register:
    """A register; empty where there is no such file."""
    if not file.is_file():
        return Register("", {}, {})
    try:
        given: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
        known = {
            name: Theorem(**entry | {"holds": tuple(entry["holds"])})
            for name, entry in given["algorithms"].items()
        }
        return Register(given["coqc"], known, given["claims"], given.get("accepted", {}))
    except (ValueError, LookupError, TypeError) as error:
        raise UsageError(f"{file.name}: not a register of theorems ({error})") from None


def rested_on() -> list[str]:
    """The theorems that the register names."""
    known = register()
    named = {t.theorem for t in known.algorithms.values()}
    return sorted(named | {name for claims in known.claims.values() for name in claims.values()})


def files(folder: Path) -> list[str]:
    """The files of the theorems that are named, each after those that it needs."""
    named = dict.fromkeys(f"{theorem.partition('.')[0]}.v" for theorem in rested_on())
    return list(dict.fromkeys(one for name in named for one in with_needed(folder, name)))


def with_needed(folder: Path, name: str) -> list[str]:
    """A file after all that it needs."""
    inner = [one for other in needed(folder / name) for one in with_needed(folder, other)]
    return [*dict.fromkeys(inner), name]


def needed(file: Path) -> list[str]:
    """The files of this folder that a file is built on."""
    if not file.is_file():
        return []
    said = NEEDS.findall(file.read_text(encoding="utf-8"))
    return [f"{name}.v" for line in said for name in line.split()]


def digest(folder: Path, name: str) -> str:
    """Of a file and of all that it needs; empty where one is missing."""
    file = folder / name
    if not file.is_file():
        return ""
    inner = [digest(folder, other) for other in needed(file)]
    text = "\n".join([file.read_text(encoding="utf-8"), *inner])
    return hashlib.sha256(text.encode()).hexdigest()[:16] if all(inner) else ""


def statement(folder: Path, theorem: str) -> str:
    """What a theorem says, as it stands in its file; empty where it is not there."""
    file, _, name = theorem.partition(".")
    path = folder / f"{file}.v"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    found = re.search(rf"^(?:Theorem|Corollary|Lemma) {name}\b.*?\.(?=\s+Proof)", text, re.S | re.M)
    return " ".join(found.group().split()) if found else ""


def said(theorem: str) -> str:
    """A theorem with its place and its statement."""
    file, _, name = theorem.partition(".")
    return f"proofs_checks/{ROOM}/{file}.v, {name}: {statement(beside(ROOM, ''), theorem)}"


@functools.cache
def is_accepted(theorem: str) -> bool:
    """Whether a theorem is there, in a file that is as it was when the kernel accepted it."""
    folder = beside(ROOM, "")
    name = f"{theorem.partition('.')[0]}.v"
    recorded = register().accepted.get(name, "")
    return bool(recorded) and recorded == digest(folder, name) and bool(statement(folder, theorem))
