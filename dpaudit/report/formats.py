"""What continuous integration reads: a Markdown summary, JUnit, SARIF, and badges."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from dpaudit.report.markdown import table
from dpaudit.results.audit import AuditResult
from dpaudit.results.words import describe, replay

SUMMARY_LIMIT = 60_000
"""Characters of a Markdown summary: build pages cut longer ones."""
RULES = {
    "DPA001": ("privacy-claim-violated", "The lower bound on epsilon exceeds the claim."),
    "DPA002": ("privacy-not-shown", "No violation found, but the upper bound exceeds the claim."),
    "DPA003": ("privacy-not-tested", "No violation found, and none could have been."),
}
"""SARIF rule ids. They stay the same for ever."""


def rule_of(audit: AuditResult) -> str | None:
    if audit.verdict == "violated":
        return "DPA001"
    if audit.verdict == "inconclusive":
        return "DPA003"
    if audit.upper is not None and (
        audit.upper_bound is None or audit.upper_bound > audit.claim.level * (1 + 1e-9)
    ):
        return "DPA002"
    return None


def markdown(audits: Sequence[AuditResult], limit: int = SUMMARY_LIMIT) -> str:
    """A build page: verdict first, details folded, cut to a size with a word about it."""
    violated, untested = (
        sum(a.verdict == verdict for a in audits) for verdict in ("violated", "inconclusive")
    )
    head = (
        f"### {violated} of {len(audits)} privacy claims violated"
        if violated
        else f"### No violation found in {len(audits)} privacy audits"
    ) + (f", {untested} inconclusive" if untested else "")
    rows = []
    for a in audits:
        upper = "?" if a.upper_bound is None else f"{a.upper_bound:.4g}"
        bounds = f"[{a.lower_bound:.4g}, {upper}]"
        rows.append(map(_cell, (a.verdict, a.name or a.target, str(a.claim), bounds, a.engine)))
    lines = [head, "", *table(("verdict", "target", "claim", "bounds", "engine"), rows)]
    text = "\n".join(lines) + "\n"
    left_out = 0
    for a in sorted(audits, key=lambda a: a.verdict != "violated"):
        shown = "" if a.verdict == "consistent" else "open"
        body = escape("\n".join(describe(a)), quote=False)
        block = (
            f"\n<details {shown}><summary>{escape(a.name or a.target)}: {a.verdict}</summary>\n\n"
            f"<pre>{body}</pre>\n</details>\n"
        )
        if len(text) + len(block) > limit - 100:
            left_out += 1
        else:
            text += block
    return text + (f"\n{left_out} details left out to keep this short.\n" if left_out else "")


def _cell(text: str) -> str:
    return escape(text, quote=False).replace("|", "\\|").replace("\n", " ").replace("`", "\\`")


def junit(audits: Sequence[AuditResult]) -> str:
    """JUnit XML: an audit a test case, a claim that is violated or was not tested a failure."""
    suite = ElementTree.Element(
        "testsuite",
        name="dpaudit",
        tests=str(len(audits)),
        failures=str(sum(a.verdict != "consistent" for a in audits)),
        errors="0",
        skipped="0",
        time=f"{sum(a.seconds for a in audits):.3f}",
    )
    for a in audits:
        about = {"name": _xml(a.name or a.target), "time": f"{a.seconds:.3f}"}
        case = ElementTree.SubElement(suite, "testcase", {"classname": "dpaudit", **about})
        properties = ElementTree.SubElement(case, "properties")
        for key in ("target", "lower_bound", "upper_bound", "confidence", "engine", "seed"):
            value = _xml(str(getattr(a, key)))
            ElementTree.SubElement(properties, "property", name=key, value=value)
        if a.verdict != "consistent":
            about = {"message": _xml(a.sentence()), "type": a.verdict}
            failure = ElementTree.SubElement(case, "failure", about)
            failure.text = _xml("\n".join(describe(a)))
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _xml(text: str) -> str:
    """Without the control characters that XML cannot say."""
    return "".join(c if c in "\t\n" or c >= " " else "?" for c in text)


def sarif(
    audits: Sequence[AuditResult], place: Callable[[AuditResult], tuple[str, int] | None]
) -> str:
    """SARIF 2.1.0: a result a broken rule, at the file and line where `place` knows them."""
    rules = [
        {"id": i, "name": name, "shortDescription": {"text": text}}
        for i, (name, text) in RULES.items()
    ]
    version = audits[0].version if audits else ""
    tool = {"driver": {"name": "dpaudit", "version": version, "rules": rules}}
    results = [_broken(a, rule, place(a)) for a in audits if (rule := rule_of(a)) is not None]
    document = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": tool, "results": results}],
    }
    return json.dumps(document, indent=2) + "\n"


def _broken(a: AuditResult, rule: str, found: tuple[str, int] | None) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": rule,
        "level": "error" if rule == "DPA001" else "warning",
        "message": {"text": f"{a.target} {a.sentence()}. Again: {replay(a)}"},
        "partialFingerprints": {"dpaudit/v1": f"{rule}:{a.target}:{a.claim}"},
        "properties": {
            "lowerBound": a.lower_bound,
            "upperBound": a.upper_bound,
            "claim": a.claim.level,
            "confidence": a.confidence,
        },
    }
    if found is not None:
        uri, line = found
        physical = {
            "artifactLocation": {"uri": Path(uri).as_posix()},
            "region": {"startLine": line},
        }
        result["locations"] = [{"physicalLocation": physical}]
    return result


def badge(audits: Sequence[AuditResult]) -> dict[str, Any]:
    """What an endpoint badge reads."""
    message, colour = f"no violation in {len(audits)} audits", "brightgreen"
    if untested := sum(a.verdict == "inconclusive" for a in audits):
        message, colour = f"{untested} of {len(audits)} audits inconclusive", "yellow"
    if violated := [a for a in audits if a.verdict == "violated"]:
        worst = max(violated, key=lambda a: a.lower_bound / a.claim.level)
        level = f"{worst.lower_bound:.3g} > {worst.claim.level:.3g}"
        message, colour = f"{worst.claim.symbol} ≥ {level}", "red"
    return {"schemaVersion": 1, "label": "privacy", "message": message, "color": colour}


COLOURS = {"red": "#b3261e", "yellow": "#8a6100", "brightgreen": "#2e7d32"}
CHARACTER = 6.5
"""Width of a character of the badge's text, about."""


def badge_svg(audits: Sequence[AuditResult]) -> str:
    """The badge as a picture, with its words as text."""
    shown = badge(audits)
    label, message = escape(shown["label"]), escape(shown["message"])
    left = 12 + CHARACTER * len(shown["label"])
    right = 12 + CHARACTER * len(shown["message"])
    middle, total = left + right / 2, left + right
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total:g}" height="20" role="img" '
        f'aria-label="{label}: {message}"><title>{label}: {message}</title>'
        f'<rect width="{total:g}" height="20" rx="3" fill="#444"/>'
        f'<path d="M{left:g} 0h{right - 3:g}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-{right - 3:g}z" '
        f'fill="{COLOURS[shown["color"]]}"/>'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,sans-serif" font-size="11">'
        f'<text x="{left / 2:g}" y="14">{label}</text>'
        f'<text x="{middle:g}" y="14">{message}</text></g></svg>\n'
    )
