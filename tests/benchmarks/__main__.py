"""`make bench`: measure every row. Exit code 1 if a figure is missed, 2 on unreadable files."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from dpaudit.cli.terminal import table
from tests.benchmarks.record import HEADER, Run, block, cells, changes, load, machine, markdown

ROOT = Path(__file__).parents[2]
SAVED = ROOT / "reports" / "benchmarks.json"
CURVES = ROOT / "reports" / "growth.svg"
FEW = (
    "UCB rounds, compiled, round by round, K=5",
    "anytime-lazy-ucb by leaps, T=10^12, K=5",
    "two-world audit runs, K=2, T=12",
    "two-world bound (true 1), anytime-lazy-ucb, K=2, T=12, confidence 0.999, two cores",
    "black-box noisy max, half its noise, 10^6 outputs",
)
PAGES = {ROOT / "dpaudit" / "guide" / "speed.md": (), ROOT / "README.md": FEW}
"""Who shows the table, and which rows of it; none named are all."""


def measure(*, growth: bool) -> Run:
    """A run of everything, the peers first; curves only where asked for."""
    from tests.benchmarks.growth import draw, measured
    from tests.benchmarks.peers import measured as peers
    from tests.benchmarks.rows import all_rows

    facts, rows, lost = machine(), [], []
    for row in all_rows(peers(), lost):
        print(row.what, file=sys.stderr)
        rows.append(row)
    curves = list(measured()) if growth else []
    if growth:
        draw(curves, CURVES)
    return Run(facts, tuple(rows), tuple(curve.saved() for curve in curves), tuple(lost))


def show(run: Run) -> None:
    """The rows and the slopes, for people."""
    facts = ", ".join(f"{k} {v}" for k, v in run.machine.items())
    table(facts, HEADER, [cells(row) for row in run.rows])
    for what in run.lost:
        print(f"not measured: {what}")
    for curve in run.growth:
        print(f"growth with {curve['panel']}: {curve['name']}: slope {curve['slope']:.2f}")


def compared(name: str, before: Run | None, after: Run) -> list[str]:
    """Lines that say what changed since the saved run."""
    if before is None:
        return [f"there is no {name} to compare with"]
    lines = changes(before, after) or ["nothing changed by more than 10 %"]
    return [f"since {name}, at load {before.machine['load']}:", *lines]


def put(run: Run) -> None:
    """This run's tables into README and guide."""
    for page, only in PAGES.items():
        page.write_text(block(run, page.read_text(), only))


def main() -> int:
    """Measure, compare, save; or only show what is saved."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    add = parser.add_argument
    add("--json", metavar="FILE", type=Path, help="write the run there")
    add("--save", action="store_true", help="reports/benchmarks.json, growth.svg, README and guide")
    add("--compare", metavar="FILE", type=Path, help="print what changed by more than 10 %% since")
    add("--table", action="store_true", help="measure nothing: print the saved run as Markdown")
    add("--update-pages", action="store_true", help="measure nothing: the saved run's tables there")
    given = parser.parse_args()
    try:
        before = load(given.compare) if given.compare and given.compare.exists() else None
        if given.table or given.update_pages:
            run = load(SAVED)
            if given.table:
                print(markdown(run), end="")
            if given.update_pages:
                put(run)
            return 0
        for page in PAGES:
            block(Run(machine(), ()), page.read_text())  # rather now than after an hour
    except (OSError, ValueError, LookupError, TypeError) as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 2
    run = measure(growth=given.save)
    show(run)
    if given.compare:
        print("\n".join(compared(given.compare.name, before, run)))
    for path in ([given.json] if given.json else []) + ([SAVED] if given.save else []):
        path.write_text(run.text())
    if given.save:
        put(run)
    return 0 if all(row.met for row in run.rows) and not run.lost else 1


if __name__ == "__main__":
    raise SystemExit(main())
