"""The audits of the whole catalogue as a Markdown page; `dpaudit audit` prints the same rows."""

from __future__ import annotations

from collections.abc import Sequence

from dpaudit.report.markdown import table
from dpaudit.results.audit import AuditResult

HEADER = ("target", "K", "T", "claimed", "lower", "upper", "verdict", "engine", "what it rests on")


def title(results: Sequence[AuditResult], arms: object, confidence: object) -> str:
    violated, untested = (
        sum(r.verdict == verdict for r in results) for verdict in ("violated", "inconclusive")
    )
    return (
        f"{violated} of {len(results)} claims violated, {untested} inconclusive; K={arms}, "
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
        f"{heading}. A verdict `consistent` means that no violation was found and that one of "
        "twice the claim would have been, with probability 0.9; `inconclusive`, that none of "
        "interest could have been.",
        "",
        f"Made by `dpaudit audit --out reports` (dpaudit {results[0].version}, seed {seed}).",
        "",
        *table([*HEADER[:-1], "upper bound from"], map(row, results)),
        "",
        *(f"- {r.target}: {'; '.join(r.untested)}." for r in results if r.untested),
        "",
    ]
    return "\n".join(lines)
