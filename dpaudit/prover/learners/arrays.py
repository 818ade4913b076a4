"""A stand-in for `numpy`: vectors of fixed length, and the functions of them that learners use.
Everything else of numpy is refused by its name."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from dpaudit.prover.learners import choices
from dpaudit.prover.learners.numbers import Value, is_number, lift, plainly
from dpaudit.prover.learners.run import Secret
from dpaudit.prover.symbols import functions, paths, terms
from dpaudit.prover.symbols.vocabulary import Maths

MOST = 64
"""The longest vector."""


class Array:
    """A vector of numbers. `whole`: it can hold whole numbers only; None if that is not known."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, values: list[Any], *, whole: bool | None = False) -> None:
        if len(values) > MOST:
            raise paths.Unsupported(f"a vector of more than {MOST} numbers")
        for value in values:
            if not is_number(value) and not isinstance(value, Secret):
                raise paths.Unsupported(f"an array of {type(value).__name__}")
        self.values, self.whole = list(values), whole
        if whole:
            for value in values:
                self._fits(value)

    def _fits(self, value: Any) -> Any:
        if isinstance(value, Secret):
            return value
        if not is_number(value):
            raise paths.Unsupported(f"{type(value).__name__} in an array of numbers")
        v = lift(value)
        if self.whole is not False and not (v.public and terms.whole(v.offset)):
            # Numpy would cut it off.
            raise paths.Unsupported("a number that need not be whole, in an array of whole ones")
        return value

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self.values))

    @property
    def size(self) -> int:
        return len(self)

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self),)

    ndim = 1

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, (list, Array)):
            if any(isinstance(i, bool) for i in index):
                return Array([v for v, i in zip(self, index, strict=True) if i], whole=self.whole)
            return Array([self.values[_index(i)] for i in index], whole=self.whole)
        return self.values[_index(index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice) and index == slice(None):
            new = self._like(value)
            self.values[:] = [self._fits(v) for v in new]
        elif isinstance(index, (list, Array)):
            if not is_number(value):
                raise paths.Unsupported("several places of an array are set at once")
            chosen = list(index)
            if any(isinstance(i, bool) for i in chosen):
                chosen = [j for j, i in enumerate(chosen) if i]
            for i in chosen:
                self.values[_index(i)] = self._fits(value)
        else:
            self.values[_index(index)] = self._fits(value)

    def _like(self, other: Any) -> list[Any]:
        if is_number(other):
            return [other] * len(self)
        if isinstance(other, (Array, list, tuple)) and len(other) == len(self):
            return list(other)
        raise paths.Unsupported("arrays of different shapes")

    def _with(self, other: Any, apply: Callable[[Any, Any], Any]) -> Any:
        if not is_number(other) and not isinstance(other, (Array, list, tuple)):
            return NotImplemented
        pairs = zip(self, self._like(other), strict=True)
        real = self.whole is False or _real(other)
        return Array([apply(_either(a), _either(b)) for a, b in pairs], whole=not real and None)

    def _in_place(self, other: Any, apply: Callable[[Any, Any], Any]) -> Any:
        new = [apply(_either(a), _either(b)) for a, b in zip(self, self._like(other), strict=True)]
        self.values[:] = [self._fits(v) for v in new]
        return self

    def __add__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a + b)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a * b)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a / b)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b / a)

    def __pow__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a**b)

    def __neg__(self) -> Any:
        return Array([-lift(v) for v in self], whole=self.whole)

    def __iadd__(self, other: Any) -> Any:
        return self._in_place(other, lambda a, b: a + b)

    def __isub__(self, other: Any) -> Any:
        return self._in_place(other, lambda a, b: a - b)

    def __imul__(self, other: Any) -> Any:
        return self._in_place(other, lambda a, b: a * b)

    def __itruediv__(self, other: Any) -> Any:
        return self._in_place(other, lambda a, b: a / b)

    def __lt__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a < b)

    def __le__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a <= b)

    def __gt__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a > b)

    def __ge__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a >= b)

    def __eq__(self, other: object) -> Any:
        return self._with(other, lambda a, b: a == b)

    def __ne__(self, other: object) -> Any:
        return self._with(other, lambda a, b: a != b)

    def _never(self, *_: Any) -> NoReturn:
        raise paths.Unsupported("an array where a plain value must stand")

    __bool__ = __float__ = __int__ = __index__ = __contains__ = _never
    __repr__ = __str__ = __format__ = __copy__ = __deepcopy__ = __reduce_ex__ = _never
    __floordiv__ = __mod__ = __matmul__ = __and__ = __or__ = __invert__ = __abs__ = _never

    def argmax(self) -> Any:
        return choices.best(self.values, most=True)

    def argmin(self) -> Any:
        return choices.best(self.values, most=False)

    def max(self) -> Any:
        return choices.picked(self.values, self.argmax())

    def min(self) -> Any:
        return choices.picked(self.values, self.argmin())

    def sum(self) -> Any:
        return total(self.values)

    def mean(self) -> Any:
        return lift(total(self.values)) / len(self)

    def all(self) -> bool:
        return all(bool(v) for v in self)

    def any(self) -> bool:
        return any(bool(v) for v in self)

    def copy(self) -> Array:
        return Array(self.values, whole=self.whole)

    def tolist(self) -> list[Any]:
        return list(self.values)

    def fill(self, value: Any) -> None:
        self[:] = value

    def astype(self, kind: Any) -> Array:
        return Array(self.values, whole=is_whole(kind))

    def dot(self, other: Any) -> Any:
        return (self * other).sum()


