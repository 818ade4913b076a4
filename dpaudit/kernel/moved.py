"""What the claims' moved constants make false, as theorems: each `breaks` of a claim moves a
printed constant so far that a statement fails, and the kernel proves the opposite at a point.

A kernel that proves the opposite accepts no proof of the statement itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.kernel.exact import Unsaid
from dpaudit.kernel.goals import Lemma, lemma
from dpaudit.kernel.sheets import Place, Sheet
from dpaudit.ledger.claims import Claim
from dpaudit.ledger.formulas import OPPOSITE, Floats, NotShown, Open, evaluate, margin, sides
from dpaudit.ledger.parts import Fails, holds_at

AHEAD = tuple(
    Fraction(x) for x in ("0", "1/1000", "1/10", "1/2", "1", "2", "10", "1000", "1000000")
)
"""How far from its start a variable without an end is looked at."""
PIECES = 24
"""Of an interval, where the points of all intervals together are not more than these."""
MOST = 200_000
TIE = 1e-9
"""Of the largest gap: points that differ by less in floats are equally good, the first is taken."""


def moved(paper: str, claims: Iterable[Claim]) -> Sheet:
    """A lemma for each constant of the claims that must not be moved: what is false then."""
    lemmas: dict[Place, Lemma] = {}
    unsaid: dict[Place, str] = {}
    for claim in claims:
        for number, (constant, to) in enumerate(claim.breaks.items()):
            try:
                lemmas[claim.id, number] = lemma(false_with(claim, {constant: to}))
            except (Unsaid, NotShown) as why:
                unsaid[claim.id, number] = f"{constant}={to}: {why}"
    return Sheet(f"{paper}_moved", lemmas, unsaid)


def false_with(claim: Claim, changed: Mapping[str, str]) -> dict[str, Any]:
    """The opposite of what fails when a constant is moved, as a part at a point."""
    try:
        found = claim.check(**changed)
    except Fails as failure:
        return opposite(failure.statement, failure.point)
    except Open as reason:
        return opposite(reason.statement, falsified(reason))
    raise Unsaid(f"nothing fails: the verdict is {found.verdict}")


def opposite(statement: str, point: Mapping[str, Fraction]) -> dict[str, Any]:
    left, relation, right = sides(statement)
    return {
        "kind": "point",
        "statement": f"({left}) {OPPOSITE[relation]} ({right})",
        "at": {name: str(x) for name, x in point.items()},
        "sides": ["0", "1"] if relation in ("<=", ">=") else ["0", "0"],
    }


def falsified(reason: Open) -> dict[str, Fraction]:
    """The point of a grid at which a statement fails most: found in floats, and that it
    fails there is exact."""
    left, relation, right = sides(reason.statement)
    same = relation == "=="
    expression = f"-abs(({left}) - ({right}))" if same else margin(reason.statement)[0]
    axes = [_axis(low, high, len(reason.box)) for low, high in reason.box.values()]
    points = list(itertools.product(*axes))
    columns = zip(*points, strict=True) if reason.box else ()
    values = {
        name: np.array([float(x) for x in column])
        for name, column in zip(reason.box, columns, strict=True)
    }
    with np.errstate(all="ignore"):
        gaps = np.atleast_1d(np.asarray(evaluate(expression, Floats(), values), dtype=float))
    worst = np.nanmin(gaps)
    first = int(np.flatnonzero(gaps <= worst + TIE * abs(worst))[0])
    point = dict(zip(reason.box, points[first], strict=True))
    if holds_at(reason.statement, point)[0]:
        raise Unsaid(f"no point was found at which it fails: {reason}")
    return point


def _axis(low: Fraction, high: Fraction | None, axes: int) -> list[Fraction]:
    if high is None:
        most = int(MOST ** (1 / axes))
        return [low + x for x in AHEAD[:: -(-len(AHEAD) // most)]]
    pieces = min(PIECES, int(MOST ** (1 / axes)) - 1)
    return [low + (high - low) * i / pieces for i in range(pieces + 1)]
