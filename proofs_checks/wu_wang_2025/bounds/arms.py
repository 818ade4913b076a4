"""Wu & Wang (ALT 2025), the number of actions: log K against log^2 K in Theorem 3, Theorem 11,
Corollary 10 and Table 1, for each noise, in the stochastic and the deterministic setting."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from dpaudit.laboratory.scaling.laws import CONSTANT, LOG, LOG_CUBED, LOG_SQUARED, Curve, Ladder
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
from dpaudit.proofs_checks.wu_wang_2025.bounds.rounds import cyclic
from dpaudit.results.scaling import Point

PAPER = "wu_wang_2025"
LAST = 2**60
DETERMINISTIC_EPSILON = 2.0**-6
STOCHASTIC_EPSILON = 0.04
PHASES = (0.0, 0.25, 0.5, 0.75)
"""Epochs double, so regret * epsilon fluctuates with period 1 in log2 epsilon: the largest over
epsilon * 2^-phase is taken."""

LOG_STATED = Ladder(LOG, LOG_SQUARED, (CONSTANT,))
LOG_SQUARED_STATED = Ladder(LOG_SQUARED, LOG_CUBED, (LOG, CONSTANT))
Tried = list[tuple[Curve, Ladder]]
Family = Callable[[int, float], Instance]


def growing(arms: int, gap: float) -> Instance:
    """Twice the actions at twice the gap, level by level: 1 at the gap, 2 at twice the gap, ..."""
    levels = max(1, int(math.log2(arms)))
    counts = [2**level for level in range(levels)]
    counts[-1] = arms - 1 - sum(counts[:-1])
    counts = [c for c in counts if c > 0]
    means = tuple(gap * 2.0 ** (level - levels) for level in range(len(counts)))
    return Instance("2^l actions at 2^l gap", (0.0, *means), (1, *counts))


def shrinking(arms: int, gap: float) -> Instance:
    """Most actions at the smallest gap, half as many at each doubling of it."""
    same = growing(arms, gap)
    counts = tuple(sorted(same.counts[1:], reverse=True))
    return Instance("2^-l actions at 2^l gap", same.means, (1, *counts))


FAMILIES: dict[str, Family] = {
    "equal gaps": lambda arms, gap: equal_gaps(arms, gap / 64),
    "doubling gaps": lambda arms, gap: doubling_gaps(arms, gap / 2**11, 12),
    "2^l actions at 2^l gap": growing,
    "2^-l actions at 2^l gap": shrinking,
    "0, gap, gap, 1, ...": lambda arms, gap: cyclic(arms, gap / 4),
}


def _grid(bench: Bench) -> list[int]:
    return powers(4, 20, 2) if bench.quick else powers(2, 20, 2)


def _fixed(bench: Bench, targets: Sequence[str], ladder: Ladder) -> tuple[list[Point], Tried]:
    """Largest epsilon * regret over the phases, for each noise, family and K."""
    points: list[Point] = []
    curves: Tried = []
    families = dict(list(FAMILIES.items())[::4]) if bench.quick else FAMILIES
    for target in targets:
        for name, family in families.items():
            series = f"{target}, {name}"
            found: list[Point] = []
            for arms in _grid(bench):
                instance = dataclasses.replace(family(arms, 0.5), name=name)
                found += _largest(bench, series, target, instance, DETERMINISTIC_EPSILON)
            points += found
            curves.append((_late(series, found), ladder))
    return points, curves


def _largest(
    bench: Bench, series: str, target: str, instance: Instance, epsilon: float, **how: str
) -> list[Point]:
    """epsilon * regret where it is largest over the phases."""
    candidates = []
    for phase in PHASES[::2] if bench.quick else PHASES:
        level = epsilon * 2.0**-phase
        candidates += bench.exact(series, target, instance, [LAST], epsilon=level, **how)
    found = [scaled(p, p.epsilon or 1.0, x=float(p.arms)) for p in candidates]
    return [max(found, key=lambda p: p.regret)] if found else []


def _late(series: str, points: Sequence[Point]) -> Curve:
    # From K = 16 on: with log K around 1 no law shows.
    return curve(series, [p for p in points if p.x >= 16])


def _numbers(points: Sequence[Point]) -> dict[str, object]:
    return {
        "largest_epsilon_regret_over_ln_K": max(p.regret / math.log(p.arms) for p in points),
        "largest_K": max(p.arms for p in points),
    }


def _summary(points: Sequence[Point]) -> str:
    last = [p for p in points if p.arms == max(q.arms for q in points)]
    top = max(last, key=lambda p: p.regret)
    return (
        f"epsilon * regret <= {top.regret / math.log(top.arms):.2f} ln K at K = 2^"
        f"{math.log2(top.arms):.0f} ({top.series})"
    )


def theorem_11(bench: Bench) -> Outcome:
    """Gumbel and exponential noise on fixed losses, against the constant of Appendix H."""
    targets = ("rnm-ftnl-gumbel", "rnm-ftnl-exponential", "rnm-ftnl-exponential-repaired")
    points, curves = _fixed(bench, targets, LOG_STATED)
    # Appendices G and H: 3 + (2/eps) (1 + ln 2) (2/ln 2) ln K.
    factor = 4.0 * (1.0 + math.log(2.0)) / math.log(2.0)
    points = [
        replace(p, bound=3.0 * (p.epsilon or 0.0) + factor * math.log(p.arms)) for p in points
    ]
    return Outcome(
        f"{_summary(points)}; at most {worst(points).ratio:.2f} of the proof's "
        f"3 + {factor:.2f} ln K/epsilon is used",
        points,
        {**_numbers(points), "largest_ratio_to_the_proofs_bound": worst(points).ratio},
        curves,
        notes=bench.notes,
        axes=("K", "epsilon * regret"),
    )


def laplace(bench: Bench) -> Outcome:
    """Fixed losses, Laplace noise: Corollary 10 has log^2 K, and log K is left open."""
    points, curves = _fixed(bench, ("rnm-ftnl-laplace",), LOG_SQUARED_STATED)
    gumbel, _ = _fixed(bench, ("rnm-ftnl-gumbel",), LOG_SQUARED_STATED)
    pairs = [
        (p, q) for p in points for q in gumbel
        if p.arms == q.arms and p.series.split(", ")[1:] == q.series.split(", ")[1:]
    ]  # fmt: skip
    ratio = max((p.regret / q.regret for p, q in pairs), default=math.nan)
    return Outcome(
        f"no instance tried needs log^2 K; {_summary(points)}; on the same instances Laplace noise "
        f"costs at most {ratio:.3f} times what Gumbel noise costs, for which log K is proved",
        points,
        {**_numbers(points), "largest_ratio_to_gumbel": ratio},
        curves,
        notes=[f"numbers up to K = 2^20 on {len(FAMILIES)} families, not a proof", *bench.notes],
        axes=("K", "epsilon * regret"),
    )


def theorem_3(bench: Bench) -> Outcome:
    """Bernoulli losses with resampling, gaps well above epsilon so that the second term rules."""
    families: dict[str, Callable[[int], Instance]] = {
        "equal gaps": lambda arms: equal_gaps(arms, 0.25, 0.25),
        "doubling gaps": lambda arms: doubling_gaps(arms, 0.125, 3, 0.25),
        "0, gap, gap, 1, ...": lambda arms: cyclic(arms, 0.25),
    }
    targets = ["rnm-ftnl-laplace", "rnm-ftnl-exponential", "rnm-ftnl-exponential-repaired"]
    points: list[Point] = []
    curves: Tried = []
    for target in targets[:1] if bench.quick else [*targets, "rnm-ftnl-gumbel"]:
        for name, family in list(families.items())[:: 2 if bench.quick else 1]:
            series, found = f"{target}, {name}", []
            for arms in powers(4, 20, 2):
                instance = dataclasses.replace(family(arms), name=name)
                how = {"environment": "bernoulli", "resample": "1"}
                found += _largest(bench, series, target, instance, STOCHASTIC_EPSILON, **how)
            found = [
                replace(p, bound=p.epsilon * proved(p.arms, p.gap or 0.0, p.epsilon))
                for p in found
                if p.epsilon is not None
            ]
            points += found
            curves.append((_late(series, found), LOG_SQUARED_STATED))
    return Outcome(
        f"no instance tried needs log^2 K; {_summary(points)}; at most {worst(points).ratio:.4f} "
        "of the proof's bound is used",
        points,
        {**_numbers(points), "largest_ratio_to_the_proofs_bound": worst(points).ratio},
        curves,
        notes=bench.notes,
        axes=("K", "epsilon * regret"),
    )


def proved(arms: int, gap: float, epsilon: float) -> float:
    """Appendix C with its constants: c1 = 2; J_(r-1) has seen 2^(r-2) rounds, so c2 = 32 in eq. (8)
    for Lap(2/epsilon), the largest of the noises; Regret_up with the geometric sum put right and
    1 + ln|H_l| for groups of one action."""
    log, c1, c2 = math.log(arms), 2.0, 32.0
    down = (2.0 * c2 * log**2 + c1 * c2) / epsilon
    return down + (16.0 * c2 * (1.0 + log) + 2.0 * c1 * c2) / gap


STUDIES = (
    Design(
        "theorem-3-arms", PAPER, "Theorem 3, Table 1",
        "log K or log^2 K over epsilon, with resampling?",
        (
            "rnm-ftnl-laplace", "rnm-ftnl-exponential", "rnm-ftnl-exponential-repaired",
            "rnm-ftnl-gumbel",
        ),
        "constant < log K < log^2 K < log^3 K",
        "K = 16 to 2^20, epsilon about 0.04, gaps 1/8 to 3/4, three families, Bernoulli, B = 1",
        theorem_3,
    ),
    Design(
        "theorem-11-arms", PAPER, "Theorem 11, Appendix H",
        "log K/epsilon with fixed losses, within the proof's constant?",
        ("rnm-ftnl-gumbel", "rnm-ftnl-exponential", "rnm-ftnl-exponential-repaired"),
        "constant < log K < log^2 K",
        "K = 4 to 2^20, epsilon about 2^-6 (four phases), five families of gaps, fixed losses",
        theorem_11,
    ),
    Design(
        "corollary-10-laplace", PAPER, "Corollary 10, Section 4.2 (left open)",
        "does Laplace noise give log K/epsilon too with fixed losses?",
        ("rnm-ftnl-laplace",),
        "constant < log K < log^2 K < log^3 K",
        "K = 4 to 2^20, epsilon about 2^-6 (four phases), five families of gaps, fixed losses",
        laplace,
    ),
)  # fmt: skip
