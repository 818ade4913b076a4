"""What is written of studies: one JSON document, one Markdown page, one SVG figure a study."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import dpaudit
from dpaudit.errors import UsageError
from dpaudit.laboratory.scaling.study import SCHEMA, Finished, Point

MOST_SERIES = 12
"""Series in a figure; of more, evenly chosen ones are drawn."""


def document(done: Sequence[Finished], *, complete: bool, seed: int, quick: bool) -> str:
    """All results as JSON."""
    content = {
        "schema": SCHEMA,
        "version": dpaudit.__version__,
        "seed": seed,
        "quick": quick,
        "complete": complete,
        "studies": [f.public() for f in done],
    }
    return json.dumps(_plain(content), indent=1)


def _plain(value: object) -> object:
    """Numbers of numpy as numbers, infinities as null: JSON that every reader reads."""
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, (float, np.floating)):
        return float(value) if np.isfinite(value) else None
    return value.item() if isinstance(value, np.generic) else value


def rows(done: Sequence[Finished]) -> list[tuple[str, ...]]:
    """Study, question, verdict, numbers."""
    return [
        (f.study.name, f.study.paper, f.study.question, f.outcome.verdict, f.outcome.answer)
        for f in done
    ]


HEADER = ("study", "paper", "question", "verdict", "numbers")


def markdown(done: Sequence[Finished], command: str) -> str:
    """A page for people."""
    lines = ["# Stated regret bounds, tried", ""]
    counted = {v: sum(f.outcome.verdict == v for f in done) for v in
               ("as stated", "better than stated", "violated", "not decided")}  # fmt: skip
    lines += [", ".join(f"{n} {v}" for v, n in counted.items() if n) + ".", ""]
    lines += [f"Made by `{command}` (dpaudit {dpaudit.__version__}).", ""]
    lines += ["| study | statement | verdict |", "|---|---|---|"]
    lines += [
        f"| [{f.study.name}](#{f.study.paper}-{f.study.name}) | {f.study.paper}, {f.study.where} "
        f"| {f.outcome.verdict} |"
        for f in done
    ]
    for f in done:
        study, outcome = f.study, f.outcome
        lines += [
            "",
            f'<a id="{study.paper}-{study.name}"></a>',
            f"## {study.name}: {outcome.verdict}",
            "",
            f"{study.paper}, {study.where}. *{study.question}*",
            "",
            f"{outcome.answer}.",
            "",
            f"Algorithms: {', '.join(study.targets)}. Laws: {study.laws}. Grid: {study.grid}.",
        ]
        lines += [f"\nNote: {note}." for note in outcome.notes]
        lines += ["", f"![{study.name}]({figure_name(f)})"]
        if outcome.comparisons:
            lines += ["", "| curve | law | extra | grows like | extra's share of growth | position "
                      "between the laws | growth over upper half | largest residual |",
                      "|---|---|---|---|---|---|---|---|"]  # fmt: skip
            for c in outcome.comparisons:
                low, middle, high = c.position
                lines.append(
                    f"| {c.curve} | {c.law} | {c.extra} | {c.answer} | {c.share:.3f} "
                    f"[{c.low:.3f}, {c.high:.3f}] | {middle:.3f} [{low:.3f}, {high:.3f}] | "
                    f"{c.growth:.2%} | {c.plain.residual:.2%} |"
                )
        if outcome.slopes:
            lines += ["", "| curve | log-log slope | from | to |", "|---|---|---|---|"]
            lines += [
                f"| {s.curve} | {s.slope:.3f} | {s.low:.3f} | {s.high:.3f} |"
                for s in outcome.slopes
            ]
    return "\n".join(lines) + "\n"


def figure_name(finished: Finished) -> str:
    """File name of a study's figure."""
    return f"{finished.study.paper}-{finished.study.name}.svg"


def draw(finished: Finished, path: Path) -> None:
    """Points with their errors, bounds dashed, fitted laws dotted; the same result gives the same
    file."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    outcome = finished.outcome
    series: dict[str, list[Point]] = {}
    for p in outcome.points:
        series.setdefault(p.series, []).append(p)
    step = -(-len(series) // MOST_SERIES)
    drawn = dict(list(series.items())[:: max(1, step)])
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "dpaudit"}):
        figure = Figure(figsize=(6.8, 4.6), layout="constrained")
        axes = figure.subplots()
        for name, points in drawn.items():
            part = sorted(points, key=lambda p: p.x)
            x, y = [p.x for p in part], [p.regret for p in part]
            drawn_line = axes.errorbar(
                x, y, [p.error for p in part], fmt="o", ms=3, lw=1, label=name
            )
            color = drawn_line.lines[0].get_color()
            bounds = [(p.x, p.bound) for p in part if p.bound is not None]
            if bounds:
                axes.plot(*zip(*bounds, strict=True), "--", lw=0.7, color=color, alpha=0.6)
            for c in outcome.comparisons:
                if c.curve == name and c.law == "log":
                    fitted = c.plain.coefficients[0] + c.plain.coefficients[1] * np.log(x)
                    above = fitted > 0
                    axes.plot(np.array(x)[above], fitted[above], ":", lw=1, color=color)
        axes.set_xscale("log")
        if all(p.regret > 0 for p in outcome.points):
            axes.set_yscale("log")
        axes.set_xlabel(outcome.axes[0])
        axes.set_ylabel(outcome.axes[1])
        axes.set_title(f"{finished.study.name}: {outcome.verdict}", fontsize="medium")
        axes.grid(alpha=0.3)
        axes.legend(frameon=False, fontsize=5)
        figure.savefig(path, format="svg", metadata={"Date": None})


def write_reports(folder: Path, done: Sequence[Finished], text: str, command: str) -> None:
    """scaling.json, scaling.md and the figures."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "scaling.json").write_text(text + "\n")
        (folder / "scaling.md").write_text(markdown(done, command))
        for finished in done:
            draw(finished, folder / figure_name(finished))
    except OSError as error:
        raise UsageError(f"out: cannot write to {folder} ({error.strerror})") from None
