"""`dpaudit run`: all audits that a project's pyproject.toml lists, under one confidence."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit.cli.attesting import attest
from dpaudit.cli.options import (
    add_output_options,
    add_runner_options,
    exit_code,
    publish,
    remind,
    runner_of,
)
from dpaudit.cli.terminal import runs, say
from dpaudit.errors import UsageError

if TYPE_CHECKING:
    from dpaudit.config import Project
    from dpaudit.results.audit import AuditResult

EXAMPLE = """examples:
  dpaudit run                            (reads [tool.dpaudit] in pyproject.toml)
  dpaudit run --markdown summary.md --sarif dpaudit.sarif --junit dpaudit.xml
  dpaudit run --scheduler tcp://host:8786 --journal night.journal

pyproject.toml:
  [[tool.dpaudit.audits]]
  target = "learner.py:Learner"
  epsilon = 1.0
  rounds = 12"""


def options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--config", metavar="FILE", default="pyproject.toml", help="default pyproject.toml")
    add("--evidence", metavar="DIR", help="add to the evidence kept there; budgets add up")
    add_runner_options(parser)
    add("--json", metavar="FILE", help="write all results as JSON; - is standard output")
    add_output_options(parser)


def run(options: argparse.Namespace) -> int:
    import msgspec

    from dpaudit.config import read_project
    from dpaudit.results.documents import Catalogue

    project = read_project(options.config)
    if options.workers is None and options.scheduler is None and project.workers is not None:
        options.workers = str(project.workers)
    results: list[AuditResult] = []
    failed, finished = False, True
    attest(options, (_from(project.path, each["target"]) for each in project.audits))
    with runner_of(options) as runner:
        sources = [_source(project, each) for each in project.audits]
        runner.bind("run", [project.confidence, project.seed, project.audits, sources])
        for number, entry in enumerate(project.audits, 1):
            name = entry.get("name", f"audit {number}")
            try:
                result = _audited(
                    project, entry, f"{number}/{len(project.audits)} {name}", options.evidence
                )
            except UsageError as error:
                print(f"dpaudit: {name}: {error}", file=sys.stderr)
                failed = True
                continue
            finally:
                say("")
            results.append(msgspec.structs.replace(result, name=name, target=entry["target"]))
            finished = result.complete
            if not finished:
                break
        remind(options, finished=finished)
    publish(options, results, Catalogue(results).json())
    return exit_code(results, len(project.audits), failed=failed)


def _audited(
    project: Project, entry: dict[str, Any], what: str, evidence: str | None
) -> AuditResult:
    """One of the audits, under its share of the confidence."""
    from dpaudit.auditor.auditing import audit
    from dpaudit.play.catalogue import resolve_target

    how = {key: value for key, value in entry.items() if key != "name"}
    target, parameters = how.pop("target"), how.pop("parameters", {})
    say(what)
    # Evidence is of sampled outputs: what is computed or proved needs none, a gate and a band have
    # none.
    alone = how.get("gate") or how.get("tradeoff")
    found = resolve_target(_from(project.path, target))
    kept = None if alone or found.factory is None else evidence
    return audit(
        found,
        confidence=1.0 - (1.0 - project.confidence) / len(project.audits),
        seed=project.seed,
        progress=runs(f"{what}: "),
        parameters=parameters,
        evidence=kept,
        **how,
    )


def _source(project: Project, entry: dict[str, Any]) -> str:
    """Digest of a target's file: a journal made with another one is refused."""
    from dpaudit.run.code import source_digest

    file = Path(_from(project.path, entry["target"]).rpartition(":")[0])
    return source_digest(file) if file.suffix == ".py" and file.is_file() else ""


def _from(config: Path, target: str) -> str:
    """A file's path is meant from where the configuration stands."""
    where, colon, attribute = target.rpartition(":")
    if colon and where.endswith(".py") and not Path(where).is_absolute():
        return f"{config.parent / where}:{attribute}"
    return target
