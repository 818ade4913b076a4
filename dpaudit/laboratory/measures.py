"""What a study measures of its runs besides their regret: the chance of a linear run, realised
regret, whether the arm pulled most is the wrong one, switches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.errors import unknown
from dpaudit.laboratory.bands import chance_band
from dpaudit.laboratory.tally import Tally, tallied
from dpaudit.play.worlds import MEASURED, World
from dpaudit.results.regret import Floats, LinearRuns, Metric
from dpaudit.run.plain import travels
from dpaudit.run.task import Record

SHARE = 0.5
"""A run is linear if in the last doubling it loses more than this share of the smallest gap in each
round, on average."""
METRICS = ("linear", *MEASURED)


def check_metrics(names: Any) -> tuple[str, ...]:
    """Those asked for, in their order; `all` is all."""
    given = [names] if isinstance(names, str) else list(names)
    for name in given:
        if name not in (*METRICS, "all"):
            raise unknown("metric", str(name), (*METRICS, "all"))
    return tuple(name for name in METRICS if name in given or "all" in given)


@travels
@dataclass(frozen=True)
class Linear:
    """Linear runs: those that from horizon number `begin` (-1: from the first round) to the last
    lose more than `more`."""

    begin: int
    start: int
    more: float

    def hits(self, regret: Floats) -> int:
        before = regret[:, self.begin] if self.begin >= 0 else 0.0
        return int(np.count_nonzero(regret[:, -1] - before > self.more))


def linear_from(world: World | None, ends: Any) -> Linear | None:
    """From the last of the horizons that is at most half the last one; nothing where means change,
    or all are equal."""
    if world is None or world.changing:
        return None
    gaps = np.abs(world.gaps()[1][0])
    if not gaps.any():
        return None
    last = int(ends[-1])
    begin = int(np.searchsorted(ends, last // 2, side="right")) - 1
    start = int(ends[begin]) if begin >= 0 else 0
    return Linear(begin, start, SHARE * float(gaps[gaps > 0.0].min()) * (last - start))


def told_of(regret: Floats, linear: Linear | None, seen: Floats | None = None) -> Record:
    """What a block's runs add: regret (runs x horizons), and what else was seen of it (… x 3)."""
    record: Record = {**tallied(regret), "linear": 0 if linear is None else linear.hits(regret)}
    if seen is not None:
        record["realised"] = tallied(seen[:, :, 0])
        record["wrong"] = seen[:, :, 1].sum(axis=0)
        record["switches"] = tallied(seen[:, :, 2])
    return record


@dataclass
class Measures:
    """Of the runs so far."""

    tally: Tally
    realised: Tally
    switches: Tally
    wrong: Floats
    linear: int = 0
    clipped: int = 0

    @classmethod
    def empty(cls, horizons: int) -> Measures:
        regret, realised, switches = (Tally.empty(horizons) for _ in range(3))
        return cls(regret, realised, switches, np.zeros(horizons))

    def add(self, record: Record) -> None:
        """Take in a block's record."""
        self.tally.add(record)
        self.linear += record["linear"]
        self.clipped += record.get("clipped", 0)
        if "wrong" in record:
            self.realised.add(record["realised"])
            self.switches.add(record["switches"])
            self.wrong += record["wrong"]

    def linear_runs(self, asked: Linear | None, last: int, alpha: float) -> LinearRuns | None:
        """How many there were, and their chance with probability 1 - alpha."""
        if asked is None:
            return None
        low, high = chance_band(self.linear, self.tally.runs, alpha)
        return LinearRuns(
            runs=self.linear, low=low, high=high, share=SHARE, after=asked.start, until=last
        )

    def metrics(self, names: tuple[str, ...], ends: Any, alpha: float) -> dict[str, Metric]:
        """Columns by name; each metric's intervals hold at all horizons together with probability
        1 - alpha."""
        found: dict[str, Metric] = {}
        runs, each = self.tally.runs, alpha / len(ends)
        if "realised" in names:
            spread = self.realised.deviation if runs > 1 else None
            found["realised"] = Metric(mean=self.realised.mean, deviation=spread)
        if "error" in names:
            bands = [chance_band(int(hits), runs, each) for hits in self.wrong]
            low, high = (np.array(side) for side in zip(*bands, strict=True))
            found["error"] = Metric(mean=self.wrong / runs, low=low, high=high)
        if "switches" in names:
            low, high = self.switches.band(np.zeros(len(ends)), ends - 1.0, alpha)
            found["switches"] = Metric(mean=self.switches.mean, low=low, high=high)
        return found
