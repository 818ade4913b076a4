"""Learners for the tests: well and badly behaved ones."""

import os
import time

import numpy as np


class Leaky:
    """Follows the noisy leader with half its noise."""

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
            noise = self.rng.laplace(0, 0.5 / self.epsilon, len(self.sums))
            self.leader = int(np.argmax(self.sums + noise))
            self.sums, self.seen, self.epoch = np.zeros(len(self.sums)), 0, 2 * self.epoch


class Blind:
    def __init__(self, arms, epsilon, rng):
        self.arms, self.rng = arms, rng

    def select(self, t):
        return int(self.rng.integers(self.arms))

    def observe(self, t, arm, reward):
        pass


class Raises(Blind):
    def observe(self, t, arm, reward):
        if t == 3:
            raise ValueError("no third\nreward please")


class OutOfRange(Blind):
    def select(self, t):
        return 7 if t == 2 else 0


class NotReproducible(Blind):
    def select(self, t):
        return int.from_bytes(os.urandom(1), "big") % 2 if t == 4 else 0


class ReadsTheClock(Blind):
    def select(self, t):
        return time.perf_counter_ns() // 1000 % 2


class NeverReturns(Blind):
    def select(self, t):
        while t == 5:
            pass
        return 0


class Crashes(Blind):
    def select(self, t):
        if t == 2:
            os._exit(9)
        return 0


class CopiesLast(Blind):
    """Private against tables of equal rows, not against anyone who adapts: plays what paid last."""

    def __init__(self, arms, epsilon, rng):
        super().__init__(arms, epsilon, rng)
        self.arm = 0

    def select(self, t):
        return self.arm

    def observe(self, t, arm, reward):
        if reward < 0.5:
            self.arm = 1 - arm
