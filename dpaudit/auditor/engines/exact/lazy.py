"""The exact engine for lazily releasing Laplace learners with two arms.

Between two releases the noisy means stay put, and each round's choice only says on which side of a
threshold their difference is. So a path of actions has as probability a chain of one-dimensional
integrals, and depends on the table only through the sums of the epochs that were released. All
paths and all binary tables are searched on a grid, and the worst pair is certified with balls.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

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
    """Rounds without a release: the epoch behind each arm's mean, and the band of differences of
    the means, arm 0 less arm 1, in which the choices fall."""

    epochs: tuple[int, int]
    low: tuple[float, int] | None
    high: tuple[float, int] | None


@dataclass(frozen=True)
class Path:
    """A sequence of actions: its epochs (arm, length, rounds) in order, and its stages."""

    actions: tuple[int, ...]
    epochs: tuple[tuple[int, int, tuple[int, ...]], ...]
    stages: tuple[Stage, ...]


@dataclass(frozen=True)
class Rule:
    """An optimistic index mean + sqrt(root ln t / n) + linear ln t / (epsilon n), and when it is
    asked: in every round, or at the start of episodes that double an arm's pulls."""

    root: float
    linear: float
    episodes: bool

    def threshold(self, n0: int, n1: int, t: int, epsilon: Any, *, balls: bool = False) -> Any:
        """Arm 0 is chosen in round t iff mean 0 - mean 1 is at least this."""
        if balls:
            from flint import arb

            ball, root, linear = arb(t).log(), arb(self.root), arb(self.linear)
            widths = [(root * ball / n).sqrt() + linear * ball / (epsilon * n) for n in (n0, n1)]
            return widths[1] - widths[0]
        log_t = math.log(t)
        return sum(
            s * (math.sqrt(self.root * log_t / n) + self.linear * log_t / (epsilon * n))
            for s, n in ((-1, n0), (1, n1))
        )


LAZY_UCB = Rule(root=3.0, linear=3.0, episodes=False)


def rule_of(name: str, own: Any) -> Rule:
    """The rule of a catalogue entry of the family."""
    if name == "adap-ucb":
        return Rule(root=float(own.alpha) / 2.0, linear=float(own.alpha), episodes=True)
    return LAZY_UCB


def paths(rounds: int, epsilon: float, rule: Rule = LAZY_UCB) -> Iterator[Path]:
    """All action sequences that can happen."""
    for free in itertools.product((0, 1), repeat=max(0, rounds - 2)):
        path = trace_path((0, 1, *free)[:rounds], epsilon, rule)
        if path is not None:
            yield path


def trace_path(actions: tuple[int, ...], epsilon: float, rule: Rule = LAZY_UCB) -> Path | None:
    """Epochs and stages of a sequence; None where it cannot happen."""
    pending: list[list[int]] = [[], []]
    behind, length = [-1, -1], [1, 1]
    epochs: list[tuple[int, int, tuple[int, ...]]] = []
    stages: list[Stage] = []
    low: tuple[float, int] | None = None
    high: tuple[float, int] | None = None
    decided = False
    for t, arm in enumerate(actions, 1):
        if rule.episodes and pending[1 - arm]:
            return None  # the other arm's episode is running
        if t > 2 and not (rule.episodes and pending[arm]):
            n0, n1 = epochs[behind[0]][1], epochs[behind[1]][1]
            cut = (rule.threshold(n0, n1, t, epsilon), t)
            decided = True
            if arm == 0:
                low = cut if low is None else max(low, cut)
            else:
                high = cut if high is None else min(high, cut)
            if low is not None and high is not None and low[0] >= high[0]:
                return None
        pending[arm].append(t)
        if len(pending[arm]) == length[arm]:
            if decided:
                stages.append(Stage((behind[0], behind[1]), low, high))
            # Episodes double the pulls: 1, 1, 2, 4, ...; epochs of Anytime-Lazy-UCB 1, 2, 4, ...
            first = behind[arm] < 0
            epochs.append((arm, length[arm], tuple(pending[arm])))
            behind[arm] = len(epochs) - 1
            pending[arm] = []
            length[arm] = 1 if rule.episodes and first else 2 * length[arm]
            low, high, decided = None, None, False
    if decided:
        stages.append(Stage((behind[0], behind[1]), low, high))
    return Path(actions, tuple(epochs), tuple(stages))


class Grid:
    """Densities on a grid, integrals by the trapezoidal rule."""

    def __init__(self, epsilon: float) -> None:
        reach = 3.0 + 24.0 / epsilon
        self.epsilon = epsilon
        self.x = np.linspace(-reach, reach, 12001)
        self.step = self.x[1] - self.x[0]

    def laplace(self, center: float, n: int) -> Floats:
        """Density of a released mean, averaged over the cell so that its kink costs nothing."""
        rate = n * self.epsilon

        def below(x: Floats) -> Floats:
            far = np.exp(-np.abs(x) * rate)
            return np.where(x < 0, far / 2, 1 - far / 2)

        half = self.step / 2
        edges = self.x - center
        return np.asarray((below(edges + half) - below(edges - half)) / self.step)

    def within(self, density: Floats, low: float, high: float) -> Floats:
        """x -> integral of the density over [x + low, x + high]."""
        sums = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) * self.step / 2)])

        def upto(shift: float) -> Any:
            if math.isinf(shift):
                return sums[-1] if shift > 0 else 0.0
            return np.interp(self.x + shift, self.x, sums, left=0.0, right=sums[-1])

        return np.asarray(upto(high) - upto(low))

    def probability(self, path: Path, sums: tuple[int, ...]) -> float:
        """Probability of the path for these sums of its epochs."""

        def fresh(epoch: int) -> Floats:
            n = path.epochs[epoch][1]
            return self.laplace(sums[epoch] / n, n)

        now = list(path.stages[0].epochs)
        density = [fresh(now[0]), fresh(now[1])]
        for stage, following in itertools.zip_longest(path.stages, path.stages[1:]):
            low = -math.inf if stage.low is None else stage.low[0]
            high = math.inf if stage.high is None else stage.high[0]
            if following is None:
                inside = density[1] * self.within(density[0], low, high)
                return float(inside.sum() * self.step)
            if following.epochs[0] != stage.epochs[0]:
                density[1] = density[1] * self.within(density[0], low, high)
                density[0] = fresh(following.epochs[0])
            else:
                density[0] = density[0] * self.within(density[1], -high, -low)
                density[1] = fresh(following.epochs[1])
        raise AssertionError("a path ends with a stage")


