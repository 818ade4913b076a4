"""`make bench`: measure every row; `--json FILE` saves them. Exit code 1 if a figure is missed."""

from __future__ import annotations

import argparse
import dataclasses
import json
from pathlib import Path

from dpaudit.cli.terminal import table
from tests.benchmarks.rows import all_rows, machine


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="make bench")
    parser.add_argument("--json", metavar="FILE", type=Path)
    given = parser.parse_args()
    rows = list(all_rows())
    shown = [
        (
            row.what,
            f"{row.value:.3g} {row.unit}",
            f"{'>=' if row.better > 0 else '<='} {row.figure:.3g}",
            "met" if row.met else "MISSED",
            "" if row.ratio is None else f"{row.ratio:,.1f}x",
            "" if row.baseline is None else f"{row.baseline:.3g} ({row.baseline_is})",
        )
        for row in rows
    ]
    facts = ", ".join(f"{k} {v}" for k, v in machine().items())
    table(facts, ("what", "measured", "figure", "", "ratio", "denominator"), shown)
    if given.json:
        saved = {"machine": machine(), "rows": [dataclasses.asdict(row) for row in rows]}
        given.json.write_text(json.dumps(saved, indent=2) + "\n")
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
