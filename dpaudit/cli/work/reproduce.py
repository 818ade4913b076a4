"""`dpaudit reproduce [NAME]`: do the papers' own experiments come out as they report them?"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dpaudit.cli.options import add_runner_options, question, remind, runner_of
from dpaudit.cli.terminal import say, write, write_folder, writing
from dpaudit.errors import check_count

if TYPE_CHECKING:
    from dpaudit.laboratory.experiments.terms import Experiment
    from dpaudit.laboratory.reproduction import Rerun
    from dpaudit.results.reproduction import Reproduction, Reproductions

EXAMPLE = """examples:
  dpaudit reproduce --list
  dpaudit reproduce tossou-figure-2
  dpaudit reproduce hu-hegde-figure-5 --out figures        (SVG, CSV and JSON)
  dpaudit reproduce --out reports               (all of them, and a summary page)"""
PAGE = "reproduction.md"


def options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("name", metavar="NAME", nargs="?", help="an experiment (default: all)")
    add("--list", action="store_true", help="print names, places and sizes, and run nothing")
    add("--out", metavar="DIR", help=f"write NAME.svg, .csv and .json there; for all also {PAGE}")
    add("--runs", metavar="N", help="runs a curve (default: the paper's number)")
    add("--seeds", metavar="N", help="play each experiment so often (default 5)")
    add("--seed", metavar="S", default="0", help="seed (default 0); all are drawn from it")
    add_runner_options(parser, "threads")
    add("--json", metavar="FILE", help="write the result as JSON; - is standard output")


def run(given: argparse.Namespace) -> int:
    """Run one experiment or all; 3 if interrupted. A sentence that is not confirmed is a finding,
    not a failure."""
    from dpaudit.laboratory.experiments import EXPERIMENTS, find_experiment
    from dpaudit.results.made import lines
    from dpaudit.results.reproduction import Reproductions, plain

    wanted = list(EXPERIMENTS.values()) if given.name is None else [find_experiment(given.name)]
    if given.list:
        _list(wanted)
        return 0
    with runner_of(given) as runner:
        runner.bind("reproduce", question(given))
        results = _run(given, wanted)
        remind(given, finished=len(results) == len(wanted))
    everything = Reproductions(complete=len(results) == len(wanted), results=results)
    if given.out and given.name is None:
        _write_all(Path(given.out), everything, wanted, given)
    write(
        given.json, lines(plain(results[0] if given.name is not None and results else everything))
    )
    if given.json != "-":
        _show(results, len(wanted))
    return 0 if everything.complete else 3


def _run(given: argparse.Namespace, wanted: Sequence[Experiment]) -> list[Reproduction]:
    """The finished experiments, written as they finish; an interrupt keeps those."""
    from dpaudit.laboratory.reproduction import SEEDS, reproduce

    runs = None if given.runs is None else check_count("runs", given.runs, 2)
    seed = check_count("seed", given.seed, 0)
    seeds = SEEDS if given.seeds is None else check_count("seeds", given.seeds, 1)
    if given.out:
        write_folder(Path(given.out), {})  # before hours of work, not after
    results: list[Reproduction] = []

    def progress(name: str, done: int, total: int) -> None:
        place = "" if len(wanted) == 1 else f"{len(results) + 1}/{len(wanted)} "
        say(f"{place}{name}: {done}/{total} curves")

    try:
        for experiment in wanted:
            rerun = reproduce(experiment, runs=runs, seed=seed, seeds=seeds, progress=progress)
            if not rerun.result.complete:
                break
            if given.out:
                save(rerun, given.out)
            results.append(rerun.result)
    except KeyboardInterrupt:
        pass
    say("")
    return results


def save(rerun: Rerun, out: str | Path) -> None:
    from dpaudit.laboratory.reproduction import table_of
    from dpaudit.papers import cited
    from dpaudit.report.figures import draw_panels
    from dpaudit.results.made import lines
    from dpaudit.results.reproduction import plain

    result, experiment, folder = rerun.result, rerun.experiment, Path(out)
    drawn = [c for c, each in zip(result.curves, rerun.curves, strict=True) if each.curve.drawn]
    files = {"json": lines(plain(result)) + "\n", "csv": table_of(rerun)}
    write_folder(folder, {f"{result.experiment}.{kind}": text for kind, text in files.items()})
    draw_panels(
        drawn,
        folder / f"{result.experiment}.svg",
        heading=f"{cited(result.paper)}, {result.where}: {result.parameters['runs']} runs",
        scales=experiment.axes,
        x=experiment.x,
        floors=result.lower_bounds,
    )


def _write_all(
    folder: Path, everything: Reproductions, wanted: Sequence[Experiment], given: argparse.Namespace
) -> None:
    """The results as they are committed, by what code they were made, and a summary page."""
    from dpaudit.laboratory.experiments.checks import LEVEL, SIMILAR
    from dpaudit.laboratory.reproduction import digest
    from dpaudit.report.markdown.reproduction import markdown
    from dpaudit.results.made import commit, record
    from dpaudit.results.reproduction import plain

    runs = "" if given.runs is None else f" --runs {given.runs}"
    seeds = "" if given.seeds is None else f" --seeds {given.seeds}"
    command = f"dpaudit reproduce --out {given.out} --seed {given.seed}{runs}{seeds}"
    results = everything.results
    missing = len(wanted) - len(results)
    with writing(f"out: cannot write to {folder}"):
        page = markdown(results, missing, command, level=LEVEL, similar=SIMILAR)
        (folder / PAGE).write_text(page)
        commit(folder, "reproduction", plain(everything))
        made = zip(wanted, results, strict=False)  # those that are finished are the first
        record(folder, {f"reproduction/{e.name}": (digest(e), r.seconds) for e, r in made})


def _list(wanted: Sequence[Experiment]) -> None:
    from dpaudit.cli.terminal import table

    rows = [
        [
            each.name,
            f"{each.paper}, {each.where}",
            f"{each.horizon:g}",
            str(each.runs),
            str(len(each.curves)),
            f"{each.rounds:.2g}",
            str(len({said.text for said in each.sentences})),
        ]
        for each in wanted
    ]
    header = ["name", "place", "T", "runs", "curves", "rounds in all", "sentences"]
    table(f"{len(wanted)} experiments", header, rows)


def _show(results: Sequence[Reproduction], wanted: int) -> None:
    from dpaudit.cli.terminal import table
    from dpaudit.report.markdown.reproduction import ENDS, counts, end_rows, known

    rows = [
        [result.experiment if text else "", text, *rest]
        for result in results
        for said in result.judged
        for text, *rest in said.rows()
    ]
    seconds = sum(result.seconds for result in results)
    title = f"what the papers say about their figures: {counts(results)} ({seconds:.0f} s)"
    table(
        title,
        ["experiment", "sentence", "reading", "verdict", "seeds that confirm", "numbers"],
        rows,
    )
    if wanted == 1 and results:
        table("how far from the best possible the curves end", ENDS, end_rows(results[0]))
        for floor in known(results[0]):
            print(f"note: {floor.described}")
    for result in results:
        size = result.parameters
        # All of them at once have too many notes for a terminal; the summary page has them.
        own_size = int(size["runs"] != size["runs_of_the_experiment"])
        for note in result.notes if wanted == 1 else result.notes[:own_size]:
            print(f"note: {result.experiment}: {note}")
    if len(results) < wanted:
        print(f"interrupted: {len(results)} of {wanted} experiments are finished")
