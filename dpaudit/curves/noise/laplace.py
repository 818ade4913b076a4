"""P(A x <= b) for independent Laplace variables x, in closed form and in ball arithmetic.

On each orthant the density is e^(c x), and the integral of that over a simple polyhedron is a sum
over its vertices (Lawrence 1991): e^(c v) / (|det A_v| times the product of the c's coordinates in
the rows A_v that are active there). A vertex lies on k of the rows of A and on d - k of the planes
x_i = 0. Its other coordinates have their signs, and the sum over the signs of those that are 0 is a
product: with w = lambda A, where lambda A = c on the coordinates that are not 0,

    P = sum over k rows K and k coordinates J, where the vertex v with A_K v = b_K is feasible, of
        e^-|v| / (2^k |det A_KJ| prod lambda) prod over i not in J of 1 / (1 - w_i^2).

It fails where vertices coincide or w_i^2 = 1, as where two thresholds are the same. So the rates of
the variables and b are moved by less than 2^-SMALL, which changes the probability by no more than
`moved` says; and balls say what else is lost.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import flint
from flint import arb, fmpq, fmpq_mat

from dpaudit.curves.paths import Floats
from dpaudit.errors import UsageError

SMALL, BITS = 400, 3000
PRIME = 2**40 - 87
STEP = fmpq(1, 2 ** (SMALL + 40))
"""Rates and thresholds are moved by multiples of it, fewer than PRIME."""


def chance(rows: Floats, thresholds: Floats) -> Any:
    """P(rows x <= thresholds) as a ball; the numbers, doubles, are taken as exact. Vertices are
    rational, so that which are feasible is decided: where none is, the inequalities contradict each
    other, and the ball is 0."""
    rows = rows[:, (rows != 0.0).any(axis=0)]
    count, width = rows.shape
    if _contradictory(rows, thresholds):  # moved, they might not be
        return arb(0)
    with flint.ctx.workprec(BITS):
        rates = [1 + STEP * _mixed(i) for i in range(width)]
        matrix = [[_exact(a) for a in row] for row in rows]
        b = [_exact(x) + STEP * _mixed(1000 + k) for k, x in enumerate(thresholds)]
        total = arb(0)
        for size in range(min(count, width) + 1):
            for chosen in itertools.combinations(range(count), size):
                for free in itertools.combinations(range(width), size):
                    total += _vertex(matrix, b, rates, chosen, free)
        return total if total.is_zero() else total + arb(0, _moved(rows))


def _contradictory(rows: Floats, thresholds: Floats) -> bool:
    """Whether something is to be both at most and at least the same, or less and more."""
    pairs = itertools.combinations(zip(rows.tolist(), thresholds.tolist(), strict=True), 2)
    return any(
        x + y <= 0.0 and any(one) and all(a == -b for a, b in zip(one, other, strict=True))
        for (one, x), (other, y) in pairs
    )


def _exact(x: float) -> Any:
    return fmpq(*float(x).as_integer_ratio())


def _mixed(i: int) -> int:
    """Multiples without a pattern: powers of 2 modulo a prime."""
    return pow(2, 31 + 17 * i, PRIME)


def _moved(rows: Floats) -> float:
    """By how much the probability differs from that of the numbers as given: a rate that is moved
    by x moves the law by x at most, a threshold by x at most x over twice the largest coefficient.
    """
    widest: list[float] = [1.0 / (2.0 * float(abs(row).max())) for row in rows if row.any()]
    return (float(rows.shape[1]) + sum(widest)) * 2.0**-SMALL


def _vertex(matrix: Any, b: Any, rates: Any, chosen: tuple[int, ...], free: tuple[int, ...]) -> Any:
    """What the vertex on these rows adds, whose coordinates but the free ones are 0; 0 if there is
    none, or if it is not feasible."""
    size, width = len(chosen), len(rates)
    point, multipliers, det = [], [], fmpq(1)
    if size:
        active = fmpq_mat([[matrix[k][i] for i in free] for k in chosen])
        det = active.det()
        if det == 0:
            return 0
        inverse = active.inv()
        point = (inverse * fmpq_mat([[b[k]] for k in chosen])).entries()
        if not all(point):
            raise _unresolved()
    for k, row in enumerate(matrix):
        if k not in chosen:
            slack = b[k] - _sum(row[i] * x for i, x in zip(free, point, strict=True))
            if slack < 0:
                return 0
            if slack == 0:
                raise _unresolved()
    if size:
        cost = [-rates[i] if x > 0 else rates[i] for x, i in zip(point, free, strict=True)]
        multipliers = (fmpq_mat([cost]) * inverse).entries()
    scale = abs(det) * 2**size
    for each in multipliers:
        scale *= each
    for i in range(width):
        if i in free:
            scale /= rates[i]
        else:
            weight = _sum(m * matrix[k][i] for m, k in zip(multipliers, chosen, strict=True))
            scale *= 1 - (weight / rates[i]) ** 2
    if scale == 0:
        raise _unresolved()
    away = _sum(abs(x) * rates[i] for x, i in zip(point, free, strict=True))
    return (-arb(away)).exp() / arb(scale)


def _sum(terms: Iterable[Any]) -> Any:
    return sum(terms, fmpq(0))


def _unresolved() -> UsageError:
    return UsageError("target: thresholds that coincide are not resolved")
