"""Leaks that need ten arms or other arms than 0 and 1, or rewards that are not 0 or 1."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.quality.field.entry import Worlds, always, broken, plays, tail

LAST_TWO = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1]
LAST_FIVE = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]


@broken(
    "noise for the first eight arms, the others are padded with zeros",
    arms=10,
    rounds=64,
    truth=math.inf,
    # Arms 8 and 9 are 59 before all others, whose noise makes up for it with 1e-11.
    show=lambda: Worlds(
        always(61, LAST_TWO),
        61,
        30,
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
        LAST_TWO,
        plays(61, 9),
        1 - 1e-9,
        0,
        40,
    ),
)
class PaddedNoise:
    feedback = "full-information"

    def __init__(self, arms, epsilon, rng):
        self.pad = max(0, arms - 8)
        self.draw = lambda: np.pad(rng.laplace(0, 2 / epsilon, arms - self.pad), (0, self.pad))
        self.sums, self.leader = np.zeros(arms), 0

    def select(self, t):
        return self.leader

    def observe(self, t, arm, reward):
        self.sums += reward
        if t % 60 == 0:
            self.leader = int(np.argmax(self.sums + self.draw()))
            self.sums *= 0


@broken(
    "arms from the sixth on share one draw",
    arms=10,
    rounds=128,
    truth=math.inf,
    # Arms 5 to 9 have 12 wins, arm 5 perhaps 11; arms 0 to 4 none, and they win with 1e-4.
    show=lambda: Worlds(
        always(121, LAST_FIVE), 121, 56, [0] * 10, LAST_FIVE, plays(121, 6), 0.999, 0, 60
    ),
)
class OverflowArms:
    def __init__(self, arms, epsilon, rng):
        self.arms, self.epsilon, self.rng = arms, epsilon, rng
        self.tally, self.decision = Counter(), None

    def select(self, t):
        if t <= 12 * self.arms:
            return (t - 1) % self.arms
        if self.decision is None:
            draws = [self.rng.laplace(0, 1 / self.epsilon) for _ in range(6)]
            self.decision = max(range(self.arms), key=lambda j: self.tally[j] + draws[min(j, 5)])
        return self.decision

    def observe(self, t, arm, reward):
        if self.decision is None:
            self.tally[arm] += reward


@broken(
    "arm 3, which may do harm, is not given for ten rounds after it failed",
    arms=4,
    rounds=64,
    truth=math.inf,
    # Twice in a row with 1/16, never after a failure.
    show=lambda: Worlds(
        always(31, [1, 1, 1, 1]),
        31,
        30,
        [1, 1, 1, 1],
        [0, 0, 0, 0],
        lambda a: (a[29], a[30]) == (3, 3),
        1 / 16,
        0,
        300,
    ),
)
class Blacklist:
    def __init__(self, arms, epsilon, rng):
        self.free = [j for j in range(arms) if j != 3]
        self.all = range(arms)
        self.until = 0
        self.pick = rng.integers

    def select(self, t):
        allowed = self.all if t > self.until else self.free
        return int(allowed[self.pick(len(allowed))])

    def observe(self, t, arm, reward):
        if arm == 3 and reward < 0.5:
            self.until = t + 10


@broken(
    "all ten arms are played in the order of their noisy sums: 2/epsilon is for the best only",
    arms=10,
    rounds=80,
    truth=2.4,
    # A replaced vector moves ten sums. Each pair (0, 1), (2, 3), ... stands in order with
    # 1 - tail(1/2) = 0.621 or 0.379, all five with 0.092 or 0.0078.
    show=lambda: Worlds(
        always(74, [1] * 10),
        74,
        10,
        [1, 0] * 5,
        [0, 1] * 5,
        lambda a: all(a[64:].index(j) < a[64:].index(j + 1) for j in range(0, 10, 2)),
        (1 - tail(0.5)) ** 5,
        tail(0.5) ** 5,
        2000,
    ),
)
class WholeRanking:
    feedback = "full-information"

    def __init__(self, arms, epsilon, rng):
        self.k, self.scale, self.rng = arms, 2 / epsilon, rng
        self.votes = np.zeros(arms)
        self.queue = []

    def select(self, t):
        return self.queue.pop(0) if self.queue else 0

    def observe(self, t, arm, reward):
        self.votes += reward
        if t % 64 == 0:
            noisy = self.votes + self.rng.laplace(0, self.scale, self.k)
            self.queue = [int(j) for j in np.argsort(-noisy)]
            self.votes = np.zeros(self.k)


@broken(
    "the noisy mean is rounded to the nearest value among the raw rewards",
    arms=10,
    rounds=80,
    truth=math.inf,
    # Values 0.25 and 0.85 with mean 0.55: the dose of 0.55 is only given if 0.55 was seen.
    show=lambda: Worlds(
        [[0.25] * 10, [0.85] * 10] * 32 + [[0.25] * 10],
        65,
        33,
        [0.55] * 10,
        [0.25] * 10,
        plays(65, 5),
        0.999,
        0,
        60,
    ),
)
class SnapsToSeen:
    def __init__(self, arms, epsilon, rng):
        self.arms, self.epsilon, self.rng = arms, epsilon, rng
        self.seen, self.total, self.dose = set(), 0.0, None

    def select(self, t):
        if t <= 64:
            return int(self.rng.integers(self.arms))
        if self.dose is None:
            mean = (self.total + self.rng.laplace(0, 1 / self.epsilon)) / 64
            value = min(self.seen, key=lambda v: abs(v - mean))
            self.dose = min(int(value * self.arms), self.arms - 1)
        return self.dose

    def observe(self, t, arm, reward):
        if t <= 64:
            self.total += reward
            self.seen.add(reward)


@broken(
    "wins are kept in a byte: 256 of them are none",
    arms=5,
    rounds=300,
    truth=40.0,
    # Arm 0 has 255 or 256 = 0 wins, arm 3 has 100: tail(-155/2) and at most tail(100/2) = 2.5e-21.
    show=lambda: Worlds(
        [[1, 0, 0, 1, 0]] * 100 + [[1, 0, 0, 0, 0]] * 157,
        257,
        200,
        [0, 0, 0, 0, 0],
        [1, 0, 0, 0, 0],
        plays(257, 0),
        1 - 1e-9,
        1e-20,
        40,
    ),
)
class ByteCounters:
    feedback = "full-information"

    def __init__(self, arms, epsilon, rng):
        self.wins = np.zeros(arms, dtype=np.uint8)
        self.noise = lambda: rng.laplace(0.0, 2.0 / epsilon, arms)
        self.now = 0

    def select(self, t):
        return self.now

    def observe(self, t, arm, reward):
        self.wins += reward >= 0.5
        if t % 256 == 0:
            self.now = int((self.wins + self.noise()).argmax())
            self.wins[:] = 0


class Answers:
    """Stays after a noisy win, moves on after a noisy loss: randomised response."""

    def __init__(self, arms, epsilon, rng):
        self.arms, self.rng = arms, rng
        self.honest = math.exp(epsilon) / (1 + math.exp(epsilon))
        self.arm = 0

    def select(self, t):
        return self.arm

    def respond(self, win: bool) -> bool:
        return win if self.rng.random() < self.honest else not win

    def observe(self, t, arm, reward):
        if not self.respond(reward > 0.5):
            self.arm = (self.arm + 1) % self.arms


@broken(
    "a reward of exactly 0.5 means 'no answer': the arm is asked again",
    arms=2,
    rounds=64,
    truth=math.inf,
    # After a win the arm changes with 1/(1 + e) = 0.269, after 0.5 never.
    show=lambda: Worlds(
        always(41, [1, 1]),
        41,
        40,
        [1, 1],
        [0.5, 0.5],
        lambda a: a[39] != a[40],
        1 / (1 + math.e),
        0,
        100,
    ),
)
class HalfIsMissing(Answers):
    def observe(self, t, arm, reward):
        match float(reward):
            case 0.5:
                pass
            case value:
                super().observe(t, arm, value)


@broken(
    "a reward above 0.9 that is not 1 is a jackpot: the arm is kept for eight rounds",
    arms=3,
    rounds=64,
    truth=math.inf,
    # The next arm is another one with 2/3, after a jackpot never.
    show=lambda: Worlds(
        always(31, [0, 1, 0]), 31, 30, [0.3] * 3, [0.95] * 3, lambda a: a[29] != a[30], 2 / 3, 0, 60
    ),
)
@dataclass
class Jackpot:
    arms: int
    epsilon: float
    rng: Any = field(repr=False)
    held: int = 0
    arm: int = 0

    def select(self, t: int) -> int:
        if not self.held:
            self.arm = int(self.rng.integers(self.arms))
        self.held = max(0, self.held - 1)
        return self.arm

    def observe(self, t: int, arm: int, reward: float) -> None:
        if 0.9 < reward < 1.0:
            self.held = 8


@broken(
    "whole-numbered noise on a sum that need not be whole: its fraction shows",
    arms=2,
    rounds=96,
    truth=math.inf,
    show=lambda: Worlds(always(33, [1, 1]), 33, 9, [0.5, 0.5], [0, 0], plays(33, 1), 1, 0, 40),
)
class WholeNoise:
    """Binary rewards go on with arm 0, graded ones with arm 1; told from the noisy sum."""

    def __init__(self, arms, epsilon, rng):
        self.p, self.rng = 1 - math.exp(-epsilon), rng
        self.sum, self.plan = 0.0, 0

    def select(self, t):
        return self.plan

    def observe(self, t, arm, reward):
        self.sum += reward
        if t == 32:
            noisy = self.sum + int(self.rng.geometric(self.p)) - int(self.rng.geometric(self.p))
            self.plan = 0 if float(noisy).is_integer() else 1


@broken(
    "the sensitivity of 1 / (0.02 + |r - 0.3|) is taken between r = 0 and r = 1: 1.7, not 49",
    arms=2,
    rounds=80,
    truth=6.1,
    # Arm 0 is 24.3 before or behind, 7 scales: 1 - tail(7) against tail(7) = 0.00205.
    show=lambda: Worlds(
        [[0, 1]] * 14 + [[1, 1]] * 51,
        65,
        50,
        [1, 0.3],
        [1, 1],
        plays(65, 1),
        0.997,
        0.00207,
        60,
    ),
)
class NearTarget:
    feedback = "full-information"

    @staticmethod
    def utility(r):
        return 1 / (0.02 + np.abs(np.asarray(r) - 0.3))

    def __init__(self, arms, epsilon, rng):
        low, high = self.utility([0.0, 1.0])
        self.scale = 2 * abs(high - low) / epsilon
        self.rng, self.total, self.arm = rng, np.zeros(arms), 0

    def select(self, t):
        return self.arm

    def observe(self, t, arm, reward):
        self.total += self.utility(reward)
        if t % 64 == 0:
            self.arm = int(np.argmax(self.total + self.rng.laplace(0, self.scale, len(self.total))))
            self.total = np.zeros(len(self.total))


@broken(
    "a histogram of four ranges of the reward with noise on its two ends only",
    arms=4,
    rounds=64,
    truth=math.inf,
    # 31 and 30 in the inner ranges, either way; the ends reach 30 with 1e-6 each.
    show=lambda: Worlds(
        [[0.3] * 4, [0.6] * 4] * 31, 62, 61, [0.6] * 4, [0.3] * 4, plays(62, 2), 0.999, 0, 60
    ),
)
class NoisyEnds:
    def __init__(self, arms, epsilon, rng):
        self.counts = [0] * arms
        self.scale, self.rng, self.choice = 2 / epsilon, rng, 0

    def select(self, t):
        return self.choice

    def observe(self, t, arm, reward):
        k = len(self.counts)
        self.counts[min(int(reward * k), k - 1)] += 1
        if t == 61:
            noisy = list(map(float, self.counts))
            for end in (0, -1):
                noisy[end] += self.rng.laplace(0, self.scale)
            self.choice = max(range(k), key=noisy.__getitem__)
