"""Every claim of the catalogue, audited as its paper states it: `dpaudit audit` without a name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from dpaudit.auditor.auditing import Progress, audit
from dpaudit.errors import UsageError
from dpaudit.play.catalogue import catalogue
from dpaudit.results.audit import AuditResult, Guarantee


@dataclass(frozen=True)
class Reading:
    """An entry in a reading, at its own epsilon and length where the default ones show less."""

    name: str
    parameters: dict[str, Any] = field(default_factory=dict)
    epsilon: float | None = None
    rounds: int | None = None
    runs: int | None = None

    def claim(self, arms: int, epsilon: float, rounds: int) -> Guarantee | None:
        """What the paper claims at these settings."""
        algorithm = catalogue()[self.name]
        settings = algorithm.settings(
            arms=arms, epsilon=epsilon, horizon=rounds, given=self.parameters
        )
        privacy = algorithm.card.privacy
        if privacy.notion == "none":
            return None
        delta = float(settings.get("delta", 0.0)) if privacy.notion == "approximate" else 0.0
        notion: Any = privacy.notion.value
        return Guarantee.of(notion, float(privacy.level(settings)), delta)


MORE = (
    Reading("anytime-lazy-ucb", rounds=8),
    Reading("lazy-dp-ts", {"log_base": 2}),
    Reading("dp-ts", {"average": "printed"}),
    Reading("dp-ts", {"invoke": "afresh"}),
    Reading("dp-ucb", rounds=6, runs=16_000_000),
    Reading("dp-ucb-int", {"redraw": "printed"}),
    Reading("ts-gaussian", {"offset": "0"}),
)
"""Other readings and sizes that are audited beside the defaults."""


def readings() -> list[Reading]:
    """Every entry with a claim, in its default reading, and more."""
    named = (name for name, entry in catalogue().items() if entry.card.privacy.notion != "none")
    return [*map(Reading, named), *MORE]


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
) -> Iterator[AuditResult | UsageError]:
    """Audit each reading; all of them together hold at `confidence`. One that cannot be audited
    yields its error, and the others go on."""
    todo = readings()
    for reading in todo:
        size = arms, reading.epsilon or epsilon, reading.rounds or rounds
        try:
            yield audit(
                reading.name,
                claim=reading.claim(*size),
                arms=size[0],
                epsilon=size[1],
                rounds=size[2],
                confidence=1.0 - (1.0 - confidence) / len(todo),
                runs=reading.runs if runs is None else runs,
                seed=seed,
                workers=workers,
                progress=progress,
                **reading.parameters,
            )
        except UsageError as error:
            yield UsageError(f"{reading.name}: {error}")
