"""Does an algorithm behave as its book says? The black-box engine sees the same algorithm through
its actions alone, on a small part of the runs and of the error probability.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dpaudit.auditor.engines.black_box.search.learners import black_box
from dpaudit.auditor.statistics import Alpha
from dpaudit.results.found import Lower, Upper

if TYPE_CHECKING:
    from dpaudit.auditor.auditing import Request

SHARE = 0.05
"""Part of the error probability."""
MOST_RUNS = 100_000
"""A tenth of the runs, and no more than that."""
FEWEST_RUNS = 100
LONGEST = 64
"""Rounds: of an anytime algorithm the first ones are those of a longer run."""
CELLS = 2**22
"""What the tables of all candidate pairs may take: there are some 10 K^2 T of them."""
DISAGREE = 1e-9
"""An upper end is exceeded by more than its rounding."""


def reserved(runs: int) -> int:
    """How many of so many runs are for the second look."""
    return min(MOST_RUNS, runs // 10)


def shortened(request: Request) -> Request | None:
    """What of a request is looked at again; None where that would not be cheap."""
    algorithm = request.target.algorithm
    rounds = min(request.rounds, LONGEST)
    pairs = 16 * (request.arms + 1) ** 2
    while rounds > 1 and pairs * rounds * request.arms * min(rounds, 25) > CELLS:
        rounds -= 1
    told = algorithm is not None and not algorithm.card.anytime
    if pairs * request.arms > CELLS or (told and rounds < request.rounds):
        return None
    return replace(request, rounds=rounds, seconds=None, progress=None, pair=None)


def weighed(
    part: Request, lower: Lower, upper: Upper | None, engine: str, alpha: Alpha
) -> tuple[Lower, Upper | None, str, str]:
    """The answer after a second look: lower and upper end, the engine that gave the lower one, and
    a note. What the actions show stands; where the book promises less, it is wrong."""
    # What is reserved of the sum of both, so that the sum makes the same answer again.
    runs = min(MOST_RUNS, lower.budget // 9) if lower.budget else reserved(part.runs or 10**9)
    budget = lower.budget + runs if lower.budget else part.runs or 0
    try:
        seen = black_box(replace(part, runs=max(runs, FEWEST_RUNS)), alpha)
    except KeyboardInterrupt:
        return lower, upper, engine, "the cross-check was interrupted"
    seen = replace(seen, budget=budget)
    found = f"{part.claim.symbol} >= {max(0.0, seen.bound):.4g}"
    if upper is not None and seen.bound > upper.bound + DISAGREE:
        note = f"the actions alone show {found}, which the search for the largest booking missed"
        if upper.proof:
            note = (
                f"book and behaviour disagree: the actions alone show {found}, where the releases "
                f"account for {upper.bound:.4g} at most"
            )
        note += "; the upper end is dropped"
        return seen, None, "black-box", note
    if seen.bound > part.claim.level >= lower.bound:
        note = f"the {engine} engine alone shows {max(0.0, lower.bound):.4g}"
        return seen, upper, "black-box", note
    note = f"cross-checked by {seen.runs} black-box runs of {part.rounds} rounds: {found}"
    return replace(lower, budget=budget), upper, engine, note
