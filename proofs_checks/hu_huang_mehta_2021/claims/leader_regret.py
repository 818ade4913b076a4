"""Section 5, Section 7 and Appendix D.2: what Theorem 9 and its corollaries conclude.

J is the size of a bracket, S(u) = (2 + eps u) exp(-eps u)/4 the chance to be reported from u
behind (two actions).
"""

from __future__ import annotations

from dpaudit.ledger import (
    at,
    chain,
    claim,
    each,
    holds,
    identity,
    induction,
    loose,
    polynomial,
    refuted,
    regret,
)
from dpaudit.ledger.claims import Finding


@claim(
    "Appendix D.2, eq. (55)",
    "1/min(D_l, eps) is at most 1/D_l, plus 1/eps where D_l > eps",
    breaks={"c": "0.999"},
)
def eq_55_split(c: str = "1") -> Finding:
    """Two cases."""
    return holds(
        "equality for D_l <= eps; for D_l > eps the right side has 1/D_l to spare",
        identity(f"1/D == {c}/D", D=("0.1", 1)),
        polynomial("D <= D + e", D=0, e=0),
    )


@claim(
    "Appendix D.2, after eq. (55)",
    "the sum of 256 (1 + ln(K-1))/D_l is at most 512 (1 + ln(K-1))/D_min, an O(log K/D_min)",
    breaks={"c": "1.541"},
)
def first_sum_geometric(c: str = "1.5412") -> Finding:
    """D_l = 2^(l-1) D_min; (1 + ln(K-1))/ln(K) is largest at K = 3."""
    return holds(
        "the geometric sum stays below 2; 1 + ln(K-1) <= 1.5412 ln(K)",
        induction("sum(1/2**l, l, 0, n) == 2 - 1/2**n", 0),
        at(f"1 + log(1) <= {c}*log(2)"),
        chain(f"1 + log(K - 1) <= {c}*log(K)", "K", 3, factors=("K*(K - 1)",)),
    )


@claim(
    "Theorem 9, first form",
    "regret at most 1 + 512 (1 + ln(K-1))/D_min + the sum of 256 (1 + ln J)/eps over D_l > eps",
    breaks={"c": "511"},
)
def theorem_9_first_form(c: str = "512") -> Finding:
    """Eqs. (51) to (55); r0 = 1 for brackets of one action. l = ln(K - 1)."""
    return holds(
        "put together from the steps, with Lap(1/eps) as printed; a horizon that is no power of "
        "two less one is doubled at most, gaps up to 1/T cost 1",
        identity(f"256*2*(1 + l)/D == {c}*(1 + l)/D", l=(1, 9), D=("1/10", 1)),
        induction("sum(1/2**l, l, 0, n) == 2 - 1/2**n", 0),
        rests=(
            "lemma-24",
            "without-loss",
            "eq-54-constants",
            "series-of-epochs",
            "tuning-of-brackets",
            "tuning-of-single-brackets (repaired)",
            "constants-of-brackets",
            "eq-55-split",
            "first-sum-geometric",
        ),
    )


@claim(
    "Theorem 9, second form, and Section 1.1, eq. (3)",
    "the first form is O(log K/D_min + log K log(D_max/max(D_min, eps, 1/T))/eps)",
)
def theorem_9_second_form() -> Finding:
    """The sum difference of an epoch of n rounds is at most n, so J = 2 has probability >= S(n)."""
    floor = "1/2*sum(2**r*(2 + e*2**(r - 1))*exp(-e*2**(r - 1))/4, r, 1, R)"
    return refuted(
        "Read literally, where all gaps are equal and eps is smaller the logarithm is log 1 = 0 "
        "and the form is O(log K/D), while the regret grows like 1/eps; where all gaps are below "
        "1/T it can be negative. With 1 + log it follows, as at most 1 + log2(q) brackets count",
        at("log((1/2)/max(1/2, e, 1/T)) <= 0", e="2**-20", T=2**21 - 1),
        at("(2 + 1/2)*exp(-1/2)/4 > 0.37"),
        at(f"{floor} > 10**5*log(2)/(1/2)", e="2**-20", R=20),
        regret(
            "rnm-ftnl",
            ">=",
            "300*log(2)/0.5",
            means=[0.75, 0.25],
            horizon=16383,
            runs=1000,
            seed=9,
            epsilon=0.001,
        ),
        regret(
            "rnm-ftnl",
            "<=",
            "10*(log(2)/0.5 + log(2)*(1 + 0)/0.001)",
            means=[0.75, 0.25],
            horizon=16383,
            runs=1000,
            seed=9,
            epsilon=0.001,
        ),
        at("log(2)*(1/D + log(D*T)/e) < 0", D="1/20", T=10, e="1/1000"),
        # What the proof gives: floor(log2(q)) + 1 brackets, each of 1 + log J <= 2.45 log K.
        each("floorlog2(q) + 1 <= 1 + log2(q)", q=[1, 3, 5, 7, 100, 1000], grid=True),
        at("floorlog2(1) + 1 > log2(1)"),
        at("1/log(2) <= 1.4427"),
        chain("1 + log(K) <= 2.45*log(K)", "K", 2, factors=("K",)),
        counterexample="K = 2, D = 1/2, eps = 1/2^20, T = 2^21 - 1: every epoch recommends "
        "action 2 with probability at least S(2^19) = (5/8) e^(-1/2) > 0.37 (the sums of at most "
        "2^19 rounds are at most 2^19 apart), so the regret is above 10^5 ln(2)/D; as eps falls, "
        "above any multiple of it",
        scope="conclusion",
        repair="1 + log(max(1, q)) in place of log(q), q = D_max/max(D_min, eps, 1/T)",
        considered=(
            "If log z in an O() is read as max(1, log z) the form is right. Corollary 10(b), "
            "which takes log(D_max/D_min) = O(1) to give log K/min(D, eps), reads it so; the "
            "paper does not say it, and the first form does print its 1 +.",
            "Theorem 12 excludes the literal reading: its instances have equal gaps.",
            "The first form, from which the second is derived, is not affected.",
        ),
    )


