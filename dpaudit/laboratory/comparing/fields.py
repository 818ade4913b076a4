"""What is said of learners on one instance, and on all of them: order, lower bounds, privacy."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.laboratory.comparing.duels import Runs, fight, ranks, record
from dpaudit.laboratory.lower_bounds import LowerBound, lower_bounds, yardstick
from dpaudit.laboratory.lower_bounds.known_privacy import privacy_of
from dpaudit.laboratory.tally import BINS_PER_DOUBLING, Tally
from dpaudit.play.catalogue import Target
from dpaudit.results.comparison import (
    Duel,
    Feedback,
    Field,
    Floor,
    Instance,
    Least,
    Overall,
    Standing,
)
from dpaudit.results.regret import RegretResult

WIDE = 2.0 ** np.linspace(-4.0, 4.0, 17)
"""Multiples of an instance's epsilon at which the lower bound is given."""


@dataclass(frozen=True)
class Entrant:
    """A learner under the name that it has here, and its place."""

    name: str
    subject: Target
    place: int

    @property
    def feedback(self) -> Feedback:
        algorithm = self.subject.algorithm
        if algorithm is not None:
            return algorithm.card.feedback
        found: Feedback = getattr(self.subject.factory, "feedback", "bandit")
        return found

    @property
    def on_losses(self) -> bool:
        algorithm = self.subject.algorithm
        return algorithm is not None and algorithm.card.payoff == "losses"


@dataclass(frozen=True)
class Played:
    """What came of an entrant on an instance."""

    who: Entrant
    result: RegretResult
    tally: Tally

    @property
    def runs(self) -> Runs:
        """At the last horizon."""
        return Runs(self.tally.places, self.tally.counts)


def kinds(entrants: Sequence[Entrant]) -> list[Feedback]:
    return list(dict.fromkeys(each.feedback for each in entrants))


def field_of(
    instance: Instance, kind: Feedback, played: Sequence[Played], horizon: int, alpha: float
) -> Field:
    duels = fight([p.runs for p in played], [p.tally.neglected for p in played], alpha)
    places = ranks(len(played), duels)
    standings = [
        _standing(p, place, instance, kind, horizon)
        for p, place in zip(played, places, strict=True)
    ]
    asked = _bounds(instance, kind, horizon, instance.epsilon)
    return Field(
        instance=instance,
        feedback=kind,
        standings=standings,
        duels=duels,
        floors=[_floor(b) for b in asked],
        least=_least(instance, kind, horizon),
        notes=_contrary(standings, duels),
    )


def _contrary(standings: Sequence[Standing], duels: Sequence[Duel]) -> list[str]:
    """Who is certainly better in most runs and, by the bands of the means, worse on average."""
    found: dict[str, list[str]] = {}
    for d in duels:
        winner, loser = (d.first, d.second) if d.chance > 0.5 else (d.second, d.first)
        certain = d.low > 0.5 or d.high < 0.5
        if certain and standings[winner].low > standings[loser].high:
            found.setdefault(standings[winner].name, []).append(standings[loser].name)
    return [
        f"{name} is better than {', '.join(others)} in most runs, and worse on average"
        for name, others in found.items()
    ]


def _standing(
    p: Played, place: tuple[int, int], instance: Instance, kind: Feedback, horizon: int
) -> Standing:
    result = p.result
    quantiles = {level: v[-1] for level, v in (result.quantiles or {}).items()}
    privacy = privacy_of(
        p.who.subject, epsilon=instance.epsilon, arms=len(instance.means), horizon=horizon
    )
    bounds = _bounds(instance, kind, horizon, privacy.held)
    best = yardstick(bounds)
    notes = [note for note in result.notes if "leaps" in note]
    # A quantile is known to its bin: all runs may be alike, and the mean at the bin's upper end.
    if result.mean[-1] > 2.0 ** (1.0 / BINS_PER_DOUBLING) * quantiles.get("0.95", math.inf):
        notes.append("95 of 100 runs have less regret than the mean: rare runs carry it")
    return Standing(
        name=p.who.name,
        mean=float(result.mean[-1]),
        low=float(result.low[-1]),
        high=float(result.high[-1]),
        quantiles=quantiles,
        runs=result.runs,
        seed=result.seed,
        ranks=place,
        privacy=privacy,
        floor=None if best is None else _floor(best),
        seconds=round(result.seconds, 3),
        notes=notes,
    )


