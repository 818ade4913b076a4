"""What the actions of a whole learner give away, the document `dpaudit/curve/1`."""

from __future__ import annotations

from typing import Any

import msgspec

from dpaudit.results.showing import Published


class CurveResult(Published, frozen=True, kw_only=True):
    """Of one pair of tables, exactly; over all tables only where `searched` says so: then each
    number is the worst over all pairs, and the pair that is named has the largest mu.

    The tight mu is between `mu_low` and `mu_high`, which differ by the rounding of doubles; the
    pure epsilon is `epsilon`, delta(epsilon) is in `deltas`, by epsilon.
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


class WorstLoss(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The largest log-ratio of a sequence's probabilities if at most so many rows change."""

    changed: int
    epsilon: float | None
    """Null where a sequence can happen under one of the tables only."""
    actions: list[int]
    rewards: list[list[float]]
    neighbour: list[list[float]]


class LossesResult(Published, frozen=True, kw_only=True):
    """epsilon(m) over all binary tables, the document `dpaudit/losses/1`."""

    schema: str = "dpaudit/losses/1"
    target: str
    parameters: dict[str, Any] = msgspec.field(default_factory=dict)
    rounds: int
    searched: str
    losses: list[WorstLoss]
    seconds: float = 0.0
    version: str


class AlongPoint(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Lower bounds on mu and epsilon at a horizon; null: infinite."""

    rounds: int
    mu_low: float | None
    epsilon_low: float | None
    claimed_mu: float | None


class AlongResult(Published, frozen=True, kw_only=True):
    """What one sequence of actions gives away at long horizons, the document `dpaudit/along/1`."""

    schema: str = "dpaudit/along/1"
    target: str
    parameters: dict[str, Any] = msgspec.field(default_factory=dict)
    begins: list[int]
    """The actions; the last one is repeated."""
    changed: int
    gap: float | None
    points: list[AlongPoint]
    seconds: float = 0.0
    version: str
