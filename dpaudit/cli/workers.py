"""The options of commands that sample: who plays, and what is noted."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from dpaudit.errors import UsageError, check_count

if TYPE_CHECKING:
    from dpaudit.run.runner import Runner


def add_options(parser: argparse.ArgumentParser, what: str = "threads or processes") -> None:
    """--workers or --scheduler, and --journal."""
    who = parser.add_mutually_exclusive_group()
    who.add_argument("--workers", metavar="N", help=f"{what} (default: one a core)")
    who.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster, tcp://host:port")
    parser.add_argument(
        "--journal", metavar="FILE", help="note finished blocks there, and go on from it"
    )


def workers_of(given: argparse.Namespace) -> int | None:
    """The number of workers that was given."""
    return None if given.workers is None else check_count("workers", given.workers, 1, 4096)


@contextlib.contextmanager
def runner_of(given: argparse.Namespace) -> Iterator[Runner]:
    """Everything inside is played by these workers."""
    from dpaudit.run.runner import Runner

    if given.scheduler is not None and "://" not in given.scheduler:
        raise UsageError(
            f"scheduler: got {given.scheduler!r}, allowed is an address such as "
            "tcp://127.0.0.1:8786"
        )
    with Runner(workers_of(given), scheduler=given.scheduler, journal=given.journal) as runner:
        try:
            yield runner
        except KeyboardInterrupt:
            remind(given, finished=False)
            raise


def remind(given: argparse.Namespace, *, finished: bool) -> None:
    """How to go on with what was not finished."""
    if given.journal is not None and not finished:
        print(
            f"dpaudit: not finished; the same command goes on from {given.journal}",
            file=sys.stderr,
        )


def asked(given: argparse.Namespace) -> dict[str, Any]:
    """What was asked for, without who works on it and where it is written."""
    aside = "workers scheduler journal json html markdown junit sarif badge out svg list".split()
    return {name: value for name, value in vars(given).items() if name not in aside}
