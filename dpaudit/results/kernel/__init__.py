"""The committed record of the last run of a proof assistant's kernel, `dpaudit/kernel/1`.

`reports/kernel.json`, written by `dpaudit claims --rocq`. For each claim it has a digest of the
parts that were put before the kernel, and a letter for each of them. It says nothing about any
other parts: what has changed since counts as not accepted, as does a record with a broken seal.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

Part = Mapping[str, Any]
LETTERS = {
    "a": "accepted",
    "r": "refused",
    "t": "out of time",
    "u": "not said to it",
    "n": "no formula for a kernel",
}
"""What became of a part."""
NOT_FORMULAS = ("words", "laboratory", "proved")
"""Kinds of parts that have no formula of their own for a kernel."""


class PaperRun(msgspec.Struct, frozen=True, omit_defaults=True):
    """A paper's file: its digest; by claim `DIGEST LETTERS`, a letter for each part; and of how
    many moved constants the kernel accepts that they make a claim false."""

    file: str
    claims: dict[str, str]
    moved: str = ""


class KernelRun(msgspec.Struct, frozen=True, kw_only=True):
    """What was run, on which axioms it rests, and what became of each part of each paper."""

    schema: Literal["dpaudit/kernel/1"] = "dpaudit/kernel/1"
    coqc: str
    interval: str
    prelude: str
    axioms: list[str]
    papers: dict[str, PaperRun]
    seal: str = ""

    def sealed(self) -> KernelRun:
        """With its seal, a digest of all else."""
        fields = msgspec.to_builtins(self)
        del fields["seal"]
        return msgspec.structs.replace(self, seal=digest(fields))


def digest(data: Any) -> str:
    """Of plain data, or of a text."""
    text = data if isinstance(data, str) else json.dumps(data, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def parts_digest(parts: Sequence[Part]) -> str:
    """Of a claim's parts, as far as a kernel sees them; sixteen letters stand in the record."""
    seen = [{"kind": p["kind"]} if p["kind"] in NOT_FORMULAS else p for p in parts]
    return digest(seen)[:16]


def letters(run: KernelRun | None, paper: str, name: str, parts: Sequence[Part]) -> str:
    """What became of these parts of a claim, a letter each; empty where the run is not about
    them."""
    if run is None or paper not in run.papers:
        return ""
    about, _, found = run.papers[paper].claims.get(name, "").partition(" ")
    return found if about == parts_digest(parts) and len(found) == len(parts) else ""


def accepted(paper: str, name: str, parts: Sequence[Part]) -> bool:
    """Whether the kernel accepted each of these parts of a claim in the committed run."""
    found = letters(committed_run(), paper, name, parts)
    return bool(found) and set(found) == {"a"}


def read_run(file: Path) -> KernelRun | None:
    """A record; None where there is none, or where it was changed by hand."""
    try:
        run = msgspec.json.decode(file.read_bytes(), type=KernelRun)
    except (OSError, ValueError):
        return None
    return run if run == run.sealed() else None


def committed_run() -> KernelRun | None:
    """The committed record, read once."""
    from dpaudit.results.made import committed

    files = committed()
    return _read_once(files[0].with_name("kernel.json")) if files else None


_read_once = functools.cache(read_run)
