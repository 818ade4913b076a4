"""`dpaudit regret TARGET`: a learner's regret at log-spaced horizons, simulated or exact."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from dpaudit.cli.options import add_runner_options, parameter_of, remind, runner_of
from dpaudit.cli.terminal import runs, say, write
from dpaudit.errors import UsageError, check_count, check_number

if TYPE_CHECKING:
    from dpaudit.results.regret import RegretResult

EXAMPLE = """examples:
  dpaudit regret anytime-lazy-ucb --means 0.75,0.5,0.25 --epsilon 0.5 --horizon 1e12 --runs 1000
  dpaudit regret rnm-ftnl --means 0.75,0.25 --epsilon 0.1 --horizon 1e18 --exact --json -
  dpaudit regret ucb1 --values 0,0.5,1 --probabilities "0.2,0.3,0.5;0.5,0.3,0.2" --horizon 1e5
  dpaudit regret rnm-ftnl-laplace --worst 1,1 --epsilon 1 --horizon 1e6
  dpaudit regret my_learner.py:MyLearner --means 0.7,0.3 --epsilon 1 --horizon 500 --runs 100"""


def options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("target", metavar="TARGET", help="a catalogue name, module:Class or file.py:Class")
    add("--means", metavar="M1,M2,…", help="mean rewards (losses, for a learner on losses)")
    add("--horizon", metavar="T", required=True, help="the last horizon; 1e12 is fine")
    add("--epsilon", metavar="E", help="privacy parameter")
    add("--environment", default="bernoulli", help="bernoulli or deterministic")
    add("--values", metavar="V1,V2,…", help="arms on a finite set: its values")
    add("--probabilities", metavar="P1,P2,…;…", help="… and their probabilities, one row an arm")
    add("--param", metavar="NAME=VALUE", action="append", default=[], help="a parameter's value")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--runs", metavar="N", default="1000", help="runs (default 1000)")
    how.add_argument("--exact", action="store_true", help="compute the expectation")
    how.add_argument(
        "--worst",
        metavar="C1,C2,…",
        help="bracket the regret's supremum over the gaps of groups of so many arms, fixed payoffs",
    )
    add("--points", metavar="N", default="25", help="number of horizons (default 25)")
    add("--confidence", metavar="C", default="0.999", help="of the band (default 0.999)")
    add("--yes", action="store_true", help="play even what takes more than a day")
    add("--seed", metavar="S", default="0", help="seed (default 0)")
    add_runner_options(parser)
    add("--svg", metavar="FILE", help="draw the curve")
    add("--json", metavar="FILE", help="write the result as JSON; - is standard output")


def run(given: argparse.Namespace) -> int:
    """Print the curve, or the worst case; 3 if it was interrupted."""
    if given.worst is not None:
        return _worst_case(given)
    from dpaudit.laboratory.studies import DAY, regret

    infinite = float("inf")
    epsilon = None if given.epsilon is None else check_number("epsilon", given.epsilon, 0, infinite)
    environment: Any = given.environment
    if (given.values is None) != (given.probabilities is None):
        raise UsageError("values, probabilities: one needs the other")
    if given.values is not None:
        rows = [_numbers("probabilities", row) for row in given.probabilities.split(";")]
        environment = (_numbers("values", given.values), rows)
    parameters: dict[str, Any] = dict(parameter_of(text) for text in given.param)
    with runner_of(given):
        result = regret(
            given.target,
            means=None if given.means is None else _numbers("means", given.means),
            horizon=given.horizon,
            epsilon=epsilon,
            runs=given.runs,
            exact=given.exact,
            environment=environment,
            points=given.points,
            confidence=given.confidence,
            seed=check_count("seed", given.seed, 0),
            progress=runs(),
            announce=_announce,
            longest=infinite if given.yes else DAY,
            **parameters,
        )
        remind(given, finished=result.complete)
    say("")
    if given.svg:
        from dpaudit.report.figures import draw_regret

        draw_regret(result, given.svg)
    write(given.json, result.json())
    if given.json != "-":
        _show(result)
    return 0 if result.complete else 3


def _worst_case(given: argparse.Namespace) -> int:
    """How large the regret may be beside one best arm; 3 if it was interrupted, 4 if the bracket is
    wide for want of boxes."""
    from dpaudit.laboratory.exact.worst.search import TOLERANCE, replay, worst_gaps

    if given.means is not None or given.values is not None:
        raise UsageError("means: got some, allowed are none: the worst case is over all gaps")
    counts = _numbers("worst", given.worst)
    parameters: dict[str, Any] = dict(parameter_of(text) for text in given.param)
    found = worst_gaps(
        given.target,
        counts,
        check_count("horizon", given.horizon),
        epsilon=check_number("epsilon", given.epsilon, 0.0, float("inf"), low_open=True),
        progress=lambda boxes, low, high: say(f"{boxes} boxes, from {low:.6g} to {high:.6g}"),
        **parameters,
    )
    say("")
    write(given.json, found.json())
    if given.json != "-":
        groups = " and ".join(f"{count:g}" for count in counts)
        gaps = ", ".join(f"{gap:.6g}" for gap in found.gaps)
        print(f"{given.target}, fixed payoffs, {groups} arms beside the best, all gaps in [0, 1]")
        print(f"regret at horizon {float(given.horizon):g} is at most {found.most:.6g}")
        print(f"  and {found.least:.6g} at the gaps {gaps}")
        print(f"{found.boxes} boxes, {'replayed' if replay(found) else 'NOT replayed'}")
    if not found.complete:
        return 3
    return 0 if found.most <= found.least * (1.0 + TOLERANCE) else 4


def _announce(seconds: float) -> None:
    """What takes a minute or more is said wherever standard error goes."""
    from dpaudit.laboratory.forecast import in_words

    text = f"about {in_words(seconds)}"
    say(text)
    if seconds >= 60.0:
        print(text, file=sys.stderr)


def _numbers(name: str, text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"{name}: got {text!r}, allowed are numbers between commas") from None


def _show(result: RegretResult) -> None:
    from dpaudit.cli.terminal import table

    how = "exact" if result.exact else f"{result.runs} runs, confidence {result.confidence:g}"
    about = f"{result.target}, {result.environment} {', '.join(f'{m:g}' for m in result.means)}"
    epsilon = "" if result.epsilon is None else f", epsilon {result.epsilon:g}"
    header = ["horizon", "mean regret", "low", "high"]
    columns: list[Any] = [result.mean, result.low, result.high]
    if result.quantiles is not None:
        header += ["5 %", "median", "95 %"]
        columns += [result.quantiles[level] for level in ("0.05", "0.5", "0.95")]
    rows = [
        [_count(int(t)), *(f"{column[i]:.6g}" for column in columns)]
        for i, t in enumerate(result.horizons)
    ]
    table(f"{about}{epsilon}: {how}, {result.seconds:.1f} s", header, rows)
    for note in result.notes:
        print(f"note: {note}")


def _count(t: int) -> str:
    return str(t) if t < 10**7 else f"{t:.4g}"
