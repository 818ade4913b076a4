"""`dpaudit regret TARGET`: a learner's regret at log-spaced horizons, simulated or exact."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from dpaudit.cli.options import add_runner_options, parameter_of, remind, runner_of
from dpaudit.cli.terminal import runs, say, table, write
from dpaudit.errors import UsageError, check_count, check_number

if TYPE_CHECKING:
    from dpaudit.results.regret import RegretResult

EXAMPLE = """examples:
  dpaudit regret anytime-lazy-ucb --means 0.75,0.5,0.25 --epsilon 0.5 --horizon 1e12 --runs 1000
  dpaudit regret rnm-ftnl --means 0.75,0.25 --epsilon 0.1 --horizon 1e18 --exact --json -
  dpaudit regret ucb1 --values 0,0.5,1 --probabilities "0.2,0.3,0.5;0.5,0.3,0.2" --horizon 1e5
  dpaudit regret ucb1 --means 0.7,0.3 --change 5e4:0.3,0.7 --horizon 1e5 --metric all
  dpaudit regret thompson --means 0.7,0.3 --delay 100 --batch 10 --horizon 1e3 --runs 100
  dpaudit regret ucb1 --instances suite.toml --horizon 1e5
  dpaudit regret ucb1 --environment adversary.py:rewards --arms 2 --horizon 1e3 --runs 100
  dpaudit regret rnm-ftnl-laplace --worst 1,1 --epsilon 1 --horizon 1e6
  dpaudit regret my_learner.py:MyLearner --means 0.7,0.3 --epsilon 1 --horizon 500 --runs 100"""
HEADERS = {
    "realised": ("realised", "deviation"),
    "error": ("wrong arm", "low", "high"),
    "switches": ("switches", "low", "high"),
}
"""Of the columns of a metric."""
NOT_WITH_INSTANCES = ("means", "values", "probabilities", "change", "drift", "arms")


def options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("target", metavar="TARGET", help="a catalogue name, module:Class or file.py:Class")
    add("--means", metavar="M1,M2,…", help="mean rewards (losses, for a learner on losses)")
    add("--horizon", metavar="T", required=True, help="the last horizon; 1e12 is fine")
    add("--epsilon", metavar="E", help="privacy parameter")
    add("--environment", help="bernoulli (default), deterministic or a function, file.py:NAME")
    add("--arms", metavar="K", help="of a function whose means are not known")
    add("--values", metavar="V1,V2,…", help="arms on a finite set: its values")
    add("--probabilities", metavar="P1,P2,…;…", help="… and their probabilities, one row an arm")
    add("--change", metavar="T:M1,M2,…", action="append", help="other means from round T on")
    add("--drift", metavar="M1,M2,…", help="means of the last round: they move along a line")
    add("--instances", metavar="FILE", help="named instances, TOML or JSON (.json)")
    add("--instance", metavar="NAME", help="only this one of them")
    add("--delay", metavar="D", default="0", help="feedback comes D rounds late …")
    add("--batch", metavar="B", default="1", help="… after the end of a batch of B rounds")
    add("--metric", metavar="NAME", action="append", default=[], help=_METRIC)
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


_METRIC = "linear, realised, error, switches or all; may be given several times"


def run(given: argparse.Namespace) -> int:
    """Print the curve, or the worst case; 3 if it was interrupted."""
    if given.worst is not None:
        return _worst_case(given)
    from dpaudit.laboratory.lower_bounds.beside import bounded
    from dpaudit.laboratory.studies import DAY, regret

    infinite = float("inf")
    epsilon = None if given.epsilon is None else check_number("epsilon", given.epsilon, 0, infinite)
    places = list(_places(given))
    parameters: dict[str, Any] = dict(parameter_of(text) for text in given.param)
    settings: dict[str, Any] = {
        "horizon": given.horizon,
        "epsilon": epsilon,
        "runs": given.runs,
        "exact": given.exact,
        "delay": given.delay,
        "batch": given.batch,
        "metrics": given.metric,
        "points": given.points,
        "confidence": given.confidence,
        "seed": check_count("seed", given.seed, 0),
        "announce": _announce,
        "longest": infinite if given.yes else DAY,
    }
    complete = True
    with runner_of(given):
        for name, place in places:
            about = f"{name}: " if name else ""
            clash = next((each for each in parameters if each in {*settings, *place}), None)
            if clash is not None:
                raise UsageError(f"param: got {clash}, which is an option of its own")
            result = regret(given.target, **settings, **place, progress=runs(about), **parameters)
            result = bounded(given.target, result)
            complete = complete and result.complete
            say("")
            if given.svg:
                from dpaudit.report.figures import draw_regret

                draw_regret(result, given.svg)
            write(given.json, result.json())
            if given.json != "-":
                _show(result, about)
            if not complete:
                break
        remind(given, finished=complete)
    return 0 if complete else 3


def _places(given: argparse.Namespace) -> Iterator[tuple[str, dict[str, Any]]]:
    """The instances that are played, by name; the one of the options has none."""
    if given.instances is None:
        if given.instance is not None:
            raise UsageError("instance: given without instances, the file that it is in")
        yield "", _place(given)
        return
    from dpaudit.play.instances import chosen, read_instances

    for option in (*NOT_WITH_INSTANCES, "environment"):
        if getattr(given, option) is not None:
            raise UsageError(f"{option}: given with instances, which say it")
    known = read_instances(given.instances)
    wanted = known if given.instance is None else [chosen(known, given.instance)]
    if len(wanted) > 1 and (given.json or given.svg or given.journal):
        one = next(name for name in ("json", "svg", "journal") if getattr(given, name))
        names = ", ".join(each.name for each in wanted)
        raise UsageError(f"{one}: is for one instance; choose by --instance: {names}")
    for each in wanted:
        yield each.name, each.given()


def _place(given: argparse.Namespace) -> dict[str, Any]:
    """What the options say of the environment."""
    if (given.values is None) != (given.probabilities is None):
        raise UsageError("values, probabilities: one needs the other")
    place: dict[str, Any] = {"environment": given.environment or "bernoulli", "arms": given.arms}
    if ":" in place["environment"]:
        from dpaudit.play.catalogue import loaded

        try:
            place["environment"] = loaded(given.environment)[2]
        except UsageError as error:
            raise UsageError(str(error).replace("target:", "environment:", 1)) from None
    if given.values is not None:
        rows = [_numbers("probabilities", row) for row in given.probabilities.split(";")]
        place["environment"] = (_numbers("values", given.values), rows)
    place["means"] = None if given.means is None else _numbers("means", given.means)
    place["changes"] = [_change(text) for text in given.change or []]
    place["drift"] = None if given.drift is None else _numbers("drift", given.drift)
    return place


def _change(text: str) -> tuple[int, list[float]]:
    start, colon, means = text.partition(":")
    if not colon:
        raise UsageError(f"change: got {text!r}, allowed is a round, a colon and means")
    return check_count("change", start, 2), _numbers("change", means)


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


def _show(result: RegretResult, name: str = "") -> None:
    how = "exact" if result.exact else f"{result.runs} runs, confidence {result.confidence:g}"
    about = f"{name}{result.target}, {result.environment} {_listed(result.means)}".rstrip()
    about += "".join(f", from round {t} on {_listed(means)}" for t, means in result.changes)
    about += "" if result.drift is None else f", to {_listed(result.drift)}"
    epsilon = "" if result.epsilon is None else f", epsilon {result.epsilon:g}"
    header = ["horizon", "mean regret", "low", "high"]
    columns: list[Any] = [result.mean, result.low, result.high]
    if result.normal_low is not None:
        header += ["normal low", "normal high"]
        columns += [result.normal_low, result.normal_high]
    if result.quantiles is not None:
        header += ["5 %", "median", "95 %"]
        columns += [result.quantiles[level] for level in ("0.05", "0.5", "0.95")]
    for below in result.lower_bounds:
        header.append(f"over {below.short}")
        columns.append(
            [m / b if b > 0.0 else math.inf for m, b in zip(result.mean, below.values, strict=True)]
        )
    rows = _rows(result, columns)
    table(f"{about}{epsilon}: {how}, {result.seconds:.1f} s", header, rows)
    if result.metrics:
        header, columns = ["horizon"], []
        for metric, found in result.metrics.items():
            parts = [found.mean, found.deviation, found.low, found.high]
            known = [part for part in parts if part is not None]
            header += HEADERS[metric][: len(known)]
            columns += known
        table("beside the regret, means over the runs", header, _rows(result, columns))
    if result.measured != "pseudo-regret":
        print(f"measured: {result.measured}")
    for below in result.lower_bounds:
        recalled = ", recalled from the literature" if below.recalled else ""
        what = "asymptotic: regret may lie below" if below.asymptotic else "at every horizon"
        print(f"lower bound: {below.name} ({below.source}{recalled}), {below.whom}; {what}")
    for note in result.notes:
        print(f"note: {note}")


def _rows(result: RegretResult, columns: list[Any]) -> list[list[str]]:
    return [
        [_count(int(t)), *(f"{column[i]:.6g}" for column in columns)]
        for i, t in enumerate(result.horizons)
    ]


def _listed(means: list[float]) -> str:
    return ", ".join(f"{m:g}" for m in means)


def _count(t: int) -> str:
    return str(t) if t < 10**7 else f"{t:.4g}"
