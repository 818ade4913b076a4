"""A learner whose methods have other names, or that is one function of the last reward."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dpaudit.adapters.made import Made, learner_class
from dpaudit.adapters.offered import call, parameters
from dpaudit.errors import UsageError

SELECT = "select predict choose select_arm choose_arm choose_action pull act choice decide"
OBSERVE = "observe update partial_fit learn feedback get_reward getReward receive_reward"


def from_methods(
    make: Callable[..., Any],
    select: str | None = None,
    observe: str | None = None,
    *,
    step: str | None = None,
    feedback: str = "bandit",
    arms: Sequence[Any] | None = None,
    **given: Any,
) -> type[Made]:
    """A learner class of a stranger's class, or of a function that makes one of its objects.

    `make` is called with what its parameters name of arms, epsilon, rng, seed (see `NAMES`), and
    with `given`. `select` and `observe` are the methods' names, found among the usual ones if not
    told; or `step` is the name of one method that takes the last reward, None at first, and gives
    the next arm. `arms` are what the class calls the arms 0, 1, ..., if it does not count them.
    """
    if step is not None and (select or observe):
        raise UsageError("step: got beside select or observe, allowed is the one or the others")
    told = {"select": select, "observe": observe, "step": step}

    class Adapted(Made):
        def __init__(self, arms: int, epsilon: float, rng: Any) -> None:
            offer = {"arms": arms, "epsilon": epsilon, "rng": rng, "seed": seed_of(rng)}
            self.theirs = call(_name(make), make, offer, given)
            self.arms, self.last = labels or list(range(arms)), None

        def select(self, t: int) -> int:
            if step is not None:
                return self._number(getattr(self.theirs, step)(self.last))
            method = _method(self.theirs, "select", told["select"], SELECT)
            return self._number(call(_name(method), method, {"t": t}, {}))

        def observe(self, t: int, arm: int, reward: Any) -> None:
            if step is not None:
                self.last = reward
                return
            method = _method(self.theirs, "observe", told["observe"], OBSERVE)
            observed(method, t, self.arms[arm], reward)

        def _number(self, answer: Any) -> int:
            """Of a label, or of a number of numpy or torch, alone or in a list."""
            while isinstance(answer, (list, tuple)) and len(answer) == 1:
                answer = answer[0]
            answer = answer.item() if hasattr(answer, "item") else answer
            if labels is None:
                return answer  # type: ignore[no-any-return]
            if answer not in self.arms:
                raise UsageError(f"{_name(make)}: chose {answer!r}, which is not among arms")
            return self.arms.index(answer)

    labels = None if arms is None else list(arms)
    return learner_class(Adapted, make, feedback)


def observed(method: Callable[..., Any], t: int, arm: Any, reward: Any) -> None:
    """Hand over a round: by the names of the parameters, else by their number."""
    asked = [p for p in parameters(method) if p.default is p.empty and p.kind <= 1]
    by_number = {1: (reward,), 2: (arm, reward), 3: (t, arm, reward)}
    try:
        call(_name(method), method, {"t": t, "arm": arm, "reward": reward}, {})
    except UsageError:
        if len(asked) not in by_number:
            raise
        method(*by_number[len(asked)])


def seed_of(rng: Any) -> int:
    """For those who take a seed and no generator."""
    return int(rng.integers(2**31))


def _method(theirs: Any, role: str, told: str | None, usual: str) -> Any:
    for name in [told] if told else usual.split():
        if callable(getattr(theirs, name, None)):
            return getattr(theirs, name)
    there = ", ".join(n for n in dir(theirs) if callable(getattr(theirs, n)) and n[0] != "_")
    looked = told or f"one of {', '.join(usual.split())}"
    raise UsageError(f"{role}: {type(theirs).__name__} has no method {looked}; it has {there}")


def _name(function: Any) -> str:
    return str(getattr(function, "__qualname__", function))
