"""`dpaudit optimal`: the least regret of any private learner, certified, and the catalogue's."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from dpaudit.cli import HELD, VIOLATED
from dpaudit.cli.terminal import say, table, write, writing
from dpaudit.errors import UsageError

if TYPE_CHECKING:
    from dpaudit.optimal.question import Question
    from dpaudit.results.optima import OptimumResult

EXAMPLE = """examples:
  dpaudit optimal --rounds 5 --arms 2 --epsilon 1
  dpaudit optimal --rounds 6 --epsilon 0.5 --feedback bandit --alone --json -
  dpaudit optimal --rounds 4 --arms 3 --epsilon 1 --out certificates
  dpaudit optimal --recheck --out certificates"""


def options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--rounds", metavar="T", help="number of rounds")
    add("--arms", metavar="K", default="2", help="number of arms (default 2)")
    add("--epsilon", metavar="E", help="privacy parameter")
    add("--delta", metavar="D", default="0", help="of (epsilon, delta)-DP (default 0)")
    add("--gap", metavar="G", default="0.5", help="between the arms' mean losses (default 0.5)")
    add("--feedback", metavar="F", default="full-information", help="or bandit")
    add("--alone", action="store_true", help="leave out the catalogue's learners")
    add("--recheck", action="store_true", help="check all certificates in DIR, in whole numbers")
    add("--out", metavar="DIR", help="where certificates are (default: optima, beside the results)")
    add("--json", metavar="FILE", help="write the result as JSON; - is standard output")


def run(given: argparse.Namespace) -> int:
    """0: certified; 1: a certificate is refused; 3: the solver found no optimum."""
    from dpaudit.results.made import own_folder

    folder = Path(given.out) if given.out else own_folder() / "optima"
    if given.recheck:
        return _recheck(given, folder)
    for name in ("rounds", "epsilon"):
        if getattr(given, name) is None:
            raise UsageError(f"{name}: none given, allowed is a number")
    from dpaudit.optimal.question import asked

    names = ("rounds", "arms", "epsilon", "delta", "gap", "feedback")
    question = asked(**{name: getattr(given, name) for name in names})
    result = _answer(question, folder, alone=given.alone)
    write(given.json, result.json())
    if given.json != "-":
        _show(result, folder)
    return HELD


def _answer(question: Question, folder: Path, *, alone: bool) -> OptimumResult:
    from dpaudit.optimal.certificate import certified
    from dpaudit.optimal.efficiency import beside, left_out
    from dpaudit.optimal.program import check_size

    pairs = check_size(question)
    say(f"solving for {pairs:,} pairs of histories")
    with writing(f"out: cannot write to {folder}"):
        result = certified(question, folder)
    if not alone:
        from msgspec.structs import replace

        found = beside(question, progress=lambda name: say(f"regret of {name}"))
        notes = [f"{name} takes no such epsilon and is left out" for name in left_out(question)]
        result = replace(result, learners=found, notes=notes)
    say("")
    return result


def _recheck(given: argparse.Namespace, folder: Path) -> int:
    """Every certificate's bound, found again by the checker."""
    from dpaudit.recheck.numbers import Refused
    from dpaudit.recheck.optima import check

    files = sorted(folder.glob("*.json"))
    if not files:
        raise UsageError(
            f"out: no certificate in {folder}; `dpaudit optimal --rounds 4 --epsilon 1 "
            f"--out {folder}` makes one"
        )
    rows, refused = [], 0
    for file in files:
        say(file.stem)
        try:
            _, bound = check(file)
            rows.append([file.stem, f"{float(bound):.9f}", "proved"])
        except Refused as error:
            refused += 1
            rows.append([file.stem, "", f"refused: {error}"])
    say("")
    if given.json:
        keys = ("certificate", "bound", "answer")
        write(given.json, json.dumps([dict(zip(keys, row, strict=True)) for row in rows], indent=2))
    if given.json != "-":
        table("lower bounds for every private learner, in whole numbers", ["", "regret", ""], rows)
    return VIOLATED if refused else HELD


def _show(result: OptimumResult, folder: Path) -> None:
    delta = f", delta = {result.delta:g}" if result.delta else ""
    print(
        f"{result.feedback}, K = {result.arms}, T = {result.rounds}, gap {result.instance_gap:g}, "
        f"epsilon = {result.epsilon:g}{delta}"
    )
    print(f"  every private learner's worst-case regret is at least {result.certified:.9f}")
    print(f"  and one has {result.value:.9f} (uniform play: {result.uniform:.6g})")
    print(f"  certificate: {folder / str(result.certificate)}")
    print(
        f"  {result.variables:,} variables, {result.pairs:,} pairs of histories, "
        f"{result.seconds:.1f} s"
    )
    for note in result.notes:
        print(f"note: {note}")
    if result.learners:
        rows = [
            [
                each.name,
                f"{each.low:.4f}" if each.exact else f"{each.low:.4f} to {each.high:.4f}",
                "exact" if each.exact else f"{each.runs:,} runs",
                f"{50 * (each.low + each.high) / result.certified - 100:+.0f} %",
                each.claims,
            ]
            for each in result.learners
        ]
        header = ["learner", "regret", "", "above the bound", "claims"]
        table("the catalogue on the same instances", header, rows)