def _real(values: Any) -> bool:
    """Whether numpy certainly takes these for real numbers, and cuts nothing off in an array of
    them."""
    if isinstance(values, Array):
        return values.whole is False
    each = values if isinstance(values, (list, tuple)) else [values]
    return any(isinstance(v, float) for v in each)


def _either(value: Any) -> Any:
    return value if isinstance(value, Secret) else lift(value)


def total(values: Any) -> Any:
    found: Any = 0
    for value in values:
        found = lift(value) + found
    return found


def _index(index: Any) -> int:
    if isinstance(index, Value):
        return index.__index__()
    if isinstance(index, (int, np.integer)) and not isinstance(index, bool):
        return int(index)
    raise paths.Unsupported(f"an array is indexed by {type(index).__name__}")


def is_whole(kind: Any) -> bool:
    kind = getattr(kind, "stands_for", kind)
    if kind is None or kind in (float, np.float64):
        return False
    if kind in (int, np.int64, np.intp):
        return True
    raise paths.Unsupported("an array of another type than float and int")


def _length(shape: Any) -> int:
    if isinstance(shape, tuple) and len(shape) == 1:
        shape = shape[0]
    if isinstance(shape, (tuple, list)):
        raise paths.Unsupported("an array of two dimensions")
    return _index(shape)


def array(values: Any, dtype: Any = None, **named: Any) -> Any:
    if named.pop("copy", True) is not True or named:
        raise paths.Unsupported("np.array with these options")
    if is_number(values):
        return values
    found = list(values)
    if dtype is not None:
        return Array(found, whole=is_whole(dtype))
    return Array(found, whole=not _real(values) and None)


def _same_array(values: Any, dtype: Any = None) -> Any:
    """The array itself, if it is one of that type."""
    if isinstance(values, Array) and (dtype is None or is_whole(dtype) == values.whole):
        return values
    return array(values, dtype)


