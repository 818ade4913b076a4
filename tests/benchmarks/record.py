"""A run of the benchmarks: its rows, its machine, its file, its table, and what changed since."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SCHEMA = "dpaudit/benchmarks/1"
CHANGED = 0.10
"""Changes up to this share are not told from noise."""
BOUND = "epsilon"
"""The unit of a lower bound."""
BLOCK = re.compile(r"(<!-- bench -->\n).*?(<!-- /bench -->)", re.S)
ELSEWHERE = (
    "Broken learners that must be caught and false alarms in 10,000 audits: `make quality`, "
    "`reports/quality.md`. Cost against T, K, epsilon, runs and claims: `reports/growth.svg`."
)


@dataclass(frozen=True)
class Peer:
    """The same work by a package from the index; no value, and the reason, if it could not be."""

    name: str
    value: float | None
    note: str = ""


@dataclass(frozen=True)
class Row:
    """One measurement. `better` is +1 where larger is better, -1 where smaller is."""

    what: str
    value: float
    unit: str
    figure: float
    better: int
    baseline: float | None = None
    baseline_is: str = ""
    note: str = ""
    peers: tuple[Peer, ...] = ()

    @property
    def met(self) -> bool:
        """Whether the figure is reached."""
        return self.better * (self.value - self.figure) >= 0

    @property
    def ratio(self) -> float | None:
        """How many times better than the denominator."""
        return self.times(self.baseline)

    def times(self, other: float | None) -> float | None:
        """How many times better than another value."""
        return None if other is None else (self.value / other) ** self.better


@dataclass(frozen=True)
class Run:
    """All rows of one run, where it ran, how cost grew, and which groups of rows could not run."""

    machine: dict[str, Any]
    rows: tuple[Row, ...]
    growth: tuple[dict[str, Any], ...] = ()
    lost: tuple[str, ...] = ()

    def text(self) -> str:
        """As JSON; infinite values are null."""
        rows = []
        for row in self.rows:
            fields = dataclasses.asdict(row) | {"met": row.met, "ratio": row.ratio}
            rows.append({k: None if v in (math.inf, -math.inf) else v for k, v in fields.items()})
        document = {"schema": SCHEMA, "machine": self.machine, "rows": rows, "growth": self.growth}
        document["lost"] = self.lost
        return json.dumps(document, indent=2, allow_nan=False) + "\n"


def parse(text: str) -> Run:
    """A run from its JSON."""
    document = json.loads(text)
    if document.get("schema") != SCHEMA:
        raise ValueError(f"not of schema {SCHEMA}")
    names = [field.name for field in dataclasses.fields(Row)]
    rows = []
    for saved in document["rows"]:
        fields = {name: saved[name] for name in names}
        if fields["value"] is None:
            fields["value"] = -math.inf * fields["better"]
        fields["peers"] = tuple(Peer(**peer) for peer in fields["peers"])
        rows.append(Row(**fields))
    return Run(document["machine"], tuple(rows), tuple(document["growth"]), tuple(document["lost"]))


def machine() -> dict[str, Any]:
    """What it is measured on, in general terms; `load` says how busy it was when the run began."""
    import numba
    import numpy
    import scipy

    return {
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "numba": numba.__version__,
        "scipy": scipy.__version__,
        "cores": os.cpu_count(),
        "processor": platform.machine(),
        "load": round(os.getloadavg()[0], 1),
    }


def moved(was: Row, now: Row) -> bool:
    """Whether a value changed by more than `CHANGED`; a surcharge in % is added to its base."""
    base, after = (100.0 * (r.unit == "%") + r.value for r in (was, now))
    return base != after and (not base or not abs(after / base - 1.0) <= CHANGED)


def changes(before: Run, after: Run) -> list[str]:
    """What is new, gone, no longer or newly met, or changed by more than `CHANGED`.

    The change of the ratio stands beside the value's: a busy machine moves the value alone.
    """
    old, lines = {row.what: row for row in before.rows}, []
    for row in after.rows:
        was = old.pop(row.what, None)
        if was is None:
            lines.append(f"new: {row.what}: {number(row.value)} {row.unit}".rstrip())
            continue
        if not moved(was, row) and row.met == was.met:
            continue
        better = row.better * (row.value - was.value) > 0
        line = f"{'better' if better else 'worse'}: {row.what}: "
        line += f"{number(was.value)} -> {number(row.value)} {row.unit}".rstrip()
        if row.ratio is not None and was.ratio is not None:
            line += f" (ratio {number(was.ratio)} -> {number(row.ratio)})"
        if row.met != was.met:
            line += ", now met" if row.met else ", now MISSED"
        lines.append(line)
    return lines + [f"gone: {what}" for what in old]


def number(x: float) -> str:
    """Three significant digits, without exponents where people would write none."""
    if math.isinf(x) or x == 0:
        return f"{x:g}"
    digits = 2 - math.floor(math.log10(abs(x)))
    return f"{x:,.{max(digits, 0)}f}" if abs(x) < 1e7 else f"{x:.2g}"


def shown(row: Row) -> str:
    """The value with its unit. A lower bound is rounded down: it must not show more than it is."""
    if row.unit == BOUND and math.isfinite(row.value):
        return f"{math.floor(row.value * 1e4) / 1e4:.4f}"
    return f"{number(row.value)} {row.unit}".rstrip()


def cells(row: Row) -> tuple[str, str, str, str, str]:
    """A row for people: what, measured, figure, against the baseline, against peers."""
    measured = shown(row) + (f", {row.note}" if row.note else "")
    figure = f"{'≥' if row.better > 0 else '≤'} {row.figure:,.4g}" + ("" if row.met else ", MISSED")
    base = ""
    if row.baseline is not None and row.ratio is not None:
        base = f"{row.baseline_is}: {number(row.baseline)} ({number(row.ratio)}x)"
    peers = []
    for peer in row.peers:
        times = row.times(peer.value)
        said = peer.note if times is None else f"{number(peer.value)} ({number(times)}x)"
        peers.append(f"{peer.name}: {said}")
    return row.what, measured, figure, base, "; ".join(peers)


HEADER = ("what", "measured", "figure", "baseline", "peers")


def markdown(run: Run, only: Sequence[str] = ()) -> str:
    """The table of the guide, or the rows of it that the README has."""
    facts = run.machine
    lines = [
        f"On {facts['cores']} cores (one used unless said, load "
        f"{facts['load']} when it began); Python {facts['python']}, numpy {facts['numpy']}, numba "
        f"{facts['numba']}, scipy {facts['scipy']}.",
        "",
        "| " + " | ".join(HEADER) + " |",
        "|---" * len(HEADER) + "|",
    ]
    rows = [row for row in run.rows if not only or row.what in only]
    lines += ["| " + " | ".join(cells(row)) + " |" for row in rows]
    lost = [] if only else run.lost
    lines += [f"| {what} | could not be measured |  |  |  |" for what in lost]
    return "\n".join(lines if only else [*lines, "", ELSEWHERE]) + "\n"


def block(run: Run, page: str, only: Sequence[str] = ()) -> str:
    """A page with this run's table in its block."""
    if not BLOCK.search(page):
        raise ValueError("no block between <!-- bench --> and <!-- /bench -->")
    return BLOCK.sub(lambda found: found[1] + markdown(run, only) + found[2], page)


def load(path: Path) -> Run:
    """A saved run."""
    return parse(path.read_text())
