"""`python -m tests.fuzz.interrupt [--times N] [--seed S]`: Ctrl-C and SIGTERM at random moments.

Each command runs on a terminal of its own. A moment is counted from when dpaudit listens to
signals, which it does with its first line: what comes while the interpreter itself starts is
answered by the interpreter.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import json
import os
import pty
import random
import select
import signal
import struct
import sys
import tempfile
import termios
import time
from dataclasses import dataclass, field
from pathlib import Path

from dpaudit.run.process import busyness

SOON = 2.0
"""Seconds within which a command ends, on a machine with nothing else to do."""
MARGIN = 0.5
"""Seconds of the test's own: between a process's end and its being seen."""
LISTENS = 1 << (signal.SIGTERM - 1)
SHORT, LONG = 0.6, 8.0
"""Seconds in which the moments of quick and of slow commands fall."""
LEARNER = """
import time
class Slow:
    def __init__(self, arms, epsilon, rng):
        self.rng, self.arms = rng, arms
    def select(self, t):
        time.sleep(0.001)
        return int(self.rng.integers(self.arms))
    def observe(self, t, arm, reward):
        pass
"""
PROJECT = """
[[tool.dpaudit.audits]]
target = "slow.py:Slow"
epsilon = 1.0
"""
COMMANDS = {
    "audit anytime-lazy-ucb --epsilon 1 --runs 1e9 --json out.json": LONG,
    "audit slow.py:Slow --epsilon 1 --seconds 60 --json out.json": LONG,
    "audit slow.py:Slow --epsilon 1 --gate": LONG,
    "audit --out out": LONG,
    "audit dp-ts-ucb --epsilon 1 --workers 1 --journal j": LONG,
    "run --json out.json": LONG,
    "regret ucb1 --means 0.6,0.5 --horizon 1e8 --runs 1e4 --yes --json out.json": LONG,
    "regret slow.py:Slow --means 0.6,0.5 --horizon 1e3 --epsilon 1 --journal j": LONG,
    "regret rnm-ftnl --means 0.75,0.25 --epsilon 0.1 --horizon 1e18 --exact": SHORT,
    "compare ucb1 thompson --horizon 1e6 --json out.json": LONG,
    "scaling --json out.json": LONG,
    "reproduce --out out": LONG,
    "prove --json out.json": LONG,
    "claims --fresh --certificates certificates --json out.json": LONG,
    "claims --paper hu_et_al_2025 --fresh --workers 1 --certificates certificates": LONG,
    "claims --recheck --paper hu_et_al_2025 --certificates certificates": LONG,
    "optimal --rounds 7 --epsilon 1 --json out.json": LONG,
    "optimal --sweep": LONG,
    "curve thompson --rounds 18 --json out.json": LONG,
    "curve ts-gaussian --rounds 5 --all": LONG,
    "wrap slow.py:Slow": SHORT,
    "report --out pages": LONG,
    "algorithms": SHORT,
    "show dp-ts": SHORT,
    "questions": SHORT,
    "completion bash": SHORT,
    "guide first-audit": SHORT,
    "bisect HEAD~1 HEAD slow.py:Slow --epsilon 1": SHORT,
}


@dataclass
class Ended:
    """How a command ended."""

    code: int
    seconds: float
    output: str
    orphans: list[str]
    same_terminal: bool
    told: bool
    faults: list[str] = field(default_factory=list)


def interrupted(words: list[str], moment: float, number: int, folder: Path) -> Ended:
    """Start a command on a terminal, send it the signal at the moment, and watch it end. Ctrl-C
    goes to the whole group, as from a keyboard; SIGTERM to the process."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    before = termios.tcgetattr(side)
    child = os.fork()
    if child == 0:
        os.setsid()
        fcntl.ioctl(side, termios.TIOCSCTTY, 0)
        for each in (0, 1, 2):
            os.dup2(side, each)
        os.closerange(3, 64)
        os.chdir(folder)
        os.environ |= {"DPAUDIT_CACHE_DIR": str(folder / "cache"), "TERM": "xterm"}
        os.execv(sys.executable, [sys.executable, "-m", "dpaudit", *words])
    output, told, began, due, status = b"", False, 0.0, None, None
    while status is None:
        output += _read(main)
        now = time.monotonic()
        if due is None and listens(child):
            due = now + moment
        if due is not None and now >= due and not told:
            told, began = True, now
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, number) if number == signal.SIGINT else os.kill(child, number)
        if told and now - began > 10 * SOON * busyness():
            os.kill(child, signal.SIGKILL)
        done, code = os.waitpid(child, os.WNOHANG)
        status = code if done else None
    seconds = time.monotonic() - began
    time.sleep(0.1)  # what was killed is cleared away
    orphans = _session(child)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    output += _read(main)
    same = termios.tcgetattr(side) == before
    os.close(main)
    os.close(side)
    return Ended(os.waitstatus_to_exitcode(status), seconds, output.decode(errors="replace"),
                 orphans, same, told)  # fmt: skip


