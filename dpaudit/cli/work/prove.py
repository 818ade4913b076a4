"""`dpaudit prove [TARGET]`: what the releases book at most, for every horizon."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from dpaudit.cli import HELD, INCONCLUSIVE, VIOLATED
from dpaudit.cli.options import parameter_of
from dpaudit.cli.terminal import say, write

if TYPE_CHECKING:
    from dpaudit.results.proofs import ProofResult

EXAMPLE = """examples:
  dpaudit prove anytime-lazy-ucb
  dpaudit prove ts-gaussian --rounds 1000
  dpaudit prove my_algorithm.py:my-ucb --json -
  dpaudit prove --recheck"""


def options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("target", metavar="TARGET", nargs="?", help="a catalogue name or file.py:NAME; else all")
    add("--arms", metavar="K", help="number of arms (default: every)")
    add("--rounds", metavar="T", help="horizon (default: every)")
    add("--param", metavar="NAME=VALUE", action="append", default=[], help="a parameter's value")
    add("--recheck", action="store_true", help="let a second solver answer all obligations again")
    add("--out", metavar="DIR", help="write the evidence there, a file an algorithm")
    add("--json", metavar="FILE", help="write the result as JSON; - is standard output")


def run(given: argparse.Namespace) -> int:
    """0: a bound, or how it grows; 1: private data gets past the releases of an algorithm that
    claims privacy; 4: undecided."""
    from dpaudit.play.catalogue import catalogue
    from dpaudit.prover.evidence import recheck, save
    from dpaudit.prover.prove import Proof, proof_of

    if given.recheck:
        return recheck(given.target)
    parameters = dict(parameter_of(text) for text in given.param)
    found: list[Proof] = []
    for name in [given.target] if given.target else catalogue():
        say(f"{name}")
        one = proof_of(name, arms=given.arms, rounds=given.rounds, **parameters)
        found.append(one)
        if given.out:
            save(one, given.out)
    say("")
    results = [one.result for one in found]
    if given.target:
        document = results[0].json()
    else:
        document = json.dumps([result.public() for result in results], indent=2)
    write(given.json, document)
    if given.json != "-":
        if given.target:
            _describe(results[0])
        else:
            _table(results)
    return max((_code(result) for result in results), key=[HELD, INCONCLUSIVE, VIOLATED].index)


def _code(result: ProofResult) -> int:
    from dpaudit.play.catalogue import resolve_target

    algorithm = resolve_target(result.target).algorithm
    claims = algorithm is not None and algorithm.card.privacy.notion != "none"
    if result.leak is not None:
        return VIOLATED if claims else HELD
    return INCONCLUSIVE if result.undecided is not None else HELD


def _scope(result: ProofResult) -> str:
    every = result.rounds == "every"
    rounds = "every T" if every else f"T = {result.rounds}"
    arms = "every K" if result.arms == "every" else f"K = {_arms(result)}"
    return f"for {rounds}, {arms} and every table"


def _arms(result: ProofResult) -> str:
    return ", ".join(map(str, result.arms)) if isinstance(result.arms, list) else str(result.arms)


def _bound(result: ProofResult) -> str:
    if result.bound is None:
        return "-"
    if result.notion == "gdp":
        return f"eta at most {result.bound:.6g}"
    return f"epsilon at most {float(f'{result.bound:.6g}')} times its epsilon"


def _describe(result: ProofResult) -> None:
    reading = "".join(f", {name}={value}" for name, value in result.parameters.items())
    print(f"{result.target}{reading}: ", end="")
    if result.leak is not None:
        where = f"{result.leak.file}, line {result.leak.line}" if result.leak.file else ""
        print(f"no bound: private data gets past the releases\n  {where}: {result.leak.text}")
    elif result.undecided is not None:
        print(f"undecided\n  {result.undecided}")
    elif result.bound is None:
        print("no bound for every T")
    else:
        print(f"{_bound(result)}, {_scope(result)}")
    if result.growth:
        print(f"  {result.growth}")
    seen: dict[str, int] = {}
    for arrow in result.graph:
        books = " + ".join(arrow.books) or "0"
        source, target = (" and ".join(end) or "nothing" for end in (arrow.source, arrow.target))
        where = f" ({', '.join(dict.fromkeys(arrow.where))})" if arrow.where else ""
        line = f"  {source} differs -> {target} differs: books {books}{where}"
        seen[line] = seen.get(line, 0) + 1
    for line, times in seen.items():
        print(line + (f", {times} ways" if times > 1 else ""))
    for words in result.counted:
        print(f"  counted by {words}")
    for words in result.assumed:
        print(f"  assumed: {words}")
    print(f"  {result.seconds:.1f} s")


def _table(results: list[ProofResult]) -> None:
    from dpaudit.cli.terminal import table

    rows = [
        [
            result.target,
            result.notion,
            result.verdict,
            _bound(result),
            _arms(result),
            f"{result.seconds:.1f} s",
            _why(result),
        ]
        for result in results
    ]
    header = ["algorithm", "notion", "proof", "bound", "K", "time", ""]
    table("what the releases book at most", header, rows)


def _why(result: ProofResult) -> str:
    if result.leak is not None:
        return f"{result.leak.file}, line {result.leak.line}"
    return result.undecided or result.growth or ""
