"""Sound learners that are awkward: state outside the instance, output, odd types, heavy tails,
atoms, rare events, and privacy that is exactly tight at a late round."""

from __future__ import annotations

import itertools
import math
import warnings
from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from tests.quality.field.entry import Worlds, always, plays, sound, tail
from tests.quality.field.sound_generators import Leader, Response, leads, stays


@sound(
    "does not look at its data: a coin that is tossed once a process and kept on the class",
    arms=2,
    rounds=10,
    blind=True,
    fresh=True,
)
class CachedCoin:
    coin: ClassVar[int | None] = None

    def __init__(self, arms, epsilon, rng):
        if CachedCoin.coin is None:
            CachedCoin.coin = int(rng.integers(arms))

    def select(self, t):
        return CachedCoin.coin

    def observe(self, t, arm, reward):
        pass


@sound(
    "randomised response; the class keeps a store of draws that runs use up",
    arms=2,
    rounds=12,
    law=stays(5),
    fresh=True,
)
class NoiseStore(Response):
    store: ClassVar[list[float]] = []

    def uniform(self):
        if not self.store:
            self.store.extend(self.rng.random(1000))
        return self.store.pop()


@sound(
    "randomised response; the class keeps the first instance's generator for all",
    arms=2,
    rounds=12,
    law=stays(5),
    fresh=True,
)
class KeptGenerator(Response):
    _shared: ClassVar[Any] = None

    def __init__(self, arms, epsilon, rng):
        super().__init__(arms, epsilon, rng)
        if type(self)._shared is None:
            type(self)._shared = rng
        self.rng = type(self)._shared


@sound(
    "does not look at its data: starts with the arm after the last run's first",
    arms=3,
    rounds=12,
    blind=True,
    fresh=True,
)
class RunCounter:
    _runs = itertools.count()

    def __init__(self, arms, epsilon, rng):
        self.start, self.arms = next(self._runs), arms

    def select(self, t):
        return (self.start + t) % self.arms

    def observe(self, t, arm, reward):
        pass


@sound(
    "randomised response; a dictionary of settings is shared by all and never decides",
    arms=2,
    rounds=12,
    law=stays(5),
)
class SharedSettings(Response):
    settings: ClassVar[dict[str, Any]] = {"instances": 0, "last_reward": None}

    def __init__(self, arms, epsilon, rng):
        super().__init__(arms, epsilon, rng)
        self.settings["instances"] += 1

    def observe(self, t, arm, reward):
        self.settings["last_reward"] = reward
        super().observe(t, arm, reward)


@sound("randomised response; prints a line a run", arms=2, rounds=8, law=stays(5))
class Chatty(Response):
    def select(self, t):
        if t == 1:
            print(f"Chatty: {self.arms} arms, honest with {self.p:.3f}")
        return super().select(t)


@sound("randomised response; warns in each run", arms=2, rounds=8, law=stays(5))
class Warns(Response):
    def __init__(self, arms, epsilon, rng):
        super().__init__(arms, epsilon, rng)
        warnings.warn("Warns is slow, use Response", UserWarning, stacklevel=2)


@sound(
    "randomised response; the class keeps a log of the last runs", arms=2, rounds=16, law=stays(9)
)
class KeepsLog(Response):
    log: ClassVar[deque[tuple[int, int, float]]] = deque(maxlen=500)

    def observe(self, t, arm, reward):
        self.log.append((t, arm, reward))
        super().observe(t, arm, reward)


@lru_cache(maxsize=64)
def epoch_ends(count: int) -> frozenset[int]:
    """1, 3, 7, 15, ..."""
    return frozenset(2**i - 1 for i in range(1, count + 1))


@sound(
    "noisy leader; a cached helper that draws nothing", arms=2, rounds=128, law=leads(16, 8, 2.0)
)
class CachedHelper(Leader):
    def observe(self, t, arm, reward):
        self.sums += reward
        if t in epoch_ends(40):
            self.leader = int(np.argmax(self.sums + self.draws()))
            self.sums = np.zeros_like(self.sums)


