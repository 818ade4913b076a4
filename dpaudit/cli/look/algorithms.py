"""`dpaudit algorithms`: the catalogue as a table, or as JSON."""

from __future__ import annotations

import argparse
import json

EXAMPLE = """examples:
  dpaudit algorithms
  dpaudit algorithms --json | python -m json.tool | less"""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="the cards as JSON, nothing else")


def run(options: argparse.Namespace) -> int:
    from dpaudit.play.catalogue import catalogue

    cards = [entry.card for entry in catalogue().values()]
    if options.json:
        print(json.dumps([card.public() for card in cards], indent=2, allow_nan=False))
        return 0
    from dpaudit.cli.terminal import table

    table(
        f"{len(cards)} algorithms; `dpaudit show NAME` for one of them",
        ("name", "paper", "where", "feedback", "claims", "anytime", "what it is"),
        [
            (
                card.name,
                card.paper,
                card.where,
                card.feedback,
                card.privacy.statement if card.privacy.notion != "none" else "-",
                "yes" if card.anytime else "no",
                card.title,
            )
            for card in cards
        ],
    )
    return 0
