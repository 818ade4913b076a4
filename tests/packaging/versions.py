"""`python -m tests.packaging.versions [--python PATH…] [--oldest]`: the wheel with all extras on
every interpreter at hand, and on the oldest dependencies that pyproject.toml allows.

Each gets an environment of its own, in which a stranger's use is tried: an audit, the fixture, and
a command that needs each of the extras. Exit code 1 if anything fails.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
import tomllib
from pathlib import Path

from tests.packaging.test_core import TEST
from tests.packaging.wheel import ROOT, build, environment, install, run

SUPPORTED = ("3.11", "3.12", "3.13", "3.14")
LEARNER = """
import numpy as np

class Leaky:
    feedback = "full-information"
    def __init__(self, arms, epsilon, rng):
        self.sums, self.epsilon, self.rng, self.leader = np.zeros(arms), epsilon, rng, 0
    def select(self, t):
        return self.leader
    def observe(self, t, arm, reward):
        self.sums += reward
        self.leader = int(np.argmax(self.sums + self.rng.laplace(0, 0.5, len(self.sums))))
"""
TRIED = {
    "-m dpaudit audit leaky.py:Leaky --epsilon 1 --rounds 4 --runs 20000 --html a.html": (1,),
    "-m dpaudit audit rnm-ftnl-repaired --epsilon 1 --rounds 3 --json a.json": (0,),
    "-m dpaudit audit dp-ucb-bound --epsilon 1 --rounds 4 --runs 4000": (0, 4),
    "-m dpaudit regret ucb1 --means 0.6,0.4 --horizon 1000 --runs 50 --svg a.svg": (0,),
    "-m dpaudit prove anytime-lazy-ucb": (0,),
    "-m dpaudit optimal --rounds 3 --epsilon 1 --out optima --alone": (0,),
    "-m dpaudit curve ts-gaussian --rounds 4": (0,),
    "-m dpaudit claims --paper hu_et_al_2025 --show budget-is-whole --fresh": (0,),
    "-m dpaudit scaling theorem-3-5 --quick --json s.json": (0, 1),
    "-m dpaudit report --out pages a.json": (0,),
    "-m dpaudit algorithms --json": (0,),
    "-c import dpaudit.strategies": (0,),
    "-m pytest -q -p no:cacheprovider test_privacy.py": (1,),
}
"""What is run, and with which exit codes it may end."""


def interpreters() -> dict[str, str]:
    """Those at hand, by version: on the path, and where pyenv keeps them."""
    found = {}
    for version in SUPPORTED:
        kept = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
        there = str(kept[-1]) if kept else shutil.which(f"python{version}")
        if there is not None:
            found[version] = there
    return found


def lower_bounds() -> list[str]:
    """`package==version` for each dependency of the core and of the extras that `all` brings."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    names = re.findall(r"[a-z]+", extras["all"][0].partition("[")[2])
    wanted = [*project["dependencies"], *(w for name in names for w in extras[name])]
    return sorted({w.replace(">=", "==").partition(",")[0] for w in wanted})


def tried(python: str, folder: Path) -> list[str]:
    """What does not work in an environment."""
    project = folder / "project"
    project.mkdir()
    (project / "leaky.py").write_text(LEARNER)
    (project / "test_privacy.py").write_text(TEST)
    failed = []
    for command, codes in TRIED.items():
        words = command.split(" ", 1) if command.startswith("-c") else command.split()
        done = run(python, *words, cwd=project, DPAUDIT_CACHE_DIR=str(folder / "cache"))
        odd = "Traceback" in done.stderr or "Warning" in done.stderr
        if done.returncode not in codes or odd:
            said = (done.stderr or done.stdout).strip()[-400:]
            failed.append(f"{command}: exit code {done.returncode}: {said}")
    return failed


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.packaging.versions")
    parser.add_argument("--python", action="append", help="an interpreter (default: all at hand)")
    parser.add_argument("--oldest", action="store_true", help="only the oldest dependencies")
    asked = parser.parse_args(arguments)
    known = interpreters()
    chosen = asked.python or list(known.values())
    missing = [version for version in SUPPORTED if version not in known]
    if missing and not asked.python:
        print(f"not at hand, not tried: Python {', '.join(missing)}")
    oldest = lower_bounds()
    runs = [] if asked.oldest else [(python, []) for python in chosen]
    runs += [(chosen[0], oldest)]
    bad = 0
    for python, pins in runs:
        what = f"{python}, {'the oldest dependencies' if pins else 'the newest'}"
        with tempfile.TemporaryDirectory(prefix="dpaudit-versions-") as place:
            folder = Path(place)
            wheel = build(folder)
            try:
                inside = environment(folder / "environment", f"{wheel}[all]", *pins, python=python)
                install(inside, "pytest")
                failed = tried(inside, folder)
            except AssertionError as error:
                failed = [f"cannot be installed: {str(error).strip()[-600:]}"]
        bad += len(failed)
        print(f"{what}: {'fine' if not failed else ''}", *failed, sep="\n  ", flush=True)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
