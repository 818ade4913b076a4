"""Leaks for an adversary who adapts, in two far rounds together, in the times at which things
happen, and in raw second moments."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dpaudit.auditor.adversaries import punish_last, reward_last
from tests.quality.field.entry import Worlds, always, broken, plays, tail


@broken(
    "after 24 rounds in which the reward said 'same arm again' the raw reward picks the arm",
    arms=2,
    rounds=40,
    truth=math.inf,
    adversary="reward-last",
    # The adversary does just that; on a fixed table it happens with 2^-20.
    show=lambda: Worlds(reward_last, 31, 30, [1, 1], [0, 0], plays(31, 1), 1, 0, 60),
)
class Echo:
    def __init__(self, arms, epsilon, rng):
        self.rng, self.arms = rng, arms
        self.before = self.reward = None
        self.streak = 0

    def select(self, t):
        coin = int(self.rng.integers(self.arms))
        return int(self.reward > 0.5) if self.streak >= 24 else coin

    def observe(self, t, arm, reward):
        self.reward = reward
        if self.streak < 24:
            same = (reward > 0.5) == (arm == self.before)
            self.streak = self.streak + 1 if same else 0
        self.before = arm


@broken(
    "40 rounds in which only a change of arm was rewarded switch on win-stay, lose-shift",
    arms=3,
    rounds=64,
    truth=math.inf,
    adversary="punish-last",
    # On a fixed table each round fits with at most 2/3: 25 (2/3)^40 = 2e-6.
    show=lambda: Worlds(
        punish_last, 51, 50, [1, 1, 1], [0, 0, 0], lambda a: a[49] == a[50], 1, 0, 60
    ),
)
class NoveltySeeker:
    def __init__(self, arms, epsilon, rng):
        self.recent = deque(maxlen=40)
        self.rng, self.k = rng, arms
        self.last = self.follow = None

    @property
    def convinced(self) -> bool:
        return self.follow is not None or (len(self.recent) == 40 and all(self.recent))

    def select(self, t):
        return int(self.rng.integers(self.k)) if self.follow is None else self.follow

    def observe(self, t, arm, reward):
        self.recent.append((reward > 0.5) == (arm != self.last))
        if self.convinced:
            self.follow = arm if reward > 0.5 else (arm + 1) % self.k
        self.last = arm


def parity(t: int, actions: Sequence[int], arms: int) -> list[float]:
    """1 for all where the arms played so far have an odd sum."""
    return [float(sum(actions) % 2)] * arms


@broken(
    "25 rounds that returned the parity of its arms make it follow the raw best arm",
    arms=2,
    rounds=40,
    truth=math.inf,
    adversary=parity,
    # On a fixed table: 25 coins in a row.
    show=lambda: Worlds(parity, 33, 32, [0, 1], [1, 0], plays(33, 1), 1, 0, 60),
)
class ParityCheck:
    feedback = "full-information"

    def __init__(self, arms, epsilon, rng):
        self.coins = iter(lambda: int(rng.integers(arms)), None)
        self.sum, self.agreed, self.best = 0, 0, None

    def select(self, t):
        return next(self.coins) if self.best is None else self.best

    def observe(self, t, arm, reward):
        if self.agreed >= 25:
            self.best = int(np.argmax(reward))
        else:
            self.agreed = self.agreed + 1 if reward[0] == self.sum % 2 else 0
        self.sum += arm


@broken(
    "wins in rounds 7 and 500, both of them, rule arm 0 out",
    arms=2,
    rounds=512,
    truth=math.inf,
    # With one of them a coin, with both never arm 0.
    show=lambda: Worlds(always(501, [1, 1]), 501, 500, [0, 0], [1, 1], plays(501, 0), 0.5, 0, 40),
)
class FarTogether:
    def __init__(self, arms, epsilon, rng):
        self.rng, self.low, self.arms = rng, 0, arms
        self.marks = dict.fromkeys((7, 500), False)

    def select(self, t):
        return int(self.rng.integers(1 if all(self.marks.values()) else 0, self.arms))

    def observe(self, t, arm, reward):
        if t in self.marks:
            self.marks[t] = reward > 0.5


@broken(
    "the leader is elected with noise, but how long it serves depends on the raw lead",
    arms=2,
    rounds=512,
    truth=math.inf,
    # After round 201 a term of 200 if the raw lead is positive, else of 208: the probe in round
    # 402 plays the other arm than round 401, or it is not there yet.
    show=lambda: Worlds(
        always(402, [1, 1]), 402, 77, [1, 0], [1, 1], lambda a: a[400] != a[401], 1, 0, 20
    ),
)
class TermByLead:
    feedback = "full-information"

    def __init__(self, arms, epsilon, rng):
        self.arms = arms
        self.noise = lambda: rng.laplace(0, 2 / epsilon, arms)
        self.votes = np.zeros(arms)
        self.leader, self.left = 0, 200

    def select(self, t):
        return self.leader if self.left else (self.leader + 1) % self.arms

    def observe(self, t, arm, reward):
        self.votes += reward
        if self.left:
            self.left -= 1
            return
        self.left = 200 if self.votes[0] > self.votes[1:].max() else 208
        self.leader = int(np.argmax(self.votes + self.noise()))
        self.votes = np.zeros(self.arms)


@broken(
    "an arm's turn ends with its sixteenth raw win",
    arms=2,
    rounds=64,
    truth=math.inf,
    show=lambda: Worlds(always(17, [1, 1]), 17, 5, [0, 0], [1, 1], plays(17, 0), 1, 0, 40),
)
class WinsEndTurn:
    def __init__(self, arms, epsilon, rng):
        def turns() -> Any:
            while True:
                for arm in range(arms):
                    wins = 0
                    while wins < 16:
                        wins += bool((yield arm) > 0.5)

        self.turns = turns()
        self.arm = next(self.turns)

    def select(self, t):
        return self.arm

    def observe(self, t, arm, reward):
        self.arm = self.turns.send(reward)


@broken(
    "noisy means, but a raw second moment in the bonus: nothing for rewards of 0 and 1",
    arms=2,
    rounds=140,
    truth=3.0,
    # In units of a sum of 64: arm 0 has 4; arm 1 has 0, or 0.5 and a bonus of 64 sqrt(0.25/64) = 4.
    # 1 - tail(0.5) = 0.62 against tail(4) = 0.027.
    show=lambda: Worlds(
        always(129, [0, 0], r1=[1, 0], r3=[1, 0], r5=[1, 0], r7=[1, 0]),
        129,
        90,
        [0, 0.5],
        [0, 0],
        plays(129, 1),
        1 - tail(0.5),
        tail(4),
        200,
    ),
)
class RawVariance:
    def __init__(self, arms, epsilon, rng):
        self.arms, self.epsilon, self.rng = arms, epsilon, rng
        self.rewards = np.zeros((arms, 64))
        self.n = np.zeros(arms, dtype=int)
        self.index = None

    def select(self, t):
        if t <= 64 * self.arms:
            return (t - 1) % self.arms
        if self.index is None:
            noisy = self.rewards.mean(axis=1) + self.rng.laplace(
                0, 1 / (64 * self.epsilon), self.arms
            )
            spread = (self.rewards * (1 - self.rewards)).mean(axis=1)
            self.index = noisy + np.sqrt(spread)
        return int(np.argmax(self.index))

    def observe(self, t, arm, reward):
        if self.index is None:
            self.rewards[arm, self.n[arm]] = reward
            self.n[arm] += 1


@broken(
    "a sequential test: the first round with a raw lead of 12 ends the trial",
    arms=2,
    rounds=256,
    truth=math.inf,
    # Arm 0 wins in rounds 1, 3, ..., 23, arm 1 never; round 24 and later tells 12 from 11.
    show=lambda: Worlds(always(24, [1, 0]), 24, 15, [1, 0], [0, 0], plays(24, 0), 1, 0, 40),
)
class SequentialTest:
    def __init__(self, arms, epsilon, rng):
        self.state = ("trial", 0.0)

    def select(self, t):
        phase, value = self.state
        return (t - 1) % 2 if phase == "trial" else value

    def observe(self, t, arm, reward):
        phase, lead = self.state
        if phase == "trial":
            lead += reward if arm == 0 else -reward
            self.state = ("done", int(lead < 0)) if abs(lead) >= 12 else ("trial", lead)


class Drift(NamedTuple):
    """How far an arm has fallen below a half, in sum, since it last was above."""

    fall: float = 0.0
    arm: int = -1


@broken(
    "a raw drift detector: a fall of 30 below the standard ends an arm's time",
    arms=10,
    rounds=2048,
    truth=math.inf,
    # 60 losses from round 1,001 on are a fall of 30; with a win among them it is 29.
    show=lambda: Worlds(
        [[1] * 10] * 1000 + [[0] * 10] * 61, 1061, 1030, [0] * 10, [1] * 10, plays(1061, 0), 1, 0
    ),
)
class DriftDetector:
    """Begins with the last arm, the newest."""

    def __init__(self, arms, epsilon, rng):
        self.arms, self.drift = arms, Drift(arm=arms - 1)

    def select(self, t):
        return self.drift.arm

    def observe(self, t, arm, reward):
        fall = max(0.0, self.drift.fall + 0.5 - reward)
        if fall < 30:
            self.drift = Drift(fall, arm)
        else:
            self.drift = Drift(0.0, (arm + 1) % self.arms)
