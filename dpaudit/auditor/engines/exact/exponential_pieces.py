"""Functions that are sums of x^k e^(rx) on each of finitely many pieces, in ball arithmetic.

Laplace, exponential and uniform densities are such functions, and products, shifts and
antiderivatives stay among them, so that chains of one-dimensional integrals are enclosed rigorously
(python-flint's Arb balls). Rates and cuts are rational numbers and therefore exact.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

from flint import arb, fmpq

Terms = dict[tuple[int, Any], Any]
"""Coefficient of x^k e^(rx) by (k, r)."""


class Pieces:
    """A piecewise function: `cuts` in increasing order, and one sum of terms more than cuts."""

    def __init__(self, cuts: list[Any], terms: list[Terms]) -> None:
        self.cuts, self.terms = cuts, terms

    @classmethod
    def constant(cls, value: Any) -> Pieces:
        return cls([], [{(0, fmpq(0)): value}])

    @classmethod
    def density(cls, kind: str, center: Any, scale: Any) -> Pieces:
        """Of center + scale Z, where Z is standard noise and the scale may be negative."""
        rate = 1 / abs(scale)
        up = {(0, rate): arb(rate) * arb(-rate * center).exp()}
        down = {(0, -rate): arb(rate) * arb(rate * center).exp()}
        if kind == "laplace":
            return cls([center], [{k: c / 2 for k, c in side.items()} for side in (up, down)])
        if kind == "exponential":
            return cls([center], [{}, down] if scale > 0 else [up, {}])
        if kind == "uniform":
            return cls(sorted([center, center + scale]), [{}, {(0, fmpq(0)): arb(rate)}, {}])
        raise AssertionError(kind)

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
        cuts = sorted({*self.cuts, *other.cuts})
        pairs = zip(self._at(cuts), other._at(cuts), strict=True)
        return Pieces(cuts, [join(a, b) for a, b in pairs])

    def within(self, low: Any, high: Any) -> Pieces:
        """The same between two points, and 0 outside; None is no bound."""
        cuts = sorted({*self.cuts, *(x for x in (low, high) if x is not None)})
        terms = self._at(cuts)
        for i in range(len(terms)):
            below = high is None or (i < len(cuts) and cuts[i] <= high)
            above = low is None or (i > 0 and cuts[i - 1] >= low)
            if not (below and above):
                terms[i] = {}
        return Pieces(cuts, terms)

    def shifted(self, by: Any) -> Pieces:
        """x -> self(x + by)."""
        terms, step = [], arb(by)
        for piece in self.terms:
            moved: Terms = {}
            for (k, r), c in piece.items():
                factor = c * arb(r * by).exp()
                power = arb(1)
                for i in range(k, -1, -1):  # binomial(k, i) by^(k - i) x^i
                    value = factor * power * math.comb(k, i)
                    moved[i, r] = moved.get((i, r), arb(0)) + value
                    power = power * step
            terms.append(moved)
        return Pieces([c - by for c in self.cuts], terms)

    def antiderivative(self) -> Pieces:
        """The integral from minus infinity, where the function must decay."""
        if any(r <= 0 for _, r in self.terms[0]):
            raise AssertionError("no decay at minus infinity")
        pieces: list[Terms] = []
        for i, piece in enumerate(self.terms):
            integral = _primitive(piece)
            if i > 0:
                cut = self.cuts[i - 1]
                gap = _value(pieces[-1], cut) - _value(integral, cut)
                integral[0, _NO_RATE] = integral.get((0, _NO_RATE), arb(0)) + gap
            pieces.append(integral)
        return Pieces(self.cuts, pieces)

    def total(self) -> Any:
        """The integral over the line."""
        last = self.antiderivative().terms[-1]
        if any(r > 0 or (r == 0 and k > 0) for k, r in last):
            raise AssertionError("no decay at infinity")
        return last.get((0, _NO_RATE), arb(0))

    def _at(self, cuts: list[Any]) -> list[Terms]:
        """The terms on each piece of a finer partition."""
        out, mine = [], 0
        for i in range(len(cuts) + 1):
            # Piece i is left of cuts[i]: step over every cut of ours that is at or left of it.
            while i > 0 and mine < len(self.cuts) and self.cuts[mine] <= cuts[i - 1]:
                mine += 1
            out.append(self.terms[mine])
        return out


_NO_RATE = fmpq(0)


def _primitive(piece: Terms) -> Terms:
    out: Terms = {}
    for (k, r), c in piece.items():
        if r == 0:
            out[k + 1, r] = out.get((k + 1, r), arb(0)) + c / (k + 1)
            continue
        # x^k e^(rx) integrates to e^(rx) sum_i (-1)^(k-i) k!/i! x^i / r^(k-i+1).
        factor = c / arb(r)
        for i in range(k, -1, -1):
            out[i, r] = out.get((i, r), arb(0)) + factor
            factor = -factor * i / arb(r)
    return out


def _value(piece: Terms, x: Any) -> Any:
    total, ball = arb(0), arb(x)
    for (k, r), c in piece.items():
        value = c * arb(r * x).exp()
        for _ in range(k):  # a power of a ball around 0 would be undefined
            value = value * ball
        total = total + value
    return total
