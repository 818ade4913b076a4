"""Options that commands share: who works on it, what is noted, and which files are written."""

from __future__ import annotations

import argparse
import ast
import contextlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit.cli import HELD, INCONCLUSIVE, UNFINISHED, USAGE, VIOLATED
from dpaudit.cli.terminal import write, write_file
from dpaudit.errors import UsageError, check_number

if TYPE_CHECKING:
    from dpaudit.results.audit import AuditResult
    from dpaudit.run.runner import Runner

FORMATS = {
    "markdown": "a summary for a build page",
    "junit": "JUnit XML",
    "sarif": "SARIF, pointing at the learner's file and line",
    "badge": "a badge: SVG, or what an endpoint badge reads if FILE ends in .json",
    "html": "one self-contained page",
    "attestation": "an in-toto test-result statement about the audited files",
}
NOT_THE_QUESTION = ("workers", "scheduler", "journal", "json", *FORMATS, "out", "svg", "list")


def add_runner_options(parser: argparse.ArgumentParser, what: str = "threads or processes") -> None:
    who = parser.add_mutually_exclusive_group()
    who.add_argument("--workers", metavar="N", help=f"{what} (default: one a core)")
    who.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster, tcp://host:port")
    parser.add_argument(
        "--journal", metavar="FILE", help="note finished blocks there, and go on from it"
    )


def add_setting_options(parser: argparse.ArgumentParser) -> None:
    """What a learner is shown, what is seen of it, and who are neighbours."""
    add = parser.add_argument
    add(
        "--neighbours",
        metavar="N",
        default="round",
        help="round, rounds:M (one user's), add-remove (default round)",
    )
    add(
        "--sees",
        metavar="S",
        help="what is seen of a run, joined by +: actions, others (joint DP), stop, outputs, "
        "reports, shuffled (default: the actions and all that is published)",
    )
    add("--contexts", metavar="C", help="public:D or private:D, D numbers that select is shown")
    add("--batch", metavar="B", default="1", help="feedback comes after batches of B rounds …")
    add("--delay", metavar="D", default="0", help="… and D rounds late")


def setting_asked(options: argparse.Namespace) -> dict[str, Any]:
    """What those options say that is not usual, as `dpaudit.audit` takes it."""
    usual = {"neighbours": "round", "sees": None, "contexts": None, "batch": "1", "delay": "0"}
    given = {name: getattr(options, name) for name in usual}
    return {name: value for name, value in given.items() if value != usual[name]}


def add_output_options(parser: argparse.ArgumentParser) -> None:
    for name, text in FORMATS.items():
        parser.add_argument(f"--{name}", metavar="FILE", help=f"write {text}")


@contextlib.contextmanager
def runner_of(options: argparse.Namespace) -> Iterator[Runner]:
    """Everything inside is played by these workers."""
    from dpaudit.run.runner import Runner

    with Runner(options.workers, scheduler=options.scheduler, journal=options.journal) as runner:
        try:
            yield runner
        except KeyboardInterrupt:
            remind(options, finished=False)
            raise


def remind(options: argparse.Namespace, *, finished: bool) -> None:
    """How to go on with what was not finished."""
    if options.journal is not None and not finished:
        print(
            f"dpaudit: not finished; the same command goes on from {options.journal}",
            file=sys.stderr,
        )


def question(options: argparse.Namespace) -> dict[str, Any]:
    """The options without who works on it and where it is written: what a journal is of."""
    return {name: value for name, value in vars(options).items() if name not in NOT_THE_QUESTION}


def parameter_of(text: str) -> tuple[str, float | str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"param: got {text!r}, allowed is NAME=VALUE")
    try:
        return name, int(value) if value.lstrip("-").isdigit() else float(value)
    except ValueError:
        return name, value


def number(name: str, text: str) -> float:
    return check_number(name, text, 0.0, float("inf"))


def publish(options: argparse.Namespace, audits: Sequence[AuditResult], document: str) -> None:
    from dpaudit.results.words import describe

    write(options.json, document)
    if options.json != "-":
        for audit in audits:
            print("\n".join(describe(audit)))
    write_outputs(options, audits)


def exit_code(audits: Sequence[AuditResult], total: int, *, failed: bool = False) -> int:
    """Of several audits; `failed` where one could not be made."""
    if any(audit.verdict == "violated" for audit in audits):
        return VIOLATED
    if failed:
        return USAGE
    if len(audits) < total or not all(audit.complete for audit in audits):
        return UNFINISHED
    return INCONCLUSIVE if any(audit.verdict == "inconclusive" for audit in audits) else HELD


def write_outputs(options: argparse.Namespace, audits: Sequence[AuditResult]) -> None:
    for name in FORMATS:
        where = getattr(options, name)
        if where is not None:
            text = _attestation(options, audits) if name == "attestation" else ""
            write_file(name, where, text or _rendered(name, where, audits))


def _attestation(options: argparse.Namespace, audits: Sequence[AuditResult]) -> str:
    from dpaudit.cli.attesting import attested
    from dpaudit.report.attestation import attestation

    return attestation(audits, attested(options))


def _rendered(name: str, where: str, audits: Sequence[AuditResult]) -> str:
    from dpaudit.report import formats

    if name == "html":
        from dpaudit.report.page import audit_page

        return audit_page(audits)
    if name == "badge":
        as_json = where.endswith(".json")
        return json.dumps(formats.badge(audits)) + "\n" if as_json else formats.badge_svg(audits)
    if name == "sarif":
        return formats.sarif(audits, place)
    return formats.junit(audits) if name == "junit" else formats.markdown(audits)


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
    lines: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            lines[node.name] = node.lineno
    return os.path.relpath(file), lines.get(name, lines.get("observe", 1))
