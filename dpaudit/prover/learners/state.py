"""What a learner keeps between rounds, arbitrary: a tree of numbers in lists, vectors, dicts and
objects. A number that is always the same stays; another one is an unknown symbol; one that depends
on rewards is a private number by the name of its place."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import z3

from dpaudit.prover.learners import numbers
from dpaudit.prover.learners.arrays import Array
from dpaudit.prover.learners.numbers import KEPT, Value, is_number, lift
from dpaudit.prover.learners.run import Secret
from dpaudit.prover.learners.vocabulary import Coins, Frozen, Refusal
from dpaudit.prover.symbols import paths, terms
from dpaudit.prover.symbols.terms import (
    Public,
)

MOST_FORMS = 8
"""More forms of one place than this are not followed."""


@dataclass
class Number:
    """A number: `always` the same one, or else public or private."""

    always: Any = None
    private: bool = False
    whole: bool = True
    noise: bool = False
    """It may be a draw of noise, which is public, but must not be added to anything."""


@dataclass
class Plain:
    """Something that is no number and stays: None, a truth value, a word, the generator."""

    value: Any


@dataclass
class Many:
    """A container: its kind, and what stands in each place."""

    kind: Any
    places: dict[Any, Forms]
    whole: bool | None = False
    missing: tuple[Any, ...] = ()
    """Of an object, the attributes that are None: which are so together."""


Form: TypeAlias = "Number | Plain | Many"


@dataclass
class Forms:
    """All that a place may hold."""

    name: str
    options: list[Form] = field(default_factory=list)

    def join(self, value: Any) -> bool:
        """Take up one more value; whether that is new."""
        if isinstance(value, Secret):
            if any(isinstance(o, Plain) and o.value is Secret for o in self.options):
                return False
            return self._new(Plain(Secret))
        if followed(value):
            return self._join_number(lift(value))
        kind, places, whole = _parts(value, self.name)
        if kind is None:
            if any(isinstance(o, Plain) and _same(o.value, value) for o in self.options):
                return False
            return self._new(Plain(value))
        option = self.fitting(kind, places, whole)
        if option is not None:
            new = [option.places[k].join(v) for k, v in places.items()]
            return any(new)
        made = Many(
            kind, {k: Forms(self._below(kind, k)) for k in places}, whole, _missing(kind, places)
        )
        for key, each in places.items():
            made.places[key].join(each)
        return self._new(made)

    def fitting(self, kind: Any, places: dict[Any, Any], whole: bool | None) -> Many | None:
        """The form of a container like this."""
        for option in self.options:
            if (
                isinstance(option, Many)
                and option.kind is kind
                and option.whole == whole
                and option.places.keys() == places.keys()
                and option.missing == _missing(kind, places)
            ):
                return option
        return None

    def _below(self, kind: Any, key: Any) -> str:
        return (
            f"{self.name}.{key}"
            if isinstance(kind, type) and kind not in PLAIN_KINDS
            else (f"{self.name}[{key}]")
        )

    def _new(self, option: Form) -> bool:
        if len(self.options) >= MOST_FORMS:
            raise paths.Unsupported(f"{self.name} grows, or takes more than {MOST_FORMS} forms", "")
        self.options.append(option)
        return True

    def _join_number(self, value: Value) -> bool:
        for option in self.options:
            if isinstance(option, Number):
                return _widened(option, value)
        private = bool(value.form)
        whole = value.public and terms.whole(value.offset)
        always = None if private or _drawn(value) else value
        return self._new(Number(always, private, whole, _noise(value)))

    def made(self) -> Any:
        """An arbitrary value."""
        at = paths.current().choose(len(self.options)) if len(self.options) > 1 else 0
        option = self.options[at]
        if isinstance(option, Plain):
            return Secret() if option.value is Secret else option.value
        if isinstance(option, Number):
            return self._number(option)
        values = {k: forms.made() for k, forms in option.places.items()}
        if option.kind is Array:
            return Array(list(values.values()), whole=option.whole)
        if option.kind in (list, tuple):
            return option.kind(values.values())
        if option.kind is dict:
            return values
        subject = object.__new__(option.kind)
        subject.__dict__.update(values)
        return subject

    def _number(self, option: Number) -> Any:
        if option.always is not None:
            value = option.always
            return value.offset if not isinstance(value.offset, Public) else value
        if option.private:
            return Value(0, {self.name: 1})
        return Value(Public(z3.Real(self.symbol(option)), whole=option.whole))

    def symbol(self, option: Number) -> str:
        return f"{KEPT} {self.name}" if option.noise else self.name

    def numbers(self) -> Iterator[tuple[Forms, Number]]:
        """All places of numbers."""
        for option in self.options:
            if isinstance(option, Number):
                yield self, option
            elif isinstance(option, Many):
                for forms in option.places.values():
                    yield from forms.numbers()


PLAIN_KINDS = (list, tuple, dict, Array)


def _missing(kind: Any, places: dict[Any, Any]) -> tuple[Any, ...]:
    return () if kind in PLAIN_KINDS else tuple(sorted(k for k, v in places.items() if v is None))


def _widened(known: Number, value: Value) -> bool:
    if value.form and not known.private:
        known.private, known.always = True, None
        return True
    if known.private:
        return False
    changed = False
    whole = value.public and terms.whole(value.offset)
    if known.always is not None and not (
        value.public and terms.same(known.always.offset, value.offset)
    ):
        known.always, changed = None, True
    if known.whole and not whole:
        known.whole, changed = False, True
    if _noise(value) and not known.noise:
        known.noise, changed = True, True
    return changed


def _drawn(value: Value) -> bool:
    """It depends on a way's own symbols, so that it is not always the same."""
    return not value.public or any(
        name not in ("epsilon", "arms") for name in numbers.names_in(value.offset)
    )


