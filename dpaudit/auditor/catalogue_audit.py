"""Audit the whole catalogue against its papers' claims."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dpaudit.auditor.auditing import Progress, audit
from dpaudit.auditor.results import AuditResult, Claimed
from dpaudit.catalogue import catalogue
from dpaudit.contract import Algorithm

READINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("dp-ts", {"average": "printed"}),
    ("dp-ts", {"invoke": "afresh"}),
    ("dp-ucb-int", {"redraw": "printed"}),
    ("ts-gaussian", {"offset": "0"}),
    ("lazy-dp-ts", {"log_base": 2}),
)
"""Other readings of the text that are audited beside the defaults."""


def claim_of(algorithm: Algorithm, settings: dict[str, Any]) -> Claimed | None:
    """The published claim at these settings."""
    privacy = algorithm.card.privacy
    if privacy.notion == "none" or privacy.level is None:
        return None
    delta = float(settings.get("delta", 0.0)) if privacy.notion == "approximate" else 0.0
    return Claimed(privacy.notion, float(privacy.level(settings)), delta)


def subjects() -> list[tuple[str, dict[str, Any]]]:
    """Every entry with a claim, in its default reading and in others."""
    defaults: list[tuple[str, dict[str, Any]]] = [
        (name, {}) for name, entry in catalogue().items() if entry.card.privacy.notion != "none"
    ]
    return defaults + list(READINGS)


def audit_catalogue(
    *,
    epsilon: float = 1.0,
    arms: int = 2,
    rounds: int = 12,
    confidence: float = 0.999,
    runs: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Iterator[AuditResult]:
    """Audit each subject; all of them together hold at `confidence`."""
    todo = subjects()
    each = 1.0 - (1.0 - confidence) / len(todo)
    for name, parameters in todo:
        algorithm = catalogue()[name]
        settings = algorithm.settings(arms=arms, epsilon=epsilon, horizon=rounds, given=parameters)
        yield audit(
            name,
            epsilon=epsilon,
            claim=claim_of(algorithm, settings),
            arms=arms,
            rounds=rounds,
            confidence=each,
            runs=runs,
            seed=seed,
            workers=workers,
            progress=progress,
            **parameters,
        )
