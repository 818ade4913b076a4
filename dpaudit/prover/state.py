"""The state of an algorithm, of which nothing is known: its public fields are arbitrary, of its
private ones there are two, one a world."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from dpaudit.algorithm.contract import BOOK, Algorithm
from dpaudit.prover import paths
from dpaudit.prover.terms import HERE, THERE, Private, Public, alike, times

TWIN = "_in_neighbour"

SLOTS = 64
"""Most places of an array in a record."""


class Record:
    """An arm's record or the learner's own; what is assigned is looked at."""

    def __init__(self, name: str, fields: Mapping[str, Any], private: frozenset[str]) -> None:
        self.__dict__["_name"] = name
        self.__dict__["_kinds"] = fields
        self.__dict__["_private"] = private
        self.__dict__["_values"] = {}
        self.__dict__["_lines"] = {}

    def __getattr__(self, field: str) -> Any:
        if field in BOOK and self._name == "own":
            raise paths.Leak(f"the book's {field} is read")
        if field not in self._values:
            raise paths.Unsupported(f"{self._name}.{field}, which the algorithm does not declare")
        return self._values[field]

    def __setattr__(self, field: str, value: Any) -> None:
        if field in BOOK and self._name == "own":
            raise paths.Leak(f"the book's {field} is written by the algorithm itself")
        if field not in self._kinds:
            raise paths.Unsupported(f"{self._name}.{field}, which the algorithm does not declare")
        self._values[field] = self._checked(field, field, value, self._kinds[field])

    def _checked(self, field: str, place: str, value: Any, kind: Any) -> Any:
        """What the field holds then."""
        self._lines[place] = paths.place()
        if isinstance(value, Private):
            world = world_of(field, self._private)
            if world is None:
                raise paths.Leak(f"a private number is kept in the public {self._name}.{field}")
            if world != value.world:
                raise paths.Leak(f"{self._name}.{field} is given a number of {value.world}")
            return value
        if kind is int and isinstance(value, Public) and not value.whole:
            return truncated(value)
        return int(value) if kind is int and not isinstance(value, Public) else value


class Array:
    """An array in a record."""

    def __init__(self, record: Record, field: str, values: list[Any]) -> None:
        self.record, self.field, self.values = record, field, values

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def __getitem__(self, place: Any) -> Any:
        return self.values[self._place(place)]

    def __setitem__(self, place: Any, value: Any) -> None:
        at = self._place(place)
        name = f"{self.field}[{at}]"
        self.values[at] = self.record._checked(self.field, name, value, float)

    def _place(self, place: Any) -> int:
        at = place.__index__()
        if not 0 <= at < len(self.values):
            raise paths.Ended  # a counter that has no room: beyond what is proved
        return int(at)


class Arms(list[Record]):
    """All arms; a field's name gives the vector of its values."""

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, str):
            return Vector([getattr(arm, place) for arm in self])
        return super().__getitem__(place.__index__())


class Vector:
    """Numbers that are handed on together."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, values: list[Any]) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def __getitem__(self, place: Any) -> Any:
        return self.values[place.__index__()]

    def _each(self, other: Any, how: Any) -> Vector:
        others = other.values if isinstance(other, Vector) else [other] * len(self.values)
        return Vector([how(a, b) for a, b in zip(self.values, others, strict=True)])

    def __neg__(self) -> Vector:
        return Vector([times(v, -1) for v in self.values])

    def __add__(self, other: Any) -> Vector:
        return self._each(other, lambda a, b: a + b)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Vector:
        return self._each(other, lambda a, b: a - b)

    def __mul__(self, other: Any) -> Vector:
        return self._each(other, lambda a, b: a * b)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Vector:
        return self._each(other, lambda a, b: a / b)


def truncated(value: Any) -> Any:
    """int(value) of a public number."""
    if not isinstance(value, Public):
        return int(value)
    if value.whole:
        return value
    import z3

    from dpaudit.prover.terms import explicit

    cut, x = paths.current().fresh("int", whole=True), explicit(value)
    up = z3.And(cut.term <= x, x < cut.term + 1)
    paths.current().know(z3.If(x >= 0, up, z3.And(x <= cut.term, cut.term < x + 1)))
    return cut


def private_fields(declared: Mapping[str, Any]) -> frozenset[str]:
    """Fields that have a twin, without it."""
    return frozenset(f for f in declared if f + TWIN in declared)


def world_of(field: str, private: frozenset[str]) -> str | None:
    if field in private:
        return HERE
    return THERE if field.removesuffix(TWIN) in private and field.endswith(TWIN) else None


def record(name: str, declared: Mapping[str, Any], values: Mapping[str, Any]) -> Record:
    """Arbitrary, but for the values given."""
    import z3

    private = private_fields(declared)
    made = Record(name, declared, private)

    def number(field: str, place: str, kind: Any) -> Any:
        world = world_of(field, private)
        if world is not None:
            return Private(world, {f"{name}.{place.replace(TWIN, '')}": 1})
        return Public(z3.Real(f"{name}.{place}"), whole=kind is int)

    for field, kind in declared.items():
        if field in BOOK and name == "own":
            continue
        if field in values:
            made._values[field] = values[field]
        elif isinstance(kind, tuple):
            if kind[1] > SLOTS:
                raise paths.Unsupported(f"{name}.{field} has more than {SLOTS} places")
            cells = [number(field, f"{field}[{i}]", kind[0]) for i in range(kind[1])]
            made._values[field] = Array(made, field, cells)
        else:
            made._values[field] = number(field, field, kind)
    return made


def arbitrary(algorithm: Algorithm, arms: int, own: Mapping[str, Any]) -> tuple[Arms, Record]:
    """A state of which nothing is known but the learner's settings."""
    declared = {name: _kind(algorithm, name) for name in algorithm.own_dtype.names or ()}
    records = Arms(record(f"arm{j}", algorithm.arm, {}) for j in range(arms))
    return records, record("own", declared, own)


def _kind(algorithm: Algorithm, field: str) -> Any:
    if field in algorithm.own:
        return algorithm.own[field]
    return int if field == "horizon" else float


def flat(state: Record) -> dict[str, Any]:
    """All that a record holds, by name and place."""
    found: dict[str, Any] = {}
    for field, value in state._values.items():
        if isinstance(value, Array):
            found.update({f"{field}[{i}]": each for i, each in enumerate(value.values)})
        else:
            found[field] = value
    return found


def check_twins(state: Record) -> dict[str, Any]:
    """The private numbers of this world by name; the neighbour's must be the same functions of the
    neighbour's data."""
    values = flat(state)
    found: dict[str, Any] = {}
    for place, value in values.items():
        field, _, rest = place.partition("[")
        if field not in state._private:
            continue
        twin = f"{field}{TWIN}[{rest}" if rest else field + TWIN
        if value is not values[twin] and not alike(value, values[twin]):
            line = state._lines.get(twin) or state._lines.get(place) or ""
            raise paths.Leak(
                f"{state._name}.{twin} is not of the neighbour's data what {place} is of its own"
                + (f" (assigned in {line})" if line else "")
            )
        found[f"{state._name}.{place}"] = value
    return found


def public_values(state: Record) -> dict[str, Any]:
    return {
        f"{state._name}.{place}": value
        for place, value in flat(state).items()
        if world_of(place.partition("[")[0], state._private) is None
    }


def is_finite(value: Any) -> bool:
    return not isinstance(value, (int, float)) or math.isfinite(value)
