"""`dpaudit curve TARGET`: what the actions of a whole learner give away, exactly."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from dpaudit.cli.options import parameter_of
from dpaudit.cli.terminal import say, write, writing

if TYPE_CHECKING:
    from dpaudit.results.curves import CurveResult

EXAMPLE = """examples:
  dpaudit curve ts-gaussian --rounds 20
  dpaudit curve ts-gaussian --rounds 4 --all      (the worst pair of all binary tables)
  dpaudit curve dp-ts-ucb --rounds 12 --gap 0.3
  dpaudit curve thompson --rounds 8 --changed 3 --json -
  dpaudit curve ts-gaussian --rounds 8 --masses ts.json      (for accountants that compose)"""


def options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("target", metavar="TARGET", help="a learner that draws afresh in every round")
    add("--rounds", metavar="T", required=True, help="number of rounds, at most 23")
    add("--changed", metavar="M", default="1", help="rows that differ (default 1)")
    add("--gap", metavar="G", help="between the arms' rewards in other rows (default: all are 0)")
    add("--all", action="store_true", help="search all binary tables, at most 5 rounds")
    add("--param", metavar="NAME=VALUE", action="append", default=[], help="a parameter's value")
    add("--masses", metavar="FILE", help="write both laws as probability mass functions")
    add("--json", metavar="FILE", help="write the result as JSON; - is standard output")


def run(given: argparse.Namespace) -> int:
    from dpaudit.curves.answer import export, privacy_curve

    say(f"all sequences of {given.rounds} actions")
    result, found = privacy_curve(
        given.target,
        rounds=given.rounds,
        changed=given.changed,
        gap=given.gap,
        everything=given.all,
        progress=lambda n: say(f"pair {n}"),
        **dict(parameter_of(text) for text in given.param),
    )
    say("")
    if given.masses:
        with writing(f"masses: cannot write {given.masses}"):
            export(found, given.masses)
    write(given.json, result.json())
    if given.json != "-":
        _show(result)
    return 0


def _show(result: CurveResult) -> None:
    rows = "row" if result.changed == 1 else "rows"
    print(
        f"{result.target}, K = 2, T = {result.rounds}, {result.changed} {rows} changed: "
        f"{result.sequences:,} action sequences"
    )
    width = result.mu_high - result.mu_low
    print(f"  this pair is mu-GDP for mu = {result.mu_high:.6f} (to {width:.0e}) and for none less")
    if result.claimed_mu is not None:
        print(f"  claimed for every table: {result.claimed_mu:.6f}")
    print("  pure epsilon: " + ("none" if result.epsilon is None else f"{result.epsilon:.6f}"))
    deltas = ", ".join(f"{delta:.3g} at {epsilon}" for epsilon, delta in result.deltas.items())
    print(f"  delta(epsilon): {deltas}")
    print(f"  searched over: {result.searched}")
    for name, table in (("table", result.rewards), ("neighbour", result.neighbour)):
        shown = " ".join("".join(f"{x:g}" for x in row) for row in table)
        print(f"  {name}: {shown}" if set(shown) <= set("01 ") else f"  {name}: {table}")
    print(f"  {result.seconds:.1f} s")
