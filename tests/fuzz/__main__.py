"""`python -m tests.fuzz [--cases N] [--seed S] [COMMAND…]`: fuzz the command line; 1 if anything is
not as it should be. Each kind of fault is shown by one command line."""

from __future__ import annotations

import argparse
import gc
import importlib
import os
import re
import shlex
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

from dpaudit.cli import COMMANDS, build_parser
from tests.fuzz.files import lay_out
from tests.fuzz.grammar import Line, lines
from tests.fuzz.judge import answered, faults

CASES = 500
LOADED = """
auditor.whole_catalogue laboratory.studies laboratory.comparing prover.evidence prover.prove
report.page report.figures curves.answer optimal.certificate optimal.efficiency ledger.certificates
ledger.published.theorems laboratory.experiments laboratory.reproduction laboratory.scaling.power
adapters.looking
"""
"""What the commands import, once for all cases."""


def fuzzed(command: str, cases: int, start: int) -> dict[str, Line]:
    """The kinds of faults of a command, each with the shortest line that was seen to have it."""
    found: dict[str, Line] = {}

    @seed(start)
    @settings(
        max_examples=cases, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(lines(command))
    def look(line: Line) -> None:
        tried[command] += 1
        answer = answered(line.words)
        outcomes["stopped" if answer.stopped else str(answer.code)] += 1
        for fault in faults(line, answer):
            kind = re.sub(r"[\d.]+", "N", fault)
            if kind not in found or len(shlex.join(line.words)) < len(
                shlex.join(found[kind].words)
            ):
                found[kind] = line

    look()
    return found


tried: Counter[str] = Counter()
outcomes: Counter[str] = Counter()


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--cases", type=int, default=CASES, help="in all (default 500)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("commands", nargs="*", default=list(COMMANDS))
    asked = parser.parse_args(arguments)
    for name in LOADED.split():
        importlib.import_module(f"dpaudit.{name}")
    for command in COMMANDS:
        build_parser(command)
    gc.freeze()  # so that copies of this process share what it holds
    began, bad = time.monotonic(), 0
    with tempfile.TemporaryDirectory(prefix="dpaudit-fuzz-") as folder:
        lay_out(Path(folder))
        os.chdir(folder)
        os.environ["DPAUDIT_CACHE_DIR"] = f"{folder}/cache"
        sys.path.insert(0, folder)
        for command in asked.commands:
            share = 1 + asked.cases * 11 // (10 * len(asked.commands))  # some have few lines
            for kind, line in fuzzed(command, share, asked.seed).items():
                bad += 1
                print(f"{kind}\n  {shlex.join(line.words)[:400]}", flush=True)
        os.chdir("/")
    print(", ".join(f"{code}: {count}" for code, count in sorted(outcomes.items())))
    print(f"{sum(tried.values())} command lines, {bad} kinds of faults, "
          f"{time.monotonic() - began:.0f} s")  # fmt: skip
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
