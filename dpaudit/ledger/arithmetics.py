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
        """An exact rational."""
        return fmpq(value.numerator, value.denominator)

    def power(self, base: fmpq, exponent: fmpq) -> fmpq:
        """Whole exponents only."""
        return base ** self.whole(exponent)

    def whole(self, value: fmpq) -> int:
        """The value as an int."""
        if value.q != 1:
            raise NotShown(f"{value} is not a whole number")
        return int(value.p)

    def holds(self, left: Any, relation: str, right: Any) -> bool:
        """Decided exactly."""
        return _decide(left, relation, right)

    def call(self, name: str, arguments: list[fmpq]) -> fmpq:
        """The functions whose values are rational."""
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
        """The nearest ball."""
        return arb(fmpq(value.numerator, value.denominator))

    def power(self, base: arb, exponent: arb) -> arb:
        """Integer powers of anything, real powers of what is certainly positive."""
        if exponent.is_exact() and exponent.is_integer():
            n = self.whole(exponent)
            if n >= 0 and n % 2 == 0:
                return (abs(base) ** n).nonnegative_part()
            return base**n
        if not base > 0 and exponent > 0 and base.upper() > 0:
            return arb(0).union((base.upper() ** exponent).upper())
        return base**exponent

    def whole(self, value: arb) -> int:
        """The value as an int."""
        found = value.unique_fmpz()
        if found is None:
            raise Undecidable(f"{value} is not certainly one whole number")
        return int(found)

    def holds(self, left: arb, relation: str, right: arb) -> bool:
        """Certain, or Undecidable."""
        return _decide(left, relation, right)

    def call(self, name: str, arguments: list[arb]) -> arb:
        """All functions."""
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
        """A double."""
        return np.float64(value)

    def power(self, base: Any, exponent: Any) -> Any:
        """numpy's."""
        return np.power(base, exponent)

    def whole(self, value: Any) -> int:
        """One number only."""
        return int(np.round(value))

    def holds(self, left: Any, relation: str, right: Any) -> bool:
        """As floats compare; one number only."""
        return _decide(left, relation, right)

    def call(self, name: str, arguments: list[Any]) -> Any:
        """All functions."""
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
        """A sympy rational."""
        import sympy

        return sympy.Rational(value.numerator, value.denominator)

    def power(self, base: Any, exponent: Any) -> Any:
        """sympy's."""
        return base**exponent

    def whole(self, value: Any) -> int:
        """Whole numbers only."""
        if not value.is_Integer:
            raise NotShown(f"{value} is not a whole number")
        return int(value)

    def holds(self, left: Any, relation: str, right: Any) -> bool:
        """Numbers only."""
        return _decide(left, relation, right)

    def call(self, name: str, arguments: list[Any]) -> Any:
        """sympy's functions."""
        import sympy

        if name == "pi":
            return sympy.pi
        if name == "log2":
            return sympy.log(arguments[0]) / sympy.log(2)
        if name == "normal":
            return (1 + sympy.erf(arguments[0] / sympy.sqrt(2))) / 2
        known = {"ceil": "ceiling", "min": "Min", "max": "Max", "abs": "Abs"}
        return getattr(sympy, known.get(name, name))(*arguments)


def _decide(left: Any, relation: str, right: Any) -> bool:
    """A relation between numbers that may be uncertain."""
    if relation in ("==", "!="):
        if bool(left == right):
            return relation == "=="
        if bool(left != right):
            return relation == "!="
        raise Undecidable(f"{left} {relation} {right} is not decided")
    yes, no = {
        "<": (left < right, left >= right),
        "<=": (left <= right, left > right),
        ">": (left > right, left <= right),
        ">=": (left >= right, left < right),
    }[relation]
    if not (bool(yes) or bool(no)):
        raise Undecidable(f"{left} {relation} {right} is not decided")
    return bool(yes)


def rational(formula: str, values: Mapping[str, Fraction]) -> fmpq:
    """The exact value, or NotShown."""
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
    """The formula as a sympy expression."""
    return evaluate(formula, Symbols(), variables)
