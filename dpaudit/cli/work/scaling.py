"""`dpaudit scaling [TARGET]`: the papers' regret bounds as experiments with answers."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dpaudit.cli.options import add_runner_options, question, runner_of
from dpaudit.cli.terminal import say, write, writing
from dpaudit.errors import check_count

if TYPE_CHECKING:
    from dpaudit.results.scaling import Rule, Scaling, Study

EXAMPLE = """examples:
  dpaudit scaling                       (all studies, some minutes)
  dpaudit scaling rnm-ftnl-laplace --quick
  dpaudit scaling theorem-3-5 --json -
  dpaudit scaling --power theorem-3-arms  (what the rule says of known growth, too)
  dpaudit scaling --out reports"""


def options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "target",
        metavar="TARGET",
        nargs="?",
        help="studies of this algorithm, or one study's name; file.py:NAME where it has STUDIES",
    )
    add(
        "--power",
        action="store_true",
        help="what the rule says of known growth, too (always without TARGET)",
    )
    add("--quick", action="store_true", help="smaller grids: seconds, and weaker answers")
    add("--seed", metavar="S", default="0", help="seed (default 0)")
    add_runner_options(parser, "threads")
    add("--json", metavar="FILE", help="write the results as JSON; - is standard output")
    add("--out", metavar="DIR", help="write scaling.json, scaling.md and a figure a study there")


def run(given: argparse.Namespace) -> int:
    """Run the studies; 1 if a stated bound is violated, 3 if interrupted."""
    from dpaudit import __version__
    from dpaudit.laboratory.scaling import chosen, finish
    from dpaudit.laboratory.scaling.power import stated
    from dpaudit.results.made import lines
    from dpaudit.results.scaling import Scaling, plain

    seed = check_count("seed", given.seed, 0)
    studies = chosen(given.target)
    done: list[Study] = []
    try:
        with runner_of(given) as runner:
            runner.bind("scaling", question(given))
            say(f"0/{len(studies)}")
            for design in studies:
                done.append(finish(design, quick=given.quick, seed=seed))
                say(f"{len(done)}/{len(studies)} {design.name}")
    except KeyboardInterrupt:
        say("")
        print(f"dpaudit: interrupted after {len(done)} of {len(studies)} studies", file=sys.stderr)
    complete = len(done) == len(studies)
    whole = given.target is None and not given.quick and complete
    rule = None
    if given.power or whole:
        say("the rule's power")
        rule = stated()
    result = Scaling(
        version=__version__,
        seed=seed,
        quick=given.quick,
        complete=complete,
        rule=rule,
        studies=done,
    )
    say("")
    write(given.json, lines(plain(result)))
    if given.out:
        _write_out(Path(given.out), result, given)
    if given.json != "-":
        _show(done, given)
        if rule:
            _show_power(rule)
    if not complete:
        return 3
    return int(any(study.verdict == "violated" for study in done))


def _write_out(folder: Path, result: Scaling, given: argparse.Namespace) -> None:
    from dpaudit.laboratory.scaling import STUDIES, digest
    from dpaudit.report.markdown.scaling import write_pages
    from dpaudit.results.made import commit, record
    from dpaudit.results.scaling import plain

    words = ["dpaudit", "scaling", *([given.target] if given.target else [])]
    words += [
        *(["--power"] if given.power else []),
        *(["--quick"] if given.quick else []),
        "--out",
        given.out,
        "--seed",
        given.seed,
    ]
    with writing(f"out: cannot write to {folder}"):
        commit(folder, "scaling", plain(result))
        write_pages(folder, result, shlex.join(words))
        keys = {f"{s.paper}/{s.study}": s.seconds for s in result.studies}
        record(
            folder,
            {f"scaling/{k}": (digest(STUDIES[k]), s) for k, s in keys.items() if k in STUDIES},
        )


def _show(done: list[Study], given: argparse.Namespace) -> None:
    from dpaudit.cli.terminal import table
    from dpaudit.report.markdown.scaling import HEADER, rows

    if not done:
        print(f"no study of {given.target}" if given.target else "no study was finished")
        return
    violated = sum(study.verdict == "violated" for study in done)
    seconds = sum(study.seconds for study in done)
    title = f"{violated} of {len(done)} statements violated, {seconds:.0f} s, seed {given.seed}"
    table(f"{title}{', quick' if given.quick else ''}", HEADER, rows(done))
    if len(done) == 1:
        _show_floors(done[0])


def _show_floors(study: Study) -> None:
    from dpaudit.cli.terminal import table
    from dpaudit.report.figures.series import FLOOR_HEADER, floor_rows, lines_of

    found = floor_rows(lines_of(study.points))
    if found:
        table("how far from the best possible, at the curves' ends", FLOOR_HEADER, found)
        for each in study.lower_bounds:
            print(f"note: {each}")


def _show_power(rule: Rule) -> None:
    from dpaudit.cli.terminal import table
    from dpaudit.report.markdown.scaling import POWER, power_rows

    table(f"what the rule says of known growth (threshold {rule.threshold:g})", POWER,
          power_rows(rule))  # fmt: skip
