"""Loops whose number of turns is a symbol: over all arms, or over places of an array.

Each turn must touch its own arm's record, or its own place, only; what it does is then the same
whatever the other turns do. So the turns of the places that may differ between the worlds are run,
and of all others what they may have changed is forgotten: the local variables and the learner's own
fields that the loop assigns. One turn of another place is run to see that this is true.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any

import z3

from dpaudit.prover.symbols import paths
from dpaudit.prover.symbols.state import NAMES, TWIN, Array, Record, unknown_field, world_of
from dpaudit.prover.symbols.terms import (
    ARMS,
    HERE,
    Applied,
    Place,
    Private,
    Public,
    add,
    explicit,
    times,
)


class Unbound:
    """In place of a local variable of which nothing can be said: it must not be used."""

    __hash__ = None  # type: ignore[assignment]

    def used(self, *_: Any) -> Any:
        raise paths.Unsupported("a variable that a loop over symbols leaves is used after it")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = used
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = used
    __truediv__ = __rtruediv__ = __neg__ = __abs__ = __getitem__ = __len__ = __iter__ = used


UNBOUND = Unbound()


def loop(own_writes: tuple[str, ...], anew: tuple[str, ...], returns: bool, *bounds: Any) -> Any:
    """In place of `range(...)`."""
    if not any(isinstance(b, Public) for b in bounds):
        return Plain(range(*(int(b) for b in bounds)))
    if len(bounds) > 2:
        raise paths.Unsupported("a loop with steps over a range that is a symbol")
    first, last = (0, *bounds)[-2:]
    over_arms = isinstance(last, Public) and z3.eq(z3.simplify(last.term), ARMS)
    if over_arms and paths.current().loop is not None:
        raise paths.Unsupported("a loop over all arms in a loop")
    kind = OverArms if over_arms else OverPlaces
    return kind(own_writes, anew, returns, first, last)


class Plain:
    """A loop of so many turns."""

    def __init__(self, turns: range) -> None:
        self._turns = turns

    def __iter__(self) -> Iterator[int]:
        return iter(self._turns)

    def enter(self, name: str, known: Mapping[str, Any]) -> Any:
        return known.get(name, UNBOUND)

    after = final = enter

    def leave(self, known: Mapping[str, Any]) -> None:
        """Nothing was forgotten."""

    def end(self) -> None:
        """Nothing either."""


class Cut(ABC):
    """Turns of the places that matter, and one of another place."""

    turn: str = ""
    """Which arm's turn it is."""
    over_places = False
    at: Any = None
    """The turn's own place."""

    def __init__(
        self,
        own_writes: tuple[str, ...],
        anew: tuple[str, ...],
        returns: bool,
        first: Any,
        last: Any,
    ) -> None:
        self.own_writes, self.returns, self.first, self.last = own_writes, returns, first, last
        self.anew = anew
        self.line = paths.place().rpartition(" ")[2]
        self.outer = paths.current().loop
        self.probing = False
        self._entered: dict[str, Any] = {}
        self._turns = 0

    @abstractmethod
    def turns(self) -> list[Place]:
        """Those that matter, in their order."""

    @abstractmethod
    def others(self) -> list[str]:
        """What other places there are."""

    @abstractmethod
    def other(self, which: str) -> Place:
        """One of them."""

    @abstractmethod
    def forget_others(self) -> None:
        """What the turns of other places may have written to records that are still looked at."""

    def __iter__(self) -> Iterator[Place]:
        path = paths.current()
        # Another place's turn is run first: it sees of the turns before it what it is told at its
        # beginning, and that must be as good as unknown (`harmless`). Only where a turn may return
        # is it run after the others, too: what is done then is followed.
        others = self.others()
        chosen = path.choose(1 + len(others) * (2 if self.returns else 1)) if others else 0
        first = chosen > len(others) if self.returns else chosen > 0
        turns = [] if first else self.turns()
        self._before = {key: id(value) for key, value in _kept(path.state)}
        self._made = len(path.made)
        path.loop = self
        try:
            for turn in turns:
                yield from self._one(turn)
            if chosen > 0:
                self.probing = True
                before = {key: id(value) for key, value in _kept(path.state)}
                made = len(path.made)
                yield from self._one(self.other(others[(chosen - 1) % len(others)]))
                self._apart(before, made)
                raise paths.Ended
        finally:
            path.loop = self.outer

    def _one(self, turn: Place) -> Iterator[Place]:
        self.turn = turn.which or getattr(self.outer, "turn", "")
        self._turns += 1
        self.at = turn
        self.forget_own()
        self.forget_others()
        yield turn

    def _apart(self, before: Mapping[str, int], made: int) -> None:
        """A turn of another place must neither release nor keep what differs between the worlds:
        it is run only to see this, and what it does is not counted."""
        path = paths.current()
        for booking in path.made[made:]:
            if not all(map(self._clean, booking.values)):
                raise paths.Unsupported(
                    "each turn of a loop releases the same number", booking.where
                )
        for key, value in _kept(path.state):
            if before.get(key) != id(value) and not self._clean(value):
                raise paths.Unsupported(f"each turn of a loop keeps the same number in {key}")

    def _clean(self, value: Any) -> bool:
        return not isinstance(value, Private) or all(map(self.harmless, value.parts))

    def end(self) -> None:
        self.forget_own()
        self.forget_others()

    def forget_own(self) -> None:
        _, own = paths.current().state
        for field in self.own_writes:
            if world_of(field, own._private) or isinstance(own._values[field], Array):
                raise paths.Unsupported("a loop writes to the learner's own sum")
            own._values[field] = paths.current().fresh(field, whole=own._kinds[field] is int)

    def enter(self, name: str, known: Mapping[str, Any]) -> Any:
        """A local variable at the beginning of a turn."""
        self._entered[name] = value = self._forgotten(name, known.get(name, UNBOUND))
        return value

    def after(self, name: str, known: Mapping[str, Any]) -> Any:
        return self._forgotten(name, known.get(name, UNBOUND))

    def final(self, name: str, known: Mapping[str, Any]) -> Any:
        """One that each turn assigns anew, after the last one."""
        value = known.get(name, UNBOUND)
        if isinstance(value, Private) or (self.line, name) in paths.current().sums:
            return UNBOUND
        return self._forgotten(name, value)

    def _forgotten(self, name: str, value: Any) -> Any:
        """What other turns may have made of it."""
        world = paths.current().sums.get((self.line, name))
        if world and isinstance(value, (int, float, Public)):
            value = Private(world, {}, value)
        if isinstance(value, Private):
            # They add what does not differ between the worlds: seen in the turn of another place.
            if paths.current().state[0].every:
                raise paths.Unsupported(f"a loop over arms that differ all sums {name}")
            base = name if value.world == HERE else name.removesuffix(TWIN)
            more = Private(value.world, {f"{base} of loop {self.line} turn {self._turns}": 1})
            return add(value, more)
        if isinstance(value, (int, float, Public)):
            return paths.current().fresh(name, whole=isinstance(value, int) or _whole(value))
        return UNBOUND

    def leave(self, known: Mapping[str, Any]) -> None:
        """At the end of a turn: what a turn of another place did must be what is forgotten."""
        path = paths.current()
        if self.returns and path.state[0].every:
            # Where one arm's turn returns, those of the arms after it are not run.
            done = [k for k, v in _kept(path.state) if self._before.get(k) != id(v)]
            if len(path.made) > self._made or any(k.startswith("arm*.") for k in done):
                raise paths.Unsupported(
                    "a loop over arms that differ all returns, and changes them"
                )
        learnt = list(self._learnt(known))
        for name, world in learnt[:-1]:
            path.sums[self.line, name] = world
        for name, world in learnt[-1:]:
            raise paths.Learnt((self.line, name), world)
        for name, before in self._entered.items():
            now = known.get(name, UNBOUND)
            if _whole(before) and not (isinstance(now, int) or _whole(now)):
                raise paths.Unsupported(f"{name} is a whole number before a turn and not after it")
            if _kind(before) is Private and _kind(now) is not Private:
                raise paths.Unsupported(f"{name} is a sum before a turn of the loop and not after")
            if isinstance(before, Private) and isinstance(now, Private) and self.probing:
                self._only_added(name, before, now)

    def _learnt(self, known: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Variables that hold private numbers, which was not known before, and of which world."""
        sums = paths.current().sums
        for name in self.anew:
            now = known.get(name, UNBOUND)
            if isinstance(now, Private) and (self.line, name) not in sums:
                yield name, now.world
        for name, before in self._entered.items():
            now = known.get(name, UNBOUND)
            if isinstance(now, Private) and not isinstance(before, (Private, Unbound)):
                yield name, now.world

    def _only_added(self, name: str, before: Private, now: Private) -> None:
        change = add(now, times(before, -1))
        if isinstance(change, Private) and any(not self.harmless(a) for a in change.parts):
            raise paths.Unsupported(f"a turn of the loop does more to {name} than to add")

    def harmless(self, atom: Any) -> bool:
        """It does not differ between the worlds, in the turn of another place."""
        if isinstance(atom, Applied):
            return all(map(self._clean, atom.arguments))
        if f" of loop {self.line} " in atom:
            return False  # what the turns before it may have made of a sum
        if atom == "reward":
            return self.turn == "pulled"
        if self.turn in ("pulled", "third") and atom.startswith(f"{NAMES[self.turn]}."):
            return True
        return not atom.endswith("@") and "?" not in atom and ("[" in atom or " of loop " in atom)


def _kept(state: Any) -> Iterator[tuple[str, Any]]:
    """All that is kept, by name."""
    arms, own = state
    for record in (*arms.records.values(), own):
        for field, value in record._values.items():
            if isinstance(value, Array):
                yield f"{record._name}.{field}@", value.holds
                for key, (_, written) in value.written.items():
                    yield f"{record._name}.{field}[{key}]", written
            else:
                yield f"{record._name}.{field}", value


def _whole(value: Any) -> bool:
    return isinstance(value, Public) and value.whole


def _kind(value: Any) -> type:
    return Private if isinstance(value, Private) else object


class OverArms(Cut):
    """Turns of the arms."""

    def _index(self, which: str) -> Place:
        number = paths.current().fresh("turn", whole=True)
        fact = z3.And(explicit(self.first) <= number.term, number.term + 1 <= ARMS)
        paths.current().know(fact)
        return Place(number.term, which=which)

    def turns(self) -> list[Place]:
        arms, _ = paths.current().state
        paths.current().claim(explicit(self.first) >= 0)
        all_of_them = not isinstance(self.first, Public) and self.first == 0
        if arms.every and not all_of_them:
            raise paths.Unsupported("a loop over some of the arms, which differ all")
        if not all_of_them and paths.current().choose(2) == 1:
            return []
        return [self._index("every" if arms.every else "focus")]

    def others(self) -> list[str]:
        arms, _ = paths.current().state
        return [which for which in arms.records if which not in ("every", "focus")]

    def other(self, which: str) -> Place:
        return self._index(which)

    def forget_others(self) -> None:
        arms, _ = paths.current().state
        if "pulled" not in arms.records:
            return
        pulled = arms.records["pulled"]
        for field, value in pulled._values.items():
            if not isinstance(value, (Private, Array)):
                pulled._values[field] = unknown_field(field, pulled._kinds)


class OverPlaces(Cut):
    """Turns of the places of arrays."""

    over_places = True

    def forget_others(self) -> None:
        """None: such a loop writes to arrays and locals."""

    def _arrays(self) -> list[Array]:
        arms, own = paths.current().state
        found = [
            value
            for state in (*arms.records.values(), own)
            if isinstance(state, Record) and state._place in ("focus", "every", "")
            for value in state._values.values()
            if isinstance(value, Array) and value.world and not value.field.endswith(TWIN)
        ]
        if len(found) > 1:
            raise paths.Unsupported("an arm with more than one array of private numbers")
        return found

    def turns(self) -> list[Place]:
        low, high = explicit(self.first), explicit(self.last)
        paths.current().claim(low >= 0)
        places = {k: at for array in self._arrays() for k, at in array.special().items()}
        return [
            Place(at, key=key)
            for key, at in places.items()
            if paths.current().decide(z3.And(low <= at, at + 1 <= high))
        ]

    def others(self) -> list[str]:
        return ["place"]

    def other(self, which: str) -> Place:
        number = paths.current().fresh("turn", whole=True)
        low, high = explicit(self.first), explicit(self.last)
        paths.current().know(z3.And(low <= number.term, number.term + 1 <= high))
        return Place(number.term, key=f"{which} {number.term}")