@claim(
    "Corollary 10 (a)", "if all gaps are at most eps no bracket has D_l > eps", breaks={"c": "0.99"}
)
def corollary_10_a(c: str = "1") -> Finding:
    """D_l <= D_j <= eps."""
    return holds(
        "with D_j = D_l + s and eps = D_j + g",
        at(f"D <= {c}*D", D=1),
        polynomial(f"D <= {c}*D + s + g", D=0, s=0, g=0),
        rests=("theorem-9-first-form",),
    )


@claim(
    "Corollary 10 (b)",
    "if all gaps are in [D, 2D], two brackets and the first form give O(log K/min(D, eps))",
    breaks={"c": "0.999"},
)
def corollary_10_b(c: str = "1") -> Finding:
    """1/D = z - h, 1/eps = z - g; q bounds 2 (1 + log K)/log K. A gap of 2D is in bracket 2."""
    return holds(
        "log K (1/D + q/eps) <= (1 + q) log K/min(D, eps) with q <= 4.89; the text derives it "
        "from the second form, which lacks a 1 +",
        at(f"z + q*z <= ({c} + q)*z", z=1, q=1),
        polynomial(f"(z - h) + q*(z - g) <= ({c} + q)*z", z=0, h=0, g=0, q=0),
        chain("2*(1 + log(K)) <= 4.89*log(K)", "K", 2, factors=("K", "1")),
        rests=("theorem-9-first-form",),
    )


@claim(
    "Corollary 11",
    "with D* = sqrt(log(K)/T) both T D* and log(K)/D* are sqrt(T log K), and 1/D* <= T",
    breaks={"c": "1.001"},
)
def corollary_11_critical_gap(c: str = "1") -> Finding:
    """l = ln K; 1 <= T ln K from K = 2, T = 2 on makes the logarithm at most log T."""
    return holds(
        "two identities; 1/D*^2 = T/l <= T^2 as T l >= 1",
        identity(f"T*sqrt(l/T) == {c}*sqrt(T*l)", T=(2, 99), l=(1, 9)),
        identity(f"l/sqrt(l/T) == {c}*sqrt(T*l)", T=(2, 99), l=(1, 9)),
        at("2*log(2) >= 1"),
        rests=("theorem-9-first-form",),
    )


@claim(
    "Section 7, doubling gaps",
    "for D_j = 2^(j-2) D_min the upper bound is of order log K/D_min + log K log T/eps",
)
def doubling_gaps() -> Finding:
    """K - 1 brackets of one action; D_max = 2^(K-2) D_min <= 1 and T >= 1/D_min."""
    return loose(
        "every bracket has one action, so Theorem 9's first form gives (K - 1)/eps, and K - 1 <= "
        "1 + log2(T): the factor log K is not there",
        each("floorlog2(2**(j - 2)) + 1 == j - 1", j=range(2, 40)),
        # 2^(K-2) <= T, so log K log T >= log K (K - 2) ln 2 >= 0.3 log K (K - 1).
        polynomial("(K - 2)*69/100 >= 3/10*(K - 1)", K=3),
        at("log(2) >= 69/100"),
        at("0.3*log(K) > 4", K=10**6),
        tight="(K - 1)/eps, at most (1 + log2 T)/eps, in place of log K log T/eps",
    )
