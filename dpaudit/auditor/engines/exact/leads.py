"""How a phase can be reached: a derived one may be one to which only contradictions lead.

Comparisons along a path are answered every way, also ways that no noise and no rewards go together.
An outcome of a phase that is never reached is no evidence.
"""

from __future__ import annotations

from dpaudit.auditor.engines.exact import search
from dpaudit.auditor.engines.exact.outcomes import Chances, Sums
from dpaudit.auditor.engines.exact.steps.deriving import Law, Outcome, Phase, State

Lead = list[tuple[Outcome, Chances, Sums]]
"""Outcomes from the first round on, with sums of rewards for which each is possible."""


class Leads:
    """Found when they are asked for."""

    def __init__(self, law: Law) -> None:
        self._law = law
        self._known: dict[tuple[int, State], Lead | None] = {}
        self._possible: dict[str, Sums | None] = {}

    def to(self, phase: Phase) -> Lead | None:
        """What leads to the phase with a probability that is certainly not 0."""
        key = phase.first, phase.state
        if key not in self._known:
            self._known[key] = [] if phase.first == 1 else self._found(phase)
        return self._known[key]

    def _found(self, phase: Phase) -> Lead | None:
        for earlier, outcome in self._law.came[phase.first, phase.state]:
            before = self.to(earlier)
            if before is None:
                continue
            chances = Chances(earlier.outcomes[outcome], self._law.arms)
            about = chances.signature
            if about not in self._possible:
                self._possible[about] = search.most_likely(chances)
            if (sums := self._possible[about]) is not None:
                return [*before, (outcome, chances, sums)]
        return None
