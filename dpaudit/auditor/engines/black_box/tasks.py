"""What a worker does for the black-box engine: draw outputs of both worlds, and answer with counts
(or, where an event is still to be chosen, with the outputs)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpaudit.auditor.engines.black_box.events import (
    Drawn,
    ScoreEvent,
    choose,
    count,
)
from dpaudit.auditor.engines.black_box.sampling import Sampler
from dpaudit.auditor.samples import Evaluation, Selection
from dpaudit.results.audit import Guarantee
from dpaudit.run.plain import travels
from dpaudit.run.task import Block, Play, Record


def both(sampler: Sampler, pair: Any, runs: int, *path: int) -> Drawn:
    """Outputs of both worlds."""
    return sampler.sample(pair, 0, runs, *path), sampler.sample(pair, 1, runs, *path)


@travels
def try_pairs(
    sampler: Sampler,
    path: Sequence[int],
    pairs: Sequence[Any],
    numbers: Sequence[int],
    claim: Guarantee,
    ahead: int,
    alpha: float,
) -> Play:
    """Block i: the bound that pair i seems to promise, from `runs` outputs a world."""

    def play(block: Block) -> Record:
        seeds = *path, numbers[block.number]
        drawn = both(sampler, pairs[block.number], block.runs, *seeds)
        return {"predicted": choose(Selection(drawn), claim, ahead, alpha).predicted}

    return play


@travels
def draw(sampler: Sampler, path: Sequence[int], pair: Any) -> Play:

    def play(block: Block) -> Record:
        drawn = [sampler.block(pair, w, block, *path).astype(sampler.kind) for w in (0, 1)]
        return {"outputs": np.stack(drawn)}

    return play


@travels
def count_hits(sampler: Sampler, path: Sequence[int], pair: Any, event: ScoreEvent) -> Play:
    """Block i: hits in the likelier world, hits in the other, and outputs a world."""

    def play(block: Block) -> Record:
        seeds = *path, block.number
        sample = Evaluation(both(sampler, pair, block.runs, *seeds))
        return {"counts": count(sample, event)}

    return play


@travels
def bet(sampler: Sampler, path: Sequence[int], pair: Any, event: ScoreEvent) -> Play:
    """Block i: of so many pairs of outputs, how often the event happened in the likelier world
    only, in the other only, and in both."""

    def play(block: Block) -> Record:
        seeds = *path, 1 + block.number
        drawn = Evaluation(both(sampler, pair, block.runs, *seeds))
        return {"outcomes": outcomes(drawn, event)}

    return play


def outcomes(drawn: Evaluation[Drawn], event: ScoreEvent) -> tuple[int, int, int]:
    """How often the event happened in the likelier world only, in the other only, in both."""
    first, second = (event.happened(drawn.sample[w]) for w in (0, 1))
    hit, miss = (first, second) if event.swapped else (second, first)
    return int((hit & ~miss).sum()), int((miss & ~hit).sum()), int((hit & miss).sum())
