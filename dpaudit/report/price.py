"""The price of privacy, as one picture: regret against epsilon, what no private learner reaches,
and where those of the catalogue are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dpaudit.report.figures import drawing
from dpaudit.results.optima import Optima, OptimumResult

LOOKS = {
    "rnm-ftnl-exponential": ("#d62728", "v"),
    "rnm-ftnl-exponential-repaired": ("#d62728", "o"),
    "rnm-ftnl": ("#1f77b4", "v"),
    "rnm-ftnl-repaired": ("#1f77b4", "o"),
    "rnm-ftnl-gumbel": ("#2ca02c", "s"),
    "rnm-ftnl-laplace": ("#9467bd", "x"),
    "adap-ucb": ("#ff7f0e", "o"),
    "dp-ucb": ("#8c564b", "v"),
    "anytime-lazy-ucb": ("#17a2b8", "s"),
    "lazy-dp-ts": ("#e377c2", "D"),
    "private-ucb": ("#7f7f7f", "x"),
}
"""Who is drawn: colour and marker."""
Audited = Mapping[str, tuple[float, float]]
"""The interval that an audit found, by the learner's name, in multiples of its epsilon."""


def draw_price(optima: Optima, audited: Audited, path: str | Path) -> None:
    """A panel a feedback at the longest horizon that has an optimum, and one where none can be
    computed. At epsilon = 1 a bar goes from the claim to the audited interval."""
    with drawing(path, 12.6, 5.4) as figure:
        axes = figure.subplots(1, 3)
        for one, feedback in zip(axes, ("full-information", "bandit"), strict=False):
            found = [e for e in optima.entries if e.feedback == feedback]
            longest = max(e.rounds for e in found)
            _panel(one, [e for e in found if e.rounds == longest], audited)
        _large(axes[2], optima, audited)
        names: dict[str, Any] = {}
        for one in axes:
            for line, label in zip(*one.get_legend_handles_labels(), strict=True):
                names.setdefault(label, line)
        figure.legend(
            names.values(),
            names.keys(),
            loc="outside lower center",
            ncols=5,
            frameon=False,
            fontsize="small",
        )


def _panel(axes: Any, entries: Sequence[OptimumResult], audited: Audited) -> None:
    entries = sorted(entries, key=lambda e: e.epsilon)
    epsilons = [e.epsilon for e in entries]
    bound = [e.certified for e in entries]
    lowest = min(bound) * 0.85
    axes.fill_between(epsilons, lowest, bound, color="0.88", lw=0)
    axes.plot(epsilons, bound, color="black", lw=2.5, label="the least possible, certified")
    axes.axhline(entries[0].uniform, color="black", lw=1, ls=":", label="uniform play")
    for name in LOOKS:
        found = [(e.epsilon, b.low, b.high) for e in entries for b in e.learners if b.name == name]
        _line(axes, name, found, audited)
    axes.text(epsilons[0] * 1.1, lowest * 1.02, "no private learner is here", fontsize="small")
    first = entries[0]
    axes.set_title(
        f"{first.feedback}, K = {first.arms}, T = {first.rounds}, gap {first.instance_gap:g}",
        fontsize="medium",
    )
    axes.set(xscale="log", xlabel="claimed epsilon", ylabel="worst-case regret")
    axes.set_ylim(bottom=lowest)
    axes.grid(alpha=0.3)


def _large(axes: Any, optima: Optima, audited: Audited) -> None:
    for each in optima.large:
        if each.name in LOOKS:
            points = list(zip(each.epsilons, each.low, each.high, strict=True))
            _line(axes, each.name, points, audited)
    title = f"both, K = {optima.large_arms}, T = {optima.large_rounds:g}, gap {optima.large_gap:g}"
    axes.set_title(f"{title}, no optimum", fontsize="medium")
    axes.set(xscale="log", yscale="log", xlabel="claimed epsilon", ylabel="regret")
    axes.grid(alpha=0.3)


def _line(
    axes: Any, name: str, points: Sequence[tuple[float, float, float]], audited: Audited
) -> None:
    """Epsilon, and the regret's low and high end."""
    if not points:
        return
    colour, marker = LOOKS[name]
    x, low, high = zip(*points, strict=True)
    middle = [(a + b) / 2 for a, b in zip(low, high, strict=True)]
    axes.plot(x, middle, color=colour, marker=marker, ms=4, lw=1, label=name)
    axes.fill_between(x, low, high, color=colour, alpha=0.2, lw=0)
    if name in audited:
        for epsilon, y in zip(x, middle, strict=True):
            if epsilon == 1.0:
                low_end, high_end = audited[name]
                ends = [min(1.0, low_end), max(1.0, high_end)]
                axes.plot(ends, [y, y], color=colour, lw=3, alpha=0.5)
                if low_end > 1.0:
                    axes.plot([low_end, high_end], [y, y], color=colour, marker="|", ms=12, mew=2)
