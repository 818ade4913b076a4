"""What an audit asks and what it answers."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dpaudit.errors import check_number
from dpaudit.results.showing import Shown

SCHEMA = "dpaudit/audit/1"

Verdict = Literal["violated", "consistent"]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Guarantee:
    """The claim that is audited: epsilon-DP, (epsilon, delta)-DP, or eta-GDP (`level` is eta)."""

    notion: Literal["pure", "approximate", "gdp"]
    level: float
    delta: float = 0.0

    @property
    def symbol(self) -> str:
        """What the bounds bound."""
        return "eta" if self.notion == "gdp" else "epsilon"

    def public(self) -> dict[str, Any]:
        """As plain data."""
        eta = {"eta": self.level} if self.notion == "gdp" else {}
        epsilon = None if self.notion == "gdp" else self.level
        return {"notion": self.notion, "epsilon": epsilon, "delta": self.delta, **eta}

    def __str__(self) -> str:
        if self.notion == "gdp":
            return f"{self.level:.4g}-GDP"
        if self.notion == "approximate":
            return f"({self.level:.4g}, {self.delta:.3g})-DP"
        return f"{self.level:.4g}-DP"


def claimed(epsilon: float, delta: float = 0.0) -> Guarantee:
    """The claim of an epsilon and a delta."""
    level = check_number("epsilon", epsilon, 0.0, math.inf, low_open=True)
    if delta == 0.0:
        return Guarantee("pure", level)
    return Guarantee("approximate", level, check_number("delta", delta, 0.0, 1.0))


@dataclass(frozen=True)
class Pair:
    """Two neighbouring reward tables (rounds x arms) that differ in one round, counted from 1.

    The event is asked to be more likely under `neighbour` than under `rewards`.
    """

    rewards: Floats
    neighbour: Floats
    round: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rounds and arms."""
        return self.rewards.shape[0], self.rewards.shape[1]

    def row(self, world: int, t: int, actions: Sequence[int]) -> list[float]:
        """The rewards of round t in a world; a table does not look at the actions."""
        return [float(x) for x in (self.neighbour if world else self.rewards)[t - 1]]

    @property
    def swapped(self) -> Pair:
        """The same two tables, the other way round."""
        return Pair(self.neighbour, self.rewards, self.round)


@dataclass(frozen=True)
class Event:
    """A set of outputs, in words and, where they are action sequences, as such."""

    text: str
    actions: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class Lower:
    """A bound on the privacy parameter from below, with its evidence."""

    bound: float
    pair: Pair | None
    event: Event
    runs: int
    estimate: float
    power: float | None = None
    """The smallest true value that this audit would have found violating, with probability 0.9."""
    witness_bound: float | None = None
    """What the shown pair and event alone give, where they were shrunk; still above the claim."""
    budget: int = 0
    """The number of runs that was asked for: what makes the same answer again."""
    searched: str = ""
    """What the search for the worst pair tried, and how many runs that took."""
    sure: tuple[float, float] | None = None
    """For (epsilon, delta) and GDP: the event's probability is at least the first number under the
    neighbour and at most the second under the rewards, both at once."""
    complete: bool = True
    """False where Ctrl-C ended it: the bound holds, on the runs that were done."""


@dataclass(frozen=True)
class Upper:
    """A bound from above, and over what it was maximised."""

    bound: float
    how: str
    proof: bool


