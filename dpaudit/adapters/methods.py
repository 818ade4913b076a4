"""A learner whose methods have other names, or that is one function of the last reward."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dpaudit.adapters.made import UNIT, Made, learner_class
from dpaudit.adapters.offered import Call, called, name_of, parameters
from dpaudit.errors import UsageError, shortened

SELECT = "select predict choose select_arm choose_arm choose_action pull act choice decide"
OBSERVE = "observe update partial_fit learn feedback get_reward getReward receive_reward"


def from_methods(
    make: Callable[..., Any],
    select: str | None = None,
    observe: str | None = None,
    *,
    step: str | None = None,
    feedback: str = "bandit",
    rewards: tuple[float, float] = UNIT,
    arms: Sequence[Any] | None = None,
    **given: Any,
) -> type[Made]:
    """A learner class of a stranger's class, or of a function that makes one of its objects.

    `make` is called with what its parameters name of arms, epsilon, delta, horizon, rng and seed
    (`n_arms`, `eps`, `T`, `random_state` are understood, too), and with `given`. `select` and
    `observe` are the methods' names, found among the usual ones if not told; or `step` is the name
    of one method that takes the last reward (and the last arm, if it asks), None at first, and
    gives the next arm. `rewards` is the range that the class expects, and `arms` what it calls the
    arms 0, 1, ..., if it does not count them. What `select` and `observe` call `context`, `x`,
    `features`, `obs`, … is the context of an audit that has contexts.
    """
    if step is not None and (select or observe):
        raise UsageError("step: got beside select or observe, allowed is the one or the others")
    labels = None if arms is None else list(arms)

    class Adapted(Made):
        at_once = step is not None

        def begin(self, offer: dict[str, Any], more: dict[str, Any]) -> None:
            self.theirs = called(make, offer, given | more)
            self.last: dict[str, Any] = {"t": 1, "arm": None, "reward": None}
            self.how = _how(self.theirs, select, observe, step)

        def select(self, t: int, context: Any = None) -> Any:
            if step is not None:
                return self._number(self.how["stepping"](getattr(self.theirs, step), self.last))
            self.shown[t] = context
            method, choosing = getattr(self.theirs, self.how["select"]), self.how["choosing"]
            if context is None and "context" in choosing.asks:
                raise UsageError(
                    f"contexts: none given, and {name_of(method)} asks for one; allowed is "
                    "public:D or private:D"
                )
            return self._number(choosing(method, {"t": t, "context": context}, {}))

        def observe(self, t: int, arm: int, reward: Any) -> None:
            arm = arm if labels is None else labels[arm]
            if step is not None:
                self.last = {"t": t + 1, "arm": arm, "reward": reward}
                return
            told = {"t": t, "arm": arm, "reward": reward, "context": self.shown.pop(t)}
            self.how["telling"](getattr(self.theirs, self.how["observe"]), told)

        def _number(self, answer: Any) -> Any:
            """Of a label, or of a number of numpy or torch, alone or in a list."""
            while isinstance(answer, (list, tuple)) and len(answer) == 1:
                answer = answer[0]
            answer = (
                answer.item()
                if getattr(answer, "size", 1) == 1 and hasattr(answer, "item")
                else answer
            )
            if labels is None or answer is None:
                return answer
            if answer not in labels:
                raise UsageError(f"{name_of(make)}: chose {answer!r}, which is not among arms")
            return labels.index(answer)

    return learner_class(Adapted, make, feedback=feedback, rewards=rewards)


_known: dict[Any, dict[str, Any]] = {}
"""How the learners of a class are stepped: they are made by the million."""


def _how(theirs: Any, *told: str | None) -> dict[str, Any]:
    key = type(theirs), told
    if key not in _known:
        _known[key] = _methods(theirs, *told)
    return _known[key]


def _methods(
    theirs: Any, select: str | None, observe: str | None, step: str | None
) -> dict[str, Any]:
    """The names of the methods and how they are called."""
    if step is not None:
        return {"stepping": stepping(getattr(theirs, _method(theirs, "step", step, "")))}
    chooses = _method(theirs, "select", select, SELECT)
    takes = _method(theirs, "observe", observe, OBSERVE)
    return {
        "select": chooses,
        "observe": takes,
        "choosing": Call(getattr(theirs, chooses), ("t", "context")),
        "telling": telling(getattr(theirs, takes)),
    }


def telling(method: Callable[..., Any]) -> Callable[..., None]:
    """How a round is handed over: by the names of the parameters, else by their number."""
    try:
        call = Call(method, ("t", "arm", "reward", "context"))
        if "reward" not in call.asks:
            raise UsageError(f"{name_of(method)}: takes no reward")
    except UsageError:
        asked = [p for p in parameters(method) if p.default is p.empty and p.kind <= 1]
        if len(asked) not in (1, 2, 3):
            raise
        names = ("t", "arm", "reward")[3 - len(asked) :]
        return lambda method, told: method(*(told[name] for name in names))
    return lambda method, told: call(method, told, {})


def stepping(method: Callable[..., Any]) -> Callable[..., Any]:
    """How the round before is handed over: by the names of the parameters; a single one is the
    reward, whatever its name."""
    asked = [p for p in parameters(method) if p.default is p.empty and p.kind <= 1]
    if len(asked) == 1:
        return lambda method, last: method(last["reward"])
    call = Call(method, ("t", "arm", "reward"))
    return lambda method, last: call(method, last, {})


def _method(theirs: Any, role: str, told: str | None, usual: str) -> str:
    for name in [told] if told else usual.split():
        if callable(getattr(theirs, name, None)):
            return name
    there = ", ".join(n for n in dir(theirs) if n[0] != "_" and callable(getattr(theirs, n)))
    looked = told or f"one of {', '.join(usual.split()[:6])}"
    raise UsageError(
        shortened(f"{role}: {type(theirs).__name__} has no method {looked}; it has {there}")
    )
