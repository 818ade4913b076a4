"""Formulas for sums and differences of Laplace variables, as strings. No claims."""

from __future__ import annotations


def tail(m: int | str, x: str) -> str:
    """P(S > x), x >= 0, for the sum S of m independent Lap(1) variables.

    S is a difference of two Gamma(m) variables; its density for x >= 0 is exp(-x) times a
    polynomial, which is integrated term by term.
    """
    inner = f"sum(({x})**j/factorial(j), j, 0, {m} - 1 - i)"
    return f"exp(-({x}))*sum(binomial({m} - 1 + i, i)/2**({m} + i)*{inner}, i, 0, {m} - 1)"


def below(x: str, a: str, b: str) -> str:
    """P(a L - b L' < -x), x >= 0, for independent Lap(1) variables L, L' and scales a != b."""
    return f"(({a})**2*exp(-({x})/({a})) - ({b})**2*exp(-({x})/({b})))/(2*(({a})**2 - ({b})**2))"
