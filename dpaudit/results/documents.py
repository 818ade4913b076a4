"""The result documents: their fields, versions, and how a file is checked when it is read.

A document names its schema and version, `dpaudit/KIND/NUMBER`. Fields may be added under the same
number; one is renamed, removed or changes its meaning only with the next. Documents are plain JSON;
reading one executes nothing.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, Literal

import msgspec

from dpaudit.errors import UsageError
from dpaudit.results.claims import Claims
from dpaudit.results.reproduction import Reproduction, Reproductions, check_band
from dpaudit.results.scaling import Scaling

Table = list[list[float]]


class Claim(msgspec.Struct, frozen=True):
    """A privacy claim: `pure` and `approximate` have an epsilon, `gdp` has an eta."""

    notion: Literal["pure", "approximate", "gdp"]
    epsilon: float | None
    delta: float | None
    eta: float | None = None

    @property
    def level(self) -> float:
        """Epsilon, or eta."""
        found = self.eta if self.notion == "gdp" else self.epsilon
        return float("inf") if found is None else found

    def __post_init__(self) -> None:
        """The level is there."""
        if (self.eta if self.notion == "gdp" else self.epsilon) is None:
            raise ValueError("the claim has no level")


class Witness(msgspec.Struct, frozen=True):
    """Two neighbouring tables (rounds x arms), the round that differs, and the event."""

    rewards: Table | None
    neighbour: Table | None
    round: int | None
    event: str
    actions: list[list[int]] = []
    lower_bound: float = 0.0
    shrunk: bool = False

    def __post_init__(self) -> None:
        """Both tables are there, of one shape, and the round is one of theirs; or none is."""
        if (self.rewards is None) != (self.neighbour is None):
            raise ValueError("the witness has one table of two")
        if self.rewards is None or self.neighbour is None:
            return
        widths = {len(row) for table in (self.rewards, self.neighbour) for row in table}
        if len(self.rewards) != len(self.neighbour) or len(widths) != 1 or 0 in widths:
            raise ValueError("the witness's tables differ in shape")
        if self.round is not None and not 1 <= self.round <= len(self.rewards):
            raise ValueError(f"the witness has no round {self.round}")


class UpperBound(msgspec.Struct, frozen=True):
    """What the upper bound rests on, and whether that is a proof for all tables of the length."""

    how: str
    proof: bool


class Spent(msgspec.Struct, frozen=True):
    """A share of the error probability."""

    on: str
    alpha: float


class CurvePoint(msgspec.Struct, frozen=True):
    """The mechanism's delta at this epsilon is at least this."""

    epsilon: float
    delta: float


class PerStep(msgspec.Struct, frozen=True):
    """The bound for one action given those before it."""

    lower_bound: float
    event: str


class Audit(msgspec.Struct, frozen=True):
    """One privacy audit, `dpaudit/audit/1`. `name` is the test or entry that asked for it."""

    target: str
    claim: Claim
    lower_bound: float
    upper_bound: float | None
    confidence: float
    verdict: Literal["violated", "consistent"]
    engine: str
    runs: int
    seed: int
    witness: Witness
    version: str
    schema: str = "dpaudit/audit/1"
    arms: int | None = None
    rounds: int | None = None
    name: str = ""
    seconds: float = 0.0
    sentence: str = ""
    parameters: dict[str, Any] = {}
    upper: UpperBound | None = None
    estimate: float | None = None
    power: float | None = None
    spent: list[Spent] = []
    curve: list[CurvePoint] = []
    searched: str = ""
    why: str = ""
    budget: int = 0
    per_step: PerStep | None = None
    adversary: str | None = None
    notes: list[str] = []
    complete: bool = True

    def __post_init__(self) -> None:
        """The verdict is the one that the numbers give."""
        violated = self.lower_bound > self.claim.level
        if violated != (self.verdict == "violated"):
            raise ValueError(
                f"verdict {self.verdict!r}, but the lower bound is {self.lower_bound:g} and the "
                f"claim {self.claim.level:g}"
            )


class Catalogue(msgspec.Struct, frozen=True):
    """Many audits under one confidence, `dpaudit/catalogue/1`."""

    audits: list[Audit]
    schema: str = "dpaudit/catalogue/1"


class Regret(msgspec.Struct, frozen=True):
    """A regret curve, `dpaudit/regret/1`: see `dpaudit.results.regret`."""

    target: str
    horizons: list[int]
    mean: list[float]
    low: list[float]
    high: list[float]
    runs: int
    exact: bool
    version: str
    schema: str = "dpaudit/regret/1"
    parameters: dict[str, Any] = {}
    epsilon: float | None = None
    means: list[float] = []
    environment: str = "bernoulli"
    quantiles: dict[str, list[float]] | None = None
    confidence: float | None = None
    seed: int = 0
    seconds: float = 0.0
    complete: bool = True
    notes: list[str] = []

    def __post_init__(self) -> None:
        """All columns are of one length."""
        if len({len(c) for c in (self.horizons, self.mean, self.low, self.high)}) != 1:
            raise ValueError("horizons, mean, low and high differ in length")
        check_band(self.low, self.mean, self.high)


Document = Audit | Catalogue | Claims | Regret | Scaling | Reproduction | Reproductions
KINDS: dict[str, type[Document]] = {
    "audit": Audit,
    "catalogue": Catalogue,
    "claims": Claims,
    "regret": Regret,
    "scaling": Scaling,
    "reproduction": Reproduction,
    "reproductions": Reproductions,
}


def parse(data: Any, name: str = "result") -> Document:
    """A document from plain data, or a UsageError that names the field."""
    label = data.get("schema") if isinstance(data, dict) else None
    if not isinstance(label, str) or label.count("/") != 2 or not label.startswith("dpaudit/"):
        raise UsageError(f"{name}: no result of dpaudit (it names no schema)")
    _, kind, number = label.split("/")
    if kind not in KINDS:
        raise UsageError(f"{name}: schema {label!r} is not known; known: {', '.join(KINDS)}")
    if number != "1":
        raise UsageError(f"{name}: schema {label!r}, but this dpaudit reads dpaudit/{kind}/1")
    try:
        return msgspec.convert(data, KINDS[kind])
    except msgspec.ValidationError as error:
        raise UsageError(f"{name}: not a valid {label} ({error})") from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{text} is too large")
    return value


def read(path: str | Path) -> Document:
    """A document from a file; truncated, foreign and tampered ones are refused in one line."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise UsageError(f"{path}: cannot be read ({reason})") from None
    try:
        data = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: not JSON, perhaps truncated ({error})") from None
    return parse(data, str(path))
