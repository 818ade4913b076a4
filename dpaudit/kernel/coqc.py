"""Runs Rocq's compiler: what it is, whether it accepts a file, and at which line it stopped."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from dpaudit.errors import UsageError

PRELUDE = ("PreludeCompute", "PreludeReals")
HOUSE = Path(__file__).parents[2] / "proofs_checks" / "rocq"
INSTALL = "apt-get install --no-install-recommends coq libcoq-interval"
LONGEST = 3600
"""Seconds for one file."""
QUIET = ["-q", "-w", "none"]
"""Without the user's own start file, and without warnings about others' libraries."""


@dataclass(frozen=True)
class Answer:
    """Whether all was accepted; if not, the line at which it stopped, and what was said."""

    line: int | None
    said: str

    @property
    def accepted(self) -> bool:
        return self.line is None

    @property
    def out_of_time(self) -> bool:
        return "Timeout" in self.said

    @property
    def axioms(self) -> set[str]:
        """The names that `Print Assumptions` printed."""
        _, _, listed = self.said.partition("Axioms:")
        return set(re.findall(r"^([\w.']+)(?: :|$)", listed, re.MULTILINE))


def compiler() -> str | None:
    """Where coqc is, if it is anywhere."""
    return shutil.which("coqc")


def versions() -> tuple[str, str]:
    """Of Coq, and of the library Interval as far as its package says."""
    asked = subprocess.run(
        [_compiler(), "--print-version"], capture_output=True, text=True, check=True
    )
    package = ["dpkg-query", "--show", "--showformat", "${Version}", "libcoq-interval"]
    try:
        found = subprocess.run(package, capture_output=True, text=True, check=False).stdout
    except OSError:
        found = ""
    return asked.stdout.split()[0], found.partition("-")[0] or "unknown"


def _compiler() -> str:
    found = compiler()
    if found is None:
        raise UsageError(f"rocq: coqc is not installed; `make kernel` does it, or {INSTALL}")
    return found


def run(file: Path) -> Answer:
    """Compile a file, with its folder as the library Dpaudit."""
    command = [_compiler(), *QUIET, "-R", ".", "Dpaudit", file.name]
    try:
        done = subprocess.run(
            command, cwd=file.parent, capture_output=True, text=True, timeout=LONGEST, check=False
        )
    except subprocess.TimeoutExpired:
        return Answer(0, f"Timeout: {file.name} took more than {LONGEST} s")
    if done.returncode == 0:
        return Answer(None, done.stdout)
    found = re.search(r'File "[^"]*", line (\d+)', done.stderr)
    return Answer(int(found[1]) if found else 0, done.stderr)


def make_prelude(folder: Path) -> None:
    """The prelude's files, copied and compiled where that was not done before."""
    folder.mkdir(parents=True, exist_ok=True)
    changed = False
    for name in PRELUDE:
        source, target = HOUSE / f"{name}.v", folder / f"{name}.v"
        text = source.read_text("utf-8")
        same = target.is_file() and target.read_text("utf-8") == text
        changed = changed or not same or not target.with_suffix(".vo").is_file()
        if changed:
            target.write_text(text, "utf-8")
            answer = run(target)
            if not answer.accepted:
                target.with_suffix(".vo").unlink(missing_ok=True)
                raise UsageError(f"rocq: {name}.v, line {answer.line}: {_one(answer.said)}")


def _one(text: str) -> str:
    return " ".join(text.split())[:300]
