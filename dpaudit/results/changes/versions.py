"""The results that there were: files of a folder, or what git knows of a file."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import msgspec

from dpaudit.errors import UsageError, shortened
from dpaudit.results.documents import Document, parse, read


@dataclass(frozen=True)
class Version:
    """A document as it was at one time."""

    label: str
    """The commit, or the file's name."""
    when: str
    what: str
    """The commit's first line."""
    document: Document


def opened(place: str) -> Document:
    """A file, or `REVISION:FILE` as git says it."""
    revision, colon, path = place.partition(":")
    if colon and not Path(place).exists():
        return _at(Path(path).parent, revision, Path(path).name)
    return read(place)


def versions(place: str) -> tuple[list[Version], list[str]]:
    """All versions, the oldest first, and why others cannot be read."""
    path = Path(place)
    if path.is_dir():
        return _of_folder(path)
    if not path.is_file():
        raise UsageError(f"place: no file or folder {place!r}")
    log = git(path.parent, "log", "--reverse", "--format=%h%x09%cs%x09%s", "--", path.name)
    found: list[Version] = []
    unread: list[str] = []
    for line in log.splitlines():
        commit, when, what = line.split("\t", 2)
        try:
            found.append(Version(commit, when, what, _at(path.parent, commit, path.name)))
        except UsageError as error:
            unread.append(f"{commit}: {error}")
    if not found:
        raise UsageError(f"place: git knows no version of {place} that can be read")
    return found, unread


def _of_folder(folder: Path) -> tuple[list[Version], list[str]]:
    """By name, so that names which begin with a date are in order."""
    found: list[Version] = []
    unread: list[str] = []
    for file in sorted(folder.glob("*.json")):
        try:
            found.append(Version(file.stem, "", "", read(file)))
        except UsageError as error:
            unread.append(str(error))
    if not found:
        raise UsageError(f"place: {folder} holds no results, allowed are *.json of dpaudit")
    return found, unread


def _at(folder: Path, revision: str, name: str) -> Document:
    text = git(folder, "show", f"{revision}:./{name}")
    try:
        data = msgspec.json.decode(text)
    except ValueError:
        raise UsageError(f"{revision}:{name}: no JSON") from None
    return parse(data, f"{revision}:{name}")


def git(folder: Path, *words: str) -> str:
    """What git says."""
    command = ["git", "-C", str(folder), *words]
    try:
        done = subprocess.run(command, capture_output=True, check=False, text=True)
    except OSError as error:
        raise UsageError(f"git: cannot be run ({error.strerror})") from None
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["no word"]
        raise UsageError(shortened(f"git: {said[0].removeprefix('fatal: ')}"))
    return done.stdout
