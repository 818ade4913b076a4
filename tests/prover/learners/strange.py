"""Learners that leak by Python's and numpy's own ways, each with what it truly loses in multiples
of its epsilon; and by ways in which what is run on symbols is not what runs in the field."""

from __future__ import annotations

import math
import random

import numpy as np

TRUTH = {}
KEPT = [0.0]
DICT = {"x": [0.0]}


def case(truth=math.inf):
    def enter(learner):
        TRUTH[learner] = truth
        return learner

    return enter


class Base:
    def __init__(self, arms, epsilon, rng):
        self.arms, self.epsilon, self.rng = arms, epsilon, rng
        self.n, self.best, self.total = 0, 0, 0.0

    def select(self, t):
        return self.best

    def observe(self, t, arm, reward):
        self.total += reward


@case()
class ListMul(Base):
    def observe(self, t, arm, reward):
        noise = [self.rng.laplace(0, 1 / self.epsilon)] * 2
        a = reward + noise[0]
        b = 0.0 + noise[1]
        self.best = int(a > 0.5)
        self.x = b


@case()
class ViaSortedKey(Base):
    def observe(self, t, arm, reward):
        self.best = sorted([0, 1], key=lambda i: reward if i == 0 else 0.5)[0]


@case()
class ViaDict(Base):
    def observe(self, t, arm, reward):
        self.best = {0.0: 0, 1.0: 1}.get(reward, 0)


@case()
class ViaException(Base):
    def observe(self, t, arm, reward):
        if reward > 0.5:
            raise ValueError("x")


@case()
class Default(Base):
    def observe(self, t, arm, reward, kept=[]):  # noqa: B006
        kept.append(reward)
        self.best = int(kept[-1] > 0.5)


class Drawn(float):
    def __mul__(self, other):
        return random.random()


COIN = Drawn(1.0)


@case()
class ViaANumber(Base):
    """It runs on symbols as numbers do; in the field it draws."""

    def observe(self, t, arm, reward):
        if COIN * 0.5 < 0.001:
            self.best = int(reward > 0.5)


@case()
class ClosureState(Base):
    def __init__(self, arms, epsilon, rng):
        super().__init__(arms, epsilon, rng)
        kept = [0.0]

        def put(x):
            kept[0] = x

        def get():
            return kept[0]

        self.put, self.get = put, get

    def select(self, t):
        return int(self.get() > 0.5)

    def observe(self, t, arm, reward):
        self.put(reward)


@case(math.inf)
class CopiedDraw(Base):
    def observe(self, t, arm, reward):
        z = self.rng.laplace(0, 1 / self.epsilon)
        a = reward + z
        self.u = a
        self.v = z
        self.best = int(a - z > 0.5)


@case(math.inf)
class TwoStepDraw(Base):
    "noise public first then added"

    def observe(self, t, arm, reward):
        z = self.rng.laplace(0, 1 / self.epsilon)
        big = z > 3
        a = reward + z
        self.best = int(a > 0.5 and not big)


@case()
class DrawInTwoMethods(Base):
    def noise(self):
        if not hasattr(self, "z"):
            self.z = self.rng.laplace(0, 1 / self.epsilon)
        return self.z

    def observe(self, t, arm, reward):
        self.total += reward
        self.best = int(self.total + self.noise() > 0.5)


@case()
class StateReset(Base):
    def observe(self, t, arm, reward):
        s = self.rng.bit_generator.state
        a = reward + self.rng.laplace(0, 1 / self.epsilon)
        self.rng.bit_generator.state = s
        self.best = int(a > self.rng.laplace(0, 1 / self.epsilon))


@case(math.inf)
class ScaleOfT(Base):
    def observe(self, t, arm, reward):
        self.best = int(reward + self.rng.laplace(0, 1 / (self.epsilon * t)) > 0.5)


@case(100.0)
class LocLaplace(Base):
    def observe(self, t, arm, reward):
        self.best = int(self.rng.laplace(reward, 0.01 / self.epsilon) > 0.5)


@case(2.0)
class Window(Base):
    "last two rewards: each in two releases"

    def __init__(self, arms, epsilon, rng):
        super().__init__(arms, epsilon, rng)
        self.last = 0.0

    def observe(self, t, arm, reward):
        self.best = int(self.last + reward + self.rng.laplace(0, 1 / self.epsilon) > 0.5)
        self.last = reward


@case(2.0)
class TwoDraws(Base):
    "each draw once; average of both more informative"

    def observe(self, t, arm, reward):
        a = reward + self.rng.laplace(0, 1 / self.epsilon)
        b = reward + self.rng.laplace(0, 1 / self.epsilon)
        self.best = int((a + b) / 2 > 0.5)


@case(math.inf)
class Antithetic(Base):
    def observe(self, t, arm, reward):
        z = self.rng.laplace(0, 1 / self.epsilon)
        self.best = int((reward + z > 0.5) and (reward - z > 0.5))


@case(math.inf)
class ZeroNoise(Base):
    def observe(self, t, arm, reward):
        self.best = int(reward + 0 * self.rng.laplace(0, 1 / self.epsilon) > 0.5)


@case(math.inf)
class InfTrick(Base):
    def observe(self, t, arm, reward):
        x = reward * float("inf")
        self.best = int(x == x)


@case(math.inf)
class OrNone(Base):
    def observe(self, t, arm, reward):
        self.last = reward or None
        self.best = int(self.last is None)


