"""The mathematics of an algorithm, apart from its code: what exact regret is computed with.

An entry states it beside its steps. Audits do not look at it: they derive the law from the steps
(`dpaudit.auditor.engines.exact`), and a test compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class NoisyMax:
    """Epochs of 1, 2, 4, ... rounds. Each plays the action whose sum of rewards (or of negated
    losses) in the epoch before, with noise of scale factor / epsilon, is the largest."""

    noise: str
    """`laplace`, `exponential` or `gumbel`."""
    factor: float


@dataclass(frozen=True)
class PrefixNoisyMax:
    """As `NoisyMax`, but the sums are those of the epoch's first M rounds, M uniform over the
    second half of its rounds, or over all of them."""

    noise: str
    factor: float


Exact: TypeAlias = NoisyMax | PrefixNoisyMax
