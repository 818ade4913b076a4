"""The exact engine for lazily releasing Laplace learners with two arms.

Between two releases the noisy means stay put, and each round's choice only says on which side of a
threshold their difference is. So a path of actions has as probability a chain of one-dimensional
integrals, and depends on the table only through the sums of the epochs that were released. All
paths and all binary tables are searched on a grid, and the worst pair is certified with balls.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import flint
import numpy as np
from flint import arb

from dpaudit.algorithm.exact import LazyLaplace
from dpaudit.auditor.engines.exact.exponential_pieces import Pieces
from dpaudit.results.audit import Event, Floats, Lower, Pair

LONGEST = 10
"""Rounds up to which all paths and tables are searched."""
BITS = 192
LEAST = 1e-9
"""Sequences of less probability are left out: the grid does not resolve their ratio."""
GRID_ERROR = 2e-5
"""Largest error of a log-ratio on the grid (tested against the certified values)."""


@dataclass(frozen=True)
class Stage:
    """Rounds without a release: the epoch behind each arm's mean and its length, and the band of
    differences of the means, arm 0 less arm 1, in which the choices fall."""

    epochs: tuple[int, int]
    lengths: tuple[int, int]
    low: tuple[float, int] | None
    high: tuple[float, int] | None


@dataclass(frozen=True)
class Path:
    """A sequence of actions: its epochs (arm, length, rounds) in order, and its stages."""

    actions: tuple[int, ...]
    epochs: tuple[tuple[int, int, tuple[int, ...]], ...]
    stages: tuple[Stage, ...]


def threshold(
    rule: LazyLaplace, n0: int, n1: int, t: int, epsilon: Any, *, balls: bool = False
) -> Any:
    """Arm 0 is chosen in round t iff mean 0 - mean 1 is at least this."""
    number: Any = arb if balls else float
    root: Any = arb.sqrt if balls else math.sqrt
    log_t = number(t).log() if balls else math.log(t)

    def width(n: int) -> Any:
        return root(number(rule.root) * log_t / n) + number(rule.linear) * log_t / (epsilon * n)

    return width(n1) - width(n0)


def paths(rounds: int, epsilon: float, rule: LazyLaplace) -> Iterator[Path]:
    """All action sequences that can happen."""
    for free in itertools.product((0, 1), repeat=max(0, rounds - 2)):
        path = trace_path((0, 1, *free)[:rounds], epsilon, rule)
        if path is not None:
            yield path


def trace_path(actions: tuple[int, ...], epsilon: float, rule: LazyLaplace) -> Path | None:
    """Epochs and stages of a sequence; None where it cannot happen."""
    pending: list[list[int]] = [[], []]
    behind, length, released = [-1, -1], [1, 1], [0, 0]
    epochs: list[tuple[int, int, tuple[int, ...]]] = []
    stages: list[Stage] = []
    low: tuple[float, int] | None = None
    high: tuple[float, int] | None = None

    def close() -> None:
        if low is not None or high is not None:
            stages.append(Stage((behind[0], behind[1]), (released[0], released[1]), low, high))

    for t, arm in enumerate(actions, 1):
        if rule.episodes and pending[1 - arm]:
            return None  # the other arm's episode is running
        if t > 2 and not (rule.episodes and pending[arm]):
            cut = (threshold(rule, released[0], released[1], t, epsilon), t)
            if arm == 0:
                low = cut if low is None else max(low, cut)
            else:
                high = cut if high is None else min(high, cut)
            if low is not None and high is not None and low[0] >= high[0]:
                return None
        pending[arm].append(t)
        if len(pending[arm]) == length[arm]:
            close()
            epochs.append((arm, length[arm], tuple(pending[arm])))
            first = behind[arm] < 0
            behind[arm], released[arm] = len(epochs) - 1, length[arm]
            pending[arm] = []
            length[arm] = 1 if rule.episodes and first else 2 * length[arm]
            low = high = None
    close()
    return Path(actions, tuple(epochs), tuple(stages))


class Grid:
    """Densities on a grid, integrals by the trapezoidal rule; noise of scale 1 / epsilon."""

    def __init__(self, epsilon: float) -> None:
        reach = 3.0 + 24.0 / epsilon
        self.epsilon = epsilon
        self.x = np.linspace(-reach, reach, 12001)
        self.step = self.x[1] - self.x[0]

    def released(self, total: int, n: int) -> Floats:
        """Density of a released mean, averaged over the cell so that its kink costs nothing."""
        rate = n * self.epsilon

        def below(x: Floats) -> Floats:
            far = np.exp(-np.abs(x) * rate)
            return np.where(x < 0, far / 2, 1 - far / 2)

        half = self.step / 2
        away = self.x - total / n
        return np.asarray((below(away + half) - below(away - half)) / self.step)

    def within(self, density: Floats, low: float | None, high: float | None) -> Floats:
        """x -> integral of the density over [x + low, x + high]."""
        sums = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) * self.step / 2)])

        def upto(shift: float) -> Any:
            return np.interp(self.x + shift, self.x, sums, left=0.0, right=sums[-1])

        upper = sums[-1] if high is None else upto(high)
        return np.asarray(upper if low is None else upper - upto(low))

    def total(self, density: Floats) -> float:
        return float(density.sum() * self.step)

    def edge(self, stage: Stage, side: tuple[float, int]) -> float:
        return side[0]


class Balls:
    """The same in ball arithmetic: every result contains the true one."""

    def __init__(self, epsilon: float, rule: LazyLaplace) -> None:
        self.rule, self.epsilon = rule, arb(epsilon)
        self.rate = self.epsilon / arb(rule.scale)

    def released(self, total: int, n: int) -> Pieces:
        return Pieces.laplace(self.rate, arb(total) / n, n)

    def within(self, density: Pieces, low: Any, high: Any) -> Pieces:
        integral = density.antiderivative()
        everything = Pieces(self.rate, [], [{(0, 0): density.total()}])
        upper = everything if high is None else integral.shifted(high)
        return upper if low is None else upper - integral.shifted(low)

    def total(self, density: Pieces) -> Any:
        return density.total()

    def edge(self, stage: Stage, side: tuple[float, int]) -> Any:
        return threshold(self.rule, *stage.lengths, side[1], self.epsilon, balls=True)


def probability(path: Path, sums: tuple[int, ...], line: Grid | Balls) -> Any:
    """Probability of the path for these sums of its epochs."""
    on: Any = line
    means = [
        functools.partial(on.released, s, e[1]) for s, e in zip(sums, path.epochs, strict=True)
    ]
    zero, one = (means[epoch]() for epoch in path.stages[0].epochs)
    for stage, following in itertools.zip_longest(path.stages, path.stages[1:]):
        low, high = (None if s is None else on.edge(stage, s) for s in (stage.low, stage.high))
        if following is None:
            return on.total(one * on.within(zero, low, high))
        if following.epochs[0] != stage.epochs[0]:
            one = one * on.within(zero, low, high)
            zero = means[following.epochs[0]]()
        else:
            minus = (None if side is None else -side for side in (high, low))
            zero = zero * on.within(one, *minus)
            one = means[following.epochs[1]]()
    raise AssertionError("a path ends with a stage")


@dataclass(frozen=True)
class Worst:
    """A path, and the sums of its epochs in the likelier world and in the other."""

    loss: float
    path: Path
    sums: tuple[int, ...]
    other: tuple[int, ...]


def worst(rounds: int, epsilon: float, rule: LazyLaplace) -> Worst | None:
    """The largest log-ratio over all paths and all neighbouring binary tables, on the grid."""
    grid, best = Grid(epsilon / rule.scale), None
    for path in paths(rounds, epsilon, rule):
        used = sorted({e for stage in path.stages for e in stage.epochs})
        ranges = [range(e[1] + 1 if i in used else 1) for i, e in enumerate(path.epochs)]
        chances = {}
        if used:
            chances = {s: probability(path, s, grid) for s in itertools.product(*ranges)}
        for sums, chance in chances.items():
            for epoch, step in itertools.product(used, (-1, 1)):
                other = *sums[:epoch], sums[epoch] + step, *sums[epoch + 1 :]
                if chances.get(other, 0.0) > 0.0 and chance > LEAST:
                    loss = math.log(chance / chances[other])
                    if best is None or loss > best.loss + 1e-9:
                        best = Worst(loss, path, sums, other)
    return best


def exact_lower(rounds: int, epsilon: float, rule: LazyLaplace) -> tuple[Lower, str]:
    """The certified largest log-ratio, its witness, and what was searched."""
    found = worst(rounds, epsilon, rule)
    how = (
        f"all action sequences of probability above {LEAST:g} and all neighbouring binary tables "
        f"of {rounds} rounds"
    )
    if found is None or found.loss <= 0.0:
        return Lower(0.0, None, Event("no action depends on the rewards"), 0, 0.0), how
    with flint.ctx.workprec(BITS):
        balls = Balls(epsilon, rule)
        here, there = (probability(found.path, sums, balls) for sums in (found.sums, found.other))
        ratio = (here / there).log()
        low, middle = float(ratio.lower()), float(ratio.mid())
    shown = " ".join(str(a) for a in found.path.actions)
    event = Event(f"the actions of rounds 1 to {rounds} are {shown}", (found.path.actions,))
    return Lower(math.nextafter(low, -math.inf), _pair(found, rounds), event, 0, middle), how


def _pair(found: Worst, rounds: int) -> Pair:
    """Tables with these sums; what is not pulled on the path is 0. The last 1 of the changed epoch
    (or its first 0) is the round that differs."""
    likely, other, changed = np.zeros((rounds, 2)), np.zeros((rounds, 2)), 0
    for (arm, _, played), total, there in zip(
        found.path.epochs, found.sums, found.other, strict=True
    ):
        likely[[t - 1 for t in played[:total]], arm] = 1.0
        other[[t - 1 for t in played[:there]], arm] = 1.0
        if total != there:
            changed = played[min(total, there)]
    return Pair(other, likely, changed)
