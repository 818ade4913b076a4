"""Runs Rocq's compiler: what it is, whether it accepts a file, and at which line it stopped."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

from dpaudit.errors import UsageError

PRELUDE = ("PreludeCompute", "PreludeReals")
HOUSE = Path(__file__).parents[1] / "proofs_checks" / "rocq"
INSTALL = "apt-get install --no-install-recommends coq libcoq-interval"
LONGEST = 60.0
"""Seconds of the processor for one sentence, a tactic or a Qed. Coq's own limit is one of the
clock, by which a busy machine would refuse what a quiet one accepts."""
OPTIONS = ["-q", "-w", "none", "-time"]
"""Without the user's own start file or warnings about others' libraries; each sentence is told."""


STOPPED = threading.Event()
"""Set where a run was interrupted: no compiler runs on."""


class Interrupted(Exception):
    """The compiler was stopped, and says nothing about its file."""


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
    command = [_compiler(), *OPTIONS, "-R", ".", "Dpaudit", file.name]
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        # Of its own session: an interrupt from the keyboard is no refusal of a lemma.
        process = subprocess.Popen(
            command, cwd=file.parent, stdout=out, stderr=err, start_new_session=True
        )
        try:
            stuck = _watched(process, Path(f"/proc/{process.pid}/fd/1"))
        finally:
            process.kill()
            process.wait()
        out.seek(0)
        err.seek(0)
        said, wrong = out.read(), err.read()
    if stuck:
        ends = re.findall(r"^Chars \d+ - (\d+)", said, re.MULTILINE)
        done = file.read_bytes()[: int(ends[-1]) if ends else 0]
        return Answer(done.count(b"\n") + 1, f"Timeout: more than {LONGEST:g} s of the processor")
    if process.returncode == 0:
        return Answer(None, said)
    found = re.search(r'File "[^"]*", line (\d+)', wrong)
    return Answer(int(found[1]) if found else 0, wrong)


def _watched(process: subprocess.Popen[bytes], out: Path) -> bool:
    """Wait for a process; True if it spends too long on one sentence."""
    size, since = -1, 0.0
    while True:
        if STOPPED.is_set():
            raise Interrupted
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.5)
            return False
        try:
            fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
            length = out.stat().st_size
        except OSError:
            continue  # it has just ended, or this system does not say
        used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        if length != size:
            size, since = length, used
        if used - since > LONGEST:
            return True


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
