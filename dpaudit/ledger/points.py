"""Parts that are shown at points: one point, or every point of a finite set.

A part is plain data with a `kind`; each function here shows what it promises or raises NotShown.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import flint
from flint import arb, fmpq

from dpaudit.ledger.arithmetics import BITS, ball, rational
from dpaudit.ledger.formulas import NotShown, fraction, related, sides

Part = dict[str, Any]
Value = str | int | Fraction
LARGEST = 400_000
"""Most points of an enumeration."""


class Fails(NotShown):
    """A statement that is certainly false at a point."""

    def __init__(self, statement: str, point: Mapping[str, Fraction]) -> None:
        at_point = ", ".join(f"{name} = {value}" for name, value in point.items())
        super().__init__(f"{statement} fails at {at_point or 'the numbers as they stand'}")
        self.statement = statement
        self.point = dict(point)


def value(formula: str, point: Mapping[str, Fraction]) -> fmpq | arb:
    """Exact where the formula is rational at the point, else a tight ball."""
    try:
        return rational(formula, point)
    except NotShown:
        return ball(formula, point)


def decimal(number: fmpq | arb, digits: int = 15) -> str:
    """A rational as it is; a ball by its middle to some digits."""
    if isinstance(number, fmpq):
        return str(number)
    return str(number.str(digits, radius=False))


def holds_at(statement: str, point: Mapping[str, Fraction]) -> tuple[bool, Any, Any]:
    """Whether a statement holds at a point, with its two sides."""
    left, relation, right = sides(statement)
    a, b = value(left, point), value(right, point)
    if not (isinstance(a, fmpq) and isinstance(b, fmpq)):
        with flint.ctx.workprec(BITS):
            a, b = arb(a), arb(b)
    return related(a, relation, b), a, b


def at(statement: str, **point: Value) -> Part:
    """The statement holds at one point (rationals), certainly."""
    exact = {name: fraction(v) for name, v in point.items()}
    true, left, right = holds_at(statement, exact)
    if not true:
        raise Fails(statement, exact)
    return {
        "kind": "point",
        "statement": statement,
        "at": {name: str(v) for name, v in exact.items()},
        "sides": [decimal(left), decimal(right)],
    }


def each(
    statement: str, where: str | None = None, grid: bool = False, **axes: range | Sequence[Value]
) -> Part:
    """The statement holds at every point of a finite product of axes (where a condition is met).

    An axis is a range of whole numbers or a list of rationals. The part records how many points
    there are and where the two sides come closest. `grid` says that the points are a sample of
    what is claimed, not all of it.
    """
    count = 0
    closest: tuple[Any, dict[str, Fraction]] | None = None
    exact = [[fraction(v) for v in axis] for axis in axes.values()]
    for values in itertools.product(*exact):
        point = dict(zip(axes, values, strict=True))
        if where is not None and not bool(rational(where, point)):
            continue
        count += 1
        if count > LARGEST:
            raise NotShown(f"more than {LARGEST} points")
        true, left, right = holds_at(statement, point)
        if not true:
            raise Fails(statement, point)
        with flint.ctx.workprec(BITS):
            gap = abs(left - right)
        gap = gap if isinstance(gap, fmpq) else gap.mid()
        if closest is None or bool(gap < closest[0]):
            closest = (gap, point)
    if closest is None:
        raise NotShown(f"no point of the axes meets {where!r}")
    return {
        "kind": "grid" if grid else "each",
        "statement": statement,
        "where": where,
        "axes": {name: _axis(axis) for name, axis in axes.items()},
        "size": count,
        "closest": {
            "at": {name: str(v) for name, v in closest[1].items()},
            "gap": decimal(closest[0]),
        },
    }


def _axis(axis: range | Sequence[Value]) -> Any:
    if isinstance(axis, range):
        return {"from": axis.start, "to": axis[-1], "step": axis.step}
    return [str(fraction(v)) for v in axis]
