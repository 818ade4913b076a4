"""One audit: choose the engine, bound from below and from above, answer."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from dpaudit import __version__
from dpaudit.auditor.engines.black_box.engine import BlackBox, value_event
from dpaudit.auditor.engines.black_box.sampling import MechanismSampler
from dpaudit.auditor.job import ENGINES, Job, Progress
from dpaudit.auditor.search.adversaries import Adversary, find_adversary
from dpaudit.errors import UsageError, check_count, check_number
from dpaudit.play.targets import resolve_target
from dpaudit.results.audit import (
    AuditResult,
    Event,
    Guarantee,
    Lower,
    Spending,
    check_confidence,
    guarantee,
)
from dpaudit.run.block import check_workers


def audit(
    target: Any,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    claim: Guarantee | None = None,
    arms: int = 2,
    rounds: int = 12,
    engine: str = "auto",
    gate: bool = False,
    adversary: str | Adversary | None = None,
    runs: int | None = None,
    seconds: float | None = None,
    confidence: float = 0.999,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress | None = None,
    **parameters: Any,
) -> AuditResult:
    """Audit a learner: a catalogue name, a learner class, `module:Class` or `file.py:Class`.

    `epsilon` and `delta` are the claim and what the learner is run with; `claim` audits another
    claim (or GDP). The answer holds at `confidence` as a whole: pair, direction and event are
    chosen on samples that the bound does not use.

    `gate` only answers whether the claim is refuted, and stops as soon as it is certain.
    `adversary` (a built-in name or a function) chooses the rewards after seeing the actions.
    """
    began = time.monotonic()
    subject = resolve_target(target)
    claim = _claim(claim, epsilon, delta)
    if engine not in ENGINES:
        raise UsageError(f"engine: got {engine!r}, allowed is one of {', '.join(ENGINES)}")
    if gate and engine not in ("auto", "black-box"):
        raise UsageError(f"engine: got {engine!r}, the gate is black-box")
    spending = Spending(1.0 - check_confidence(confidence))
    job = Job(
        subject=subject,
        claim=claim,
        epsilon=epsilon,
        arms=check_count("arms", arms, 1, 1024),
        rounds=check_count("rounds", rounds, 1, 10**6),
        runs=None if runs is None else check_count("runs", runs, 100),
        seconds=None
        if seconds is None
        else check_number("seconds", seconds, 0.0, math.inf, low_open=True),
        seed=check_count("seed", seed, 0),
        workers=check_workers(workers),
        parameters=parameters,
        spending=spending,
        progress=progress,
        adversary=None if adversary is None else find_adversary(adversary),
    )
    job.bind(engine, gate=gate, confidence=confidence)
    upper = None if gate else job.upper()
    chosen, why = (
        ("gate", "to stop as soon as it is certain") if gate else job.engine(engine, upper)
    )
    per_step: Lower | None = None
    notes: tuple[str, ...] = ()
    try:
        if chosen == "gate":
            lower, note = job.gated()
            notes = (note,)
        elif chosen == "exact":
            lower, how = job.exact()
            notes = (f"maximised over {how}; the value is certified by ball arithmetic",)
        elif chosen == "two-world":
            lower, per_step = job.two_world()
        else:
            lower = job.black_box()
            if adversary is not None:
                notes = ("the tables are what is played along the first sequence of the event",)
    except KeyboardInterrupt:
        words = Event("interrupted before an event was bounded")
        lower = Lower(0.0, None, words, 0, 0.0, complete=False)
    return AuditResult.of(
        target=subject.name,
        claim=claim,
        lower=lower,
        upper=upper,
        engine=chosen,
        why=why,
        confidence=confidence,
        spent=tuple(spending.entries),
        seconds=time.monotonic() - began,
        seed=job.seed,
        version=__version__,
        arms=job.arms,
        rounds=job.rounds,
        parameters=dict(parameters),
        notes=notes,
        per_step=per_step,
        adversary=None if adversary is None else getattr(adversary, "__name__", str(adversary)),
    )


def _claim(claim: Guarantee | None, epsilon: float | None, delta: float) -> Guarantee:
    if claim is not None:
        return claim
    if epsilon is None:
        raise UsageError("epsilon: none given, allowed is a number in (0, inf)")
    return guarantee(epsilon, delta)


def audit_mechanism(
    sample: Callable[[Any, int, np.random.Generator], Any],
    x: Any,
    x_neighbour: Any,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    claim: Guarantee | None = None,
    runs: int = 1_000_000,
    confidence: float = 0.999,
    seed: int = 0,
    workers: int | None = 1,
    progress: Progress | None = None,
) -> AuditResult:
    """Audit any mechanism on one pair of neighbouring inputs.

    `sample(data, n, rng)` returns n outputs: numbers, vectors or labels, one a row. `runs` is the
    number of outputs for each of the two inputs; at most a quarter of them chooses the event.
    More `workers` than one are copies of this process; None is one a core.
    """
    began = time.monotonic()
    if not callable(sample):
        raise UsageError(f"sample: got {sample!r}, allowed is a function of (data, n, rng)")
    claim = _claim(claim, epsilon, delta)
    spending = Spending(1.0 - check_confidence(confidence))
    alpha = spending.spend("the chosen event, both bounds", spending.left)
    name = getattr(sample, "__qualname__", repr(sample))
    sampler = MechanismSampler(sample, name, seed)
    engine = BlackBox(sampler, claim, value_event, seed, workers=check_workers(workers))
    pair = (x, x_neighbour)
    lower = engine.lower([pair], 2 * check_count("runs", runs, 100), alpha, None, progress)
    return AuditResult.of(
        target=name,
        claim=claim,
        lower=lower,
        upper=None,
        engine="black-box",
        why="outputs are all that is seen",
        confidence=confidence,
        spent=tuple(spending.entries),
        seconds=time.monotonic() - began,
        seed=seed,
        version=__version__,
    )
