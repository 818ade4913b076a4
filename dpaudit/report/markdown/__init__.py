"""Pages in Markdown that the commands write beside their results."""

from collections.abc import Iterable


def table(header: Iterable[object], rows: Iterable[Iterable[object]]) -> list[str]:
    """The lines of a table; cells are Markdown already."""
    names = list(header)
    lines = ("| " + " | ".join(map(str, row)) + " |" for row in [names, *rows])
    return [next(lines), "|---" * len(names) + "|", *lines]
