"""What the actions of a whole learner give away, the document `dpaudit/curve/1`."""

from __future__ import annotations

from typing import Any

import msgspec

from dpaudit.results.showing import Published


class CurveResult(Published, frozen=True, kw_only=True):
    """Of one pair of tables, exactly; over all tables only where `searched` says so.

    The pair's tight mu is between `mu_low` and `mu_high`, which differ by the rounding of doubles;
    its pure epsilon is `epsilon`, its delta(epsilon) is in `deltas`, by epsilon.
    """

    schema: str = "dpaudit/curve/1"
    target: str
    parameters: dict[str, Any] = msgspec.field(default_factory=dict)
    rounds: int
    rewards: list[list[float]]
    neighbour: list[list[float]]
    changed: int
    """By how many rows the tables differ."""
    searched: str
    """Over what the pair is the worst, in words."""
    mu_low: float
    mu_high: float
    epsilon: float | None
    """Null where one of the tables has a sequence that cannot happen under the other."""
    deltas: dict[str, float]
    claimed_mu: float | None
    sequences: int
    first: list[float]
    """Points of the trade-off curve: probability to take the neighbour for the table, …"""
    second: list[float]
    """… and the table for the neighbour."""
    seconds: float = 0.0
    version: str
