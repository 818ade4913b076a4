"""`dpaudit guide [TOPIC]`: the guide's pages in the terminal."""

from __future__ import annotations

import argparse
import sys

from dpaudit.cli.terminal import table

EXAMPLE = """examples:
  dpaudit guide                      (the topics)
  dpaudit guide first-audit
  dpaudit guide ci > ci.md           (piped, a page is the Markdown that it was written in)"""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "topic", metavar="TOPIC", nargs="?", help="a page; without it the topics are listed"
    )


def run(options: argparse.Namespace) -> int:
    from dpaudit.errors import unknown
    from dpaudit.guide import pages

    found = pages()
    if options.topic is None:
        rows = [(page.name, page.title) for page in found.values()]
        table("dpaudit guide TOPIC", ("topic", "what it is about"), rows)
        return 0
    page = found.get(options.topic.removesuffix(".md"))
    if page is None:
        raise unknown("topic", options.topic, found)
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(page.text, hyperlinks=False))
    else:
        print(page.text, end="")
    return 0
