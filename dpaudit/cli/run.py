"""`dpaudit run`: all audits that a project's pyproject.toml lists, under one confidence."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dpaudit.cli.outputs import add_options, write_outputs
from dpaudit.cli.terminal import say, write
from dpaudit.errors import UsageError

if TYPE_CHECKING:
    from dpaudit.report.schemas import Catalogue

EXAMPLE = """examples:
  dpaudit run                            (reads [tool.dpaudit] in pyproject.toml)
  dpaudit run --markdown summary.md --sarif dpaudit.sarif --junit dpaudit.xml

pyproject.toml:
  [[tool.dpaudit.audits]]
  target = "learner.py:Learner"
  epsilon = 1.0
  rounds = 12"""


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add = parser.add_argument
    add("--config", metavar="FILE", default="pyproject.toml", help="default pyproject.toml")
    add("--json", metavar="FILE", help="write all results as JSON; - is standard output")
    add_options(parser)


def run(given: argparse.Namespace) -> int:
    """Audit all; 1 if a claim is violated, 2 if an audit could not be made, 3 if not finished."""
    from dpaudit.auditor.auditing import audit
    from dpaudit.config import read_project
    from dpaudit.report.schemas import parse
    from dpaudit.report.text import describe

    project = read_project(given.config)
    confidence = 1.0 - (1.0 - project.confidence) / len(project.audits)
    results, failed, finished = [], False, True
    for number, entry in enumerate(project.audits, 1):
        asked = dict(entry)
        name = asked.pop("name", f"audit {number}")
        say(f"{number}/{len(project.audits)} {name}")
        target, parameters = asked.pop("target"), asked.pop("parameters", {})
        try:
            result = audit(
                _from(project.path, target),
                confidence=confidence,
                seed=project.seed,
                workers=project.workers,
                **asked,
                **parameters,
            )
        except UsageError as error:
            say("")
            print(f"dpaudit: {name}: {error}", file=sys.stderr)
            failed = True
            continue
        results.append({**result.public(), "name": name, "target": target})
        finished = finished and result.lower.complete
        if not result.lower.complete:
            break
    say("")
    document: dict[str, object] = {"schema": "dpaudit/catalogue/1", "audits": results}
    write(given.json, json.dumps(document, indent=2))
    catalogue: Catalogue = parse(document)  # type: ignore[assignment]
    if given.json != "-":
        for found in catalogue.audits:
            print("\n".join(describe(found)))
    write_outputs(given, catalogue.audits)
    if any(found.verdict == "violated" for found in catalogue.audits):
        return 1
    return 2 if failed else 0 if finished else 3


def _from(config: Path, target: str) -> str:
    """A file's path is meant from where the configuration stands."""
    where, colon, attribute = target.rpartition(":")
    if colon and where.endswith(".py") and not Path(where).is_absolute():
        return f"{config.parent / where}:{attribute}"
    return target
