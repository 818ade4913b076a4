"""The mathematics of an algorithm, apart from its code: what an exact engine computes with.

An entry states it beside its steps. Whoever answers from it compares the two first: see
`dpaudit.auditor.engines.exact.law`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias


@dataclass(frozen=True)
class LazyLaplace:
    """The arm of largest mean + sqrt(root ln t / n) + linear ln t / (epsilon n) is pulled, where
    the mean is (sum + Lap(scale / epsilon)) / n over the n pulls of the arm's last epoch.

    An arm's epochs have 1, 2, 4, ... pulls and the index is asked in every round; with `episodes`
    1, 1, 2, 4, ..., and an epoch is played in one piece, so that it is asked between them only.
    """

    root: float
    linear: float
    scale: float = 1.0
    episodes: bool = False
    unit: str = ""
    """The parameter of the algorithm in whose multiples `root` and `linear` are, if any."""

    def at(self, settings: Mapping[str, Any]) -> LazyLaplace:
        """With the value of `unit` put in."""
        size = float(settings[self.unit]) if self.unit else 1.0
        return replace(self, root=self.root * size, linear=self.linear * size, unit="")


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


Exact: TypeAlias = LazyLaplace | NoisyMax | PrefixNoisyMax
