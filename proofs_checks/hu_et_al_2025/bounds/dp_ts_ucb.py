"""Hu et al. (ICML 2025): DP-TS-UCB's regret against T for each alpha, against the gap, and over all
gaps (Theorem 4.2), with the proof's constants (Appendix D)."""

from __future__ import annotations

import math

import numpy as np
from msgspec.structs import replace

from dpaudit.laboratory.scaling.gap_free import GapFree, Sweep, curve_of
from dpaudit.laboratory.scaling.laws import CONSTANT, LOG, LOG_LOG_LOG, Ladder, Law, power
from dpaudit.laboratory.scaling.measuring import STAIRS, Bench, powers
from dpaudit.laboratory.scaling.study import Design, Outcome, worst
from dpaudit.results.regret import Floats
from dpaudit.results.scaling import Point

PAPER = "hu_et_al_2025"
GAP = 0.8


def budget(alpha: float, horizon: int) -> float:
    """phi of line 1."""
    log = math.log(horizon)
    return float(
        math.sqrt(2 * math.pi * math.e)
        * horizon ** (0.5 * (1 - alpha))
        * log ** (0.5 * (3 - alpha))
    )


def order(alpha: float, horizon: int, gap: float) -> float:
    """Theorem 4.2 with constant 1, as in eq. (25): ln(phi T gap^2) ln^alpha T/gap."""
    inner = math.log(budget(alpha, horizon) * horizon * gap**2)
    return float(inner * math.log(horizon) ** alpha / gap)


def proved(alpha: float, horizon: int, gap: float) -> float:
    """Appendix D with its constants, L_i as eq. (19) needs it: 4 (1 + sqrt 2)^2 in both thresholds.

    Pulls: 4 L_i (17) + 50 L_1i + 4 * 72/gap^2 (22) + 3 (log2 T + 1) (23, 3/T from Lemma 4.1)
    + 2/gap^2 (26) + 8/(e gap^2) (27).
    """
    log, x = math.log(horizon), horizon * gap**2
    factor = 4.0 * (1.0 + math.sqrt(2.0)) ** 2 * log**alpha / gap**2
    pulls = 4.0 * factor * math.log(x * budget(alpha, horizon)) + 50.0 * factor * math.log(x)
    pulls += (288.0 + 2.0 + 8.0 / math.e) / gap**2 + 3.0 * (math.log2(horizon) + 1.0)
    return float(gap * pulls)


def in_rounds(alpha: float, gap: float) -> Law:
    """The order as a function of T."""

    def along(x: Floats) -> Floats:
        return np.array([order(alpha, int(t), gap) for t in x])

    return Law(f"ln(phi T gap^2) ln^{alpha:g} T", along)


def trade_off(bench: Bench) -> Outcome:
    """Growth in T for alpha = 1/2 and 1; the learner needs T: each horizon has its own runs."""
    points: list[Point] = []
    curves = []
    ratios: dict[float, list[float]] = {}
    # For alpha < 1 the budget phi lasts longer and longer, and so does a run.
    plans = {1.0: (powers(14, 58, 4), 120), 0.5: (powers(14, 34, 2), 24)}
    for alpha, (horizons, most) in list(plans.items())[: 1 if bench.quick else 2]:
        series = f"alpha {alpha:g}"
        found, variances = [], []
        for horizon in horizons:
            runs = 40 if bench.quick else most
            part, covariance = bench.averaged(
                series, "dp-ts-ucb", [GAP], [horizon], runs, alpha=alpha
            )
            found.append(replace(part[0], bound=proved(alpha, horizon, GAP)))
            variances.append(float(covariance[0, 0]))
        points += found
        stated = in_rounds(alpha, GAP)
        slower = (LOG_LOG_LOG, LOG, CONSTANT) if alpha == 1.0 else (LOG, CONSTANT)
        ladder = Ladder(stated, stated.times("times log T", np.log), slower)
        curves.append((curve_of(series, found, variances), ladder))
        ratios[alpha] = [p.regret / order(alpha, p.horizon, GAP) for p in found]
    text = "; ".join(
        f"alpha {alpha:g}: regret/order goes from {each[0]:.2f} to {each[-1]:.2f}"
        for alpha, each in ratios.items()
    )
    return Outcome(
        f"{text}; at most {worst(points).ratio:.4f} of the proof's bound is used",
        points,
        {"largest_ratio": worst(points).ratio, "regret_over_order": list(ratios.values())},
        curves,
        notes=[
            f"averages over {len(STAIRS)} scalings of the gap",
            "alpha = 0 is not among them: its budget outlasts all T that can be played, and the "
            "learner is Thompson sampling throughout",
            "the GDP side of the trade-off (Theorem 4.4) is the auditor's and the ledger's",
        ],
        axes=("T", "regret"),
    )


