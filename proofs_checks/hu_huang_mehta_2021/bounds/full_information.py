"""Hu, Huang & Mehta (arXiv 2102.07929), full information beside RNM-FTNL: what Section 5 expects of
FTNL, and what is quoted for learners that are not private."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from msgspec.structs import replace

from dpaudit.laboratory.scaling.gap_free import GapFree, Sweep, curve_of
from dpaudit.laboratory.scaling.laws import CONSTANT, LOG, LOG_SQUARED, Ladder, Law, power
from dpaudit.laboratory.scaling.measuring import Bench, curve, equal_gaps, powers
from dpaudit.laboratory.scaling.study import Design, Outcome
from dpaudit.results.scaling import Point

PAPER = "hu_huang_mehta_2021"
LAST = 2**60
K_LOG_K = Law("K log K", lambda k: k * np.log(k))
LINEAR = Ladder(power(1.0), power(1.5), (power(0.5), CONSTANT))


def ftnl(bench: Bench) -> Outcome:
    """max(log K/gap, K log K/epsilon): against K and against 1/epsilon, gap 1/2."""
    points: list[Point] = []
    curves = []
    ladder = Ladder(K_LOG_K, K_LOG_K.times("K^1.5 log K", np.sqrt), (power(1.0, "K"),))
    for epsilon in (0.1,) if bench.quick else (1.0, 0.1, 0.01):
        series, found = f"K, epsilon {epsilon:g}", []
        for arms in powers(2, 10):
            world = equal_gaps(arms, 0.5).rewards()
            found += [
                replace(p, x=float(arms))
                for p in bench.exact(series, "ftnl", world, [LAST], epsilon=epsilon)
            ]
        points += found
        curves.append((curve(series, found), ladder))
    series, found = "1/epsilon, K 64", []
    for e in range(10):
        world = equal_gaps(64, 0.5).rewards()
        found += [
            replace(p, x=2.0**e)
            for p in bench.exact(series, "ftnl", world, [LAST], epsilon=2.0**-e)
        ]
    points += found
    curves.append((curve(series, found), LINEAR))
    normed = [p.regret * (p.epsilon or 1.0) / (p.arms * math.log(p.arms)) for p in points]
    return Outcome(
        f"epsilon * regret/(K ln K) is {min(normed):.2f} to {max(normed):.2f}",
        points,
        {"least_constant": min(normed), "largest_constant": max(normed)},
        curves,
        notes=["fixed rewards, so that the private term is all", *bench.notes],
        axes=("K or 1/epsilon", "regret"),
    )


def not_private(bench: Bench) -> Outcome:
    """log K/gap for follow-the-leader (exact) and decreasing Hedge (simulated), whatever T."""
    points: list[Point] = []
    curves = []
    world: dict[str, Any] = {"environment": "bernoulli"}
    gap = 0.25

    def instance(arms: int, gap: float) -> Any:
        return equal_gaps(arms, gap, 0.5 - gap / 2).rewards()

    series, found = "follow-the-leader, K", []
    for arms in powers(2, 12):
        found += [
            replace(p, x=float(arms))
            for p in bench.exact(series, "follow-the-leader", instance(arms, gap), [2**12], **world)
        ]
    points += found
    curves.append((curve(series, found), Ladder(LOG, LOG_SQUARED, (CONSTANT,))))
    runs = 200 if bench.quick else 900
    horizons = powers(10, 40, 5)
    series = "hedge, T"
    parts, covariance = bench.simulate(series, "hedge", instance(4, gap), horizons, runs)
    points += parts
    curves.append((curve(series, parts, covariance), Ladder(CONSTANT, LOG)))
    for name, grid in (
        ("1/gap", [2.0 ** (e / 2) for e in range(2, 9)]),
        ("K", [float(k) for k in powers(1, 6)]),
    ):
        series, found, variances = f"hedge, {name}", [], []
        for x in grid:
            at = instance(4, 1.0 / x) if name == "1/gap" else instance(int(x), gap)
            parts, covariance = bench.simulate(series, "hedge", at, [2**24], runs)
            found.append(replace(parts[0], x=x))
            variances.append(float(covariance[0, 0]))
        points += found
        ladder = LINEAR if name == "1/gap" else Ladder(LOG, LOG_SQUARED, (CONSTANT,))
        curves.append((curve_of(series, found, variances), ladder))
    normed = [p.regret * (p.gap or 1.0) / math.log(p.arms) for p in points]
    return Outcome(
        f"gap * regret/ln K is {min(normed):.2f} to {max(normed):.2f}",
        points,
        {"least_constant": min(normed), "largest_constant": max(normed)},
        curves,
        notes=["Bernoulli rewards; quoted from the literature", *bench.notes],
        axes=("K, T or 1/gap", "regret"),
    )


HEDGE = GapFree(
    ("hedge",), lambda arms, _, horizon: math.sqrt(horizon * math.log(arms)), "sqrt(T ln K)",
    (
        Sweep("T", [float(t) for t in powers(6, 16)], lambda x: (4, None, int(x)), 0.25),
        Sweep("K", [float(k) for k in powers(2, 7)], lambda x: (int(x), None, 2**12), 0.25),
    ),
    runs=200, finest=1.0,
)  # fmt: skip


def hedge(bench: Bench) -> Outcome:
    return HEDGE.run(bench)


STUDIES = (
    Design(
        "section-5-ftnl", PAPER, "Section 5", "is the regret of FTNL of the order K log K/epsilon?",
        ("ftnl",), "K < K log K < K^1.5 log K; linear in 1/epsilon",
        "K = 4 to 2^10, epsilon = 1 to 2^-9, gap 1/2, T = 2^60, fixed rewards", ftnl,
    ),
    Design(
        "quoted-log-k-over-gap", PAPER, "Section 1 (Mourtada & Gaiffas; Kotlowski)",
        "log K/gap without privacy, whatever T?", ("follow-the-leader", "hedge"),
        "log K; linear in 1/gap; constant in T",
        "T = 2^10 to 2^40, K = 2 to 2^12, gap 1/2 to 1/16, Bernoulli", not_private,
    ),
    Design(
        "quoted-hedge-gap-free", PAPER, "Section 1 (Freund & Schapire)",
        "sqrt(T log K), whatever the gaps?", ("hedge",),
        "the order as a function of T and of K, against more",
        "T = 2^6 to 2^16, K = 4 to 128, equal gaps 1/2 to T^(-1/2), Bernoulli", hedge,
    ),
)  # fmt: skip
