"""The theorems in `proofs_checks/rocq` that algorithms and claims rest on, and what ties them.

`theorems.toml` beside them names, for an algorithm, the theorem about it, how it is an instance,
and what `dpaudit prove` has to find for the theorem's hypothesis to be true of the file; for a
claim, the theorem that it is. A theorem counts as long as its statement and its proof are those
that the kernel accepted: the digest of its file, with all that it needs, is in the register.
"""

from __future__ import annotations

import functools
import hashlib
import re
import tomllib
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from dpaudit.errors import UsageError
from dpaudit.paper_rooms import beside
from dpaudit.results.proofs import ProofResult

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
STATED = re.compile(r"^(?:Theorem|Corollary|Lemma) (\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Theorem:
    """`File.name`, how it is about the algorithm, and its hypothesis about the file: every release
    books `release` at most, and a run `books`, in multiples of epsilon, for every T and K."""

    theorem: str
    instance: str
    books: float
    release: float

    @property
    def file(self) -> str:
        return f"{self.theorem.partition('.')[0]}.v"

    @property
    def name(self) -> str:
        return self.theorem.partition(".")[2]

    def unmet(self, proof: ProofResult) -> str | None:
        """Why a proof does not give the theorem's hypothesis; None if it does."""
        if proof.notion != "pure" or proof.bound is None:
            return "no bound on pure losses was proved"
        if (proof.rounds, proof.arms) != ("every", "every"):
            return f"proved for T = {proof.rounds} and K = {proof.arms} only"
        if proof.bound > self.books:
            return f"{proof.bound:g} epsilon is booked, and the theorem is about {self.books:g}"
        dear = [b for arrow in proof.graph for b in arrow.books if not _at_most(b, self.release)]
        return f"a release books {dear[0]} epsilon, not {self.release:g}" if dear else None


def _at_most(booked: str, most: float) -> bool:
    try:
        return Fraction(booked) <= most
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
        known = {name: Theorem(**entry) for name, entry in given["algorithms"].items()}
        return Register(given["coqc"], known, given["claims"], given.get("accepted", {}))
    except (ValueError, LookupError, TypeError) as error:
        raise UsageError(f"{file.name}: not a register of theorems ({error})") from None


def files(folder: Path) -> list[str]:
    """The files of theorems, each after those that it needs."""
    needs = {file.name: needed(file) for file in sorted(folder.glob("*.v"))}
    found: list[str] = []

    def add(name: str) -> None:
        for other in needs.get(name, ()):
            add(other)
        if name in needs and name not in found:
            found.append(name)

    for name in named():
        add(name)
    return found


def named() -> list[str]:
    """The files that the register names a theorem of."""
    known = register()
    theorems = [t.theorem for t in known.algorithms.values()]
    theorems += [name for claims in known.claims.values() for name in claims.values()]
    return sorted({f"{name.partition('.')[0]}.v" for name in theorems})


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
