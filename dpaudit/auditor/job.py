"""The parts of one audit of a learner: which engine, and what each engine needs."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.algorithm.contract import Algorithm
from dpaudit.auditor.engines.black_box.engine import CHUNK, BlackBox, as_pair, sequence_event
from dpaudit.auditor.engines.black_box.events import ScoreEvent
from dpaudit.auditor.engines.black_box.gate import STEP, Counts, gate
from dpaudit.auditor.engines.black_box.learner_sampling import (
    REPEATS,
    LearnerSampler,
    learner_chunk,
    stepped_factory,
)
from dpaudit.auditor.engines.black_box.sampling import AlgorithmSampler
from dpaudit.auditor.engines.black_box.scorers import Outputs
from dpaudit.auditor.engines.exact import lazy as exact_lazy
from dpaudit.auditor.engines.exact import noisy_max as exact_noisy_max
from dpaudit.auditor.engines.two_world.engine import TwoWorlds
from dpaudit.auditor.search.adversaries import Adversary, adaptive_pairs
from dpaudit.auditor.search.pairs import candidates
from dpaudit.auditor.upper.paths import Accounting
from dpaudit.errors import UsageError
from dpaudit.play.catalogue import described
from dpaudit.play.tables import check_epsilon
from dpaudit.play.targets import Target, sent_target
from dpaudit.results.audit import Event, Guarantee, Lower, Spending, Upper
from dpaudit.run.block import ROUNDS_IN_A_BLOCK, Block
from dpaudit.run.runner import current
from dpaudit.run.seeding import stream
from dpaudit.run.task import place

ENGINES = ("auto", "exact", "two-world", "black-box")
DEFAULT_RUNS = {"two-world": 2_000_000, "black-box": 2_000_000, "learner": 200_000}
MOST_PAIRS = 40
"""How many candidate pairs enter the race of the black-box engine."""
PER_STEP_SHARE = 0.2
"""Part of the error probability for the per-step definition, where a paper uses that."""
Progress = Callable[[int, int], None]


@dataclass
class Job:
    """One audit of a learner."""

    subject: Target
    claim: Guarantee
    epsilon: float | None
    arms: int
    rounds: int
    runs: int | None
    seconds: float | None
    seed: int
    workers: int
    parameters: dict[str, Any]
    spending: Spending
    progress: Progress | None
    adversary: Adversary | None

    def __post_init__(self) -> None:
        algorithm = self.subject.algorithm
        if algorithm is not None:
            check_epsilon(algorithm, self.epsilon)
            self._fresh_settings(algorithm)
        elif self.parameters:
            raise UsageError(
                f"{next(iter(self.parameters))}: {self.subject.name} is not in the catalogue"
            )

    def bind(self, engine: str, *, gate: bool, confidence: float) -> None:
        """Say what is audited, so that another audit's journal is refused."""
        adversary = getattr(self.adversary, "__qualname__", None)
        asked = {
            "target": sent_target(self.subject)[0],
            "claim": self.claim.public(),
            "settings": self.settings,
            "size": [self.arms, self.rounds, self.runs, self.seconds, self.seed],
            "how": [engine, gate, confidence, adversary],
        }
        current(self.workers).bind(f"audit {self.subject.name}", asked)

    @property
    def settings(self) -> dict[str, Any]:
        """What plays of a catalogue algorithm are set to."""
        return {"epsilon": self.epsilon, **self.parameters}

    def _fresh_settings(self, algorithm: Algorithm) -> dict[str, Any]:
        return algorithm.settings(
            arms=self.arms, epsilon=self.epsilon, horizon=self.rounds, given=self.parameters
        )

    def upper(self) -> Upper | None:
        """From the accountant; None for what is not in the catalogue."""
        if self.subject.algorithm is None:
            return None
        accounting = Accounting(
            self.subject.algorithm, self.claim, self.arms, self.rounds, self.settings, self.workers
        )
        return accounting.upper()

    def _exact_refusal(self) -> str | None:
        """Why the exact engine does not apply; None if it does."""
        algorithm = self.subject.algorithm
        if algorithm is None or not algorithm.family:
            return f"the exact engine does not cover {self.subject.name}"
        if self.claim.notion != "pure":
            return f"the exact engine takes pure claims, and this one is {self.claim}"
        if algorithm.family == "lazy-laplace" and (
            self.arms != 2 or self.rounds > exact_lazy.LONGEST
        ):
            return (
                f"for {self.subject.name} the exact engine takes 2 arms and at most "
                f"{exact_lazy.LONGEST} rounds"
            )
        return None

    def engine(self, asked: str, upper: Upper | None) -> tuple[str, str]:
        """The engine and why it was taken."""
        refusal = self._exact_refusal()
        leaks = upper is not None and math.isinf(upper.bound) and upper.proof
        name = self.subject.name
        if self.adversary is not None:
            if asked not in ("auto", "black-box"):
                raise UsageError(f"engine: got {asked!r}, an adversary is met by black-box only")
            return "black-box", "an adaptive adversary is played against"
        if asked == "exact" and refusal is not None:
            raise UsageError(f"engine: {refusal}")
        if asked == "two-world" and self.subject.algorithm is None:
            raise UsageError(f"engine: two-world is for the catalogue; {name} has outputs only")
        if asked == "two-world" and leaks and upper is not None:
            raise UsageError(f"engine: two-world needs releases that book a loss; {upper.how}")
        if asked != "auto":
            return asked, "asked for"
        if refusal is None:
            return "exact", "the output distribution is computed"
        if self.subject.algorithm is None:
            return "black-box", "outputs are all that is seen"
        if leaks and upper is not None:
            return "black-box", upper.how
        return "two-world", "every run carries its exact privacy loss"

    def exact(self) -> tuple[Lower, str]:
        """The exact engine's answer, and over what it was maximised."""
        algorithm = self.subject.algorithm
        if algorithm is None:
            raise AssertionError("exact engine without an algorithm")
        own = algorithm.fresh(self._fresh_settings(algorithm))[1][0]
        if algorithm.family == "lazy-laplace":
            rule = exact_lazy.rule_of(algorithm.card.name, own)
            return exact_lazy.exact_lower(self.rounds, float(own.epsilon), rule)
        return exact_noisy_max.exact_lower(algorithm, self.arms, self.rounds, own)

    def two_world(self) -> tuple[Lower, Lower | None]:
        """The two-world engine's answer, and the per-step one where the paper's definition is."""
        algorithm = self.subject.algorithm
        if algorithm is None:
            raise AssertionError("two-world engine without an algorithm")
        worlds = TwoWorlds(
            algorithm, self.claim, self.arms, self.rounds, self.settings, self.seed, self.workers
        )
        runs = self.runs or DEFAULT_RUNS["two-world"]
        per_step = algorithm.card.privacy.per_step and self.claim.notion == "pure"
        total = self.spending.left
        alpha = self.spending.spend(
            "the chosen event", total * (1.0 - PER_STEP_SHARE) if per_step else total
        )
        lower = worlds.lower(runs, self.seconds, alpha, self.progress)
        if not per_step:
            return lower, None
        left = self.spending.spend("the per-step event", total * PER_STEP_SHARE)
        return lower, worlds.per_step(lower, max(runs // 4, 20_000), left)

    def _sampler(self) -> AlgorithmSampler | LearnerSampler:
        algorithm = self.subject.algorithm
        if algorithm is not None and self.adversary is None:
            return AlgorithmSampler(algorithm, self.settings, self.seed, self.workers)
        factory: Any = self.subject.factory
        named: dict[str, Any] = {}
        where: dict[str, str] = {}
        if algorithm is not None:
            horizon = None if algorithm.card.anytime else self.rounds
            factory = stepped_factory(algorithm, self.epsilon, horizon, self.parameters)
            name, local = described(algorithm)
            named = {"stepped": name, "epsilon": self.epsilon, "horizon": horizon}
            named["parameters"] = self.parameters
            where = {} if local else place()
        elif factory is not None:
            named, where = sent_target(self.subject)
        if factory is None:
            raise AssertionError("nothing to sample")
        level = self.epsilon if self.epsilon is not None else self.claim.level
        who = factory, self.subject.name, level, self.seed, self.workers
        return LearnerSampler(*who, named=named, where=where)

    def _inputs(self) -> Sequence[Any]:
        if self.adversary is not None:
            pairs: list[Any] = list(adaptive_pairs(self.adversary, self.rounds, self.arms))
        else:
            pairs = list(candidates(self.rounds, self.arms, 8))
        if len(pairs) > MOST_PAIRS:
            # At random: a regular step would meet the same direction of change again and again.
            order = np.random.default_rng(stream(self.seed, 10)).permutation(len(pairs))
            pairs = [pairs[i] for i in sorted(order[:MOST_PAIRS])]
        return pairs

    def _engine(self, pair: Any) -> tuple[BlackBox, int, float | None]:
        """The black-box engine, runs in all, and when to stop."""
        sampler = self._sampler()
        cuts = self.subject.algorithm is None or self.subject.algorithm.card.anytime
        engine = BlackBox(
            sampler, self.claim, sequence_event, self.seed, cuts, workers=self.workers
        )
        kind = "black-box"
        engine.chunk = max(1, min(CHUNK, 2 * ROUNDS_IN_A_BLOCK // self.rounds))
        if isinstance(sampler, LearnerSampler):
            kind, engine.chunk = "learner", learner_chunk(self.rounds)
            first, again = (np.hstack(engine.drawn(pair, REPEATS, 9)) for _ in range(2))
            for world in np.split(np.stack([first, again]), 2, axis=2):
                sampler.check_reproducible(*world)
        if self.seconds is None:
            return engine, self.runs or DEFAULT_RUNS[kind], None
        seconds = self.seconds
        began = time.monotonic()

        def affordable() -> int:
            engine.drawn(pair, 10, 8)  # which may compile
            start = time.monotonic()
            engine.drawn(pair, 500, 8, 1)
            each = max((time.monotonic() - start) / 1000, 1e-8) / engine.runner.hands
            return max(2000, int(0.8 * seconds / each))

        return engine, engine.runner.decide("runs", [seconds], affordable), began + seconds

    def black_box(self) -> Lower:
        """The black-box engine's answer."""
        alpha = self.spending.spend("the chosen event, both bounds", self.spending.left)
        pairs = self._inputs()
        engine, runs, deadline = self._engine(pairs[0])
        return engine.lower(pairs, runs, alpha, deadline, self.progress)

    def gated(self) -> tuple[Lower, str]:
        """The gate: stop as soon as the claim is refuted."""
        if self.claim.notion != "pure":
            raise UsageError(f"gate: it bets on pure claims, and this one is {self.claim}")
        alpha = self.spending.spend("gates, alpha/2 for the first, and so on", self.spending.left)
        pairs = self._inputs()
        engine, runs, _ = self._engine(pairs[0])
        pair, spent = engine.race(pairs, min(runs // 4, 40_000), 2000, alpha)

        def draw(stage: int, number: int, n: int) -> tuple[Outputs, Outputs]:
            return engine.drawn(pair, n, 15, stage, number)

        def bets(level: int, event: ScoreEvent, steps: int) -> Iterator[Counts]:
            task = engine.task("black-box-bet", [pair], (15, level), event=event.plain())
            work = (Block(i, i * STEP, STEP) for i in range(steps))
            for _, record in engine.runner.run(task, work):
                yield tuple(record["outcomes"])

        opened = gate(draw, self.claim, alpha, max(2000, (runs - spent) // 2), bets)
        event = opened.event
        words = Event("no event")
        if event is not None:
            outputs = draw(99, 0, 500)
            words = sequence_event(event, outputs[0 if event.swapped else 1])
        bound = math.nextafter(self.claim.level, math.inf) if opened.refuted else 0.0
        lower = Lower(
            bound=bound,
            pair=None if event is None else as_pair(pair, event, words),
            event=words,
            runs=spent + 2 * opened.pairs,
            estimate=math.log(max(opened.hits, 0.5) / max(opened.base_hits, 0.5)),
            budget=runs,
        )
        if opened.refuted:
            note = f"the gate refuted the claim after {opened.pairs} pairs of runs"
        else:
            note = f"no gate refuted the claim within {opened.pairs} pairs of runs"
        return lower, note
