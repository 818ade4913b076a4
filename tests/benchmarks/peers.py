"""Peers from the package index, in `.venv-peers`, measured in the same run as our rows.

`peers.txt` pins every version; each peer is installed by itself, so that one that cannot be
installed costs its own figures only: they then say why.
"""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path

from tests.benchmarks.record import Peer

HERE = Path(__file__).parent
FOLDER = HERE.parents[1] / ".venv-peers"
PINS = HERE / "peers.txt"
MEASURES = {
    "SMPyBandits": ("ucb1", "thompson"),
    "mabwiser": ("ucb1", "thompson"),
    "privacy-estimates": ("counts 100", "counts 1000000"),
}
"""The keys of the rows that each peer has a figure for."""


def pins() -> dict[str, str]:
    """Pinned versions, by name."""
    lines = [line.split("#")[0].strip() for line in PINS.read_text().splitlines()]
    return dict(line.split("==") for line in lines if line)


def run(*command: str, seconds: float = 600) -> tuple[str, str]:
    """Standard output of Python in the peers' environment, and why it failed (or nothing)."""
    python = FOLDER / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    try:
        done = subprocess.run(
            [str(python), *command], capture_output=True, text=True, timeout=seconds, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return "", type(error).__name__
    said = [line for line in done.stderr.splitlines() if line.strip() and "WARNING" not in line]
    return done.stdout, (said[-1] if said else "failed") if done.returncode else ""


def install() -> None:
    """Make the environment and install what can be; what is there already is left as it is."""
    if not FOLDER.exists():
        venv.create(FOLDER, with_pip=True)
    known = pins()
    for name in MEASURES:
        reason = run(
            *"-m pip install --quiet --constraint".split(), str(PINS), f"{name}=={known[name]}"
        )[1]
        if reason:
            print(f"{name} cannot be installed: {reason}", file=sys.stderr)


def measured() -> dict[str, tuple[Peer, ...]]:
    """Every peer's figure, by the key of the row beside which it stands."""
    found: dict[str, tuple[Peer, ...]] = {}
    for name, keys in MEASURES.items():
        version, reason = run(
            "-c", f"from importlib.metadata import version; print(version({name!r}))"
        )
        label = f"{name} {version.strip()}".strip()
        values: dict[str, float] = {}
        if reason:
            reason = "not installed"
        else:
            out, reason = run(str(HERE / "peers_worker.py"), name)
            values = {} if reason else json.loads(out.splitlines()[-1])
        for key in keys:
            note = f"could not be measured ({reason})" if reason else ""
            found[key] = found.get(key, ()) + (Peer(label, values.get(key), note),)
    return found


if __name__ == "__main__":
    install()
    for key, peers in measured().items():
        print(
            key,
            *(f"{p.name}: {p.value if p.value is not None else p.note}" for p in peers),
            sep="  ",
        )
