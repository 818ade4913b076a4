"""What a learner's methods may call: its generator, which gives noise that can be added to private
numbers and public coins, and built-in functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import z3

from dpaudit.prover.learners import arrays, choices, run
from dpaudit.prover.learners.arrays import Array, _index
from dpaudit.prover.learners.numbers import COIN, Draw, Value, is_number, lift, plainly, used
from dpaudit.prover.learners.run import Secret
from dpaudit.prover.symbols import functions, paths
from dpaudit.prover.symbols.terms import (
    Number,
    Public,
)

LAW = "noise with the scale"


class Coins:
    """What stands for `rng`."""

    __slots__ = ()

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return _noise("laplace", loc, scale, size)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return _noise("gumbel", loc, scale, size)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return _noise("gaussian", loc, scale, size)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        return _noise("exponential", 0, scale, size)

    def standard_normal(self, size: Any = None) -> Any:
        return _noise("gaussian", 0, 1, size)

    def standard_exponential(self, size: Any = None) -> Any:
        return _noise("exponential", 0, 1, size)

    def random(self, size: Any = None) -> Any:
        return _several(size, lambda: _coin(low=0, high=1))

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        for each in (low, high):
            _of(each)
        return _several(size, lambda: _coin())

    def integers(
        self, low: Any, high: Any = None, size: Any = None, *, endpoint: bool = False
    ) -> Any:
        if size is not None or endpoint:
            raise paths.Unsupported("rng.integers of several numbers, or with its end")
        first, last = (0, low) if high is None else (low, high)
        a, b = (_index(each) for each in (first, last))
        run.current().drawn = True
        if not 0 < b - a <= 64:
            return Value(paths.current().fresh(COIN, whole=True))
        return a + paths.current().choose(b - a)

    def choice(self, of: Any, size: Any = None, p: Any = None) -> Any:
        if size is not None:
            raise paths.Unsupported("rng.choice of several")
        for each in p or () if isinstance(p, (list, tuple)) or p is None else p:
            _of(each)
        run.current().drawn = True
        options = (
            list(of) if isinstance(of, (list, tuple, Array, range)) else list(range(_index(of)))
        )
        return options[paths.current().choose(len(options))]

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_") or name in ("bit_generator", "spawn", "shuffle", "permutation"):
            raise paths.Unsupported(f"rng.{name}")

        def draw(*given: Any, size: Any = None, **named: Any) -> Any:
            for each in (*given, *named.values()):
                _of(each)
            if name not in ("beta", "gamma", "binomial", "poisson", "geometric", "chisquare"):
                raise paths.Unsupported(f"rng.{name}")
            if len(given) + len(named) > 2:
                raise paths.Unsupported(f"rng.{name} of several numbers")
            whole = name in ("binomial", "poisson", "geometric")
            found = _several(size, lambda: _coin(whole=whole))
            return Array(found.values, whole=whole) if isinstance(found, Array) else found

        return draw


class Shared(Coins):
    """What stands for `np.random`: the generator that all of numpy's old functions share."""

    __slots__ = ()

    def randint(self, low: Any, high: Any = None, size: Any = None) -> Any:
        return Coins.integers(self, low, high, size)

    def rand(self) -> Any:
        return self.random()


def _coin(low: int | None = None, high: int | None = None, *, whole: bool = False) -> Value:
    run.current().drawn = True
    drawn = paths.current().fresh(COIN, whole=whole)
    if low is not None and high is not None:
        paths.current().know(z3.And(drawn.term >= low, drawn.term < high))
    return Value(drawn)


def _of(value: Any) -> Number:
    """A parameter of a law: public, or it is not known what the draw gives away."""
    if isinstance(value, Array):
        raise paths.Unsupported("a generator is given an array of parameters")
    number = lift(value)
    if number.form and number.draw is None:
        raise paths.Unsupported("a coin is drawn from a law that depends on a private number")
    return used(number)


def _several(size: Any, one: Callable[[], Any]) -> Any:
    if size is None:
        return one()
    if isinstance(size, (tuple, list)):
        if len(size) != 1:
            raise paths.Unsupported("an array of two dimensions")
        size = size[0]
    return Array([one() for _ in range(_index(size))])


def _noise(law: str, loc: Any, scale: Any, size: Any) -> Any:
    if isinstance(scale, (Array, list, tuple)):
        raise paths.Unsupported("noise of a different scale for each number")
    how_far = plainly(scale, LAW)
    if not isinstance(how_far, Public) and how_far < 0:
        raise paths.Unsupported("noise of a negative scale")
    if isinstance(loc, (Array, list, tuple)):
        if size is not None and _index(size if not isinstance(size, tuple) else size[0]) != len(
            loc
        ):
            raise paths.Unsupported("noise of another length than what it is added to")
        return Array([_one(law, each, how_far) for each in loc])
    return _several(size, lambda: _one(law, loc, how_far))


def _one(law: str, loc: Any, scale: Number) -> Any:
    if not isinstance(scale, Public) and scale == 0:
        return lift(loc)
    return lift(loc) + Value(0, {}, Draw(law, scale, paths.place()), 1)


# Built-in functions.


class Frozen(type):
    """A copied class: what all its learners share must not be changed."""

    def __setattr__(cls, name: str, value: Any) -> None:
        raise paths.Unsupported(f"{cls.__name__}.{name} is set, which all learners share")


