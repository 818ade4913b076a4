"""The journal: an append-only file of finished blocks, from which a run goes on where it ended.

Each line is a checksum and a JSON object: first a header with what the journal is of, then one
record a block, under the digest of its task. Nothing in the file is executed or unpickled. A tail
that was cut is dropped, a damaged line is passed over and its block played again, the journal of
another command is refused, and so is a second process on the same file.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import stat
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dpaudit.errors import Unfinished, UsageError, shortened

SCHEMA = "dpaudit/journal/1"
FLUSH_SECONDS = 1.0
"""So often the file is forced to the disk; what a power cut loses is played again."""
READ = 1 << 20
DISORDER = 1 << 16
"""Blocks are noted as they finish: so many numbers, at most, away from their place."""

_open: set[str] = set()


def line_of(data: dict[str, Any] | str) -> bytes:
    """A line: the checksum of the JSON text, and the text."""
    text = data if isinstance(data, str) else json.dumps(data, separators=(",", ":"))
    body = text.encode()
    return _sum(body) + b" " + body + b"\n"


def _sum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=8).hexdigest().encode()


def read_line(line: bytes) -> dict[str, Any] | None:
    """What a line says; None if it is damaged."""
    given, _, body = line.rstrip(b"\n").partition(b" ")
    if not line.endswith(b"\n") or given != _sum(body):
        return None
    try:
        data = json.loads(body)
    except ValueError:
        return None
    return data if isinstance(data, dict) else None


def lines_of(descriptor: int, start: int, end: int) -> Iterator[tuple[int, bytes]]:
    """The lines of a stretch of the file with their places, a megabyte at a time."""
    rest, at = b"", start
    while at < end:
        chunk = os.pread(descriptor, min(READ, end - at), at)
        if not chunk:
            break
        at += len(chunk)
        parts = (rest + chunk).split(b"\n")
        place = at - len(rest) - len(chunk)
        for part in parts[:-1]:
            yield place, part + b"\n"
            place += len(part) + 1
        rest = parts[-1]
    if rest:
        yield at - len(rest), rest


def _warn(text: str) -> None:
    print(f"dpaudit: {text}", file=sys.stderr)


@dataclass
class Contents:
    header: dict[str, Any] | None = None
    tasks: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By digest: what it is, the place of its first record, how many records."""
    damaged: int = 0
    end: int = 0
    """Where the last whole line ends."""
    cut: int = 0
    """Bytes behind that."""


def scan(descriptor: int) -> Contents:
    """Read a journal through; memory grows with the number of tasks, not of blocks."""
    found = Contents()
    bad = 0
    for place, line in lines_of(descriptor, 0, os.fstat(descriptor).st_size):
        data = read_line(line)
        if data is None:
            if place == 0:
                return found
            bad += 1
            continue
        found.damaged, bad, found.end = found.damaged + bad, 0, place + len(line)
        if place == 0:
            found.header = data if data.get("schema") == SCHEMA else None
            if found.header is None:
                return found
        elif "task" in data:
            about = found.tasks.setdefault(data["task"], {"first": place, "records": 0})
            about["records"] += 1
        elif "starts" in data:
            known = found.tasks.setdefault(data["starts"], {"first": place, "records": 0})
            known.update({key: data[key] for key in ("kind", "name") if key in data})
    found.cut = os.fstat(descriptor).st_size - found.end
    return found


