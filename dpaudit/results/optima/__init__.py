"""The least regret of any private learner, the document `dpaudit/optimum/1`."""

from __future__ import annotations

from typing import Literal

import msgspec

from dpaudit.results.showing import Published


class Beside(msgspec.Struct, frozen=True, kw_only=True):
    """A learner's worst-case regret on the same instances, between `low` and `high`."""

    name: str
    claims: str
    pure: bool
    """Whether its claim is epsilon-DP, at the epsilon asked."""
    low: float
    high: float
    exact: bool
    runs: int


class OptimumResult(Published, frozen=True, kw_only=True):
    """Between `certified` and `value` is the least worst-case regret of any private learner.

    `certified` is proved by the certificate, in whole numbers; `value` is the regret of a learner
    that was found, private up to the rounding of doubles; `gap` is by how much they differ.
    """

    schema: str = "dpaudit/optimum/1"
    rounds: int
    arms: int
    epsilon: float
    delta: float = 0.0
    instance_gap: float
    """By how much the best arm's mean loss is below the others'."""
    feedback: Literal["full-information", "bandit"]
    value: float
    certified: float
    gap: float
    certificate: str | None
    """The file's name."""
    uniform: float
    """The regret of uniform play, for comparison."""
    variables: int
    pairs: int
    """Pairs of histories that privacy holds together."""
    learners: list[Beside] = msgspec.field(default_factory=list)
    seconds: float = 0.0
    notes: list[str] = msgspec.field(default_factory=list)
    version: str
