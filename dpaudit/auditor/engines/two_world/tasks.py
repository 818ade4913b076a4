"""What a worker does for the two-world engine: play a pair of tables, and answer with little."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.algorithm.contract import Algorithm
from dpaudit.auditor.engines.two_world.events import (
    FEWEST,
    STEP,
    Chosen,
    Evaluation,
    Prefixes,
    Selection,
    choose,
    code_of,
    decode,
    depths,
    encode,
)
from dpaudit.machine.compiling import compiled_driver, compiled_once
from dpaudit.machine.counting import count_event
from dpaudit.play.catalogue import described, find
from dpaudit.play.tables import play_tables, two_worlds
from dpaudit.results.audit import Guarantee, Pair
from dpaudit.run.block import Block
from dpaudit.run.seeding import stream
from dpaudit.run.task import Play, Record, Task, pack, unpack

PIECE = 2**14
"""Runs of a block that are in memory at once."""
GROUPED = 2**18
"""Rounds in a block of the search."""


def as_plain(pairs: Sequence[Pair]) -> dict[str, Any]:
    """Pairs of tables of one shape as plain data."""
    tables = np.array([[pair.rewards, pair.neighbour] for pair in pairs])
    return {"tables": pack(tables), "rounds": [pair.round for pair in pairs]}


def as_pairs(plain: dict[str, Any]) -> list[Pair]:
    """The pairs again."""
    tables = unpack(plain["tables"])
    return [Pair(t[0], t[1], r) for t, r in zip(tables, plain["rounds"], strict=True)]


@dataclass(frozen=True)
class Question:
    """Who is played, with which settings, from which seed, and what is claimed."""

    algorithm: Algorithm
    settings: dict[str, Any]
    claim: Guarantee
    seed: int

    def task(self, kind: str, pairs: Sequence[Pair], path: tuple[int, ...], **more: Any) -> Task:
        """A task on some pairs, with its own path from the seed."""
        name, local = described(self.algorithm)
        spec = {
            "algorithm": name,
            "settings": self.settings,
            "claim": self.claim.public(),
            "seed": self.seed,
            "path": list(path),
            "pairs": as_plain(pairs),
            **more,
        }
        return Task(kind, self.algorithm.card.name, spec, local=local)

    @classmethod
    def of(cls, task: Task) -> Question:
        """What a task asks."""
        spec = task.spec
        algorithm = task.local or find(spec["algorithm"])
        return cls(algorithm, spec["settings"], Guarantee(**spec["claim"]), spec["seed"])

    def select(self, pair: Pair, runs: int, *path: int) -> Selection:
        """Runs under `pair.rewards`, and the likelihood ratios of `pair.neighbour`."""
        seed = stream(self.seed, *path)
        plays = play_tables(
            self.algorithm, pair.rewards, pair.neighbour, runs=runs, seed=seed, **self.settings
        )
        return Selection(plays.actions, np.exp(-plays.loss))


def grouped(pairs: int, size: int, rounds: int) -> Iterator[Block]:
    """Blocks of pairs that are tried with `size` runs each: a few at a time where that is little
    work."""
    group = max(1, GROUPED // (size * rounds))
    for number, first in enumerate(range(0, pairs, group)):
        yield Block(number, first, min(group, pairs - first))


def try_pairs(task: Task) -> Play:
    """The pairs of a block, which stand in the place of runs: the bounds that they seem to
    promise."""
    question, spec = Question.of(task), task.spec
    pairs = as_pairs(spec["pairs"])

    def tried(place: int) -> float:
        pair, number = pairs[place], spec["first"] + place
        sample = question.select(pair, spec["size"], *spec["path"], number)
        return choose(sample, question.claim, pair, spec["ahead"], spec["alpha"]).predicted

    def play(block: Block) -> Record:
        return {"predicted": [tried(block.first + i) for i in range(block.runs)]}

    return play


def choose_event(task: Task) -> Play:
    """One block: the event for a pair."""
    question, spec = Question.of(task), task.spec
    (pair,) = as_pairs(spec["pairs"])

    def play(block: Block) -> Record:
        sample = question.select(pair, block.runs, *spec["path"])
        return plain_choice(choose(sample, question.claim, pair, spec["ahead"], spec["alpha"]))

    return play


def plain_choice(chosen: Chosen) -> Record:
    """A chosen event as plain data."""
    event = chosen.event
    return {
        **vars(chosen),
        "event": {"depth": event.depth, "codes": pack(event.codes), "arms": event.arms},
    }


def read_choice(plain: Record) -> Chosen:
    """The chosen event again."""
    event = dict(plain["event"])
    return Chosen(**{**plain, "event": Prefixes(**{**event, "codes": unpack(event["codes"])})})


def choose_step(task: Task) -> Play:
    """One block: the sequence whose last action, given the others, tells most; with what is needed
    to bound its ratio, and that of the sequence without its last action in the other world."""
    question, spec = Question.of(task), task.spec
    (pair,) = as_pairs(spec["pairs"])
    arms = pair.shape[1]

    def play(block: Block) -> Record:
        sample = question.select(pair, block.runs, *spec["path"])
        best: tuple[float, tuple[int, ...]] = (-np.inf, (0,))
        for depth in depths(len(pair.rewards), arms, pair.round):
            codes, inverse, counts = np.unique(
                encode(sample.actions[:, :depth], arms), return_inverse=True, return_counts=True
            )
            sums = np.bincount(inverse, sample.weights)
            _, group = np.unique(codes // arms, return_inverse=True)
            base = np.bincount(group, sums) / np.bincount(group, counts)
            value = np.log(sums / counts) - np.log(base[group])
            # Sparse sequences are flattered: take off two standard errors of a ratio.
            value = np.where(counts >= FEWEST, value - 2.0 / np.sqrt(counts), -np.inf)
            k = int(np.argmax(value))
            if value[k] > best[0]:
                best = (float(value[k]), decode(int(codes[k]), depth, arms))
        parts = (best[1], False), (best[1][:-1], True)
        last, before = (_moments(sample, arms, *part) for part in parts)
        return {"value": best[0], "sequence": list(best[1]), "last": last, "before": before}

    return play


def _moments(sample: Selection, arms: int, sequence: tuple[int, ...], other: bool) -> Record:
    """A sequence as an event; `other`: as it will be met in the other world, where the weight is
    the inverse and so many times as many runs are in the event."""
    event = Prefixes(len(sequence), np.array([code_of(sequence, arms)]), arms)
    inside = event.happened(sample.actions)
    weights = sample.weights[inside]
    share, mean = float(inside.mean()), float(weights.mean()) if len(weights) else 1.0
    variance = float(weights.var()) if len(weights) else 1.0
    top = float(np.log(weights.max())) if len(weights) else 0.0
    if other and len(weights):
        share, top = share * mean, float(-np.log(weights.min()))
        variance = max(float((1.0 / weights).mean()) / mean - 1.0 / mean**2, 0.0)
        mean = 1.0 / mean
    return plain_choice(Chosen(event, 0.0, share, mean, variance, top))


def count_weights(task: Task) -> Play:
    """Block i: how often the event happened, and with which likelihood ratios."""
    question, spec = Question.of(task), task.spec
    (pair,) = as_pairs(spec["pairs"])
    chosen = read_choice(spec["chosen"])
    event, seed = chosen.event, stream(question.seed, *spec["path"])
    codes = np.sort(event.codes)
    worlds = two_worlds(question.algorithm, pair.rewards, pair.neighbour, question.settings)
    drive = compiled_driver("play_tables", question.algorithm)
    count = compiled_once(count_event)

    def play(block: Block) -> Record:
        rng, part = block.generator(seed), Evaluation.empty(chosen.top)
        state = worlds.state
        size = min(PIECE, block.runs)
        actions, books = np.empty((size, len(pair.rewards)), np.int16), np.empty((size, 3))
        while part.runs < block.runs:
            size = min(PIECE, block.runs - part.runs)
            some = actions[:size], books[:size]
            drive(*state, worlds.here, worlds.there, False, *some, rng)
            part.hits += count(*some, event.depth, event.arms, codes, part.low, STEP, part.bins)
            part.runs += size
        (places,) = np.nonzero(part.bins)
        return {
            "runs": part.runs,
            "hits": part.hits,
            "places": pack(places.astype(np.int64)),
            "counts": pack(part.bins[places]),
        }

    return play


def take(sample: Evaluation, record: Record) -> None:
    """Add a block to the sample."""
    sample.runs += record["runs"]
    sample.hits += record["hits"]
    sample.bins[unpack(record["places"])] += unpack(record["counts"])