def ball_probability(
    path: Path, sums: tuple[int, ...], epsilon: float, rule: Rule = LAZY_UCB
) -> Any:
    """A ball that contains the probability of the path."""
    from flint import arb

    from dpaudit.auditor.engines.exact.exponential_pieces import Pieces

    eps = arb(epsilon)

    def fresh(epoch: int) -> Any:
        n = path.epochs[epoch][1]
        return Pieces.laplace(eps, arb(sums[epoch]) / n, n)

    def cut(stage: Stage, side: tuple[float, int] | None) -> Any:
        if side is None:
            return None
        n0, n1 = (path.epochs[e][1] for e in stage.epochs)
        return rule.threshold(n0, n1, side[1], eps, balls=True)

    def within(density: Any, low: Any, high: Any) -> Any:
        integral = density.antiderivative()
        everything = Pieces(eps, [], [{(0, 0): density.total()}])
        upper = everything if high is None else integral.shifted(high)
        return upper if low is None else upper - integral.shifted(low)

    density = [fresh(e) for e in path.stages[0].epochs]
    for stage, following in itertools.zip_longest(path.stages, path.stages[1:]):
        low, high = cut(stage, stage.low), cut(stage, stage.high)
        if following is None:
            return (density[1] * within(density[0], low, high)).total()
        if following.epochs[0] != stage.epochs[0]:
            density[1] = density[1] * within(density[0], low, high)
            density[0] = fresh(following.epochs[0])
        else:
            minus = (None if high is None else -high), (None if low is None else -low)
            density[0] = density[0] * within(density[1], *minus)
            density[1] = fresh(following.epochs[1])
    raise AssertionError("a path ends with a stage")


@dataclass(frozen=True)
class Worst:
    """A path, the sums of its epochs in the likelier world, and the epoch whose sum changes."""

    loss: float
    path: Path
    sums: tuple[int, ...]
    epoch: int
    step: int


def worst(rounds: int, epsilon: float, rule: Rule = LAZY_UCB) -> Worst | None:
    """The largest log-ratio over all paths and all neighbouring binary tables, on the grid."""
    grid, best = Grid(epsilon), None
    for path in paths(rounds, epsilon, rule):
        if not path.stages:
            continue
        used = sorted({e for stage in path.stages for e in stage.epochs})
        ranges = [
            range(path.epochs[e][1] + 1) if e in used else range(1) for e in range(len(path.epochs))
        ]
        table = {s: grid.probability(path, s) for s in itertools.product(*ranges)}
        for sums, probability in table.items():
            for epoch, step in itertools.product(used, (-1, 1)):
                other = table.get((*sums[:epoch], sums[epoch] + step, *sums[epoch + 1 :]), 0.0)
                if other > 0.0 and probability > LEAST:
                    loss = math.log(probability / other)
                    if best is None or loss > best.loss + 1e-9:
                        best = Worst(loss, path, sums, epoch, step)
    return best


def exact_lower(rounds: int, epsilon: float, rule: Rule = LAZY_UCB) -> tuple[Lower, str]:
    """The certified largest log-ratio, its witness, and what was searched."""
    import flint

    found = worst(rounds, epsilon, rule)
    how = (
        f"all action sequences of probability above {LEAST:g} and all neighbouring binary tables "
        f"of {rounds} rounds"
    )
    if found is None or found.loss <= 0.0:
        return Lower(0.0, None, Event("no action depends on the rewards"), 0, 0.0), how
    other = list(found.sums)
    other[found.epoch] += found.step
    with flint.ctx.workprec(BITS):
        ratio = (
            ball_probability(found.path, found.sums, epsilon, rule)
            / ball_probability(found.path, tuple(other), epsilon, rule)
        ).log()
        low, middle = float(ratio.lower()), float(ratio.mid())
    shown = " ".join(str(a) for a in found.path.actions)
    lower = Lower(
        bound=math.nextafter(low, -math.inf),
        pair=_pair(found, rounds),
        event=Event(f"the actions of rounds 1 to {rounds} are {shown}", (found.path.actions,)),
        runs=0,
        estimate=middle,
    )
    return lower, how


def _pair(found: Worst, rounds: int) -> Pair:
    """Tables with these sums; what is not pulled on the path is 0. The last 1 of the changed epoch
    (or its first 0) is the round that differs."""
    table = np.zeros((rounds, 2))
    for (arm, _, played), total in zip(found.path.epochs, found.sums, strict=True):
        for t in played[:total]:
            table[t - 1, arm] = 1.0
    arm, _, played = found.path.epochs[found.epoch]
    total = found.sums[found.epoch]
    changed = played[total - 1] if found.step < 0 else played[total]
    other = table.copy()
    other[changed - 1, arm] = 1.0 - table[changed - 1, arm]
    return Pair(other, table, changed)
