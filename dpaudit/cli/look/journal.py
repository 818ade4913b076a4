"""`dpaudit journal show FILE`: what a journal of blocks holds."""

from __future__ import annotations

import argparse

EXAMPLE = """examples:
  dpaudit journal show audit.journal"""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=["show"], help="what to do")
    parser.add_argument("file", metavar="FILE", help="a journal")


def run(options: argparse.Namespace) -> int:
    from dpaudit.cli.terminal import table
    from dpaudit.run.journal import show

    found = show(options.file)
    assert found.header is not None
    rows = [
        (str(about.get("name", "?")), str(about.get("kind", "?")), str(about["records"]), digest)
        for digest, about in found.tasks.items()
    ]
    title = f"{found.header['command']}, dpaudit {found.header['version']}"
    table(title, ("who is played", "task", "blocks", "digest"), rows)
    if found.damaged or found.cut:
        print(f"note: {found.damaged} damaged lines, {found.cut} bytes of a cut tail")
    return 0
