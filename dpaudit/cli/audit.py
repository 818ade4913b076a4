"""`dpaudit audit [TARGET]`: audit a learner, or the whole catalogue against its papers' claims."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit.cli import workers
from dpaudit.cli.outputs import add_options, write_outputs
from dpaudit.cli.terminal import say, write
from dpaudit.cli.workers import asked
from dpaudit.errors import UsageError

if TYPE_CHECKING:
    from dpaudit.results.audit import AuditResult

EXAMPLE = """examples:
  dpaudit audit anytime-lazy-ucb --epsilon 1 --arms 2 --rounds 12
  dpaudit audit rnm-ftnl --epsilon 1 --rounds 4 --engine exact --json -
  dpaudit audit my_learner.py:MyLearner --epsilon 1 --seconds 30
  dpaudit audit dp-ts --epsilon 1 --runs 1e10 --scheduler tcp://host:8786 --journal dp-ts.journal
  dpaudit audit                         (the whole catalogue)"""


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add = parser.add_argument
    add(
        "target",
        metavar="TARGET",
        nargs="?",
        help="a catalogue name, module:Class or file.py:Class",
    )
    add("--epsilon", metavar="E", help="the claim, and what the learner is run with")
    add("--delta", metavar="D", default="0", help="the claim's delta (default 0)")
    add("--arms", metavar="K", default="2", help="number of arms (default 2)")
    add("--rounds", metavar="T", default="12", help="length of the tables (default 12)")
    add("--engine", default="auto", help="auto, exact, two-world or black-box (default auto)")
    add("--gate", action="store_true", help="only refute the claim, at the first certain answer")
    add("--adversary", metavar="NAME", help="reward-last, punish-last or balance")
    add("--param", metavar="NAME=VALUE", action="append", default=[], help="a parameter's value")
    budget = parser.add_mutually_exclusive_group()
    budget.add_argument("--runs", metavar="N", help="runs in all")
    budget.add_argument("--seconds", metavar="S", help="about how long to sample")
    add("--confidence", metavar="C", default="0.999", help="of the whole answer (default 0.999)")
    add("--seed", metavar="S", default="0", help="seed (default 0)")
    workers.add_options(parser)
    add("--json", metavar="FILE", help="write the result as JSON; - is standard output")
    add_options(parser)
    add("--out", metavar="DIR", help="catalogue only: write catalogue.json and catalogue.md there")


def run(given: argparse.Namespace) -> int:
    """Audit; 1 if a claim is violated."""
    parameters: dict[str, Any] = dict(parameter_of(text) for text in given.param)
    if given.target is None:
        return _catalogue(given, parameters)
    from dpaudit.auditor.auditing import audit
    from dpaudit.results.documents import Audit, parse
    from dpaudit.results.words import describe

    if given.epsilon is None:
        raise UsageError("epsilon: none given, allowed is a number in (0, inf)")
    with workers.runner_of(given):
        result = audit(
            given.target,
            epsilon=_number("epsilon", given.epsilon),
            delta=_number("delta", given.delta),
            arms=given.arms,
            rounds=given.rounds,
            engine=given.engine,
            gate=given.gate,
            adversary=given.adversary,
            runs=given.runs,
            seconds=None if given.seconds is None else _number("seconds", given.seconds),
            confidence=_number("confidence", given.confidence),
            seed=_seed(given.seed),
            workers=workers.workers_of(given),
            progress=_progress(given.target),
            **parameters,
        )
        workers.remind(given, finished=result.lower.complete)
    write(given.json, result.json())
    document = parse(result.public())
    assert isinstance(document, Audit)
    if given.json != "-":
        print("\n".join(describe(document)))
    write_outputs(given, [document])
    return _exit_code([result], 1)


def _exit_code(results: list[AuditResult], wanted: int) -> int:
    """1 if a claim is violated, 3 if something was not finished, else 0."""
    if any(r.verdict == "violated" for r in results):
        return 1
    return 3 if len(results) < wanted or not all(r.lower.complete for r in results) else 0


def _catalogue(given: argparse.Namespace, parameters: dict[str, Any]) -> int:
    import msgspec

    from dpaudit.auditor.whole_catalogue import audit_catalogue, subjects
    from dpaudit.cli.terminal import table
    from dpaudit.results.documents import Audit

    if parameters:
        raise UsageError("param: the catalogue is audited in its own readings; name a TARGET")
    epsilon = 1.0 if given.epsilon is None else _number("epsilon", given.epsilon)
    results: list[AuditResult] = []
    failed = False
    total = len(subjects())
    say(f"0/{total}")
    with workers.runner_of(given) as runner:
        runner.bind("audit", [asked(given), [vars(each) for each in subjects()]])
        for answer in audit_catalogue(
            epsilon=epsilon,
            arms=int(_number("arms", given.arms)),
            rounds=int(_number("rounds", given.rounds)),
            confidence=_number("confidence", given.confidence),
            runs=None if given.runs is None else int(_number("runs", given.runs)),
            seed=_seed(given.seed),
            workers=workers.workers_of(given),
        ):
            if isinstance(answer, UsageError):
                print(f"dpaudit: {answer}", file=sys.stderr)
                failed = True
                continue
            results.append(answer)
            say(f"{len(results)}/{total} {answer.target}")
            if not answer.lower.complete:
                break
        workers.remind(given, finished=len(results) + failed >= total)
    say("")
    results.sort(key=lambda r: (r.verdict != "violated", -r.lower_bound / r.claim.level))
    document = json.dumps(
        {"schema": "dpaudit/catalogue/1", "audits": [r.public() for r in results]}, indent=2
    )
    write_outputs(given, [msgspec.convert(r.public(), Audit) for r in results])
    if given.out:
        _write_reports(Path(given.out), document, results, given)
    write(given.json, document)
    if given.json != "-":
        header = (
            "target",
            "T",
            "claimed",
            "lower",
            "upper",
            "verdict",
            "engine",
            "what it rests on",
        )
        table(_title(results, given), header, [_row(r) for r in results])
    code = _exit_code(results, total)
    return 2 if failed and code != 1 else code


def _title(results: list[AuditResult], given: argparse.Namespace) -> str:
    violated = sum(r.verdict == "violated" for r in results)
    return (
        f"{violated} of {len(results)} claims violated; K={given.arms}, "
        f"confidence {given.confidence} for all of them together"
    )


def _row(result: AuditResult) -> tuple[str, ...]:
    named = [f"{k}={v}" for k, v in result.parameters.items()]
    upper = "none" if result.upper_bound is None else f"{result.upper_bound:.4f}"
    return (
        " ".join([result.target, *named]),
        str(result.rounds),
        str(result.claim),
        f"{result.lower_bound:.4f}",
        upper,
        result.verdict,
        result.engine,
        "" if result.upper is None else result.upper.how.split(":")[0].split(" (")[0],
    )


def _write_reports(
    folder: Path, document: str, results: list[AuditResult], given: argparse.Namespace
) -> None:
    from dpaudit.digests import audit_digest
    from dpaudit.results.made import commit, record

    lines = [
        "# The catalogue against its papers' claims",
        "",
        f"{_title(results, given)}. A verdict `consistent` means that no violation was found.",
        "",
        f"Made by `dpaudit audit --out reports` (dpaudit {results[0].version}, seed {given.seed}).",
        "",
        "| target | T | claimed | lower | upper | verdict | engine | upper bound from |",
        "|---|---|---|---|---|---|---|---|",
        *("| " + " | ".join(_row(r)) + " |" for r in results),
        "",
    ]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        commit(folder, "catalogue", json.loads(document))
        names = {r.target: r.seconds for r in results}
        record(folder, {f"catalogue/{n}": (audit_digest(n), s) for n, s in names.items()})
        (folder / "catalogue.md").write_text("\n".join(lines))
    except OSError as error:
        raise UsageError(f"out: cannot write to {folder} ({error.strerror})") from None


def parameter_of(text: str) -> tuple[str, float | str]:
    """`NAME=VALUE` as the two."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"param: got {text!r}, allowed is NAME=VALUE")
    try:
        return name, int(value) if value.lstrip("-").isdigit() else float(value)
    except ValueError:
        return name, value


def _number(name: str, text: str) -> float:
    from dpaudit.errors import check_number

    return check_number(name, text, 0.0, float("inf"))


def _seed(text: str) -> int:
    from dpaudit.errors import check_count

    return check_count("seed", text, 0)


def _progress(target: str) -> Any:
    def show(done: int, total: int) -> None:
        say("" if done >= total else f"{target}: {done}/{total} runs")

    return show
