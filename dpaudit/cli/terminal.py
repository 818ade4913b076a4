"""Tables and progress for people: rich on a terminal, plain columns and silence when piped."""

from __future__ import annotations

import errno
import json
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dpaudit.errors import UsageError

_status: Any = None


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


def say(text: str) -> None:
    """Progress: one line that replaces itself on a terminal, cut to its width; "" takes it away.

    Nothing when standard error is piped.
    """
    global _status
    if not sys.stderr.isatty():
        return
    if not text:
        if _status is not None:
            _status.stop()
        _status = None
        return
    from rich.console import Console
    from rich.text import Text

    line = Text(text, overflow="ellipsis", no_wrap=True)
    if _status is None:
        _status = Console(stderr=True).status(line)
        _status.start()
    else:
        _status.update(line)


def runs(what: str = "") -> Callable[[int, int], None]:
    """Progress of something that is sampled, as its runs get done."""
    return lambda done, total: say("" if done >= total else f"{what}{done}/{total} runs")


def rechecked(
    title: str,
    files: Sequence[Path],
    look: Callable[[Path], list[str]],
    keys: Sequence[str],
    header: Sequence[str],
    where: str | None,
) -> int:
    """How many files are refused. A row a file, of what `look` has to say, as a table or, in the
    file `where`, as JSON with these keys."""
    from dpaudit.recheck.numbers import Refused

    rows, refused = [], 0
    for file in files:
        say(file.stem)
        try:
            rows.append(look(file))
        except Refused as error:
            refused += 1
            rows.append([file.stem, *[""] * (len(keys) - 2), f"refused: {error}"])
    say("")
    if where:
        write(where, json.dumps([dict(zip(keys, row, strict=True)) for row in rows], indent=2))
    if where != "-":
        table(title, header, rows)
    return refused


@contextmanager
def writing(what: str) -> Iterator[None]:
    """What cannot be written inside is said in one line: `what`, and why not."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{what} ({error.strerror})") from None


FILES = (
    *("json", "svg", "masses", "picture", "html", "badge"),
    *("sarif", "junit", "markdown", "attestation"),
)
"""Options that name a file to be written."""


def check_outputs(given: Namespace) -> None:
    """What could not be written after the work is refused before it."""
    for name in FILES:
        where = getattr(given, name, None)
        if isinstance(where, str) and where != "-":
            with writing(f"{name}: cannot write {where}"):
                path = Path(where)
                _writable(path if path.exists() else path.parent, folder=not path.exists())
    out = getattr(given, "out", None)
    if out is not None and not getattr(given, "recheck", False):  # which only reads it
        with writing(f"out: cannot write to {out}"):
            whole = Path(out).absolute()
            _writable(next(p for p in (whole, *whole.parents) if p.exists()), folder=True)


def _writable(path: Path, *, folder: bool) -> None:
    wrong = None
    if path.stat() and path.is_dir() != folder:
        wrong = errno.ENOTDIR if folder else errno.EISDIR
    elif not os.access(path, os.W_OK):
        wrong = errno.EACCES
    if wrong is not None:
        raise OSError(wrong, os.strerror(wrong))


def write(where: str | None, text: str) -> None:
    """Write a document to a file, or to standard output for `-`."""
    if where == "-":
        print(text)
    elif where is not None:
        write_file("json", where, text + "\n")


def write_file(name: str, where: str, text: str) -> None:
    with writing(f"{name}: cannot write {where}"):
        Path(where).write_text(text)


def write_folder(folder: Path, files: Mapping[str, str]) -> None:
    """Write files by name into a folder that need not be there."""
    with writing(f"out: cannot write to {folder}"):
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, newline="\n")