@case(math.inf)
class InPlaceList(Base):
    def __init__(self, arms, epsilon, rng):
        super().__init__(arms, epsilon, rng)
        self.a = [0.0, 0.0]

    def observe(self, t, arm, reward):
        b = self.a
        b[0] += reward
        self.best = int(self.a[0] + self.rng.laplace(0, 1 / self.epsilon) > 0.5)


@case(2.0)
class ArgmaxTwice(Base):
    def observe(self, t, arm, reward):
        z = self.rng.gumbel(0, 2 / self.epsilon, 2)
        self.best = int(np.argmax(np.array([reward, 0.0]) + z))
        self.x = int(np.argmax(np.array([0.0, reward]) + z))


@case()
class FuncAttr(Base):
    def keep(self):
        return 0

    def select(self, t):
        return int(getattr(FuncAttr.keep, "x", 0.0) > 0.5)

    def observe(self, t, arm, reward):
        FuncAttr.keep.x = reward


@case()
class ListAppend(Base):
    def select(self, t):
        return int(KEPT[-1] > 0.5)

    def observe(self, t, arm, reward):
        list.append(KEPT, reward)


@case()
class ListDict(Base):
    def select(self, t):
        return int(DICT["x"][-1] > 0.5)

    def observe(self, t, arm, reward):
        list.append(DICT["x"], reward)


@case()
class InfAdd(Base):
    def observe(self, t, arm, reward):
        x = 1e308 * reward * 100
        y = x - x
        self.best = int(y == y)


@case()
class InfSum(Base):
    def observe(self, t, arm, reward):
        x = reward * math.inf + self.rng.laplace(0, 1 / self.epsilon)
        self.best = int(x > 0)


@case()
class FlagKept(Base):
    def observe(self, t, arm, reward):
        self.flag = reward > 0.5

    def select(self, t):
        return 1 if getattr(self, "flag", False) else 0


@case()
class NoiseKeptInTuple(Base):
    def __init__(self, arms, epsilon, rng):
        super().__init__(arms, epsilon, rng)
        self.z = (rng.laplace(0, 1 / epsilon), 0)

    def observe(self, t, arm, reward):
        self.best = int(reward + self.z[0] > 0.5)


@case(2.0)
class PerArm(Base):
    "one noise per arm: both sums in one round"

    def __init__(self, arms, epsilon, rng):
        super().__init__(arms, epsilon, rng)
        self.s = np.zeros(arms)

    def observe(self, t, arm, reward):
        self.s[0] += reward
        self.s[1] += reward
        z = self.rng.laplace(0, 1 / self.epsilon, self.arms)
        s = self.s + z
        self.a = float(s[0])
        self.b = float(s[1])
        self.s[:] = 0


@case(2.0)
class ArmOrNot(Base):
    "adds to wrong arm depending on own arm"

    def __init__(self, arms, epsilon, rng):
        super().__init__(arms, epsilon, rng)
        self.s = [0.0] * arms

    def observe(self, t, arm, reward):
        self.s[arm] += reward
        self.s[arm - 1] += reward
        self.a = self.s[0] + self.rng.laplace(0, 1 / self.epsilon)
        self.b = self.s[1] + self.rng.laplace(0, 1 / self.epsilon)
        self.s = [0.0] * self.arms


@case(3.0)
class Weighted(Base):
    def __init__(self, arms, epsilon, rng):
        super().__init__(arms, epsilon, rng)
        self.last = 0.0

    def observe(self, t, arm, reward):
        self.best = int(2 * self.last + reward + self.rng.laplace(0, 1 / self.epsilon) > 0.5)
        self.last = reward


@case(1.5)
class SelectAndObserve(Base):
    def select(self, t):
        self.best = int(self.total + self.rng.laplace(0, 2 / self.epsilon) > 0.5)
        self.total = 0.0
        return self.best

    def observe(self, t, arm, reward):
        self.total = reward
        self.best = int(self.total + self.rng.laplace(0, 1 / self.epsilon) > 0.5)


@case()
class AsksWhatItIs(Base):
    def observe(self, t, arm, reward):
        if not hasattr(reward, "draw"):
            self.best = int(reward > 0.5)


class HalfAndHalf(Base):
    """Adds 1 or 1/2, which numpy cuts off to 0 in an array of whole numbers."""

    def __init__(self, arms, epsilon, rng):
        super().__init__(arms, epsilon, rng)
        self.a = self.fresh()

    def observe(self, t, arm, reward):
        self.a[0] += 0.5 * reward + 0.5
        self.best = int(self.a[0] + self.rng.laplace(0, 0.5 / self.epsilon) > 0.5)
        self.a = self.fresh()


@case(1.0)
class OfReals(HalfAndHalf):
    def fresh(self):
        return np.array([0.0, 0])


@case(2.0)
class IntArray(HalfAndHalf):
    def fresh(self):
        return np.array([0, 0])


@case(2.0)
class IntPlus(HalfAndHalf):
    def fresh(self):
        return np.zeros(2, dtype=int) + 0


@case(2.0)
class IntWhere(HalfAndHalf):
    def fresh(self):
        return np.where(np.zeros(2) > 1, 1, 0)


@case()
class NumpyIs(Base):
    def __init__(self, arms, epsilon, rng):
        super().__init__(arms, epsilon, rng)
        self.a = np.zeros(2)

    def observe(self, t, arm, reward):
        if self.a[0] is not self.a[0]:
            self.best = int(reward > 0.5)


@case()
class NumpyInt(Base):
    def __init__(self, arms, epsilon, rng):
        super().__init__(arms, epsilon, rng)
        self.a = np.zeros(2, dtype=int)

    def observe(self, t, arm, reward):
        if not isinstance(self.a[0], int):
            self.best = int(reward > 0.5)
