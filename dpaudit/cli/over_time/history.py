"""`dpaudit history PLACE`: what became of each audit, version by version, and since when."""

from __future__ import annotations

import argparse
import sys

from dpaudit.errors import UsageError

EXAMPLE = """examples:
  dpaudit history reports/catalogue.json --html history.html     (the file's versions in git)
  dpaudit history results/                  (a folder: its *.json in the order of their names)"""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("place", metavar="PLACE", help="a file in a git repository, or a folder")
    parser.add_argument("--html", metavar="FILE", help="write one self-contained page")


def run(options: argparse.Namespace) -> int:
    from dpaudit.cli.terminal import table, write_file
    from dpaudit.report.changes.page import history_page
    from dpaudit.results.changes.series import series
    from dpaudit.results.changes.versions import versions

    found, unread = versions(options.place)
    for why in unread:
        print(f"dpaudit: not read: {why}", file=sys.stderr)
    rows, steps = series(found)
    if not any(row.last for row in rows):
        raise UsageError(f"place: {options.place} holds no audits")
    if options.html is not None:
        write_file("html", options.html, history_page(options.place, found, rows, steps))
    sides = [(s.change.worse, s.change.better, s.change.other) for s in steps]
    table(
        f"{len(found)} versions of {len(rows)} audits, {len(steps)} steps",
        ("since", "audit", "worse", "better", "other"),
        [
            (f"{s.since.label} {s.since.when}".strip(), s.name, *("; ".join(x) for x in side))
            for s, side in zip(steps, sides, strict=True)
        ],
    )
    return 0
