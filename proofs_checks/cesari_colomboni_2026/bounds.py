"""Cesari & Colomboni (2026): regret <= 1000 (log K/gap + log K/epsilon) for every T. What is the
constant, and does the regret stop growing?

On fixed losses it can be said by hand: with f(s) the expected gap after a prefix of s rounds,
Z(s) = sum over j of exp(-epsilon gap_j s/2), -ln Z is concave with the derivative epsilon f/2, so
the f(s) from s = 1 on add up to (2/epsilon) ln K at most; and a length counts four times at most.
So the regret is at most the mean gap + 8 ln K/epsilon."""

from __future__ import annotations

import math
from collections.abc import Callable

from msgspec.structs import replace

from dpaudit.laboratory.scaling.laws import CONSTANT, LOG, Ladder
from dpaudit.laboratory.scaling.measuring import (
    Bench,
    Instance,
    curve,
    doubling_gaps,
    equal_gaps,
    powers,
    scaled,
)
from dpaudit.laboratory.scaling.study import Design, Outcome, worst
from dpaudit.results.scaling import Point

PAPER = "cesari_colomboni_2026"
TARGET = "random-prefix-ftl"
STATED = 1000.0
LAST = 2**60
ARMS = (2, 2**6, 2**20)
FIXED_GAPS = (1.0, 2.0**-3, 2.0**-10, 2.0**-20)
FIXED_RATIOS = tuple(2.0**e for e in (-12, -6, -3, -1, 0, 1, 3, 6))
POWERS = tuple(2.0**e for e in (-4, -2, 0, 2, 6))
Family = Callable[[int, float], Instance]
NOTE = (
    "the text is not at hand; prefixes are read as uniform over the second half of a block, which "
    "the card says, and blocks double",
    "sums over prefix lengths are interpolated: their error is estimated by a coarser rule",
)


def far_and_near(arms: int, gap: float) -> Instance:
    """One action at the gap, the rest at 1 (losses)."""
    means, counts = (0.0, gap, 1.0), (1, 1, arms - 2)
    used = 3 if arms > 2 and gap < 1.0 else 2
    return Instance(
        "one at the gap, the rest at 1", means[:used], (*counts[: used - 1], arms - used + 1)
    )


def doubling(arms: int, gap: float) -> Instance:
    """Up to ten gaps, the largest given."""
    used = min(10, arms - 1)
    return doubling_gaps(arms, gap / 2.0 ** (used - 1), used)


def around_half(arms: int, gap: float) -> Instance:
    """Means of 1/2 less half of the gap and more, where Bernoulli losses vary most."""
    return equal_gaps(arms, gap, 0.5 - gap / 2.0)


def per_unit(
    bench: Bench, series: str, instance: Instance, epsilon: float, how: str
) -> list[Point]:
    """Regret at T = 2^60 over log K/gap + log K/epsilon; nothing if it is not known well enough."""
    return [
        scaled(point, 1.0 / unit, x=epsilon / gap, bound=STATED)
        for point in bench.exact(series, TARGET, instance, [LAST], epsilon=epsilon, environment=how)
        for gap in [point.gap or 1.0]
        for unit in [math.log(point.arms) * (1.0 / gap + 1.0 / epsilon)]
    ]


FAMILIES: dict[str, tuple[str, Family, tuple[float, ...], tuple[float, ...]]] = {
    "fixed, equal gaps": ("deterministic", equal_gaps, FIXED_GAPS, FIXED_RATIOS),
    "fixed, doubling gaps": ("deterministic", doubling, FIXED_GAPS, FIXED_RATIOS),
    "fixed, one near": ("deterministic", far_and_near, FIXED_GAPS, FIXED_RATIOS),
    "Bernoulli, equal gaps": ("bernoulli", around_half, (0.5, 2.0**-4), POWERS),
    "Bernoulli, small gaps": ("bernoulli", around_half, (2.0**-8,), POWERS[-2:]),
}
"""Losses, means, largest gaps, and epsilon over them."""


