"""`dpaudit prove [TARGET]`: what the releases book at most, for every horizon."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit.cli import HELD, INCONCLUSIVE, VIOLATED
from dpaudit.cli.options import parameter_of
from dpaudit.cli.terminal import rechecked, say, write
from dpaudit.errors import UsageError

if TYPE_CHECKING:
    from dpaudit.results.proofs import ProofResult
    from dpaudit.results.proofs.mending import Mend

EXAMPLE = """examples:
  dpaudit prove anytime-lazy-ucb
  dpaudit prove ts-gaussian --rounds 1000
  dpaudit prove my_algorithm.py:my-ucb --json -
  dpaudit prove --out proofs
  dpaudit prove --recheck --out proofs"""


def options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("target", metavar="TARGET", nargs="?", help="a catalogue name or file.py:NAME; else all")
    add("--arms", metavar="K", help="number of arms (default: every)")
    add("--rounds", metavar="T", help="horizon (default: every)")
    add("--param", metavar="NAME=VALUE", action="append", default=[], help="a parameter's value")
    add("--recheck", action="store_true", help="let a second solver answer all questions again")
    add("--out", metavar="DIR", help="where the evidence is, or is written (reports/proofs)")
    add("--json", metavar="FILE", help="write the result as JSON; - is standard output")


def run(given: argparse.Namespace) -> int:
    """0: a bound, or how it grows; 1: private data gets past the releases of an algorithm that
    claims privacy; 4: undecided."""
    from dpaudit.play.catalogue import catalogue
    from dpaudit.prover.evidence import save
    from dpaudit.prover.prove import proof_of

    if given.recheck:
        return _recheck(given)
    parameters = dict(parameter_of(text) for text in given.param)
    if parameters and not given.target:
        raise UsageError("param: needs a target")
    results: list[ProofResult] = []
    for name in [given.target] if given.target else catalogue():
        say(f"{name}")
        proof = proof_of(name, arms=given.arms, rounds=given.rounds, **parameters)
        results.append(proof.result)
        if given.out:
            save(proof, Path(given.out))
    say("")
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


def _recheck(given: argparse.Namespace) -> int:
    """0 if all evidence is of the code as it is and the second solver agrees; 1 if not."""
    from dpaudit.prover.evidence import same_as_now
    from dpaudit.recheck.numbers import Refused
    from dpaudit.recheck.proofs import check

    folder = Path(given.out or _committed())
    files = sorted(folder.glob("*.json"))
    if given.target:
        files = [
            f for f in files if f.stem == given.target or f.stem.startswith(given.target + "-")
        ]
    if not files:
        raise UsageError(f"out: no evidence in {folder}; `dpaudit prove --out {folder}` makes it")

    def look(file: Path) -> list[str]:
        try:
            result, asked = check(file)
            other = same_as_now(result)
        except ImportError:
            raise UsageError("recheck: needs a second solver, pip install cvc5") from None
        if other:
            raise Refused(f"{file.name}: {other}")
        return [result["target"], str(asked), _shown(result), "every answer is no"]

    keys = ("evidence", "questions", "bound", "answer")
    header = ("algorithm", "questions", "bound", "answers")
    refused = rechecked("evidence, checked by cvc5", files, look, keys, header, given.json)
    return VIOLATED if refused else HELD


def _committed() -> Path:
    from dpaudit.results.made import checkout

    return (checkout() or Path("reports")) / "proofs"


def _shown(result: dict[str, Any]) -> str:
    return "none" if result["bound"] is None else f"{result['bound']:.6g}"


def _code(result: ProofResult) -> int:
    from dpaudit.play.catalogue import resolve_target

    algorithm = resolve_target(result.target).algorithm
    claims = algorithm is None or algorithm.card.privacy.notion != "none"
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
        if result.law is None:
            return "-"
        if result.notion == "gdp":
            return f"eta at most {result.law}"
        times = "" if result.law.endswith("/ epsilon") else " times its epsilon"
        return f"epsilon at most {result.law}{times}"
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
    elif result.bound is None and result.law is None:
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
    for mend in _mends(result):
        print(f"  mended by: {mend.text}")
    for words in result.counted:
        print(f"  counted by {words}")
    for words in result.assumed:
        print(f"  assumed: {words}")
    if theorem := _theorem(result):
        print(f"  {theorem}")
    print(f"  {result.seconds:.1f} s")


def _mends(result: ProofResult) -> list[Mend]:
    """What would bring an algorithm of pure privacy down to its own epsilon."""
    from dpaudit.play.catalogue import resolve_target
    from dpaudit.results.proofs.mending import mends

    algorithm = resolve_target(result.target).algorithm
    pure = algorithm is None or algorithm.card.privacy.notion == "pure"
    return mends(result, 1.0) if pure and result.notion == "pure" else []


def _theorem(result: ProofResult) -> str:
    """The theorem about an entry of the catalogue, and whether the proof gives its hypothesis."""
    from dpaudit.ledger.published.theorems import register

    theorem = register().algorithms.get(result.target)
    if theorem is None:
        return ""
    why = theorem.unmet(result)
    given = "has its hypothesis" if why is None else f"lacks its hypothesis: {why}"
    return f"theorem {theorem.name} (proofs_checks/rocq/{theorem.file}) {given}"


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
