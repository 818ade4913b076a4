"""Affine forms of noise and private data, in exact rational arithmetic.

A form is what a noisy value, a private sum or a threshold between two of them is while the steps of
an algorithm run. Its numbers are the doubles that the steps computed, taken as the rationals they
are. What is compared is answered by the path that is being followed.
"""

from __future__ import annotations

import functools
import math
from typing import Any, Protocol

from flint import fmpq

from dpaudit.play.reach.steps import Unfit

Weights = dict[int, Any]
"""Coefficient of a variable by its number."""


class Judge(Protocol):
    """Who answers comparisons."""

    def positive(self, form: Form) -> bool:
        """Whether the form is above 0."""

    def zero(self, form: Form) -> bool:
        """Whether the form is 0."""

    def whole(self, form: Form) -> int:
        """The form's whole part."""


@functools.lru_cache(maxsize=4096)
def _of_double(number: float) -> Any:
    return fmpq(*number.as_integer_ratio())


def exact(number: Any) -> Any:
    """A finite number as the rational it is."""
    if isinstance(number, fmpq):
        return number
    double = float(number)
    if not math.isfinite(double):
        raise Unfit(f"{double} enters the arithmetic of a noisy or private value")
    return _of_double(double)


def double(fraction: Any) -> float:
    """The nearest one to a rational number."""
    return int(fraction.p) / int(fraction.q)


def plus(a: Weights, b: Weights, factor: Any) -> Weights:
    """a + factor b, without what cancels."""
    total = dict(a)
    for name, weight in b.items():
        summed = total.get(name, 0) + factor * weight
        if summed == 0:
            total.pop(name, None)
        else:
            total[name] = summed
    return total


class Form:
    """The sum of noise and data, each with its coefficient, and a constant."""

    __array_ufunc__ = None  # numpy's numbers leave the arithmetic to us
    __hash__ = None  # type: ignore[assignment]
    __slots__ = ("constant", "data", "judge", "noise")

    def __init__(self, judge: Judge, noise: Weights, data: Weights, constant: Any) -> None:
        self.judge, self.noise, self.data, self.constant = judge, noise, data, constant

    def _made(self, noise: Weights, data: Weights, constant: Any) -> Any:
        """A form, or the number that is left."""
        if not noise and not data:
            return double(constant)
        return Form(self.judge, noise, data, constant)

    def _sum(self, other: Any, factor: int) -> Any:
        if isinstance(other, Form):
            noise = plus(self.noise, other.noise, factor)
            data = plus(self.data, other.data, factor)
            return self._made(noise, data, self.constant + factor * other.constant)
        return self._made(self.noise, self.data, self.constant + factor * exact(other))

    def __add__(self, other: Any) -> Any:
        return self._sum(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._sum(other, -1)

    def __rsub__(self, other: Any) -> Any:
        return (-self) + other

    def __neg__(self) -> Any:
        return self * -1

    def __pos__(self) -> Form:
        return self

    def times(self, factor: Any) -> Any:
        """By a rational number."""
        if factor == 0:
            return 0.0
        return self._made(
            {name: weight * factor for name, weight in self.noise.items()},
            {name: weight * factor for name, weight in self.data.items()},
            self.constant * factor,
        )

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Form):
            raise Unfit("two noisy or private values are multiplied")
        return self.times(exact(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Form):
            raise Unfit("a value is divided by a noisy or private one")
        if other == 0:
            raise Unfit("a noisy or private value is divided by 0")
        return self.times(1 / exact(other))

    def __rtruediv__(self, other: Any) -> Any:
        raise Unfit("a value is divided by a noisy or private one")

    def __abs__(self) -> Any:
        return self if self > 0 else -self

    def __gt__(self, other: Any) -> bool:
        return above(self, other)

    def __lt__(self, other: Any) -> bool:
        return above(other, self)

    def __ge__(self, other: Any) -> bool:
        return not _nan(other) and not above(other, self)

    def __le__(self, other: Any) -> bool:
        return not _nan(other) and not above(self, other)

    def __eq__(self, other: object) -> bool:
        return self is other or _equal(self, other)

    def __ne__(self, other: object) -> bool:
        return not (self is other or _equal(self, other))

    def __bool__(self) -> bool:
        return not _equal(self, 0)

    def __int__(self) -> int:
        return self.judge.whole(self)

    __index__ = __floor__ = __trunc__ = __int__

    def __float__(self) -> float:
        raise Unfit("a noisy or private value goes into a function that is not affine")


def _nan(other: Any) -> bool:
    return not isinstance(other, Form) and math.isnan(other)


def _equal(form: Form, other: Any) -> bool:
    if not isinstance(other, Form) and not math.isfinite(other):
        return False
    apart = form - other
    return form.judge.zero(apart) if isinstance(apart, Form) else bool(apart == 0)


def above(a: Any, b: Any) -> bool:
    """Whether a > b, at least one of them being a form."""
    for one, sign in ((a, 1.0), (b, -1.0)):
        if not isinstance(one, Form) and not math.isfinite(one):
            return bool(sign * one > 0.0)  # never for nan
    apart = a - b
    return apart.judge.positive(apart) if isinstance(apart, Form) else bool(apart > 0)
