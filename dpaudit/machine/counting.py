"""Count the runs of an event by their likelihood ratio, on a logarithmic grid, rounded down."""

from __future__ import annotations

from typing import Any


def count_event(
    actions: Any, books: Any, depth: int, arms: int, codes: Any, low: float, step: float, bins: Any
) -> int:
    """Runs whose first `depth` actions have one of the increasing codes; returns how many.

    Bin b of `bins` receives those with -loss in [low + b step, low + (b + 1) step); the last also
    what is above. What is below the first is in none: its ratio is rounded down to 0.
    """
    hits = 0
    for run in range(len(actions)):
        code = 0
        for t in range(depth):
            code = code * arms + actions[run, t]
        left, right = 0, len(codes)
        while left < right:
            middle = (left + right) // 2
            if codes[middle] < code:
                left = middle + 1
            else:
                right = middle
        if left == len(codes) or codes[left] != code:
            continue
        hits += 1
        # A millionth of a step covers the rounding of this line.
        place = (-books[run, 0] - low) / step + 1e-6
        if place >= len(bins):
            bins[len(bins) - 1] += 1
        elif place >= 0.0:
            bins[int(place)] += 1
    return hits
