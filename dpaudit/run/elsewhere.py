"""What a worker in another process does: it opens the letter of a task, plays blocks, and answers
with text.

Such a worker may have several threads, and then must not be forked. So user code is played by
children of a further process with a single thread, one a worker: it reads lines of JSON and answers
lines of JSON; one that dies is replaced.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import subprocess
import sys
import threading
from collections import OrderedDict
from typing import Any

from dpaudit.errors import UsageError
from dpaudit.run.code import package_digest
from dpaudit.run.plain import Parcel, known, unpack
from dpaudit.run.task import Block, Letter, Task, digest_of, text_of

KEPT_PLAYERS = 16
"""Players that a worker keeps between blocks."""
MOST_DEATHS = 3
"""A block that ends so many of these processes in a row is reported."""

_mine = threading.local()
_players: OrderedDict[str, Task] = OrderedDict()
_lock = threading.Lock()


def play_elsewhere(letter: tuple[Any, ...], block: tuple[int, int, int]) -> str:
    """Play a block in another process than the task was made in, user code in a process of its own
    there. Only text comes back."""
    if Letter(*letter).home != "thread":
        return _play_apart(letter, block)
    return text_of(arrived(letter).player(Block(*block)))


def arrived(letter: tuple[Any, ...]) -> Task:
    """The task of a letter; the code must be the same here."""
    kind, name, text, where, home, code = letter
    if code != package_digest():
        raise UsageError(f"the worker on {platform.node()} has another dpaudit than this process")
    make = known(kind).arrive(None, Parcel())
    key = digest_of(kind, text)
    with _lock:
        if key not in _players:
            given = unpack(json.loads(text), Parcel(where))
            _players[key] = Task(make, name, given, home)
        _players.move_to_end(key)
        while len(_players) > KEPT_PLAYERS:
            _players.popitem(last=False)
        return _players[key]


def _play_apart(letter: tuple[Any, ...], block: tuple[int, int, int]) -> str:
    """Have this thread's process play a block; the record as JSON text."""
    question = json.dumps([list(letter), list(block)])
    for _ in range(MOST_DEATHS):
        apart: subprocess.Popen[str] | None = getattr(_mine, "apart", None)
        if apart is None or apart.poll() is not None:
            apart = _mine.apart = _new()
        assert apart.stdin is not None
        assert apart.stdout is not None
        with contextlib.suppress(OSError):
            apart.stdin.write(question + "\n")
            apart.stdin.flush()
            answer = apart.stdout.readline()
            if answer.endswith("\n"):
                said: dict[str, str] = json.loads(answer)
                if "record" in said:
                    return said["record"]
                raise UsageError(said["error"])
        apart.kill()
        apart.wait()
    raise UsageError(f"{letter[1]}: block {block[0]} ended its process {MOST_DEATHS} times")


def _new() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "dpaudit.run.elsewhere", str(os.getpid())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def main(parent: int) -> None:
    """Answer until nobody asks any more. What user code prints goes to standard error."""
    from dpaudit.run.process import die_with_parent, error_text
    from dpaudit.run.runner import Runner

    die_with_parent(parent)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        letter, block = json.loads(line)
        try:
            task = arrived(tuple(letter))
            said = {"record": text_of(Runner(1).one(task, Block(*block)))}
        except Exception as error:
            said = {"error": error_text(letter[1], error)}
        answers.write(json.dumps(said) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]))