class Refusal:
    """In place of something that is not known: any use says so."""

    def __init__(self, why: str) -> None:
        object.__setattr__(self, "_why", why)

    def _no(self, *_: Any, **__: Any) -> NoReturn:
        raise paths.Unsupported(object.__getattribute__(self, "_why"))

    __getattr__ = __setattr__ = __call__ = __iter__ = __getitem__ = __setitem__ = _no
    __bool__ = __len__ = __contains__ = __eq__ = __ne__ = __lt__ = __gt__ = _no
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _no
    __rtruediv__ = __float__ = __int__ = __index__ = __repr__ = __str__ = __format__ = _no
    __hash__ = __neg__ = __le__ = __ge__ = __pow__ = __rpow__ = __mod__ = __next__ = _no


def unsupported(what: str) -> NoReturn:
    raise paths.Unsupported(f"`{what}`")


def missing(subject: Any, name: str) -> NoReturn:
    """An attribute that is not there, which ends the run."""
    run.ended()


class Maths:
    """What stands for `math`."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        real = getattr(math, name)
        return arrays.mathematical(name) if callable(real) else real


def whole_number(value: Any = 0) -> Any:
    if isinstance(value, Value):
        return Value(functions.truncated(plainly(value, "int()")))
    return value if isinstance(value, Secret) else int(value)


def real_number(value: Any = 0.0) -> Any:
    return value if isinstance(value, (Value, Secret)) else float(value)


def truth(value: Any = False) -> Any:
    return value if isinstance(value, Secret) else bool(value)


class Kind:
    """A kind of container: it makes one, and gives no way around those that must not be changed
    (`list.append` of a list that outlives the learner)."""

    __slots__ = ("_kind",)

    def __init__(self, kind: type) -> None:
        object.__setattr__(self, "_kind", kind)

    def __call__(self, *given: Any, **named: Any) -> Any:
        return kind_of(self)(*given, **named)

    def _never(self, name: str, *_: Any) -> NoReturn:
        raise paths.Unsupported(f"{kind_of(self).__name__}.{name}")

    __getattr__ = __setattr__ = __delattr__ = _never


def kind_of(kind: Any) -> Any:
    """What Python means by it."""
    return object.__getattribute__(kind, "_kind") if isinstance(kind, Kind) else kind


whole_number.stands_for = int  # type: ignore[attr-defined]
real_number.stands_for = float  # type: ignore[attr-defined]


def extreme(most: bool) -> Callable[..., Any]:
    def pick(*given: Any, key: Any = None, **named: Any) -> Any:
        if set(named) - {"default"}:
            raise paths.Unsupported("max or min with other options")
        values = list(given[0]) if len(given) == 1 else list(given)
        if not values and "default" in named:
            return named["default"]
        scores = values if key is None else [key(v) for v in values]
        if len(given) == 2 and key is None and not any(isinstance(v, Secret) for v in given):
            return (arrays.larger if most else arrays.smaller)(*values)
        if scores and all(isinstance(s, tuple) for s in scores):
            raise paths.Unsupported("the best of tuples")
        return choices.picked(values, choices.best(scores, most=most))

    return pick


def total(values: Any, start: Any = 0) -> Any:
    found = start
    for value in values:
        found = found + value
    return found


def is_instance(value: Any, kinds: Any) -> bool:
    if isinstance(value, (Value, Array, Secret)) or isinstance(kinds, Refusal):
        raise paths.Unsupported("isinstance of a symbol")
    if is_number(value):
        raise paths.Unsupported("isinstance of a number, which may be one of numpy's")
    several = kinds if isinstance(kinds, tuple) else (kinds,)
    return isinstance(value, tuple(map(kind_of, several)))


def attribute(subject: Any, name: str, *default: Any) -> Any:
    if not isinstance(name, str) or name.startswith("__"):
        raise paths.Unsupported("getattr of a name like this")
    if not isinstance(type(subject), Frozen):
        # A stand-in has other attributes than what it stands for.
        raise paths.Unsupported(f"getattr of a {type(subject).__name__}")
    try:
        return object.__getattribute__(subject, name)
    except AttributeError:
        return default[0] if default else run.ended()


def has_attribute(subject: Any, name: str) -> bool:
    nothing = object()
    return attribute(subject, name, nothing) is not nothing


def is_it(a: Any, b: Any) -> bool:
    """What stands for a number is not None; whether it is another object cannot be said: numpy
    makes a new one each time that an array is looked at."""
    if a is not None and b is not None:
        raise paths.Unsupported("`is` of something else than None")
    return a is b


def index_of(subject: Any, *given: Any) -> Any:
    plain = isinstance(subject, (list, tuple))
    if plain and any(isinstance(v, Secret) for v in (*subject, *given)):
        return Secret()
    return subject.index(*given)


def in_order(values: Any, *, key: Any = None, reverse: bool = False) -> list[Any]:
    found = list(values)
    if any(isinstance(v, tuple) for v in found):
        raise paths.Unsupported("tuples are sorted")
    return sorted(found, key=key, reverse=reverse)


def power(base: Any, exponent: Any) -> Any:
    return base**exponent if isinstance(base, Value) else lift(base) ** exponent


SAFE: Mapping[str, Any] = {
    "__unsupported__": unsupported, "__raised__": run.ended,
    "__index_of__": index_of, "__is__": is_it,
    "int": whole_number, "float": real_number, "bool": truth, "max": extreme(True),
    "min": extreme(False), "sum": total, "isinstance": is_instance, "getattr": attribute,
    "sorted": in_order, "pow": power, "abs": abs, "len": len, "range": range,
    "enumerate": enumerate, "zip": zip, "list": Kind(list), "tuple": Kind(tuple),
    "dict": Kind(dict), "map": map,
    "filter": filter, "reversed": reversed, "all": all, "any": any, "next": next, "iter": iter,
    "super": super, "slice": slice, "ValueError": ValueError, "TypeError": TypeError,
    "set": Kind(set), "round": round, "hasattr": has_attribute,
}  # fmt: skip
