"""The catalogue: every entry of every module in `algorithms/`. A new file there is a new entry."""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import pkgutil
from pathlib import Path

import algorithms
from dpaudit.algorithm.contract import Algorithm
from dpaudit.errors import UsageError, unknown
from dpaudit.papers import order

SAFE = "-safe"
"""Ends the name of an entry with `dpaudit.machine.safe_laplace` in place of ordinary noise."""


def modules() -> list[str]:
    """Every module of `algorithms/`, a folder a paper."""
    found = pkgutil.walk_packages(algorithms.__path__, "algorithms.")
    return [module.name for module in found if not module.ispkg]


@functools.cache
def catalogue() -> dict[str, Algorithm]:
    """All entries by name, in the order of the papers and, within a paper, of their names."""
    entries: list[Algorithm] = []
    for name in modules():
        entries.extend(importlib.import_module(name).ENTRIES)
    entries.sort(key=lambda entry: (order(entry.card.paper), entry.card.name))
    names = [entry.card.name for entry in entries]
    if len(set(names)) != len(names):
        raise TypeError("two catalogue entries have the same name")
    return dict(zip(names, entries, strict=True))


def home(algorithm: Algorithm) -> Path:
    """The file that defines an entry; outside the catalogue, the one of its `observe`."""
    name = algorithm.card.name
    if name.removesuffix(SAFE) in catalogue() and find(name) is algorithm:
        algorithm = catalogue()[name.removesuffix(SAFE)]
    for name in modules():
        loaded = importlib.import_module(name)
        if any(entry is algorithm for entry in loaded.ENTRIES):
            return Path(str(loaded.__file__))
    return Path(inspect.getfile(algorithm.observe))


def find(name: str) -> Algorithm:
    """The entry of that name, or, for NAME-safe, the entry with noise that is safe in floating
    point; an unknown one is a UsageError with the nearest known names."""
    entries = catalogue()
    if name not in entries:
        if name.removesuffix(SAFE) in entries:
            from dpaudit.machine.safe import with_safe_laplace

            return with_safe_laplace(entries[name.removesuffix(SAFE)])
        raise unknown("algorithm", name, entries)
    return entries[name]


def described(algorithm: Algorithm) -> tuple[str, Algorithm | None]:
    """What names an algorithm to another process: a name of the catalogue; or a digest of its code,
    and the algorithm itself, which then cannot leave this process."""
    with contextlib.suppress(UsageError):
        if find(algorithm.card.name) is algorithm:
            return algorithm.card.name, None
    from dpaudit.machine.binding import bound, digest

    return f"{algorithm.card.name} {digest(bound('play_tables', algorithm))}", algorithm
