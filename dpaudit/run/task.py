"""Tasks: what is done to every block of a piece of work, as plain data that can go to any worker.

A task names one of the kinds below, never any other function, and a specification in plain data.
What comes back for a block is a record: plain JSON text of statistics that add up.
"""

from __future__ import annotations

import ast
import base64
import functools
import hashlib
import importlib
import json
import os
import platform
import sys
import threading
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpaudit.errors import UsageError
from dpaudit.run.block import Block

KINDS = {
    "two-world-try": "dpaudit.auditor.engines.two_world.tasks:try_pairs",
    "two-world-choose": "dpaudit.auditor.engines.two_world.tasks:choose_event",
    "two-world-step": "dpaudit.auditor.engines.two_world.tasks:choose_step",
    "two-world-count": "dpaudit.auditor.engines.two_world.tasks:count_weights",
    "black-box-try": "dpaudit.auditor.engines.black_box.tasks:try_pairs",
    "black-box-sample": "dpaudit.auditor.engines.black_box.tasks:draw",
    "black-box-count": "dpaudit.auditor.engines.black_box.tasks:count_hits",
    "black-box-bet": "dpaudit.auditor.engines.black_box.tasks:bet",
    "regret": "dpaudit.laboratory.tasks:tally_regret",
    "environment": "dpaudit.play.environments:play_block",
    "decision": "dpaudit.run.task:no_play",
}
"""The functions that make a player from a task: the only ones that a task can name."""
CODE = (
    "algorithm/*.py",
    "auditor/**/*.py",
    "machine/*.py",
    "play/*.py",
    "run/*.py",
    "results/audit.py",
    "results/regret.py",
    "laboratory/*.py",
)
"""The files of this package whose code the records depend on."""
KEPT_PLAYERS = 16
"""Players that a worker keeps between blocks."""
ARRAYS = ("int16", "int64", "uint64", "float64")

Record = dict[str, Any]
Play = Callable[[Block], Record]


@dataclass(frozen=True)
class Task:
    """One piece of work over blocks. `name` is who is played, for messages. `where` helps a worker
    to find the code and is no part of the digest. `local` is something that lives in this process
    only; then the task is not sent to a cluster. `python`: user code or slow Python is played."""

    kind: str
    name: str
    spec: dict[str, Any]
    where: dict[str, str] = field(default_factory=dict)
    local: Any = None
    python: bool = False

    @functools.cached_property
    def text(self) -> str:
        """The specification as JSON."""
        return json.dumps(self.spec, sort_keys=True, separators=(",", ":"))

    @functools.cached_property
    def digest(self) -> str:
        """Digest of everything that the records depend on."""
        return digest_of(self.kind, self.text)

    @functools.cached_property
    def player(self) -> Play:
        """What plays a block, in this process."""
        module, _, function = KINDS[self.kind].partition(":")
        made: Play = getattr(importlib.import_module(module), function)(self)
        return made

    def play(self, block: Block) -> str:
        """The record of a block, as JSON text."""
        return json.dumps(self.player(block), separators=(",", ":"))


def no_play(task: Task) -> Play:
    """For decisions, which are noted and not played."""
    raise AssertionError(f"{task.kind} has no blocks to play")


_players: OrderedDict[str, Task] = OrderedDict()
_lock = threading.Lock()


Sent = tuple[str, str, str, dict[str, str], bool]
"""Kind, name, specification, where it is found, whether user code or slow Python is played."""


def play_elsewhere(sent: Sent, code: str, block: tuple[int, int, int]) -> str:
    """Play a block in another process than the task was made in, user code in a process of its own
    there. Only text comes back."""
    if sent[4]:
        from dpaudit.run.hands import play_in_hand

        return play_in_hand(sent, code, block, sent[1])
    return play_here(sent, code, block)


def play_here(sent: Sent, code: str, block: tuple[int, int, int]) -> str:
    """Play a block of a task that was made elsewhere, with the same code."""
    kind, name, text, where, python = sent
    if code != code_digest():
        raise UsageError(f"the worker on {platform.node()} has another dpaudit than this process")
    if kind not in KINDS:
        raise UsageError(f"kind: unknown task {kind!r}")
    asked = Task(kind, name, json.loads(text), where, None, python)
    with _lock:
        task = _players.setdefault(asked.digest, asked)
        _players.move_to_end(asked.digest)
        while len(_players) > KEPT_PLAYERS:
            _players.popitem(last=False)
    return task.play(Block(*block))


def digest_of(*parts: str) -> str:
    """Digest of texts together with the code of dpaudit."""
    whole = hashlib.sha256(code_digest().encode())
    for part in parts:
        whole.update(f"{len(part)}:{part}".encode())
    return whole.hexdigest()[:32]


@functools.cache
def code_digest() -> str:
    """Digest of dpaudit's version and of the code that makes its numbers."""
    import algorithms
    from dpaudit import __version__

    here = Path(__file__).parents[1]
    files = [path for pattern in CODE for path in sorted(here.glob(pattern))]
    files += sorted(Path(algorithms.__path__[0]).rglob("*.py"))
    whole = hashlib.sha256(__version__.encode())
    for path in files:
        whole.update(path.name.encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()[:32]


def source_digest(file: str | Path) -> str:
    """Digest of a Python file and of the modules beside it that it imports, and they import."""
    whole = hashlib.sha256()
    seen: set[Path] = set()

    def visit(path: Path) -> None:
        if path in seen:
            return
        seen.add(path)
        body = path.read_bytes()
        whole.update(path.name.encode() + b"\0" + body)
        try:
            tree = ast.parse(body)
        except SyntaxError:
            return
        for name in _imported(tree):
            parts = name.split(".")
            for folder in (path.parent, *path.parents[1 : len(parts) + 1]):
                for found in (folder.joinpath(*parts).with_suffix(".py"),
                              folder.joinpath(*parts, "__init__.py")):  # fmt: skip
                    if found.is_file() and "site-packages" not in found.parts:
                        visit(found.resolve())

    visit(Path(file).resolve())
    return whole.hexdigest()[:32]


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ([node.module] if node.module else [name.name for name in node.names])


def object_digest(thing: Any) -> str:
    """Digest of the source of a class or function that lives in this process, if it has one."""
    import inspect

    try:
        file = inspect.getsourcefile(thing)
        return source_digest(file) if file else "unknown"
    except (TypeError, OSError):
        return "unknown"


def place() -> dict[str, str]:
    """Where this process works: a worker looks for modules there."""
    return {"folder": os.getcwd()}


def enter(where: dict[str, str]) -> None:
    """Let modules be imported that the process which made the task could import from its folder."""
    folder = where.get("folder", "")
    if folder and folder not in sys.path:
        sys.path.append(folder)


def pack(array: ArrayLike) -> dict[str, Any]:
    """An array as plain data."""
    values = np.ascontiguousarray(array)
    data = base64.b64encode(zlib.compress(values.tobytes(), 1)).decode()
    return {"dtype": str(values.dtype), "shape": list(values.shape), "data": data}


def unpack(packed: dict[str, Any]) -> NDArray[Any]:
    """The array; only plain numbers are taken."""
    if packed["dtype"] not in ARRAYS:
        raise ValueError(f"an array of {packed['dtype']} is none of {', '.join(ARRAYS)}")
    data = zlib.decompress(base64.b64decode(packed["data"]))
    return np.frombuffer(data, packed["dtype"]).reshape(packed["shape"])
