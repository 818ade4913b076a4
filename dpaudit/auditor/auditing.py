"""One audit: choose the engine, bound from below and from above, answer."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from dpaudit import __version__
from dpaudit.auditor.black_box import BlackBox, sequence_event, value_event
from dpaudit.auditor.exact_noisy_max import exact_lower
from dpaudit.auditor.pairs import candidates
from dpaudit.auditor.results import (
    AuditResult,
    Claimed,
    Lower,
    Spending,
    Upper,
    check_confidence,
    claimed,
)
from dpaudit.auditor.sampling import AlgorithmSampler, LearnerSampler, MechanismSampler
from dpaudit.auditor.targets import Target, resolve_target
from dpaudit.auditor.two_world import TwoWorlds, stream
from dpaudit.auditor.upper import Accounting
from dpaudit.contract import Algorithm
from dpaudit.errors import UsageError, check_count, check_number
from dpaudit.running.blocks import check_workers
from dpaudit.running.plays import check_epsilon

Engine = Literal["auto", "exact", "two-world", "black-box"]
ENGINES = ("auto", "exact", "two-world", "black-box")
DEFAULT_RUNS = {"two-world": 2_000_000, "black-box": 2_000_000, "learner": 100_000}
MOST_PAIRS = {"black-box": 48, "learner": 32}
"""How many candidate pairs enter the race of the black-box engine."""
Progress = Callable[[int, int], None]


def audit(
    target: Any,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    claim: Claimed | None = None,
    arms: int = 2,
    rounds: int = 12,
    engine: Engine = "auto",
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
    """
    began = time.monotonic()
    subject = resolve_target(target)
    claim = _claim(claim, epsilon, delta)
    arms, rounds = check_count("arms", arms, 1, 1024), check_count("rounds", rounds, 1, 10**6)
    if engine not in ENGINES:
        raise UsageError(f"engine: got {engine!r}, allowed is one of {', '.join(ENGINES)}")
    if runs is not None:
        runs = check_count("runs", runs, 100)
    if seconds is not None:
        seconds = check_number("seconds", seconds, 0.0, math.inf, low_open=True)
    spending = Spending(1.0 - check_confidence(confidence))
    job = _Job(
        subject, claim, epsilon, arms, rounds, runs, seconds, seed, check_workers(workers),
        parameters, spending, progress,
    )  # fmt: skip
    upper = job.upper()
    chosen, why = job.engine(engine, upper)
    lower, notes = job.lower(chosen)
    return AuditResult(
        target=subject.name,
        claim=claim,
        lower=lower,
        upper=upper,
        engine=chosen,
        why=why,
        confidence=confidence,
        spent=tuple(spending.entries),
        seconds=time.monotonic() - began,
        seed=seed,
        version=__version__,
        arms=arms,
        rounds=rounds,
        parameters=dict(parameters),
        notes=notes,
    )


def _claim(claim: Claimed | None, epsilon: float | None, delta: float) -> Claimed:
    if claim is not None:
        return claim
    if epsilon is None:
        raise UsageError("epsilon: none given, allowed is a number in (0, inf)")
    return claimed(epsilon, delta)


