"""Laplace noise that has not been drawn: linear forms of it, in place of numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from types import FunctionType, SimpleNamespace
from typing import Any

from dpaudit.curves.draws import Fork
from dpaudit.errors import UsageError

NOT_LINEAR = "target: a function of noise that is not linear, which is not covered"
Inequality = tuple["Form", "Form"]
"""The first is less than the second."""


@dataclass(frozen=True, eq=False)
class Form:
    """A number plus multiples of standard Laplace variables."""

    asks: Asks
    number: float
    parts: dict[int, float] = field(default_factory=dict)

    __array_ufunc__ = None  # numpy's numbers leave the arithmetic to us

    def _with(self, other: Any, sign: float) -> Form:
        if not isinstance(other, Form):
            return Form(self.asks, self.number + sign * float(other), self.parts)
        keys = [*self.parts, *(k for k in other.parts if k not in self.parts)]
        both = {k: self.parts.get(k, 0.0) + sign * other.parts.get(k, 0.0) for k in keys}
        return Form(self.asks, self.number + sign * other.number, both)

    def __add__(self, other: Any) -> Form:
        return self._with(other, 1.0)

    def __sub__(self, other: Any) -> Form:
        return self._with(other, -1.0)

    def __rsub__(self, other: Any) -> Form:
        return self.__mul__(-1.0)._with(other, 1.0)

    def __mul__(self, other: Any) -> Form:
        by = _plain_number(other)
        return Form(self.asks, self.number * by, {k: a * by for k, a in self.parts.items()})

    def __truediv__(self, other: Any) -> Form:
        by = _plain_number(other)
        return Form(self.asks, self.number / by, {k: a / by for k, a in self.parts.items()})

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Form:
        return self * -1.0

    def __lt__(self, other: Any) -> bool:
        return self.asks.less(self, other)

    def __gt__(self, other: Any) -> bool:
        return self.asks.less(other, self)

    __le__, __ge__ = __lt__, __gt__  # noise is continuous

    def __float__(self) -> float:
        raise UsageError(NOT_LINEAR)

    def __eq__(self, other: object) -> bool:
        raise UsageError("target: asks whether noise is a number, which is not covered")

    __hash__ = None  # type: ignore[assignment]


def _plain_number(x: Any) -> float:
    if isinstance(x, Form):
        raise UsageError(NOT_LINEAR)
    return float(x)


class Asks:
    """In place of a generator: noise that is not drawn, and answers about it as told."""

    def __init__(self, drawn: int, answers: tuple[bool, ...] = ()) -> None:
        self.drawn, self._answers, self.asked = drawn, answers, list[Inequality]()

    def laplace(self, location: Any, scale: float) -> Form:
        self.drawn += 1
        noise = Form(self, 0.0, {self.drawn: float(scale)})
        return noise._with(location, 1.0)

    def __getattr__(self, name: str) -> Any:
        raise UsageError(f"target: draws {name}, which is not covered")

    def less(self, a: Any, b: Any) -> bool:
        apart = (a - b) if isinstance(a, Form) else Form(self, float(a)) - b
        if math.isinf(apart.number) or not any(apart.parts.values()):
            return bool(apart.number < 0.0)
        if len(self.asked) == len(self._answers):
            raise Fork
        answer = self._answers[len(self.asked)]
        zero = Form(self, 0.0)
        self.asked.append((apart, zero) if answer else (zero, apart))
        return answer


class Fields(SimpleNamespace):
    """A record; the fields that `whole_numbers` names hold what an array of them would."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.whole_numbers:
            if isinstance(value, Form):
                raise UsageError(NOT_LINEAR)
            value = int(value)
        super().__setattr__(name, value)


def aware(records: list[Any], asks: Asks) -> list[Any]:
    """Copies of the records, whose forms put their questions to these answers."""

    def moved(value: Any) -> Any:
        if isinstance(value, Form):
            return Form(asks, value.number, value.parts)
        return [moved(each) for each in value] if isinstance(value, list) else value

    return [Fields(**{k: moved(v) for k, v in vars(r).items()}) for r in records]


def _same(value: Any) -> Any:
    """In place of `float`."""
    return value if isinstance(value, Form) else float(value)


def rebound(step: Any) -> Any:
    """The same code, in which `float` leaves forms as they are, here and in what it calls."""
    if not isinstance(step, FunctionType) or not step.__module__.startswith("dpaudit."):
        return step
    names = dict(step.__globals__)
    own = FunctionType(step.__code__, names, step.__name__, step.__defaults__, step.__closure__)
    own.__kwdefaults__ = step.__kwdefaults__
    for name in step.__code__.co_names:
        value = names.get(name)
        if isinstance(value, FunctionType) and value is not step:
            names[name] = rebound(value)
    names["float"] = _same
    return own