def in_gap(bench: Bench) -> Outcome:
    """ln(phi T gap^2) ln T/gap at alpha = 1 and fixed T."""
    horizon, points, variances = 2**50, [], []
    for e in range(1, 8):
        part, covariance = bench.averaged(
            "alpha 1", "dp-ts-ucb", [2.0**-e], [horizon], 40 if bench.quick else 200, alpha=1.0
        )
        points.append(replace(part[0], x=2.0**e, bound=proved(1.0, horizon, 2.0**-e)))
        variances.append(float(covariance[0, 0]))
    law = Law("the order in 1/gap", lambda x: np.array([order(1.0, horizon, 1.0 / g) for g in x]))
    ladder = Ladder(law, law.times("times 1/gap^0.5", np.sqrt), (power(0.5), CONSTANT))
    ratios = [p.regret / order(1.0, horizon, p.gap or 1.0) for p in points]
    return Outcome(
        f"regret/(ln(phi T gap^2) ln T/gap) is {min(ratios):.2f} to {max(ratios):.2f}",
        points,
        {"least_constant": min(ratios), "largest_constant": max(ratios)},
        [(curve_of("alpha 1", points, variances), ladder)],
        notes=[f"averages over {len(STAIRS)} scalings of the gap"],
        axes=("1/gap", "regret"),
    )


def worst_order(arms: int, _: float | None, horizon: int) -> float:
    """Theorem 4.2's worst case at alpha = 1."""
    return math.sqrt(arms * horizon) * math.log(horizon)


def worst_proved(arms: int, _: float | None, horizon: int) -> float:
    """Appendix D at the critical gap sqrt(K ln^2 T/T)."""
    critical = math.sqrt(arms * math.log(horizon) ** 2 / horizon)
    return horizon * critical + arms * proved(1.0, horizon, critical)


GAP_FREE = GapFree(
    ("dp-ts-ucb",), worst_order, "sqrt(K T) ln T",
    (Sweep("T", [float(t) for t in powers(24, 48, 3)], lambda x: (2, None, int(x)), 0.25),),
    worst_proved, runs=200, parameters={"alpha": 1.0},
)  # fmt: skip


def gap_free(bench: Bench) -> Outcome:
    return GAP_FREE.run(bench)


STUDIES = (
    Design(
        "theorem-4-2-alpha", PAPER, "Theorem 4.2, Appendix D",
        "ln(phi T gap^2) ln^alpha T/gap in T, within the proof's constants?", ("dp-ts-ucb",),
        "log T < log T log log T < the order (alpha = 1) < the order times log T",
        "T = 2^14 to 2^58 (alpha = 1), 2^34 (alpha = 1/2), gap 0.8", trade_off,
    ),
    Design(
        "theorem-4-2-gap", PAPER, "Theorem 4.2", "ln(phi T gap^2) ln T/gap in the gap?",
        ("dp-ts-ucb",), "1/gap^0.5 < the order in 1/gap < times 1/gap^0.5",
        "gap 1/2 to 1/128, alpha = 1, T = 2^50, two arms", in_gap,
    ),
    Design(
        "theorem-4-2-worst-case", PAPER, "Theorem 4.2, worst case",
        "sqrt(K T) ln^(0.5(1+alpha)) T, whatever the gaps?", ("dp-ts-ucb",),
        "the order as a function of T, against more",
        "T = 2^24 to 2^48, K = 2, alpha = 1, gaps 1/2 to T^(-1/2)", gap_free,
    ),
)  # fmt: skip
