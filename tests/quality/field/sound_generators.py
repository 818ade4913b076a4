"""Sound learners that draw from where they should not: global, module-wide, own, copied and system
generators. Most answer by randomised response, exactly epsilon-tight: each reward is used once, for
the next action, and honestly with probability e^epsilon / (1 + e^epsilon)."""

from __future__ import annotations

import copy
import hashlib
import math
import os
import random
import secrets
import time
from typing import Any

import numpy as np

from tests.quality.field.entry import Worlds, always, plays, sound, tail

HONEST = math.e / (1 + math.e)


def stays(at: int, arms: int = 2) -> Any:
    """A win in that round keeps the arm with e/(1 + e), a loss with 1/(1 + e)."""
    return lambda: Worlds(
        always(at + 1, [1] * arms),
        at + 1,
        at,
        [1] * arms,
        [0] * arms,
        lambda a: a[at - 1] == a[at],
        HONEST,
        1 - HONEST,
        400,
    )


@sound("does not look at its data", arms=2, rounds=30, blind=True)
class GlobalCoins:
    def __init__(self, arms, epsilon, rng):
        self.arms = arms

    def select(self, t):
        return np.random.randint(self.arms)  # noqa: NPY002

    def observe(self, t, arm, reward):
        pass


class Response:
    """Stays after a noisy win, else the next arm; children say where the noise comes from."""

    def __init__(self, arms, epsilon, rng):
        self.arms, self.current = arms, 0
        self.p = 1 / (1 + math.exp(-epsilon))
        self.rng = rng

    def uniform(self) -> float:
        return float(self.rng.random())

    def select(self, t):
        return self.current

    def observe(self, t, arm, reward):
        win = reward >= 0.5
        if self.uniform() >= self.p:
            win = not win
        self.current = arm if win else (arm + 1) % self.arms


@sound("randomised response", arms=2, rounds=12, law=stays(6))
class GlobalResponse(Response):
    def uniform(self):
        return np.random.rand()  # noqa: NPY002


@sound("randomised response", arms=3, rounds=20, law=stays(6, 3))
class StdlibResponse(Response):
    def uniform(self):
        return random.random()


@sound("does not look at its data", arms=4, rounds=40, blind=True)
class StdlibShuffle:
    def __init__(self, arms, epsilon, rng):
        self.cards = list(range(arms))

    def select(self, t):
        if (t - 1) % len(self.cards) == 0:
            random.shuffle(self.cards)
        return self.cards[(t - 1) % len(self.cards)]

    def observe(self, t, arm, reward):
        return None


_MODULE = np.random.default_rng(0)


@sound(
    "does not look at its data: one fixed sequence of coins a process",
    arms=2,
    rounds=30,
    blind=True,
    fresh=True,
)
class ModuleCoins:
    def __init__(self, arms, epsilon, rng):
        self.arms = arms

    def select(self, t):
        return int(_MODULE.integers(self.arms))

    def observe(self, t, arm, reward):
        pass


_OWN = np.random.default_rng()


@sound(
    "randomised response from a module-wide unseeded generator",
    arms=2,
    rounds=12,
    law=stays(4),
    fresh=True,
)
class ModuleResponse(Response):
    def uniform(self):
        return _OWN.random()


@sound(
    "randomised response; its own generator, seeded by the system", arms=2, rounds=12, law=stays(3)
)
class UnseededResponse(Response):
    def __init__(self, arms, epsilon, rng=None):
        super().__init__(arms, epsilon, np.random.default_rng())


@sound(
    "randomised response; a copy of an unused generator is as good", arms=2, rounds=12, law=stays(3)
)
class DeepCopied(Response):
    def __init__(self, arms, epsilon, rng):
        super().__init__(arms, epsilon, copy.deepcopy(rng))


@sound("randomised response with 2^-53 of rounding", arms=2, rounds=12, law=stays(5))
class SecretResponse(Response):
    def uniform(self):
        return secrets.randbelow(2**53) / 2**53


@sound("does not look at its data", arms=2, rounds=30, blind=True)
class UrandomCoins:
    def __init__(self, arms, epsilon, rng):
        self.pool = b""
        self.arms = arms

    def select(self, t):
        if not self.pool:
            self.pool = os.urandom(16)
        byte, self.pool = self.pool[0], self.pool[1:]
        return byte % self.arms

    def observe(self, t, arm, reward):
        pass


@sound("randomised response from the system's generator", arms=2, rounds=12, law=stays(7))
class SystemResponse(Response):
    source = random.SystemRandom()

    def uniform(self):
        return self.source.random()


@sound("follows the clock and nothing else", arms=2, rounds=20, blind=True)
class ClockCoins:
    def __init__(self, arms, epsilon, rng):
        self.k = arms

    def select(self, t):
        ticks = str(time.perf_counter_ns()).encode()
        return hashlib.sha256(ticks).digest()[0] % self.k

    def observe(self, t, arm, reward):
        pass


def leads(at: int, epoch: int, scale: float) -> Any:
    """Sums of an epoch: arm 1 one ahead, or three; arm 0 wins with tail(1) or tail(3)."""
    first = at - epoch
    table = always(at, [1, 1], **{f"r{first}": [0, 1], f"r{first + 1}": [0, 1]})
    return lambda: Worlds(
        table,
        at,
        first + 2,
        [1, 0],
        [0, 1],
        plays(at, 0),
        tail(1, scale),
        tail(3, scale),
        1000,
    )


