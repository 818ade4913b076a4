"""What an audit answers.

`AuditResult.of` makes the answer of what an engine found (`dpaudit.results.found`). It is the
published document `dpaudit/audit/1`: `dpaudit.audit` returns it, and `dpaudit.results.documents`
reads it from a file.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import msgspec
import numpy as np

from dpaudit.results.claimed import Guarantee as Guarantee
from dpaudit.results.claimed import guarantee as guarantee
from dpaudit.results.found import MULTIPLE, Lower, Pair, Upper
from dpaudit.results.proofs.mending import Mend
from dpaudit.results.showing import Published
from dpaudit.results.tradeoff import CurvePoint, TradeOff

Verdict = Literal["violated", "consistent", "inconclusive"]
"""`consistent`: no violation was found, and one of MULTIPLE times the claim would have been.
`inconclusive`: none was found, and none of interest could have been."""
WORLDS: tuple[Literal["rewards"], Literal["neighbour"]] = ("rewards", "neighbour")
TOLD_CELLS = 500
"""Larger tables of two levels are told by these."""
Table = list[list[float]]


class Witness(msgspec.Struct, frozen=True):
    """The two neighbouring tables (rounds x arms), the round that differs, and the event that tells
    them apart best. `shrunk`: the tables and the event alone show `lower_bound`."""

    rewards: Table | None
    neighbour: Table | None
    round: int | None
    event: str
    actions: list[list[int]] = []
    lower_bound: float = 0.0
    shrunk: bool = False
    contexts: Table | None = None
    """The rounds' contexts, where there are any."""
    neighbour_contexts: Table | None = None
    without: Literal["", "rewards", "neighbour"] = ""
    """In whose world the round is left out, where neighbours are with and without it."""

    @classmethod
    def of(
        cls, lower: Lower, levels: str = "", arms: int | None = None, *, removes: bool = False
    ) -> Witness:
        """Large tables that `levels` say are not written out. Contexts stand behind the arms."""
        pair, shrunk = lower.pair, lower.witness_bound
        told = pair is not None and levels and pair.rewards.size > TOLD_CELLS
        tables = [] if pair is None or told else [pair.rewards, pair.neighbour]
        rewards = [table[:, :arms].tolist() for table in tables] or [None, None]
        wide = arms is not None and bool(tables) and tables[0].shape[1] > arms
        contexts = [table[:, arms:].tolist() for table in tables] if wide else [None, None]
        return cls(
            rewards=rewards[0],
            neighbour=rewards[1],
            contexts=contexts[0],
            neighbour_contexts=contexts[1],
            round=None if pair is None else pair.round,
            event=lower.event.text,
            actions=[[int(a) for a in actions] for actions in lower.event.actions],
            lower_bound=max(0.0, float(lower.bound if shrunk is None else shrunk)),
            shrunk=shrunk is not None,
            without="" if pair is None or not removes else WORLDS[pair.without],
        )

    def __post_init__(self) -> None:
        if (self.rewards is None) != (self.neighbour is None):
            raise ValueError("the witness has one table of two")
        if self.rewards is None or self.neighbour is None:
            return
        widths = {len(row) for table in (self.rewards, self.neighbour) for row in table}
        if len(self.rewards) != len(self.neighbour) or len(widths) != 1 or 0 in widths:
            raise ValueError("the witness's tables differ in shape")
        if self.round is not None and not 1 <= self.round <= len(self.rewards):
            raise ValueError(f"the witness has no round {self.round}")

    def __getitem__(self, name: str) -> Any:
        return msgspec.structs.asdict(self)[name]

    @property
    def changed(self) -> list[int]:
        """All rounds that differ."""
        wide = [(self.rewards, self.neighbour), (self.contexts, self.neighbour_contexts)]
        found: set[int] = set()
        for table, other in wide:
            rows = enumerate(zip(table or (), other or (), strict=True), 1)
            found |= {t for t, (here, there) in rows if here != there}
        return sorted(found)

    @property
    def pair(self) -> Pair | None:
        if self.rewards is None or self.neighbour is None or self.round is None:
            return None
        tables = np.array(self.rewards), np.array(self.neighbour)
        if self.contexts is not None and self.neighbour_contexts is not None:
            shown = np.array(self.contexts), np.array(self.neighbour_contexts)
            tables = np.hstack([tables[0], shown[0]]), np.hstack([tables[1], shown[1]])
        return Pair(*tables, self.round, WORLDS.index(self.without) if self.without else 1)


