"""The whole catalogue, compared on all built-in instances at two horizons."""

from __future__ import annotations

from typing import Any

from dpaudit.laboratory.comparing.comparison import compare
from dpaudit.play.catalogue import catalogue
from dpaudit.results.comparison import Leaderboard

HORIZONS = (10**6, 10**12)
EPSILON = 1.0
LONGEST = 1800.0
"""Seconds that a learner may take on an instance; whoever takes longer is left out."""


def leaderboard(*, longest: float = LONGEST, **how: Any) -> Leaderboard:
    """At epsilon = 1, where most audits are. `how` is what `compare` takes besides."""
    found = []
    for horizon in HORIZONS:
        found.append(
            compare(
                list(catalogue()),
                suite="all",
                horizon=horizon,
                epsilon=EPSILON,
                longest=longest,
                lenient=True,
                **how,
            )
        )
        if not found[-1].complete:
            break
    return Leaderboard(found)
