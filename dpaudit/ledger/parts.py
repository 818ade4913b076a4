"""Parts that are shown at one point, at every point of a finite set, or over a box: by bisection
there, until a ball on every leaf decides the inequality.

A part is plain data with a `kind`; each function here shows what it promises or raises NotShown.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import flint
from flint import arb, fmpq

from dpaudit.ledger.formulas import (
    BITS,
    Balls,
    NotShown,
    Open,
    Undecidable,
    ball,
    evaluate,
    fraction,
    margin,
    rational,
    related,
    sides,
)

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


LEAVES = 4000
"""Most leaves of a cover."""
DEPTH = 60
"""Most halvings of one box."""
Box = dict[str, tuple[Fraction, Fraction]]


def cover(statement: str, **domain: tuple[Value, Value]) -> Part:
    """The inequality holds at every point of a product of closed intervals.

    The part holds the bisection tree in preorder (a digit: split that variable in the middle;
    a dot: a leaf) and, leaf by leaf, an enclosure of the margin (right minus left side).
    """
    expression, strict = margin(statement)
    box = {name: (fraction(low), fraction(high)) for name, (low, high) in domain.items()}
    tree: list[str] = []
    leaves: list[list[str]] = []

    def refute(point: dict[str, Fraction]) -> None:
        """Fail where the margin certainly has the wrong sign at a point."""
        try:
            here = ball(expression, point)
        except Undecidable:
            return
        if bool(here <= 0 if strict else here < 0):
            raise Fails(statement, point)

    def bisect(part: Box, depth: int) -> None:
        found = _over(expression, part)
        if found is not None and bool(found > 0 if strict else found >= 0):
            tree.append(".")
            leaves.append(_outward(found))
            return
        if len(leaves) > LEAVES or depth == 0:
            ends = (f"{name} in [{float(a):g}, {float(b):g}]" for name, (a, b) in part.items())
            where = ", ".join(ends)
            why = f"{statement}: not decided by {len(leaves)} boxes, nor on {where}"
            raise Open(why, statement, box)
        refute({name: (low + high) / 2 for name, (low, high) in part.items()})
        axis = _best_axis(expression, part)
        tree.append(str(axis))
        for half in _halves(part, axis):
            bisect(half, depth - 1)

    for corner in itertools.product(*box.values()):
        refute(dict(zip(box, corner, strict=True)))
    with flint.ctx.workprec(BITS):
        bisect(box, DEPTH)
    return {
        "kind": "cover",
        "statement": statement,
        "domain": {name: [str(low), str(high)] for name, (low, high) in box.items()},
        "tree": "".join(tree),
        "leaves": leaves,
    }


def _over(expression: str, box: Box) -> arb | None:
    """A ball around all values over a box; None where it is not defined on all of it."""
    values = {}
    for name, (low, high) in box.items():
        middle, radius = (low + high) / 2, (high - low) / 2
        values[name] = arb(
            fmpq(middle.numerator, middle.denominator), fmpq(radius.numerator, radius.denominator)
        )
    try:
        found = evaluate(expression, Balls(), values)
    except Undecidable:
        return None
    return found if found.is_finite() else None


def _best_axis(expression: str, box: Box) -> int:
    """The variable whose halving narrows the enclosure most; wide ones where none is known."""
    scores = []
    for axis, (low, high) in enumerate(box.values()):
        radii = [_over(expression, half) for half in _halves(box, axis)]
        known = [float(r.rad()) for r in radii if r is not None]
        width = float(high - low)
        scores.append((-len(known), sum(known) if width > 0 else float("inf"), -width, axis))
    return min(scores)[-1]


def _halves(box: Box, axis: int) -> list[Box]:
    name = list(box)[axis]
    low, high = box[name]
    middle = (low + high) / 2
    return [{**box, name: (low, middle)}, {**box, name: (middle, high)}]


def _outward(found: arb) -> list[str]:
    """Both ends to six digits, rounded outwards but never across 0."""
    low, high = found.lower(), found.upper()
    nudge = arb(1) / 10**6
    wide_low = low - abs(low) * nudge
    return [decimal(wide_low.lower(), 8), decimal((high + abs(high) * nudge).upper(), 8)]
