"""Learners as they are met: their randomness and their state come from anywhere."""

import copy
import random
from functools import lru_cache

import numpy as np

OWN = np.random.default_rng(0)
STARTED = random.random()
"""Drawn when the module is run, as some do."""


class Coins:
    """Ignores its data, and tosses numpy's global coin."""

    def __init__(self, arms, epsilon, rng):
        self.arms = arms

    def select(self, t):
        return int(np.random.randint(self.arms))  # noqa: NPY002

    def observe(self, t, arm, reward):
        pass


class StandardCoins(Coins):
    def select(self, t):
        return random.randrange(self.arms)


class ModuleCoins(Coins):
    def select(self, t):
        return int(OWN.integers(self.arms))


class UnseededCoins(Coins):
    def __init__(self, arms, epsilon, rng):
        super().__init__(arms, epsilon, rng)
        self.rng = np.random.default_rng()

    def select(self, t):
        return int(self.rng.integers(self.arms))


class SystemCoins(Coins):
    def __init__(self, arms, epsilon, rng):
        super().__init__(arms, epsilon, rng)
        self.rng = random.SystemRandom()

    def select(self, t):
        return self.rng.randrange(self.arms)


@lru_cache
def drawn_once(arms):
    return int(np.random.randint(arms))  # noqa: NPY002


class CachedCall(Coins):
    def select(self, t):
        return drawn_once(self.arms)


class CachedCoin(Coins):
    coin = None

    def select(self, t):
        if CachedCoin.coin is None:
            CachedCoin.coin = random.randrange(self.arms)
        return CachedCoin.coin


class StartedCoin(Coins):
    """Its coin was tossed when its module was run."""

    def select(self, t):
        return int(STARTED * self.arms)


class Response(Coins):
    """Win-stay, lose-shift on a randomised response, by the global generator: exactly private."""

    def __init__(self, arms, epsilon, rng):
        super().__init__(arms, epsilon, rng)
        self.epsilon, self.arm = epsilon, 0

    def select(self, t):
        return self.arm

    def observe(self, t, arm, reward):
        honest = random.random() < 1.0 / (1.0 + np.exp(-self.epsilon))
        if (reward >= 0.5) != honest:
            self.arm = (arm + 1) % self.arms


class OfOwn(Response):
    """Responds by a generator of its own, which `random` makes."""

    def random(self):
        return self.rng.random()

    def observe(self, t, arm, reward):
        honest = self.random() < 1.0 / (1.0 + np.exp(-self.epsilon))
        if (reward >= 0.5) != honest:
            self.arm = (arm + 1) % self.arms


class Copied(OfOwn):
    KEPT = np.random.default_rng(0)

    def __init__(self, arms, epsilon, rng):
        super().__init__(arms, epsilon, rng)
        self.rng = copy.deepcopy(self.KEPT)


class ByDefault(OfOwn):
    def __init__(self, arms, epsilon, rng, own=np.random.default_rng(0)):  # noqa: B008
        super().__init__(arms, epsilon, rng)
        self.rng = own


class HoldsOwn(OfOwn):
    """Generators in an object of the module are set, and not taken for what a run leaves behind."""

    class Holder:
        rng = None

    HOLDER = Holder()
    HOLDER.rng = np.random.default_rng(0)

    def random(self):
        return self.HOLDER.rng.random()


class ConstantSeed(OfOwn):
    def __init__(self, arms, epsilon, rng):
        super().__init__(arms, epsilon, rng)
        self.rng = np.random.default_rng(0)


class SetsGlobal(OfOwn):
    def __init__(self, arms, epsilon, rng):
        super().__init__(arms, epsilon, rng)
        np.random.seed(0)  # noqa: NPY002

    def random(self):
        return np.random.random()  # noqa: NPY002


class MadeLater(OfOwn):
    made = None

    def random(self):
        if MadeLater.made is None:
            MadeLater.made = np.random.default_rng(0)
        return MadeLater.made.random()


class SeededByReward(OfOwn):
    """The rewards are the seed: a leak, however much noise there is."""

    def observe(self, t, arm, reward):
        self.rng = np.random.default_rng(3 if reward >= 0.5 else 1)
        self.arm = int(self.rng.random() * self.arms)


class Constant(Coins):
    def select(self, t):
        return 0


class Committed:
    """Explores 45 rounds an arm, then plays the arm of more reward for ever: no noise at all."""

    def __init__(self, arms, epsilon, rng):
        self.sums = [0.0] * arms

    def select(self, t):
        if t <= 45 * len(self.sums):
            return (t - 1) % len(self.sums)
        return self.sums.index(max(self.sums))

    def observe(self, t, arm, reward):
        if t <= 45 * len(self.sums):
            self.sums[arm] += reward
