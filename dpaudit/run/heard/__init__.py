"""What user code prints in its processes: counted and kept apart, to be shown once at the end.

What Python prints is heard by `Ear`, which stands in the place of standard output and error; what
gets around it (other languages, handlers made before) goes to a file that the parent holds, so that
the last words of a process that dies are known.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Iterable
from typing import IO, Any

from dpaudit.errors import shortened

KEPT = 5
"""Different lines that are shown."""
LONGEST = 160
"""Characters of a line."""
READ = 4096
"""Bytes of the file that are looked at."""


class Ear(io.TextIOBase):
    """Counts lines, and keeps the first different ones."""

    def __init__(self) -> None:
        self.count, self.begun = 0, ""
        self.lines: list[str] = []

    encoding = "utf-8"

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 1  # who asks for it writes to the file

    @property
    def buffer(self) -> Bytes:
        return Bytes(self)

    def write(self, text: str) -> int:
        *whole, rest = (self.begun + text).split("\n")
        self.begun = rest[:LONGEST]
        self.hear(len(whole), whole)
        return len(text)

    def hear(self, count: int, lines: Iterable[str]) -> None:
        self.count += count
        if len(self.lines) < KEPT:
            for line in lines:
                line = shortened(line, LONGEST)
                if line and line not in self.lines and len(self.lines) < KEPT:
                    self.lines.append(line)

    def taken(self) -> list[Any]:
        """How many lines, and the first ones; nothing is left."""
        if self.begun:
            self.hear(1, [self.begun])
        found = [self.count, self.lines]
        self.count, self.lines, self.begun = 0, [], ""
        return found


class Bytes(io.RawIOBase):
    """For who prints bytes."""

    def __init__(self, ear: Ear) -> None:
        self.ear = ear

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return self.ear.write(bytes(data).decode(errors="replace"))


_said: dict[str, Ear] = {}
"""What was heard of each learner."""


def listen(file: IO[bytes]) -> None:
    """From now on, in this process."""
    sys.stdout = sys.stderr = Ear()
    for number in (1, 2):
        os.dup2(file.fileno(), number)


def taken() -> list[Any] | None:
    """What this process heard since it was asked last; None where it does not listen."""
    return sys.stdout.taken() if isinstance(sys.stdout, Ear) else None


def told(found: list[Any] | None) -> None:
    """What a copy of this process heard."""
    if found and isinstance(sys.stdout, Ear):
        sys.stdout.hear(*found)


def file() -> IO[bytes]:
    """Where a process writes that gets around its ear."""
    return tempfile.TemporaryFile(buffering=0)


def of_file(written: IO[bytes]) -> list[Any] | None:
    """What stands in the file, which is emptied."""
    size = os.fstat(written.fileno()).st_size
    if size == 0:
        return None
    lines = os.pread(written.fileno(), READ, 0).decode(errors="replace").splitlines()
    many = len(lines) if size <= READ else len(lines) * size // READ
    written.truncate(0)
    written.seek(0)  # the child's place in the file, too
    return [many, lines]


def note(name: str, found: list[Any] | None) -> None:
    """Keep what a process said for the end."""
    if found and found[0]:
        _said.setdefault(name, Ear()).hear(*found)


def show() -> None:
    """Say what was heard, once, on standard error."""
    for name, ear in _said.items():
        many = "a line" if ear.count == 1 else f"{ear.count} lines"
        more = ", among them" if ear.count > len(ear.lines) else ""
        print(f"dpaudit: {name} printed {many}{more}:", file=sys.stderr)
        for line in ear.lines:
            print(f"  | {line}", file=sys.stderr)
    _said.clear()
