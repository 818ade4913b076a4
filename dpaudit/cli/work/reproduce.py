"""`dpaudit reproduce [NAME]`: do the papers' own experiments come out as they report them?"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dpaudit.cli.options import add_runner_options, question, remind, runner_of, workers_of
from dpaudit.cli.terminal import say, write
from dpaudit.errors import UsageError, check_count

if TYPE_CHECKING:
    from dpaudit.laboratory.experiments import Experiment
    from dpaudit.laboratory.reproduction import Reproduction

EXAMPLE = """examples:
  dpaudit reproduce --list
  dpaudit reproduce tossou-figure-2
  dpaudit reproduce hu-hegde-figure-5 --out figures        (SVG, CSV and JSON)
  dpaudit reproduce --out reports/reproduction             (all of them, and a summary page)"""
PAGE = "reproduction.md"


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add = parser.add_argument
    add("name", metavar="NAME", nargs="?", help="an experiment (default: all)")
    add("--list", action="store_true", help="print names, places and sizes, and run nothing")
    add("--out", metavar="DIR", help=f"write NAME.svg, .csv and .json there; for all also {PAGE}")
    add("--runs", metavar="N", help="runs a curve (default: the paper's number)")
    add("--seed", metavar="S", default="0", help="seed (default 0)")
    add_runner_options(parser, "threads")
    add("--json", metavar="FILE", help="write the result as JSON; - is standard output")


def run(given: argparse.Namespace) -> int:
    """Run one experiment or all; 3 if interrupted. A sentence that is not confirmed is a finding,
    not a failure."""
    from dpaudit.laboratory.experiments import EXPERIMENTS, find_experiment

    wanted = list(EXPERIMENTS.values()) if given.name is None else [find_experiment(given.name)]
    if given.list:
        _list(wanted)
        return 0
    with runner_of(given) as runner:
        runner.bind("reproduce", question(given))
        results = _run(given, wanted)
        remind(given, finished=len(results) == len(wanted))
    complete = len(results) == len(wanted)
    if given.out and given.name is None:
        _write_page(Path(given.out), results, wanted, given)
    write(given.json, _document(results, given, complete=complete))
    if given.json != "-":
        _show(results, wanted)
    return 0 if complete else 3


def _run(given: argparse.Namespace, wanted: Sequence[Experiment]) -> list[Reproduction]:
    """The finished experiments, written as they finish; an interrupt keeps those."""
    from dpaudit.laboratory.reproduction import reproduce, save

    runs = None if given.runs is None else check_count("runs", given.runs, 2)
    seed = check_count("seed", given.seed, 0)
    count = workers_of(given)
    if given.out:
        _make_folder(Path(given.out))
    results: list[Reproduction] = []

    def progress(name: str, done: int, total: int) -> None:
        place = "" if len(wanted) == 1 else f"{len(results) + 1}/{len(wanted)} "
        say(f"{place}{name}: {done}/{total} curves")

    try:
        for experiment in wanted:
            result = reproduce(experiment, runs=runs, seed=seed, workers=count, progress=progress)
            if not result.complete:
                break
            if given.out:
                save(result, given.out)
            results.append(result)
    except KeyboardInterrupt:
        pass
    say("")
    return results


def _make_folder(folder: Path) -> None:
    """Before hours of work, not after."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"out: cannot write to {folder} ({error.strerror})") from None


def _document(results: list[Reproduction], given: argparse.Namespace, *, complete: bool) -> str:
    from dpaudit.laboratory.reproduction import SCHEMA_OF_ALL, compact

    if given.name is not None and results:
        return results[0].json()
    document = {
        "schema": SCHEMA_OF_ALL,
        "complete": complete,
        "results": [result.public() for result in results],
    }
    return compact(document)


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
            str(len(each.sentences)),
        ]
        for each in wanted
    ]
    header = ["name", "place", "T", "runs", "curves", "rounds in all", "sentences"]
    table(f"{len(wanted)} experiments", header, rows)


def _counts(results: Sequence[Reproduction]) -> str:
    from dpaudit.laboratory.reproduction import VERDICTS

    found = [judged.verdict for result in results for judged in result.sentences]
    return ", ".join(f"{found.count(verdict)} {verdict}" for verdict in VERDICTS.values())


def _show(results: Sequence[Reproduction], wanted: Sequence[Experiment]) -> None:
    from dpaudit.cli.terminal import table

    rows = [
        [result.name, judged.text, judged.reading, judged.verdict, judged.numbers]
        for result in results
        for judged in result.sentences
    ]
    seconds = sum(result.seconds for result in results)
    title = f"what the papers say about their figures: {_counts(results)} ({seconds:.0f} s)"
    table(title, ["experiment", "sentence", "reading", "verdict", "numbers"], rows)
    for result in results:
        # All of them at once have too many notes for a terminal; the summary page has them.
        notes = result.notes if len(wanted) == 1 else result.size_note
        for note in notes:
            print(f"note: {result.name}: {note}")
    if len(results) < len(wanted):
        print(f"interrupted: {len(results)} of {len(wanted)} experiments are finished")


def _write_page(
    folder: Path,
    results: Sequence[Reproduction],
    wanted: Sequence[Experiment],
    given: argparse.Namespace,
) -> None:
    """The summary of all: for each figure what is said about it, and what came of it."""
    import dpaudit
    from dpaudit.laboratory.experiments.checks import LEVEL, SIMILAR
    from dpaudit.laboratory.experiments.terms import BAND

    runs = "" if given.runs is None else f" --runs {given.runs}"
    unfinished = len(wanted) - len(results)
    lines = [
        "# The papers' experiments, run again",
        "",
        f"What the papers say about their figures, in our words: {_counts(results)}. "
        "*Not confirmed* means contradicted, *open* that the runs do not decide it.",
        *(["", f"Interrupted: {unfinished} experiments are missing."] if unfinished else []),
        "",
        f"Made by `dpaudit reproduce --out {given.out} --seed {given.seed}{runs}` "
        f"(dpaudit {dpaudit.__version__}). Regret is pseudo-regret; ± is half the width of a "
        f'{100 * BAND:g} % interval (Student\'s t, one point at a time). "Surely" is at level '
        f"{LEVEL:g} by Welch's t-test, which cannot know of rare runs that are not among those "
        f'made; "equally well" is a ratio of at most {SIMILAR:g}, a number of ours. Where a paper '
        "can be read in several ways, each reading has its row.",
    ]
    for result in results:
        lines += [
            "",
            f"## {result.name}",
            "",
            f"{result.experiment.paper}, {result.experiment.where}; T = "
            f"{result.experiment.horizon:,}, {result.runs} runs a curve. Again: "
            f"`{result.command}`. [curves]({result.name}.csv), [all]({result.name}.json)",
            "",
            f"![{result.experiment.where}]({result.name}.svg)",
            "",
            "| sentence | reading | verdict | numbers |",
            "|---|---|---|---|",
            *(
                f"| {judged.text} | {judged.reading} | {judged.verdict} | {judged.numbers} |"
                for judged in result.sentences
            ),
            "",
            *(f"- {note}" for note in result.notes),
        ]
    try:
        (folder / PAGE).write_text("\n".join(lines) + "\n")
    except OSError as error:
        raise UsageError(f"out: cannot write to {folder} ({error.strerror})") from None