class UpperBound(msgspec.Struct, frozen=True):
    """What the upper bound rests on. `how` begins with `proved for every T`, `proved to T = N`,
    `search only`, or `none`, and where it leaks. `proof`: of the algorithm's own steps on symbols,
    or of private data that was seen to get past the releases."""

    how: str
    proof: bool


class Spent(msgspec.Struct, frozen=True):
    """A share of the error probability."""

    on: str
    alpha: float


class PerStep(msgspec.Struct, frozen=True):
    """The bound for one action given those before it."""

    lower_bound: float
    event: str


WORDS = ("name", "neighbours", "sees", "contexts", "evidence")
USUAL: dict[str, Any] = dict.fromkeys(WORDS, "") | {"batch": 1, "delay": 0}
USUAL |= {"tradeoff": None, "mends": [], "limit": None, "clock": []}
"""What documents leave out: usual is one changed round, arms as what is seen, counted runs."""


class AuditResult(Published, frozen=True, kw_only=True):
    """The answer of one audit. `name` is the test or the entry of a project that asked for it."""

    schema: str = "dpaudit/audit/1"
    version: str
    target: str
    arms: int | None = None
    rounds: int | None = None
    epsilon: float | None = None
    """What the learner was run with."""
    parameters: dict[str, Any] = msgspec.field(default_factory=dict)
    claim: Guarantee
    claimed: Literal["", "card"] = ""
    """Who claims it: the card, or whoever asked."""
    levels: str = ""
    """The pair that was asked for, where tables have two levels of rewards."""
    verdict: Verdict
    said: str = msgspec.field(default="", name="sentence")
    lower_bound: float
    upper_bound: float | None
    upper: UpperBound | None = None
    estimate: float | None = None
    power: float | None = None
    rarest: float | None = None
    untested: list[str] = msgspec.field(default_factory=list)
    """What was not tested, and what would help; with any of it the verdict is no `consistent`."""
    confidence: float
    spent: list[Spent] = msgspec.field(default_factory=list)
    curve: list[CurvePoint] = msgspec.field(default_factory=list)
    searched: str = ""
    engine: str
    why: str = ""
    runs: int
    """Runs of the learner (or samples of the mechanism) that the lower bound rests on."""
    budget: int = 0
    seconds: float = 0.0
    seed: int
    witness: Witness
    per_step: PerStep | None = None
    """The bound under a definition that conditions each action on the earlier ones."""
    adversary: str | None = None
    notes: list[str] = msgspec.field(default_factory=list)
    mends: list[Mend] = msgspec.field(default_factory=list)
    """What would mend a violation, as far as that was worked out."""
    complete: bool = True
    name: str = ""
    neighbours: str = ""
    """Who are neighbours, if not tables that differ in one round: `rounds:M` or `add-remove`."""
    sees: str = ""
    """What is seen of a run, if not the arms that are played."""
    contexts: str = ""
    """`public:D` or `private:D`, where the learner is shown D numbers in each round."""
    batch: int = 1
    delay: int = 0
    tradeoff: TradeOff | None = None
    """What the pair gives away as a whole, if asked for."""
    limit: float | None = None
    """The seconds that were asked for."""
    clock: list[Any] = msgspec.field(default_factory=list)
    """What was decided by the clock, which makes the same answer again."""
    evidence: str = ""

    def __post_init__(self) -> None:
        violated = self.lower_bound > self.claim.level
        if violated != (self.verdict == "violated"):
            raise ValueError(
                f"verdict {self.verdict!r}, but the lower bound is {self.lower_bound:g} and the "
                f"claim {self.claim.level:g}"
            )
        if self.untested and self.verdict == "consistent":
            raise ValueError(f"verdict 'consistent', but untested: {self.untested[0]}")

    @classmethod
    def of(
        cls,
        *,
        claim: Guarantee,
        lower: Lower,
        upper: Upper | None,
        engine: str,
        confidence: float,
        spent: Sequence[tuple[str, float]],
        seconds: float,
        notes: Sequence[str] = (),
        per_step: Lower | None = None,
        **more: Any,
    ) -> AuditResult:
        """The answer that the bounds give. `more` are fields as they are."""
        bound = max(0.0, float(lower.bound))
        found = cls(
            claim=claim,
            lower_bound=bound,
            upper_bound=None if upper is None else finite(upper.bound),
            confidence=confidence,
            verdict=_verdict(claim, lower, upper),
            engine=engine,
            runs=lower.runs,
            seconds=round(seconds, 3),
            witness=Witness.of(
                lower,
                more.get("levels", ""),
                more.get("arms"),
                removes=more.get("neighbours") == "add-remove",
            ),
            upper=None if upper is None else UpperBound(upper.how, upper.proof),
            estimate=finite(lower.estimate),
            power=finite(lower.power),
            rarest=finite(lower.rarest),
            untested=[] if bound > claim.level else _untested(claim, lower, upper),
            spent=[Spent(what, float(alpha)) for what, alpha in spent],
            curve=lower.curve(),
            searched=lower.searched,
            budget=lower.budget,
            notes=[*notes, *lower.notes],
            complete=lower.complete,
            tradeoff=lower.tradeoff,
            **more,
        )
        step = None
        if per_step is not None:
            step = PerStep(max(0.0, finite(per_step.bound) or 0.0), per_step.event.text)
        return msgspec.structs.replace(found, said=_sentence(found), per_step=step)

    def public(self) -> dict[str, Any]:
        plain = super().public()
        plain["claim"] = self.claim.public()
        for name, usual in USUAL.items():
            if plain[name] == usual:
                del plain[name]
        for name in ("contexts", "neighbour_contexts"):
            if plain["witness"][name] is None:
                del plain["witness"][name]
        return plain

    def sentence(self) -> str:
        return self.said


