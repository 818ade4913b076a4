"""What the best private learner does, beside one of the catalogue: as a table, and as a picture in
which each history is a cell, coloured by how likely the first arm is played after it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dpaudit.report.figures import drawing
from dpaudit.results.optima import Beside, Choice, OptimumResult, Policy

HEADER = ["own actions", "losses seen", "reached", "the best plays", "the other plays", "apart"]
MOST_ROWS = 45
MOST_CELLS = 81
"""Histories a row of a picture: levels that have more letter sequences are left out."""


def title(result: OptimumResult) -> str:
    assert result.policy is not None
    first = "; the first action, of which all hangs on nothing, is not counted"
    return (
        f"chance of each arm after a history: the best learner, and {result.policy.other} in "
        f"{result.policy.runs:,} runs on each table"
        f"{first if result.feedback == 'full-information' else ''}"
    )


def largest(policy: Policy) -> str:
    return (
        f"{policy.apart:.3f} apart (total variation) on average over where the best learner comes "
        f"to; most where"
    )


def rows(policy: Policy, chosen: Sequence[Choice] | None = None) -> list[list[str]]:
    """Of some histories, or of the shorter ones."""
    shown = policy.choices[:MOST_ROWS] if chosen is None else chosen
    found = [
        [
            each.actions or "-",
            each.letters or "-",
            f"{each.reached:.4f}",
            " ".join(f"{p:.3f}" for p in each.best),
            "never here" if each.other is None else " ".join(f"{p:.3f}" for p in each.other),
            "" if each.apart is None else f"{each.apart:.3f} ± {each.radius:.3f}",
        ]
        for each in shown
    ]
    left = len(policy.choices) - len(shown)
    if chosen is None and left:
        found.append([f"and {left} longer histories: --json", *[""] * (len(HEADER) - 1)])
    return found


def in_words(each: Beside) -> str:
    """The epsilon at which the best learner has this one's regret."""
    if each.needed_low is None:
        return ""
    if each.needed_high is None:
        return f"above {each.needed_low:g}"
    if not each.needed_low:
        return f"below {each.needed_high:g}"
    return f"{each.needed_low:.3g} to {each.needed_high:.3g}"


def levels(policy: Policy) -> list[list[Choice]]:
    """The histories by their length, those that fit into a picture."""
    lengths = sorted({len(each.letters) for each in policy.choices})
    found = [[c for c in policy.choices if len(c.letters) == n] for n in lengths]
    return [level for level in found if len({c.letters for c in level}) <= MOST_CELLS]


def grid(level: Sequence[Choice]) -> tuple[list[str], list[str], np.ndarray[Any, Any]]:
    """Own actions (rows), losses seen (columns), and: the chance of the first arm, the other's, and
    how far they are apart."""
    actions = list(dict.fromkeys(c.actions for c in level))
    letters = list(dict.fromkeys(c.letters for c in level))
    values = np.full((3, len(actions), len(letters)), np.nan)
    for c in level:
        place = actions.index(c.actions), letters.index(c.letters)
        values[(0, *place)] = c.best[0]
        if c.other is not None:
            values[(1, *place)] = c.other[0]
            values[(2, *place)] = c.apart
    return actions, letters, values


def draw_policy(result: OptimumResult, path: str | Path) -> None:
    """A column of panels each for the best learner, the other one, and how far they are apart."""
    assert result.policy is not None
    shown = levels(result.policy)
    names = ["the best", result.policy.other, "apart"]
    heights = [1.2 + 0.28 * len({c.actions for c in level}) for level in shown]
    with drawing(path, 12.6, sum(heights) + 0.8) as figure:
        axes = figure.subplots(len(shown), 3, squeeze=False, height_ratios=heights)
        for line, level in zip(axes, shown, strict=True):
            actions, letters, values = grid(level)
            for one, name, cells in zip(line, names, values, strict=True):
                looks = {"cmap": "Reds" if name == "apart" else "PuOr", "vmin": 0.0, "vmax": 1.0}
                image = one.imshow(cells, aspect="auto", interpolation="nearest", **looks)
                one.set_title(name, fontsize="medium")
                one.set_yticks(range(len(actions)), [a or "start" for a in actions], fontsize=7)
                places = range(
                    0, len(letters), max(1, len(letters) // (9 if len(letters) < 10 else 5))
                )
                one.set_xticks(places, [letters[p] or "-" for p in places], fontsize=6)
                figure.colorbar(image, ax=one, shrink=0.9)
            line[0].set_ylabel("own actions", fontsize="small")
            line[1].set_xlabel("losses seen, a round after the other", fontsize="small")
        figure.suptitle(
            f"chance of the first arm: {result.feedback}, K = {result.arms}, T = {result.rounds}, "
            f"epsilon = {result.epsilon:g}",
            fontsize="medium",
        )
