"""A learner's state that can hold forms: what numpy's records are to numbers.

A field holds what its declared kind can: a whole number, or a double or a form. Numbers are numpy's
own, so that arithmetic on them is that of the steps elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from dpaudit.auditor.engines.exact.steps.forms import Form
from dpaudit.play.reach.steps import Unfit

Kinds = dict[str, Callable[[Any], Any]]


def _double(value: Any) -> Any:
    return value if isinstance(value, Form) else np.float64(value)


def _whole(value: Any) -> Any:
    return np.int64(value if not isinstance(value, Form) else int(value))


def kinds(dtype: np.dtype[Any]) -> Kinds:
    """What each field makes of a value."""
    found: Kinds = {}
    for name in dtype.names or ():
        base = dtype[name].base.kind
        if base not in "fi":
            raise Unfit(f"the state's field {name} is of another kind than float or int")
        if dtype[name].base.itemsize != 8:
            raise Unfit(f"the state's field {name} rounds or wraps: it has less than 64 bits")
        found[name] = _double if base == "f" else _whole
    return found


def _column(values: list[Any]) -> Any:
    """An array that cannot be written to: numpy's would be a view, by which the state is set."""
    made = np.array(values) if not any(isinstance(v, Form) for v in values) else None
    if made is None:
        made = np.empty(len(values), object)
        made[:] = values
    made.flags.writeable = False
    return made


class Cells:
    """An array in a record."""

    __slots__ = ("kind", "values")

    def __init__(self, kind: Callable[[Any], Any], values: list[Any]) -> None:
        self.kind, self.values = kind, values

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, place: Any) -> Any:
        return _column(self.values[place]) if isinstance(place, slice) else self.values[place]

    def __setitem__(self, place: Any, value: Any) -> None:
        if isinstance(place, slice):
            raise Unfit("a part of an array in the state is set at once")
        self.values[place] = self.kind(value)


class Record:
    """The fields of an arm, or the learner's own."""

    __slots__ = ("_kinds", "_values")

    def __init__(self, kinds: Kinds, values: dict[str, Any]) -> None:
        object.__setattr__(self, "_kinds", kinds)
        object.__setattr__(self, "_values", values)

    @classmethod
    def of(cls, kinds: Kinds, record: Any) -> Record:
        """A record of numpy's."""
        values = {
            name: Cells(kind, [kind(v) for v in record[name]])
            if np.ndim(record[name])
            else kind(record[name])
            for name, kind in kinds.items()
        }
        return cls(kinds, values)

    def copy(self) -> Record:
        values = {
            name: Cells(value.kind, list(value.values)) if isinstance(value, Cells) else value
            for name, value in self._values.items()
        }
        return Record(self._kinds, values)

    def __getattr__(self, name: str) -> Any:
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._kinds:
            raise AttributeError(name)
        if isinstance(self._values[name], Cells):
            raise Unfit(f"the array {name} of the state is set at once")
        self._values[name] = self._kinds[name](value)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self, name, value)

    def all(self) -> Iterator[Any]:
        """All values, those in arrays singly."""
        for value in self._values.values():
            yield from value.values if isinstance(value, Cells) else (value,)


class Arms(list[Record]):
    """The arms' records; a field of all of them by its name."""

    def copy(self) -> Arms:
        return Arms(record.copy() for record in self)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, str):
            return _column([record[place] for record in self])
        if isinstance(place, slice):
            return Arms(super().__getitem__(place))
        return super().__getitem__(place)

    def __setitem__(self, place: Any, value: Any) -> None:
        if not isinstance(place, str):
            raise Unfit("an arm's record is set at once")
        for record, each in zip(self, np.broadcast_to(value, len(self)), strict=True):
            record[place] = each
