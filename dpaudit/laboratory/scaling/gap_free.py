"""Instance-independent bounds: the largest regret over a grid of equal gaps, against T, against the
number of arms and against 1/epsilon, the others fixed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from msgspec.structs import replace

from dpaudit.laboratory.scaling.laws import Curve, Ladder, Law
from dpaudit.laboratory.scaling.measuring import Bench, Instance, curve, equal_gaps
from dpaudit.laboratory.scaling.study import Outcome, worst
from dpaudit.results.regret import Floats
from dpaudit.results.scaling import Point

Setting = tuple[int, float | None, int]
"""Arms, epsilon, rounds."""
Order = Callable[[int, Any, int], float]
"""A bound as a function of a setting."""


@dataclass(frozen=True)
class Sweep:
    """One variable of the bound: its name, its values, the setting at each of them, and the power
    of it that a faster law has besides."""

    name: str
    grid: Sequence[float]
    at: Callable[[float], Setting]
    power: float


@dataclass(frozen=True)
class GapFree:
    """A bound that does not know the gaps: its order, in words too, and the value with the proof's
    constants, if there are any. `runs` = 0: by the exact engine."""

    targets: Sequence[str]
    stated: Order
    words: str
    sweeps: Sequence[Sweep]
    proved: Order | None = None
    runs: int = 0
    finest: float = 0.5
    """Steps of the gaps, in powers of two."""
    parameters: dict[str, Any] = field(default_factory=dict)

    def run(self, bench: Bench) -> Outcome:
        points: list[Point] = []
        curves = []
        for target in self.targets[:1] if bench.quick else self.targets:
            for sweep in self.sweeps:
                found, variances = self._along(bench, target, sweep)
                points += found
                line = curve(found[0].series, found, np.diag(variances) if self.runs else None)
                curves.append((line, self._ladder(sweep)))
        low, high = (f(p.regret / self._order(p) for p in points) for f in (min, max))
        numbers = {"least_over_order": low, "largest_over_order": high}
        used = ""
        if self.proved:
            used = f"; at most {worst(points).ratio:.4f} of the bound with the proof's constants"
            numbers["of_bound"] = worst(points).ratio or 0.0
        notes = ["the means of several horizons are taken as independent"] if self.runs else []
        return Outcome(
            f"the largest regret over the gaps is {low:.3g} to {high:.3g} times {self.words}{used}",
            points,
            numbers,
            curves,
            notes=[*notes, *bench.notes],
            axes=(" or ".join(s.name for s in self.sweeps), "largest regret over the gap"),
        )

    def _order(self, p: Point) -> float:
        return self.stated(p.arms, p.epsilon, p.horizon)

    def _ladder(self, sweep: Sweep) -> Ladder:
        def along(x: Floats) -> Floats:
            return np.array([self.stated(*sweep.at(float(each))) for each in x])

        law = Law(f"the order in {sweep.name}", along)
        extra = f"times {sweep.name}^{sweep.power:g}"
        return Ladder(law, law.times(extra, lambda x: x**sweep.power))

    def _along(self, bench: Bench, target: str, sweep: Sweep) -> tuple[list[Point], list[float]]:
        points, variances = [], []
        series = f"{target}, {sweep.name}"
        grid = sweep.grid[::2] if bench.quick and len(sweep.grid) > 10 else sweep.grid
        for x in grid:
            arms, epsilon, horizon = sweep.at(x)
            top, variance = self._largest(bench, series, target, (arms, epsilon, horizon))
            if top is None:
                continue
            bound = self.proved(arms, epsilon, horizon) if self.proved else None
            points.append(replace(top, x=x, bound=bound))
            variances.append(variance)
        return points, variances

    def _largest(
        self, bench: Bench, series: str, target: str, setting: Setting
    ) -> tuple[Point | None, float]:
        """Over gaps from 1/2 to 1/sqrt(T); None if no value is known well enough."""
        arms, epsilon, horizon = setting
        found: list[tuple[Point, float]] = []
        step = self.finest * (2 if bench.quick else 1)
        for e in np.arange(1.0, 0.5 * math.log2(horizon) + 1.0, step):
            instance = _world(target, arms, 2.0 ** -float(e))
            how: dict[str, Any] = {"epsilon": epsilon, "environment": "bernoulli"}
            if not self.runs:
                parts = bench.exact(series, target, instance, [horizon], **how, **self.parameters)
                found += [(p, 0.0) for p in parts]
                continue
            runs = max(25, self.runs // 4) if bench.quick else self.runs
            parts, covariance = bench.simulate(
                series, target, instance, [horizon], runs, comparisons=2000, **how,
                **self.parameters,
            )  # fmt: skip
            found.append((parts[0], float(covariance[0, 0])))
        if not found:
            return None, 0.0
        top, variance = max(found, key=lambda each: each[0].regret)
        high = max(p.regret + p.error for p, _ in found)
        # Play at random is worst at the largest gap.
        idle = max(p.idle or 0.0 for p, _ in found)
        return replace(top, error=high - top.regret, idle=idle), variance


def _world(target: str, arms: int, gap: float) -> Instance:
    from dpaudit.play.catalogue import resolve

    losses = equal_gaps(arms, gap, 0.5 - gap / 2)
    return losses if resolve(target).card.payoff == "losses" else losses.rewards()


def curve_of(name: str, points: Sequence[Point], variances: Sequence[float]) -> Curve:
    """A curve of means that are independent, each from runs of its own."""
    return curve(name, points, np.diag(variances))
