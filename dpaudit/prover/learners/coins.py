"""A learner's generator on symbols: noise that can be added to private numbers, and public coins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import z3

from dpaudit.prover.learners import run
from dpaudit.prover.learners.arrays import Array, _index
from dpaudit.prover.learners.numbers import COIN, Draw, Value, lift, plainly, used
from dpaudit.prover.symbols import paths
from dpaudit.prover.symbols.terms import Number, Public

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
        options = list(of) if isinstance(of, (list, tuple, Array, range)) else list(range(_index(of)))
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
            return _several(size, lambda: _coin(whole=name in ("binomial", "poisson", "geometric")))

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
    if isinstance(scale, Array) or isinstance(scale, (list, tuple)):
        raise paths.Unsupported("noise of a different scale for each number")
    how_far = plainly(scale, LAW)
    if not isinstance(how_far, Public) and how_far < 0:
        raise paths.Unsupported("noise of a negative scale")
    if isinstance(loc, (Array, list, tuple)):
        if size is not None and _index(size if not isinstance(size, tuple) else size[0]) != len(loc):
            raise paths.Unsupported("noise of another length than what it is added to")
        return Array([_one(law, each, how_far) for each in loc])
    return _several(size, lambda: _one(law, loc, how_far))


def _one(law: str, loc: Any, scale: Number) -> Any:
    if not isinstance(scale, Public) and scale == 0:
        return lift(loc)
    return lift(loc) + Value(0, {}, Draw(law, scale, paths.place()), 1)


