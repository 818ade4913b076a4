"""Bandit libraries, one line for each. None of them is needed to import this."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dpaudit.adapters.made import Made, learner_class
from dpaudit.adapters.methods import seed_of


def from_mabwiser(policy: Any, **given: Any) -> type[Made]:
    """MABWiser: `from_mabwiser(LearningPolicy.EpsilonGreedy(0.1))`. It is fitted on nothing, and
    then trained a round at a time; arms that were never played are played first."""

    class Adapted(Made):
        def __init__(self, arms: int, epsilon: float, rng: Any) -> None:
            from mabwiser.mab import MAB

            self.mab = MAB(list(range(arms)), policy, seed=seed_of(rng), **given)
            self.fitted: set[int] = set()
            self.arms = arms

        def select(self, t: int) -> int:
            fresh = [j for j in range(self.arms) if j not in self.fitted]
            return fresh[0] if fresh else int(self.mab.predict())

        def observe(self, t: int, arm: int, reward: Any) -> None:
            train = self.mab.partial_fit if self.fitted else self.mab.fit
            train([arm], [reward])
            self.fitted.add(arm)

    return learner_class(Adapted, type(policy), "bandit")


def from_river(make: Callable[..., Any], **given: Any) -> type[Made]:
    """River: `from_river(bandit.EpsilonGreedy, epsilon=0.1)`, a class of `river.bandit`."""

    class Adapted(Made):
        def __init__(self, arms: int, epsilon: float, rng: Any) -> None:
            import inspect

            asks = inspect.signature(make).parameters
            seed = {"seed": seed_of(rng)} if "seed" in asks else {}
            self.policy = make(**seed, **given)
            self.arms = list(range(arms))

        def select(self, t: int) -> int:
            return int(self.policy.pull(self.arms))

        def observe(self, t: int, arm: int, reward: Any) -> None:
            self.policy.update(arm, reward)

    return learner_class(Adapted, make, "bandit")


def from_smpybandits(make: Callable[..., Any], **given: Any) -> type[Made]:
    """SMPyBandits: `from_smpybandits(UCB)`, a class of `SMPyBandits.Policies`."""

    class Adapted(Made):
        def __init__(self, arms: int, epsilon: float, rng: Any) -> None:
            self.policy = make(arms, **given)
            self.policy.startGame()

        def select(self, t: int) -> int:
            return int(self.policy.choice())

        def observe(self, t: int, arm: int, reward: Any) -> None:
            self.policy.getReward(arm, reward)

    return learner_class(Adapted, make, "bandit")


def from_obp(make: Callable[..., Any], **given: Any) -> type[Made]:
    """Open Bandit Pipeline: `from_obp(BernoulliTS)`, a policy without contexts of `obp.policy`."""

    class Adapted(Made):
        def __init__(self, arms: int, epsilon: float, rng: Any) -> None:
            seed = {"random_state": seed_of(rng)}
            self.policy = make(n_actions=arms, **seed | given)

        def select(self, t: int) -> int:
            return int(self.policy.select_action()[0])

        def observe(self, t: int, arm: int, reward: Any) -> None:
            self.policy.update_params(action=arm, reward=reward)

    return learner_class(Adapted, make, "bandit")
