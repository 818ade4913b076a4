"""`dpaudit curve TARGET`: what the actions of a whole learner give away, exactly."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dpaudit.cli.options import parameter_of
from dpaudit.cli.terminal import say, write, writing

if TYPE_CHECKING:
    from dpaudit.results.curves import AlongResult, CurveResult, LossesResult

EXAMPLE = """examples:
  dpaudit curve ts-gaussian --rounds 20
  dpaudit curve ts-gaussian --rounds 4 --all      (the worst pair of all binary tables)
  dpaudit curve dp-ts-ucb --rounds 12 --gap 0.3
  dpaudit curve dp-ucb-bound --rounds 6 --epsilon 0.5     (kept noise, integrated in closed form)
  dpaudit curve thompson --rounds 8 --changed 3 --json -
  dpaudit curve thompson --rounds 12 --losses 8   (1 to 8 changed rows, over all binary tables)
  dpaudit curve ts-gaussian --rounds 4096 --along 0,1     (a lower bound, of 0, 1, 1, 1, ...)
  dpaudit curve ts-gaussian --rounds 8 --masses ts.json      (for accountants that compose)"""


def options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "target",
        metavar="TARGET",
        help="a learner that draws afresh in every round, or keeps Laplace noise",
    )
    add(
        "--rounds",
        metavar="T",
        required=True,
        help="number of rounds, at most 23; 8 with --all, 100,000 with --along",
    )
    add("--changed", metavar="M", default="1", help="rows that differ (default 1)")
    add("--gap", metavar="G", help="between the arms' rewards in other rows (default: all are 0)")
    what = parser.add_mutually_exclusive_group()
    one = what.add_argument
    one("--all", action="store_true", help="search all binary tables, at most 8 rounds")
    one("--losses", metavar="M", help="epsilon(m), m = 1 to M changed rows, over all binary tables")
    one("--along", metavar="A,B,...", help="lower bounds from this sequence, its last arm repeated")
    add(
        "--epsilon", metavar="E", default="1", help="what it is set to, if it takes one (default 1)"
    )
    add("--levels", metavar="N", help="rewards 0, 1/(N-1), ..., 1, not only 0 and 1")
    add("--param", metavar="NAME=VALUE", action="append", default=[], help="a parameter's value")
    add("--masses", metavar="FILE", help="write both laws as probability mass functions")
    add("--json", metavar="FILE", help="write the result as JSON; - is standard output")


def run(given: argparse.Namespace) -> int:
    from dpaudit.curves.answer import export, privacy_along, privacy_curve, privacy_losses
    from dpaudit.errors import UsageError

    parameters = dict(parameter_of(text) for text in given.param)
    if given.masses and (given.losses or given.along):
        raise UsageError("masses: allowed for one pair of tables, not with --losses and --along")
    asked = {"rounds": given.rounds, "epsilon": given.epsilon}
    if given.levels is not None and not (given.all or given.losses):
        raise UsageError("levels: allowed with --all and --losses only")
    levels = given.levels or "2"
    if given.losses:
        if given.gap is not None or given.changed != "1":
            raise UsageError("losses: looks at all tables; --gap and --changed are not allowed")
        losses = privacy_losses(
            given.target,
            most=given.losses,
            levels=levels,
            **asked,
            progress=lambda n: say(f"{n:,} done"),
            **parameters,
        )
        return _written(given, losses, _show_losses)
    pair = {**asked, "changed": given.changed, "gap": given.gap}
    if given.along:
        begins = [_arm(text) for text in given.along.split(",")]
        seen = privacy_along(
            given.target,
            begins=begins,
            progress=lambda t: say(f"round {t}"),
            **pair,
            **parameters,
        )
        return _written(given, seen, _show_along)
    say(f"all sequences of {given.rounds} actions")
    result, found = privacy_curve(
        given.target,
        everything=given.all,
        levels=levels,
        progress=lambda n: say(f"{n:,} done"),
        **pair,
        **parameters,
    )
    say("")
    if given.masses:
        with writing(f"masses: cannot write {given.masses}"):
            export(found, given.masses)
    return _written(given, result, _show)


def _written(given: argparse.Namespace, result: Any, show: Callable[[Any], None]) -> int:
    say("")
    write(given.json, result.json())
    if given.json != "-":
        show(result)
    return 0


def _arm(text: str) -> int:
    from dpaudit.errors import check_count

    return check_count("along", text.strip(), 0, 1)


def _show_losses(result: LossesResult) -> None:
    print(f"{result.target}, K = 2, T = {result.rounds}: epsilon(m) by rows that change")
    first = result.losses[0].epsilon
    for each in result.losses:
        if each.epsilon is None or first is None:
            print(f"  {each.changed}: none")
        else:
            print(
                f"  {each.changed}: {each.epsilon:.6f}, {each.epsilon / each.changed:.6f} a row, "
                f"{each.epsilon / first:.4f} times that of one"
            )
    print(f"  searched over: {result.searched}")
    print(f"  {result.seconds:.1f} s")


def _show_along(result: AlongResult) -> None:
    begins = ", ".join(map(str, result.begins))
    print(f"{result.target}, K = 2: actions {begins}, {result.begins[-1]}, ...: lower bounds")
    for each in result.points:
        if each.mu_low is None or each.epsilon_low is None:
            print(f"  T = {each.rounds}: cannot happen under one of the tables")
            continue
        root = each.mu_low / math.sqrt(each.rounds)
        claim = "" if each.claimed_mu is None else f", claimed {each.claimed_mu:.6f}"
        print(
            f"  T = {each.rounds}: mu at least {each.mu_low:.6f} ({root:.4f} sqrt(T)){claim}; "
            f"epsilon at least {each.epsilon_low:.6f}"
        )
    print("  of one pair and one sequence: the learner gives away this much or more")
    print(f"  {result.seconds:.1f} s")


def _which(result: CurveResult) -> str:
    return "this pair is" if result.searched.startswith("nothing") else "all pairs are"


def _show(result: CurveResult) -> None:
    rows = "row" if result.changed == 1 else "rows"
    print(
        f"{result.target}, K = 2, T = {result.rounds}, {result.changed} {rows} changed: "
        f"{result.sequences:,} action sequences"
    )
    width = result.mu_high - result.mu_low
    print(
        f"  {_which(result)} mu-GDP for mu = {result.mu_high:.6f} (to {width:.0e}), for none less"
    )
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
