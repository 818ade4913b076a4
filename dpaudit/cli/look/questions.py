"""`dpaudit questions`: what the papers leave open, and what dpaudit says on it."""

from __future__ import annotations

import argparse
import textwrap
from typing import TYPE_CHECKING

from dpaudit.cli.terminal import write

if TYPE_CHECKING:
    from dpaudit.results.questions import Questions

EXAMPLE = """examples:
  dpaudit questions
  dpaudit questions --paper hu_et_al_2025
  dpaudit questions --json -"""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--paper", metavar="KEY", help="those of one paper")
    parser.add_argument("--json", metavar="FILE", help="write them as JSON; - is standard output")


def run(given: argparse.Namespace) -> int:
    from msgspec.structs import replace

    from dpaudit.errors import unknown

    found = questions()
    if given.paper is not None:
        papers = {q.paper for q in found.questions}
        if given.paper not in papers:
            raise unknown("paper", given.paper, papers)
        own = [q for q in found.questions if q.paper == given.paper]
        found = replace(found, questions=own)
    write(given.json, found.json())
    if given.json != "-":
        _show(found)
    return 0


def questions() -> Questions:
    """All of them, from the papers' rooms."""
    import msgspec

    from dpaudit import __version__
    from dpaudit.paper_rooms import questions as read
    from dpaudit.results.questions import Question, Questions

    asked = [msgspec.convert(entry, Question) for entry in read()]
    return Questions(questions=asked, version=__version__)


def _show(found: Questions) -> None:
    from dpaudit.papers import TITLES

    for q in found.questions:
        print(f"{q.id} ({q.answer}): {TITLES[q.paper]}, {q.where}")
        lines = {"asked": q.asked, "says": q.says, "by": q.means, "still open": q.left}
        lines["run"] = q.command
        for name, words in lines.items():
            if words:
                print(textwrap.fill(f"{name}: {words}", 98, initial_indent="  ",
                                    subsequent_indent="    ", break_on_hyphens=False,
                                    break_long_words=False))  # fmt: skip
        print()
