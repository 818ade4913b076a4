"""Theorems before the kernel: `python -m dpaudit.ledger.published.compiling`.

Compiles the files that `theorems.toml` names, each after those that it needs, reads the axioms
that its theorems rest on, and writes the digests of what was accepted. What was accepted as it is
now is compiled only where something new needs it; `--all` does everything again. Exit code 1 if a
file is refused, if a theorem is not there or rests on another axiom.
"""

from __future__ import annotations

import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dpaudit.errors import UsageError
from dpaudit.ledger.published.theorems import (
    AXIOMS,
    REGISTER,
    ROOM,
    digest,
    files,
    register,
    rested_on,
    with_needed,
)
from dpaudit.paper_rooms import beside

SECONDS = 120
"""Of the processor, allowed for a file; each takes a few."""
SPOKEN = re.compile(r"^(\w[\w.']*)(?= :|$)", re.MULTILINE)
SHORT = "functional_extensionality_dep"
OPEN = re.compile(r"\b(Admitted|admit|Axiom|Axioms|Parameter|Parameters|Conjecture|Abort)\b")
COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)


@dataclass(frozen=True)
class Answer:
    """Of a file: why the kernel refused it, or the axioms of its theorems that are named."""

    file: str
    refused: str
    axioms: tuple[str, ...]


def left_open(text: str) -> list[str]:
    """What a file assumes in place of a proof."""
    return OPEN.findall(COMMENT.sub("", text))


def version() -> str:
    """Of the proof assistant; empty where there is none."""
    if shutil.which("coqc") is None:
        return ""
    out = subprocess.run(["coqc", "--version"], capture_output=True, text=True, check=True).stdout
    return out.split("version ")[1].split()[0]


def compiled(folder: Path, wanted: dict[str, list[str]], order: list[str]) -> Iterator[Answer]:
    """Each file in order, with the axioms of the theorems that are wanted of it; what comes after
    a refused file is tried as well."""
    with tempfile.TemporaryDirectory() as place:
        here = Path(place)
        for file in order:
            shutil.copy(folder / file, here)
            open_ends = left_open((folder / file).read_text(encoding="utf-8"))
            if open_ends:
                yield Answer(file, f"assumes: {', '.join(open_ends)}", ())
                continue
            names = ", ".join(f"{file[:-2]}.{name}" for name in wanted.get(file, []))
            # All theorems of a file at once: what they rest on is walked once.
            lines = [f"Require {file[:-2]}."]
            lines += [f"Definition all := ({names}).", "Print Assumptions all."] if names else []
            (here / "Axioms.v").write_text("\n".join(lines) + "\n")
            why, said = "", ""
            for one in (file, "Axioms.v"):
                why, said = (why, said) if why else _coqc(here, one)
            axioms = sorted({name for name in SPOKEN.findall(said) if name != "Axioms"})
            yield Answer(file, why, tuple(axioms))


def _coqc(place: Path, file: str) -> tuple[str, str]:
    """Why a file is refused, and what was printed."""
    run = subprocess.run(
        ["coqc", "-q", "-w", "none", file],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS)),
    )
    if run.returncode < 0:
        return f"not done after {SECONDS} s", ""
    return " ".join(run.stderr.split()) if run.returncode else "", run.stdout


def allowed(axiom: str) -> bool:
    return axiom in AXIOMS or any(known.endswith(f".{axiom}") for known in AXIOMS)


def main(everything: bool = False) -> int:
    folder, known = beside(ROOM, ""), register()
    if not version():
        raise UsageError("coqc: not found; apt-get install coq libcoquelicot (or say make kernel)")
    order = files(folder)
    now = {name: digest(folder, name) for name in order}
    same = known.coqc == version() and not everything
    done = {name for name in order if same and known.accepted.get(name) == now[name]}
    needed = {inner for name in order if name not in done for inner in with_needed(folder, name)}
    wanted: dict[str, list[str]] = {}
    for theorem in rested_on():
        file, _, name = theorem.partition(".")
        if f"{file}.v" not in done:
            wanted.setdefault(f"{file}.v", []).append(name)
    accepted = {name: now[name] for name in order if name in done}
    bad = 0
    for answer in compiled(folder, wanted, [name for name in order if name in needed]):
        strange = [axiom for axiom in answer.axioms if not allowed(axiom)]
        why = answer.refused or (f"rests on {', '.join(strange)}" if strange else "")
        print(f"{answer.file}: {f'refused: {why}' if why else 'accepted'}", flush=True)
        bad += bool(why)
        accepted[answer.file] = "" if why else now[answer.file]
        _note(folder / REGISTER, {name: code for name, code in accepted.items() if code})
    return int(bad > 0)


def _note(file: Path, accepted: dict[str, str]) -> None:
    """Version and digests, at the end of the register."""
    text = re.sub(r'^coqc = ".*"', f'coqc = "{version()}"', file.read_text(), flags=re.MULTILINE)
    head = text.partition("\n[accepted]\n")[0].rstrip()
    rows = "".join(f'"{name}" = "{code}"\n' for name, code in accepted.items())
    file.write_text(f"{head}\n\n[accepted]\n{rows}")


if __name__ == "__main__":
    sys.exit(main("--all" in sys.argv))
