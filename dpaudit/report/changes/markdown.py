"""What got worse, and by how much, as Markdown for a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from dpaudit.report.markdown import table
from dpaudit.results.changes.difference import Change

ROWS = 200
"""A comment has an end."""


def heading(changes: Sequence[Change], total: int) -> str:
    """The finding in one sentence."""
    worse, better = (sum(bool(getattr(c, side)) for c in changes) for side in ("worse", "better"))
    if not changes:
        return f"nothing changed in {total} results"
    return f"{worse} of {total} results got worse, {better} better, {len(changes)} changed at all"


def rows(changes: Sequence[Change]) -> list[tuple[str, ...]]:
    return [(c.name, *("; ".join(side) for side in (c.worse, c.better, c.other))) for c in changes]


HEADER = ("name", "worse", "better", "other")


def changes_page(changes: Sequence[Change], total: int, old: str, new: str) -> str:
    """The page."""
    lines = ["# dpaudit: what changed", "", f"{heading(changes, total)} ({old} to {new})."]
    if changes:
        lines += ["", *table(HEADER, rows(changes)[:ROWS])]
    if len(changes) > ROWS:
        lines += ["", f"{len(changes) - ROWS} more are not shown."]
    return "\n".join([*lines, ""])
