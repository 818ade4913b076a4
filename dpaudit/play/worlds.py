"""Means that change: at change points, along a line, or round by round; and plays in such worlds,
or with more measured than the regret.

A world is cut into segments, in each of which every arm's mean is a line. Regret is against the
best fixed arm of the means: the arm that is best in sum up to the horizon that is looked at. Where
means change it may be negative, for a learner may do better than any one arm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpaudit.errors import UsageError, check_count
from dpaudit.machine.compiling import bound, compiled_driver
from dpaudit.play.environments import Stochastic, check_means
from dpaudit.play.tables import Floats
from dpaudit.run.plain import travels
from dpaudit.run.task import Block

Changes = Sequence[tuple[int, Sequence[float]]]
"""Change points: (round, the means from that round on)."""
MEASURED = ("realised", "error", "switches")
"""What a play measures beside the pseudo-regret, in this order."""
FEW = 2**22
"""Rounds that are looked at one by one."""


@travels
@dataclass(frozen=True)
class World:
    """In round t of the segment that begins in round s the means are `means + (t - s) slopes`;
    there are so many `rounds`."""

    starts: NDArray[np.int64]
    means: Floats
    slopes: Floats
    rounds: int
    losses: bool = False

    @property
    def changing(self) -> bool:
        return len(self.starts) > 1 or self.drifting

    @property
    def drifting(self) -> bool:
        return bool(self.slopes.any())

    def until(self, rounds: int) -> World:
        """As far as that round."""
        kept = self.starts <= rounds
        rows = self.starts[kept], self.means[kept], self.slopes[kept]
        return World(*rows, rounds, self.losses)

    def squeezed(self, rounds: int) -> World:
        """All of it in that many rounds, fewer than there are."""
        starts = 1 + ((self.starts - 1).astype(np.float64) * rounds / self.rounds).astype(np.int64)
        kept = np.append(starts[1:] > starts[:-1], True)
        slopes = self.slopes[kept] * (self.rounds / rounds)
        return World(starts[kept], self.means[kept], slopes, rounds, self.losses)

    def at(self, t: int) -> Floats:
        """The means of round t."""
        s = int(np.searchsorted(self.starts, t, side="right")) - 1
        return np.asarray(self.means[s] + (t - self.starts[s]) * self.slopes[s])

    def of(self, arms: NDArray[np.int64]) -> Floats:
        """The means of the arms that were played in rounds 1, 2, …"""
        t = np.arange(1, len(arms) + 1)
        s = np.searchsorted(self.starts, t, side="right") - 1
        return np.asarray(self.means[s, arms] + (t - self.starts[s]) * self.slopes[s, arms])

    def sums(self, ends: NDArray[np.int64]) -> Floats:
        """The sum of each arm's means up to each horizon (horizons x arms)."""
        return self._sums(self.means, self.slopes, ends)

    def best(self, ends: NDArray[np.int64]) -> Floats:
        """The sum of the best fixed arm's means up to each horizon."""
        sums = self.sums(ends)
        return np.asarray(sums.min(axis=1) if self.losses else sums.max(axis=1))

    def gaps(self) -> tuple[int, Floats, Floats]:
        """The best fixed arm of all rounds, and by segment how far worse the arms are, as lines."""
        sums = self.sums(np.array([self.rounds]))[0]
        arm = int(sums.argmin() if self.losses else sums.argmax())
        found = [rows[:, [arm]] - rows for rows in (self.means, self.slopes)]
        values, slopes = (-rows if self.losses else rows for rows in found)
        return arm, values, slopes

    def within(self, ends: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """What the regret up to each horizon lies between, at the least and at the most."""
        none = np.zeros((len(self.starts), 1))
        highest, lowest = (
            self._sums(self._extreme(each)[:, None], none, ends)[:, 0]
            for each in (np.maximum, np.minimum)
        )
        best = self.best(ends)
        return (lowest - best, highest - best) if self.losses else (best - highest, best - lowest)

    def beyond_fixed(self) -> float | None:
        """By how much the best arm of each round is better, in all rounds, than the best fixed one;
        None where that would take long."""
        if self.drifting and self.rounds > FEW:
            return None
        end = np.array([self.rounds])
        if not self.drifting:
            return float(-self.within(end)[0][0])
        each = np.array([self.at(t) for t in range(1, self.rounds + 1)])
        total = each.min(axis=1).sum() if self.losses else each.max(axis=1).sum()
        return float(abs(total - self.best(end)[0]))

    def _sums(self, means: Floats, slopes: Floats, ends: NDArray[np.int64]) -> Floats:
        last = np.searchsorted(self.starts, ends, side="right") - 1
        whole = _line(means[:-1], slopes[:-1], np.diff(self.starts))
        before = np.vstack([np.zeros((1, means.shape[1])), np.cumsum(whole, axis=0)])
        inside = _line(means[last], slopes[last], ends - self.starts[last] + 1)
        return np.asarray(before[last] + inside)

    def _extreme(self, extreme: Any) -> Floats:
        """What no mean of a segment is beyond: a line is extreme at an end."""
        after = np.append(self.starts[1:], self.rounds + 1)
        ends = self.means + (after - self.starts - 1)[:, None] * self.slopes
        return np.asarray(extreme.reduce(extreme(self.means, ends), axis=1))


def _line(values: Floats, slopes: Floats, rounds: NDArray[np.int64]) -> Floats:
    """The sum of so many rounds of a line."""
    n = rounds.astype(np.float64)[:, None]
    return np.asarray(values * n + slopes * (0.5 * n * (n - 1.0)))


def world_of(
    means: Sequence[float] | Floats | Callable[[int], Any],
    rounds: int,
    *,
    changes: Changes = (),
    drift: Sequence[float] | None = None,
    losses: bool = False,
) -> World:
    """Checked. `drift` has the means of the last round: they get there along a line. Means that are
    a function of the round are asked for those of every round."""
    if callable(means):
        if changes or drift is not None:
            raise UsageError("means: a function of the round is not for changes or a drift")
        if rounds > FEW:
            raise UsageError(f"horizon: means that are a function go to {FEW} rounds, got {rounds}")
        table = _table(means, rounds)
        kept = np.append(True, np.any(table[1:] != table[:-1], axis=1))
        starts = 1 + np.flatnonzero(kept)
        return World(starts, table[kept], np.zeros((len(starts), table.shape[1])), rounds, losses)
    first = check_means(means)
    if drift is not None:
        if changes:
            raise UsageError("drift: got change points too, allowed is one of the two")
        slope = (_same_arms("drift", drift, first) - first) / max(1, rounds - 1)
        return World(np.array([1]), first[None], slope[None], rounds, losses)
    points, rows = [1], [first]
    for change in changes:
        try:
            begin, row = change
        except (TypeError, ValueError):
            raise UsageError(f"change: got {change!r}, allowed is a round and means") from None
        # Those behind the last round are of no account: a study of a shorter horizon.
        start = check_count("change: round", begin, 2)
        if start <= points[-1]:
            raise UsageError(f"change: got round {start} after {points[-1]}, allowed is increasing")
        points.append(start)
        rows.append(_same_arms("change", row, first))
    whole = World(
        np.array(points), np.array(rows), np.zeros((len(rows), len(first))), rounds, losses
    )
    return whole.until(rounds)


def _same_arms(name: str, given: Any, first: Floats) -> Floats:
    try:
        row = check_means(given)
    except UsageError as error:
        raise UsageError(f"{name}: {error}") from None
    if row.shape != first.shape:
        raise UsageError(f"{name}: got {len(row)} means, allowed is {len(first)}, one an arm")
    return row


def _table(means: Callable[[int], Any], rounds: int) -> Floats:
    """The means of every round."""
    rows: list[Floats] = []
    for t in range(1, rounds + 1):
        try:
            row = check_means(means(t))
        except UsageError as error:
            raise UsageError(f"in round {t}, {error}") from None
        if rows and row.shape != rows[0].shape:
            raise UsageError(f"means: in round {t} got {len(row)}, before {len(rows[0])}")
        rows.append(row)
    return np.array(rows)


@travels
@dataclass(frozen=True)
class Measured:
    """A catalogue algorithm in a world, with what is measured beside the regret."""

    asked: Stochastic
    world: World

    @property
    def far(self) -> bool:
        return self.asked.far

    def work(self, runs: int) -> Iterator[Block]:
        return self.asked.work(runs)

    def runs(self, block: Block, seed: int) -> tuple[Floats, Floats, Floats]:
        """Regret (runs x horizons); what leaps neglected, and steps; and as MEASURED (runs x
        horizons x 3): payoff against the best fixed arm's means, whether the arm pulled most is
        none of the best, and how often another arm was pulled than the round before."""
        asked, world = self.asked, self.world
        algorithm, ends = asked.who.algorithm, asked.horizons
        finite = asked.environment == "finite"
        numbers = asked.drawn[None] if finite else world.means
        rates = np.zeros_like(numbers) if finite else world.slopes
        reference, gaps, gap_rates = world.gaps()
        sums, best = world.sums(ends), world.best(ends)
        where = world.starts, numbers, rates, gaps, gap_rates, sums == best[:, None], ends
        shape = block.runs, len(ends)
        regret, beside, seen = np.empty(shape), np.zeros((block.runs, 2)), np.empty((*shape, 3))
        bind: Any = bound if asked.python else compiled_driver
        drive = bind("measure_far" if asked.far else "measure", algorithm, asked.environment)
        rng = block.generator(seed)
        if asked.far:
            pace = algorithm.pace(world.means.shape[1])
            drive(asked.who.fresh(), *pace, *where, regret, beside, seen, rng)
        else:
            drive(asked.who.fresh(), *where, asked.leaping, regret, seen, rng)
        sign = -1.0 if world.losses else 1.0
        # Regret was counted against one arm, that of the last horizon; another may be best before.
        regret += sign * (best - sums[:, reference])
        seen[:, :, 0] = sign * (best - seen[:, :, 0])
        return regret, beside, seen


def measured(asked: Stochastic, world: World, names: Sequence[str]) -> Measured:
    """Checked: what leaps cannot tell is refused or played without them."""
    algorithm = asked.who.algorithm
    if world.drifting:
        asked = replace(asked, leaping=False, far=False)
    if asked.far and "switches" in names and not algorithm.in_order:
        asked = replace(asked, far=False)
    redraws = algorithm.redraws(asked.who.settings)
    if asked.far and "realised" in names and redraws and asked.environment != "bernoulli":
        asked = replace(asked, far=False)
    return Measured(asked, world)