def _bounds(
    instance: Instance, kind: Feedback, horizon: int, epsilon: float | None
) -> list[LowerBound]:
    about: dict[str, Any] = {"feedback": kind, "environment": instance.environment}
    return lower_bounds(instance.means, [horizon], epsilon=epsilon, **about)


def _floor(bound: LowerBound) -> Floor:
    return Floor(
        name=bound.name,
        source=bound.source,
        whom=bound.whom,
        regret=float(bound.values[-1]),
        asymptotic=bound.asymptotic,
        recalled=bound.recalled,
    )


def _least(instance: Instance, kind: Feedback, horizon: int) -> Least | None:
    if instance.epsilon is None:
        return None
    epsilons = [float(e) for e in instance.epsilon * WIDE]
    found = [yardstick(_bounds(instance, kind, horizon, e)) for e in epsilons]
    if any(bound is None for bound in found):
        return None
    sure = [bound for bound in found if bound is not None]
    names = dict.fromkeys(bound.name for bound in sure)
    return Least(
        name=" or ".join(names),
        asymptotic=sure[-1].asymptotic,
        epsilons=epsilons,
        regret=[float(bound.values[-1]) for bound in sure],
    )


def overall(kind: Feedback, fields: Sequence[Field]) -> list[Overall]:
    """Those that stand on every instance."""
    own = [f for f in fields if f.feedback == kind]
    names = [s.name for s in own[0].standings] if own else []
    found = []
    for name in names:
        placed = [(f, [s.name for s in f.standings]) for f in own]
        if not all(name in present for _, present in placed):
            continue
        seen = [(f, present.index(name)) for f, present in placed]
        records = [record(i, f.duels) for f, i in seen]
        logs = [math.log(_median(f, i) / min(map(_of(f), range(len(f.standings)))))
                for f, i in seen]  # fmt: skip
        count = len(seen)
        found.append(
            Overall(
                name=name,
                feedback=kind,
                instances=count,
                ranks=(
                    sum(f.standings[i].ranks[0] for f, i in seen) / count,
                    sum(f.standings[i].ranks[1] for f, i in seen) / count,
                ),
                won=sum(won for won, _ in records),
                lost=sum(lost for _, lost in records),
                times_best=math.exp(sum(logs) / count),
            )
        )
    return found


def _of(one: Field) -> Callable[[int], float]:
    return lambda i: _median(one, i)


def _median(one: Field, place: int) -> float:
    """At least the smallest gap: a learner that never errs in most runs is no infinity better."""
    down = sorted(one.instance.means, reverse=True)
    gap = next((down[0] - x for x in down if x < down[0]), 1.0)
    return max(one.standings[place].quantiles["0.5"], gap)


def remarks(entrants: Sequence[Entrant], fields: Sequence[Field]) -> list[str]:
    notes = []
    if len(kinds(entrants)) > 1:
        notes.append(
            "learners with full information see all rewards: they are in tables of their own, and "
            "not compared with bandits"
        )
    if any(s.floor is not None and s.floor.asymptotic for f in fields for s in f.standings):
        notes.append(
            "asymptotic lower bounds are a rate times ln T, without the terms that vanish beside "
            "it: at this horizon regret may lie below"
        )
    below = [
        f"{s.name} on {f.instance.name}"
        for f in fields
        for s in f.standings
        if s.floor is not None and not s.floor.asymptotic and s.mean < s.floor.regret
    ]
    if below:
        notes.append(
            f"mean below a bound that holds at every horizon: {', '.join(below)}; the bound is of "
            "the worst labelling of the arms, and who favours this one, by its ties, may lie below"
        )
    if any(s.privacy.notion not in ("pure", "unknown") for f in fields for s in f.standings):
        notes.append("not all learners are private by the same notion: who is not pays less for it")
    return notes
