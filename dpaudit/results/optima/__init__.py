"""The least regret of any private learner, the document `dpaudit/optimum/1`."""

from __future__ import annotations

from typing import Literal

import msgspec

from dpaudit.results.showing import Published


class Beside(msgspec.Struct, frozen=True, kw_only=True):
    """A learner's worst-case regret on the same instances, between `low` and `high`."""

    name: str
    low: float
    high: float
    runs: int
    """0 if the regret is exact."""


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
    finished: bool = True
    """False: the solver ended before the two met. What is certified is true, but weaker."""
    version: str


class Large(msgspec.Struct, frozen=True, kw_only=True):
    """A learner's regret where no optimum can be computed, by epsilon."""

    name: str
    feedback: Literal["full-information", "bandit"]
    epsilons: list[float]
    low: list[float]
    high: list[float]
    exact: bool


class Optima(Published, frozen=True, kw_only=True):
    """Many optima, with the catalogue beside each, `dpaudit/optima/1`."""

    schema: str = "dpaudit/optima/1"
    entries: list[OptimumResult]
    large_arms: int
    large_rounds: float
    large_gap: float
    large: list[Large]
    version: str
