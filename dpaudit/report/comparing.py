"""Comparisons in rows of words, for the terminal and for pages, and where things stand in
pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dpaudit.results.comparison import Comparison, Field, Overall, Privacy, Standing, ordered

HEADER = (
    "ranks", "learner", "mean regret", "low", "high", "median", "95 %", "over the lower bound",
    "epsilon", "better than", "worse than",
)  # fmt: skip
OVERALL = ("mean ranks", "learner", "better", "worse", "median, in times the best one's")

SLACK = 1e-12
"""Relative; covers the rounding of floats when an end is rounded outwards."""


def title(field: Field, of: Comparison) -> str:
    """The instance, and the least regret there is."""
    i = field.instance
    epsilon = "" if i.epsilon is None else f", epsilon {i.epsilon:g}"
    name = i.name if i.environment == "bernoulli" else f"{i.name}, {i.environment}"
    found = f"{name}: {field.feedback}, K = {len(i.means)}, T = {of.horizon:g}{epsilon}"
    least = ", ".join(f"{f.name} {'~' if f.asymptotic else ''}{f.regret:.4g}" for f in field.floors)
    return f"{found}; at least: {least}" if least else found


def sorted_places(field: Field) -> list[int]:
    """The best first: by ranks, then by the median."""
    return sorted(
        range(len(field.standings)),
        key=lambda i: (
            sum(field.standings[i].ranks),
            field.standings[i].quantiles.get("0.5", 0.0),
            field.standings[i].name,
        ),
    )


def rows(field: Field) -> list[list[str]]:
    return [_row(field, i) for i in sorted_places(field)]


def _row(field: Field, place: int) -> list[str]:
    s = field.standings[place]
    won = lost = 0
    for d in field.duels:
        if place in (d.first, d.second):
            above, below = d.low > 0.5, d.high < 0.5
            won += above if place == d.first else below
            lost += below if place == d.first else above
    numbers = [s.mean, s.low, s.high, s.quantiles.get("0.5"), s.quantiles.get("0.95")]
    cells = ["" if x is None else f"{x:.4g}" for x in numbers]
    return [
        span(*s.ranks), s.name, *cells, times(s), interval(s.privacy), str(won), str(lost)
    ]  # fmt: skip


def span(low: float, high: float) -> str:
    return f"{low:g}" if low == high else f"{low:.3g}-{high:.3g}"


def times(s: Standing) -> str:
    """How often the lower bound fits into the mean; ~ says that it is asymptotic."""
    if s.floor is None or s.ratio is None:
        return "none known"
    return f"{'~' if s.floor.asymptotic else ''}{s.ratio:.3g} ({s.floor.name})"


def interval(privacy: Privacy) -> str:
    """What is known of a learner's epsilon; ends are rounded outwards."""
    if privacy.notion == "none":
        return "not private"
    if privacy.notion == "approximate":
        return "with delta only"
    if privacy.notion == "gdp":
        return f"{privacy.claimed:.4g}-GDP"
    if privacy.lower is None and privacy.upper is None:
        claimed = "" if privacy.claimed is None else f"{privacy.claimed:g} claimed, "
        return f"{claimed}not audited"
    low = (
        "?" if privacy.lower is None else f"{math.floor(1e3 * privacy.lower * (1 + SLACK)) / 1e3:g}"
    )
    high = (
        "?" if privacy.upper is None else f"{math.ceil(1e3 * privacy.upper * (1 - SLACK)) / 1e3:g}"
    )
    return f"[{low}, {high}]"


def overall_rows(found: Sequence[Overall], feedback: str) -> list[list[str]]:
    return [
        [span(*each.ranks), each.name, str(each.won), str(each.lost), f"{each.times_best:.3g}"]
        for each in ordered(list(found), feedback)
    ]


def kind_of(s: Standing) -> str:
    """How a learner is drawn."""
    if s.privacy.held is None:
        return "no pure epsilon"
    known = s.privacy.lower is not None or s.privacy.upper is not None
    return "audited" if known else "not audited"


def place_of(s: Standing) -> tuple[float, float, float] | None:
    """Both ends of epsilon and where the marker stands: at the upper end, or what is claimed."""
    held = s.privacy.held
    if held is None:
        return None
    upper = s.privacy.upper
    lower = s.privacy.lower
    return (held if lower is None else lower), (held if upper is None else upper), held


def limits(field: Field) -> tuple[float, float]:
    """Of the regret axis: all means and medians, and the lower bound about the instance's
    epsilon."""
    values = [v for s in field.standings for v in (s.mean, s.quantiles.get("0.5", s.mean))]
    if field.least is not None:
        values += field.least.regret
    positive = [v for v in values if v > 0.0] or [1.0]
    return min(positive) / 1.5, max(positive) * 1.5
