"""The state of an algorithm, of which nothing is known: its public fields are arbitrary, of its
private ones there are two, one a world.

There is any number of arms. Bandit: the record of the arm whose reward was changed (`focus`), that
of another one that is pulled (`pulled`), and that of any further one (`third`). Full information:
one record stands for every arm (`every`). Of an array one place may differ between the worlds, at
an unknown index; two places of which that is said are two places.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import z3

from dpaudit.algorithm.contract import BOOK, Algorithm
from dpaudit.prover.symbols import paths
from dpaudit.prover.symbols.functions import (
    truncated,
)
from dpaudit.prover.symbols.terms import (
    ARMS,
    HERE,
    THERE,
    Place,
    Private,
    Public,
    alike,
    explicit,
    times,
)

TWIN = "_in_neighbour"
NAMES = {"focus": "arm0", "pulled": "arm1", "third": "arm2", "every": "arm*"}


class Thing:
    """No number: Python would compare it by where it is kept, and call it true."""

    __hash__ = None  # type: ignore[assignment]
    __iter__ = None

    def __eq__(self, other: object = None) -> bool:
        raise paths.Unsupported("what is no number is compared, or asked for its truth")

    __ne__ = __bool__ = __eq__


class Record(Thing):
    """An arm's record or the learner's own; what is assigned is looked at."""

    def __init__(self, name: str, fields: Mapping[str, Any], place: str = "") -> None:
        inner = self.__dict__
        inner["_name"], inner["_kinds"], inner["_place"] = name, fields, place
        inner["_private"] = private_fields(fields)
        inner["_values"], inner["_lines"] = {}, {}
        inner["_fixed"] = frozenset[str]()

    def __getattr__(self, field: str) -> Any:
        if field in BOOK and self._name == "own":
            raise paths.Leak(f"the book's {field} is read")
        if field not in self._values:
            raise paths.Unsupported(f"{self._name}.{field}, which the algorithm does not declare")
        if self._beside():
            if world_of(field, self._private):
                raise paths.Unsupported("a loop's turn for one arm reads another arm's sum")
            return unknown_field(field, self._kinds)
        return self._values[field]

    def __setattr__(self, field: str, value: Any) -> None:
        if field in BOOK and self._name == "own":
            raise paths.Leak(f"the book's {field} is written by the algorithm itself")
        if field not in self._kinds:
            raise paths.Unsupported(f"{self._name}.{field}, which the algorithm does not declare")
        if isinstance(self._kinds[field], tuple):
            raise paths.Unsupported(f"{self._name}.{field} is assigned as a whole")
        if field in self._fixed:
            raise paths.Unsupported(f"the setting {field} is written to")
        loop = paths.current().loop
        if getattr(loop, "over_places", False) and not (
            self._name == "own" and field in loop.own_writes
        ):
            raise paths.Unsupported(f"a loop of unknown length writes to {self._name}.{field}")
        self._values[field] = self._checked(field, field, value, self._kinds[field])

    def _beside(self) -> bool:
        """In the turn of another arm."""
        turn = getattr(paths.current().loop, "turn", None)
        return bool(self._place and turn and self._place != turn)

    def _checked(self, field: str, place: str, value: Any, kind: Any) -> Any:
        """What the field holds then."""
        if self._beside():
            raise paths.Unsupported("a loop's turn for one arm writes to another arm's record")
        if not isinstance(value, (int, float, Public, Private)):
            raise paths.Unsupported(f"{self._name}.{field} is given something that is no number")
        self._lines[place] = paths.place()
        world = world_of(field, self._private)
        if isinstance(value, Private):
            if world is None:
                raise paths.Leak(f"a private number is kept in the public {self._name}.{field}")
            if world != value.world:
                raise paths.Leak(f"{self._name}.{field} is given a number of {value.world}")
        if world and self._name == "own" and getattr(paths.current().loop, "turn", None):
            raise paths.Unsupported("a loop over the arms writes to the learner's own sum")
        if isinstance(value, Private):
            if kind is int:
                raise paths.Unsupported(f"a private number is rounded to {self._name}.{field}")
            return value
        if kind is int and isinstance(value, Public) and not value.whole:
            return truncated(value)
        return int(value) if kind is int and not isinstance(value, Public) else value


class Array(Thing):
    """An array of a record. Of a private one, one place may differ, at the index `at`."""

    def __init__(self, record: Record, field: str) -> None:
        self.record, self.field = record, field
        self.world = world_of(field, record._private)
        base = field.removesuffix(TWIN)
        self.name = f"{record._name}.{base}"
        self.at = z3.Real(f"{self.name}@")
        self.written: dict[str, tuple[Any, Any]] = {}
        """What was assigned, by index; of the same two indices it is not said that they differ."""
        self.holds: Any = 0.0
        if self.world:
            self.holds = Private(self.world, {f"{self.name}@": 1})

    def __getitem__(self, index: Any) -> Any:
        self._index(index)
        if self.world is None:
            return paths.current().fresh(self.field)
        if self.record._beside():
            raise paths.Unsupported("a loop's turn for one arm reads another arm's sums")
        key = self._key(index)
        if key == "@":
            return self.holds
        if key in self.written:
            return self.written[key][1]
        return Private(self.world, {f"{self.name}[{key}]": 1})

    def __setitem__(self, index: Any, value: Any) -> None:
        self._index(index)
        key = self._key(index) if self.world else ""
        value = self.record._checked(self.field, f"{self.field}[{key}]", value, float)
        if self.world is None:
            return
        if key == "@":
            self.holds = value
        else:
            self.written[key] = (explicit(index), value)

    def _index(self, index: Any) -> None:
        """Public, and not below 0: that would be a place from the end."""
        path = paths.current()
        if isinstance(index, Private):
            raise paths.Leak(f"the index of {self.field} is a private number")
        length = self.record._kinds[self.field][1]
        if not isinstance(index, Public) and not (isinstance(index, int) and index < length):
            raise paths.Unsupported(f"{self.field} at something that is no index")
        path.claim(explicit(index) >= 0)
        if self.world and getattr(path.loop, "over_places", False) and path.loop.at is not index:
            raise paths.Unsupported(f"a turn of a loop looks at another place of {self.field}")

    def _key(self, index: Any) -> str:
        """Which place: the one that may differ, one that was written, or another."""
        if isinstance(index, Place) and index.key:
            return index.key
        term = z3.simplify(explicit(index))
        if paths.current().decide(term == self.at):
            return "@"
        for key, (known, _) in self.written.items():
            if paths.current().decide(z3.simplify(term == known)):
                return key
        return str(term.sexpr())

    def special(self) -> dict[str, Any]:
        """The places that may differ, with their indices."""
        return {"@": self.at, **{k: term for k, (term, _) in self.written.items()}}


class Anyone(Thing):
    """The record of an arm that is named by a symbol: of its public fields nothing is known, and
    its sums may differ as those of the arm whose reward was changed."""

    def __init__(self, arms: Arms, index: Any) -> None:
        self.__dict__.update(_arms=arms, _index=z3.simplify(explicit(index)))

    def __getattr__(self, field: str) -> Any:
        fields = self._arms.fields
        if field not in fields:
            raise paths.Unsupported(f"an arm's {field}, which the algorithm does not declare")
        world = world_of(field, private_fields(fields))
        if world is None:
            return unknown_field(field, fields)
        if isinstance(fields[field], tuple):
            raise paths.Unsupported("an array of an arm that is chosen by a symbol is read")
        for which, state in self._arms.records.items():
            if which in ("focus", "every") and field in state._lines:
                raise paths.Unsupported(
                    f"{field} of an arm is read by a symbol after a write to it"
                )
        return Private(world, {f"arm {self._index}?{field.removesuffix(TWIN)}": 1})

    def __setattr__(self, field: str, value: Any) -> None:
        raise paths.Unsupported("an arm that is chosen by a symbol is written to")


class Arms(Thing):
    """All arms, of any number; a field's name gives the vector of its values."""

    def __init__(self, records: Mapping[str, Record], fields: Mapping[str, Any]) -> None:
        self.records, self.fields = dict(records), fields
        self.every = "every" in self.records

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, str):
            if not self.every:
                raise paths.Unsupported("all arms' values as a vector, with bandit feedback")
            return Column(self.records["every"], index)
        if isinstance(index, Place) and index.which in self.records:
            return self.records[index.which]
        return Anyone(self, index)


