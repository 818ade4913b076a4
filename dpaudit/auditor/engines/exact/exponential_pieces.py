"""Functions that are sums of x^k e^(a eps x) on each of finitely many pieces, in ball arithmetic.

Laplace densities are such functions, and products, shifts and antiderivatives stay among them, so
that chains of one-dimensional integrals are enclosed rigorously (python-flint's Arb balls).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

from flint import arb

Terms = dict[tuple[int, int], Any]
"""Coefficient of x^k e^(a eps x) by (k, a)."""


class Pieces:
    """A piecewise function: `cuts` in increasing order, and one sum of terms more than cuts."""

    def __init__(self, epsilon: Any, cuts: list[Any], terms: list[Terms]) -> None:
        self.epsilon, self.cuts, self.terms = epsilon, cuts, terms

    @classmethod
    def laplace(cls, epsilon: Any, center: Any, n: int) -> Pieces:
        """Density of center + Lap(1 / (n epsilon))."""
        rate = n * epsilon
        left = {(0, n): rate / 2 * (-rate * center).exp()}
        right = {(0, -n): rate / 2 * (rate * center).exp()}
        return cls(epsilon, [center], [left, right])

    def __mul__(self, other: Pieces) -> Pieces:
        def times(a: Terms, b: Terms) -> Terms:
            product: Terms = {}
            for ((k, r), x), ((m, s), y) in itertools.product(a.items(), b.items()):
                product[k + m, r + s] = product.get((k + m, r + s), arb(0)) + x * y
            return product

        return self._with(other, times)

    def __sub__(self, other: Pieces) -> Pieces:
        def less(a: Terms, b: Terms) -> Terms:
            return a | {key: a.get(key, arb(0)) - y for key, y in b.items()}

        return self._with(other, less)

    def _with(self, other: Pieces, join: Callable[[Terms, Terms], Terms]) -> Pieces:
        """Both on a common partition, joined piece by piece."""
        cuts = merged(self.cuts, other.cuts)
        pairs = zip(self._at(cuts), other._at(cuts), strict=True)
        return Pieces(self.epsilon, cuts, [join(a, b) for a, b in pairs])

    def shifted(self, by: Any) -> Pieces:
        """x -> self(x + by)."""
        terms = []
        for piece in self.terms:
            moved: Terms = {}
            for (k, a), c in piece.items():
                factor = c * (a * self.epsilon * by).exp()
                power = arb(1)
                for i in range(k, -1, -1):  # binomial(k, i) by^(k - i) x^i
                    value = factor * power * math.comb(k, i)
                    moved[i, a] = moved.get((i, a), arb(0)) + value
                    power = power * by
            terms.append(moved)
        return Pieces(self.epsilon, [c - by for c in self.cuts], terms)

    def antiderivative(self) -> Pieces:
        """The integral from minus infinity, where the function must decay."""
        if any(a <= 0 for _, a in self.terms[0]):
            raise AssertionError("no decay at minus infinity")
        pieces: list[Terms] = []
        for i, piece in enumerate(self.terms):
            integral = self._primitive(piece)
            if i > 0:
                cut = self.cuts[i - 1]
                gap = self._value(pieces[-1], cut) - self._value(integral, cut)
                integral[0, 0] = integral.get((0, 0), arb(0)) + gap
            pieces.append(integral)
        return Pieces(self.epsilon, self.cuts, pieces)

    def total(self) -> Any:
        """The integral over the line."""
        last = self.antiderivative().terms[-1]
        if any(a > 0 or (a == 0 and k > 0) for k, a in last):
            raise AssertionError("no decay at infinity")
        return last.get((0, 0), arb(0))

    def _primitive(self, piece: Terms) -> Terms:
        out: Terms = {}
        for (k, a), c in piece.items():
            if a == 0:
                out[k + 1, 0] = out.get((k + 1, 0), arb(0)) + c / (k + 1)
                continue
            # x^k e^(rx) integrates to e^(rx) sum_i (-1)^(k-i) k!/i! x^i / r^(k-i+1).
            rate, factor = a * self.epsilon, c / (a * self.epsilon)
            for i in range(k, -1, -1):
                out[i, a] = out.get((i, a), arb(0)) + factor
                factor = -factor * i / rate
        return out

    def _value(self, piece: Terms, x: Any) -> Any:
        total = arb(0)
        for (k, a), c in piece.items():
            value = c * (a * self.epsilon * x).exp()
            for _ in range(k):  # a power of a ball around 0 would be undefined
                value = value * x
            total = total + value
        return total

    def _at(self, cuts: list[Any]) -> list[Terms]:
        """The terms on each piece of a finer partition."""
        out, mine = [], 0
        for i in range(len(cuts) + 1):
            # Piece i is left of cuts[i]: step over every cut of ours that is at or left of it.
            while mine < len(self.cuts) and i > 0 and _same_or_less(self.cuts[mine], cuts[i - 1]):
                mine += 1
            out.append(self.terms[mine])
        return out


def merged(a: list[Any], b: list[Any]) -> list[Any]:
    """Both lists of cuts in increasing order, equal ones once. Balls that overlap without being
    equal cannot be ordered: the caller must work at a higher precision."""
    cuts = sorted([*a, *b], key=lambda c: float(c.mid()))
    out: list[Any] = []
    for cut in cuts:
        if not out or out[-1] < cut:
            out.append(cut)
        elif not _equal(out[-1], cut):
            raise ArithmeticError("cuts overlap")
    return out


def _equal(a: Any, b: Any) -> bool:
    return a is b or bool((a - b).is_zero()) or bool(abs(a - b) < arb(2) ** -80)


def _same_or_less(a: Any, b: Any) -> bool:
    return bool(a < b) or _equal(a, b)
