"""Where a study gets its numbers: instances with arms grouped by equal means, exact or simulated
regret, every simulation with a stream of its own."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from msgspec.structs import replace

from dpaudit.laboratory.scaling.laws import LEVEL, Curve
from dpaudit.results.regret import Floats
from dpaudit.results.scaling import Point
from dpaudit.run.task import stream

USABLE = 0.005
"""Exact values whose error is a larger part of them are left out (and counted)."""
STAIRS = (0.0, 0.125, 0.25, 0.375)
"""Phases that fill a period of doubling epochs; see `Bench.averaged`."""


@dataclass(frozen=True)
class Instance:
    """Means (losses, or rewards), and how many arms have each."""

    name: str
    means: tuple[float, ...]
    counts: tuple[int, ...]

    @property
    def arms(self) -> int:
        return sum(self.counts)

    def gaps(self, losses: bool) -> Floats:
        means = np.array(self.means)
        return np.asarray(means - means.min() if losses else means.max() - means)

    def idle(self, losses: bool) -> float:
        """The regret of play at random, a round."""
        return float(np.array(self.counts) @ self.gaps(losses) / self.arms)

    def rewards(self) -> Instance:
        """The same gaps with losses turned into rewards, the groups in reverse order: the first
        action is then one of the largest gap."""
        means = tuple(1.0 - m for m in reversed(self.means))
        return Instance(self.name, means, tuple(reversed(self.counts)))


def equal_gaps(arms: int, gap: float, best: float = 0.0) -> Instance:
    """One best arm, all others at one gap (losses)."""
    return Instance(f"equal gaps {gap:.4g}", (best, best + gap), (1, arms - 1))


def doubling_gaps(arms: int, smallest: float, levels: int, best: float = 0.0) -> Instance:
    """One best arm, the others spread evenly over gaps smallest * 2^l (losses)."""
    used = min(levels, arms - 1)
    share, rest = divmod(arms - 1, used)
    gaps = [smallest * 2.0**level for level in range(used)]
    counts = [share + (level < rest) for level in range(used)]
    name = f"{used} doubling gaps from {smallest:.4g}"
    return Instance(name, (best, *(best + g for g in gaps)), (1, *counts))


@dataclass
class Bench:
    """Runs the measurements of one study; the same seed gives the same numbers."""

    study: str
    seed: int = 0
    quick: bool = False
    skipped: int = 0
    lower_bounds: dict[str, str] = field(default_factory=dict)
    """Of the bounds beside the points, by their names, what they are."""
    _calls: int = field(default=0, repr=False)

    def exact(
        self,
        series: str,
        target: str,
        instance: Instance,
        horizons: Sequence[int],
        *,
        epsilon: float | None = None,
        environment: str = "deterministic",
        **parameters: Any,
    ) -> list[Point]:
        """Exact regret at the horizons; what is not known to USABLE is left out."""
        from dpaudit.laboratory.exact.regret import exact_regret

        how: dict[str, Any] = {"epsilon": epsilon, "environment": environment}
        found = exact_regret(
            target, instance.means, horizons, counts=instance.counts, **how, **parameters
        )
        about = {**_about(series, target, instance), **how, "parameters": parameters}
        points = _points(about, horizons, found.regret, found.error)
        points = self._bounded(points, instance)
        known = [point for point in points if point.error <= USABLE * point.regret]
        self.skipped += len(points) - len(known)
        return known

    def simulate(
        self,
        series: str,
        target: str,
        instance: Instance,
        horizons: Sequence[int],
        runs: int,
        *,
        epsilon: float | None = None,
        environment: str = "bernoulli",
        comparisons: int = 100,
        **parameters: Any,
    ) -> tuple[list[Point], Floats]:
        """Mean regret of the runs at the horizons with bands at LEVEL for `comparisons` of them
        together, and the covariance of the means."""
        from scipy.special import stdtrit

        from dpaudit.play.environments import play_environment

        self._calls += 1
        how: dict[str, Any] = {"epsilon": epsilon, "environment": environment}
        plays = play_environment(
            target,
            np.repeat(instance.means, instance.counts),
            list(horizons),
            runs=runs,
            seed=stream(self.seed, zlib.crc32(self.study.encode()), self._calls),
            workers=None,
            **how,
            **parameters,
        )
        covariance = np.atleast_2d(np.cov(plays.regret, rowvar=False)) / runs
        quantile = float(stdtrit(runs - 1, 1.0 - (1.0 - LEVEL) / (2 * comparisons)))
        about = {**_about(series, target, instance), **how, "parameters": parameters, "runs": runs}
        error = quantile * np.sqrt(np.diag(covariance))
        mean = plays.regret.mean(axis=0)
        return self._bounded(_points(about, horizons, mean, error), instance), covariance

    def _bounded(self, points: list[Point], instance: Instance) -> list[Point]:
        """With the lower bound by which whoever was played is measured on this instance."""
        from dpaudit.laboratory.lower_bounds import strongest, yardstick
        from dpaudit.laboratory.lower_bounds.beside import bounds_for

        if not points:
            return points
        first = points[0]
        found = bounds_for(
            first.target,
            instance.means,
            [p.horizon for p in points],
            counts=instance.counts,
            epsilon=first.epsilon,
            environment=first.environment,
            parameters=first.parameters,
        )
        sure = strongest(found, asymptotic=False)
        best = yardstick(found)
        bounded = []
        for i, p in enumerate(points):
            # An asymptotic bound above what play at random loses says nothing at that T.
            early = best is not None and p.idle is not None and best.values[i] > p.idle
            used = sure if early else best
            if used is not None:
                self.lower_bounds.setdefault(used.short, used.described)
                p = replace(p, least=float(used.values[i]), least_by=used.short)
            bounded.append(p)
        return bounded

    @property
    def notes(self) -> list[str]:
        if not self.skipped:
            return []
        return [f"{self.skipped} exact values with an error above {USABLE:.1%} were left out"]

    def averaged(
        self,
        series: str,
        target: str,
        gaps: Sequence[float],
        horizons: Sequence[int],
        runs: int,
        *,
        epsilon: float | None = None,
        best: float = 0.9,
        comparisons: int = 100,
        **parameters: Any,
    ) -> tuple[list[Point], Floats]:
        """`simulate` for one arm of mean `best` and arms at these gaps below, with gaps and
        epsilon scaled by 2^-phase and regret scaled back, averaged over the phases.

        Algorithms whose epochs double pull a bad arm 2^r times: their regret is a staircase in
        log T, 1/gap and 1/epsilon, of period 2 in 1/(gap epsilon), which the phases fill.
        """
        name = (
            f"gaps {', '.join(f'{g:.4g}' for g in gaps)}" if len(gaps) < 5 else f"{len(gaps)} gaps"
        )
        total, regrets, errors, idle = 0.0, 0.0, 0.0, 0.0
        points: list[Point] = []
        floors: list[list[Point]] = []
        for phase in STAIRS:
            factor = 2.0**-phase
            means = (best, *(best - g * factor for g in gaps))
            points, covariance = self.simulate(
                series,
                target,
                Instance(name, means, (1,) * len(means)),
                horizons,
                runs,
                epsilon=None if epsilon is None else epsilon * factor,
                comparisons=comparisons * len(STAIRS),
                **parameters,
            )
            floors.append(points)
            total = total + covariance * factor**2 / len(STAIRS) ** 2
            regrets = regrets + np.array([p.regret for p in points]) * factor / len(STAIRS)
            errors = errors + np.array([p.error for p in points]) * factor / len(STAIRS)
            idle = idle + np.array([p.idle for p in points]) * factor / len(STAIRS)
        about = {"runs": runs * len(STAIRS), "gap": min(gaps), "epsilon": epsilon}
        merged = [
            replace(p, regret=float(r), error=float(e), idle=float(i), **about)
            for p, r, e, i in zip(points, *map(np.atleast_1d, (regrets, errors, idle)), strict=True)
        ]
        return [
            _with_mean_floor(p, phases) for p, *phases in zip(merged, *floors, strict=True)
        ], np.atleast_2d(total)


def _with_mean_floor(merged: Point, phases: Sequence[Point]) -> Point:
    """With the mean of what each phase has at least, scaled back as its regret is."""
    if any(p.least is None for p in phases):
        return replace(merged, least=None, least_by="")
    factors = [2.0**-phase / len(STAIRS) for phase in STAIRS]
    least = sum(f * (p.least or 0.0) for f, p in zip(factors, phases, strict=True))
    return replace(
        merged, least=least, least_by=" or ".join(dict.fromkeys(p.least_by for p in phases))
    )


def _about(series: str, target: str, instance: Instance) -> dict[str, Any]:
    """What the points of a curve have in common."""
    from dpaudit.play.catalogue import resolve

    losses = resolve(target).card.payoff == "losses"
    gaps = instance.gaps(losses)
    return {
        "series": series,
        "target": target,
        "instance": instance.name,
        "arms": instance.arms,
        "gap": float(gaps[gaps > 0].min()),
        "idle": instance.idle(losses),
    }


def _points(
    about: dict[str, Any], horizons: Sequence[int], regret: Floats, error: Floats
) -> list[Point]:
    rate = about.pop("idle")
    return [
        Point(x=t, horizon=int(t), regret=value, error=slack, idle=rate * t, **about)
        for t, value, slack in zip(
            *(map(float, each) for each in (horizons, regret, error)), strict=True
        )
    ]


def scaled(point: Point, factor: float, **changes: Any) -> Point:
    """The point with its regret in another unit."""
    parts = {name: getattr(point, name) for name in ("regret", "error", "idle", "least")}
    return replace(
        point, **{k: None if v is None else v * factor for k, v in parts.items()}, **changes
    )


def curve(name: str, points: Sequence[Point], covariance: Floats | None = None) -> Curve:
    return Curve(
        name,
        np.array([p.x for p in points]),
        np.array([p.regret for p in points]),
        covariance,
        points[0].runs,
    )


def reach(target: str, short: int, long: int) -> int:
    """The last exponent of T: further for who has leaps in law."""
    from dpaudit.play.catalogue import resolve

    return short if resolve(target).stretch is None else long


def powers(first: int, last: int, step: int = 1) -> list[int]:
    return [2**e for e in range(first, last + 1, step)]
