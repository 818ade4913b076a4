"""Full information, all instances: the lower bound of Theorem 12 (Hu, Huang & Mehta), and the worst
cases over the gap, their Corollary 11."""

from __future__ import annotations

import math

from msgspec.structs import replace

from dpaudit.laboratory.scaling.gap_free import GapFree, Sweep
from dpaudit.laboratory.scaling.measuring import Bench, Instance, powers
from dpaudit.laboratory.scaling.study import Design, Outcome, least
from dpaudit.results.scaling import Point


def least_regret(arms: int, epsilon: float) -> float:
    """Appendix D.3, step 3: with probability 0.2 at least 0.49 of the first ln K/(10 epsilon gap)
    rounds go to wrong actions, at the cost of the gap each."""
    return 0.2 * 0.49 * math.log(arms) / (10.0 * epsilon)


def theorem_12(bench: Bench) -> Outcome:
    """Private learners on the packing instance, at the horizon from which the bound is stated."""
    learners = ("rnm-ftnl-laplace", "rnm-ftnl-exponential-repaired", "rnm-ftnl-repaired")
    points: list[Point] = []
    gap = 0.2
    for target in (*learners, "follow-the-leader"):
        for arms in (4, 64) if bench.quick else (4, 64, 1024, 2**20):
            for epsilon in (0.1, 0.001) if bench.quick else (1.0, 0.1, 0.01, 0.001):
                log = math.log(arms)
                horizon = math.ceil(max(log / (16 * gap**2), log / (10 * epsilon * gap)))
                losses = target not in learners[2:] and target in learners
                means = (0.5 - gap, 0.5) if losses else (0.5, 0.5 + gap)
                counts = (1, arms - 1) if losses else (arms - 1, 1)
                instance = Instance("all 1/2 but one", means, counts)
                level = None if target == "follow-the-leader" else epsilon
                for p in bench.exact(
                    target, target, instance, [horizon], epsilon=level, environment="bernoulli"
                ):
                    points.append(
                        replace(
                            p, x=1 / epsilon, epsilon=epsilon, bound=least_regret(arms, epsilon)
                        )
                    )
    private = [p for p in points if p.target in learners]
    nearest = least(private)
    return Outcome(
        f"not contradicted by {len(learners)} private learners: each pays at least "
        f"{nearest.ratio:.1f} times the proof's 0.0098 ln K/epsilon (nearest: {nearest.named()})",
        private,
        {"least_ratio": nearest.ratio},
        notes=["the non-private part, log K/gap, is quoted without a constant", *bench.notes],
        axes=("1/epsilon", "regret"),
        lower=True,
        control_points=[p for p in points if p.target not in learners],
    )


def stated(arms: int, epsilon: float, horizon: int) -> float:
    """Corollary 11's order."""
    log = math.log(arms)
    return math.sqrt(horizon * log) + log * math.log(horizon) / epsilon


def proved(arms: int, epsilon: float, horizon: int) -> float:
    """T gap* for gaps below gap* = sqrt(ln K/T), then Theorem 9's constants with gap* for the least
    gap; log2 T brackets at most."""
    log = math.log(arms)
    critical = math.sqrt(log / horizon)
    rest = 512.0 * (1.0 + log) / critical + 256.0 * (1.0 + log) * math.log2(horizon) / epsilon
    return horizon * critical + rest


COROLLARY_11 = GapFree(
    ("rnm-ftnl",), stated, "sqrt(T ln K) + ln K ln T/epsilon",
    (
        Sweep("T", [float(t) for t in powers(8, 26, 3)], lambda x: (16, 1.0, int(x)), 0.25),
        Sweep("K", [float(k) for k in powers(4, 20, 2)], lambda x: (int(x), 1.0, 2**18), 0.25),
        # Epsilons so small that the private term is all.
        Sweep("1/epsilon", [2.0**e for e in range(10, 16)], lambda x: (16, 1.0 / x, 2**22), 0.5),
    ),
    proved, finest=1.0,
)  # fmt: skip


def worst_case(bench: Bench) -> Outcome:
    """The largest regret over a grid of equal gaps, against each variable."""
    return COROLLARY_11.run(bench)


STUDIES = (
    Design(
        "theorem-12-lower-bound", "hu_huang_mehta_2021", "Theorem 12, Appendix D.3",
        "do private learners pay the lower bound on its instance?",
        (
            "rnm-ftnl-repaired", "rnm-ftnl-laplace", "rnm-ftnl-exponential-repaired",
            "follow-the-leader",
        ),
        "0.0098 ln K/epsilon from below",
        "K = 4 to 2^20, epsilon = 1 to 0.001, gap 0.2, T = ln K/(10 epsilon gap), Bernoulli",
        theorem_12,
    ),
    Design(
        "corollary-11-worst-case", "hu_huang_mehta_2021", "Corollary 11",
        "is the worst regret over all gaps of the order sqrt(T log K) + log K log T/epsilon?",
        ("rnm-ftnl",),
        "the order as a function of T, of K and of 1/epsilon, against more",
        "T = 2^8 to 2^26, K = 16 to 2^20, epsilon = 2^-10 to 2^-15, equal gaps, Bernoulli",
        worst_case,
    ),
)  # fmt: skip
