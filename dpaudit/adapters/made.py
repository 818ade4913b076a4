"""What all adapted learners share: what their constructor is offered, and who they are made of."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from dpaudit.errors import UsageError
from dpaudit.play.kinds.setting import METHODS

FEEDBACK = ("bandit", "full-information")
UNIT = (0.0, 1.0)


class Made:
    """A learner made of somebody's code. `made_of` is that code: the generators and the state that
    an audit sets, or looks at, are those of its module and of its classes."""

    made_of: Any = None
    hands_on_to: Any = None
    """Whose parameters those are that are not known here; None where they may be any."""
    feedback = "bandit"
    reward_range = UNIT
    at_once = False
    """Whether it can only take the reward of the round before."""
    stops = False
    """Whether it may end a run before its last round."""
    theirs: Any = None
    """The object that is adapted."""

    def __init__(
        self,
        arms: int,
        epsilon: float,
        rng: Any,
        horizon: int | None = None,
        delta: float | None = None,
        **more: Any,
    ) -> None:
        told = {"horizon": horizon, "delta": delta}
        offer = {"arms": arms, "epsilon": epsilon, "rng": rng, "seed": seed_of(rng)}
        self.arms = arms
        self.shown: dict[int, Any] = {}
        """The contexts of rounds whose feedback is to come."""
        self.begin(offer | {name: v for name, v in told.items() if v is not None}, more)

    def begin(self, offer: dict[str, Any], more: dict[str, Any]) -> None:
        """Make what is adapted. `more` is what the audit was given by `--param`."""


def seed_of(rng: Any) -> int:
    """For those who take a seed and no generator."""
    return int(rng.integers(2**31))


def learner_class(
    adapted: type[Made],
    made_of: Callable[..., Any],
    *,
    feedback: str = "bandit",
    rewards: tuple[float, float] = UNIT,
    hands_on: bool = True,
    stops: bool = False,
) -> type[Made]:
    """The class under the name of what it is made of, in the module that asks for it."""
    if feedback not in FEEDBACK:
        raise UsageError(f"feedback: got {feedback!r}, allowed is {' or '.join(FEEDBACK)}")
    low, high = rewards
    if not low < high:
        raise UsageError(f"rewards: got {rewards!r}, allowed is (lowest, largest)")
    for method in METHODS:
        if isinstance(made_of, type) and callable(getattr(made_of, method, None)):
            setattr(adapted, method, _handed_on(method))
    name = str(getattr(made_of, "__qualname__", type(made_of).__qualname__))
    adapted.__qualname__ = adapted.__name__ = name.rpartition(".")[2].strip("<>")
    adapted.__module__ = _asking()
    adapted.made_of = staticmethod(made_of)
    adapted.hands_on_to = staticmethod(made_of) if hands_on else None
    adapted.stops = stops or getattr(made_of, "stops", False) is True
    adapted.feedback, adapted.reward_range = feedback, (float(low), float(high))
    return adapted


def _handed_on(method: str) -> Callable[..., Any]:
    return lambda self, *given: getattr(self.theirs, method)(*given)


def _asking() -> str:
    """The module that calls an adapter."""
    frame = sys._getframe(1)
    while frame.f_globals["__name__"].startswith(__package__ or __name__) and frame.f_back:
        frame = frame.f_back
    return str(frame.f_globals["__name__"])