class Leader:
    """Lap(2/epsilon) on the sums of doubling epochs: one vector moves two sums by one each."""

    feedback = "full-information"

    def __init__(self, arms, epsilon, rng):
        self.scale, self.sums = 2.0 / epsilon, np.zeros(arms)
        self.leader, self.next_end = 0, 1
        self.rng = rng

    def draws(self):
        return self.rng.laplace(0.0, self.scale, self.sums.size)

    def select(self, t):
        return self.leader

    def observe(self, t, arm, reward):
        self.sums += reward
        if t == self.next_end:
            self.leader = int(np.argmax(self.sums + self.draws()))
            self.sums[:] = 0
            self.next_end = 2 * t + 1


@sound("noisy leader with the right noise", arms=2, rounds=64, law=leads(16, 8, 2.0))
class GlobalLeader(Leader):
    def draws(self):
        return np.random.laplace(0.0, self.scale, self.sums.size)  # noqa: NPY002


@sound("noisy leader; a legacy RandomState of its own", arms=2, rounds=64, law=leads(16, 8, 2.0))
class LegacyLeader(Leader):
    def __init__(self, arms, epsilon, rng):
        super().__init__(arms, epsilon, np.random.RandomState(int(rng.integers(2**32))))


@sound(
    "noisy leader; Laplace noise by hand from two logarithms",
    arms=2,
    rounds=64,
    law=leads(16, 8, 2.0),
)
class LogLeader(Leader):
    def draws(self):
        pairs = [(random.random(), random.random()) for _ in self.sums]
        return np.array([self.scale * (math.log(1 - u) - math.log(1 - v)) for u, v in pairs])


@sound(
    "noisy leader; each arm has a stream spawned from the generator",
    arms=2,
    rounds=64,
    law=leads(16, 8, 2.0),
)
class SpawnedLeader(Leader):
    def __init__(self, arms, epsilon, rng):
        super().__init__(arms, epsilon, rng)
        self.streams = rng.spawn(arms)

    def draws(self):
        return np.array([s.laplace(0.0, self.scale) for s in self.streams])


@sound(
    "noisy leader; it seeds the global generator from its own and uses that",
    arms=2,
    rounds=64,
    law=leads(16, 8, 2.0),
)
class SeedsTheWorld(Leader):
    def __init__(self, arms, epsilon, rng):
        super().__init__(arms, epsilon, np.random)
        np.random.seed(int(rng.integers(2**32)))  # noqa: NPY002
        random.seed(int(rng.integers(2**32)))


@sound(
    "randomised response written as a generator object",
    arms=2,
    rounds=12,
    law=stays(5),
)
class Coroutine:
    def __init__(self, arms, epsilon, rng):
        self.steps = self.run(arms, math.exp(epsilon), rng)
        self.arm = next(self.steps)

    @staticmethod
    def run(arms, odds, rng):
        arm = 0
        while True:
            reward = yield arm
            lie = rng.uniform(0, 1 + odds) < 1
            arm = arm if (reward >= 0.5) != lie else (arm + 1) % arms

    def select(self, t):
        return self.arm

    def observe(self, t, arm, reward):
        self.arm = self.steps.send(reward)


@sound(
    "more draws after a win than after a loss: the stream's position, not its law",
    arms=2,
    rounds=12,
    law=stays(5),
)
class UnevenDraws(Response):
    def observe(self, t, arm, reward):
        if reward >= 0.5:
            self.rng.random(3)
        super().observe(t, arm, reward)


@sound("does not look at its data: random bits through bytes", arms=2, rounds=1000, blind=True)
class ByteCoins:
    def __init__(self, arms, epsilon, rng):
        self.bits = [b & 1 for b in rng.bytes(1000)]

    def select(self, t):
        return self.bits[(t - 1) % 1000]

    def observe(self, t, arm, reward):
        del reward


@sound("noisy leader at T = 4,096", arms=2, rounds=4096, law=leads(16, 8, 2.0))
class LongLeader(Leader):
    """The README's learner with twice the noise."""


@sound("noisy leader that answers with np.int64", arms=2, rounds=64, law=leads(16, 8, 2.0))
class NumpyArms(Leader):
    def select(self, t):
        return np.asarray([self.leader], dtype=np.int64)[0]


@sound(
    "noisy leader with Gumbel noise of 2/epsilon: the exponential mechanism",
    arms=2,
    rounds=32,
    # D is -1 or -3 in the scale of 2: a logistic function of D/2.
    law=lambda: Worlds(
        always(8, [1, 1], r4=[0, 1], r5=[0, 1]),
        8,
        6,
        [1, 0],
        [0, 1],
        plays(8, 0),
        1 / (1 + math.exp(0.5)),
        1 / (1 + math.exp(1.5)),
        1000,
    ),
)
class GumbelLeader(Leader):
    def draws(self):
        return self.rng.gumbel(0, self.scale, len(self.sums))


@sound(
    "noisy leader with |Laplace|, which is Exponential noise of 2/epsilon: tight from the start",
    arms=2,
    rounds=64,
    # Arm 0 is one or three behind a difference of two Exponentials, Lap(2): e^-0.5/2, e^-1.5/2.
    law=lambda: Worlds(
        always(8, [1, 1], r4=[0, 1], r5=[0, 1]),
        8,
        6,
        [1, 0],
        [0, 1],
        plays(8, 0),
        math.exp(-0.5) / 2,
        math.exp(-1.5) / 2,
        1000,
    ),
)
class AbsoluteNoise(Leader):
    def draws(self):
        return np.abs(super().draws())


@sound("does not look at its data: arm 1 once in 100,000 rounds", arms=2, rounds=100, blind=True)
class RareArm:
    def __init__(self, arms, epsilon, rng):
        self.rng = rng

    def select(self, t):
        return int(self.rng.random() < 1e-5)

    def observe(self, t, arm, reward):
        pass
