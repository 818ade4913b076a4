"""Which sample may do what. What chooses a pair, a direction, an event or a threshold is a
`Selection`; what bounds it is an `Evaluation`. No function takes one for the other, so that nothing
can be bounded on the data that chose it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

Sample = TypeVar("Sample")


@dataclass(frozen=True)
class Selection(Generic[Sample]):
    """May choose, and nothing else."""

    sample: Sample


@dataclass(frozen=True)
class Evaluation(Generic[Sample]):
    """May bound what was chosen elsewhere, and nothing else."""

    sample: Sample
