"""The best constant of an inequality in one variable: searched for, then shown from both sides."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.ledger.claims import Finding, holds, loose
from dpaudit.ledger.formulas import Floats, ball, evaluate, fraction
from dpaudit.ledger.parts import Fails, Part, Value, at

GRID = 60_000
"""Points of the first look."""
DIGITS = 4
"""Of the best constant."""
SLACK = Fraction(1, 100)
"""A printed constant within 1 % of the best one is not called loose."""


def sharp(
    needs: str,
    printed: str,
    prove: Callable[[str], Part],
    detail: str,
    **interval: tuple[Value, Value],
) -> Finding:
    """`needs <= printed` for one variable in a closed interval, proved by `prove`, and how small
    the constant could be.

    holds within 1 % of the best constant, else loose with the best one, proved as well; Fails with
    the point where the search finds the printed constant exceeded.
    """
    [(name, ends)] = interval.items()
    point = {name: _argmax(needs, name, fraction(ends[0]), fraction(ends[1]))}
    best = float(ball(needs, point).mid())
    near, safe = _rounded(best, math.floor), _rounded(best, math.ceil)
    if not bool(ball(f"({needs}) - ({printed})", point) <= 0):
        raise Fails(f"{needs} <= {printed}", point)
    attained = at(f"{needs} >= {near}", **point)
    shown = prove(f"{needs} <= {printed}")
    if float(ball(printed, {}).mid()) <= best + float(SLACK) * abs(best):
        text = f"{detail}; the best constant is between {near} and {printed}"
        return holds(text, shown, attained)
    return loose(
        f"{detail}; {near} is exceeded or attained at {name} = {float(point[name]):.6g}",
        shown,
        prove(f"{needs} <= {safe}"),
        attained,
        tight=safe,
    )


def _argmax(expression: str, name: str, low: Fraction, high: Fraction) -> Fraction:
    """Where the largest value is: a grid, then ever smaller grids around its best. The search shows
    nothing: that the value is attained, and is not exceeded, other parts have to show."""
    first, last = float(low), float(high)
    even = first <= 0 or last < 100 * first
    span: Any = (np.linspace if even else np.geomspace)(first, last, GRID)
    best, place = -math.inf, first
    for _ in range(14):
        with np.errstate(all="ignore"):
            values = np.asarray(evaluate(expression, Floats(), {name: span})) + np.zeros_like(span)
        values = np.where(np.isfinite(values), values, -np.inf)
        index = int(np.argmax(values))
        if values[index] > best:
            best, place = float(values[index]), float(span[index])
        index = int(np.argmin(np.abs(span - place)))
        left, right = span[max(0, index - 1)], span[min(len(span) - 1, index + 1)]
        near = np.append(np.linspace(left, right, 21), place)
        span = np.unique(np.clip(near, first, last))
    return min(max(Fraction(repr(place)).limit_denominator(10**6), low), high)


def _rounded(value: float, towards: Callable[[Fraction], int]) -> str:
    """A decimal beside the value, on one side of it by at least 1e-9 of it."""
    if value == 0:
        return "1e-9" if towards is math.ceil else "-1e-9"
    unit = Fraction(10) ** (math.floor(math.log10(abs(value))) + 1 - DIGITS)
    nudged = Fraction(value) + (1 if towards is math.ceil else -1) * abs(Fraction(value)) / 10**9
    rounded = towards(nudged / unit) * unit
    text = f"{float(rounded):.15g}"
    return text if Fraction(text) == rounded else str(rounded)
