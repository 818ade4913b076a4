"""Which adapter somebody's class or function needs, from what it looks like."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dpaudit.adapters.agents import HANDED
from dpaudit.adapters.methods import OBSERVE, SELECT
from dpaudit.adapters.offered import MEANT, meanings, name_of, parameters
from dpaudit.errors import UsageError, shortened

LIBRARIES = {
    "river.bandit": "from_river",
    "SMPyBandits.Policies": "from_smpybandits",
    "obp.policy": "from_obp",
}
CHOOSES = re.compile(r"select|choose|choice|pull|act|arm|decide|predict|recommend|play|step|next")
TAKES = re.compile(r"observe|update|fit|learn|feedback|reward|receive|record|step|report")


@dataclass(frozen=True)
class Proposal:
    """What is proposed, and why."""

    adapter: str
    """The adapter's name; empty where none is needed."""
    options: dict[str, str]
    why: str

    def line(self, name: str) -> str:
        """The adapter's call."""
        told = "".join(f", {key}={value!r}" for key, value in self.options.items())
        return f"{self.adapter}({name}{told})" if self.adapter else name


def propose(thing: Any) -> Proposal:
    """What a class or function needs to be a learner; else what was looked for and found."""
    if not isinstance(thing, type):
        for each in parameters(thing):
            if MEANT.get(each.name) == "pull":
                return Proposal("from_loop", {}, f"it owns the loop, and asks {each.name!r}")
        raise UsageError(
            f"target: {name_of(thing)} is no class, and none of its parameters is pull or env: "
            "allowed is a class, or a function that asks for rewards"
        )
    for base in thing.__mro__:
        for package, adapter in LIBRARIES.items():
            if f"{base.__module__}.".startswith(f"{package}."):
                return Proposal(adapter, {}, f"it is a policy of {package.partition('.')[0]}")
    return _of_methods(thing)


def _of_methods(thing: type) -> Proposal:
    methods = {
        name: required
        for name in dir(thing)
        if name[0] != "_" and (required := _required(getattr(thing, name))) is not None
    }
    plain = methods.get("select"), methods.get("observe")
    if plain[0] in (["t"], ["t", "context"]) and plain[1] is not None and len(plain[1]) == 3:
        shown = ", ".join(plain[0] or [])
        return Proposal("", {}, f"it has select({shown}) and observe(t, arm, reward)")
    chooses = _first(
        methods,
        SELECT,
        CHOOSES,
        lambda asked: {*meanings(asked, ("context",)).values()} <= {"t", "context"},
    )
    takes = _first(methods, OBSERVE, TAKES, _told)
    if chooses is not None and takes is not None:
        told = {*meanings(methods[takes], HANDED).values()}
        if told & {"ended", "next"}:
            options = {"act": chooses, "learn": takes}
            return Proposal("from_agent", options, f"{takes} is told observations and the end")
        options = {"select": chooses, "observe": takes}
        return Proposal("from_methods", options, f"{chooses} gives an arm, {takes} takes a reward")
    steps = [name for name, asked in methods.items() if CHOOSES.search(name) and _steps(asked)]
    if chooses is None and len(steps) == 1:
        step = steps[0]
        return Proposal("from_methods", {"step": step}, f"{step} takes a reward and gives an arm")
    missing = "gives an arm" if chooses is None else "takes a reward"
    there = ", ".join(f"{name}({', '.join(asked)})" for name, asked in methods.items())
    raise UsageError(
        shortened(
            f"target: no method of {thing.__name__} was found that {missing} (looked for names "
            f"like select, act, predict; update, learn, reward); it has {there or 'none'}"
        )
    )


def _asked(asked: list[str]) -> bool:
    """Whether a method requires the round or a context, and nothing else."""
    return {*meanings(asked, ("context",)).values()} <= {"t", "context"}


def _told(asked: list[str]) -> bool:
    """Whether a reward is among what a method requires, or it requires two or three things."""
    return any(MEANT.get(each) == "reward" for each in asked) or len(asked) in (2, 3)


def _steps(asked: list[str]) -> bool:
    """Whether a method asks for what the last round gave, and for nothing else."""
    meant = {MEANT.get(each) for each in asked}
    return len(asked) == 1 or ("reward" in meant and meant <= {"t", "arm", "reward"})


def _first(
    methods: dict[str, list[str]],
    usual: str,
    like: re.Pattern[str],
    fits: Callable[[list[str]], bool],
) -> str | None:
    named = [name for name in usual.split() if name in methods]
    named += [name for name in methods if like.search(name.lower()) and name not in named]
    return next((name for name in named if fits(methods[name])), None)


def _required(method: Any) -> list[str] | None:
    """The parameters that a method must be given; None for what is no method."""
    if not inspect.isfunction(method):
        return None
    asked = parameters(method)[1:]
    return [each.name for each in asked if each.default is each.empty and each.kind <= 1]