def audit_mechanism(
    sample: Callable[[Any, int, np.random.Generator], Any],
    x: Any,
    x_neighbour: Any,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    claim: Claimed | None = None,
    runs: int = 1_000_000,
    confidence: float = 0.999,
    seed: int = 0,
    progress: Progress | None = None,
) -> AuditResult:
    """Audit any mechanism on one pair of neighbouring inputs.

    `sample(data, n, rng)` returns n outputs: numbers, vectors or labels, one a row. `runs` is the
    number of outputs for each of the two inputs; a fifth of them chooses the event.
    """
    began = time.monotonic()
    if not callable(sample):
        raise UsageError(f"sample: got {sample!r}, allowed is a function of (data, n, rng)")
    claim = _claim(claim, epsilon, delta)
    spending = Spending(1.0 - check_confidence(confidence))
    alpha = spending.spend("the chosen event, both bounds", spending.left)
    name = getattr(sample, "__qualname__", repr(sample))
    engine = BlackBox(MechanismSampler(sample, name, seed), claim, value_event)
    pair = (x, x_neighbour)
    lower = engine.lower([pair], 2 * check_count("runs", runs, 100), alpha, None, progress)
    return AuditResult(
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


class _Job:
    """The parts of one audit, with everything they need."""

    def __init__(
        self,
        subject: Target,
        claim: Claimed,
        epsilon: float | None,
        arms: int,
        rounds: int,
        runs: int | None,
        seconds: float | None,
        seed: int,
        workers: int,
        parameters: dict[str, Any],
        spending: Spending,
        progress: Progress | None,
    ) -> None:
        self.subject, self.claim, self.arms, self.rounds = subject, claim, arms, rounds
        self.runs, self.seconds, self.seed, self.workers = runs, seconds, seed, workers
        self.parameters, self.spending, self.progress = parameters, spending, progress
        self.epsilon = epsilon
        self.settings = {"epsilon": epsilon, **parameters}
        if subject.algorithm is not None:
            check_epsilon(subject.algorithm, epsilon)
            subject.algorithm.settings(arms=arms, epsilon=epsilon, horizon=rounds, given=parameters)
        elif parameters:
            raise UsageError(f"{next(iter(parameters))}: {subject.name} is not in the catalogue")

    def upper(self) -> Upper | None:
        """From the accountant; None for what is not in the catalogue."""
        algorithm = self.subject.algorithm
        if algorithm is None:
            return None
        accounting = Accounting(
            algorithm, self.claim, self.arms, self.rounds, self.settings, self.workers
        )
        return accounting.upper()

    def engine(self, asked: Engine, upper: Upper | None) -> tuple[str, str]:
        """The engine and why it was taken."""
        algorithm = self.subject.algorithm
        family = "" if algorithm is None else algorithm.family
        leaks = upper is not None and math.isinf(upper.bound) and upper.proof
        if asked == "exact" and family != "report-noisy-max":
            raise UsageError(f"engine: the exact engine does not cover {self.subject.name}")
        if asked == "two-world" and algorithm is None:
            raise UsageError(
                f"engine: two-world is for the catalogue; {self.subject.name} has outputs only"
            )
        if asked == "two-world" and leaks and upper is not None:
            raise UsageError(f"engine: two-world needs releases that book a loss; {upper.how}")
        if asked != "auto":
            return asked, "asked for"
        if family == "report-noisy-max":
            return "exact", "the output distribution is computed"
        if algorithm is None:
            return "black-box", "outputs are all that is seen"
        if leaks and upper is not None:
            return "black-box", upper.how
        return "two-world", "every run carries its exact privacy loss"

    def lower(self, engine: str) -> tuple[Lower, tuple[str, ...]]:
        """By the chosen engine."""
        algorithm = self.subject.algorithm
        if engine == "exact":
            if algorithm is None:
                raise AssertionError("exact engine without an algorithm")
            settings = algorithm.settings(
                arms=self.arms, epsilon=self.epsilon, horizon=self.rounds, given=self.parameters
            )
            own = algorithm.fresh(settings)[1][0]
            lower, how = exact_lower(algorithm, self.claim, self.arms, self.rounds, own)
            return lower, (f"maximised over {how}; the value is certified by ball arithmetic",)
        alpha = self.spending.spend("the chosen event, both bounds", self.spending.left)
        if engine == "two-world":
            if algorithm is None:
                raise AssertionError("two-world engine without an algorithm")
            worlds = TwoWorlds(
                algorithm, self.claim, self.arms, self.rounds, self.settings, self.seed,
                self.workers,
            )  # fmt: skip
            runs = self.runs or DEFAULT_RUNS["two-world"]
            return worlds.lower(runs, self.seconds, alpha, self.progress), ()
        return self._black_box(algorithm, alpha), ()

    def _black_box(self, algorithm: Algorithm | None, alpha: float) -> Lower:
        pairs = list(candidates(self.rounds, self.arms, 8))
        kind = "black-box" if algorithm is not None else "learner"
        if len(pairs) > MOST_PAIRS[kind]:
            # At random: a regular step would meet the same direction of change again and again.
            order = np.random.default_rng(stream(self.seed, 10)).permutation(len(pairs))
            pairs = [pairs[i] for i in sorted(order[: MOST_PAIRS[kind]])]
        sampler: AlgorithmSampler | LearnerSampler
        if algorithm is not None:
            sampler = AlgorithmSampler(algorithm, self.settings, self.seed, self.workers)
        else:
            if self.subject.factory is None:
                raise AssertionError("nothing to sample")
            level = self.epsilon if self.epsilon is not None else self.claim.level
            sampler = LearnerSampler(
                self.subject.factory, self.subject.name, level, self.seed, self.workers
            )
            sampler.check_reproducible(pairs[0])
        runs = self.runs or DEFAULT_RUNS[kind]
        deadline = None
        if self.seconds is not None:
            began = time.monotonic()
            sampler.sample(pairs[0], 0, 500, 8)
            each = max((time.monotonic() - began) / 500, 1e-8)
            runs = max(2000, int(0.8 * self.seconds / each))
            deadline = began + self.seconds
        engine = BlackBox(sampler, self.claim, sequence_event)
        return engine.lower(pairs, runs, alpha, deadline, self.progress)
