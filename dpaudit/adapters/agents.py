"""Agents as they are written for Gymnasium, and policies as they are for scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpaudit.adapters.made import UNIT, Made, learner_class
from dpaudit.adapters.offered import Call, called, name_of, parameters
from dpaudit.errors import UsageError

ACT = "act get_action select_action choose_action predict"
LEARN = "learn update observe store remember step"
HANDED = ("context", "arm", "reward", "ended", "next", "t")


def from_agent(
    make: Callable[..., Any],
    act: str | None = None,
    learn: str | None = None,
    *,
    rewards: tuple[float, float] = UNIT,
    **given: Any,
) -> type[Made]:
    """An agent that is handed an observation: `act(obs)`, then `learn(obs, action, reward,
    terminated, next_obs)` or some of these. The observation is the context of an audit that has
    contexts, else 0; nothing ever ends."""

    class Adapted(Made):
        def begin(self, offer: dict[str, Any], more: dict[str, Any]) -> None:
            self.theirs = called(make, offer, given | more)
            self.act = _method(self.theirs, "act", act, ACT)
            self.learn = _method(self.theirs, "learn", learn, LEARN)
            self.telling = Call(self.learn, HANDED)

        def select(self, t: int, context: Any = None) -> Any:
            seen = self.shown[t] = 0 if context is None else context
            answer = self.act(seen) if parameters(self.act) else self.act()
            return _number(answer)

        def observe(self, t: int, arm: int, reward: Any) -> None:
            seen = self.shown.pop(t)
            told = {"context": seen, "next": seen, "ended": False, "t": t}
            self.telling(self.learn, told | {"arm": arm, "reward": reward}, {})

    return learner_class(Adapted, make, rewards=rewards)


def from_sklearn(
    make: Callable[..., Any],
    predict: str = "predict",
    partial_fit: str = "partial_fit",
    *,
    rewards: tuple[float, float] = UNIT,
    **given: Any,
) -> type[Made]:
    """A policy whose `predict(X)` gives an arm for each row of X, and that learns by
    `partial_fit(X, arms, rewards)`. X is the context of an audit that has contexts, else one 1."""

    class Adapted(Made):
        def begin(self, offer: dict[str, Any], more: dict[str, Any]) -> None:
            self.theirs = called(make, offer, given | more)
            self.predict = _method(self.theirs, "predict", predict, "")
            self.fit = _method(self.theirs, "partial_fit", partial_fit, "")

        def select(self, t: int, context: Any = None) -> Any:
            self.shown[t] = np.ones((1, 1)) if context is None else np.reshape(context, (1, -1))
            return _number(self.predict(self.shown[t]))

        def observe(self, t: int, arm: int, reward: Any) -> None:
            self.fit(self.shown.pop(t), np.array([arm]), np.array([reward]))

    return learner_class(Adapted, make, rewards=rewards)


def _method(theirs: Any, role: str, told: str | None, usual: str) -> Callable[..., Any]:
    names = [told] if told else usual.split()
    for name in names:
        found = getattr(theirs, name, None)
        if callable(found):
            return found  # type: ignore[no-any-return]
    there = ", ".join(n for n in dir(theirs) if n[0] != "_" and callable(getattr(theirs, n)))
    raise UsageError(
        f"{role}: {name_of(type(theirs))} has no method {' or '.join(names)}; it has {there[:80]}"
    )


def _number(answer: Any) -> Any:
    """An arm, alone, in a list or an array; or nothing."""
    if answer is None:
        return None
    found = np.asarray(answer)
    return found.reshape(-1)[0].item() if found.size == 1 else answer
