"""The papers' experiments as a Markdown page. Written by `dpaudit reproduce --out`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import dpaudit
from dpaudit.report.markdown import table
from dpaudit.results.reproduction import Reproduction, Verdict


def counts(results: Sequence[Reproduction]) -> str:
    """How many sentences have which verdict."""
    found = [said.verdict for result in results for said in result.sentences]
    return ", ".join(f"{found.count(verdict)} {verdict}" for verdict in get_args(Verdict))


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
        "*Not confirmed* means contradicted, *open* that the runs do not decide it.",
        *(["", f"Interrupted: {missing} experiments are missing."] if missing else []),
        "",
        f"Made by `{command}` (dpaudit {dpaudit.__version__}). Regret is pseudo-regret; ± is half "
        f'the width of a {100 * band:g} % interval (Student\'s t, one point at a time). "Surely" '
        f"is at level {level:g} by Welch's t-test, which cannot know of rare runs that are not "
        f'among those made; "equally well" is a ratio of at most {similar:g}, a number of ours. '
        "Where a paper can be read in several ways, each reading has its row.",
    ]
    for result in results:
        name, size = result.experiment, result.parameters
        lines += [
            "",
            f"## {name}",
            "",
            f"{result.paper}, {result.where}; T = {size['horizon']:,}, {size['runs']} runs a "
            f"curve. Again: `{result.command}`. [curves]({name}.csv), [all]({name}.json)",
            "",
            f"![{result.where}]({name}.svg)",
            "",
            *table(
                ("sentence", "reading", "verdict", "numbers"),
                ((s.text, s.reading, s.verdict, s.numbers) for s in result.sentences),
            ),
            "",
            *(f"- {note}" for note in result.notes),
        ]
    return "\n".join(lines) + "\n"
