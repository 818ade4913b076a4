"""Hu, Huang & Mehta (arXiv 2102.07929), bandits: the instance-independent halves of Theorem 3
(Anytime-Lazy-UCB) and of Theorem 5 (Lazy-DP-TS)."""

from __future__ import annotations

import math

from dpaudit.laboratory.scaling.gap_free import GapFree, Sweep
from dpaudit.laboratory.scaling.measuring import Bench, powers
from dpaudit.laboratory.scaling.study import Design, Outcome

PAPER = "hu_huang_mehta_2021"
WORDS = "sqrt(K T ln T) + K ln T/epsilon"


def stated(arms: int, epsilon: float, horizon: int) -> float:
    """The order of both theorems."""
    log = math.log(horizon)
    return math.sqrt(arms * horizon * log) + arms * log / epsilon


def theorem_3(arms: int, epsilon: float, horizon: int) -> float:
    """Appendix B.2.2 with the constants of B.2.1: T gap* and 192 ln T/min(gap*, epsilon) + 29 gap*
    an arm at the critical gap* = sqrt(K ln T/T)."""
    log = math.log(horizon)
    critical = math.sqrt(arms * log / horizon)
    return horizon * critical + arms * (192.0 * (log / critical + log / epsilon) + 29.0)


LAZY_UCB = GapFree(
    ("anytime-lazy-ucb",), stated, WORDS,
    (
        Sweep("T", [float(t) for t in powers(10, 42, 4)], lambda x: (5, 1.0, int(x)), 0.25),
        Sweep("K", [float(k) for k in powers(1, 7)], lambda x: (int(x), 1.0, 2**30), 0.5),
        # Epsilons so small that the private term is all.
        Sweep("1/epsilon", [2.0**e for e in range(16, 25)], lambda x: (5, 1.0 / x, 2**40), 0.5),
    ),
    theorem_3, runs=100,
)  # fmt: skip
LAZY_TS = GapFree(
    ("lazy-dp-ts",), stated, WORDS,
    # Epsilon so large that the private term, whose constant is larger, stays below.
    (Sweep("T", [float(t) for t in powers(6, 14)], lambda x: (4, 1024.0, int(x)), 0.25),),
    runs=300, finest=1.0,
)  # fmt: skip


def lazy_ucb(bench: Bench) -> Outcome:
    return LAZY_UCB.run(bench)


def lazy_ts(bench: Bench) -> Outcome:
    return LAZY_TS.run(bench)


STUDIES = (
    Design(
        "theorem-3-gap-free", PAPER, "Theorem 3, Appendix B.2.2",
        "sqrt(K T log T) + K log T/epsilon, whatever the gaps?", ("anytime-lazy-ucb",),
        "the order as a function of T, of K and of 1/epsilon, against more",
        "T = 2^10 to 2^42, K = 2 to 128, epsilon = 2^-16 to 2^-24, equal gaps 1/2 to T^(-1/2)",
        lazy_ucb,
    ),
    Design(
        "theorem-5-gap-free", PAPER, "Theorem 5; Hu & Hegde (2022), remark (b)",
        "sqrt(K T log T) + K log T/epsilon, whatever the gaps?", ("lazy-dp-ts",),
        "the order as a function of T, against more",
        "T = 2^6 to 2^14, K = 4, epsilon = 1024, equal gaps 1/2 to T^(-1/2)", lazy_ts,
    ),
)  # fmt: skip