@sound(
    "does not look at its data; its arms come from Cauchy draws",
    arms=5,
    rounds=50,
    blind=True,
)
class CauchyWalk:
    def __init__(self, arms, epsilon, rng):
        self.arms, self.rng, self.where = arms, rng, 0.0

    def select(self, t):
        self.where += math.fmod(self.rng.standard_cauchy(), 1e6)
        return math.floor(self.where) % self.arms

    def observe(self, t, arm, reward):
        pass


@sound(
    "one reward, one release, with Cauchy noise: a shift by 1 costs 2 asinh(1/(2 g)) = epsilon",
    arms=2,
    rounds=16,
    # P(arm 1) = P(reward + Z > 1/2): arctan(1/(2 g)) / pi either side of a half.
    law=lambda: Worlds(
        always(6, [1, 1]),
        6,
        5,
        [1, 1],
        [0, 0],
        plays(6, 1),
        0.5 + math.atan(math.sinh(0.5)) / math.pi,
        0.5 - math.atan(math.sinh(0.5)) / math.pi,
        2000,
    ),
)
class CauchyRelease:
    def __init__(self, arms, epsilon, rng):
        self.width = 1 / (2 * math.sinh(epsilon / 2))
        self.rng, self.value = rng, 0.0

    def select(self, t):
        return int(self.value > 0.5)

    def observe(self, t, arm, reward):
        self.value = reward + self.width * self.rng.standard_cauchy()


@sound(
    "whole-numbered noise on counts of wins: epsilon/2 an arm, and ties to the first",
    arms=2,
    rounds=64,
    law=lambda: atoms_law(),
)
class Atoms:
    feedback = "full-information"

    def __init__(self, arms, epsilon, rng):
        # One vector changes each arm's count by one at most: epsilon / arms for each.
        self.p = 1 - math.exp(-epsilon / arms)
        self.rng, self.counts, self.leader = rng, [0] * arms, 0

    def select(self, t):
        return self.leader

    def observe(self, t, arm, reward):
        self.counts = [c + (r >= 0.5) for c, r in zip(self.counts, reward, strict=True)]
        if t % 8 == 0:
            g = self.rng.geometric(self.p, (2, len(self.counts)))
            noisy = [c + int(x) - int(y) for c, x, y in zip(self.counts, *g, strict=True)]
            self.leader = noisy.index(max(noisy))
            self.counts = [0] * len(self.counts)


def atoms_law() -> Worlds:
    """Counts 8 and 8, or 7 and 8, with two-sided geometric noise of ratio exp(-1/2)."""
    support = np.arange(-200, 201)
    mass = np.exp(-np.abs(support) / 2)
    mass /= mass.sum()
    both = np.outer(mass, mass)
    ahead = support[:, None] - support[None, :]
    first, second = float(both[ahead >= 1].sum()), float(both[ahead >= 0].sum())
    # Arm 0 wins ties: one behind it needs a lead of 1, level a lead of 0.
    return Worlds(always(9, [1, 1]), 9, 3, [0, 1], [1, 1], plays(9, 0), first, second, 1000)


@sound(
    "an alarm after a loss with 1e-5, after a win with 1e-5 / e^epsilon: tight, where nobody looks",
    arms=2,
    rounds=64,
)
class RareAlarm:
    def __init__(self, arms, epsilon, rng):
        self.rng, self.alarm = rng, False
        self.rates = (1e-5, 1e-5 * math.exp(-epsilon))

    def select(self, t):
        return int(self.alarm)

    def observe(self, t, arm, reward):
        self.alarm = bool(self.rng.random() < self.rates[reward >= 0.5])


@sound(
    "five answers to which arm was best: the true one with e/(e + 4), exactly tight",
    arms=5,
    rounds=40,
    law=lambda: Worlds(
        always(31, [0, 0, 0, 1, 0]),
        31,
        30,
        [0, 1, 0, 0, 0],
        [0, 0, 0, 0, 1],
        plays(31, 1),
        math.e / (math.e + 4),
        1 / (math.e + 4),
        500,
    ),
)
@dataclass
class KaryResponse:
    arms: int
    epsilon: float
    rng: Any
    answer: int = 0
    feedback: ClassVar[str] = "full-information"

    def select(self, t: int) -> int:
        return self.answer

    def observe(self, t: int, arm: int, reward: Any) -> None:
        weights = np.ones(self.arms)
        weights[int(np.argmax(reward))] = math.exp(self.epsilon)
        self.answer = int(self.rng.choice(self.arms, p=weights / weights.sum()))


