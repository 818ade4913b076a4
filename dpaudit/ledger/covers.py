"""A cover: an inequality over a box, by bisection until a ball on every leaf decides it."""

from __future__ import annotations

import itertools
from fractions import Fraction

import flint
from flint import arb, fmpq

from dpaudit.ledger.arithmetics import BITS, Balls, ball
from dpaudit.ledger.formulas import NotShown, Undecidable, evaluate, fraction, margin
from dpaudit.ledger.points import Fails, Part, Value, decimal

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
            raise NotShown(f"{statement}: not decided by {len(leaves)} boxes, nor on {where}")
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
