"""A folder of files that nobody should be given: what commands that read files are fuzzed with."""

from __future__ import annotations

import json
import os
from pathlib import Path

LEARNERS = """
class Good:
    def __init__(self, arms, epsilon, rng):
        self.rng, self.arms = rng, arms
    def select(self, t):
        return int(self.rng.integers(self.arms))
    def observe(self, t, arm, reward):
        pass
class Unmade:
    def __init__(self, arms, epsilon, rng):
        raise ValueError("unmade " * 3_000)
    def select(self, t): ...
    def observe(self, t, arm, reward): ...
class Bare: ...
class Printing(Good):
    def select(self, t):
        print("hello")
        return 0
class Nowhere(Good):
    def select(self, t):
        return -1
class Slow(Good):
    def select(self, t):
        import time
        time.sleep(60)
def rewards(t, arms): return [0.5] * 2
"""
TARGETS = [
    *(f"learners.py:{n}" for n in "Good Unmade Bare Printing Nowhere Slow rewards None".split()),
    "broken.py:X", "empty:X", "learners:Good", "folder.py:X", "none.py:X", "os:getcwd", ":", "a:",
    "learners.py:", "json:loads", "exits.py:X", "deep.json:X", "binary.py:X",
]  # fmt: skip
FOLDERS = ["nodir", "folder", "empty", "/proc/nothing", "/dev/null"]
FILES = [
    "nofile", "empty", "folder", "/dev/zero", "/dev/null", "fifo", "loop", "binary.py", "deep.json",
    "list.json", "other.json", "audit.json", "cut.json", "wrong.json", "huge.json", "latin.toml",
    "good.toml", "odd.toml", "learners.py", "journal", "n" * 3_000, "HEAD:audit.json", "no:where",
    "suite.toml",
]  # fmt: skip


def lay_out(folder: Path) -> None:
    """Write them all."""
    files = {
        "learners.py": LEARNERS,
        "broken.py": "def f(:\n" + "#" * 4_000,
        "exits.py": "raise SystemExit(0)",
        "empty": "",
        "deep.json": "[" * 100_000,
        "list.json": "[1, 2]",
        "other.json": '{"schema": "dpaudit/none/1"}',
        "audit.json": json.dumps({"schema": "dpaudit/audit/1", "target": "x" * 9_000}),
        "cut.json": '{"schema": "dpaudit/audit/1", "tar',
        "wrong.json": json.dumps({"schema": "dpaudit/catalogue/1", "audits": [{"target": 3}] * 99}),
        "good.toml": '[[tool.dpaudit.audits]]\ntarget = "learners.py:Bare"\nepsilon = 1.0\n',
        "odd.toml": f"[tool.dpaudit]\n{'k' * 3_000} = 1\n",
        "suite.toml": f'[one]\nmeans = [0.5, "x"]\n[{"s" * 3_000}]\nmeans = []\n',
        "journal": "0000000000000000 {}\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    (folder / "binary.py").write_bytes(bytes(range(256)) * 40)
    (folder / "latin.toml").write_bytes('titel = "Fälle"'.encode("latin-1"))
    (folder / "folder").mkdir()
    (folder / "folder.py").mkdir()
    os.mkfifo(folder / "fifo")
    (folder / "loop").symlink_to("loop")
    with (folder / "huge.json").open("wb") as out:
        out.truncate(1 << 40)  # no byte of it is on the disk