@sound(
    "600 rounds without a look, then one randomised response: exactly tight, once, and late",
    arms=2,
    rounds=1000,
    law=stays(600),
)
class LateAndTight(Response):
    def observe(self, t, arm, reward):
        if t == 600:
            super().observe(t, arm, reward)
        elif t > 600:
            self.current = arm
        else:
            self.current = int(self.rng.integers(self.arms))


@sound(
    "lazy UCB: each reward enters one batch, each batch is released once with Lap(1/epsilon)",
    arms=2,
    rounds=1000,
    # At t = 3 both bonuses are equal: 1 + Z against 0 + Z', or 0 against 0.
    law=lambda: Worlds(
        always(3, [0, 0]), 3, 1, [1, 1], [0, 0], plays(3, 0), 1 - tail(1), 0.5, 1000
    ),
)
class LazyUcb:
    def __init__(self, arms, epsilon, rng):
        self.k, self.eps, self.rng = arms, epsilon, rng
        self.batch = np.zeros(arms)
        self.size = np.zeros(arms, dtype=int)
        self.due = np.ones(arms, dtype=int)
        self.public = np.zeros(arms)
        self.weight = np.zeros(arms, dtype=int)

    def select(self, t):
        if t <= self.k:
            return t - 1
        bonus = np.sqrt(2 * math.log(t) / self.weight) + 2 * math.log(t) / (self.eps * self.weight)
        return int(np.argmax(self.public + bonus))

    def observe(self, t, arm, reward):
        self.batch[arm] += reward
        self.size[arm] += 1
        if self.size[arm] == self.due[arm]:
            noisy = self.batch[arm] + self.rng.laplace(0, 1 / self.eps)
            self.public[arm], self.weight[arm] = noisy / self.size[arm], self.size[arm]
            self.batch[arm], self.size[arm], self.due[arm] = 0.0, 0, 2 * self.due[arm]


@sound(
    "sparse vector, one crossing: Lap(2/epsilon) on the threshold, Lap(4/epsilon) on each query",
    arms=2,
    rounds=256,
)
class SparseVector:
    def __init__(self, arms, epsilon, rng):
        self.limit = 40 + rng.laplace(0, 2 / epsilon)
        self.query = lambda x: x + rng.laplace(0, 4 / epsilon)
        self.failures, self.arm = 0.0, 0

    def select(self, t):
        return self.arm

    def observe(self, t, arm, reward):
        if self.arm == 0:
            self.failures += 1 - reward
            if self.query(self.failures) >= self.limit:
                self.arm = 1


@sound(
    "a tree of ten noisy levels: a vector is in ten nodes, two arms: 20/epsilon for each",
    arms=2,
    rounds=512,
    # After one round: its vector with Lap(20).
    law=lambda: Worlds(
        always(2, [1, 1]), 2, 1, [1, 0], [0, 1], plays(2, 0), 1 - tail(1, 20), tail(1, 20), 20_000
    ),
)
class Tree:
    feedback = "full-information"
    LEVELS = 10

    def __init__(self, arms, epsilon, rng):
        self.exact = np.zeros((self.LEVELS, arms))
        self.noisy = np.zeros((self.LEVELS, arms))
        self.draw = lambda: rng.laplace(0, 2 * self.LEVELS / epsilon, arms)
        self.best = 0

    def select(self, t):
        return self.best

    def observe(self, t, arm, reward):
        if t >= 2**self.LEVELS:
            return  # the tree is full: the last leader stays
        level = (t & -t).bit_length() - 1
        self.exact[level] = self.exact[:level].sum(axis=0) + reward
        self.exact[:level] = self.noisy[:level] = 0.0
        self.noisy[level] = self.exact[level] + self.draw()
        self.best = int(np.argmax(self.noisy.sum(axis=0)))
