"""Wu & Wang (ALT 2025), where a statement reaches beyond its proof: Corollary 10 with resampling,
Theorem 11 for epsilon far above log K. And Corollary 5 in all its variables."""

from __future__ import annotations

import math

from msgspec.structs import replace

from dpaudit.laboratory.scaling.gap_free import GapFree, Sweep
from dpaudit.laboratory.scaling.laws import CONSTANT, Ladder, power
from dpaudit.laboratory.scaling.measuring import Bench, curve, equal_gaps, powers
from dpaudit.laboratory.scaling.study import Design, Outcome, worst
from dpaudit.results.scaling import Point

PAPER = "wu_wang_2025"
LAST = 2**60


def theorem_3_private(arms: int, epsilon: float) -> float:
    """The private term of Theorem 3 with the constants of its proof put right (see the ledger)."""
    return 64.0 * (1.0 + math.log(arms) ** 2) / epsilon


def theorem_3_gap(arms: int, gap: float) -> float:
    """The other term of Theorem 3, likewise."""
    return (256.0 * (1.0 + math.log(arms)) + 48.0) / gap


def resampled(bench: Bench) -> Outcome:
    """Fixed losses that are resampled are random: equal gaps down to 2^-12, epsilon = 1."""
    points: list[Point] = []
    exponents = range(2, 13, 2 if bench.quick else 1)
    targets = ("rnm-ftnl-laplace", "rnm-ftnl-gumbel")
    for target in targets[:1] if bench.quick else targets:
        for arms in (16,) if bench.quick else (16, 1024):
            for e in exponents:
                instance = equal_gaps(arms, 2.0**-e, 0.5 - 2.0 ** -(e + 1))
                for p in bench.exact(
                    f"{target}, K {arms}", target, instance, [LAST], epsilon=1.0, resample="1"
                ):
                    bound = theorem_3_private(arms, 1.0)
                    points.append(replace(p, x=1.0 / instance.gaps(losses=True)[1], bound=bound))
    most = worst(points)
    names = dict.fromkeys(p.series for p in points)
    lines = [curve(name, [p for p in points if p.series == name]) for name in names]
    return Outcome(
        f"with B = 1 the bound log^2 K/epsilon does not depend on the gap, but the regret does: up "
        f"to {most.ratio:.3g} times the bound with the constants of Theorem 3, for {most.named()}",
        points,
        {"largest_ratio": most.ratio},
        [(line, Ladder(CONSTANT, power(0.5))) for line in lines],
        notes=["with B = 0 see corollary-10-laplace and theorem-11-arms", *bench.notes],
        axes=("1/gap", "regret"),
    )


def large_epsilon(bench: Bench) -> Outcome:
    """The first round is played at random, whatever epsilon."""
    points: list[Point] = []
    targets = ("rnm-ftnl-gumbel", "rnm-ftnl-exponential-repaired")
    for target in targets[:1] if bench.quick else targets:
        for arms in (16, 1024):
            series = f"{target}, K {arms}"
            for e in range(0, 13, 2):
                for p in bench.exact(series, target, equal_gaps(arms, 0.5), [LAST], epsilon=2.0**e):
                    points.append(replace(p, x=2.0**e, bound=8.0 * math.log(arms) / 2.0**e))
    most = worst(points)
    first = min((p for p in points if p.regret > (p.bound or 0.0)), key=lambda p: p.x)
    return Outcome(
        f"for epsilon far above log K the regret stays at that of the first round, which is played "
        f"at random, and 8 ln K/epsilon falls below it: from epsilon = {first.x:g} on (K = "
        f"{first.arms}). With a further constant it holds (3 + 8 ln K/epsilon is proved)",
        points,
        {"largest_ratio": most.ratio, "violated_from_epsilon": first.x},
        notes=["8 is the constant of the proof; any other only moves the epsilon", *bench.notes],
        axes=("epsilon", "regret"),
    )


def stated(arms: int, epsilon: float, horizon: int) -> float:
    """Corollary 5's order."""
    return math.sqrt(horizon * math.log(arms)) + math.log(arms) ** 2 / epsilon


def proved(arms: int, epsilon: float, horizon: int) -> float:
    """Appendix D: T gap* for gaps below gap* = sqrt(ln K/T), and Theorem 3 from there on."""
    critical = math.sqrt(math.log(arms) / horizon)
    rest = theorem_3_gap(arms, critical) + theorem_3_private(arms, epsilon)
    return horizon * critical + rest


SWEEPS = (
    Sweep("T", [float(t) for t in powers(8, 26, 3)], lambda x: (16, 1.0, int(x)), 0.25),
    Sweep("K", [float(k) for k in powers(4, 20, 2)], lambda x: (int(x), 1.0, 2**18), 0.25),
    # Epsilons so small that the private term is all.
    Sweep("1/epsilon", [2.0**e for e in range(10, 16)], lambda x: (16, 1.0 / x, 2**22), 0.5),
)
COROLLARY_5 = GapFree(
    ("rnm-ftnl-laplace",), stated, "sqrt(T ln K) + ln^2 K/epsilon", SWEEPS,
    proved, finest=1.0, parameters={"resample": "1"},
)  # fmt: skip


def corollary_5(bench: Bench) -> Outcome:
    return COROLLARY_5.run(bench)


STUDIES = (
    Design(
        "corollary-10-resampled", PAPER, "Corollary 10, with B = 1",
        "log^2 K/epsilon with fixed losses that are resampled?",
        ("rnm-ftnl-laplace", "rnm-ftnl-gumbel"), "64 (1 + ln^2 K)/epsilon; constant in 1/gap",
        "gap 1/4 to 2^-12, K = 16 and 1024, epsilon = 1, T = 2^60, fixed losses, B = 1", resampled,
    ),
    Design(
        "theorem-11-large-epsilon", PAPER, "Theorem 11, for epsilon far above log K",
        "is the regret O(log K/epsilon) for large epsilon, too?",
        ("rnm-ftnl-gumbel", "rnm-ftnl-exponential-repaired"), "8 ln K/epsilon, without the 3",
        "epsilon = 1 to 2^12, K = 16 and 1024, gap 1/2, T = 2^60, fixed losses", large_epsilon,
    ),
    Design(
        "corollary-5-worst-case", PAPER, "Corollary 5",
        "is the worst regret over all gaps of the order sqrt(T log K) + log^2 K/epsilon?",
        ("rnm-ftnl-laplace",),
        "the order as a function of T, of K and of 1/epsilon, against more",
        "T = 2^8 to 2^26, K = 16 to 2^20, epsilon = 2^-10 to 2^-15, equal gaps, Bernoulli, B = 1",
        corollary_5,
    ),
)  # fmt: skip