@dataclass(frozen=True)
class AuditResult(Shown):
    """The answer."""

    target: str
    claim: Guarantee
    lower: Lower
    upper: Upper | None
    engine: str
    why: str
    confidence: float
    spent: tuple[tuple[str, float], ...]
    seconds: float
    seed: int
    version: str
    arms: int | None = None
    rounds: int | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    per_step: Lower | None = None
    """The bound under a definition that conditions each action on the earlier ones."""
    adversary: str | None = None

    @property
    def lower_bound(self) -> float:
        """The privacy parameter is at least this, at the stated confidence."""
        return max(0.0, self.lower.bound)

    @property
    def upper_bound(self) -> float | None:
        """The privacy parameter is at most this, as far as `upper.how` says; None if unknown."""
        return None if self.upper is None or math.isinf(self.upper.bound) else self.upper.bound

    @property
    def verdict(self) -> Verdict:
        """Violated where even the lower bound exceeds the claim."""
        return "violated" if self.lower_bound > self.claim.level else "consistent"

    @property
    def runs(self) -> int:
        """Runs of the learner (or samples of the mechanism) that the lower bound rests on."""
        return self.lower.runs

    @property
    def witness(self) -> dict[str, Any]:
        """The two neighbouring inputs and the event that tells them apart best."""
        pair, event = self.lower.pair, self.lower.event
        return {
            "rewards": None if pair is None else pair.rewards.tolist(),
            "neighbour": None if pair is None else pair.neighbour.tolist(),
            "round": None if pair is None else pair.round,
            "event": event.text,
            "actions": [list(actions) for actions in event.actions],
            "lower_bound": max(
                0.0,
                self.lower.bound if self.lower.witness_bound is None else self.lower.witness_bound,
            ),
            "shrunk": self.lower.witness_bound is not None,
        }

    def public(self) -> dict[str, Any]:
        """As plain data, in the published schema."""
        upper = self.upper
        return {
            "schema": SCHEMA,
            "version": self.version,
            "target": self.target,
            "arms": self.arms,
            "rounds": self.rounds,
            "parameters": self.parameters,
            "claim": self.claim.public(),
            "verdict": self.verdict,
            "sentence": self.sentence(),
            "lower_bound": self.lower_bound,
            "upper_bound": self.upper_bound,
            "upper": None if upper is None else {"how": upper.how, "proof": upper.proof},
            "estimate": finite(self.lower.estimate),
            "power": finite(self.lower.power),
            "confidence": self.confidence,
            "spent": [{"on": what, "alpha": alpha} for what, alpha in self.spent],
            "curve": [{"epsilon": e, "delta": d} for e, d in self.curve()],
            "searched": self.lower.searched,
            "engine": self.engine,
            "why": self.why,
            "runs": self.runs,
            "budget": self.lower.budget,
            "seconds": round(self.seconds, 3),
            "seed": self.seed,
            "witness": self.witness,
            "per_step": None
            if self.per_step is None
            else {
                "lower_bound": max(0.0, finite(self.per_step.bound) or 0.0),
                "event": self.per_step.event.text,
            },
            "adversary": self.adversary,
            "notes": list(self.notes),
            "complete": self.lower.complete,
        }

    def curve(self) -> list[tuple[float, float]]:
        """Points (epsilon, delta) that the mechanism's curve lies above, all at once: the event
        shows delta >= p - e^epsilon q for every epsilon."""
        if self.lower.sure is None:
            return []
        p, q = self.lower.sure
        top = math.log(p / q) if p > q > 0.0 else 0.0
        points = [top * i / 8 for i in range(9)]
        return [(epsilon, max(0.0, p - math.exp(epsilon) * q)) for epsilon in points]

    def json(self) -> str:
        """As JSON text."""
        return json.dumps(self.public(), indent=2, allow_nan=False)

    def sentence(self) -> str:
        """The verdict in one line."""
        symbol, level = self.claim.symbol, f"(claimed {self.claim.level:.4g})"
        exact = self.engine == "exact"
        sure = "exactly" if exact else f"at confidence {self.confidence:g}"
        if not self.lower.complete and self.verdict == "consistent":
            return f"not finished: {symbol} >= {self.lower_bound:.4g} {sure} so far {level}"
        if self.verdict == "violated":
            return f"violates its claim: {symbol} >= {self.lower_bound:.4g} {sure} {level}"
        found = "consistent: no violation found"
        if exact:
            return f"{found}; largest loss found {self.lower_bound:.4g} {level}"
        if self.lower.power is None or not math.isfinite(self.lower.power):
            return f"{found}; {symbol} >= {self.lower_bound:.4g} {sure} {level}"
        return (
            f"{found}; would have found {symbol} >= {self.lower.power:.4g} with probability 0.9; "
            f"{symbol} >= {self.lower_bound:.4g} {sure} {level}"
        )


def finite(value: float | None) -> float | None:
    """None for what JSON cannot say."""
    return None if value is None or not math.isfinite(value) else value


def describe_actions(sequences: Sequence[Sequence[int]], rounds: int) -> str:
    """An event of action sequences in words."""
    if len(sequences) == 1:
        shown = " ".join(str(a) for a in sequences[0])
        return f"the actions of rounds 1 to {len(sequences[0])} are {shown}"
    shown = "; ".join(" ".join(str(a) for a in s) for s in sequences[:3])
    more = f"; and {len(sequences) - 3} more" if len(sequences) > 3 else ""
    return f"the actions of rounds 1 to {rounds} are one of {len(sequences)}: {shown}{more}"