def grid(bench: Bench) -> list[Point]:
    """For each family, K and ratio the largest over the gaps."""
    found = []
    for name, (how, family, gaps, ratios) in FAMILIES.items():
        for arms in ARMS[:: 2 if bench.quick else 1]:
            for ratio in ratios[:: 4 if bench.quick else 1]:
                series = f"{name}, K = {arms if arms < 2**20 else '2^20'}"
                tried = [
                    point
                    for gap in gaps[:: 2 if bench.quick else 1]
                    for point in per_unit(bench, series, family(arms, gap), ratio * gap, how)
                ]
                found += [max(tried, key=lambda p: p.regret)] if tried else []
    return found


def constant(bench: Bench) -> Outcome:
    """The largest ratio over the grid."""
    points = grid(bench)
    top = worst(points)
    whole = math.ceil(max(p.regret + p.error for p in points))
    return Outcome(
        f"no instance tried needs more than {whole} in place of 1000: at most {top.regret:.3f} is "
        f"used ({top.named()}). It nears 8 as epsilon/gap falls, and on fixed losses 8 log "
        "K/epsilon + the mean gap is enough",
        points,
        {
            "largest_ratio": top.regret,
            "error": top.error,
            "where": top.named(),
            "largest_by_series": {
                name: max(p.regret for p in points if p.series == name)
                for name in dict.fromkeys(p.series for p in points)
            },
        },
        notes=[*NOTE, *bench.notes],
        axes=("epsilon / gap", "regret / (log K/gap + log K/epsilon)"),
    )


def curves(bench: Bench, lengths: str) -> list[Point]:
    """Regret from T = 2^15, where all gaps are told apart, to 2^60."""
    horizons = powers(15, 60, 9 if bench.quick else 5)
    found = []
    for how, arms, gap, epsilon in (
        ("deterministic", 2**20, 0.5, 2.0**-6),
        ("bernoulli", 2, 0.25, 0.25),
        ("bernoulli", 2**10, 0.25, 1.0),
    ):
        series = f"{how}, K = {arms}, gap {gap:g}, epsilon {epsilon:.4g}"
        found += bench.exact(
            series,
            TARGET,
            around_half(arms, gap),
            horizons,
            epsilon=epsilon,
            environment=how,
            lengths=lengths,
        )
    return found


def whatever_the_horizon(bench: Bench) -> Outcome:
    """The reading of the card; beside it prefixes of any length, whose regret grows with log T."""
    points, other = curves(bench, "second-half"), curves(bench, "any")
    by_name = {p.series: [q for q in points if q.series == p.series] for p in points}
    doubled = {
        name: (ends[1].regret - ends[0].regret) / math.log2(ends[1].x / ends[0].x)
        for name in dict.fromkeys(p.series for p in other)
        for ends in [[p for p in other if p.series == name][-2:]]
    }
    return Outcome(
        "with prefixes of any length the regret grows by "
        f"{min(doubled.values()):.3g} to {max(doubled.values()):.3g} each time that T doubles, so "
        "that this reading cannot be the paper's; with those of the second half it does not",
        [*points, *(replace(p, series=f"any length: {p.series}") for p in other)],
        {"growth_with_any_length_per_doubling": doubled},
        [(curve(name, found), Ladder(CONSTANT, LOG)) for name, found in by_name.items()],
        notes=[*NOTE, *bench.notes],
        axes=("T", "regret"),
    )


STUDIES = (
    Design(
        "abstract-constant", PAPER, "abstract",
        "what is the constant 1000 really?",
        (TARGET,), "1000 (log K/gap + log K/epsilon)",
        "T = 2^60, K = 2, 64, 2^20; fixed losses: gaps 1, 2^-3, 2^-10, 2^-20, epsilon/gap 2^-12 to "
        "2^6, equal, doubling and one small gap; Bernoulli losses: equal gaps 1/2, 2^-4, "
        "epsilon/gap 2^-4 to 2^6, and 2^-8 with 4 and 2^6",
        constant,
    ),
    Design(
        "abstract-every-horizon", PAPER, "abstract",
        "is the regret bounded whatever T?",
        (TARGET,), "constant against log T",
        "T = 2^15 to 2^60; K = 2, 2^10, 2^20; prefixes of the second half, and of any length",
        whatever_the_horizon,
    ),
)  # fmt: skip
