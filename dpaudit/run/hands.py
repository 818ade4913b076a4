"""A hand: a process of a worker's own, with a single thread, in which tasks with user code are
played. It reads lines of JSON and answers lines of JSON; a hand that dies is replaced.

Workers of a cluster have threads and may not have children that are forked; a hand may.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from typing import Any

from dpaudit.errors import UsageError, one_line

MOST_DEATHS = 3
"""A task that ends so many hands in a row is reported."""

_mine = threading.local()


def play_in_hand(sent: tuple[Any, ...], code: str, block: tuple[int, int, int], name: str) -> str:
    """Have this thread's hand play a block; the record as JSON text."""
    question = json.dumps([list(sent), code, list(block)])
    for _ in range(MOST_DEATHS):
        hand: subprocess.Popen[str] | None = getattr(_mine, "hand", None)
        if hand is None or hand.poll() is not None:
            hand = _mine.hand = _new()
        assert hand.stdin is not None
        assert hand.stdout is not None
        with contextlib.suppress(OSError):
            hand.stdin.write(question + "\n")
            hand.stdin.flush()
            answer = hand.stdout.readline()
            if answer.endswith("\n"):
                said: dict[str, str] = json.loads(answer)
                if "record" in said:
                    return said["record"]
                raise UsageError(said["error"])
        hand.kill()
        hand.wait()
    raise UsageError(f"{name}: block {block[0]} ended its process {MOST_DEATHS} times")


def _new() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "dpaudit.run.hands", str(os.getpid())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def main(parent: int) -> None:
    """Answer until nobody asks any more. What user code prints goes to standard error."""
    from dpaudit.run.pools import die_with_parent
    from dpaudit.run.task import play_here

    die_with_parent(parent)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        sent, code, block = json.loads(line)
        try:
            said = {"record": play_here(tuple(sent), code, tuple(block))}
        except Exception as error:
            named = "" if isinstance(error, UsageError) else f"{type(error).__name__}: "
            said = {"error": named + one_line(error, 500)}
        answers.write(json.dumps(said) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]))
