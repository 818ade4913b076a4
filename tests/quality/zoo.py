"""Broken learners, each with the line that is wrong, and sound ones that must not be accused.

All are plain Python classes, as anyone would write them, audited through their actions alone. Two
designs are broken in many ways: the noisy leader of doubling epochs (full information), and lazy
UCB on noisy means of doubling epochs (bandit).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

CAUGHT: dict[type, str] = {}
"""Broken learners and what is wrong with them."""
SOUND: list[type] = []


def broken(wrong: str) -> Any:
    def register(learner: type) -> type:
        CAUGHT[learner] = wrong
        return learner

    return register


def sound(learner: type) -> type:
    SOUND.append(learner)
    return learner


@sound
class NoisyLeader:
    """Lap(2/epsilon) on the sums of each epoch, forgotten afterwards."""

    feedback = "full-information"

    def __init__(self, arms: int, epsilon: float, rng: Any) -> None:
        self.arms, self.epsilon, self.rng = arms, epsilon, rng
        self.sums = [0.0] * arms
        self.leader, self.seen, self.length = 0, 0, 1

    def scale(self) -> float:
        return 2.0 / self.epsilon

    def noise(self) -> list[float]:
        return list(self.rng.laplace(0.0, self.scale(), self.arms))

    def elect(self) -> int:
        scores = [s + z for s, z in zip(self.sums, self.noise(), strict=True)]
        return scores.index(max(scores))

    def forget(self) -> None:
        self.sums = [0.0] * self.arms

    def select(self, t: int) -> int:
        return self.leader

    def add(self, reward: Any) -> None:
        for j in range(self.arms):
            self.sums[j] += reward[j]

    def observe(self, t: int, arm: int, reward: Any) -> None:
        self.add(reward)
        self.seen += 1
        if self.seen == self.length:
            self.leader = self.elect()
            self.forget()
            self.seen, self.length = 0, 2 * self.length


@sound
class ExponentialLeader(NoisyLeader):
    def noise(self) -> list[float]:
        return list(self.rng.exponential(2.0 / self.epsilon, self.arms))


@sound
class GumbelLeader(NoisyLeader):
    def noise(self) -> list[float]:
        return list(self.rng.gumbel(0.0, 2.0 / self.epsilon, self.arms))


@sound
class DividedLeader(NoisyLeader):
    """The naive budget: epsilon/K an arm."""

    def scale(self) -> float:
        return self.arms / self.epsilon


@broken("scale 1/epsilon: a replaced vector moves one sum up and another down")
class OneSidedScale(NoisyLeader):
    def scale(self) -> float:
        return 1.0 / self.epsilon


@broken("half the noise")
class HalfNoiseLeader(NoisyLeader):
    def scale(self) -> float:
        return 0.5 / self.epsilon


@broken("Exponential noise of scale 1/epsilon")
class OneSidedExponential(NoisyLeader):
    def noise(self) -> list[float]:
        return list(self.rng.exponential(1.0 / self.epsilon, self.arms))


@broken("Gumbel noise of scale 1/epsilon")
class OneSidedGumbel(NoisyLeader):
    def noise(self) -> list[float]:
        return list(self.rng.gumbel(0.0, 1.0 / self.epsilon, self.arms))


@broken("Gaussian noise of standard deviation 1/epsilon, which is pure for no epsilon")
class GaussianLeader(NoisyLeader):
    def noise(self) -> list[float]:
        return list(self.rng.normal(0.0, 1.0 / self.epsilon, self.arms))


@broken("uniform noise on [-1/epsilon, 1/epsilon]: bounded support")
class UniformNoise(NoisyLeader):
    def noise(self) -> list[float]:
        return list(self.rng.uniform(-1.0 / self.epsilon, 1.0 / self.epsilon, self.arms))


@broken("forgetting forgotten: the sums go on, each epoch releases them again")
class NeverForgets(NoisyLeader):
    def forget(self) -> None:
        pass


@broken("the first epoch is released without noise")
class FirstUnnoised(NoisyLeader):
    def noise(self) -> list[float]:
        return [0.0] * self.arms if self.length == 1 else super().noise()


@broken("one draw is added to every arm")
class SharedDraw(NoisyLeader):
    def noise(self) -> list[float]:
        return [self.rng.laplace(0.0, self.scale())] * self.arms


@broken("noise on the first arm only, and of scale 1/epsilon")
class NoiseOnOneArm(NoisyLeader):
    def noise(self) -> list[float]:
        return [self.rng.laplace(0.0, 1.0 / self.epsilon)] + [0.0] * (self.arms - 1)


@broken("the maximum is redrawn in every round of the next epoch")
class RedrawsEachRound(NoisyLeader):
    def forget(self) -> None:
        self.kept, self.sums = self.sums, [0.0] * self.arms

    def select(self, t: int) -> int:
        if t == 1:
            return 0
        scores = [s + z for s, z in zip(self.kept, self.noise(), strict=True)]
        return scores.index(max(scores))


@broken("rewards counted twice: sensitivity 2")
class CountsTwice(NoisyLeader):
    def add(self, reward: Any) -> None:
        super().add(reward)
        super().add(reward)


@broken("a clear leader is released without noise")
class NoiseWhenClose(NoisyLeader):
    def elect(self) -> int:
        if max(self.sums) - min(self.sums) >= 2.0:
            return self.sums.index(max(self.sums))
        return super().elect()


@broken("the noise is seeded with the data")
class SeededWithData(NoisyLeader):
    def noise(self) -> list[float]:
        rng = np.random.default_rng(int(sum(self.sums) * 1000))
        return list(rng.laplace(0.0, self.scale(), self.arms))


@broken("the noise shrinks with the length of the epoch, as if means were released as sums")
class ShrinkingNoise(NoisyLeader):
    def scale(self) -> float:
        return 2.0 / (self.epsilon * self.length)


@broken("the last reward decides at once, without noise, one time in four")
class PeeksSometimes(NoisyLeader):
    def observe(self, t: int, arm: int, reward: Any) -> None:
        super().observe(t, arm, reward)
        if self.rng.random() < 0.25:
            self.leader = int(np.argmax(reward))


@sound
class LazyUcb:
    """Anytime-Lazy-UCB for two arms or more."""

    def __init__(self, arms: int, epsilon: float, rng: Any) -> None:
        self.arms, self.epsilon, self.rng = arms, epsilon, rng
        self.used, self.noisy = [0] * arms, [0.0] * arms
        self.pending, self.total = [0] * arms, [0.0] * arms

    def scale(self, arm: int) -> float:
        return 1.0 / self.epsilon

    def mean(self, arm: int) -> float:
        return (self.total[arm] + self.rng.laplace(0.0, self.scale(arm))) / self.pending[arm]

    def index(self, j: int, t: int) -> float:
        n, log_t = self.used[j], 3.0 * math.log(t)
        return self.noisy[j] + math.sqrt(log_t / n) + log_t / (self.epsilon * n)

    def select(self, t: int) -> int:
        if t <= self.arms:
            return t - 1
        values = [self.index(j, t) for j in range(self.arms)]
        return values.index(max(values))

    def forget(self, arm: int) -> None:
        self.pending[arm], self.total[arm] = 0, 0.0

    def due(self, arm: int) -> bool:
        return self.pending[arm] == max(1, 2 * self.used[arm])

    def observe(self, t: int, arm: int, reward: float) -> None:
        self.pending[arm] += 1
        self.total[arm] += reward
        if self.due(arm):
            self.noisy[arm] = self.mean(arm)
            self.used[arm] = self.pending[arm]
            self.forget(arm)


class BoldUcb(LazyUcb):
    """Without bonus for the noise: still post-processing, but its actions show more."""

    def index(self, j: int, t: int) -> float:
        return self.noisy[j] + 0.1 * math.sqrt(math.log(t) / self.used[j])


sound(BoldUcb)


@broken("half the noise")
class HalfNoiseUcb(BoldUcb):
    def scale(self, arm: int) -> float:
        return 0.5 / self.epsilon


@broken("the first pull is not noised")
class FirstPullUnnoised(BoldUcb):
    def mean(self, arm: int) -> float:
        return self.total[arm] if self.used[arm] == 0 else super().mean(arm)


@broken("later epochs are not noised")
class LaterUnnoised(BoldUcb):
    def mean(self, arm: int) -> float:
        if self.used[arm] == 0:
            return super().mean(arm)
        return self.total[arm] / self.pending[arm]


@broken("noise of the sum's scale divided by n twice")
class DividedTwice(BoldUcb):
    def scale(self, arm: int) -> float:
        return 1.0 / (self.epsilon * self.pending[arm])


@broken("the true mean decides, the noisy one is only stored")
class MeanInsteadOfNoisy(BoldUcb):
    def mean(self, arm: int) -> float:
        super().mean(arm)
        return self.total[arm] / self.pending[arm]


@broken("the mean is released after every pull of an epoch")
class ReleasesEachPull(BoldUcb):
    def observe(self, t: int, arm: int, reward: float) -> None:
        self.pending[arm] += 1
        self.total[arm] += reward
        self.noisy[arm] = self.mean(arm)
        self.used[arm] = self.pending[arm]


@broken("the noise is redrawn whenever an index is computed")
class RedrawsUcb(BoldUcb):
    def mean(self, arm: int) -> float:
        self.stored = getattr(self, "stored", [0.0] * self.arms)
        self.stored[arm] = self.total[arm] / self.pending[arm]
        return 0.0

    def index(self, j: int, t: int) -> float:
        return self.stored[j] + self.rng.laplace(0.0, 1.0 / (self.epsilon * self.used[j]))


@broken("win-stay, lose-shift on the raw reward")
class WinStay(LazyUcb):
    def select(self, t: int) -> int:
        return getattr(self, "following", 0)

    def observe(self, t: int, arm: int, reward: float) -> None:
        self.following = arm if reward >= 0.5 else (arm + 1) % self.arms


class Responder(LazyUcb):
    """Win-stay, lose-shift on a randomised response to the reward's bit."""

    flip = 1.0

    def select(self, t: int) -> int:
        return getattr(self, "following", 0)

    def observe(self, t: int, arm: int, reward: float) -> None:
        honest = self.rng.random() < 1.0 / (1.0 + math.exp(-self.epsilon * self.flip))
        win = (reward >= 0.5) == honest
        self.following = arm if win else (arm + 1) % self.arms


