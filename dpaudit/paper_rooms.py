"""The rooms of the papers, `proofs_checks/KEY`, found by being there.

The only place from which the toolkit reaches into `proofs_checks`. The ledger asks for `claims`,
the scaling studies for `bounds`, the experiments for `figures`: a module or a folder of them.
Beside the rooms stand theorems for a proof assistant, `proofs_checks/rocq`.
What a paper leaves open is in its `questions.toml`, the numbers for it in `questions.json`.
"""

from __future__ import annotations

import functools
import importlib
import json
import pkgutil
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

from dpaudit.papers import order

HOUSE = "dpaudit.proofs_checks"


@functools.cache
def papers(part: str = "") -> list[str]:
    """The papers that have a room, or one with such a part, in the order of the bibliography."""
    house = importlib.import_module(HOUSE)
    rooms = sorted((m.name for m in pkgutil.iter_modules(house.__path__) if m.ispkg), key=order)
    return [room for room in rooms if not part or part in _parts(room)]


def _parts(paper: str) -> set[str]:
    room = importlib.import_module(f"{HOUSE}.{paper}")
    return {m.name for m in pkgutil.iter_modules(room.__path__)}


@functools.cache
def modules(paper: str, part: str) -> list[ModuleType]:
    """What a paper's room has of a part: its module, or all modules of its folder, those that the
    folder's MODULES lists first and in that order."""
    if part not in _parts(paper):
        return []
    found = importlib.import_module(f"{HOUSE}.{paper}.{part}")
    if not hasattr(found, "__path__"):
        return [found]
    listed: list[str] = getattr(found, "MODULES", [])
    there = sorted(m.name for m in pkgutil.iter_modules(found.__path__))
    names = [*listed, *(name for name in there if name not in listed)]
    return [importlib.import_module(f"{found.__name__}.{name}") for name in names]


def beside(paper: str, name: str) -> Path:
    """A file in a paper's room, or in `rocq`; it need not be there."""
    house = importlib.import_module(HOUSE)
    return Path(next(iter(house.__path__))) / paper / name


def questions() -> list[dict[str, Any]]:
    """What the papers leave open, from the file `questions.toml` of each room that has one. What
    was found for the numbers that it asks for is beside it, in `questions.json`."""
    found = []
    for paper in papers():
        file = beside(paper, "questions.toml")
        if file.is_file():
            known = beside(paper, "questions.json")
            values = json.loads(known.read_text("utf-8")) if known.is_file() else {}
            for name, entry in tomllib.loads(file.read_text("utf-8")).items():
                own = values.get(name, {})
                numbers = [
                    {"name": number, "value": own.get(number, ""), **how}
                    for number, how in entry.pop("numbers", {}).items()
                ]
                found.append({"id": name, "paper": paper, **entry, "sources": numbers})
    return found