def _read(terminal: int) -> bytes:
    if select.select([terminal], [], [], 0.005)[0]:
        with contextlib.suppress(OSError):
            return os.read(terminal, 1 << 16)
    return b""


def listens(process: int) -> bool:
    """Whether it has a handler for SIGTERM, which the interpreter alone has not."""
    with contextlib.suppress(OSError, StopIteration):
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
        caught = next(line for line in lines if line.startswith("SigCgt"))
        return bool(int(caught.split()[1], 16) & LISTENS)
    return False


def _session(leader: int) -> list[str]:
    """The command lines of what is left of a session."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == leader and fields[0] != "Z":
                found.append((entry / "cmdline").read_text().replace("\0", " "))
    return found


def judged(ended: Ended, folder: Path) -> list[str]:
    """What is not as it should be."""
    found = []
    if "Traceback" in ended.output or "Exception ignored" in ended.output:
        found.append("traceback: " + " | ".join(ended.output.strip().splitlines()[-3:]))
    if ended.told and ended.code != 3:
        found.append(f"exit code {ended.code}: " + ended.output[-200:])
    if ended.told and ended.seconds > SOON * busyness() + MARGIN:
        found.append(f"took {ended.seconds:.1f} s (busyness {busyness():.1f})")
    found += [f"orphan: {orphan}" for orphan in ended.orphans]
    if not ended.same_terminal:
        found.append("the terminal is not as it was")
    if ended.output.rfind("\x1b[?25l") > ended.output.rfind("\x1b[?25h"):
        found.append("the cursor is hidden")
    for file in folder.rglob("*.json"):
        try:
            json.loads(file.read_text())
        except ValueError:
            found.append(f"{file.relative_to(folder)} is cut")
    return found


def lay_out(folder: Path) -> None:
    (folder / "slow.py").write_text(LEARNER)
    (folder / "pyproject.toml").write_text(PROJECT)
    (folder / "certificates").mkdir()


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.interrupt")
    parser.add_argument("--times", type=int, default=186)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--span", type=float, default=LONG, help="moments are not later")
    parser.add_argument("--only", default="", help="commands that begin so")
    asked = parser.parse_args(arguments)
    rng = random.Random(asked.seed)
    commands = [each for each in COMMANDS if each.startswith(asked.only)]
    bad, slowest, late = 0, 0.0, 0
    for time_ in range(asked.times):
        command = commands[time_ % len(commands)]
        moment = rng.uniform(0.0, min(asked.span, COMMANDS[command]))
        number = rng.choice([signal.SIGINT, signal.SIGINT, signal.SIGTERM])
        with tempfile.TemporaryDirectory(prefix="dpaudit-interrupt-") as place:
            folder = Path(place)
            lay_out(folder)
            ended = interrupted(command.split(), moment, number, folder)
            slowest = max(slowest, ended.seconds if ended.told else 0.0)
            late += not ended.told
            for fault in judged(ended, folder):
                bad += 1
                print(f"{command}, {number.name} after {moment:.2f} s: {fault}", flush=True)
    print(f"{asked.times} moments, {late} after the end, {bad} faults, slowest {slowest:.1f} s")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
