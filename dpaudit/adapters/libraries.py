"""Bandit libraries, one line for each. None of them is needed to import this."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from dpaudit.adapters.made import Made, learner_class
from dpaudit.adapters.methods import from_methods
from dpaudit.adapters.offered import parameters


def from_mabwiser(policy: Any, **given: Any) -> type[Made]:
    """MABWiser: `from_mabwiser(LearningPolicy.EpsilonGreedy(0.1))`. It is trained a round at a
    time; arms that were never played are played first. Contexts are handed on."""

    class Adapted(Made):
        def begin(self, offer: dict[str, Any], more: dict[str, Any]) -> None:
            mab = importlib.import_module("mabwiser.mab")
            self.mab = mab.MAB(list(range(self.arms)), policy, seed=offer["seed"], **given | more)
            self.fresh = list(range(self.arms))

        def select(self, t: int, context: Any = None) -> Any:
            takes = context is not None and self.mab.is_contextual
            shown = self.shown[t] = ([list(context)],) if takes else ()
            return self.fresh[0] if self.fresh else self.mab.predict(*shown)

        def observe(self, t: int, arm: int, reward: Any) -> None:
            train = self.mab.fit if len(self.fresh) == self.arms else self.mab.partial_fit
            train([arm], [reward], *self.shown.pop(t))
            if arm in self.fresh:
                self.fresh.remove(arm)

    return learner_class(Adapted, type(policy), hands_on=False)


def from_river(make: Callable[..., Any], **given: Any) -> type[Made]:
    """River: `from_river(bandit.EpsilonGreedy, epsilon=0.1)`, a class of `river.bandit`. Those
    with contexts are handed them."""

    class Adapted(Made):
        def begin(self, offer: dict[str, Any], more: dict[str, Any]) -> None:
            asks = [each.name for each in parameters(make)]
            seed = {"seed": offer["seed"]} if "seed" in asks else {}
            self.policy = make(**seed | given | more)

        def select(self, t: int, context: Any = None) -> Any:
            # River's contexts are dictionaries.
            named = {str(i): float(x) for i, x in enumerate(() if context is None else context)}
            shown = self.shown[t] = () if context is None else (named,)
            return self.policy.pull(range(self.arms), *shown)

        def observe(self, t: int, arm: int, reward: Any) -> None:
            self.policy.update(arm, *self.shown.pop(t), reward)

    return learner_class(Adapted, make)


def from_smpybandits(make: Callable[..., Any], **given: Any) -> type[Made]:
    """SMPyBandits: `from_smpybandits(UCB)`, a class of `SMPyBandits.Policies`."""

    class Adapted(Made):
        def begin(self, offer: dict[str, Any], more: dict[str, Any]) -> None:
            self.policy = make(self.arms, **given | more)
            self.policy.startGame()

        def select(self, t: int) -> Any:
            return self.policy.choice()

        def observe(self, t: int, arm: int, reward: Any) -> None:
            self.policy.getReward(arm, reward)

    return learner_class(Adapted, make)


def from_obp(make: Callable[..., Any], **given: Any) -> type[Made]:
    """Open Bandit Pipeline: `from_obp(BernoulliTS)`, a policy without contexts of `obp.policy`."""
    return from_methods(make, "select_action", "update_params", **given)
