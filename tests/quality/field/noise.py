"""Noise that is drawn, scaled, kept or added wrongly."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from typing import Any, ClassVar

import numpy as np

from tests.quality.field.entry import Worlds, always, broken, play, plays, tail


@broken(
    "a quarter of the budget is the noise's scale instead of its inverse",
    arms=2,
    rounds=256,
    truth=2.8,
    # Lap(1/4) on sums of 64: equal, or arm 0 one behind: 0.5 against tail(4) = 0.027.
    show=lambda: Worlds(
        always(129, [1, 1]), 129, 33, [1, 1], [0, 0], plays(129, 0), 0.5, tail(1, 0.25), 200
    ),
)
class BudgetAsScale:
    def __init__(self, arms, epsilon, rng):
        self.phase_budget = epsilon / 4
        self.rng = rng
        self.sums = [0.0] * arms
        self.fixed = None

    def _privatise(self, x):
        return x + self.rng.laplace(scale=self.phase_budget)

    def select(self, t):
        if t <= 64 * len(self.sums):
            return (t - 1) % len(self.sums)
        if self.fixed is None:
            noisy = [self._privatise(s) for s in self.sums]
            self.fixed = noisy.index(max(noisy))
        return self.fixed

    def observe(self, t, arm, reward):
        if self.fixed is None:
            self.sums[arm] += reward


@broken(
    "the scale, not the budget, is halved after each restart",
    arms=2,
    rounds=1024,
    truth=6.3,
    # After three restarts Lap(1/4): sums equal or 2 apart, 0.5 against tail(8) = 8.4e-4.
    show=lambda: Worlds(
        always(801, [1, 1], r770=[0, 1]),
        801,
        771,
        [1, 0],
        [0, 1],
        plays(801, 0),
        0.5,
        tail(2, 0.25),
        60,
    ),
)
class RestartHalves:
    feedback = "full-information"
    RESTART, BLOCK = 256, 32

    def __init__(self, arms, epsilon, rng):
        self.rng, self.arms = rng, arms
        self.scale = 2 / epsilon
        self._restart()

    def _restart(self):
        self.votes = np.zeros(self.arms)
        self.arm = 0

    def select(self, t):
        return self.arm

    def observe(self, t, arm, reward):
        self.votes += reward
        if t % self.BLOCK == 0:
            self.arm = int((self.votes + self.rng.laplace(0, self.scale, self.arms)).argmax())
            self.votes[:] = 0
        if t % self.RESTART == 0:
            self.scale /= 2


@broken(
    "noise never refreshed: drawn in the constructor, used in each epoch",
    arms=2,
    rounds=1024,
    truth=math.inf,
    # Epoch 1 with equal sums shows the sign of N = Z0 - Z1, epoch 2 whether N < 2: 0 < N < 2
    # contradicts equal sums in both.
    show=lambda: Worlds(
        always(513, [1, 1], r300=[0, 1]),
        513,
        400,
        [0, 1],
        [1, 0],
        lambda a: (a[256], a[512]) == (0, 1),
        0.5 - tail(1),
        0,
        100,
    ),
)
class NeverRefreshed:
    feedback = "full-information"
    EPOCH = 256

    def __init__(self, arms, epsilon, rng):
        self.noise = rng.laplace(0, 2 / epsilon, arms)
        self.sums = np.zeros(arms)
        self.leader = 0

    def select(self, t):
        return self.leader

    def observe(self, t, arm, reward):
        self.sums += reward
        if t % self.EPOCH == 0:
            self.leader = int(np.argmax(self.sums + self.noise))
            self.sums = np.zeros_like(self.sums)


@broken(
    "each release makes its generator anew from one seed",
    arms=2,
    rounds=512,
    truth=math.inf,
    # As above with Lap(1): equal sums in cycle 1, one apart in cycle 2.
    show=lambda: Worlds(
        always(193, [1, 1]),
        193,
        129,
        [0, 0],
        [1, 1],
        lambda a: (a[64], a[192]) == (0, 1),
        0.5 - tail(1),
        0,
        100,
    ),
)
class ReseedsEachRelease:
    """64 rounds in turn, then 64 with the better of the noisy sums, and again."""

    def __init__(self, arms: int, epsilon: float, rng: Any) -> None:
        self.arms, self.epsilon = arms, epsilon
        self.seed = int(rng.integers(2**32))
        self.cycle: defaultdict[int, float] = defaultdict(float)
        self.best = 0

    def release(self) -> list[float]:
        rng = np.random.default_rng(self.seed)
        return [self.cycle[j] + rng.laplace(0, 1 / self.epsilon) for j in range(self.arms)]

    def select(self, t: int) -> int:
        at = (t - 1) % 128
        if at < 64:
            return at % self.arms
        if at == 64:
            noisy = self.release()
            self.best = noisy.index(max(noisy))
            self.cycle.clear()
        return self.best

    def observe(self, t: int, arm: int, reward: float) -> None:
        if (t - 1) % 128 < 64:
            self.cycle[arm] += reward


@broken(
    "each draw is used for two releases",
    arms=2,
    rounds=256,
    truth=math.inf,
    # Both batches of a pair have 16 wins, or 16 and 15: pass and fail needs 0 <= z < 1.
    show=lambda: Worlds(
        [[1, 0]] * 16 + [[0, 0]] * 24 + [[1, 0]] * 16 + [[0, 0]] * 17,
        73,
        50,
        [0, 0],
        [1, 0],
        lambda a: (a[32], a[72]) == (0, 1),
        0.5 - 0.5 * math.exp(-1),
        0,
        100,
    ),
)
class DrawUsedTwice:
    """A batch of the default arm, then eight rounds of whichever arm its noisy sum speaks for."""

    def __init__(self, arms, epsilon, rng):
        self.rng, self.epsilon = rng, epsilon
        self.script = self.plan()
        self.upcoming = next(self.script)

    def draws(self):
        while True:
            z = self.rng.laplace(0, 1 / self.epsilon)
            yield from (z, z)

    def plan(self):
        noise = self.draws()
        while True:
            total = 0.0
            for _ in range(32):
                total += yield 0
            arm = 0 if total + next(noise) >= 16 else 1
            for _ in range(8):
                yield arm

    def select(self, t):
        return self.upcoming

    def observe(self, t, arm, reward):
        self.upcoming = self.script.send(reward)


@broken(
    "the noise cache is keyed by the batch and not by the arm",
    arms=3,
    rounds=100,
    truth=math.inf,
    # 19 or 20 wins of arm 0 against 20 of the others, all with one draw: ties go to arm 0.
    show=lambda: Worlds(always(61, [1, 1, 1]), 61, 1, [0, 0, 0], [1, 1, 1], plays(61, 1), 1, 0, 40),
)
class SharedCache:
    def __init__(self, arms, epsilon, rng):
        self.k = arms
        self.draw = lambda: rng.laplace(0.0, 1.0 / epsilon)
        self.cache: dict[int, float] = {}
        self.sums: dict[tuple[int, int], float] = {}

    def noisy(self, batch: int, arm: int) -> float:
        if batch not in self.cache:
            self.cache[batch] = self.draw()
        return self.sums.get((batch, arm), 0.0) + self.cache[batch]

    def select(self, t: int) -> int:
        batch, at = divmod(t - 1, 20 * self.k + 20)
        if at < 20 * self.k:
            return at // 20
        return max(range(self.k), key=lambda j: self.noisy(batch, j))

    def observe(self, t: int, arm: int, reward: float) -> None:
        batch, at = divmod(t - 1, 20 * self.k + 20)
        if at < 20 * self.k:
            self.sums[batch, arm] = self.sums.get((batch, arm), 0.0) + reward


def seeded_worlds() -> Worlds:
    """The actions are a function of the data: any pair with different ones will do."""
    for behind in range(2, 30):
        table: Any = [[1, 1]] * 33
        table[1:behind] = [[0, 1]] * (behind - 1)
        worlds = Worlds(table, 33, 32, [0, 1], [1, 1], plays(33, 1), 1, 0, 20)
        arms = [play(SeededByData, worlds, w, None)[32] for w in (0, 1)]
        if arms[0] != arms[1]:
            return worlds if arms[0] else Worlds(table, 33, 32, [1, 1], [0, 1], plays(33, 1), 1, 0)
    raise AssertionError("no pair found")


@broken(
    "the noise's generator is seeded with the data",
    arms=2,
    rounds=128,
    truth=math.inf,
    show=seeded_worlds,
)
class SeededByData:
    feedback = "full-information"

    def __init__(self, arms, epsilon, rng):
        self.epsilon, self.best = epsilon, 0
        self.seen = []

    def select(self, t):
        return self.best

    def observe(self, t, arm, reward):
        self.seen.append([float(r) for r in reward])
        if len(self.seen) == 32:
            sums = [sum(column) for column in zip(*self.seen, strict=True)]
            own = random.Random(repr(sums))
            rate = self.epsilon / 2
            scores = [s + own.expovariate(rate) - own.expovariate(rate) for s in sums]
            self.best = scores.index(max(scores))
            self.seen = []


@broken(
    "noise clipped to [-2, 2]",
    arms=2,
    rounds=140,
    truth=math.inf,
    # Arm 1 is 2 or 4 behind. The noise makes up for at most 4, which is a tie, and arm 0's; for 4
    # with probability (exp(-1)/2)^2 = 0.034 at least.
    show=lambda: Worlds(
        always(129, [1, 1], r3=[1, 0], r4=[1, 0], r5=[1, 0]),
        129,
        100,
        [0, 1],
        [1, 0],
        plays(129, 1),
        0.0338,
        0,
        500,
    ),
)
class ClippedNoise:
    feedback = "full-information"

    def __init__(self, arms, epsilon, rng):
        self.total, self.rng, self.scale = np.zeros(arms), rng, 2 / epsilon
        self.leader = 0

    def select(self, t):
        return self.leader

    def observe(self, t, arm, reward):
        self.total = np.add(self.total, reward)
        if t % 128 == 0:
            raw = self.rng.laplace(0, self.scale, self.total.size)
            self.leader = int(np.argmax(self.total + np.clip(raw, -2, 2)))
            self.total = np.zeros(self.total.size)


@broken(
    "np.add without out=: the noisy sums are computed and thrown away",
    arms=2,
    rounds=64,
    truth=math.inf,
    show=lambda: Worlds(always(49, [1, 1]), 49, 20, [0, 1], [1, 1], plays(49, 1), 1, 0, 40),
)
class DiscardedNoise:
    feedback = "full-information"
    defaults: ClassVar[dict[str, int]] = {"epoch": 48}

    def __init__(self, arms, epsilon, rng, **options):
        options = {**self.defaults, **options}
        self.epoch, self.rng, self.epsilon = options["epoch"], rng, epsilon
        self.sums, self.arm = np.zeros(arms), 0

    def elect(self):
        scores = self.sums.copy()
        np.add(scores, self.rng.laplace(0, 2 / self.epsilon, scores.shape))
        return int(scores.argmax())

    def select(self, t):
        return self.arm

    def observe(self, t, arm, reward):
        self.sums += reward
        if t % self.epoch == 0:
            self.arm, self.sums[:] = self.elect(), 0.0


@broken(
    "integer division: the mean's scale 1 // (epsilon n) is 0",
    arms=2,
    rounds=128,
    truth=math.inf,
    show=lambda: Worlds(always(97, [1, 1]), 97, 5, [0, 0], [1, 1], plays(97, 1), 1, 0, 40),
)
class IntegerDivision:
    BATCH = 48

    def __init__(self, arms, epsilon, rng):
        self.epsilon, self.rng = epsilon, rng
        self.rewards = [[] for _ in range(arms)]
        self.means = None

    def select(self, t):
        if t <= self.BATCH * len(self.rewards):
            return (t - 1) // self.BATCH
        if self.means is None:
            self.means = [self.noisy_mean(r) for r in self.rewards]
        return int(np.argmax(self.means))

    def noisy_mean(self, rewards):
        n = len(rewards)
        return sum(rewards) / n + self.rng.laplace(0, 1 // (self.epsilon * n))

    def observe(self, t, arm, reward):
        if self.means is None:
            self.rewards[arm].append(reward)
