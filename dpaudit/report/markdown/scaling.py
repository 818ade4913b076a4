"""The scaling studies as Markdown, beside their figures. Written by `dpaudit scaling --out`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import dpaudit
from dpaudit.report.figures import draw_study
from dpaudit.report.markdown import table
from dpaudit.results.scaling import Study, Triple

HEADER = ("study", "paper", "question", "verdict", "numbers")
COMPARED = (
    "curve", "law", "extra", "grows like", "extra's share of growth", "position between the laws",
    "growth over upper half", "largest residual",
)  # fmt: skip


def rows(done: Sequence[Study]) -> list[tuple[str, ...]]:
    return [(s.study, s.paper, s.question, s.verdict, s.answer) for s in done]


def markdown(done: Sequence[Study], command: str) -> str:
    """All studies with their verdicts, then each with what it rests on."""
    counted: Counter[str] = Counter(s.verdict for s in done)
    order = ("as stated", "better than stated", "violated", "not decided")
    lines = ["# Stated regret bounds, tried", ""]
    lines += [", ".join(f"{counted[v]} {v}" for v in order if counted[v]) + ".", ""]
    lines += [f"Made by `{command}` (dpaudit {dpaudit.__version__}).", ""]
    verdicts = (
        (f"[{s.study}](#{s.paper}-{s.study})", f"{s.paper}, {s.where}", s.verdict) for s in done
    )
    lines += table(("study", "statement", "verdict"), verdicts)
    for s in done:
        lines += [
            "",
            f'<a id="{s.paper}-{s.study}"></a>',
            f"## {s.study}: {s.verdict}",
            "",
            f"{s.paper}, {s.where}. *{s.question}*",
            "",
            f"{s.answer}.",
            "",
            f"Algorithms: {', '.join(s.targets)}. Laws: {s.laws}. Grid: {s.grid}.",
        ]
        lines += [f"\nNote: {note}." for note in s.notes]
        lines += ["", f"![{s.study}]({figure_name(s)})"]
        if s.comparisons:
            compared = (
                (c.curve, c.law, c.extra, c.answer, _interval(c.extra_share),
                 _interval(c.position), f"{c.growth_upper_half:.2%}", f"{c.fit.residual:.2%}")
                for c in s.comparisons
            )  # fmt: skip
            lines += ["", *table(COMPARED, compared)]
        if s.slopes:
            slopes = (
                (x.curve, f"{x.value:.3f}", f"{x.low:.3f}", f"{x.high:.3f}") for x in s.slopes
            )
            lines += ["", *table(("curve", "log-log slope", "from", "to"), slopes)]
    return "\n".join(lines) + "\n"


def _interval(found: Triple) -> str:
    low, middle, high = found
    return f"{middle:.3f} [{low:.3f}, {high:.3f}]"


def figure_name(study: Study) -> str:
    return f"{study.paper}-{study.study}.svg"


def write_pages(folder: Path, done: Sequence[Study], command: str) -> None:
    (folder / "scaling.md").write_text(markdown(done, command))
    for study in done:
        draw_study(study, folder / figure_name(study))
