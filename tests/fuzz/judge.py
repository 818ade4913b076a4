"""One command line, run in a copy of this process, and what is not as it should be about it."""

from __future__ import annotations

import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

from dpaudit.errors import LONGEST
from dpaudit.run.process import busyness
from tests.fuzz.grammar import Line
from tests.fuzz.interrupt import listens

PATIENCE = 0.3
"""Seconds after which what is still working is stopped by Ctrl-C."""
STOP = 2.0
"""Seconds that it may take to stop, on a machine with nothing else to do."""
REFUSAL = 1.0
"""Seconds of processor time that it may take to refuse an input."""
MEMORY = 6 << 30
CODES = (0, 1, 2, 3, 4)


@dataclass(frozen=True)
class Answer:
    """What became of a command line. `stopped` if it had to be interrupted, `stuck` if that did not
    help."""

    code: int
    out: str
    err: str
    busy: float
    stopped: bool
    stuck: bool


def answered(words: tuple[str, ...], patience: float = PATIENCE) -> Answer:
    """Run a command line in a child, which has a group of its own."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = os.fork()
        if child == 0:
            _child(words, out.fileno(), err.fileno())
        began, stopped, stuck, heard = time.monotonic(), False, False, False
        while True:
            done, status, usage = os.wait4(child, os.WNOHANG)
            if done:
                break
            if not heard:  # time is counted from when it listens to signals
                heard, began = listens(child), time.monotonic()
            waited = time.monotonic() - began
            if not stopped and waited > patience * busyness():
                os.killpg(child, signal.SIGINT)
                stopped, began = True, time.monotonic()
            elif stopped and not stuck and waited > STOP * busyness():
                stuck = True
                os.kill(child, signal.SIGKILL)
            time.sleep(0.002)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(Path(f"/dev/fd/{file.fileno()}").read_bytes().decode(errors="replace"))
        return Answer(
            os.waitstatus_to_exitcode(status), texts[0], texts[1],
            usage.ru_utime + usage.ru_stime, stopped, stuck,
        )  # fmt: skip


def _child(words: tuple[str, ...], out: int, err: int) -> None:
    code = 99
    try:
        os.setpgid(0, 0)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out, 1)
        os.dup2(err, 2)
        sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        from dpaudit.__main__ import main

        code = main(list(words))
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else 98
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def faults(line: Line, answer: Answer) -> list[str]:
    """What is wrong with an answer."""
    found = []
    if "Traceback" in answer.err or "Exception ignored" in answer.err:
        found.append("traceback: " + answer.err.strip().splitlines()[-1][:200])
    if answer.stuck:
        return [*found, "does not stop"]
    if answer.code not in CODES:
        found.append(f"exit code {answer.code}")
    if answer.stopped and line.wrong:
        found.append(f"works although {line.wrong} is wrong")
    elif line.wrong and answer.code != 2:
        found.append(f"exit code {answer.code} although {line.wrong} is wrong")
    if answer.code == 2:
        said = answer.err.splitlines()
        if len(said) != 1:
            found.append(f"{len(said)} lines of error")
        found += [f"a line of {len(each)} characters" for each in said if len(each) > LONGEST]
        if answer.busy > REFUSAL:
            found.append(f"{answer.busy:.1f} s to refuse")
    return found


def alone(arguments: list[str]) -> None:
    """A command in this process, in a folder; its last line of standard error is the processor time
    that it took beyond the interpreter's own."""
    before = time.process_time()
    os.chdir(arguments[0])
    os.environ["DPAUDIT_CACHE_DIR"] = str(Path("cache").absolute())
    code = 98
    try:
        from dpaudit.__main__ import main

        code = main(arguments[1:])
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else 98
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    print(time.process_time() - before, file=sys.stderr, flush=True)
    os._exit(code)
