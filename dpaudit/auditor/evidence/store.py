"""Files of evidence: what event is counted, and how often it came in each look.

A file is of one question (what is asked, but for how many runs) and of one state of the code: the
learner's source, the modules of dpaudit that play and count, Python's and numpy's versions. Other
code has another file, and code that comes back finds its own again. A look is numbered before it
is played, its number is part of the seeds of its runs, and each number stands in a file once.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import platform
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from dpaudit.digests import modules_digest
from dpaudit.errors import UsageError, shortened
from dpaudit.results.made import replace

SCHEMA = "dpaudit/evidence/1"
PLAYS = ("dpaudit.auditor.engines.black_box.tasks", "dpaudit.adapters.*")
"""Modules on which a run's outputs and an event's counts hang, with all that they import."""


class Look(msgspec.Struct, frozen=True):
    """Fresh runs of one audit: hits in the likelier world, in the other, and runs of each."""

    number: int
    seed: int
    hits: int
    base_hits: int
    runs: int

    def __post_init__(self) -> None:
        if self.number < 1 or not 0 <= max(self.hits, self.base_hits) <= self.runs:
            raise ValueError("a look has more hits than runs, or no number")
        if min(self.hits, self.base_hits) < 0:
            raise ValueError("a look has less than no hits")


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """One file: the pair and the event as plain data, which were chosen once, and the looks."""

    schema: str
    question: str
    code: str
    asked: dict[str, Any]
    """What was asked, for readers."""
    pair: Any
    event: Any
    text: str
    actions: list[list[int]]
    untested: list[str]
    unmoved: list[str]
    """The same, as long as nothing is shown."""
    searched: str
    spent: int
    """Runs that chose pair and event."""
    begun: int = 0
    """The number of the last look that was begun, finished or not."""
    looks: list[Look] = []
    complaint: str = ""
    """Why its runs are not independent: then it shows nothing."""

    def __post_init__(self) -> None:
        numbers = [look.number for look in self.looks]
        if len(set(numbers)) < len(numbers) or max(numbers, default=0) > self.begun:
            raise ValueError("a look stands there twice, or was never begun")


def code_digest(target: Any) -> str:
    """Of all that a count hangs on besides what is asked; `target` as plain data."""
    parts = [json.dumps(target, sort_keys=True), modules_digest(PLAYS)]
    parts += [platform.python_version(), np.__version__]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def question_digest(asked: Any) -> str:
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:16]


class Store:
    """The evidence of one question and one state of the code, in a folder that this process alone
    writes to meanwhile."""

    def __init__(self, folder: str | Path, asked: dict[str, Any], target: Any) -> None:
        self.folder, self.asked = Path(folder), asked
        self.question, self.code = question_digest(asked), code_digest(target)
        self.file = self.folder / f"{self.question}-{self.code}.json"

    @contextlib.contextmanager
    def held(self) -> Iterator[Store]:
        """Nobody else counts for this question meanwhile."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = os.open(self.folder / f".{self.question}.lock", os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise UsageError(f"evidence: cannot write {self.folder} ({error.strerror})") from None
        try:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield self
        except BlockingIOError:
            raise UsageError(f"evidence: {self.folder} is in use by another audit") from None
        finally:
            os.close(lock)

    def read(self) -> Evidence | None:
        """What there is; None if this code was not asked yet."""
        if not self.file.exists():
            return None
        found = read(self.file)
        if (found.question, found.code) != (self.question, self.code):
            raise UsageError(f"evidence: {self.file} is of another question or of other code")
        return found

    def write(self, found: Evidence) -> None:
        try:
            replace(self.file, msgspec.json.format(msgspec.json.encode(found)).decode() + "\n")
        except OSError as error:
            raise UsageError(f"evidence: cannot write {self.folder} ({error.strerror})") from None

    def others(self) -> list[Evidence]:
        """Of the same question, by other code."""
        files = sorted(self.folder.glob(f"{self.question}-*.json"))
        return [read(file) for file in files if file != self.file]


def read(file: Path) -> Evidence:
    """A file of evidence; anything else is refused in one line."""
    try:
        found = msgspec.json.decode(file.read_bytes(), type=Evidence)
    except OSError as error:
        raise UsageError(f"evidence: cannot read {file} ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        what = re.sub(r"\s+", " ", str(error))
        raise UsageError(shortened(f"evidence: {file} is not to be used: {what}")) from None
    if found.schema != SCHEMA:
        raise UsageError(f"evidence: {file} is {found.schema!r}, allowed is {SCHEMA!r}")
    return found
