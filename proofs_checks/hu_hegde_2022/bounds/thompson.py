"""Hu & Hegde (UAI 2022): DP-TS against Theorem 2 and against the crossing of its own bonus (line
7); Theorem 4 with the logarithm of base 2 that the paper declares; remark (c)."""

from __future__ import annotations

import math

import numpy as np
from msgspec.structs import replace

from dpaudit.laboratory.scaling.gap_free import GapFree, Sweep, curve_of
from dpaudit.laboratory.scaling.laws import Ladder, Law
from dpaudit.laboratory.scaling.measuring import Bench, curve, powers, reach
from dpaudit.laboratory.scaling.study import Design, Outcome, worst
from dpaudit.proofs_checks.hu_huang_mehta_2021.bounds.bandits import lazy_ts_with
from dpaudit.results.scaling import Point

PAPER = "hu_hegde_2022"
GAP = 0.8


def crossing(gap: float, epsilon: float, horizon: float) -> float:
    """gap times the pulls after which the bonus of line 7, 6 sqrt(8) log2(n+1) log2(t)/(epsilon n),
    has fallen to the gap."""
    factor = 6.0 * math.sqrt(8.0) * math.log2(horizon) / (epsilon * gap)
    pulls = factor
    for _ in range(200):
        pulls = factor * math.log2(pulls + 1.0)
    return gap * pulls


def private(gap: float, epsilon: float, horizon: float) -> float:
    """The private part of L_j gap in the proof's sketch of Theorem 2 (log base 2)."""
    inner = 72.0 * math.log2(horizon) / (epsilon * gap)
    return gap * inner * math.log2(inner)


def proved(gap: float, epsilon: float, horizon: float) -> float:
    """L_j gap, without its lower-order terms."""
    return max(108.0 * math.log2(horizon) / gap, private(gap, epsilon, horizon))


def dp_ts(bench: Bench) -> Outcome:
    """Rewards 1 and 1 - gap: a best mean of 1 is where both bonuses are clipped to, at every T."""
    points: list[Point] = []
    curves = []
    shares: list[float] = []

    def law(x: np.ndarray) -> np.ndarray:
        return np.array([private(GAP, 1.0, float(t)) for t in x])

    stated = Law("log T log(72 log T/(epsilon gap))", law)
    last = 15 if bench.quick else reach("dp-ts", 16, 24)
    horizons = powers(13, last, max(1, (last - 13) // 9))
    runs = 8
    found, covariance = bench.averaged(
        "T", "dp-ts", [GAP], horizons, runs, epsilon=1.0, best=1.0, comparisons=40
    )
    points += [replace(p, bound=proved(GAP, 1.0, p.horizon)) for p in found]
    if last > 20:
        # Before that more than a tenth of all rounds may be wrong.
        late = [i for i, p in enumerate(found) if p.horizon >= 2**16]
        line = curve("T", [found[i] for i in late], covariance[np.ix_(late, late)])
        curves.append((line, Ladder(stated, stated.times("times log T", np.log))))
    horizon = 2**15 if bench.quick else 2**16
    found, variances = [], []
    grid = [16.0, 8.0, 4.0, 2.0, 1.0, 0.5, 0.25]
    for epsilon in grid[:5] if bench.quick else grid:
        part, covariance = bench.averaged(
            "epsilon", "dp-ts", [GAP], [horizon], runs, epsilon=epsilon, best=1.0, comparisons=40
        )
        found.append(replace(part[0], x=1.0 / epsilon, bound=proved(GAP, epsilon, part[0].horizon)))
        variances.append(float(covariance[0, 0]))
    points += found
    order = Law(
        "the order in 1/epsilon",
        lambda x: np.array([private(GAP, 1.0 / float(e), float(horizon)) for e in x]),
    )
    steeper = order.times("times 1/epsilon^0.5", np.sqrt)
    curves.append((curve_of("epsilon", found, variances), Ladder(order, steeper)))
    shares = [p.regret / crossing(GAP, p.epsilon or 1.0, p.horizon) for p in points]
    return Outcome(
        f"the regret is {min(shares):.3f} to {max(shares):.3f} of gap times the pulls at which the "
        f"bonus of line 7 crosses the gap, which has no parameter to fit and grows as log T "
        f"log(log T/(epsilon gap)) does; at most {worst(points).ratio:.3f} of the proof's "
        "threshold L_j gap is used",
        points,
        {"least_of_crossing": min(shares), "largest_of_crossing": max(shares),
         "of_the_proofs_threshold": worst(points).ratio},
        curves,
        notes=["the crossing is for one gap and epsilon, the regret the mean over four scalings of "
               "both"],
        axes=("T or 1/epsilon", "regret"),
    )  # fmt: skip


def theorem_4(bench: Bench) -> Outcome:
    """Lazy-DP-TS with log_2 in line 7."""
    return lazy_ts_with(bench, 2.0)


def remark_c(arms: int, epsilon: float, horizon: int) -> float:
    """The instance-independent bound of DP-TS."""
    log = math.log2(horizon)
    inner = math.sqrt(horizon * log) / math.sqrt(arms * epsilon)
    return math.sqrt(arms * horizon * log) + arms * log / epsilon * math.log2(2.0 + inner)


GAP_FREE = GapFree(
    ("dp-ts",), remark_c, "sqrt(K T log T) + K log T/epsilon log(...)",
    # Epsilon so large that the private term, whose constant is larger, stays below.
    (Sweep("T", [float(t) for t in powers(6, 14)], lambda x: (4, 1024.0, int(x)), 0.25),),
    runs=600, finest=1.0,
)  # fmt: skip


def gap_free(bench: Bench) -> Outcome:
    return GAP_FREE.run(bench)


STUDIES = (
    Design(
        "theorem-2-log-log", PAPER, "Theorem 2",
        "log T log(log T/(epsilon gap))/epsilon, as its bonus of line 7 leads to expect?",
        ("dp-ts",), "L_j gap; its order in T and in 1/epsilon, against more",
        "T = 2^13 to 2^24, rewards 1 and 0.2, epsilon = 1/4 to 16", dp_ts,
    ),
    Design(
        "theorem-4-lazy-ts", PAPER, "Theorem 4", "log T with the logarithm of base 2?",
        ("lazy-dp-ts",), "constant < log T < log^2 T",
        "T = 2^10 to 2^60, K = 2 and 4, gaps 0.2 to 0.8, epsilon 0.1 to 2", theorem_4,
    ),
    Design(
        "dp-ts-gap-free", PAPER, "Section 3.1.2, remark (c)",
        "sqrt(K T log T) + K log T/epsilon log(...), whatever the gaps?", ("dp-ts",),
        "the order as a function of T, against more",
        "T = 2^6 to 2^14, K = 4, epsilon = 1024, equal gaps 1/2 to T^(-1/2)", gap_free,
    ),
)  # fmt: skip
