"""`dpaudit show NAME`: the card of an algorithm and its pseudo-code in our own words."""

from __future__ import annotations

import argparse
import textwrap
from typing import Any

EXAMPLE = """examples:
  dpaudit show anytime-lazy-ucb
  dpaudit show dp-ts"""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name", metavar="NAME", help="a name that `dpaudit algorithms` lists, or file.py:NAME"
    )


def run(options: argparse.Namespace) -> int:
    from dpaudit.play.catalogue import home, in_catalogue, resolve

    algorithm = resolve(options.name)
    card = algorithm.card
    print(f"{card.name}: {card.title}")
    facts = {
        "paper": f"{card.paper}, {card.where}",
        "file": f"algorithms/{card.paper}/{home(algorithm).name}"
        if in_catalogue(algorithm)
        else str(home(algorithm)),
        "feedback": f"{card.feedback}, {card.payoff} in "
        f"[{card.payoff_range[0]:g}, {card.payoff_range[1]:g}]",
        "neighbours": card.neighbours,
        "privacy claim": f"{card.privacy.statement} ({card.privacy.where})"
        if card.privacy.where
        else card.privacy.statement,
        "regret claim": card.regret,
        "anytime": "yes" if card.anytime else "no: needs the horizon",
        "without noise": _parent(card.parent, card.parent_limit),
    }
    for name, fact in facts.items():
        print(_paragraph(f"{name}:", fact, 16))
    theorem = _theorem(card.name) if in_catalogue(algorithm) else None
    if theorem is not None:
        print(_paragraph("theorem:", f"proofs_checks/rocq/{theorem.file}, {theorem.name}", 16))
        print(_paragraph("  instance:", theorem.instance, 16))
        print(
            _paragraph(
                "  it needs:",
                f"{theorem.schedule}, together {theorem.books:g} {theorem.unit} at most, for "
                f"every T and K: dpaudit prove {card.name}",
                16,
            )
        )
    if card.parameters:
        print("\nparameters (--param NAME=VALUE)")
    for parameter in card.parameters:
        allowed = (
            " | ".join(parameter.words)
            if parameter.words
            else f"{parameter.low:g} to {parameter.high:g}"
        )
        value = card.fixed.get(parameter.name, parameter.default)
        shown = f"{value:.6g}" if isinstance(value, float) else value
        kind = "fixed at" if parameter.name in card.fixed else "default"
        print(_paragraph(f"  {parameter.name}", f"{parameter.meaning}. {allowed}; {kind} {shown}"))
    print("\npseudo-code, in our words")
    for line in card.pseudocode:
        print(_paragraph(f"  {line.label}", line.text, 8))
    print("\nnotes")
    for note in card.notes:
        print(_paragraph("  -", note, 4))
    return 0


def _theorem(name: str) -> Any:
    """The theorem about an algorithm; none where the ledger is not installed."""
    try:
        from dpaudit.ledger.published.theorems import register
    except ImportError:
        return None
    return register().algorithms.get(name)


def _parent(parent: str | None, limit: str) -> str:
    if parent is None:
        return "no non-private parent in the catalogue"
    return f"{parent}, but it {limit}" if limit else f"{parent}, exactly"


def _paragraph(label: str, text: str, indent: int = 18) -> str:
    return textwrap.fill(
        text, 100, initial_indent=label.ljust(indent), subsequent_indent=" " * indent
    )
