"""How a learner is played and looked at: who are neighbours, what is seen of a run, and whether
there are contexts. The usual setting is that tables differ in one round and the arms are seen."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dpaudit.errors import UsageError, check_count, shortened
from dpaudit.run.plain import travels

SEES = ("actions", "others", "stop", "outputs", "reports", "shuffled")
"""`others`: the arms but those of the changed rounds (joint DP). `stop`: the round in which it
stops, which the arms show, too. `outputs`: what `outputs()` and `released(t)` give. `reports`: what
the users' randomisers send; `shuffled`: in no order."""
PUBLISHES = {"outputs": ("outputs", "released"), "reports": ("reports",), "shuffled": ("reports",)}
METHODS = sorted({method for methods in PUBLISHES.values() for method in methods})
"""The methods of which a learner has one, where such things are seen."""
MOST_NUMBERS = 64
"""Numbers of a context."""


@travels
@dataclass(frozen=True)
class Setting:
    """`sees` are some of SEES, joined by +."""

    neighbours: str = "round"
    sees: str = "actions"
    contexts: str = ""
    batch: int = 1
    delay: int = 0
    unsaid: bool = field(default=False, compare=False)
    """Nothing is said of what is seen, and a function does not tell what its learners publish."""

    @property
    def usual(self) -> bool:
        return self == USUAL

    @property
    def changes(self) -> int:
        """In how many rounds neighbours may differ."""
        _, _, number = self.neighbours.partition(":")
        return int(number or 1)

    @property
    def removes(self) -> bool:
        return self.neighbours == "add-remove"

    @property
    def numbers(self) -> int:
        """How many numbers a context has."""
        return int(self.contexts.partition(":")[2] or 0)

    @property
    def private(self) -> bool:
        return self.contexts.startswith("private")

    @property
    def parts(self) -> list[str]:
        return self.sees.split("+")

    @property
    def arms_seen(self) -> bool:
        return "actions" in self.parts or "others" in self.parts

    @property
    def own_hidden(self) -> bool:
        """Whether what belongs to the changed rounds is not seen."""
        return "others" in self.parts or self.removes

    @property
    def only_arms(self) -> bool:
        return self.sees in ("actions", "others")

    def told(self, t: int) -> int:
        """The round at whose end the learner is told of round t."""
        return -(-t // self.batch) * self.batch + self.delay

    def at_end(self, factory: Any) -> bool:
        """Whether a part of what is seen is told of a whole run, so that a shorter run shows what
        is never published: `outputs()`, and a shuffle, which hides the more the more there are."""
        made = of_parts(factory)
        publishes = not tells(made) or callable(getattr(made, "outputs", None))
        return "shuffled" in self.parts or ("outputs" in self.parts and publishes)

    @property
    def prompt(self) -> bool:
        return self.batch == 1 and self.delay == 0

    def shown(self) -> dict[str, Any]:
        """The fields of a result; what is usual is left empty."""
        neighbours = "" if self.neighbours == "round" else self.neighbours
        sees = "" if self.sees == "actions" else self.sees
        how = {"contexts": self.contexts, "batch": self.batch, "delay": self.delay}
        return {"neighbours": neighbours, "sees": sees, **how}


USUAL = Setting()


def setting_of(
    factory: Any,
    name: str,
    neighbours: str = "round",
    sees: str | None = None,
    contexts: str | None = None,
    batch: Any = 1,
    delay: Any = 0,
) -> Setting:
    """What is asked, if the learner can be asked so. Where nothing is said of it, all is seen that
    the learner publishes. `factory` is None for a catalogue algorithm."""
    factory = of_parts(factory)
    published = [kind for kind in ("outputs", "reports") if _publishes(factory, kind)]
    published = ["stop", *published] if stops(factory) else published
    found = Setting(
        _neighbours(neighbours),
        _sees(sees) if sees is not None else "+".join(["actions", *published]),
        _contexts(contexts),
        check_count("batch", batch),
        check_count("delay", delay, 0),
        unsaid=sees is None and not tells(factory),
    )
    if found.removes and "actions" in found.parts:
        found = replace(found, sees=found.sees.replace("actions", "others"))
    if stops(factory) and found.arms_seen and "stop" not in found.parts:
        found = replace(found, sees=_sees(f"{found.sees}+stop"))
    if "stop" in found.parts and not stops(factory):
        raise UsageError(
            f"sees: got 'stop', but {name} never stops; a class that may has stops = True"
        )
    if found.removes and ("reports" in found.parts or "shuffled" in found.parts):
        raise UsageError(
            "neighbours: got 'add-remove' where reports are seen, allowed is round or rounds:M"
        )
    for kind, methods in PUBLISHES.items():
        if kind in found.parts and tells(factory) and not _publishes(factory, kind):
            raise UsageError(f"sees: got {kind!r}, but {name} has no method {' or '.join(methods)}")
    if not found.prompt and getattr(factory, "at_once", False):
        late = "batch" if found.batch > 1 else "delay"
        raise UsageError(
            f"{late}: {name} takes the reward of the round before and no other; allowed is "
            "feedback at once"
        )
    asks = _asks_for_contexts(factory)
    if found.numbers and asks is False:
        raise UsageError(f"contexts: got {contexts!r}, but select of {name} takes none")
    if asks and not found.numbers:
        raise UsageError(
            f"contexts: none given, and select of {name} asks for them; allowed is public:D or "
            "private:D"
        )
    return found


def stops(who: Any) -> bool:
    """Whether a learner, or its class, says that it may end a run before the last round."""
    return getattr(who, "stops", False) is True


def tells(factory: Any) -> bool:
    """Whether a class can be asked what its learners publish; a function cannot."""
    return factory is None or hasattr(factory, "select")


def check_said(learner: Any, name: str) -> None:
    """What is published and not looked at is not said to be private."""
    for method in METHODS:
        if callable(getattr(learner, method, None)):
            raise UsageError(
                f"sees: {shortened(name, 40)} makes learners with {method}(), and a function "
                "does not say whether that is published; allowed is the class in its place, or to "
                "say what is seen"
            )


def of_parts(factory: Any) -> Any:
    """The class of which some parameters were bound: it says what its learners publish."""
    while isinstance(factory, functools.partial):
        factory = factory.func
    return factory


def _publishes(factory: Any, kind: str) -> bool:
    return any(callable(getattr(factory, method, None)) for method in PUBLISHES[kind])


def _asks_for_contexts(factory: Any) -> bool | None:
    """Whether `select` takes a context beside the round; None where it may or may not."""
    if factory is None:
        return False
    select = getattr(factory, "select", None)
    try:
        found = list(inspect.signature(select).parameters.values())  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    plain = [p for p in found if p.kind <= 1][1 if inspect.isfunction(select) else 0 :]
    needed = sum(p.default is p.empty for p in plain)
    if needed >= 2:
        return True
    may = len(plain) >= 2 or any(p.kind == p.VAR_POSITIONAL for p in found)
    return None if may else False


def _neighbours(given: str) -> str:
    kind, _, number = str(given).partition(":")
    if given in ("round", "add-remove"):
        return given
    if kind == "rounds" and number:
        rounds = check_count("neighbours", number)
        return "round" if rounds == 1 else f"rounds:{rounds}"
    raise UsageError(f"neighbours: got {given!r}, allowed is round, rounds:M or add-remove")


def _sees(given: str) -> str:
    parts: Sequence[str] = str(given).split("+")
    if not set(parts) <= set(SEES) or len(set(parts)) < len(parts):
        raise UsageError(f"sees: got {given!r}, allowed are {', '.join(SEES)}, joined by +")
    for one, other in (("actions", "others"), ("reports", "shuffled")):
        if one in parts and other in parts:
            raise UsageError(f"sees: got {given!r}, allowed is {one} or {other}, not both")
    return "+".join(part for part in SEES if part in parts)


def _contexts(given: str | None) -> str:
    if not given:
        return ""
    kind, _, number = str(given).partition(":")
    if kind not in ("public", "private") or not number:
        raise UsageError(f"contexts: got {given!r}, allowed is public:D or private:D")
    return f"{kind}:{check_count('contexts', number, 1, MOST_NUMBERS)}"
