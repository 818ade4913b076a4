"""Tables for people: rich on a terminal, plain tab-free columns when piped."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence


def table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table; on a terminal it is fitted to the width, piped it is one line a row."""
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table

        shown = Table(title=title, title_justify="left", row_styles=["", "dim"])
        for name in header:
            shown.add_column(name, overflow="fold")
        for row in rows:
            shown.add_row(*row)
        # rich honours NO_COLOR only for colours; dimming is left out too.
        if os.environ.get("NO_COLOR"):
            shown.row_styles = []
        Console().print(shown, markup=False)
        return
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    print(title)
    for row in [header, *rows]:
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        )
