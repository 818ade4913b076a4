"""The least regret of any private learner, the document `dpaudit/optimum/1`."""

from __future__ import annotations

from typing import Literal

import msgspec

from dpaudit.results.showing import Published


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """With which probability the best learner plays each arm after a history, and another one."""

    actions: str = ""
    """Its own so far, a digit each; with full information but for the first."""
    letters: str = ""
    """The losses that were seen, a round after the other; 00 also stands for 11."""
    reached: float
    """How likely the best learner is to come here, on average over the instances."""
    best: list[float]
    other: list[float] | None = None
    """Null where it never came."""
    radius: float
    """By how much `apart`, and each of the other's probabilities, may be wrong."""

    @property
    def apart(self) -> float | None:
        """The total variation between the two."""
        if self.other is None:
            return None
        return sum(abs(p - q) for p, q in zip(self.best, self.other, strict=True)) / 2


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """What the best learner does, and one of the catalogue, in so many runs on each table; all
    radii hold together but for a probability of 1e-6."""

    other: str
    runs: int
    choices: list[Choice]

    @property
    def apart(self) -> float:
        """The total variation of choices, on average over where the best learner comes to."""
        met = [c for c in self.choices if c.apart is not None]
        return sum(c.reached * (c.apart or 0.0) for c in met) / sum(c.reached for c in met)

    def largest(self, many: int = 8) -> list[Choice]:
        """The histories with the largest certain difference."""
        met = [c for c in self.choices if c.apart is not None and c.apart > c.radius]
        return sorted(met, key=lambda c: c.radius - (c.apart or 0.0))[:many]


class Beside(msgspec.Struct, frozen=True, kw_only=True):
    """A learner's worst-case regret on the same instances, between `low` and `high`."""

    name: str
    low: float
    high: float
    runs: int
    """0 if the regret is exact."""
    needed_low: float | None = None
    """No learner with an epsilon below has as little regret; null where it was not looked for."""
    needed_high: float | None = None
    """The best learner with this epsilon has as little regret; null also where none was found."""


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
    policy: Policy | None = None
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