class Numpy:
    """What stands for the module `numpy`."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name == "random":
            from dpaudit.prover.learners.vocabulary import Shared

            return Shared()
        known = KNOWN.get(name)
        if known is not None:
            return known
        raise paths.Unsupported(f"np.{name}")


def _zeros(shape: Any, dtype: Any = None) -> Array:
    whole = is_whole(dtype)
    return Array([0 if whole else 0.0] * _length(shape), whole=whole)


def _ones(shape: Any, dtype: Any = None) -> Array:
    whole = is_whole(dtype)
    return Array([1 if whole else 1.0] * _length(shape), whole=whole)


def _full(shape: Any, value: Any, dtype: Any = None) -> Array:
    if dtype is None and lift(value).public and terms.whole(lift(value).offset):
        raise paths.Unsupported("np.full without a type")
    return Array([value] * _length(shape), whole=is_whole(dtype))


def _arange(stop: Any) -> Array:
    return Array(list(range(_index(stop))), whole=True)


def each(function: Callable[..., Any]) -> Callable[..., Any]:
    """For numbers, and for arrays one by one."""

    def apply(*given: Any) -> Any:
        arrays = [g for g in given if isinstance(g, (Array, list, tuple))]
        if not arrays:
            return function(*given)
        rows = [[g] * len(arrays[0]) if is_number(g) else list(g) for g in given]
        return Array([function(*row) for row in zip(*rows, strict=True)], whole=None)

    return apply


def mathematical(name: str) -> Callable[..., Any]:
    """A function of public numbers."""

    def apply(*given: Any) -> Any:
        plain = [plainly(g, name) for g in given]
        try:
            return Value(getattr(Maths(), name)(*plain))
        except (ValueError, ZeroDivisionError):
            # numpy goes on with an infinity, or with what is no number.
            return Value(paths.current().fresh(f"{name} outside its domain"))

    return apply


def larger(a: Any, b: Any) -> Any:
    return _extreme(a, b, most=True)


def smaller(a: Any, b: Any) -> Any:
    return _extreme(a, b, most=False)


def _extreme(a: Any, b: Any, *, most: bool) -> Any:
    for value, other in ((lift(a), lift(b)), (lift(b), lift(a))):
        if value.form and value.draw is None and not other.form:
            limit = other.offset if other.public else None
            inside = isinstance(limit, (int, float)) and (limit <= 0 if most else limit >= 1)
            if choices.is_reward(value) and inside:
                return value  # Rewards are in [0, 1].
            raise paths.Unsupported("a private number is cut off")
    if lift(a).public and lift(b).public:
        x, y = lift(a).offset, lift(b).offset
        test = functions.compare("<=", y, x) if most else functions.compare("<=", x, y)
        return Value(functions.choice(test, x, y))
    return choices.picked([a, b], choices.best([a, b], most=most))


def clip(value: Any, low: Any, high: Any, **named: Any) -> Any:
    if named:
        raise paths.Unsupported("np.clip with other options")
    return each(lambda v: smaller(larger(v, low), high))(value)


def _where(test: Any, *given: Any) -> Any:
    if len(given) != 2 or not isinstance(test, Array):
        raise paths.Unsupported("np.where of something else than an array and two numbers")
    rows = [list(g) if isinstance(g, (Array, list)) else [g] * len(test) for g in given]
    return Array([a if t else b for t, a, b in zip(test, *rows, strict=True)], whole=None)


def _mean(values: Any) -> Any:
    return Array(list(values)).mean()


def _isinf(value: Any) -> bool:
    offset = plainly(value, "whether it is infinite")
    return not isinstance(offset, terms.Public) and math.isinf(offset)


KNOWN: dict[str, Any] = {
    "inf": math.inf, "pi": math.pi, "e": math.e,
    "float64": np.float64, "int64": np.int64, "intp": np.intp,
    "zeros": _zeros, "ones": _ones, "full": _full, "arange": _arange,
    "array": array, "asarray": _same_array,
    "zeros_like": lambda a: Array([0 if a.whole else 0.0] * len(a), whole=a.whole),
    "ones_like": lambda a: Array([1 if a.whole else 1.0] * len(a), whole=a.whole),
    "argmax": lambda values: choices.best(list(values), most=True),
    "argmin": lambda values: choices.best(list(values), most=False),
    "where": _where, "clip": clip,
    "max": lambda values: Array(list(values)).max(),
    "min": lambda values: Array(list(values)).min(),
    "sum": total, "mean": _mean, "copy": lambda a: Array(list(a), whole=a.whole),
    "maximum": each(larger), "minimum": each(smaller),
    "log": each(mathematical("log")), "sqrt": each(mathematical("sqrt")),
    "exp": each(mathematical("exp")), "log2": each(mathematical("log2")),
    "floor": each(mathematical("floor")), "ceil": each(mathematical("ceil")),
    "abs": each(abs), "isinf": each(_isinf), "dot": lambda a, b: a.dot(b),
}  # fmt: skip