def _noise(value: Value) -> bool:
    return any(name.startswith((numbers.COIN, KEPT)) for name in numbers.names_in(value.offset))


def followed(value: Any) -> bool:
    """A number, but for truth values and infinities, which are kept as they are."""
    if not is_number(value) or isinstance(value, (bool, np.bool_)):
        return False
    number = lift(value)
    plain = number.public and not isinstance(number.offset, Public)
    return not plain or math.isfinite(number.offset)


def settled(value: Any) -> Any:
    """The number that is kept: what has noise is released."""
    number = lift(value)
    return Value(numbers.used(number)) if number.draw is not None else number


def _parts(value: Any, name: str) -> tuple[Any, dict[Any, Any], bool | None]:
    """A container's kind and places; no kind for what is none."""
    if value is None or isinstance(value, (bool, str, float, Coins, Secret, np.bool_)):
        return None, {}, False
    if isinstance(value, Value):
        return None, {}, False
    if isinstance(value, Array):
        return Array, dict(enumerate(value.values)), value.whole
    if type(value) in (list, tuple):
        return type(value), dict(enumerate(value)), False
    if type(value) is dict:
        if not all(isinstance(k, (int, str)) for k in value):
            raise paths.Unsupported(f"{name} is a dict with keys that are symbols", "")
        return dict, value, False
    if isinstance(type(value), Frozen):
        return type(value), vars(value), False
    kind = (
        "something that cannot be followed" if isinstance(value, Refusal) else type(value).__name__
    )
    raise paths.Unsupported(f"{name} is kept between rounds: a {kind}", "")


def _same(a: Any, b: Any) -> bool:
    return a is b or (type(a) is type(b) and isinstance(a, (bool, str, float)) and a == b)


def check_once(value: Any, name: str, seen: dict[int, str] | None = None) -> None:
    """Refuse a container that two places share: changed by one name, it changes by the other."""
    seen = {} if seen is None else seen
    kind, places, _ = (None, {}, False) if is_number(value) else _parts(value, name)
    if kind is None:
        return
    if kind is not tuple:
        if id(value) in seen:
            raise paths.Unsupported(f"{name} and {seen[id(value)]} are one object", "")
        seen[id(value)] = name
    for key, each in places.items():
        check_once(each, f"{name}.{key}", seen)


def leaves(value: Any, forms: Forms) -> Iterator[tuple[Forms, Number, Any]]:
    """Numbers of a value by their places, where the forms have them."""
    if followed(value):
        for option in forms.options:
            if isinstance(option, Number):
                yield forms, option, lift(value)
        return
    kind, places, whole = _parts(value, forms.name)
    fitting = forms.fitting(kind, places, whole)
    if fitting is not None:
        for key, each in places.items():
            yield from leaves(each, fitting.places[key])


def settle(value: Any) -> Any:
    """The same tree with every number released that has noise."""
    if is_number(value):
        return value if isinstance(value, (bool, np.bool_)) else settled(value)
    kind, _, _ = _parts(value, "")
    if kind is None:
        return value
    if kind is Array:
        value.values[:] = [settle(v) for v in value.values]
    elif kind is list:
        value[:] = [settle(v) for v in value]
    elif kind is tuple:
        return tuple(settle(v) for v in value)
    elif kind is dict:
        value.update({k: settle(v) for k, v in value.items()})
    else:
        vars(value).update({k: settle(v) for k, v in vars(value).items()})
    return value


def public_words(value: Any, forms: Forms) -> str:
    """What is public of a tree, as words that are the same for the same."""
    if any(isinstance(o, Plain) and o.value is Secret for o in forms.options):
        return "*"
    if followed(value):
        private = any(isinstance(o, Number) and o.private for o in forms.options)
        return "*" if private else str(terms.explicit(lift(value).offset))
    kind, places, whole = _parts(value, forms.name)
    if kind is None:
        return str(value) if isinstance(value, (bool, str, float)) else "-"
    option = forms.fitting(kind, places, whole)
    assert option is not None
    inside = (f"{k}:{public_words(v, option.places[k])}" for k, v in places.items())
    return "{" + ",".join(inside) + "}"
