"""The audits of the whole catalogue as a Markdown page; `dpaudit audit` prints the same rows."""

from __future__ import annotations

from collections.abc import Sequence

from dpaudit.report.markdown import table
from dpaudit.results.audit import AuditResult

HEADER = ("target", "K", "T", "claimed", "lower", "upper", "verdict", "engine", "what it rests on")


def title(results: Sequence[AuditResult], arms: object, confidence: object) -> str:
    violated = sum(r.verdict == "violated" for r in results)
    return (
        f"{violated} of {len(results)} claims violated; K={arms}, "
        f"confidence {confidence} for all of them together"
    )


def row(result: AuditResult) -> tuple[str, ...]:
    named = [f"{k}={v}" for k, v in result.parameters.items()]
    upper = "none" if result.upper_bound is None else f"{result.upper_bound:.4f}"
    return (
        " ".join([result.target, *named]),
        str(result.arms),
        str(result.rounds),
        str(result.claim),
        f"{result.lower_bound:.4f}",
        upper,
        result.verdict,
        result.engine,
        "" if result.upper is None else result.upper.how.split(":")[0].split(" (")[0],
    )


def catalogue_page(results: Sequence[AuditResult], heading: str, seed: object) -> str:
    lines = [
        "# The catalogue against its papers' claims",
        "",
        f"{heading}. A verdict `consistent` means that no violation was found.",
        "",
        f"Made by `dpaudit audit --out reports` (dpaudit {results[0].version}, seed {seed}).",
        "",
        *table([*HEADER[:-1], "upper bound from"], map(row, results)),
        "",
    ]
    return "\n".join(lines)
