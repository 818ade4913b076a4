"""What an attestation is about: the files of the targets, as they were before the audit."""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
from collections.abc import Iterable
from pathlib import Path

from dpaudit.errors import UsageError


def attest(options: argparse.Namespace, targets: Iterable[str]) -> None:
    """Note the files' digests before anything is played, if an attestation is asked for."""
    if options.attestation is not None:
        options.targets = list(targets)
        options.subjects = subjects(options.targets)


def attested(options: argparse.Namespace) -> dict[str, str]:
    """The digests, if the files are still the same."""
    before: dict[str, str] = options.subjects
    after = subjects(options.targets)
    if changed := sorted(n for n in {*before, *after} if before.get(n) != after.get(n)):
        raise UsageError(f"attestation: {changed[0]} changed while it was audited")
    return before


def subjects(targets: Iterable[str]) -> dict[str, str]:
    """SHA-256 digests of the targets' files, and of those beside them that they import."""
    found = {}
    for target in targets:
        for file in _files(target):
            # Modules beside the target may be outside of the folder one is in.
            name = Path(os.path.relpath(file)).as_posix()
            found[name] = hashlib.sha256(file.read_bytes()).hexdigest()
    return found


def _files(target: str) -> list[Path]:
    from dpaudit.run.code import source_files

    where, colon, _ = target.rpartition(":")
    if not colon:
        from dpaudit.play.catalogue import home, resolve

        return [Path(home(resolve(target)))]
    if where.endswith(".py"):
        return source_files(where)
    try:
        spec = importlib.util.find_spec(where)
    except (ImportError, ValueError):
        spec = None
    if spec is None or not spec.origin or not Path(spec.origin).is_file():
        raise UsageError(f"attestation: {where} has no source file to be about")
    return source_files(spec.origin)
