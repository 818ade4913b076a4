"""Sections 4 and 5, and what is said of other papers."""

from __future__ import annotations

from dpaudit.ledger import at, claim, each, holds, identity, undecided
from dpaudit.ledger.claims import Finding

ZETA_LOW = "(sum(n**(-11/10), n, 1, 400) + 10*401**(-1/10))"
"""Below zeta(1.1): the rest of the series exceeds the integral from 401."""
ROOT = "(sqrt((10 + 4*({target}))/(8*{zeta})) - sqrt(10/(8*{zeta})))"


@claim(
    "Section 4, parameters of DP-UCB-INT",
    "with v = 1.1, delta' = e^-10, Corollary 3.2 asks for intervals ceil(1/epsilon) of more than "
    "21000 pulls at epsilon' = 0.1: ten arms would not be through their first K f of 10^5 rounds",
    breaks={"target": "0.3"},
)
def intervals_of_the_experiments(target: str = "0.1") -> Finding:
    """epsilon falls with zeta; a lower bound on zeta(1.1) = 10.584 bounds it from above."""
    root = ROOT.format(target=target, zeta=ZETA_LOW)
    return holds(
        "with f = ceil(1/epsilon), the paper's simplification, that is so; the y series of Lemma "
        "B.1, which the experiments may have used, begins with f_0 <= 1800",
        at(f"1/{root}**2 > 21000"),
        at("10*21000 > 100000"),
        at("sum(n**(-11/10), n, 1, 1800) >= 21600*1800**(-11/10)"),
    )


@claim(
    "Section 4, worst case of Private-UCB",
    "with two arms of means 0.9 and 0.6 a run's regret over 10^5 rounds is at most 30000",
    breaks={"gap": "3.01/10"},
)
def largest_possible_regret(gap: str = "3/10") -> Finding:
    """The bad arm in every round."""
    return holds(
        "counted in means; the reported gap of 30000 between runs is the largest possible, of a "
        "run that never left the bad arm",
        at(f"{gap}*100000 <= 30000"),
        at("9/10 - 6/10 == 3/10"),
    )


@claim(
    "Section 4",
    "over 100 runs the best and the worst regret differ by less than 664.5 (two arms)",
)
def spread_of_the_runs() -> Finding:
    """The seeds are not known."""
    return undecided(
        "A figure of 100 runs with unknown seeds, for several algorithms and settings at once. "
        "With one release an interval the best arm can be lost for good (theorem-3-5), which "
        "costs up to 30000; with long first intervals that is rare."
    )


@claim("Section 4, comparison of DP-UCB and DP-UCB-BOUND", "the last sentence of the paragraph")
def dp_ucb_named_twice() -> Finding:
    """A name."""
    return undecided(
        "noticed on reading: 'depends on Delta_a which is not the case for DP-UCB' must end with "
        "DP-UCB-BOUND; the sentence contrasts DP-UCB with itself"
    )


@claim(
    "Abstract and Section 1 (previous work)",
    "earlier algorithms reach poly-log regret of order log(T)^2/epsilon^2 only",
)
def earlier_regret() -> Finding:
    """Orders without constants, of a paper that is not here."""
    return undecided("Orders without constants, of a paper that is not at hand.")


@claim(
    "Section 5, several observations of one individual (Algorithms 1 and 2)",
    "an epsilon/m-DP algorithm is epsilon-DP for m changed rewards",
    breaks={"c": "1.01"},
)
def group_of_m_pure(c: str = "1") -> Finding:
    """m steps of epsilon/m each; E = exp(epsilon/m)."""
    return holds(
        "the ratios of m neighbouring pairs multiply",
        each(f"m*({c}/m) <= 1", m=range(1, 51)),
        each("2**m == prod(2, i, 1, m)", m=range(1, 21)),
    )


@claim(
    "Section 5, several observations of one individual (Algorithm 3)",
    "(epsilon'/m, delta')-DP gives, for m changed rewards, epsilon' with "
    "delta' (e^epsilon' - 1)/(e^(epsilon'/m) - 1)",
    breaks={"c": "0.99"},
)
def group_of_m_approximate(c: str = "1") -> Finding:
    """p_m <= E p_(m-1) + delta', E = exp(epsilon'/m); three tables with E = 2, delta' = 1/10."""
    steps = [("1/10", "3/10"), ("3/10", "7/10")]
    pairs = [p for a, b in steps for p in ((a, b), (b, a))]
    return holds(
        "Section 5 names epsilon/m for all algorithms; where delta' > 0 it is to be read with this "
        "delta': for m = 2, probabilities 0.1, 0.3, 0.7 obey E = 2, delta' = 0.1 at each step, and "
        "reach it",
        identity(
            f"E*(E**m*p + {c}*d*(E**m - 1)/(E - 1)) + d "
            f"== E**(m + 1)*p + {c}*d*(E**(m + 1) - 1)/(E - 1)",
            E=(2, 3), m=(1, 9), p=("1/10", "1/2"), d=("1/100", "1/10"),
        ),
        *[at(f"{b} <= 2*({a}) + 1/10") for a, b in pairs],
        *[at(f"1 - {b} <= 2*(1 - {a}) + 1/10") for a, b in pairs],
        at("7/10 > 4*(1/10) + 1/10"),
        at(f"7/10 <= 4*(1/10) + {c}*(1/10)*(4 - 1)/(2 - 1)"),
    )  # fmt: skip
