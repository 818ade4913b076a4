"""`dpaudit audit [TARGET]`: audit a learner, or the whole catalogue against its papers' claims."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit.cli.attesting import attest
from dpaudit.cli.options import (
    add_output_options,
    add_runner_options,
    add_setting_options,
    exit_code,
    number,
    parameter_of,
    publish,
    question,
    remind,
    runner_of,
    setting_asked,
    write_outputs,
)
from dpaudit.cli.terminal import runs, say, write, write_folder
from dpaudit.errors import UsageError, check_count, shortened

if TYPE_CHECKING:
    from dpaudit.results.audit import AuditResult

EXAMPLE = """examples:
  dpaudit audit anytime-lazy-ucb --epsilon 1 --arms 2 --rounds 12
  dpaudit audit rnm-ftnl --epsilon 1 --rounds 4 --engine exact --json -
  dpaudit audit my_learner.py:MyLearner --epsilon 1 --seconds 30
  dpaudit audit dp-ts --epsilon 1 --runs 1e10 --scheduler tcp://host:8786 --journal dp-ts.journal
  dpaudit audit means.py:NoisyMeans --rho 0.5 --neighbours rounds:3
  dpaudit audit linucb.py:LinUCB --epsilon 1 --contexts private:3 --sees others --param width=0.5
  dpaudit audit                         (the whole catalogue)"""


def options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "target",
        metavar="TARGET",
        nargs="?",
        help="a catalogue name, module:Class or file.py:Class",
    )
    add("--epsilon", metavar="E", help="the claim, and what the learner is run with")
    add("--eta", "--mu", metavar="H", help="a GDP claim in place of epsilon's")
    add("--rho", metavar="R", help="a zCDP claim in place of epsilon's")
    add("--rdp", metavar="A:E", help="a claim of Rényi DP, order and epsilon")
    add("--claim", choices=["card"], help="the card's own claim; so it is where none is given")
    add("--delta", metavar="D", default="0", help="the claim's delta (default 0)")
    add("--arms", metavar="K", default="2", help="number of arms (default 2)")
    add("--rounds", metavar="T", default="12", help="length of the tables (default 12)")
    add("--engine", default="auto", help="auto, exact, two-world or black-box (default auto)")
    add("--gate", action="store_true", help="only refute the claim, at the first certain answer")
    add("--evidence", metavar="DIR", help="add to the evidence kept there; budgets add up")
    add("--tradeoff", action="store_true", help="black-box: bound the whole trade-off curve, too")
    add("--adversary", metavar="NAME", help="reward-last, punish-last or balance")
    add(
        "--levels",
        metavar="M,O,T",
        help="one pair: the first arm's rewards are M, the others' O, round T changes",
    )
    add("--param", metavar="NAME=VALUE", action="append", default=[], help="a parameter's value")
    add_setting_options(parser)
    budget = parser.add_mutually_exclusive_group()
    budget.add_argument("--runs", metavar="N", help="runs in all")
    budget.add_argument("--seconds", metavar="S", help="about how long to sample")
    add(
        "--clock",
        metavar="JSON",
        help="what the clock decided, as an answer with --seconds says it",
    )
    add("--confidence", metavar="C", default="0.999", help="of the whole answer (default 0.999)")
    add("--seed", metavar="S", default="0", help="seed (default 0)")
    add_runner_options(parser)
    add("--json", metavar="FILE", help="write the result as JSON; - is standard output")
    add_output_options(parser)
    add("--out", metavar="DIR", help="catalogue only: write catalogue.json and catalogue.md there")


def run(options: argparse.Namespace) -> int:
    if options.target is None:
        return _catalogue(options)
    if options.out is not None:
        raise UsageError("out: is for the whole catalogue; --json FILE keeps the result of one")
    attest(options, [options.target])
    result = _one(options)
    publish(options, [result], result.json())
    return exit_code([result], 1)


def _one(options: argparse.Namespace) -> AuditResult:
    from dpaudit.play.catalogue import resolve_target

    parameters: dict[str, Any] = dict(parameter_of(text) for text in options.param)
    target = resolve_target(options.target)  # what is not there is said before the long imports
    with runner_of(options):
        from dpaudit.auditor.auditing import audit
        from dpaudit.auditor.search import Levels

        result = audit(
            target,
            epsilon=None if options.epsilon is None else number("epsilon", options.epsilon),
            delta=number("delta", options.delta),
            eta=None if options.eta is None else number("eta", options.eta),
            rho=None if options.rho is None else number("rho", options.rho),
            rdp=options.rdp,
            claim=options.claim,
            pair=None if options.levels is None else Levels.read(options.levels),
            arms=options.arms,
            rounds=options.rounds,
            engine=options.engine,
            gate=options.gate,
            tradeoff=options.tradeoff,
            evidence=options.evidence,
            adversary=options.adversary,
            runs=options.runs,
            seconds=options.seconds,
            clock=decided(options.clock),
            confidence=number("confidence", options.confidence),
            seed=options.seed,
            progress=runs(f"{options.target}: "),
            parameters=parameters,
            **setting_asked(options),
        )
        remind(options, finished=result.complete)
    return result


def decided(text: str | None) -> list[Any]:
    """What the clock decided, as a replay command says it."""
    try:
        found = [] if text is None else json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list):
        given = shortened(repr(text), 60)
        raise UsageError(f"clock: got {given}, allowed is what an answer's own command says")
    return found


def _catalogue(options: argparse.Namespace) -> int:
    from dpaudit.auditor.auditing import sizes
    from dpaudit.auditor.whole_catalogue import audit_catalogue, readings
    from dpaudit.cli.terminal import table
    from dpaudit.digests import digest_with
    from dpaudit.report.markdown.catalogue import HEADER, catalogue_page, row, title
    from dpaudit.results.documents import Catalogue
    from dpaudit.results.made import commit, record

    others = {name: getattr(options, name) for name in ("eta", "rho", "rdp")}
    alone = ("tradeoff", "evidence", "gate", "adversary", "levels", "seconds", "clock")
    others |= {name: getattr(options, name) or None for name in alone}
    others |= {"engine": None if options.engine == "auto" else options.engine}
    others |= {"delta": options.delta if number("delta", options.delta) else None}
    given = setting_asked(options) | {k: v for k, v in others.items() if v is not None}
    for name in given:
        raise UsageError(f"{name}: is for one learner; name a TARGET")
    if options.param:
        raise UsageError("param: the catalogue is audited in its own readings; name a TARGET")
    arms, rounds = sizes(options.arms, options.rounds)
    results: list[AuditResult] = []
    failed = False
    total = len(readings())
    attest(options, (each.name for each in readings()))
    say(f"0/{total}")
    with runner_of(options) as runner:
        runner.bind("audit", [question(options), [vars(each) for each in readings()]])
        for answer in audit_catalogue(
            epsilon=1.0 if options.epsilon is None else number("epsilon", options.epsilon),
            arms=arms,
            rounds=rounds,
            confidence=number("confidence", options.confidence),
            runs=None if options.runs is None else check_count("runs", options.runs),
            seed=check_count("seed", options.seed, 0),
        ):
            if isinstance(answer, UsageError):
                print(f"dpaudit: {answer}", file=sys.stderr)
                failed = True
                continue
            results.append(answer)
            say(f"{len(results)}/{total} {answer.target}")
            if not answer.complete:
                break
        remind(options, finished=len(results) + failed >= total)
    say("")
    results.sort(key=lambda r: (r.verdict != "violated", -r.lower_bound / r.claim.level))
    document = Catalogue(results)
    write_outputs(options, results)
    heading = title(results, options.arms, options.confidence)
    if options.out:
        page = catalogue_page(results, heading, options.seed)
        write_folder(Path(options.out), {"catalogue.md": page})
        commit(Path(options.out), "catalogue", document.public())
        home = audit_catalogue.__module__
        made = {f"catalogue/{r.target}": (digest_with(home, r.target), r.seconds) for r in results}
        record(Path(options.out), made)
    write(options.json, document.json())
    if options.json != "-":
        table(heading, HEADER, [row(result) for result in results])
    return exit_code(results, total, failed=failed)
