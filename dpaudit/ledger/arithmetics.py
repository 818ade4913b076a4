"""The finders' numbers: exact rationals and balls (python-flint), float arrays, sympy expressions.

The checker has arithmetics of its own and shares nothing with these.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import flint
import numpy as np
from flint import arb, fmpq

from dpaudit.ledger.formulas import NotShown, Undecidable, evaluate

BITS = 160
"""Working precision of the balls."""


class Rationals:
    """Exact rationals; what is irrational is NotShown."""

    def number(self, value: Fraction) -> fmpq:
        return fmpq(value.numerator, value.denominator)

    def power(self, base: fmpq, exponent: fmpq) -> fmpq:
        return base ** self.whole(exponent)

    def whole(self, value: fmpq) -> int:
        if value.q != 1:
            raise NotShown(f"{value} is not a whole number")
        return int(value.p)

    def call(self, name: str, arguments: list[fmpq]) -> fmpq:
        if name == "pi":
            raise NotShown("pi is not rational")
        x = arguments[0]
        match name:
            case "abs":
                return abs(x)
            case "min":
                return min(arguments)
            case "max":
                return max(arguments)
            case "floor":
                return fmpq(x.floor())
            case "ceil":
                return fmpq(x.ceil())
            case "floorlog2":
                return fmpq(self.whole(x).bit_length() - 1)
            case "ceillog2":
                return fmpq((self.whole(x) - 1).bit_length())
            case "factorial":
                return fmpq(math.factorial(self.whole(x)))
            case "binomial":
                return fmpq(math.comb(self.whole(x), self.whole(arguments[1])))
        raise NotShown(f"{name} of a rational is not taken exactly")


class Balls:
    """Real balls that certainly contain the value."""

    def number(self, value: Fraction) -> arb:
        return arb(fmpq(value.numerator, value.denominator))

    def power(self, base: arb, exponent: arb) -> arb:
        if exponent.is_exact() and exponent.is_integer():
            n = self.whole(exponent)
            if n >= 0 and n % 2 == 0:
                return (abs(base) ** n).nonnegative_part()
            return base**n
        if not base > 0 and exponent > 0 and base.upper() > 0:
            return arb(0).union((base.upper() ** exponent).upper())
        return base**exponent

    def whole(self, value: arb) -> int:
        found = value.unique_fmpz()
        if found is None:
            raise Undecidable(f"{value} is not certainly one whole number")
        return int(found)

    def call(self, name: str, arguments: list[arb]) -> arb:
        if name == "pi":
            return arb.pi()
        x = arguments[0]
        match name:
            case "exp" | "sqrt" | "floor" | "ceil":
                value: arb = getattr(x, name)()
                return value
            case "log" | "log2":
                return x.log() if name == "log" else x.log() / arb.const_log2()
            case "abs":
                return abs(x)
            case "min" | "max":
                for y in arguments[1:]:
                    x = getattr(x, name)(y)
                return x
            case "normal":
                return (-x / arb(2).sqrt()).erfc() / 2
            case "floorlog2" | "ceillog2" | "factorial" | "binomial":
                exact = [fmpq(self.whole(y)) for y in arguments]
                return arb(Rationals().call(name, exact))
        raise NotShown(f"no {name} of balls")


class Floats:
    """numpy float arrays: for searching, never for showing."""

    def number(self, value: Fraction) -> Any:
        return np.float64(value)

    def power(self, base: Any, exponent: Any) -> Any:
        return np.power(base, exponent)

    def whole(self, value: Any) -> int:
        return int(np.round(value))

    def call(self, name: str, arguments: list[Any]) -> Any:
        from scipy import special

        if name == "pi":
            return np.pi
        x = arguments[0]
        match name:
            case "min":
                return np.minimum.reduce(np.broadcast_arrays(*arguments))
            case "max":
                return np.maximum.reduce(np.broadcast_arrays(*arguments))
            case "normal":
                return special.ndtr(x)
            case "floorlog2":
                return np.floor(np.log2(x))
            case "ceillog2":
                return np.ceil(np.log2(x))
            case "factorial":
                return special.factorial(x)
            case "binomial":
                return special.binom(x, arguments[1])
        return getattr(np, name)(x)


class Symbols:
    """sympy expressions, for identities and derivatives."""

    def number(self, value: Fraction) -> Any:
        import sympy

        return sympy.Rational(value.numerator, value.denominator)

    def power(self, base: Any, exponent: Any) -> Any:
        return base**exponent

    def whole(self, value: Any) -> int:
        if not value.is_Integer:
            raise NotShown(f"{value} is not a whole number")
        return int(value)

    def call(self, name: str, arguments: list[Any]) -> Any:
        import sympy

        if name == "pi":
            return sympy.pi
        if name == "log2":
            return sympy.log(arguments[0]) / sympy.log(2)
        if name == "normal":
            return (1 + sympy.erf(arguments[0] / sympy.sqrt(2))) / 2
        known = {"ceil": "ceiling", "min": "Min", "max": "Max", "abs": "Abs"}
        return getattr(sympy, known.get(name, name))(*arguments)


def rational(formula: str, values: Mapping[str, Fraction]) -> fmpq:
    exact = Rationals()
    found: fmpq = evaluate(formula, exact, {k: exact.number(v) for k, v in values.items()})
    return found


def ball(formula: str, values: Mapping[str, Fraction]) -> arb:
    """A tight ball around the value at a rational point."""
    with flint.ctx.workprec(BITS):
        balls = Balls()
        found: arb = evaluate(formula, balls, {k: balls.number(v) for k, v in values.items()})
    return found


def symbolic(formula: str, variables: Mapping[str, Any]) -> Any:
    return evaluate(formula, Symbols(), variables)
