"""Hu et al. (ICML 2025), Section 3 and Table 1: what they quote of TS-Gaussian, M-TS-Gaussian and
of the learners without privacy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from msgspec.structs import replace

from dpaudit.laboratory.scaling.gap_free import GapFree, Sweep, curve_of
from dpaudit.laboratory.scaling.laws import CONSTANT, LOG, LOG_SQUARED, Ladder, Law, power
from dpaudit.laboratory.scaling.measuring import Bench, Instance, curve, powers
from dpaudit.laboratory.scaling.study import Design, Outcome, worst
from dpaudit.results.scaling import Point

PAPER = "hu_et_al_2025"
LOG_STATED = Ladder(LOG, LOG_SQUARED, (CONSTANT,))


def two(gap: float) -> Instance:
    """Two arms around 1/2."""
    return Instance(f"1/2 +- {gap / 2:.4g}", (0.5 + gap / 2, 0.5 - gap / 2), (1, 1))


def gaussian(bench: Bench) -> Outcome:
    """bK + c ln(T gap^2)/gap: in T, in 1/gap and in c."""
    points: list[Point] = []
    curves = []
    runs = 40 if bench.quick else 150
    horizons = powers(10, 60, 5)
    name = "m-ts-gaussian"
    settings: dict[str, dict[str, Any]] = {"ts-gaussian": {}, name: {"b": 10, "c": 4.0}}
    for target, given in settings.items():
        series = f"{target}: T"
        found, covariance = bench.simulate(series, target, two(0.5), horizons, runs, **given)
        points += found
        curves.append((curve(series, found, covariance), LOG_STATED))
    plans: tuple[tuple[str, list[float], Any, Ladder], ...] = (
        ("ts-gaussian: 1/gap", [2.0 ** (e / 2) for e in range(2, 9)],
         lambda x: ("ts-gaussian", two(1.0 / x), {}), _in_gap()),
        (f"{name}: c", [2.0**e for e in range(8)],
         lambda x: (name, two(0.5), {"c": x}), Ladder(power(1.0, "c"), power(1.5, "c"))),
    )  # fmt: skip
    for series, grid, at, ladder in plans:
        found, variances = [], []
        for x in grid:
            target, instance, given = at(x)
            part, covariance = bench.simulate(series, target, instance, [2**50], runs, **given)
            found.append(replace(part[0], x=x))
            variances.append(float(covariance[0, 0]))
        points += found
        curves.append((curve_of(series, found, variances), ladder))
    constants = [
        p.regret * (p.gap or 1.0)
        / (p.parameters.get("c", 1.0) * math.log(p.horizon * (p.gap or 1.0) ** 2))
        for p in points
    ]  # fmt: skip
    return Outcome(
        f"gap * regret/(c ln(T gap^2)) is {min(constants):.2f} to {max(constants):.2f}",
        points,
        {"least_constant": min(constants), "largest_constant": max(constants)},
        curves,
        notes=["definitions recalled from the literature; offset = 1; Bernoulli rewards"],
        axes=("T, 1/gap or c", "regret"),
    )


def _in_gap() -> Ladder:
    law = Law("ln(T gap^2)/gap", lambda x: x * np.log(2.0**50 / x**2))
    return Ladder(law, law.times("times 1/gap^0.5", np.sqrt), (power(0.5), CONSTANT))


GAP_FREE = GapFree(
    ("ts-gaussian",), lambda arms, _, horizon: math.sqrt(arms * horizon * math.log(arms)),
    "sqrt(K T ln K)",
    (Sweep("T", [float(t) for t in powers(6, 14)], lambda x: (4, None, int(x)), 0.25),),
    runs=600, finest=1.0,
)  # fmt: skip


def gap_free(bench: Bench) -> Outcome:
    return GAP_FREE.run(bench)


def ucb1_bound(gap: float, horizon: int) -> float:
    """Auer, Cesa-Bianchi & Fischer (2002), Theorem 1: 8 ln T/gap + (1 + pi^2/3) gap."""
    return 8.0 * math.log(horizon) / gap + (1.0 + math.pi**2 / 3.0) * gap


def optimal(gap: float, horizon: int) -> float:
    """gap ln T/d(mean, best mean), for two arms around 1/2."""
    low, high = 0.5 - gap / 2, 0.5 + gap / 2
    divergence = low * math.log(low / high) + (1 - low) * math.log((1 - low) / (1 - high))
    return gap * math.log(horizon) / divergence


def without_privacy(bench: Bench) -> Outcome:
    """ln T/gap for UCB1, KL-UCB and Thompson sampling, in T and in 1/gap; UCB1 within its bound."""
    points: list[Point] = []
    curves = []
    optima: dict[str, float] = {}
    runs = 40 if bench.quick else 100
    plans = {"thompson": (powers(10, 60, 5), 4), "ucb1": (powers(10, 40, 3), 2),
             "kl-ucb": (powers(10, 30, 2), 4)}  # fmt: skip
    for target, (horizons, more) in plans.items():
        series = f"{target}: T"
        found, covariance = bench.simulate(series, target, two(0.5), horizons, runs * more)
        if target == "ucb1":
            found = [replace(p, bound=ucb1_bound(0.5, p.horizon)) for p in found]
        points += found
        optima[target] = found[-1].regret / optimal(0.5, found[-1].horizon)
        curves.append((curve(series, found, covariance), LOG_STATED))
    for target in () if bench.quick else ("thompson", "ucb1"):
        series, found, variances = f"{target}: 1/gap", [], []
        for e in (1.0, 1.5, 2.0, 2.5, 3.0):
            part, covariance = bench.simulate(
                series, target, two(2.0**-e), [2**30], (16 if target == "thompson" else 4) * runs
            )
            extra = {"bound": ucb1_bound(2.0**-e, 2**30)} if target == "ucb1" else {}
            found.append(replace(part[0], x=2.0**e, **extra))
            variances.append(float(covariance[0, 0]))
        points += found
        ladder = Ladder(power(1.0), power(1.5), (power(0.5), CONSTANT))
        curves.append((curve_of(series, found, variances), ladder))
    text = ", ".join(f"{t} {x:.2f}" for t, x in optima.items())
    return Outcome(
        f"regret over gap ln T/d(mean, best mean), which is the best possible as T grows: {text} "
        f"at the last T; UCB1 uses at most {worst(points).ratio:.2f} of its bound",
        points,
        {"over_the_asymptotic_optimum": optima, "largest_ratio_of_ucb1": worst(points).ratio},
        curves,
        notes=["definitions recalled from the literature; two arms around 1/2"],
        axes=("T or 1/gap", "regret"),
    )


STUDIES = (
    Design(
        "quoted-ts-gaussian", PAPER, "Section 3, Table 1 (Agrawal & Goyal; Ou et al.)",
        "bK + c ln(T gap^2)/gap?", ("ts-gaussian", "m-ts-gaussian"),
        "constant < log T < log^2 T; ln(T gap^2)/gap; linear in c",
        "T = 2^10 to 2^60, gap 1/2 to 1/16, c = 1 to 128", gaussian,
    ),
    Design(
        "quoted-ts-gaussian-gap-free", PAPER, "Section 3 (Agrawal & Goyal)",
        "sqrt(K T ln K), whatever the gaps?", ("ts-gaussian",),
        "the order as a function of T, against more",
        "T = 2^6 to 2^14, K = 4, equal gaps 1/2 to T^(-1/2)", gap_free,
    ),
    Design(
        "quoted-without-privacy", PAPER, "Section 3 (Auer et al.; Garivier & Cappe)",
        "ln T/gap?", ("ucb1", "kl-ucb", "thompson"),
        "constant < log T < log^2 T; linear in 1/gap; UCB1's explicit bound",
        "T = 2^10 to 2^60 (UCB1 2^40, KL-UCB 2^30), gap 1/2 to 1/8", without_privacy,
    ),
)  # fmt: skip
