"""What dpaudit needs of the system it runs on and of the folder it lies in, said in one line."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from dpaudit.errors import UsageError

HOUSE = Path(__file__).parents[1]
LINKS = ("algorithms", "proofs_checks")
PLAYING = ("audit", "bisect", "compare", "regret", "run")
"""Commands that play anybody's code."""


def check_place(house: Path = HOUSE) -> None:
    """Refuse a system without fork, and a checkout without its links."""
    if not hasattr(os, "fork"):
        raise UsageError(
            f"system: {sys.platform} has no fork, fcntl and POSIX signals; allowed are Linux, "
            "macOS and, on Windows, its Linux subsystem (WSL)"
        )
    for name in LINKS:
        if not (house / name).is_dir():
            raise UsageError(
                f"checkout: dpaudit/{name} is no link, so git made none: `git config core.symlinks "
                "true`, `git checkout -- dpaudit`; or install a wheel"
            )


def limits(command: str) -> str:
    """What is not done on this system; nothing on Linux."""
    system: str = sys.platform
    if system == "linux" or command not in PLAYING:
        return ""
    return (
        f"dpaudit: on {system} a learner's memory is not limited, and what it leaves running "
        "may outlive a killed dpaudit"
    )
