"""`python -m dpaudit`, and the command `dpaudit`: from its first line on, Ctrl-C and SIGTERM end it
in order, within two seconds and with exit code 3, whatever it is doing.

The first signal raises KeyboardInterrupt in the main thread, which keeps what was done. A thread
watches: where that takes too long, because compiled code or a library does not look at signals, it
ends the process. What it started ends with it. Nothing heavy is imported here.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from dpaudit.run import leaving

GRACE = 1.5
"""Seconds in which what was done can be kept."""
UNFINISHED = 3
SHOW_CURSOR = "\x1b[?25h"

_over = threading.Event()
"""Set when the command is done: nothing is left that an interrupt could keep."""


def command() -> NoReturn:
    """The process: a command, and then at once the end of it."""
    ended: list[int] = []
    atexit.register(_end, ended)  # first, so that it comes last
    ended.append(main())
    raise SystemExit(ended[0])


def _end(ended: list[int]) -> None:
    """The interpreter takes its modules apart for some time, and would die of a signal in it."""
    if ended:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(ended[0])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. A signal was a request to stop, whatever came of it."""
    code = UNFINISHED
    try:
        _listen()
        from dpaudit.cli import main as run

        code = run(arguments)
        _over.set()
    except BaseException as error:
        _over.set()
        if not leaving.is_set():
            raise
        if not isinstance(error, SystemExit):
            _say()
    if leaving.is_set():
        _leave()
    return code


def _listen() -> None:
    leaving.clear()
    _over.clear()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _told)
    sys.unraisablehook = _unraisable
    if os.name == "posix":
        read, write = os.pipe()
        os.set_blocking(write, False)
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)  # written even in compiled code
        threading.Thread(target=_watch, args=(read,), daemon=True).start()


def _told(number: int, frame: Any) -> None:
    if _over.is_set():
        _leave()
    if not leaving.is_set():  # once more says nothing new
        leaving.set()
        raise KeyboardInterrupt


def _unraisable(found: Any) -> None:
    """An interrupt that fell into a destructor is raised anew; what else goes wrong while leaving
    is no news."""
    if not leaving.is_set():
        sys.__unraisablehook__(found)
    elif isinstance(found.exc_value, KeyboardInterrupt):
        leaving.clear()
        threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGINT)).start()


def _watch(read: int) -> None:
    os.read(read, 1)
    time.sleep(GRACE)
    leaving.set()
    _say()
    _leave()


def _say() -> None:
    _write("dpaudit: interrupted\n")


def _leave() -> NoReturn:
    """End at once, with all that was started: threads are not waited for, the cursor is shown."""
    for child in _descendants(os.getpid()):
        with contextlib.suppress(OSError):
            os.kill(child, signal.SIGKILL)
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    if os.isatty(2):
        _write(SHOW_CURSOR)
    os._exit(UNFINISHED)


def _write(text: str) -> None:
    """To standard error itself: progress puts something else in its place."""
    with contextlib.suppress(OSError):
        os.write(2, text.encode())


def _descendants(root: int) -> list[int]:
    """Processes that this one started, and they; none where /proc does not tell."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            parents[int(entry.parent.name)] = int(entry.read_text().rpartition(")")[2].split()[1])
    found = [root]
    for known in found:
        found += [child for child, parent in parents.items() if parent == known]
    return found[1:]


if __name__ == "__main__":
    command()
