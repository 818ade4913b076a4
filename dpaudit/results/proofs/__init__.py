"""What a proof shows of the releases of an algorithm, the document `dpaudit/proof/1`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar, Literal

import msgspec

from dpaudit.results.made import committed
from dpaudit.results.showing import Published


class Leak(msgspec.Struct, frozen=True):
    """Where private data gets past the releases."""

    file: str
    line: int
    text: str


class Arrow(msgspec.Struct, frozen=True):
    """One way from what differs to what differs after it, and what it books at most: of circles
    that something counts, the whole is on the arrow that enters."""

    source: list[str]
    target: list[str]
    step: str
    books: list[str]
    where: list[str]
    weight: str
    """A fraction."""


class ProofResult(Published, frozen=True):
    """The largest loss that an algorithm's releases book, from its own source run on symbols.

    `bound` is in multiples of the algorithm's epsilon for pure losses, and eta for GDP; null if
    there is none, and then `leak`, `growth` or `undecided` says why.
    """

    ORDER: ClassVar[str] = (
        "schema target parameters notion bound rounds arms leak law growth undecided graph counted "
        "assumed source seconds version"
    )

    target: str
    notion: Literal["pure", "gdp"]
    bound: float | None
    rounds: int | Literal["every"]
    arms: int | list[int] | Literal["every"]
    version: str
    schema: str = "dpaudit/proof/1"
    parameters: dict[str, Any] = msgspec.field(default_factory=dict)
    leak: Leak | None = None
    law: str | None = None
    """The bound as a function of T, for every T, where none holds for all of them."""
    growth: str | None = None
    """A circle that books: where, what and how often."""
    undecided: str | None = None
    graph: list[Arrow] = msgspec.field(default_factory=list)
    counted: list[str] = msgspec.field(default_factory=list)
    """What counts the turns of circles."""
    assumed: list[str] = msgspec.field(default_factory=list)
    """What the proof is about, beside the source."""
    source: str = ""
    """Digest of the steps that were run."""
    seconds: float = 0.0

    @property
    def verdict(self) -> str:
        """What the table says."""
        if self.leak is not None:
            return "none, and where it leaks"
        if self.undecided is not None:
            return "search only"
        if self.bound is None:
            return "none: it grows" if self.law is None else "proved for every T"
        return "proved for every T" if self.rounds == "every" else f"proved to T = {self.rounds}"


def known(target: str, source: str) -> ProofResult | None:
    """The proof that is committed, or came with the package, if it is of this source."""
    for folder in folders():
        file = folder / f"{target}.json"
        try:
            found = msgspec.convert(json.loads(file.read_text("utf-8"))["result"], ProofResult)
        except (OSError, ValueError, KeyError):
            continue
        if found.target == target and found.source == source and not found.parameters:
            return found
    return None


def folders() -> list[Path]:
    """Where the evidence of proofs may be."""
    return sorted({file.parent / "proofs" for file in committed()})
