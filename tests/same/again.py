"""The committed results made again, by the commands that made them.

Everything goes through the command line, in processes of its own; results are found in what those
write wherever the layout puts them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.same.documents import ROOT, Key, of_folder

COMMANDS = {
    ("audit",): "audit --json {out}/audits.json",
    ("claim", "parts"): "claims --fresh --out {out} --json {out}/all.json",
    ("scaling",): "scaling --json {out}/scaling.json",
    ("reproduction", "csv"): "reproduce --out {out} --json {out}/all.json",
}
"""What makes all results of some kinds."""
FEW = (
    "claims --fresh --paper hu_hegde_2022 --show beta-parameters --json {out}/1.json",
    "claims --fresh --paper hu_et_al_2025 --show eq-16-split --json {out}/2.json",
    "claims --fresh --paper wu_wang_2025 --show theorem-7-omega --json {out}/3.json",
    "scaling theorem-12-lower-bound --json {out}/4.json",
    "scaling remark-14-conjecture --json {out}/5.json",
    "scaling theorem-3-rounds --json {out}/6.json",
    "reproduce hu-et-al-figure-3 --out {out} --json {out}/7.json",
)
"""What makes a few of them, within seconds."""


def wanted_kinds(names: list[str]) -> list[tuple[str, ...]]:
    """The kinds of results that some name among `names` could be of; all, if there is none."""
    return [
        kinds for kinds in COMMANDS if not names or any(n.split("/")[0] in kinds for n in names)
    ]


def make(command: str) -> dict[Key, Any]:
    """Run a command and give what results it wrote. Exit codes 0, 1 (violated) and 4 are fine."""
    with tempfile.TemporaryDirectory() as folder:
        words = command.format(out=folder).split()
        environment = {**os.environ, "PYTHONPATH": os.environ.get("PYTHONPATH", str(ROOT))}
        done = subprocess.run(
            [sys.executable, "-m", "dpaudit", *words],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode not in (0, 1, 4):
            raise RuntimeError(
                f"dpaudit {' '.join(words)} ended with {done.returncode}: {done.stderr}"
            )
        return of_folder(Path(folder))


def few(commands: tuple[str, ...] = FEW) -> Iterator[tuple[str, dict[Key, Any]]]:
    """The commands and what they made."""
    for command in commands:
        yield command, make(command)
