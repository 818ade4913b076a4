"""`dpaudit bisect GOOD BAD TARGET`: the commit since which a learner breaks its claim."""

from __future__ import annotations

import argparse
import math
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from dpaudit.errors import UsageError, check_count, check_number, shortened
from dpaudit.results.changes.versions import git as _git

EXAMPLE = """examples:
  dpaudit bisect v1.2 HEAD learner.py:Learner --epsilon 1 --rounds 64
The audit is a gate, which stops as soon as it is certain, in a work tree of its own: nothing of
yours is checked out or changed. Other options are those of `dpaudit audit`."""
SKIP = 125
"""What git bisect understands as: this commit cannot be tried."""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("good", metavar="GOOD", help="a commit at which the claim is not refuted")
    parser.add_argument("bad", metavar="BAD", help="a later one at which it is")
    parser.add_argument("target", metavar="TARGET", help="file.py:Class, from the repository's top")
    parser.add_argument("--epsilon", metavar="E", required=True, help="the claim")
    for name in ("arms", "rounds", "runs", "seconds", "delta", "confidence", "seed"):
        parser.add_argument(f"--{name}", metavar="N", help="as for dpaudit audit")


def run(options: argparse.Namespace) -> int:
    words = _checked(options)
    top = Path(_git(Path.cwd(), "rev-parse", "--show-toplevel").strip())
    good, bad = (
        _git(top, "rev-parse", "--verify", f"{name}^{{commit}}").strip()
        for name in (options.good, options.bad)
    )
    # Two versions of one second and one size have one compiled file.
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    gate = [sys.executable, "-m", "dpaudit", "audit", options.target, "--gate", *words]
    with tempfile.TemporaryDirectory(prefix="dpaudit-bisect-") as temporary:
        tree = Path(temporary) / "tree"
        _git(top, "worktree", "add", "--detach", "--quiet", str(tree), bad)
        try:
            for commit, name, wanted in ((good, options.good, 0), (bad, options.bad, 1)):
                _git(tree, "checkout", "--quiet", "--detach", commit)
                done = subprocess.run(
                    gate, cwd=tree, env=env, capture_output=True, text=True, check=False
                )
                _must(done, name, wanted)
            _git(tree, "bisect", "start", bad, good)
            # 1 is violated; what cannot be audited there, 2, and what is not finished, are skipped.
            script = (
                f"{shlex.join(gate)}; case $? in 0|4) exit 0;; 1) exit 1;; *) exit {SKIP};; esac"
            )
            bisect = ["git", "bisect", "run", "sh", "-c", script]
            # Its exit code says no more than its words, which are read below.
            done = subprocess.run(
                bisect, cwd=tree, env=env, capture_output=True, text=True, check=False
            )
            said = done.stdout
        finally:
            _git(top, "worktree", "remove", "--force", str(tree))
    lines = said.splitlines()
    first = next((i for i, line in enumerate(lines) if "is the first bad commit" in line), None)
    if first is None:
        raise UsageError("bisect: no single commit can be named, others could not be tried")
    print("\n".join(lines[first:]))
    return 1


def _checked(options: argparse.Namespace) -> list[str]:
    """The audit's options, refused before anything is checked out."""
    if ":" not in options.target:
        raise UsageError(f"target: got {options.target!r}, allowed is file.py:Class")
    counts = {"arms": 1, "rounds": 1, "runs": 100, "seed": 0}
    numbers = {"epsilon": math.inf, "seconds": math.inf, "delta": 1.0, "confidence": 1.0}
    words = []
    for name in (*counts, *numbers):
        value = getattr(options, name)
        if value is None:
            continue
        if name in counts:
            check_count(name, value, counts[name])
        else:
            check_number(name, value, 0.0, numbers[name], low_open=name != "delta", high_open=True)
        words.append(f"--{name}={value}")
    return words


def _must(done: subprocess.CompletedProcess[str], commit: str, wanted: int) -> None:
    """Both ends must be what they are said to be."""
    violated = done.returncode == 1
    if done.returncode in (0, 1, 4) and violated == bool(wanted):
        return
    said = (done.stderr or done.stdout).strip().splitlines() or [f"exit code {done.returncode}"]
    name = "bad" if wanted else "good"
    raise UsageError(shortened(f"{name}: at {commit} the audit says: {said[0]}"))
