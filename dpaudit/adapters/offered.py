"""What a stranger's function is called with: of what is offered, that which its parameters name.

Everybody has another word for an arm. What is meant by a parameter is known by its name, from
`NAMES`; a required one that nobody knows is an error that lists the known ones.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from dpaudit.errors import UsageError

NAMES = {
    "arms": "arms n_arms num_arms nb_arms nbArms narms k K n_actions num_actions n_bandits",
    "epsilon": "epsilon eps privacy_budget",
    "delta": "delta",
    "rng": "rng generator random_generator",
    "seed": "seed random_state random_seed",
    "horizon": "horizon T n_rounds num_rounds rounds n_steps max_steps time_horizon",
    "t": "t round step time",
    "arm": "arm action decision decisions choice chosen_arm a i I arm_id arm_index",
    "reward": "reward rewards r payoff feedback x loss_vector reward_vector",
    "context": "context contexts state observation obs",
    "pull": "pull env environment bandit arms_env",
}
MEANT = {word: what for what, words in NAMES.items() for word in words.split()}


def parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Of a function or a class, without `self`; none where Python does not know them."""
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []


def call(
    what: str, function: Callable[..., Any], offer: Mapping[str, Any], extra: Mapping[str, Any]
) -> Any:
    """Call with what the parameters name of the offer; `extra` is handed over as it is."""
    chosen, extra = chosen_of(what, function, tuple(offer), tuple(extra)), dict(extra)
    positional = [offer[meant] for meant, by_name in chosen.items() if by_name is None]
    named = {name: offer[meant] for meant, name in chosen.items() if name is not None}
    return function(*positional, **named, **extra)


def chosen_of(
    what: str, function: Callable[..., Any], offered: tuple[str, ...], extra: tuple[str, ...]
) -> dict[str, str | None]:
    """Which of the offer is handed over, and by which name; None where only the place is."""
    chosen: dict[str, str | None] = {}
    for each in parameters(function):
        if each.name in extra or each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD):
            continue
        meant = MEANT.get(each.name)
        if meant in offered and meant not in chosen:
            chosen[str(meant)] = None if each.kind == each.POSITIONAL_ONLY else each.name
        elif each.default is each.empty:
            known = ", ".join(sorted(w for o in offered for w in NAMES[o].split()[:2]))
            raise UsageError(
                f"{what}: nobody knows what to hand over as {each.name!r}; give {each.name}=..., "
                f"known are {known}"
            )
    return chosen
