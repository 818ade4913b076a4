"""Audits of any mechanism on one pair of inputs: `dpaudit.audit_mechanism`."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from dpaudit import __version__
from dpaudit.auditor.engines.black_box.engine import BlackBox
from dpaudit.auditor.engines.black_box.events import ScoreEvent
from dpaudit.auditor.engines.black_box.sampling import MechanismSampler
from dpaudit.auditor.engines.black_box.scorers import Outputs
from dpaudit.auditor.engines.black_box.scoring import band
from dpaudit.auditor.kinds.claims import claimed
from dpaudit.auditor.statistics import Alpha
from dpaudit.errors import UsageError, check_count
from dpaudit.results.audit import AuditResult, Guarantee
from dpaudit.results.found import Event
from dpaudit.run.runner import Runner

SHOWN = 16
"""Numbers of an output that are written out."""


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
    progress: Callable[[int, int], None] | None = None,
    tradeoff: bool = False,
) -> AuditResult:
    """Audit any mechanism on one pair of neighbouring inputs.

    `sample(data, n, rng)` returns n outputs: numbers, vectors or labels, one a row. `runs` is the
    number of outputs for each of the two inputs; at most a quarter of them chooses the event.
    More `workers` than one are copies of this process; None is one a core. `tradeoff`: a band for
    the whole trade-off curve of the pair, too, for a tenth of the error probability.
    """
    began = time.monotonic()
    if not callable(sample):
        raise UsageError(f"sample: got {sample!r}, allowed is a function of (data, n, rng)")
    claim = claimed(claim, epsilon, delta)
    alpha = Alpha.of(confidence)
    name = getattr(sample, "__qualname__", repr(sample))
    sampler = MechanismSampler(sample, name, seed)
    engine = BlackBox(sampler, claim, value_event, seed, Runner(workers))
    if tradeoff:
        engine.band = alpha.take(band.SHARE * alpha.value, band.SPENT_ON)
    part = alpha.rest("the chosen event, both bounds")
    runs = 2 * check_count("runs", runs, 100)
    return AuditResult.of(
        target=name,
        claim=claim,
        lower=engine.lower([(x, x_neighbour)], runs, part, progress),
        upper=None,
        engine="black-box",
        why="outputs are all that is seen",
        confidence=confidence,
        spent=tuple(alpha.entries),
        seconds=time.monotonic() - began,
        seed=seed,
        version=__version__,
    )


def value_event(event: ScoreEvent, outputs: Outputs) -> Event:
    """An event of a mechanism's outputs in words."""
    inside = outputs[event.happened(outputs)]
    if len(inside) == 0:
        return Event(event.text)
    more = f" … ({inside.shape[1]} numbers)" if inside.shape[1] > SHOWN else ""
    rows = (" ".join(f"{x:.6g}" for x in row[:SHOWN]) + more for row in inside[:3])
    return Event(f"{event.text}, such as {'; '.join(rows)}")
