"""The way of a request: which modules and functions of dpaudit run for it.

    python -m tests.house.way              seven requests, each with its modules
    python -m tests.house.way --functions  and their functions

A request is made twice in one process of its own; what is counted is the second, when all is
imported and compiled. Counted is what the Python interpreter runs of `dpaudit/`, in every thread of
the process. Compiled code is not: numba reports a call of a compiled function as if it were one of
Python, but its frame has no local variables, where a function that Python runs has its arguments.
Nor do the modules' own bodies count, what the papers say, nor what child processes run.
"""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import dpaudit
from tests.same.documents import ROOT

HOUSE = Path(dpaudit.__file__).parent
Way = dict[str, list[str]]
"""Functions by module."""


class Leaky:
    """What the black-box request audits."""

    def __init__(self, arms: int, epsilon: float, rng: Any) -> None:
        self.sums, self.rng = [0.0] * arms, rng

    def select(self, t: int) -> int:
        noisy = [total + self.rng.laplace(0.0, 1.0) for total in self.sums]
        return noisy.index(max(noisy))

    def observe(self, t: int, arm: int, reward: float) -> None:
        self.sums[arm] += reward


def two_world() -> None:
    dpaudit.audit(
        "rnm-ftnl", epsilon=1.0, arms=2, rounds=6, engine="two-world", runs=200_000, workers=2
    )


def black_box() -> None:
    dpaudit.audit(Leaky, epsilon=1.0, arms=2, rounds=8, runs=20_000, workers=2)


def regret() -> None:
    dpaudit.regret("ucb1", means=[0.7, 0.3], horizon=1000, runs=200, workers=2)


def command(words: str) -> Callable[[], None]:
    """A request of the command line."""

    def run() -> None:
        from dpaudit.cli import main

        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            main(words.format(out=folder).split())

    return run


REQUESTS: dict[str, Callable[[], None]] = {
    "two-world": two_world,
    "black-box": black_box,
    "regret": regret,
    "claims": command("claims --paper hu_et_al_2025 --fresh --workers 1 --json {out}/a.json"),
    "prove": command("prove ts-gaussian --json {out}/a.json"),
    "scaling": command("scaling theorem-2-rounds --quick --workers 2 --json {out}/a.json"),
    "report": command("report --out {out}"),
}


def run_by_python(frame: FrameType) -> bool:
    """Whether a called function runs in the interpreter; a compiled one has a frame, but an empty
    one. Only functions without any arguments cannot be told apart, and count."""
    return bool(frame.f_locals) or frame.f_code.co_argcount == 0


def way(request: Callable[[], None], house: Path = HOUSE) -> Way:
    """The functions that a request passes, the second time that it is made."""
    passed: dict[int, CodeType] = {}
    counting = False

    def seen(frame: FrameType, event: str, _: Any) -> None:
        if not counting or event != "call":
            return
        code = frame.f_code
        # Told by their numbers, and kept, so that none is given again: to hash code is slow.
        new = id(code) not in passed and code.co_name != "<module>"
        if new and run_by_python(frame):
            passed[id(code)] = code

    # Threads from the start, since some outlive the first request.
    threading.setprofile(seen)
    try:
        request()
        counting = True
        sys.setprofile(seen)
        request()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    found: Way = {}
    for file, function in sorted({(c.co_filename, c.co_qualname) for c in passed.values()}):
        path = Path(file)
        inside = path.relative_to(house) if path.is_relative_to(house) else Path()
        if inside.parts and inside.parts[0] not in ("algorithms", "proofs_checks"):
            found.setdefault(str(inside), []).append(function)
    return found


def apart(found: Way) -> tuple[Way, Way]:
    """What answers a request, and what of the command line asked for it."""
    asking = {m: f for m, f in found.items() if m.startswith("cli/")}
    return {m: f for m, f in found.items() if m not in asking}, asking


def in_a_process(name: str) -> Way:
    """A request's way in a fresh process."""
    out = subprocess.run(
        [sys.executable, "-m", "tests.house.way", "--one", name],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if out.returncode:
        raise RuntimeError(out.stderr)
    found: Way = json.loads(out.stdout.splitlines()[-1])
    return found


def main(arguments: list[str]) -> int:
    """Print the ways."""
    if arguments[:1] == ["--one"]:
        with contextlib.redirect_stdout(sys.stderr):
            found = way(REQUESTS[arguments[1]])
        print(json.dumps(found))
        return 0
    for name in REQUESTS:
        inside, asking = apart(in_a_process(name))
        functions = sum(map(len, inside.values()))
        print(f"{name}: {len(inside)} modules, {functions} functions", end="")
        print(f"; besides, of the command line: {', '.join(asking)}" if asking else "")
        for module, own in inside.items():
            print(f"  {module} {len(own)}" + (f": {', '.join(own)}" if arguments else ""))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
