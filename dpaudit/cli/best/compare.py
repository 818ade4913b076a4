"""`dpaudit compare NAME…`: which learner is best, on one instance or on a suite of them."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit.cli.options import add_runner_options, question, remind, runner_of
from dpaudit.cli.terminal import say, table, write, writing
from dpaudit.errors import UsageError, check_count, check_number

if TYPE_CHECKING:
    from dpaudit.results.comparison import Comparison

EXAMPLE = """examples:
  dpaudit compare anytime-lazy-ucb adap-klucb lazy-dp-ts --epsilon 0.5
  dpaudit compare adap-ucb dp-se --means 0.75,0.5,0.25 --horizon 1e12 --epsilon 1 --svg best.svg
  dpaudit compare rnm-ftnl-gumbel hedge --suite many-arms --epsilon 0.1 --json -
  dpaudit compare ucb1 my_learner.py:MyLearner --suite my_instances.toml --horizon 500 --epsilon 1
  dpaudit compare --leaderboard --out reports       (the whole catalogue, at 10^6 and at 10^12)"""
RUNS = "200"
HORIZON = "1e6"


def options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("target", metavar="NAME", nargs="*", help="catalogue names, module:Class or file.py:Class")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--means", metavar="M1,M2,…", help="one instance: mean rewards")
    where.add_argument(
        "--suite",
        metavar="S",
        help="easy, hard, many-arms, small-epsilon, all (default), or a file",
    )
    add("--horizon", metavar="T", default=HORIZON, help=f"rounds (default {HORIZON})")
    add("--epsilon", metavar="E", help="privacy parameter")
    add("--environment", default="bernoulli", help="bernoulli or deterministic; with --means")
    add("--runs", metavar="N", default=RUNS, help=f"runs of each (default {RUNS})")
    add("--confidence", metavar="C", default="0.999", help="of all answers together")
    add("--yes", action="store_true", help="play even what takes more than a day")
    add("--seed", metavar="S", default="0", help="seed (default 0)")
    add_runner_options(parser)
    add("--leaderboard", action="store_true", help="compare the whole catalogue")
    add("--longest", metavar="S", help="of --leaderboard: leave out whom an instance takes longer")
    add("--out", metavar="DIR", help="of --leaderboard: write leaderboard.json and its page there")
    add("--svg", metavar="FILE", help="draw regret over epsilon, and the lower bound")
    add("--json", metavar="FILE", help="write the result as JSON; - is standard output")


def run(given: argparse.Namespace) -> int:
    """Print the tables; 3 if it was interrupted."""
    from dpaudit.cli.options import number

    epsilon = None if given.epsilon is None else number("epsilon", given.epsilon)
    if given.leaderboard:
        return _leaderboard(given)
    for name in ("out", "longest"):
        if getattr(given, name):
            raise UsageError(f"{name}: allowed with --leaderboard only")
    if given.environment != "bernoulli" and given.means is None:
        raise UsageError("environment: allowed with --means only; suites have their own")
    from dpaudit.laboratory.comparing import compare
    from dpaudit.laboratory.studies import DAY

    with runner_of(given) as runner:
        runner.bind("compare", question(given))
        result = compare(
            given.target,
            means=None if given.means is None else _numbers(given.means),
            suite=given.suite,
            horizon=given.horizon,
            epsilon=epsilon,
            runs=given.runs,
            environment=given.environment,
            confidence=check_number("confidence", given.confidence, 0.5, 1.0 - 1e-9),
            seed=check_count("seed", given.seed, 0),
            progress=_progress,
            longest=float("inf") if given.yes else DAY,
            announce=_announce,
        )
        remind(given, finished=result.complete)
    result = _beside_the_optimum(result)
    say("")
    if given.svg:
        from dpaudit.report.frontier import draw_comparison

        draw_comparison(result, given.svg)
    write(given.json, result.json())
    if given.json != "-":
        _show(result)
    return 0 if result.complete else 3


def _beside_the_optimum(result: Comparison) -> Comparison:
    """With the best private learner's regret noted, where an instance is one of its question."""
    from msgspec.structs import replace

    from dpaudit.optimal.certificate import document
    from dpaudit.optimal.efficiency import of_instance
    from dpaudit.optimal.solving import solve
    from dpaudit.recheck.optima import proved

    fields = []
    for field in result.fields:
        at = field.instance
        epsilon = at.epsilon if at.epsilon is not None else result.epsilon
        asked = of_instance(at.means, at.environment, result.horizon, epsilon, field.feedback)
        notes = list(field.notes)
        if asked is not None:
            least = float(proved(document(solve(asked))))
            above = ", ".join(f"{s.name} {s.mean / least - 1:+.0%}" for s in field.standings)
            notes.append(
                f"no {epsilon:g}-DP learner has less regret than {least:.6f} both here and with "
                f"the arms renamed (certified, `dpaudit optimal`); mean regret beside it: {above}"
            )
        fields.append(replace(field, notes=notes))
    return replace(result, fields=fields)


def _leaderboard(given: argparse.Namespace) -> int:
    """The whole catalogue; what cannot be played at a horizon is said to be left out."""
    from dpaudit.laboratory.comparing.leaderboard import LONGEST, leaderboard
    from dpaudit.report.markdown.leaderboard import markdown
    from dpaudit.results.made import commit

    if given.target or given.means or given.suite:
        raise UsageError("leaderboard: takes no names, means or suite: it is of all, on all")
    with runner_of(given) as runner:
        runner.bind("leaderboard", question(given))
        seconds = given.longest or LONGEST
        result = leaderboard(
            longest=check_number("longest", seconds, 0.0, float("inf"), low_open=True),
            runs=check_count("runs", given.runs, 2),
            seed=check_count("seed", given.seed, 0),
            progress=_progress,
        )
    say("")
    complete = all(c.complete for c in result.comparisons)
    if given.out and complete:
        with writing(f"out: cannot write to {given.out}"):
            commit(Path(given.out), "leaderboard", result.public())
            Path(given.out, "leaderboard.md").write_text(markdown(result, _command(given)), "utf-8")
    write(given.json, result.json())
    if given.json != "-":
        for comparison in result.comparisons:
            _show(comparison)
    return 0 if complete else 3


def _command(given: argparse.Namespace) -> str:
    words = ["dpaudit", "compare", "--leaderboard", "--out", given.out, "--runs", given.runs]
    words += ["--longest", given.longest] if given.longest else []
    return shlex.join([*words, "--seed", given.seed])


def _progress(what: str, done: int, total: int) -> None:
    say(f"{done}/{total} {what}")


def _announce(seconds: float) -> None:
    """What takes a minute or more is said wherever standard error goes."""
    from dpaudit.laboratory.forecast import in_words

    text = f"about {in_words(seconds)}"
    say(text)
    if seconds >= 60.0:
        print(text, file=sys.stderr)


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"means: got {text!r}, allowed are numbers between commas") from None


def _show(result: Comparison) -> None:
    from dpaudit.report.comparing import HEADER, OVERALL, overall_rows, rows, title

    for field in result.fields:
        table(title(field, result), HEADER, rows(field))
        for note in field.notes:
            print(f"note: {note}")
        print()
    for kind in dict.fromkeys(each.feedback for each in result.overall):
        table(f"{kind}, all instances", OVERALL, overall_rows(result.overall, kind))
        print()
    for each in result.left_out:
        print(f"left out: {each.name}: {each.reason}")
    for note in result.notes:
        print(f"note: {note}")
    spent: Any = f"{result.runs} runs each, seed {result.seed}, {result.seconds:.1f} s"
    print(f"{spent}; all intervals hold together at confidence {result.confidence:g}")
