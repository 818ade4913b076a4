"""Who is best: algorithms on the same instances, the document `dpaudit/comparison/1`; several of
them over the whole catalogue, `dpaudit/leaderboard/1`."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from dpaudit.results.showing import Published

Feedback = Literal["bandit", "full-information"]


class Instance(msgspec.Struct, frozen=True, kw_only=True):
    """Arms with these mean rewards; learners on losses are given 1 minus these."""

    name: str
    means: list[float]
    epsilon: float | None = None
    """What private learners are run with."""
    environment: str = "bernoulli"


class Privacy(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a learner's privacy at an epsilon: the ends of what audits and proofs found.

    Epsilon is in [lower, upper] for pure privacy; null is an end that nothing is known of.
    """

    notion: Literal["pure", "approximate", "gdp", "none", "unknown"]
    claimed: float | None = None
    lower: float | None = None
    upper: float | None = None
    how: str

    def __post_init__(self) -> None:
        if self.lower is not None and self.upper is not None and self.lower > self.upper + 1e-9:
            raise ValueError(f"epsilon is at least {self.lower:g} and at most {self.upper:g}")

    @property
    def held(self) -> float | None:
        """The epsilon for which a learner's privacy may be counted on: what is proved, where it is
        more than what is claimed; None for learners without pure privacy."""
        if self.notion not in ("pure", "unknown") or self.claimed is None:
            return None
        return max(self.claimed, self.lower or 0.0, self.upper or 0.0)


class Floor(msgspec.Struct, frozen=True, kw_only=True):
    """A lower bound on the regret at the horizon, for a class of learners."""

    name: str
    source: str
    whom: str
    regret: float
    asymptotic: bool
    recalled: bool = False
    """Its statement is recalled from the literature."""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """A learner on an instance: its regret, and which ranks it may have."""

    name: str
    mean: float
    low: float
    high: float
    quantiles: dict[str, float] = msgspec.field(default_factory=dict)
    """Of single runs, to 1.1 %."""
    runs: int
    seed: int
    ranks: tuple[int, int]
    """1 + the number of learners that are certainly better, and the number of all less those that
    are certainly worse."""
    privacy: Privacy
    floor: Floor | None = None
    """The largest lower bound for learners of this privacy; for bandits of the asymptotic ones."""
    seconds: float = 0.0
    notes: list[str] = msgspec.field(default_factory=list)

    def __post_init__(self) -> None:
        if not (self.low <= self.mean <= self.high and 1 <= self.ranks[0] <= self.ranks[1]):
            raise ValueError(
                f"{self.name}: the mean is outside its band, or its ranks are no interval"
            )

    @property
    def ratio(self) -> float | None:
        """How often the lower bound fits into the mean regret."""
        return None if self.floor is None else self.mean / self.floor.regret


class Duel(msgspec.Struct, frozen=True, array_like=True):
    """By which chance a run of the first has less regret than one of the second (ties count half),
    and an interval that holds it; the learners by their place among the standings."""

    first: int
    second: int
    chance: float
    low: float
    high: float


class Least(msgspec.Struct, frozen=True, kw_only=True):
    """The largest lower bound at the horizon, over epsilon."""

    name: str
    asymptotic: bool
    epsilons: list[float]
    regret: list[float]

    def __post_init__(self) -> None:
        if len(self.epsilons) != len(self.regret):
            raise ValueError("the lower bound has other epsilons than values")


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """Learners of the same feedback on one instance."""

    instance: Instance
    feedback: Feedback
    standings: list[Standing]
    duels: list[Duel] = msgspec.field(default_factory=list)
    floors: list[Floor] = msgspec.field(default_factory=list)
    """All lower bounds at the instance's epsilon."""
    least: Least | None = None
    notes: list[str] = msgspec.field(default_factory=list)

    def __post_init__(self) -> None:
        if any(not 0 <= i < len(self.standings) for d in self.duels for i in (d.first, d.second)):
            raise ValueError("a duel names a learner that does not stand there")


class Overall(msgspec.Struct, frozen=True, kw_only=True):
    """A learner on all instances of its feedback: mean ends of its ranks, how often it certainly
    won and lost, and the geometric mean of its median regret over the least median there."""

    name: str
    feedback: Feedback
    instances: int
    ranks: tuple[float, float]
    won: int
    lost: int
    times_best: float


class LeftOut(msgspec.Struct, frozen=True):
    name: str
    reason: str


class Comparison(Published, frozen=True, kw_only=True):
    """`confidence` holds for all duels and bands of the document together: half of the error
    probability is the duels', which hold for any law of regret, and half the bands'."""

    schema: str = "dpaudit/comparison/1"
    suite: str = ""
    """Empty for a single instance."""
    horizon: int
    epsilon: float | None = None
    runs: int
    seed: int
    confidence: float
    fields: list[Field] = msgspec.field(default_factory=list)
    overall: list[Overall] = msgspec.field(default_factory=list)
    left_out: list[LeftOut] = msgspec.field(default_factory=list)
    complete: bool = True
    seconds: float = 0.0
    notes: list[str] = msgspec.field(default_factory=list)
    version: str


class Leaderboard(Published, frozen=True):
    """The whole catalogue, compared at several horizons."""

    comparisons: list[Comparison]
    schema: str = "dpaudit/leaderboard/1"

    def public(self) -> dict[str, Any]:
        return {"schema": self.schema, "comparisons": [c.public() for c in self.comparisons]}


def ordered(found: list[Overall], feedback: str) -> list[Overall]:
    """Of a feedback, the best first: by the middle of the ranks, then by `times_best`."""
    own = [each for each in found if each.feedback == feedback]
    return sorted(own, key=lambda each: (sum(each.ranks), each.times_best, each.name))
