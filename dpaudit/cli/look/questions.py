"""`dpaudit questions`: what the papers leave open, and what dpaudit says on it.

A number in an answer is what a command prints or what a committed result holds. It is kept beside
the question (`questions.json`, written by --make), and found again and compared by --recheck.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import io
import json
import math
import re
import shlex
import tempfile
import textwrap
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import TYPE_CHECKING, Any

from dpaudit.cli import HELD, UNFINISHED, VIOLATED
from dpaudit.cli.terminal import say, table, write, writing
from dpaudit.errors import UsageError

if TYPE_CHECKING:
    from dpaudit.results.questions import Number, Question, Questions

EXAMPLE = """examples:
  dpaudit questions
  dpaudit questions --paper hu_et_al_2025
  dpaudit questions --recheck     (every number again; 1 if one is another; a minute)
  dpaudit questions --json -"""
PLACE = re.compile(r"([^.\[\]]+)(?:\[([^\]]*)\])?")
"""A step of a place: a field or a list's index, and which of a list's entries it is."""
ROUNDED = {"": ROUND_HALF_EVEN, "down": ROUND_FLOOR, "up": ROUND_CEILING}


class NotFound(Exception):
    """A number that its source does not hold, with the reason."""


def options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--paper", metavar="KEY", help="those of one paper")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--recheck", action="store_true", help="find all numbers again, and compare")
    how.add_argument("--make", action="store_true", help="find them again, and keep them")
    add("--json", metavar="FILE", help="write them as JSON; - is standard output")


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
    if given.recheck or given.make:
        return _again(found.questions, given)
    write(given.json, found.json())
    if given.json != "-":
        _show(found)
    return HELD


def questions() -> Questions:
    """All of them, from the papers' rooms."""
    import msgspec

    from dpaudit import __version__
    from dpaudit.paper_rooms import questions as read
    from dpaudit.results.questions import Questions

    asked = [_said(entry) for entry in read()]
    return msgspec.convert(
        {"schema": "dpaudit/questions/1", "questions": asked, "version": __version__}, Questions
    )


def _said(entry: dict[str, Any]) -> dict[str, Any]:
    """With the numbers in their places."""
    values = {n["name"]: n["value"] or "(not found yet)" for n in entry["sources"]}
    shows = [value for value in dict.fromkeys(values.values()) if value]
    return {**entry, "says": entry["says"].format_map(values), "shows": shows}


def _again(asked: Sequence[Question], given: argparse.Namespace) -> int:
    """All numbers, found again. Without --make they are compared with those that are kept."""
    source = Sources()
    rows, made, wrong = [], dict[str, dict[str, dict[str, str]]](), 0
    for q in asked:
        for number in q.sources:
            say(f"{q.id}: {number.name}")
            try:
                value = shown(number, source)
                answer = "the same" if value == number.value else "another"
                if given.make and answer == "another":
                    answer = "kept now"
            except NotFound as error:
                value, answer = "", str(error)
            wrong += answer != "the same"
            made.setdefault(q.paper, {}).setdefault(q.id, {})[number.name] = value
            rows.append([f"{q.id}: {number.name}", number.value, value, answer])
            if source.stopped:
                return UNFINISHED
    say("")
    keys = ("number", "kept", "found", "answer")
    if given.json:
        write(given.json, json.dumps([dict(zip(keys, row, strict=True)) for row in rows], indent=2))
    if given.json != "-":
        table("numbers in the answers", keys, rows)
    if not given.make:
        return VIOLATED if wrong else HELD
    if any(not row[2] for row in rows):
        raise UsageError("make: nothing is kept, as not all numbers were found")
    _keep(made)
    return HELD


def _keep(made: dict[str, dict[str, dict[str, str]]]) -> None:
    from dpaudit.paper_rooms import beside
    from dpaudit.results.made import lines, replace

    for paper, values in made.items():
        file = beside(paper, "questions.json")
        with writing(f"make: cannot write {file}"):
            replace(file, lines(values) + "\n")


class Sources:
    """The documents that commands write, each run once, and the committed results."""

    def __init__(self) -> None:
        self.stopped = False
        self.run = functools.cache(self._run)
        self.result = functools.cache(self._result)

    def _run(self, command: str) -> Any:
        from dpaudit.cli import main

        words = shlex.split(command)
        out = io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(out):
            more = ["--out", folder] if words[0] == "optimal" else []
            code = main([*words, *more, "--json", "-"])
        self.stopped = code == UNFINISHED
        if code not in (HELD, VIOLATED):
            raise NotFound(f"exit code {code}")
        return json.loads(out.getvalue())

    def _result(self, name: str) -> Any:
        from dpaudit.results.made import committed, untabled

        for file in committed():
            if file.stem == name:
                return untabled(json.loads(file.read_text("utf-8")))
        raise NotFound(f"no committed result {name}")


def shown(number: Number, source: Sources) -> str:
    """What stands in the answer for it."""
    document = source.run(number.run) if number.run else source.result(number.result)
    value = place(document, number.at)
    if number.over:
        value = value / place(document, number.over)
    if not number.as_:
        return str(value)
    digits, _, way = number.as_.partition(" ")
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        raise NotFound(f"{number.at} is {value}, no number")
    return str(Decimal(value).quantize(Decimal(1).scaleb(-int(digits)), ROUNDED[way]))


def place(document: Any, at: str) -> Any:
    """`losses.-1.epsilon`, or `claims[paper=KEY,id=ID].verdict`, where exactly one entry must be
    so; a field that is not there is empty."""
    found = document
    for name, which in PLACE.findall(at):
        try:
            found = found[int(name)] if isinstance(found, list) else found[name]
        except (LookupError, ValueError, TypeError):
            raise NotFound(f"there is no {at}") from None
        if which:
            wanted = dict(pair.split("=", 1) for pair in which.split(","))
            fits = [e for e in found if all(str(e.get(k, "")) == v for k, v in wanted.items())]
            if len(fits) != 1:
                raise NotFound(f"{len(fits)} entries are {which}")
            found = fits[0]
    return found


def _show(found: Questions) -> None:
    from dpaudit.papers import TITLES

    for q in found.questions:
        print(f"{q.id} ({q.answer}): {TITLES[q.paper]}, {q.where}")
        lines = {"paper": f"\u201c{q.quotation}\u201d" if q.quotation else "", "asked": q.asked}
        lines |= {"says": q.says, "by": q.means, "still open": q.left, "run": q.command}
        for name, words in lines.items():
            if words:
                print(textwrap.fill(f"{name}: {words}", 98, initial_indent="  ",
                                    subsequent_indent="    ", break_on_hyphens=False,
                                    break_long_words=False))  # fmt: skip
        print()
