"""`dpaudit diff OLD NEW`: what got worse between two results; exit code 1 if anything did."""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import asdict

EXAMPLE = """examples:
  dpaudit diff last_week.json today.json
  dpaudit diff main:reports/catalogue.json reports/catalogue.json --markdown comment.md
(OLD and NEW are files, or REVISION:FILE of a git repository)"""


def options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("old", metavar="OLD", help="results: audits of one learner or of many, or claims")
    add("new", metavar="NEW", help="the same, later")
    add("--allow", metavar="PERCENT", help="a lower end that rises by more is worse, too")
    add("--mixed", action="store_true", help="compare results of two versions of dpaudit")
    add("--json", metavar="FILE", help="write the changes as JSON; - is standard output")
    add("--markdown", metavar="FILE", help="write a comment for a pull request")


def run(options: argparse.Namespace) -> int:
    from dpaudit.cli.options import number
    from dpaudit.cli.terminal import table, write, write_file
    from dpaudit.report.changes.markdown import HEADER, changes_page, heading, rows
    from dpaudit.results.changes.difference import difference, entries
    from dpaudit.results.changes.versions import opened

    old, new = opened(options.old), opened(options.new)
    allow = math.inf if options.allow is None else number("allow", options.allow)
    changes = difference(old, new, mixed=options.mixed, allow=allow)
    total = len({**entries(old), **entries(new)})
    write(options.json, json.dumps({"changes": [asdict(c) for c in changes]}, indent=2))
    if options.markdown is not None:
        page = changes_page(changes, total, options.old, options.new)
        write_file("markdown", options.markdown, page)
    if options.json != "-":
        if changes:
            table(heading(changes, total), HEADER, rows(changes))
        else:
            print(heading(changes, total))
    return int(any(change.worse for change in changes))
