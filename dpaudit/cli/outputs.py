"""The files that a command writes beside what it prints: one option a format."""

from __future__ import annotations

import argparse
import ast
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dpaudit.errors import UsageError

if TYPE_CHECKING:
    from dpaudit.results.audit import AuditResult

FORMATS = {
    "markdown": "a summary for a build page",
    "junit": "JUnit XML",
    "sarif": "SARIF, pointing at the learner's file and line",
    "badge": "a badge: SVG, or what an endpoint badge reads if FILE ends in .json",
    "html": "one self-contained page",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """`--markdown FILE` and so on."""
    for name, text in FORMATS.items():
        parser.add_argument(f"--{name}", metavar="FILE", help=f"write {text}")


def write_outputs(given: argparse.Namespace, audits: Sequence[AuditResult]) -> None:
    """Write the files that were asked for."""
    renderers = _renderers(audits)
    for name in FORMATS:
        where = getattr(given, name)
        if where is not None:
            write_file(name, where, renderers[name](where))


def write_file(name: str, where: str | Path, text: str) -> None:
    """Write a file, or say in one line why not."""
    try:
        Path(where).write_text(text)
    except OSError as error:
        raise UsageError(f"{name}: cannot write {where} ({error.strerror})") from None


def _renderers(audits: Sequence[AuditResult]) -> dict[str, Callable[[str], str]]:
    from dpaudit.report import formats

    def badge(where: str) -> str:
        if where.endswith(".json"):
            return json.dumps(formats.badge(audits)) + "\n"
        return formats.badge_svg(audits)

    def html(_where: str) -> str:
        from dpaudit.report.page import audit_page

        return audit_page(audits)

    return {
        "markdown": lambda _where: formats.markdown(audits),
        "junit": lambda _where: formats.junit(audits),
        "sarif": lambda _where: formats.sarif(audits, place),
        "badge": badge,
        "html": html,
    }


def place(audit: AuditResult) -> tuple[str, int] | None:
    """File and line of what was audited: a catalogue file or a class in a Python file."""
    where, colon, name = audit.target.rpartition(":")
    if not colon:
        from dpaudit.play.catalogue import catalogue, home

        algorithm = catalogue().get(audit.target)
        if algorithm is None:
            return None
        file, name = home(algorithm), "observe"
    elif where.endswith(".py") and Path(where).is_file():
        file = Path(where)
    else:
        return None
    try:
        tree = ast.parse(file.read_text())
    except (OSError, SyntaxError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == name:
            return os.path.relpath(file), node.lineno
    return os.path.relpath(file), 1
