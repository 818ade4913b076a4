"""The papers' experiments as a Markdown page. Written by `dpaudit reproduce --out`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import dpaudit
from dpaudit.report.markdown import table
from dpaudit.results.regret import LowerBound
from dpaudit.results.reproduction import Reproduction, Verdict

ENDS = ("curve", "panel", "at", "mean regret", "at least", "so many times")


def counts(results: Sequence[Reproduction]) -> str:
    """How many sentences have which verdict; readings are not counted."""
    found = [said.verdict for result in results for said in result.judged]
    tally = ", ".join(f"{found.count(verdict)} {verdict}" for verdict in get_args(Verdict))
    return f"of {len(found)} sentences {tally}"


def end_rows(result: Reproduction) -> list[tuple[str, ...]]:
    """Where each regret curve ends, and how often its lower bound fits into the mean."""
    rows: list[tuple[str, ...]] = []
    for c in result.curves:
        floor, times = result.floor(c), result.times(c)
        if c.quantity == "regret" and c.mean:
            least = "none known" if floor is None else f"{floor.values[-1]:.4g} ({floor.short})"
            often = "" if times is None else f"{times:.3g}"
            rows.append((c.label, c.panel, f"{c.across[-1]:g}", f"{c.mean[-1]:g}", least, often))
    return rows


def known(result: Reproduction) -> list[LowerBound]:
    """The lower bounds beside its curves, each name once."""
    return list({each.name: each for each in result.lower_bounds}.values())


def markdown(
    results: Sequence[Reproduction], missing: int, command: str, *, level: float, similar: float
) -> str:
    """For each figure what is said about it, and what came of it, at the level of the tests; up to
    the ratio `similar` curves count as equal."""
    band = results[0].parameters["confidence"] if results else 0.0
    lines = [
        "# The papers' experiments, run again",
        "",
        f"What the papers say about their figures, in our words: {counts(results)}. "
        "*Not confirmed* means contradicted, *open* that the runs do not decide it, or that its "
        "seeds or its readings do not agree.",
        *(["", f"Interrupted: {missing} experiments are missing."] if missing else []),
        "",
        f"Made by `{command}` (dpaudit {dpaudit.__version__}). Regret is pseudo-regret; ± is half "
        f'the width of a {100 * band:g} % interval (Student\'s t, one point at a time). "Surely" '
        f"is at level {level:g} by Welch's t-test, which cannot know of rare runs that are not "
        f'among those made; "equally well" is a ratio of at most {similar:g}, a number of ours. '
        "Where a paper can be read in several ways, each reading has its row beneath the sentence.",
        "",
        "An experiment is played with several seeds, each time with the number of runs that is "
        "said. Beside a verdict stands with how many seeds a sentence is confirmed, with how many "
        "it is contradicted (against), and the probability that an experiment of this size "
        f"confirms it: an exact interval (Clopper and Pearson) at confidence {100 * band:g} %, for "
        "each row by itself. Numbers, curves and files are of the first seed.",
    ]
    for result in results:
        name, size = result.experiment, result.parameters
        lines += [
            "",
            f"## {name}",
            "",
            f"{result.paper}, {result.where}; T = {size['horizon']:,}, {size['runs']} runs a "
            f"curve, {size.get('seeds', 1)} seeds. Again: "
            f"`{result.command}`. [curves]({name}.csv), [all]({name}.json)",
            "",
            f"![{result.where}]({name}.svg)",
            "",
            *table(
                ("sentence", "reading", "verdict", "seeds that confirm", "numbers"),
                (row for said in result.judged for row in said.rows()),
            ),
            "",
            "How far from the best possible the curves end:",
            "",
            *table(ENDS, end_rows(result)),
            "",
            *(f"- {floor.described}" for floor in known(result)),
            *(f"- {note}" for note in result.notes),
        ]
    return "\n".join(lines) + "\n"
