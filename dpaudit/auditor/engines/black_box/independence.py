"""Are the runs of a sample independent? A test on the sample, before confidence is claimed.

If runs are independent and alike, their order says nothing: two neighbours are equal as often as
any two, runs of the same place in two blocks as often as any two of these blocks, runs of the same
place in the two worlds as often as any two across, and the event comes as evenly over the blocks as
chance has it. Forked generators, cached coins and state that is handed on break one of these.

Each comparison conditions on what was seen, but for its order. Fewer than LEVEL of all honest
samples fail one of them: binomial and chi-square tails, which are wider than those of the shuffled
sample.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from dpaudit.auditor.engines.black_box.events import ScoreEvent
from dpaudit.auditor.engines.black_box.scorers import Outputs, keys_of

LEVEL = 1e-7
"""Probability with which one comparison fails an honest sample."""
FIRST = 64
"""So many runs of a block are compared with those of the next block."""
SMALLEST = 32
"""Pairs of a smaller sample, if shuffled, vary more than a binomial says."""
FEWEST = 5.0
"""Fewest expected events of a block that is compared with the others."""


@dataclass
class Comparison:
    """How often two runs of one kind were equal, and how often chance makes them so."""

    said: str
    pairs: float = 0.0
    equal: float = 0.0
    expected: float = 0.0

    def add(self, pairs: float, equal: float, expected: float) -> None:
        self.pairs += pairs
        self.equal += equal
        self.expected += expected

    @property
    def complaint(self) -> str | None:
        if self.pairs == 0:
            return None
        chance = min(max(self.expected / self.pairs, 0.0), 1.0)
        more = stats.binom.sf(self.equal - 1, self.pairs, chance)
        less = stats.binom.cdf(self.equal, self.pairs, chance)
        if min(more, less) >= LEVEL or abs(self.equal - self.expected) < 1.0:
            return None
        return f"{self.said} are equal {self.equal:.0f} times, by chance {self.expected:.1f} times"


def neighbours(keys: NDArray[Any]) -> tuple[float, float, float]:
    """Disjoint pairs of neighbours: how many, how many equal, and how many in a random order."""
    runs = len(keys)
    if runs < SMALLEST:
        return 0.0, 0.0, 0.0
    pairs = runs // 2
    equal = float((keys[: 2 * pairs : 2] == keys[1 : 2 * pairs : 2]).sum())
    _, counts = np.unique(keys, return_counts=True)
    chance = float((counts * (counts - 1.0)).sum()) / (runs * (runs - 1.0))
    return float(pairs), equal, pairs * chance


def across(first: NDArray[Any], second: NDArray[Any]) -> tuple[float, float, float]:
    """Runs of the same place in two samples."""
    runs = min(len(first), len(second))
    if runs < SMALLEST // 4:
        return 0.0, 0.0, 0.0
    first, second = first[:runs], second[:runs]
    here, there = Counter(first.tolist()), Counter(second.tolist())
    chance = sum(here[k] * there[k] for k in here.keys() & there.keys()) / runs**2
    return float(runs), float((first == second).sum()), runs * chance


def order_of(first: Outputs, second: Outputs, event: ScoreEvent) -> dict[str, Any]:
    """What a block of an evaluation tells about the order of its runs."""
    keys = [keys_of(world) for world in (first, second)]
    happened = [event.happened(world) for world in (first, second)]
    alike = [neighbours(world) for world in (*keys, *happened)]
    return {
        "neighbours": [list(each) for each in alike],
        "worlds": [list(across(keys[0], keys[1]))],
        "keys": np.stack([world[:FIRST] for world in keys]).view(np.int64),
        "happened": [len(first), *(int(world.sum()) for world in happened)],
    }


@dataclass
class Independence:
    """What the blocks of an evaluation tell together."""

    comparisons: list[Comparison] = field(
        default_factory=lambda: [
            Comparison("runs that follow each other"),
            Comparison("events of runs that follow each other"),
            Comparison("runs of the same place in the two worlds"),
            Comparison("runs of the same place in two blocks"),
        ]
    )
    hits: list[tuple[int, ...]] = field(default_factory=list)
    _before: NDArray[np.int64] | None = None

    def add(self, order: dict[str, Any]) -> None:
        """Blocks in order."""
        neighbours_, events, worlds, blocks = self.comparisons
        for each in order["neighbours"][:2]:
            neighbours_.add(*each)
        for each in order["neighbours"][2:]:
            events.add(*each)
        worlds.add(*order["worlds"][0])
        if self._before is None:
            self._before = order["keys"]
        else:
            for one, other in zip(self._before, order["keys"], strict=True):
                blocks.add(*across(one, other))
            self._before = None
        self.hits.append(tuple(order["happened"]))

    def complaint(self) -> str | None:
        """Why these runs are not independent; None if nothing speaks against it."""
        for comparison in self.comparisons:
            said = comparison.complaint
            if said is not None:
                return said
        for world in (1, 2):
            runs = np.array([block[0] for block in self.hits], float)
            hits = np.array([block[world] for block in self.hits], float)
            share = hits.sum() / max(runs.sum(), 1.0)
            enough = runs * min(share, 1.0 - share) >= FEWEST
            if enough.sum() < 2:
                continue
            runs, hits = runs[enough], hits[enough]
            share = hits.sum() / runs.sum()
            if not 0.0 < share < 1.0:
                continue
            spread = float(((hits - runs * share) ** 2 / (runs * share * (1.0 - share))).sum())
            if stats.chi2.sf(spread, len(runs) - 1) < LEVEL / 100.0:  # tails of small counts
                return (
                    f"the event comes unevenly over {len(runs)} blocks of runs: spread {spread:.4g}"
                    f" where {len(runs) - 1} is expected"
                )
        return None
