"""The best constant: found by optimisation, then shown from both sides."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.ledger.arithmetics import Floats, ball
from dpaudit.ledger.claims import Finding, holds, loose
from dpaudit.ledger.formulas import evaluate, fraction
from dpaudit.ledger.points import Fails, Part, Value, at

GRID = 60_000
"""Points of the first look."""
SLACK = Fraction(1, 100)
"""A printed constant within 1 % of the best one is not called loose."""
Axis = range | tuple[Value, Value] | Sequence[Value]


@dataclass(frozen=True)
class Best:
    """The largest value found: `safe` is above it and `near` below, both with four digits."""

    value: float
    point: dict[str, Fraction]
    near: str
    safe: str


def largest(expression: str, digits: int = 4, **axes: Axis) -> Best:
    """Look for the largest value of an expression: a grid, then ever smaller grids around its best.

    A tuple is a closed interval, a range whole numbers. The search shows nothing: that the value
    is attained is shown at `point`, that it is not exceeded has to be shown by another part.
    """
    each = max(9, int(GRID ** (1 / max(1, len(axes)))))
    spans = {name: _points(axis, each) for name, axis in axes.items()}
    best: tuple[float, dict[str, float]] = (-math.inf, {})
    for _ in range(14):
        found = _argmax(expression, spans)
        if found[0] > best[0]:
            best = found
        spans = {name: _around(axes[name], spans[name], best[1][name]) for name in axes}
    point = {name: Fraction(repr(v)).limit_denominator(10**6) for name, v in best[1].items()}
    for name, axis in axes.items():
        if isinstance(axis, tuple):
            point[name] = min(max(point[name], fraction(axis[0])), fraction(axis[1]))
    exact = float(ball(expression, point).mid())
    return Best(
        exact, point, _rounded(exact, digits, math.floor), _rounded(exact, digits, math.ceil)
    )


def sharp(
    needs: str,
    printed: str,
    prove: Callable[[str], Part],
    detail: str,
    **axes: Axis,
) -> Finding:
    """`needs <= printed` over the axes, proved by `prove`, and how small the constant could be.

    holds within 1 % of the best constant, else loose with the best one, proved as well; Fails with
    the point where the search finds the printed constant exceeded.
    """
    best = largest(needs, 4, **axes)
    if not bool(ball(f"({needs}) - ({printed})", best.point) <= 0):
        raise Fails(f"{needs} <= {printed}", best.point)
    attained = at(f"{needs} >= {best.near}", **best.point)
    shown = prove(f"{needs} <= {printed}")
    if float(ball(printed, {}).mid()) <= best.value + float(SLACK) * abs(best.value):
        return holds(
            f"{detail}; the best constant is between {best.near} and {printed}", shown, attained
        )
    return loose(
        f"{detail}; {best.near} is exceeded or attained at {_show(best.point)}",
        shown,
        prove(f"{needs} <= {best.safe}"),
        attained,
        tight=best.safe,
    )


def _points(axis: Axis, count: int) -> Any:
    if isinstance(axis, tuple):
        low, high = (float(fraction(v)) for v in axis)
        even = np.linspace(low, high, count)
        return even if low <= 0 or high < 100 * low else np.geomspace(low, high, count)
    values = np.array([float(fraction(v)) for v in axis])
    if len(values) <= count:
        return values
    return values[np.unique(np.geomspace(1, len(values), count).astype(int) - 1)]


def _around(axis: Axis, span: Any, centre: float) -> Any:
    if not isinstance(axis, tuple):
        near = [float(fraction(v)) for v in axis] if len(axis) <= 4000 else list(span)
        if isinstance(axis, range) and len(axis) > 4000:
            width = max(1, int(np.ptp(span) / 8))
            near = [
                v
                for v in range(int(centre) - width, int(centre) + width + 1, max(1, width // 20))
                if v in axis
            ]
        order = sorted(near, key=lambda v: abs(v - centre))[:41]
        return np.array(sorted(order))
    low, high = (float(fraction(v)) for v in axis)
    index = int(np.argmin(np.abs(span - centre)))
    left, right = span[max(0, index - 1)], span[min(len(span) - 1, index + 1)]
    return np.unique(np.clip(np.append(np.linspace(left, right, 21), centre), low, high))


def _argmax(expression: str, spans: dict[str, Any]) -> tuple[float, dict[str, float]]:
    names = list(spans)
    if "sum(" in expression or "prod(" in expression:
        points = [dict(zip(names, v, strict=True)) for v in itertools.product(*spans.values())]
        values = np.array([float(evaluate(expression, Floats(), p)) for p in points])
        index = int(np.nanargmax(values))
        return float(values[index]), {k: float(v) for k, v in points[index].items()}
    mesh = np.meshgrid(*spans.values(), indexing="ij")
    with np.errstate(all="ignore"):
        values = np.asarray(evaluate(expression, Floats(), dict(zip(names, mesh, strict=True))))
    values = np.where(np.isfinite(values), values, -np.inf) + np.zeros_like(mesh[0])
    index = int(np.argmax(values))
    return float(values.flat[index]), {
        name: float(m.flat[index]) for name, m in zip(names, mesh, strict=True)
    }


def _rounded(value: float, digits: int, towards: Callable[[Fraction], int]) -> str:
    """A decimal beside the value, on one side of it by at least 1e-9 of it."""
    if value == 0:
        return "1e-9" if towards is math.ceil else "-1e-9"
    unit = Fraction(10) ** (math.floor(math.log10(abs(value))) + 1 - digits)
    nudged = Fraction(value) + (1 if towards is math.ceil else -1) * abs(Fraction(value)) / 10**9
    return _decimal(towards(nudged / unit) * unit)


def _decimal(value: Fraction) -> str:
    text = f"{float(value):.15g}"
    return text if Fraction(text) == value else str(value)


def _show(point: dict[str, Fraction]) -> str:
    return ", ".join(f"{name} = {float(v):.6g}" for name, v in point.items())