class Journal:
    """A journal that this process alone writes."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._real = os.path.realpath(path)
        if self._real in _open:
            raise UsageError(f"journal: {path} is in use by this process")
        try:
            wanted = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK
            self._file = os.open(self.path, wanted, 0o644)
            if not stat.S_ISREG(os.fstat(self._file).st_mode):
                os.close(self._file)
                raise UsageError(f"journal: {path} is not a file")
        except OSError as error:
            raise UsageError(f"journal: cannot write {path} ({error.strerror})") from None
        try:
            # Not flock: that would outlive a killed process in its children.
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._contents = scan(self._file)
            self._repair()
        except BlockingIOError:
            os.close(self._file)
            raise UsageError(f"journal: {path} is in use by another process") from None
        except BaseException:
            os.close(self._file)
            raise
        _open.add(self._real)
        self._started: set[str] = set()
        self._synced = time.monotonic()
        self._bound = False

    def _repair(self) -> None:
        size, found = os.fstat(self._file).st_size, self._contents
        if size == 0:
            return
        if found.header is None:
            # A header that was cut is all there is; anything else is not ours to change.
            if self._is_cut(size):
                _warn(f"journal: {self.path} ends in its first line; starting again")
                os.ftruncate(self._file, 0)
                return
            raise UsageError(f"journal: {self.path} is not a journal of dpaudit")
        if found.end < size:
            _warn(f"journal: {self.path} has a cut tail of {size - found.end} bytes; dropped")
            os.ftruncate(self._file, found.end)
        if found.damaged:
            _warn(f"journal: {self.path} has {found.damaged} damaged lines; passed over")

    def _is_cut(self, size: int) -> bool:
        """Whether the file is the beginning of a header."""
        head = os.pread(self._file, 4096, 0)
        opening = f' {{"schema":"{SCHEMA}"'.encode()
        ours = not head[:16].strip(b"0123456789abcdef") and (
            head[16:].startswith(opening) or opening.startswith(head[16:])
        )
        return size < 4096 and ours and b"\n" not in head

    def bind(self, digest: str, command: str, version: str) -> None:
        """Say what the journal is of, or see that it is of that. Later calls say nothing."""
        if self._bound:
            return
        self._bound = True
        header = self._contents.header
        if header is None:
            self._append(
                line_of(
                    {"schema": SCHEMA, "digest": digest, "command": command, "version": version}
                )
            )
        elif header.get("digest") != digest:
            told = shortened(str(header.get("command")), 40)
            raise UsageError(
                f"journal: {shortened(str(self.path), 40)} is of another task ({told}, dpaudit "
                f"{header.get('version')}); target, source, parameters, seed and version must be "
                "the same"
            )

    def start(self, digest: str, kind: str, name: str) -> None:
        """Note that the records of a task follow."""
        if digest in self._started or digest in self._contents.tasks:
            return
        self._started.add(digest)
        self._append(line_of({"starts": digest, "kind": kind, "name": name}))

    def note(self, digest: str, block: int, text: str) -> None:
        self._append(line_of(f'{{"task":"{digest}","block":{block},"record":{text}}}'))

    def _append(self, line: bytes) -> None:
        try:
            left = memoryview(line)
            while left:
                left = left[os.write(self._file, left) :]
            if time.monotonic() - self._synced > FLUSH_SECONDS:
                os.fsync(self._file)
                self._synced = time.monotonic()
        except OSError as error:
            raise Unfinished(
                f"journal: cannot write {self.path} ({error.strerror}); the same command goes on "
                "from what it holds"
            ) from None

    def finished(self, digest: str) -> Finished:
        """The records of a task that were there when the journal was opened."""
        about = self._contents.tasks.get(digest)
        if about is None or not about["records"]:
            return Finished(iter(()))
        return Finished(self._records(digest, about["first"], about["records"]))

    def _records(self, digest: str, start: int, count: int) -> Iterator[tuple[int, str]]:
        for _, line in lines_of(self._file, start, self._contents.end):
            data = read_line(line)
            if data is not None and data.get("task") == digest:
                yield int(data["block"]), json.dumps(data["record"], separators=(",", ":"))
                count -= 1
                if count == 0:
                    return

    def close(self) -> None:
        _open.discard(self._real)
        with contextlib.suppress(OSError):
            os.fsync(self._file)
        os.close(self._file)


class Finished:
    """Finished blocks of a task, asked for in order. Few are in memory at once: records stand at
    most some blocks away from their place."""

    def __init__(self, records: Iterator[tuple[int, str]]) -> None:
        self._records: Iterator[tuple[int, str]] | None = records
        self._early: dict[int, str] = {}

    def take(self, number: int) -> str | None:
        """The record of a block, or None. Numbers must be asked for in increasing order."""
        while self._records is not None and number not in self._early:
            following = next(self._records, None)
            if following is None:
                self._records = None
            elif following[0] >= number:
                self._early[following[0]] = following[1]
                if following[0] > number + DISORDER:
                    break
        return self._early.pop(number, None)


def show(path: str | Path) -> Contents:
    """What a journal holds, without locking or changing it."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe would be waited for
    except OSError as error:
        raise UsageError(f"journal: cannot read {path} ({error.strerror})") from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UsageError(f"journal: {path} is not a file")
        found = scan(descriptor)
        if found.header is None:
            raise UsageError(f"journal: {path} is not a journal of dpaudit")
        return found
    finally:
        os.close(descriptor)
