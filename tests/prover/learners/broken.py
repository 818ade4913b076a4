"""One learner that is sound, and it with one thing wrong at a time. The bounds are by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

BOUNDS: dict[type, float] = {}
"""Learners and the bound that is right for them."""
WITHOUT: dict[type, str] = {}
"""Learners that have no bound, and why: `leak`, `growth` or `undecided`."""


def bound(right: float) -> Any:
    def enter(learner: type) -> type:
        BOUNDS[learner] = right
        return learner

    return enter


def without(why: str) -> Any:
    def enter(learner: type) -> type:
        WITHOUT[learner] = why
        return learner

    return enter


@bound(1.0)
class Greedy:
    """Epsilon-greedy on noisy means that are released at powers of two."""

    def __init__(self, arms: int, epsilon: float, rng: Any) -> None:
        self.arms, self.epsilon, self.rng = arms, epsilon, rng
        self.counts, self.sums = np.zeros(arms, dtype=int), np.zeros(arms)
        self.means = np.zeros(arms)

    def scale(self) -> float:
        return 1 / self.epsilon

    def select(self, t: int) -> int:
        if t <= self.arms:
            return t - 1
        if self.rng.random() < 0.1:
            return int(self.rng.integers(self.arms))
        return int(np.argmax(self.means))

    def release(self, arm: int) -> None:
        noise = self.rng.laplace(0, self.scale())
        self.means[arm] = (self.sums[arm] + noise) / self.counts[arm]

    def clear(self, arm: int) -> None:
        self.sums[arm] = 0.0

    def observe(self, t: int, arm: int, reward: float) -> None:
        self.counts[arm] += 1
        self.sums[arm] += reward
        n = int(self.counts[arm])
        if n & (n - 1) == 0:
            self.release(arm)
            self.clear(arm)


@bound(1.0)
class Validated(Greedy):
    def observe(self, t: int, arm: int, reward: float) -> None:
        if not 0 <= reward <= 1:
            raise ValueError(f"reward: {reward}")
        super().observe(t, arm, min(max(reward, 0.0), 1.0))


@bound(1.0)
class Rescaled(Greedy):
    """What was released may be used again."""

    def release(self, arm: int) -> None:
        noisy = self.sums[arm] + self.rng.laplace(0, self.scale())
        self.means[arm] = noisy / self.counts[arm]
        self.double = 2 * noisy + 1


@bound(2.0)
class HalfNoise(Greedy):
    def scale(self) -> float:
        return 0.5 / self.epsilon


@bound(2.0)
class TwoReleases(Greedy):
    def release(self, arm: int) -> None:
        super().release(arm)
        super().release(arm)


@bound(3.0)
class CountsThrice(Greedy):
    def observe(self, t: int, arm: int, reward: float) -> None:
        super().observe(t, arm, 3 * reward)


@without("growth")
class Uncleared(Greedy):
    def clear(self, arm: int) -> None:
        pass


@without("growth")
class ClearsAnother(Greedy):
    def clear(self, arm: int) -> None:
        self.sums[0] = 0.0


@without("leak")
class DrawUsedTwice(Greedy):
    def release(self, arm: int) -> None:
        noise = self.rng.laplace(0, self.scale())
        self.means[arm] = self.sums[arm] + noise
        self.other = self.sums[arm] + 2 * noise


@without("leak")
class RawBranch(Greedy):
    def observe(self, t: int, arm: int, reward: float) -> None:
        super().observe(t, arm, reward)
        if self.sums[arm] > 3:
            self.counts[arm] = 0


@without("leak")
class RawChoice(Greedy):
    def select(self, t: int) -> int:
        return int(np.argmax(self.sums))


@without("undecided")
class NoiseCached(Greedy):
    """The draws of the constructor are used in each release."""

    def __init__(self, arms: int, epsilon: float, rng: Any) -> None:
        super().__init__(arms, epsilon, rng)
        self.cached = [rng.laplace(0, 1 / epsilon) for _ in range(arms)]

    def release(self, arm: int) -> None:
        self.means[arm] = self.sums[arm] + self.cached[arm]


@without("undecided")
class PrivateScale(Greedy):
    def release(self, arm: int) -> None:
        self.means[arm] = self.sums[arm] + self.rng.laplace(0, 1 + self.sums[arm])


@without("undecided")
class ShrinkingNoise(Greedy):
    def release(self, arm: int) -> None:
        scale = 1 / (self.epsilon * self.counts[arm])
        self.means[arm] = self.sums[arm] + self.rng.laplace(0, scale)


@without("undecided")
class Reads(Greedy):
    """What is formatted must not be compared unseen."""

    def observe(self, t: int, arm: int, reward: float) -> None:
        if f"{reward}" == "1.0":
            self.means[arm] = 1.0


@without("undecided")
class Swallows(Greedy):
    def observe(self, t: int, arm: int, reward: float) -> None:
        try:
            self.means[arm] = float(str(reward))
        except TypeError:
            self.means[arm] = 0.0


@without("undecided")
class AsksIdentity(Greedy):
    def observe(self, t: int, arm: int, reward: float) -> None:
        if (reward > 0.5) is True:
            self.means[arm] = 1.0


@without("undecided")
class Shares(Greedy):
    log: list[float] = []  # noqa: RUF012

    def observe(self, t: int, arm: int, reward: float) -> None:
        self.log.append(reward)
        self.means[arm] = len(self.log)


@without("undecided")
class Remembers(Greedy):
    def observe(self, t: int, arm: int, reward: float) -> None:
        self.history = [*getattr(self, "history", []), reward]


@without("undecided")
class RandomisedResponse(Greedy):
    """Private, and nothing here can say so: it must not be called a leak."""

    def observe(self, t: int, arm: int, reward: float) -> None:
        honest = self.rng.random() < 0.7
        self.means[arm] = 1.0 if (reward >= 0.5) == honest else 0.0


@bound(1.0)
class LeastLoss:
    """Exponential noise on the side where the best is looked for."""

    feedback = "full-information"

    def __init__(self, arms: int, epsilon: float, rng: Any) -> None:
        self.arms, self.epsilon, self.rng, self.leader = arms, epsilon, rng, 0

    def noisy(self, reward: Any) -> Any:
        return self.rng.exponential(2 / self.epsilon, self.arms) - (1 - reward)

    def select(self, t: int) -> int:
        return self.leader

    def observe(self, t: int, arm: int, reward: Any) -> None:
        self.leader = int(np.argmax(self.noisy(reward)))


@without("undecided")
class LowerTail(LeastLoss):
    """The least of scores with exponential noise: their lower tails have an end."""

    def observe(self, t: int, arm: int, reward: Any) -> None:
        self.leader = int(np.argmin(self.noisy(reward)))


@bound(1.0)
class OneDraw(LeastLoss):
    """Noise on one of two sides: a release of the difference, which moves by 2."""

    def observe(self, t: int, arm: int, reward: Any) -> None:
        noise = self.rng.laplace(0, 2 / self.epsilon)
        self.leader = 0 if reward[0] + noise > reward[1] else 1


@without("leak")
class DrawCancels(LeastLoss):
    def observe(self, t: int, arm: int, reward: Any) -> None:
        noise = self.rng.laplace(0, 2 / self.epsilon)
        self.leader = 0 if reward[0] + noise > reward[1] + noise else 1


@without("leak")
class NoiseTakenAway(LeastLoss):
    def noisy(self, reward: Any) -> Any:
        noise = self.rng.laplace(0, 2 / self.epsilon, self.arms)
        noisy = reward + noise
        return noisy - noise


@bound(2.0)
class Lagged(LeastLoss):
    """Each reward is in two releases."""

    def __init__(self, arms: int, epsilon: float, rng: Any) -> None:
        super().__init__(arms, epsilon, rng)
        self.before = np.zeros(arms)

    def observe(self, t: int, arm: int, reward: Any) -> None:
        noise = self.rng.laplace(0, 2 / self.epsilon, self.arms)
        self.leader = int(np.argmax(self.before + reward + noise))
        self.before = reward


@without("undecided")
class OneObject(LeastLoss):
    """Two names of one vector: cleared by one, it is cleared by the other."""

    def __init__(self, arms: int, epsilon: float, rng: Any) -> None:
        super().__init__(arms, epsilon, rng)
        self.sums = self.same = np.zeros(arms)


@bound(2.0)
class Opposed(LeastLoss):
    """One sum speaks for an arm and against the other: the scores move apart."""

    def noisy(self, reward: Any) -> Any:
        scores = np.array([reward[0], -reward[0]])
        return scores + self.rng.laplace(0, 1 / self.epsilon, 2)


@bound(0.0)
class Together(LeastLoss):
    """All scores move by the same: who is best stays so."""

    def noisy(self, reward: Any) -> Any:
        return np.array([reward[0]] * 2) + self.rng.laplace(0, 1 / self.epsilon, 2)


@bound(2.0)
class WinnerAndScore(LeastLoss):
    """The winner's score gives away both scores at most, and the winner follows from these."""

    def noisy(self, reward: Any) -> Any:
        return reward + self.rng.laplace(0, 1 / self.epsilon, self.arms)

    def observe(self, t: int, arm: int, reward: Any) -> None:
        scores = self.noisy(reward)
        self.leader = int(np.argmax(scores))
        self.score = scores[self.leader]