class Vector(Thing):
    """As many numbers as there are arms: one stands for each."""

    def __init__(self, each: Any) -> None:
        self._each = each

    @property
    def each(self) -> Any:
        return self._each

    def in_place(self, other: Any) -> Vector:
        raise paths.Unsupported("a vector is changed in its place")

    __iadd__ = __isub__ = __imul__ = __itruediv__ = in_place

    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, Place) or index.which != "every":
            raise paths.Unsupported("one number of a vector that holds one for each arm")
        return self.each

    def _with(self, other: Any, how: Any) -> Vector:
        return Vector(how(self.each, other.each if isinstance(other, Vector) else other))

    def __neg__(self) -> Vector:
        return Vector(times(self.each, -1))

    def __add__(self, other: Any) -> Vector:
        return self._with(other, lambda a, b: a + b)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Vector:
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Vector:
        return self._with(other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> Vector:
        return self._with(other, lambda a, b: a * b)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Vector:
        return self._with(other, lambda a, b: a / b)


class Column(Vector):
    """All arms' values of a field: as they are when it is looked at, not when it was taken."""

    def __init__(self, state: Record, field: str) -> None:
        self._state, self._field = state, field

    @property
    def each(self) -> Any:
        return getattr(self._state, self._field)


def unknown_field(field: str, kinds: Mapping[str, Any]) -> Any:
    kind = kinds[field]
    return paths.current().fresh(field, whole=kind is int)


def private_fields(declared: Mapping[str, Any]) -> frozenset[str]:
    """Fields that have a twin, without it."""
    return frozenset(f for f in declared if f + TWIN in declared)


def check_declared(algorithm: Algorithm) -> None:
    """Fields of other types would round what is kept; a twin has no twin."""
    for declared in (algorithm.arm, algorithm.own):
        for field, kind in declared.items():
            each = kind[0] if isinstance(kind, tuple) else kind
            if each not in (int, float):
                raise paths.Unsupported(f"the field {field} is neither int nor float", "")
            if field + TWIN + TWIN in declared:
                raise paths.Unsupported(f"the twin of {field} has a twin", "")
            if (
                isinstance(kind, tuple)
                and each is int
                and world_of(field, private_fields(declared))
            ):
                raise paths.Unsupported(f"the private field {field} holds whole numbers", "")


def world_of(field: str, private: frozenset[str]) -> str | None:
    if field in private:
        return HERE
    return THERE if field.removesuffix(TWIN) in private and field.endswith(TWIN) else None


def record(name: str, declared: Mapping[str, Any], given: Mapping[str, Any], place: str) -> Record:
    """Arbitrary, but for the values given."""
    made = Record(name, declared, place)
    made.__dict__["_fixed"] = frozenset(given)
    for field, kind in declared.items():
        world = world_of(field, made._private)
        if field in BOOK and name == "own":
            continue
        if field in given:
            made._values[field] = given[field]
        elif isinstance(kind, tuple):
            made._values[field] = Array(made, field)
        elif world is not None:
            made._values[field] = Private(world, {f"{name}.{field.removesuffix(TWIN)}": 1})
        else:
            made._values[field] = Public(z3.Real(f"{name}.{field}"), whole=kind is int)
    return made


def arbitrary(
    algorithm: Algorithm, own: Mapping[str, Any], places: tuple[str, ...]
) -> tuple[Arms, Record]:
    """A state of which nothing is known but the learner's settings."""
    declared = {name: _kind(algorithm, name) for name in algorithm.own_dtype.names or ()}
    records = {place: record(NAMES[place], algorithm.arm, {}, place) for place in places}
    state = Arms(records, algorithm.arm), record("own", declared, own, "")
    paths.current().state = state
    return state


def _kind(algorithm: Algorithm, field: str) -> Any:
    if field in algorithm.own:
        return algorithm.own[field]
    return int if field == "horizon" else float


def check_twins(state: Record) -> dict[str, Any]:
    """The private numbers of this world by name; the neighbour's must be the same functions of the
    neighbour's data. Of an array all places that were assigned, with their indices."""
    found: dict[str, Any] = {}
    for field in state._private:
        here, there = state._values[field], state._values[field + TWIN]
        if isinstance(here, Array):
            pairs = {"@": (here.holds, there.holds)}
            for key in here.written.keys() | there.written.keys():
                pairs[key] = tuple(
                    each.written.get(key, (None, Private(world, {f"{here.name}[{key}]": 1})))[1]
                    for each, world in ((here, HERE), (there, THERE))
                )
            found[f"{here.name}@"] = here.holds
            for key, (term, value) in here.written.items():
                found[f"{here.name}@ {key}"] = Written(term, value)
        else:
            pairs = {"": (here, there)}
            found[f"{state._name}.{field}"] = here
        for one, other in pairs.values():
            if one is not other and not alike(one, other):
                line = state._lines.get(field + TWIN) or state._lines.get(field)
                raise paths.Leak(
                    f"{state._name}.{field}{TWIN} is not of the neighbour's data what {field} is "
                    "of its own",
                    line,
                )
    return found


class Written:
    """A private number at an index of an array."""

    def __init__(self, index: Any, value: Any) -> None:
        self.index, self.value = index, value


def public_values(state: Record) -> dict[str, Any]:
    return {
        f"{state._name}.{field}": value
        for field, value in state._values.items()
        if world_of(field, state._private) is None and not isinstance(value, Array)
    }


def number_of_arms() -> Any:
    return Public(ARMS, whole=True)