def _untested(claim: Guarantee, lower: Lower, upper: Upper | None) -> list[str]:
    """What was not tested: what the engine says, and a lack of power. Where it is proved that the
    claim holds no power is asked for."""
    said = list(lower.untested)
    proved = upper is not None and upper.proof and upper.bound <= claim.level
    if lower.unseen and not proved:
        said.append(lower.unseen)
    needed = MULTIPLE * claim.level
    if not proved and lower.power is not None and not lower.power <= needed:
        least = f"only {lower.power:.4g}" if math.isfinite(lower.power) else "nothing"
        said.append(
            f"with probability 0.9 {least} would have been found, not {MULTIPLE:g} times the claim "
            f"({needed:.4g}): more runs would help"
        )
    return said


def _verdict(claim: Guarantee, lower: Lower, upper: Upper | None) -> Verdict:
    if max(0.0, lower.bound) > claim.level:
        return "violated"
    return "inconclusive" if _untested(claim, lower, upper) else "consistent"


def _sentence(found: AuditResult) -> str:
    symbol, level = found.claim.symbol, f"(claimed {found.claim.level:.4g})"
    exact = found.engine == "exact"
    sure = "exactly" if exact else f"at confidence {found.confidence:g}"
    shown = f"{symbol} >= {found.lower_bound:.4g} {sure}"
    if found.verdict == "violated":
        return f"violates its claim: {shown} {level}"
    if not found.complete:
        return f"not finished: {shown} so far {level}"
    if found.verdict == "inconclusive":
        return f"inconclusive: no violation found; not tested: {'; '.join(found.untested)}; {shown}"
    none = "consistent: no violation found"
    if exact:
        return f"{none}; largest loss found {found.lower_bound:.4g} {level}"
    if found.power is None:
        return f"{none}; {shown} {level}"
    would = f"would have found {symbol} >= {found.power:.4g} with probability 0.9"
    if found.rarest is not None:
        share = f"{100.0 * found.rarest:.2g} %"
        would += f", {MULTIPLE * found.claim.level:.4g} in events of {share} of the runs or more"
    return f"{none}; {would}; {shown} {level}"


def finite(value: float | None) -> float | None:
    """None for what JSON cannot say."""
    return None if value is None or not math.isfinite(value) else float(value)