sound(Responder)


@broken("randomised response of epsilon = 1.2 where 1 was promised")
class LooseResponder(Responder):
    flip = 1.2


@broken("explores one time in ten, else follows the best true mean")
class EpsilonGreedy(LazyUcb):
    def select(self, t: int) -> int:
        if t <= self.arms:
            return t - 1
        if self.rng.random() < 0.1:
            return int(self.rng.integers(self.arms))
        values = [self.total[j] / max(self.pending[j], 1) for j in range(self.arms)]
        return values.index(max(values))

    def observe(self, t: int, arm: int, reward: float) -> None:
        self.pending[arm] += 1
        self.total[arm] += reward


@broken("Thompson sampling on the raw counts")
class RawThompson(LazyUcb):
    def select(self, t: int) -> int:
        draws = [
            self.rng.beta(20 * self.total[j] + 1, 20 * (self.pending[j] - self.total[j]) + 1)
            for j in range(self.arms)
        ]
        return draws.index(max(draws))

    def observe(self, t: int, arm: int, reward: float) -> None:
        self.pending[arm] += 1
        self.total[arm] += reward


@sound
class Uniform(LazyUcb):
    def select(self, t: int) -> int:
        return int(self.rng.integers(self.arms))


@sound
class InTurn(LazyUcb):
    def select(self, t: int) -> int:
        return (t - 1) % self.arms


@sound
class Committed(LazyUcb):
    def __init__(self, arms: int, epsilon: float, rng: Any) -> None:
        super().__init__(arms, epsilon, rng)
        self.mine = int(rng.integers(arms))

    def select(self, t: int) -> int:
        return self.mine


@sound
class LazyThompson(LazyUcb):
    def select(self, t: int) -> int:
        if t <= self.arms:
            return t - 1
        draws = []
        for j in range(self.arms):
            n = self.used[j]
            m = min(1.0, max(0.0, self.noisy[j]))
            draws.append(self.rng.beta(m * n + 1, (1 - m) * n + 1))
        return draws.index(max(draws))
