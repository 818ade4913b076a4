"""What a worker does for the black-box engine: draw outputs of both worlds, and answer with counts
(or, where an event is still to be chosen, with the outputs)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpaudit.auditor.engines.black_box.events import (
    Evaluation,
    ScoreEvent,
    Selection,
    choose,
    count,
)
from dpaudit.auditor.engines.black_box.learner_sampling import sampler_of
from dpaudit.auditor.engines.black_box.sampling import Sampler
from dpaudit.auditor.search.adversaries import ADVERSARIES, AdaptivePair
from dpaudit.results.audit import Guarantee, Pair
from dpaudit.run.block import Block
from dpaudit.run.task import Play, Record, Task, object_digest, pack, unpack


def black_box_task(
    kind: str,
    sampler: Sampler,
    claim: Guarantee,
    pairs: Sequence[Any],
    path: tuple[int, ...],
    **more: Any,
) -> Task:
    """A task on some pairs, with its own path from the seed."""
    sent = sampler.sent()
    known = [_plain_pair(pair) for pair in pairs]
    spec = {
        "claim": claim.public(),
        "path": list(path),
        "pairs": known,
        "sampler": sent.spec,
        **more,
    }
    stays = not sent.goes or any("local" in pair for pair in known)
    local = (sampler, list(pairs)) if stays else None
    return Task(kind, sent.name, spec, sent.where, local, python=sent.python)


def _plain_pair(pair: Any) -> dict[str, Any]:
    if isinstance(pair, Pair):
        return {"tables": pack([pair.rewards, pair.neighbour]), "round": pair.round}
    if isinstance(pair, AdaptivePair):
        name = next((n for n, known in ADVERSARIES.items() if known is pair.adversary), None)
        about = {"round": pair.round, "here": pack(pair.here), "rounds": pair.rounds}
        named = {"adversary": name} if name else {"local": object_digest(pair.adversary)}
        return {**about, **named}
    return {"local": "data of this process"}


def _pair_of(plain: dict[str, Any]) -> Any:
    if "tables" in plain:
        tables = unpack(plain["tables"])
        return Pair(tables[0], tables[1], plain["round"])
    adversary = ADVERSARIES[plain["adversary"]]
    return AdaptivePair(adversary, plain["round"], unpack(plain["here"]), plain["rounds"])


def _arrive(task: Task) -> tuple[Sampler, list[Any], tuple[int, ...]]:
    path = tuple(task.spec["path"])
    if task.local is not None:
        return *task.local, path
    pairs = [_pair_of(plain) for plain in task.spec["pairs"]]
    return sampler_of(task.spec["sampler"], task.where), pairs, path


def try_pairs(task: Task) -> Play:
    """Block i: the bound that pair i seems to promise, from `runs` outputs a world."""
    sampler, pairs, path = _arrive(task)
    spec, claim = task.spec, Guarantee(**task.spec["claim"])

    def play(block: Block) -> Record:
        number = spec["numbers"][block.number]
        pair = pairs[block.number]
        sample = Selection(sampler.worlds(pair, block.runs, *path, number))
        return {"predicted": choose(sample, claim, spec["ahead"], spec["alpha"]).predicted}

    return play


def draw(task: Task) -> Play:
    """Block i: outputs of both worlds. They are actions: small whole numbers."""
    sampler, pairs, path = _arrive(task)

    def play(block: Block) -> Record:
        drawn = [sampler.block(pairs[0], w, block, *path).astype(np.int16) for w in (0, 1)]
        return {"outputs": pack(np.stack(drawn))}

    return play


def count_hits(task: Task) -> Play:
    """Block i: hits in the likelier world, hits in the other, and outputs a world."""
    sampler, pairs, path = _arrive(task)
    event = ScoreEvent.of(task.spec["event"])

    def play(block: Block) -> Record:
        sample = Evaluation(
            sampler.sample(pairs[0], w, block.runs, *path, block.number) for w in (0, 1)
        )
        return {"counts": list(count(sample, event))}

    return play


def bet(task: Task) -> Play:
    """Block i: of so many pairs of outputs, how often the event happened in the likelier world
    only, in the other only, and in both."""
    sampler, pairs, path = _arrive(task)
    event = ScoreEvent.of(task.spec["event"])

    def play(block: Block) -> Record:
        drawn = Evaluation(
            sampler.sample(pairs[0], w, block.runs, *path, 1 + block.number) for w in (0, 1)
        )
        return {"outcomes": list(outcomes(drawn, event))}

    return play


def outcomes(drawn: Evaluation, event: ScoreEvent) -> tuple[int, int, int]:
    """How often the event happened in the likelier world only, in the other only, in both."""
    first, second = (event.happened(drawn[w]) for w in (0, 1))
    hit, miss = (first, second) if event.swapped else (second, first)
    return int((hit & ~miss).sum()), int((miss & ~hit).sum()), int((hit & miss).sum())
