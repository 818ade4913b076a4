"""The gate for CI: reject "epsilon is at most the claim" as soon as it is certain, at any time.

An event is chosen on a small sample; then pairs of runs, one from each world, are bet on. Under
the claim P'(S) <= e^epsilon P(S), so a stake on 1{S'} - e^epsilon 1{S} cannot grow in expectation,
and by Ville's inequality wealth 1/alpha refutes the claim whenever it is reached. If the bets come
to nothing, a larger sample chooses again; the k-th gate spends alpha / 2^k.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpaudit.auditor.engines.black_box.engine import (
    as_pair,
    sequence_event,
)
from dpaudit.auditor.engines.black_box.events import Drawn, ScoreEvent, choose
from dpaudit.auditor.engines.black_box.search.learners import (
    ONE_PAIR,
    prepared,
    searched,
    untested_of,
)
from dpaudit.auditor.engines.black_box.search.means import no_time
from dpaudit.auditor.engines.black_box.tasks import outcomes
from dpaudit.auditor.kinds.views import about_features
from dpaudit.auditor.samples import Evaluation, Selection
from dpaudit.auditor.statistics import Alpha
from dpaudit.errors import UsageError
from dpaudit.results.audit import Event, Guarantee, Lower
from dpaudit.run.pools import OutOfTime
from dpaudit.run.runner import current

if TYPE_CHECKING:
    from dpaudit.auditor.auditing import Request

FIRST_SELECTION = 300
"""Pairs that choose the first event."""
GROWTH = 4
"""Each gate selects on so many times more pairs, and bets on up to so many times its selection."""
STEP = 100
"""Pairs that are drawn at a time."""


Draw = Callable[[int, int, int], tuple[np.ndarray, np.ndarray]]
Counts = tuple[int, int, int]
"""How often the event happened in the likelier world only, in the other only, in both."""
Bets = Callable[[int, ScoreEvent, int], Iterator[Counts]]
"""(gate, event, how many blocks) -> the counts of each."""


def _drawing(draw: Draw) -> Bets:
    """Bets on what `draw` gives."""

    def bets(level: int, event: ScoreEvent, steps: int) -> Iterator[Counts]:
        for number in range(steps):
            yield outcomes(Evaluation(draw(level, 1 + number, STEP)), event)

    return bets


@dataclass(frozen=True)
class Opened:
    """What the gates found: whether the claim was refuted, on which event, after how many pairs."""

    refuted: bool
    event: ScoreEvent
    wealth: float
    pairs: int
    hits: int
    base_hits: int
    bets: int
    spent: tuple[float, ...]


def best_stake(p: float, q: float, ratio: float) -> float:
    """The stake in [0, 1/ratio] that grows fastest if the event has probabilities p and q."""
    outcomes = np.array([1.0, -ratio, 1.0 - ratio])
    chances = np.array([p * (1 - q), q * (1 - p), p * q])
    stakes = np.linspace(0.0, 0.98 / ratio, 100)
    growth = np.log1p(stakes[:, None] * outcomes) @ chances
    return float(stakes[int(np.argmax(growth))])


def gate(
    draw: Draw,
    claim: Guarantee,
    alpha: Alpha,
    limit: int,
    bets_on: Bets | None = None,
    names: Sequence[str] = (),
) -> Opened:
    """Open gates until one refutes the claim or `limit` pairs have been drawn.

    `draw(stage, number, n)` gives n outputs of each world, fresh for each (stage, number). Whether
    the claim is refuted is asked after every block of bets, in the order of the blocks.
    """
    ratio = math.exp(claim.level)
    drawn, size, spent = 0, FIRST_SELECTION, []
    level, refuted = 0, False
    while not refuted and (drawn + size + STEP <= limit or level == 0):
        level += 1
        part = alpha.take(alpha.value / 2.0**level)
        spent.append(part.value)
        sample = draw(level, 0, size)
        drawn += size
        event = choose(Selection(sample), claim, GROWTH * size, part.value, names)
        likely, base = (sample[0], sample[1]) if event.swapped else (sample[1], sample[0])
        p = (event.happened(likely).sum() + 0.5) / (size + 1.0)
        q = (event.happened(base).sum() + 0.5) / (size + 1.0)
        stake = best_stake(float(p), float(q), ratio)
        wealth, best, hits, base_hits, bets = 0.0, 0.0, 0, 0, 0
        steps = min(GROWTH * size, limit - drawn) // STEP if stake > 0.0 else 0
        goal = math.log(1.0 / part.spend())
        gains = np.log1p(stake * np.array([1.0, -ratio, 1.0 - ratio]))
        for counts in (bets_on or _drawing(draw))(level, event, steps):
            wealth += float(gains @ counts)
            best = max(best, wealth)
            hits, base_hits = hits + counts[0] + counts[2], base_hits + counts[1] + counts[2]
            bets, drawn = bets + STEP, drawn + STEP
            refuted = best >= goal
            if refuted:
                break
        size *= GROWTH
    return Opened(refuted, event, best, drawn, hits, base_hits, bets, tuple(spent))


def gated(request: Request, alpha: Alpha) -> tuple[Lower, str]:
    """The gate's answer, and when it came: it stops as soon as the claim is refuted."""
    claim = request.claim
    if claim.notion != "pure":
        raise UsageError(f"gate: it bets on pure claims, and this one is {claim}")
    part = alpha.rest("gates, alpha/2 for the first, and so on")
    try:
        return _gated(request, part)
    except OutOfTime as late:
        return no_time(request, str(late)), "no gate was opened"
    finally:
        current(request.workers).limit = None


def _gated(request: Request, part: Alpha) -> tuple[Lower, str]:
    claim = request.claim
    engine, means, notes = prepared(request)
    search = searched(request, engine, means, part.value)
    pair = request.pair if request.pair is not None else search.pair()
    names = engine.sampler.names(pair)
    left = (means.purse - search.paid) / means.prices.of(pair.shape[0])
    limit = max(4000, int(left)) // 2

    def draw(stage: int, number: int, n: int) -> Drawn:
        return engine.drawn(pair, n, 15, stage, number)

    def bets(level: int, event: ScoreEvent, steps: int) -> Iterator[Counts]:
        return engine.bets(pair, event, level, STEP, steps)

    opened = gate(draw, claim, part, limit, bets, names)
    event = opened.event
    outputs = draw(99, 0, 500)[0 if event.swapped else 1]
    words = sequence_event(event, outputs)
    if names:
        words = Event(about_features(event.text, names, outputs[event.happened(outputs)]))
    dependent = engine.independence.complaint()
    untested = () if dependent is None else (f"runs are not independent: {dependent}",)
    refuted = opened.refuted and dependent is None
    lower = Lower(
        bound=math.nextafter(claim.level, math.inf) if refuted else 0.0,
        pair=as_pair(pair, event, words),
        event=words,
        runs=search.spent + 2 * opened.pairs,
        estimate=math.log(max(opened.hits, 0.5) / max(opened.base_hits, 0.5)),
        budget=means.budget,
        searched=f"{search.tried} pairs tried" if request.pair is None else ONE_PAIR,
        notes=notes,
        untested=(*untested, *untested_of(request, engine, search)),
    )
    if refuted:
        return lower, f"the gate refuted the claim after {opened.pairs} pairs of runs"
    return lower, f"no gate refuted the claim within {opened.pairs} pairs of runs"
