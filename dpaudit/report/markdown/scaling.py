"""The scaling studies as Markdown, beside their figures. Written by `dpaudit scaling --out`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import dpaudit
from dpaudit.report.figures import draw_study
from dpaudit.report.figures.series import FLOOR_HEADER, floor_rows, lines_of
from dpaudit.report.markdown import table
from dpaudit.results.scaling import MEANING, Rule, Scaling, Study

HEADER = ("study", "paper", "question", "verdict", "numbers")
JUDGED = (
    "curve", "laws", "answer", "the faster law adds", "beside", "control", "the stated law adds",
    "y over law, first and last",
)  # fmt: skip
SENSITIVE = ("threshold", "value", "halved", "doubled")
POWER = ("laws", "grid", "truth", "noise", "answers")


def said(s: Study) -> str:
    """The verdict with what it rests on."""
    return f"{s.verdict} ({s.basis})" if s.basis else s.verdict


def rows(done: Sequence[Study]) -> list[tuple[str, ...]]:
    return [(s.study, s.paper, s.question, said(s), s.answer) for s in done]


def power_rows(rule: Rule) -> list[tuple[str, ...]]:
    """What the rule says where the truth is known."""
    return [
        (
            p.laws,
            p.grid,
            p.truth,
            f"{p.noise:.0%}" if p.noise else "exact",
            ", ".join(f"{answer} {share:.0%}" for answer, share in p.answers.items()),
        )
        for p in rule.power
    ]


def markdown(result: Scaling, command: str) -> str:
    """All studies with their verdicts, then each with what it rests on, and the rule."""
    done = result.studies
    counted: Counter[str] = Counter(s.verdict for s in done)
    lines = ["# Stated regret bounds, tried", ""]
    lines += [", ".join(f"{counted[v]} {v}" for v in MEANING if counted[v]) + ".", ""]
    lines += [f"- {v}: {MEANING[v]}" for v in MEANING if counted[v]]
    lines += ["", f"Made by `{command}` (dpaudit {dpaudit.__version__}).", ""]
    verdicts = (
        (f"[{s.study}](#{s.paper}-{s.study})", f"{s.paper}, {s.where}", said(s)) for s in done
    )
    lines += table(("study", "statement", "verdict"), verdicts)
    for s in done:
        lines += _study(s)
    if result.rule:
        lines += ["", "## The rule", "", result.rule.words, ""]
        lines += ["What it would have said of known growth (probabilities):", ""]
        lines += table(POWER, power_rows(result.rule))
    return "\n".join(lines) + "\n"


def _study(s: Study) -> list[str]:
    lines = [
        "",
        f'<a id="{s.paper}-{s.study}"></a>',
        f"## {s.study}: {said(s)}",
        "",
        f"{s.paper}, {s.where}. *{s.question}*",
        "",
        f"{s.answer}.",
        "",
        f"Algorithms: {', '.join(s.targets)}. Laws: {s.laws}. Grid: {s.grid}.",
    ]
    if s.control:
        lines += ["", f"Control: {s.control.what}: {s.control.verdict}."]
    lines += [f"\nNote: {note}." for note in s.notes]
    lines += ["", f"![{s.study}]({figure_name(s)})"]
    floors = floor_rows(lines_of(s.points))
    if floors:
        lines += ["", "How far from the best possible, at the last point of each curve:", ""]
        lines += [*table(FLOOR_HEADER, floors), "", *(f"- {each}" for each in s.lower_bounds)]
    if s.judged:
        judged = (
            (j.curve, j.laws, j.answer, interval(j.faster), j.beside, interval(j.control),
             interval(j.slower), " ".join(f"{v:.3g}" for v in j.over_law))
            for j in s.judged
        )  # fmt: skip
        lines += ["", *table(JUDGED, judged)]
    if s.sensitivity:
        changed = ((x.threshold, f"{x.value:g}", x.halved, x.doubled) for x in s.sensitivity)
        lines += ["", *table(SENSITIVE, changed)]
    return lines


def interval(found: Sequence[float]) -> str:
    if not found:
        return ""
    low, middle, high = found
    return f"{middle:.2f} [{low:.2f}, {high:.2f}]"


def figure_name(study: Study) -> str:
    return f"{study.paper}-{study.study}.svg"


def write_pages(folder: Path, result: Scaling, command: str) -> None:
    (folder / "scaling.md").write_text(markdown(result, command))
    for study in result.studies:
        draw_study(study, folder / figure_name(study))
