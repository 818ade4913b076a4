"""Bounds from a learner's outputs alone: the black-box engine, and the gate.

An audit hands over its request; these say which pairs are tried, how outputs are drawn and counted,
and how many runs fit into the time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.auditor.adversaries import adaptive_pairs
from dpaudit.auditor.engines.black_box.engine import CHUNK, BlackBox, as_pair, sequence_event
from dpaudit.auditor.engines.black_box.events import ScoreEvent
from dpaudit.auditor.engines.black_box.gate import STEP, Counts, gate
from dpaudit.auditor.engines.black_box.sampling import (
    REPEATS,
    AlgorithmSampler,
    LearnerSampler,
    learner_chunk,
)
from dpaudit.auditor.engines.black_box.scorers import Outputs
from dpaudit.auditor.search import candidates
from dpaudit.auditor.statistics import Alpha
from dpaudit.errors import UsageError
from dpaudit.play.catalogue import Target
from dpaudit.play.learner import SteppedClass
from dpaudit.results.audit import Event, Lower
from dpaudit.run.runner import current
from dpaudit.run.task import ROUNDS_IN_A_BLOCK, stream

if TYPE_CHECKING:
    from dpaudit.auditor.auditing import Request

MOST_PAIRS = 40
"""How many candidate pairs enter the race."""
ALGORITHM_RUNS, LEARNER_RUNS = 2_000_000, 200_000
"""Runs where neither their number nor a time is given: compiled steps, and a user's class."""


def black_box(request: Request, alpha: Alpha) -> Lower:
    """The black-box engine's answer."""
    alpha = alpha.rest("the chosen event, both bounds")
    pairs = _pairs(request)
    engine, runs, deadline = _engine(request, pairs[0])
    return engine.lower(pairs, runs, alpha, deadline, request.progress)


def gated(request: Request, alpha: Alpha) -> tuple[Lower, str]:
    """The gate's answer, and when it came: it stops as soon as the claim is refuted."""
    claim = request.claim
    if claim.notion != "pure":
        raise UsageError(f"gate: it bets on pure claims, and this one is {claim}")
    part = alpha.rest("gates, alpha/2 for the first, and so on")
    pairs = _pairs(request)
    engine, runs, _ = _engine(request, pairs[0])
    pair, spent = engine.race(pairs, min(runs // 4, 40_000), 2000, part.value)

    def draw(stage: int, number: int, n: int) -> tuple[Outputs, Outputs]:
        return engine.drawn(pair, n, 15, stage, number)

    def bets(level: int, event: ScoreEvent, steps: int) -> Iterator[Counts]:
        return engine.bets(pair, event, level, STEP, steps)

    opened = gate(draw, claim, part, max(2000, (runs - spent) // 2), bets)
    event, words, shown = opened.event, Event("no event"), None
    if event is not None:
        words = sequence_event(event, draw(99, 0, 500)[0 if event.swapped else 1])
        shown = as_pair(pair, event, words)
    lower = Lower(
        bound=math.nextafter(claim.level, math.inf) if opened.refuted else 0.0,
        pair=shown,
        event=words,
        runs=spent + 2 * opened.pairs,
        estimate=math.log(max(opened.hits, 0.5) / max(opened.base_hits, 0.5)),
        budget=runs,
    )
    if opened.refuted:
        return lower, f"the gate refuted the claim after {opened.pairs} pairs of runs"
    return lower, f"no gate refuted the claim within {opened.pairs} pairs of runs"


def _pairs(request: Request) -> Sequence[Any]:
    if request.adversary is not None:
        pairs: list[Any] = list(adaptive_pairs(request.adversary, request.rounds, request.arms))
    else:
        pairs = list(candidates(request.rounds, request.arms, 8))
    if len(pairs) > MOST_PAIRS:
        # At random: a regular step would meet the same direction of change again and again.
        order = np.random.default_rng(stream(request.seed, 10)).permutation(len(pairs))
        pairs = [pairs[i] for i in sorted(order[:MOST_PAIRS])]
    return pairs


def _sampler(request: Request) -> AlgorithmSampler | LearnerSampler:
    algorithm, epsilon = request.subject.algorithm, request.epsilon
    stepped: Target | SteppedClass = request.subject
    if algorithm is not None and request.adversary is None:
        return AlgorithmSampler(request.who, request.seed)
    if algorithm is not None:  # an adversary is asked round by round, so the steps are a learner's
        horizon = None if algorithm.card.anytime else request.rounds
        stepped = SteppedClass(algorithm, epsilon, horizon, request.parameters)
    level = request.claim.level if epsilon is None else epsilon
    return LearnerSampler(stepped, request.subject.name, level, request.seed)


def _engine(request: Request, pair: Any) -> tuple[BlackBox, int, float | None]:
    """The engine, runs in all, and when to stop."""
    sampler, seconds = _sampler(request), request.seconds
    cuts = request.subject.algorithm is None or request.subject.algorithm.card.anytime
    runner = current(request.workers)
    engine = BlackBox(sampler, request.claim, sequence_event, request.seed, runner, cuts)
    runs = request.runs or ALGORITHM_RUNS
    engine.chunk = max(1, min(CHUNK, 2 * ROUNDS_IN_A_BLOCK // request.rounds))
    if isinstance(sampler, LearnerSampler):
        runs, engine.chunk = request.runs or LEARNER_RUNS, learner_chunk(request.rounds)
        first, again = (np.hstack(engine.drawn(pair, REPEATS, 9)) for _ in range(2))
        for world in np.split(np.stack([first, again]), 2, axis=2):
            sampler.check_reproducible(*world)
    if seconds is None:
        return engine, runs, None
    began = time.monotonic()

    def affordable() -> int:
        engine.drawn(pair, 10, 8)  # which may compile
        start = time.monotonic()
        engine.drawn(pair, 500, 8, 1)
        each = max((time.monotonic() - start) / 1000, 1e-8) / engine.runner.at_a_time
        return max(2000, int(0.8 * seconds / each))

    return engine, engine.runner.decide("runs", [seconds], affordable), began + seconds
