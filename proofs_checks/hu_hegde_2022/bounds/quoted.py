"""Hu & Hegde (UAI 2022), Sections 1 and 2.3: what they quote of others' algorithms."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec.structs import replace

from dpaudit.laboratory.scaling.gap_free import curve_of
from dpaudit.laboratory.scaling.laws import (
    CONSTANT,
    LOG,
    LOG_CUBED,
    LOG_SQUARED,
    Curve,
    Ladder,
    power,
)
from dpaudit.laboratory.scaling.measuring import STAIRS, Bench, powers, reach
from dpaudit.laboratory.scaling.study import Design, Outcome
from dpaudit.results.scaling import Point

PAPER = "hu_hegde_2022"
LINEAR = Ladder(power(1.0), power(1.5), (power(0.5), CONSTANT))
LEVEL = Ladder(CONSTANT, power(0.5))
LAZY = ("dp-se", "adap-ucb", "adap-klucb")
HORIZON = 2**60


def lazy(bench: Bench) -> Outcome:
    """log T/min(gap, epsilon) for what is private by fresh means: in T, 1/gap and 1/epsilon."""
    points: list[Point] = []
    curves: list[tuple[Curve, Ladder]] = []
    runs = 30 if bench.quick else 60
    for target in LAZY[:1] if bench.quick else LAZY:
        # DP-SE needs T: each horizon has runs of its own, as everything here has.
        plans: tuple[tuple[str, list[float], Any, Ladder], ...] = (
            ("T", [2.0**e for e in range(14, 61, 5)], lambda x: (0.5, 0.25, int(x)),
             Ladder(LOG, LOG_SQUARED, (CONSTANT,))),
            ("1/epsilon, epsilon < gap", [2.0**e for e in range(3, 11)],
             lambda x: (0.5, 1.0 / x, HORIZON), LINEAR),
            ("1/gap, gap < epsilon", [2.0**e for e in range(2, 9)],
             lambda x: (1.0 / x, 16.0, HORIZON), LINEAR),
            ("1/epsilon, epsilon > gap", [2.0**-e for e in range(6, 0, -1)],
             lambda x: (2.0**-6, 1.0 / x, HORIZON), LEVEL),
        )  # fmt: skip
        for name, grid, at, ladder in plans:
            series, found, variances = f"{target}: {name}", [], []
            for x in grid:
                gap, epsilon, horizon = at(x)
                part, covariance = bench.averaged(
                    series, target, [gap], [horizon], runs, epsilon=epsilon, best=0.6
                )
                found.append(replace(part[0], x=x))
                variances.append(float(covariance[0, 0]))
            points += found
            curves.append((curve_of(series, found, variances), ladder))
    normed = [
        p.regret * min(p.gap or 1.0, p.epsilon or 1.0) / np.log(float(p.horizon)) for p in points
    ]
    return Outcome(
        f"regret min(gap, epsilon)/ln T is {min(normed):.2f} to {max(normed):.2f}",
        points,
        {"least_constant": min(normed), "largest_constant": max(normed)},
        curves,
        notes=[f"definitions recalled from the literature; averages over {len(STAIRS)} scalings"],
        axes=("T, 1/gap or 1/epsilon", "regret"),
    )


def private_ucb(bench: Bench) -> Outcome:
    """K log^3 T/(epsilon gap): in T, at an epsilon so large that T can tell."""
    points: list[Point] = []
    curves: list[tuple[Curve, Ladder]] = []
    last = reach("private-ucb", 17, 40)
    runs = 8 if bench.quick else 32
    cubed = LOG_CUBED.times("log^6", lambda x: np.log(x) ** 3)
    ladder = Ladder(LOG_CUBED, cubed, (LOG_SQUARED, LOG, CONSTANT))
    grid = powers(9, 14 if bench.quick else last, 1 if last < 20 else 4)
    plans: list[tuple[str, list[float], Any, Ladder]] = [
        ("T", [float(t) for t in grid], lambda x: (0.8, 256.0, int(x)), ladder)
    ]
    fixed = 2 ** (14 if bench.quick else last)
    plans.append(
        ("1/epsilon", [2.0**-e for e in range(10, 4, -1)], lambda x: (0.8, 1.0 / x, fixed), LINEAR)
    )
    for name, values, at, laws in plans:
        found, variances = [], []
        for x in values:
            gap, epsilon, horizon = at(x)
            part, covariance = bench.averaged(
                name, "private-ucb", [gap], [horizon], runs, epsilon=epsilon
            )
            found.append(replace(part[0], x=x))
            variances.append(float(covariance[0, 0]))
        points += found
        curves.append((curve_of(name, found, variances), laws))
    return Outcome(
        "the exponent 3 is of the bonus Gamma = K ln^2 T ln(K T ln T/gamma)/epsilon alone",
        points,
        {},
        curves,
        notes=["definition recalled from the literature; rewards 0.9 and 0.1, scaled"],
        axes=("T or 1/epsilon", "regret"),
    )


STUDIES = (
    Design(
        "quoted-log-t-over-min", PAPER, "Section 1 (Sajed & Sheffet; Azize & Basu)",
        "log T/min(gap, epsilon)?", LAZY,
        "log T; linear in 1/the smaller of gap and epsilon, constant in 1/the other",
        "T = 2^14 to 2^60, gap 1/2 to 2^-8, epsilon 2^6 to 2^-10, two arms", lazy,
    ),
    Design(
        "quoted-private-ucb", PAPER, "Section 2.3 (Mishra & Thakurta)",
        "K log^3 T/(epsilon gap)?", ("private-ucb",), "log^2 T < log^3 T < log^6 T; linear in "
        "1/epsilon", "T = 2^9 to 2^40, gap 0.8, epsilon = 2^10 to 2^5", private_ucb,
    ),
)  # fmt: skip
