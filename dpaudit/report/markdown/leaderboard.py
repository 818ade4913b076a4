"""The leaderboard as Markdown. Written by `dpaudit compare --leaderboard --out`."""

from __future__ import annotations

from dpaudit.report.comparing import HEADER, OVERALL, overall_rows, rows, title
from dpaudit.report.markdown import table
from dpaudit.results.comparison import Comparison, Leaderboard


def markdown(found: Leaderboard, command: str) -> str:
    """At each horizon the ranks over all instances, then instance by instance."""
    first = found.comparisons[0]
    lines = ["# Who is best", "", f"Made by `{command}` (dpaudit {first.version}).", ""]
    for comparison in found.comparisons:
        lines += _comparison(comparison)
    return "\n".join(lines) + "\n"


def _comparison(c: Comparison) -> list[str]:
    lines = [f"## T = {c.horizon:g}", "", f"{c.runs} runs each, epsilon = {c.epsilon:g}."]
    lines += [f"All intervals hold together at confidence {c.confidence:g}.", ""]
    for kind in dict.fromkeys(each.feedback for each in c.overall):
        lines += [f"### {kind}, all instances", "", *table(OVERALL, overall_rows(c.overall, kind))]
        lines.append("")
    lines += [f"- Left out: {each.name}: {each.reason}." for each in c.left_out]
    lines += [f"- {note[:1].upper()}{note[1:]}." for note in c.notes]
    lines.append("")
    for field in c.fields:
        lines += [f"### {title(field, c)}", "", *table(HEADER, rows(field)), ""]
        lines += [f"- {note}." for note in field.notes]
        lines.append("")
    return lines
