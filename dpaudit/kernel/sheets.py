"""A paper's file of lemmas, one a part, in the order of its claims."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from dpaudit.kernel.exact import Unsaid
from dpaudit.kernel.goals import Lemma, lemma
from dpaudit.results.kernel import NOT_FORMULAS, digest

Place = tuple[str, int]
"""A claim's id, and which of its parts."""
HEAD = """From Dpaudit Require Import PreludeReals.
Import ListNotations.
Open Scope R_scope.
"""


@dataclass(frozen=True)
class Sheet:
    """The lemmas of a paper, and why some parts have none."""

    paper: str
    lemmas: Mapping[Place, Lemma]
    unsaid: Mapping[Place, str]

    def text(self, without: Set[Place] = frozenset()) -> str:
        """The file; what is left out is named."""
        chosen = [place for place in self.lemmas if place not in without]
        missing = [f"{claim}, part {i + 1}" for claim, i in [*self.unsaid, *sorted(without)]]
        left_out = f"(* Without {'; '.join(missing)}. *)\n" if missing else ""
        body = "".join(f"\n{said(place, self.lemmas[place])}" for place in chosen)
        names = ", ".join(f"@{name(place)}" for place in chosen)
        end = f"\nDefinition everything := ({names}).\nPrint Assumptions everything.\n"
        plain = f"(* {self.paper} *)\n{left_out}{HEAD}{body}{end if chosen else ''}"
        return f"{plain}(* {digest(plain)} *)\n"

    def places(self, text: str) -> Iterator[tuple[int, Place]]:
        """At which line of the file each lemma begins."""
        by_name = {name(place): place for place in self.lemmas}
        for number, line in enumerate(text.splitlines(), 1):
            found = re.match(r"Lemma (\w+) :", line)
            if found:
                yield number, by_name[found[1]]


def sheet(paper: str, claims: Sequence[Mapping[str, Any]]) -> Sheet:
    """The lemmas of a paper's certificates."""
    lemmas: dict[Place, Lemma] = {}
    unsaid: dict[Place, str] = {}
    for entry in claims:
        for i, part in enumerate(entry["parts"]):
            if part["kind"] in NOT_FORMULAS:
                continue
            try:
                lemmas[entry["id"], i] = lemma(part)
            except Unsaid as why:
                unsaid[entry["id"], i] = str(why)
    return Sheet(paper, lemmas, unsaid)


def name(place: Place) -> str:
    return f"{place[0].replace('-', '_')}__{place[1] + 1}"


def said(place: Place, given: Lemma) -> str:
    """A lemma, from `Lemma` to `Qed`."""
    return f"Lemma {name(place)} :\n  {given.statement}.\nProof.\n  {given.proof}.\nQed.\n"


def untouched(text: str) -> bool:
    """Whether a file is as it was written: its last line is the digest of what stands before."""
    body, _, last = text.removesuffix("\n").rpartition("\n")
    return last == f"(* {digest(body + chr(10))} *)"
