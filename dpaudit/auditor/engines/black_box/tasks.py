"""What a worker does for the black-box engine: draw outputs of both worlds, and answer with counts
(or, where an event is still to be chosen, with the outputs)."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from dpaudit.auditor.engines.black_box.events import Drawn, ScoreEvent, choose, count
from dpaudit.auditor.engines.black_box.independence import order_of
from dpaudit.auditor.engines.black_box.sampling import LearnerSampler, Sampler
from dpaudit.auditor.engines.black_box.scorers import Scorer
from dpaudit.auditor.samples import Evaluation, Selection
from dpaudit.errors import UsageError
from dpaudit.play.isolated import look, states_of_new
from dpaudit.play.reach.held import alive, marks
from dpaudit.results.audit import Guarantee
from dpaudit.run.plain import travels
from dpaudit.run.task import Block, Play, Record

ALONE = 4
"""Runs of a world that are played in processes of their own to see whether they come out alike."""
UNLOOKED = 2**10
"""So many outputs are drawn without asking how wide they are."""
ORDERED, FIRST_RUNS = 2000, 4096
"""So many blocks of an evaluation, and so many runs of each, are looked at for independence."""


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
    pessimism: float,
) -> Play:
    """Block i: the bound that pair i seems to promise, from `runs` outputs a world."""

    def play(block: Block) -> Record:
        pair, seeds = pairs[block.number], (*path, numbers[block.number])
        drawn = both(sampler, pair, block.runs, *seeds)
        found = choose(Selection(drawn), claim, ahead, alpha, sampler.names(pair), pessimism)
        return {"predicted": found.predicted}

    return play


@travels
def draw(sampler: Sampler, path: Sequence[int], pair: Any, cells: int) -> Play:
    """Block i: outputs of both worlds; of a world at most `cells` numbers, if that is not 0."""

    def play(block: Block) -> Record:
        if cells and block.runs > UNLOOKED:
            width = sampler.block(pair, 0, Block(0, 0, 1), *path).shape[1]
            block = Block(
                block.number, block.first, min(block.runs, max(1, cells // max(1, width)))
            )
        drawn = np.stack([sampler.block(pair, w, block, *path) for w in (0, 1)])
        small = sampler.kind != np.int16 or np.abs(drawn).max(initial=0) < 2**15
        return {"outputs": drawn.astype(sampler.kind if small else np.int64)}

    return play


@travels
def count_hits(
    sampler: Sampler,
    path: Sequence[int],
    pair: Any,
    event: ScoreEvent,
    scorer: Scorer | None = None,
    thresholds: Sequence[float] = (),
) -> Play:
    """Block i: hits in the likelier world, hits in the other, and outputs a world; with what the
    order of the runs tells, for the first blocks; and, where a score is asked about, how often it
    was at least each threshold in the two worlds."""

    def play(block: Block) -> Record:
        first, second = (sampler.block(pair, world, block, *path) for world in (0, 1))
        record: Record = {"counts": count(Evaluation((first, second)), event)}
        if block.number < ORDERED:
            record["order"] = order_of(first[:FIRST_RUNS], second[:FIRST_RUNS], event)
        if scorer is not None:
            scores = (np.sort(scorer(world)) for world in (first, second))
            record["above"] = [len(s) - np.searchsorted(s, thresholds, side="left") for s in scores]
        return record

    return play


@travels
def bet(sampler: Sampler, path: Sequence[int], pair: Any, event: ScoreEvent) -> Play:
    """Block i: of so many pairs of outputs, how often the event happened in the likelier world
    only, in the other only, and in both."""

    def play(block: Block) -> Record:
        seeds = *path, 1 + block.number
        first, second = both(sampler, pair, block.runs, *seeds)
        drawn = Evaluation((first, second))
        return {"outcomes": outcomes(drawn, event), "order": order_of(first, second, event)}

    return play


def outcomes(drawn: Evaluation[Drawn], event: ScoreEvent) -> tuple[int, int, int]:
    """How often the event happened in the likelier world only, in the other only, in both."""
    first, second = (event.happened(drawn.sample[w]) for w in (0, 1))
    hit, miss = (first, second) if event.swapped else (second, first)
    return int((hit & ~miss).sum()), int((miss & ~hit).sum()), int((hit & miss).sum())


@travels
def choose_ends(
    sampler: Sampler,
    path: Sequence[int],
    pairs: Sequence[Any],
    claim: Guarantee,
    ahead: int,
    alpha: float,
) -> Play:
    """Block i: the event that tells the two tables of pair i apart."""

    def play(block: Block) -> Record:
        pair = pairs[block.number]
        drawn = both(sampler, pair, block.runs, *path, block.number)
        return {"event": choose(Selection(drawn), claim, ahead, alpha, sampler.names(pair))}

    return play


@travels
def count_at(
    sampler: Sampler, path: Sequence[int], pairs: Sequence[Any], event: ScoreEvent
) -> Play:
    """Block i: of so many runs on the first table of pair i, how many are in the event."""

    def play(block: Block) -> Record:
        outputs = sampler.sample(pairs[block.number], 0, block.runs, *path, block.number)
        return {"hits": int(event.happened(outputs).sum())}

    return play


@travels
def look_at_runs(sampler: LearnerSampler, path: Sequence[int], pair: Any, runs: int) -> Play:
    """Block i: what the same runs of both worlds play, in turn, and what they leave behind: in
    order and backwards in one process, in order and backwards each in its own."""

    def play(block: Block) -> Record:
        alone, backwards = block.number >= 2, block.number % 2 == 1
        number = runs if not alone else min(runs, ALONE)
        worlds = [0, 1] * number
        seeds = [sampler.seeds(w, [i // 2], *path)[0] for i, w in enumerate(worlds)]
        played, left = look(
            sampler.factory, seeds, sampler.playing(pair, worlds), alone=alone, backwards=backwards
        )
        actions = [played[number] for number in played]
        return {"runs": list(played), "actions": actions, "left": left}

    return play


@travels
def look_at_new(sampler: LearnerSampler, path: Sequence[int], pair: Any) -> Play:
    """A block: which generators are in one state in the new learners of so many runs a world, which
    of them are drawn from, and whether others are made later, alike in all of these runs, each of
    which plays the same."""

    def mark(factory: Any, rng: np.random.Generator, world: int) -> dict[str, Any]:
        made: list[Any] = []
        states: list[dict[str, str]] = []
        before: dict[int, str] = {}

        def make(**given: Any) -> Any:
            made.append(factory(**given))
            states.append(marks(made[0], rng))
            before.update(alive())
            return made[0]

        try:
            actions = sampler.playing(pair, (world,))(make, rng, 0)
        except UsageError:  # it is named where it is played
            return {"new": {}, "played": {}, "later": [], "actions": []}
        later = sorted(state for at, state in alive().items() if at not in before)
        played = marks(made[0], rng)
        return {"new": states[0], "played": played, "later": later, "actions": actions}

    def play(block: Block) -> Record:
        worlds = [0, 1] * block.runs
        seeds = [sampler.seeds(w, [i // 2], *path)[0] for i, w in enumerate(worlds)]
        seen = states_of_new(sampler.factory, seeds, worlds, mark, alone=sampler.apart)
        new = seen[0]["new"]
        alike = sorted(n for n in new if all(each["new"].get(n) == new[n] for each in seen))
        drawn = [n for n in alike if seen[0]["played"].get(n) != new[n]]
        repeated = all(each["actions"] == seen[i % 2]["actions"] for i, each in enumerate(seen))
        common = set.intersection(*(set(each["later"]) for each in seen))
        return {"alike": alike, "drawn": drawn, "later": repeated and bool(common)}

    return play


def _stood_in_line() -> float:
    """Seconds for which this thread had to wait for a core so far; 0 where nobody says."""
    try:
        with open("/proc/thread-self/schedstat") as file:
            return 1e-9 * float(file.read().split()[1])
    except (OSError, IndexError, ValueError):
        return 0.0


@travels
def time_runs(sampler: Sampler, path: Sequence[int], pair: Any) -> Play:
    """A block: how many seconds its runs take, of both worlds, and how many of these they had a
    core, or wanted none; and what they imported."""

    def play(block: Block) -> Record:
        known = set(sys.modules)
        began, stood = time.perf_counter(), _stood_in_line()
        both(sampler, pair, block.runs, *path)
        seconds = time.perf_counter() - began
        waited = _stood_in_line() - stood
        imported = sorted(set(sys.modules) - known)
        return {
            "seconds": seconds,
            "alone": max(0.0, seconds - waited),
            "imported": [name for name in imported if "." not in name],
        }

    return play
