"""`dpaudit scaling [TARGET]`: the papers' regret bounds as experiments with answers."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dpaudit.cli.options import add_runner_options, question, runner_of, workers_of
from dpaudit.cli.terminal import say, write
from dpaudit.errors import check_count

if TYPE_CHECKING:
    from dpaudit.laboratory.scaling import Finished

EXAMPLE = """examples:
  dpaudit scaling                       (all studies, some minutes)
  dpaudit scaling rnm-ftnl-laplace --quick
  dpaudit scaling theorem-3-5 --json -
  dpaudit scaling --out reports/scaling"""


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add = parser.add_argument
    add(
        "target", metavar="TARGET", nargs="?", help="studies of this algorithm, or one study's name"
    )
    add("--quick", action="store_true", help="smaller grids: seconds, and weaker answers")
    add("--seed", metavar="S", default="0", help="seed (default 0)")
    add_runner_options(parser, "threads")
    add("--json", metavar="FILE", help="write the results as JSON; - is standard output")
    add("--out", metavar="DIR", help="write scaling.json, scaling.md and a figure a study there")


def run(given: argparse.Namespace) -> int:
    """Run the studies; 1 if a stated bound is violated, 3 if interrupted."""
    from dpaudit.laboratory.scaling import chosen, run_studies
    from dpaudit.report.markdown.scaling import document, write_reports

    seed = check_count("seed", given.seed, 0)
    count = workers_of(given)
    studies = chosen(given.target)
    done: list[Finished] = []
    try:
        with runner_of(given) as runner:
            runner.bind("scaling", question(given))
            say(f"0/{len(studies)}")
            for finished in run_studies(studies, quick=given.quick, seed=seed, workers=count):
                done.append(finished)
                say(f"{len(done)}/{len(studies)} {finished.study.name}")
    except KeyboardInterrupt:
        say("")
        print(f"dpaudit: interrupted after {len(done)} of {len(studies)} studies", file=sys.stderr)
    complete = len(done) == len(studies)
    say("")
    text = document(done, complete=complete, seed=seed, quick=given.quick)
    write(given.json, text)
    if given.out:
        write_reports(Path(given.out), done, text, _command(given))
    if given.json != "-":
        _show(done, given)
    if not complete:
        return 3
    return int(any(f.outcome.verdict == "violated" for f in done))


def _command(given: argparse.Namespace) -> str:
    words = ["dpaudit", "scaling", *([given.target] if given.target else [])]
    words += ["--quick"] if given.quick else []
    return shlex.join([*words, "--out", given.out, "--seed", given.seed])


def _show(done: list[Finished], given: argparse.Namespace) -> None:
    from dpaudit.cli.terminal import table
    from dpaudit.report.markdown.scaling import HEADER, rows

    if not done:
        print(f"no study of {given.target}" if given.target else "no study was finished")
        return
    violated = sum(f.outcome.verdict == "violated" for f in done)
    seconds = sum(f.seconds for f in done)
    title = f"{violated} of {len(done)} statements violated, {seconds:.0f} s, seed {given.seed}"
    table(f"{title}{', quick' if given.quick else ''}", HEADER, rows(done))
