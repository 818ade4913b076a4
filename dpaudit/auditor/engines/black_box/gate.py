"""The gate for CI: reject "the level is at most the claimed one" as soon as it is certain, at any
time.

An event is chosen on a small sample; then pairs of runs, one from each world, are bet on. Under
the claim P'(S) <= slope P(S) + delta, for e^epsilon and 0 or for other lines (`kinds.lines`), so a
stake on 1{S'} - slope 1{S} - delta cannot grow in expectation. By Ville's inequality wealth 1/alpha
refutes the claim whenever it is reached; where a claim has several lines, a mean of their wealths
does. If the bets come to nothing, a larger sample chooses again; the k-th gate spends alpha / 2^k.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpaudit.auditor.engines.black_box.engine import as_pair, sequence_event
from dpaudit.auditor.engines.black_box.events import Drawn, ScoreEvent, choose
from dpaudit.auditor.engines.black_box.scoring.power import estimate, likeliest
from dpaudit.auditor.engines.black_box.search.learners import (
    ONE_PAIR,
    prepared,
    searched,
    untested_of,
)
from dpaudit.auditor.engines.black_box.search.means import no_time
from dpaudit.auditor.engines.black_box.tasks import outcomes
from dpaudit.auditor.kinds.lines import Line, lines
from dpaudit.auditor.kinds.views import about_features
from dpaudit.auditor.samples import Evaluation, Selection
from dpaudit.auditor.statistics import Alpha
from dpaudit.results.audit import Guarantee
from dpaudit.results.found import Event, Floats, Lower
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
UNLUCKY = 1.6449
"""Of the normal law, the 5 % quantile: as much again is left for stakes that a small sample set."""
LEVELS = 60
"""Levels, from the claimed one on, of which the smallest that would have been refuted is told."""


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
    room: tuple[int, ...]
    """How many pairs each gate could have bet on."""

    def shown(self, claim: Guarantee) -> float:
        """The level that the counts of the bets show, in the claim's terms."""
        if claim.notion == "pure":
            return math.log(max(self.hits, 0.5) / max(self.base_hits, 0.5))
        return estimate(self.hits, self.base_hits, max(self.bets, 1), claim)


def payoffs(line: Line) -> Floats:
    """What a stake of 1 pays where the event happens in the likelier world only, in the other
    only, in both, in none."""
    return np.array([1.0, -line.slope, 1.0 - line.slope, 0.0]) - line.delta


def best_stake(p: float, q: float, line: Line) -> float:
    """The stake that grows fastest if the event has probabilities p and q, of those that no pair
    of runs loses."""
    chances = np.array([p * (1 - q), q * (1 - p), p * q, (1 - p) * (1 - q)])
    stakes = np.linspace(0.0, 0.98 / (line.slope + line.delta), 100)
    growth = np.log1p(stakes[:, None] * payoffs(line)) @ chances
    return float(stakes[int(np.argmax(growth))])


class Bettor:
    """Bets on an event against lines, with stakes that are fixed beforehand: the logarithm of the
    mean wealth starts at 0."""

    def __init__(self, against: Sequence[Line], p: float, q: float) -> None:
        staked = [(line, best_stake(p, q, line)) for line in against]
        self.bets = any(stake > 0.0 for _, stake in staked)
        kept = [(line, stake) for line, stake in staked if stake > 0.0 or not self.bets]
        self.gains = np.array([np.log1p(stake * payoffs(line)) for line, stake in kept])
        self.wealths = np.zeros(len(kept))

    def paid(self, counts: Counts, pairs: int) -> float:
        """The wealth after so many more pairs, of which `counts` hit."""
        self.wealths += self.gains @ np.array([*counts, pairs - sum(counts)])
        return float(np.logaddexp.reduce(self.wealths)) - math.log(len(self.wealths))


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
    drawn, size = 0, FIRST_SELECTION
    spent: list[float] = []
    room: list[int] = []
    level, refuted = 0, False
    while not refuted and (drawn + size + STEP <= limit or level == 0):
        level += 1
        part = alpha.take(alpha.value / 2.0**level)
        spent.append(part.value)
        sample = draw(level, 0, size)
        drawn += size
        ahead = GROWTH * size, part.value
        # An event that shows less than is claimed may have a bound, and is nothing to bet on.
        betting = claim.notion == "approximate"
        event = choose(Selection(sample), claim, *ahead, names, betting=betting)
        likely, base = (sample[0], sample[1]) if event.swapped else (sample[1], sample[0])
        p = (event.happened(likely).sum() + 0.5) / (size + 1.0)
        q = (event.happened(base).sum() + 0.5) / (size + 1.0)
        bettor = Bettor(lines(claim, float(q)), float(p), float(q))
        best, hits, base_hits, bets = 0.0, 0, 0, 0
        room.append(min(GROWTH * size, limit - drawn) // STEP * STEP)
        steps = room[-1] // STEP if bettor.bets else 0
        goal = math.log(1.0 / part.spend())
        for counts in (bets_on or _drawing(draw))(level, event, steps):
            best = max(best, bettor.paid(counts, STEP))
            hits, base_hits = hits + counts[0] + counts[2], base_hits + counts[1] + counts[2]
            bets, drawn = bets + STEP, drawn + STEP
            refuted = best >= goal
            if refuted:
                break
        size *= GROWTH
    counted = hits, base_hits, bets, tuple(spent), tuple(room)
    return Opened(refuted, event, best, drawn, *counted)


def power(opened: Opened, claim: Guarantee) -> float:
    """The smallest true level that one of the gates would have refuted with probability 0.9, by
    the last event or another one that was searched, had it been chosen."""
    shares = {*opened.event.searched, *(1.0 - share for share in opened.event.searched)}
    if opened.bets:
        shares |= {max(opened.base_hits, 1) / opened.bets}
    against = {q: lines(claim, q) for q in sorted(shares) if 0.0 < q < 1.0}
    for level in claim.level * np.geomspace(1.0, 1.0 + 12.0 / claim.level, LEVELS)[1:]:
        for q, known in against.items():
            p = likeliest(float(level), q, claim)
            if p <= 1.0 and _refutes(Bettor(known, p, q), p, q, opened):
                return float(level)
    return math.inf


def _refutes(bettor: Bettor, p: float, q: float, opened: Opened) -> bool:
    """Whether the wealth of an unlucky gate is still what refutes."""
    if not bettor.bets:
        return False
    chances = np.array([p * (1 - q), q * (1 - p), p * q, (1 - p) * (1 - q)])
    mean = bettor.gains @ chances
    spread = np.sqrt(np.maximum(bettor.gains**2 @ chances - mean**2, 0.0))
    for alpha, pairs in zip(opened.spent, opened.room, strict=True):
        unlucky = pairs * mean - UNLUCKY * np.sqrt(pairs) * spread
        if unlucky.max() - math.log(len(mean)) >= math.log(1.0 / alpha):
            return True
    return False


def gated(request: Request, alpha: Alpha) -> tuple[Lower, str]:
    """The gate's answer, and when it came: it stops as soon as the claim is refuted."""
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
        estimate=opened.shown(claim),
        power=None if refuted else power(opened, claim),
        budget=means.budget,
        searched=f"{search.tried} pairs tried" if request.pair is None else ONE_PAIR,
        notes=notes,
        untested=(*untested, *untested_of(request, engine, search)),
    )
    if refuted:
        return lower, f"the gate refuted the claim after {opened.pairs} pairs of runs"
    return lower, f"no gate refuted the claim within {opened.pairs} pairs of runs"
