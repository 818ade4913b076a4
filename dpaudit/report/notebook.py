"""Results in notebooks: the report page in a frame of its own, without scripts, or Markdown."""

from __future__ import annotations

from html import escape
from typing import Any

from dpaudit.report.formats import markdown
from dpaudit.report.page import audit_page, full_page
from dpaudit.results.audit import AuditResult
from dpaudit.results.documents import parse
from dpaudit.results.regret import RegretResult

FRAME = (
    '<iframe sandbox="" title="{title}" srcdoc="{page}" '
    'style="width:100%;height:36rem;border:1px solid #8888"></iframe>'
)
"""The frame keeps the page's style from the notebook's, and runs nothing."""


def html_of(result: dict[str, Any]) -> str:
    document = parse(result)
    page = (
        audit_page([document])
        if isinstance(document, AuditResult)
        else full_page([document], "dpaudit")
    )
    return FRAME.format(title=escape(f"dpaudit: {result.get('target', '')}"), page=escape(page))


def markdown_of(result: dict[str, Any]) -> str:
    """The same as Markdown: a verdict with its evidence, or the curve as a table."""
    document = parse(result)
    if isinstance(document, AuditResult):
        return markdown([document])
    assert isinstance(document, RegretResult)
    how = "exact" if document.exact else f"{document.runs} runs"
    lines = [f"**{escape(document.target)}** ({how})", "", "| rounds | mean | low | high |"]
    lines.append("|---:|---:|---:|---:|")
    for t, *numbers in zip(
        document.horizons, document.mean, document.low, document.high, strict=True
    ):
        lines.append(f"| {t:.6g} | " + " | ".join(f"{x:.6g}" for x in numbers) + " |")
    return "\n".join(lines) + "\n"


FORMS = {"html": html_of, "markdown": markdown_of}
