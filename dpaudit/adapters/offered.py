"""What a stranger's function is called with: of what is offered, that which its parameters name.

Everybody has another word for an arm. What is meant by a parameter is known by its name, from
`NAMES`; a required one that nobody knows is an error that lists the known ones.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any

from dpaudit.errors import UsageError, shortened

NAMES = {
    "arms": "arms n_arms num_arms nb_arms nbArms narms k K n_actions num_actions n_bandits",
    "epsilon": "epsilon eps privacy_budget",
    "delta": "delta",
    "rng": "rng generator random_generator",
    "seed": "seed random_state random_seed",
    "horizon": "horizon T n_rounds num_rounds rounds n_steps max_steps time_horizon",
    "t": "t round step time",
    "arm": "arm action decision decisions choice chosen_arm a i I arm_id arm_index last_arm "
    "last_action last_choice prev_arm prev_action previous_arm previous_action",
    "reward": "reward rewards r payoff feedback x loss_vector reward_vector last_reward "
    "prev_reward previous_reward",
    "pull": "pull env environment bandit arms_env",
    "context": "context contexts ctx features obs observation state X",
    "ended": "terminated truncated done",
    "next": "next_obs next_observation next_state",
}
MEANT = {word: what for what, words in NAMES.items() for word in words.split()}


def meanings(names: Collection[str], offered: Collection[str]) -> dict[str, str]:
    """What each parameter is. `x` is the context where there is another word for the reward, or
    where no reward is offered."""
    found = {name: MEANT.get(name, "") for name in names}
    rewards = [name for name, what in found.items() if what == "reward"]
    if "x" in found and (len(rewards) > 1 or "reward" not in offered):
        found["x"] = "context"
    return found


def parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Of a function or a class, without `self`; none where Python does not know them."""
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []


class Call:
    """How a function is called: found out once, since learners are made and stepped often."""

    def __init__(
        self, function: Callable[..., Any], offered: tuple[str, ...], extra: tuple[str, ...] = ()
    ) -> None:
        self.by_place: list[str] = []
        self.by_name: dict[str, str] = {}
        asked = parameters(function)
        known_as = meanings([each.name for each in asked], offered)
        for each in asked:
            if each.name in extra or each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD):
                continue
            meant = known_as[each.name]
            if meant in offered and meant not in (*self.by_place, *self.by_name.values()):
                if each.kind == each.POSITIONAL_ONLY:
                    self.by_place.append(meant)
                else:
                    self.by_name[each.name] = meant
            elif each.default is each.empty:
                known = ", ".join(w for o in offered for w in NAMES[o].split()[:2])
                raise UsageError(
                    f"{name_of(function)}: nobody knows what to hand over as {each.name!r}; say "
                    f"{each.name}=..., known are {known}"
                )

    @property
    def asks(self) -> list[str]:
        """What it is called with."""
        return [*self.by_place, *self.by_name.values()]

    def __call__(
        self, function: Callable[..., Any], offer: Mapping[str, Any], extra: Mapping[str, Any]
    ) -> Any:
        named = {name: offer[meant] for name, meant in self.by_name.items()}
        return function(*(offer[meant] for meant in self.by_place), **named, **extra)


def called(function: Callable[..., Any], offer: Mapping[str, Any], extra: Mapping[str, Any]) -> Any:
    """What a function gives for what it asks for; `extra` is handed over as it is."""
    key = function, tuple(offer), tuple(extra)
    try:
        call = _calls.get(key)
    except TypeError:  # no key of a dict
        return Call(*key)(function, offer, extra)
    if call is None:
        call = _calls[key] = Call(*key)
    return call(function, offer, extra)


_calls: dict[Any, Call] = {}
"""Learners are made by the million."""


def name_of(function: Any) -> str:
    return shortened(str(getattr(function, "__qualname__", function)), 60)
