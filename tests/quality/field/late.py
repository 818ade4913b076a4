"""Leaks that show late: what is released first, or released badly, is released after 64 to 3,000
rounds, and the rounds before it are played without a look at the data or with enough noise."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.quality.field.entry import Worlds, always, broken, plays, tail


class Leaky:
    """The learner of the README."""

    feedback = "full-information"

    def __init__(self, arms, epsilon, rng):
        self.sums, self.epsilon, self.rng = np.zeros(arms), epsilon, rng
        self.leader, self.seen, self.epoch = 0, 0, 1

    def select(self, t):
        return self.leader

    def observe(self, t, arm, reward):
        self.sums += reward
        self.seen += 1
        if self.seen == self.epoch:
            noise = self.rng.laplace(0, 1 / self.epsilon, len(self.sums))
            self.leader = int(np.argmax(self.sums + noise))
            self.sums, self.seen, self.epoch = np.zeros(len(self.sums)), 0, 2 * self.epoch


def leaky_worlds() -> Worlds:
    # Epoch 4 to 7: sums differ by 2 or by 4, so P(arm 0) is tail(2) or tail(4): 2 - ln 1.5 = 1.594.
    # Longer epochs give up to 2, with smaller probabilities; the horizon takes nothing away.
    return Worlds(always(8, [0, 1]), 8, 4, [1, 0], [0, 1], plays(8, 0), tail(2), tail(4), 3000)


for _rounds in (64, 512, 4096, 65_536):
    broken(
        "scale 1/epsilon: a replaced vector moves one sum up and another down",
        name=f"Leaky{_rounds}",
        arms=2,
        rounds=_rounds,
        truth=1.59,
        show=leaky_worlds,
    )(Leaky)


@broken(
    "explores for 32 pulls each, then commits to the best raw mean",
    arms=2,
    rounds=80,
    truth=math.inf,
    # 31 or 32 wins of 32 against 32: the tie goes to arm 0.
    show=lambda: Worlds(always(65, [1, 1]), 65, 63, [0, 0], [1, 1], plays(65, 1), 1, 0, 40),
)
@dataclass
class ExploreThenCommit:
    arms: int
    epsilon: float
    rng: Any
    each: int = 32
    history: list[list[float]] = field(default_factory=list)
    choice: int | None = None

    def __post_init__(self) -> None:
        self.history = [[] for _ in range(self.arms)]

    def select(self, t: int) -> int:
        if self.choice is None and t > self.each * self.arms:
            means = [sum(h) / len(h) for h in self.history]
            self.choice = max(range(self.arms), key=means.__getitem__)
        return (t - 1) % self.arms if self.choice is None else self.choice

    def observe(self, t: int, arm: int, reward: float) -> None:
        if self.choice is None:
            self.history[arm].append(reward)


@broken(
    "a tree of sums whose nodes of 64 rounds and more have no noise",
    arms=2,
    rounds=128,
    truth=math.inf,
    # After round 64 the prefix is one bare node: 64 against 63, or a tie.
    show=lambda: Worlds(always(65, [1, 1]), 65, 10, [0, 1], [1, 1], plays(65, 1), 1, 0, 40),
)
class BareTreeTop:
    feedback = "full-information"
    LEVELS = 17
    NOISY = 6

    def __init__(self, arms, epsilon, rng):
        self.rng = rng
        self.scale = 2 * self.LEVELS / epsilon
        self.exact = np.zeros((self.LEVELS, arms))
        self.noisy = np.zeros((self.LEVELS, arms))
        self.best = 0

    def select(self, t):
        return self.best

    def observe(self, t, arm, reward):
        level = (t & -t).bit_length() - 1
        self.exact[level] = self.exact[:level].sum(axis=0) + reward
        self.exact[:level] = self.noisy[:level] = 0
        self.noisy[level] = self.exact[level]
        if level < self.NOISY:
            self.noisy[level] += self.rng.laplace(0, self.scale, self.noisy.shape[1])
        used = [i for i in range(self.LEVELS) if t >> i & 1]
        self.best = int(np.argmax(self.noisy[used].sum(axis=0)))


@broken(
    "noise is drawn for 11 levels, the node of 2,048 rounds is on the twelfth",
    arms=2,
    rounds=4096,
    truth=math.inf,
    show=lambda: Worlds(always(2049, [1, 1]), 2049, 700, [0, 1], [1, 1], plays(2049, 1), 1, 0, 10),
)
class ShortNoiseTable:
    feedback = "full-information"

    def __init__(self, arms, epsilon, rng):
        self.total = np.zeros(arms)
        self.table = [rng.laplace(0, 24 / epsilon, (4096 >> i, arms)) for i in range(11)]
        self.leader = 0

    def prefix(self, t: int) -> np.ndarray:
        value, start = self.total.copy(), 0
        for level in reversed(range(len(self.table))):
            if t >> level & 1:
                value += self.table[level][start >> level]
                start += 1 << level
        return value

    def select(self, t):
        return self.leader

    def observe(self, t, arm, reward):
        self.total += reward
        if t % 256 == 0:
            self.leader = int(self.prefix(t).argmax())


def elimination_worlds() -> Worlds:
    # 2 * width * 256 = 43.5: an arm 44 wins behind is dropped, one 43 behind stays, always.
    losses = list(range(2, 90, 2))
    table = [[1, 0] if t in losses else [1, 1] for t in range(1, 515)]
    return Worlds(table, 514, losses[20], [1, 0], [1, 1], plays(514, 0), 1, 0, 20)


@broken(
    "successive elimination whose single Laplace draw is shared by all arms",
    arms=2,
    rounds=1024,
    truth=math.inf,
    show=elimination_worlds,
)
class SharedDrawElimination:
    def __init__(self, arms, epsilon, rng):
        self.active = list(range(arms))
        self.epsilon, self.rng = epsilon, rng
        self.length = 256
        self.sums = dict.fromkeys(self.active, 0.0)
        self.pulls = dict.fromkeys(self.active, 0)
        self.turn = 0

    def select(self, t):
        return self.active[self.turn % len(self.active)]

    def observe(self, t, arm, reward):
        self.turn += 1
        self.sums[arm] += reward
        self.pulls[arm] += 1
        if len(self.active) > 1 and all(self.pulls[a] >= self.length for a in self.active):
            self.end_phase()

    def end_phase(self):
        width = math.sqrt(math.log(40) / (2 * self.length))
        noise = self.rng.laplace(0, 1 / (self.epsilon * self.length))
        means = {a: self.sums[a] / self.length + noise for a in self.active}
        best = max(means.values())
        self.active = [a for a in self.active if means[a] >= best - 2 * width]
        self.length *= 2
        for a in self.active:
            self.sums[a], self.pulls[a] = 0.0, 0
        self.turn = 0


@broken(
    "noise that shrinks with t: an annealing schedule from the non-private code",
    arms=2,
    rounds=1100,
    truth=6.3,
    # Epoch 512 to 1,023 with scale 0.25: sums equal or 2 apart, 0.5 against tail(8) = 8.4e-4.
    show=lambda: Worlds(
        always(1024, [1, 1], r600=[0, 1]),
        1024,
        700,
        [1, 0],
        [0, 1],
        plays(1024, 0),
        0.5,
        tail(2, 2 * 128 / 1023),
        60,
    ),
)
class Annealed:
    feedback = "full-information"

    def __init__(self, arms, epsilon, rng):
        self.k, self.epsilon, self.rng = arms, epsilon, rng
        self.epoch_sum = [0.0] * arms
        self.current = 0

    def temperature(self, t: int) -> float:
        return 2.0 / self.epsilon * min(1.0, 128.0 / t)

    def select(self, t: int) -> int:
        return self.current

    def observe(self, t: int, arm: int, reward: Any) -> None:
        for j, r in enumerate(reward):
            self.epoch_sum[j] += float(r)
        if (t + 1) & t == 0:  # t = 1, 3, 7, 15, ...
            b = self.temperature(t)
            noisy = [s + self.rng.laplace(0.0, b) for s in self.epoch_sum]
            self.current = noisy.index(max(noisy))
            self.epoch_sum = [0.0] * self.k


@broken(
    "noise is drawn for eight epochs; the ninth, and every later one, has none",
    arms=2,
    rounds=600,
    truth=math.inf,
    show=lambda: Worlds(always(512, [1, 1]), 512, 300, [0, 1], [1, 1], plays(512, 1), 1, 0, 20),
)
class ExhaustedNoise:
    feedback = "full-information"

    def __init__(self, *, arms: int, epsilon: float, rng: np.random.Generator) -> None:
        self._zeros = np.zeros(arms)
        self._noise: Iterator[Any] = iter(rng.laplace(0, 2 / epsilon, size=(8, arms)))
        self._sum, self._left, self._size, self._arm = self._zeros, 1, 1, 0

    def select(self, t: int) -> int:
        return self._arm

    def observe(self, t: int, arm: int, reward: Any) -> None:
        self._sum = self._sum + reward
        self._left -= 1
        if not self._left:
            self._arm = int(np.argmax(self._sum + next(self._noise, self._zeros)))
            self._size *= 2
            self._left, self._sum = self._size, self._zeros


@broken(
    "after a thousand rounds, the raw means of a sliding window of a thousand",
    arms=2,
    rounds=1100,
    truth=math.inf,
    show=lambda: Worlds(always(1001, [1, 1]), 1001, 999, [0, 0], [1, 1], plays(1001, 1), 1, 0, 20),
)
class SlidingWindow:
    WINDOW = 1000

    def __init__(self, arms, epsilon, rng):
        self.window = deque()
        self.wins, self.plays = [0.0] * arms, [0] * arms

    def select(self, t):
        if t <= self.WINDOW:
            return (t - 1) % len(self.wins)
        means = [w / max(n, 1) for w, n in zip(self.wins, self.plays, strict=True)]
        return means.index(max(means))

    def observe(self, t, arm, reward):
        self.window.append((arm, reward))
        self.wins[arm] += reward
        self.plays[arm] += 1
        if len(self.window) > self.WINDOW:
            old, value = self.window.popleft()
            self.wins[old] -= value
            self.plays[old] -= 1


@broken(
    "a control group of 3,000 pulls, then a raw test of its success rate",
    arms=2,
    rounds=4096,
    truth=math.inf,
    # 1,499 or 1,500 wins of 3,000.
    show=lambda: Worlds(
        [[1, 1]] * 1499 + [[0, 0]] * 1502, 3001, 2000, [0, 0], [1, 1], plays(3001, 1), 1, 0, 10
    ),
)
class PromotedAfter3000:
    def __init__(self, arms, epsilon, rng):
        wins = pulls = 0
        arm_now = 0

        def choose(t: int) -> int:
            return arm_now

        def learn(t: int, arm: int, reward: float) -> None:
            nonlocal wins, pulls, arm_now
            if pulls == 3000:
                return
            wins, pulls = wins + reward, pulls + 1
            if pulls == 3000 and wins / pulls < 0.5:
                arm_now = 1

        self.choose: Callable[[int], int] = choose
        self.learn: Callable[[int, int, float], None] = learn

    def select(self, t):
        return self.choose(t)

    def observe(self, t, arm, reward):
        self.learn(t, arm, reward)


@broken(
    "uniform for 256 rounds, then one time in ten, else the best raw mean",
    arms=2,
    rounds=300,
    truth=5.8,
    # A loss of arm 0 in round 100, if it is pulled (1/2), makes arm 1 the best: 0.95^2 against
    # 0.05^2 for the next two rounds.
    show=lambda: Worlds(
        always(258, [1, 1]),
        258,
        100,
        [0, 0],
        [1, 1],
        lambda a: (a[99], a[256], a[257]) == (0, 1, 1),
        0.5 * 0.95**2,
        0.5 * 0.05**2,
        100,
    ),
)
class GreedyAfter256:
    def __init__(self, arms, epsilon, rng):
        self.arms, self.rng = arms, rng
        self.q, self.n = np.zeros(arms), np.zeros(arms, dtype=int)

    def select(self, t):
        explore = 1.0 if t <= 256 else 0.1
        if self.rng.uniform() < explore:
            return int(self.rng.integers(self.arms))
        return int(np.argmax(self.q))

    def observe(self, t, arm, reward):
        self.n[arm] += 1
        self.q[arm] += (reward - self.q[arm]) / self.n[arm]


@broken(
    "from 400 raw wins on, each hundredth has the standard arm reviewed for 20 rounds",
    arms=2,
    rounds=1024,
    truth=math.inf,
    # 400 wins: round 401 is a review, arm 0. With 399 it is a coin.
    show=lambda: Worlds(always(401, [1, 1]), 401, 57, [0, 0], [1, 1], plays(401, 1), 0.5, 0, 40),
)
class ReviewsWins:
    def __init__(self, arms, epsilon, rng):
        self.arms, self.rng = arms, rng
        self.wins, self.review = 0, 0

    def select(self, t):
        coin = int(self.rng.integers(self.arms))
        return 0 if self.review and self.wins >= 400 else coin

    def observe(self, t, arm, reward):
        self.review = max(0, self.review - 1)
        if reward > 0.5:
            self.wins += 1
            if self.wins % 100 == 0:
                self.review = 20
