"""The sums in the proof of Theorem 3 (Section 3.2, Appendix C), and Corollary 5 (Appendix D)."""

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
    typo,
)
from dpaudit.ledger.claims import Finding


@claim(
    "Section 3.2; Appendix C",
    "the sum of ln K/j over suboptimal j is at most ln^2 K: 1/2 + ... + 1/K <= ln K",
    breaks={"c": "1.01"},
)
def regret_down(c: str = "1") -> Finding:
    """1/(n+1) <= ln(n+1) - ln n, with x = 1/n; so Regret_down <= (2 c2 ln^2 K + c1 c2)/eps."""
    return holds(
        "Step x/(1 + x) <= ln(1 + x), and enumeration; the second sum has fewer than K terms "
        "1/K. Needs K >= 2 to be called O(ln^2 K).",
        chain(f"{c}*x/(1 + x) <= log(1 + x)", "x", 0, factors=("(1 + x)**2",)),
        each("sum(1/j, j, 2, K) <= log(K)", grid=True, K=[2, 3, 5, 10, 50, 200]),
        polynomial("K - 1 <= K", K=1),
    )


@claim("Appendix C", "the groups H_l cover the actions with gap at most eps")
def group_definition() -> Finding:
    """H_l asks for a gap below eps; Regret_up sums gaps up to eps."""
    return typo(
        "An action whose gap is eps is in the sum but in no group.",
        at("(1 if D <= e else 0) > (1 if D < e else 0)", D="1/4", e="1/4"),
        each(
            "(1 if D <= e else 0) + (1 if D > e else 0) == 1",
            D=["1/8", "1/4", "1/2"],
            e=["1/4"],
        ),
        correction="gap <= eps in H_l",
        counterexample="gap = eps = 1/4",
        considered=(
            "with <= every later line is as printed, as min(gap, eps) is then the gap",
            "a bar lost in extraction would leave the same text",
        ),
    )


@claim("Appendix C", "tau_l = ceil(c2 ln|H_l|/D_l^2)")
def tau_l() -> Finding:
    """c2 = 8, |H_l| = 2, D_l = 1/2: x = 22.2."""
    x = "8*log(2)*2**2"
    return typo(
        "The third inequality takes 2^tau_l <= 2x for x = c2 ln|H_l|/D_l^2, so tau_l is "
        "ceil(log2 x); as printed 2^tau_l is exponentially larger.",
        at(f"{x} > 22"),
        at(f"{x} < 23"),
        at(f"2**23 > 2*{x}"),
        at(f"{x} > 2**4"),
        at(f"{x} < 2**5"),
        at(f"2**5 <= 2*{x}"),
        correction="tau_l = ceil(log2(c2 ln|H_l|/D_l^2))",
        counterexample="c2 = 8, |H_l| = 2, D_l = 1/2: 2^23 against 2 * 22.2",
        considered=(
            "r(j), which it stands for, has the log2; the next lines use 2^tau_l <= 2x",
            "Hu et al. have the logarithm in the same place; it may also be lost in extraction",
        ),
    )


@claim(
    "Appendix C, third inequality for Regret_up",
    "2^(tau_l + 2) D_l <= 8 c2 ln|H_l|/D_l for every group",
)
def tau_l_of_one_action() -> Finding:
    """ln 1 = 0: the right side is 0, the left is not, whatever tau_l is."""
    return refuted(
        "Fails for a group of one action, and with the log2 restored tau_l is then the logarithm "
        "of 0; an empty group would have ln 0. The slack of the second sum, (c1 c2/D)(1 - exp(-u)) "
        "<= c1 2^tau D with u = 2^tau D^2/c2, makes up for it only if c1 >= 4, and Lemma 16 has c1 "
        "= 2. With 1 + ln|H_l| for ln|H_l|, over groups that are not empty, the step and the rate "
        "stand.",
        each("2**(t + 2)*D > 8*8*log(1)/D", t=range(6), D=["1/4", "1/2", "1"]),
        each(
            "2**(t + 2)*D + 2*8/D*exp(-2**t*D**2/8) > 8*8*log(1)/D + 2*8/D",
            t=range(6),
            D=["1/4", "1/2", "1"],
        ),
        chain("1 - exp(-u) <= u", "u", 0, factors=("1", "1")),
        at("8*(1 + log(1))/D**2 > 2**5", D="45/100"),
        at("2**(6 + 2)*D <= 8*8*(1 + log(1))/D", D="45/100"),
        counterexample="K = 2, |H_l| = 1: 2^(tau_l + 2) D_l > 0 = 8 c2 ln(1)/D_l",
        scope="step",
        repair="1 + ln|H_l| in place of ln|H_l|, sums over groups that are not empty",
        considered=(
            "the printed tau_l would be 0, where the sum it bounds is empty; but 4 D_l, which "
            "stands for that sum in this line, is not",
            "constants are only said to exist: with c1 >= 4 the second sum could absorb it, which "
            "is not what the text says",
            "Hu et al. have 1 + ln|J_l| and sum over groups with |J_l| > 0",
        ),
    )


@claim(
    "Appendix C, second inequality for Regret_up",
    "(1 + 2 + ... + 2^(tau_l - 1)) 2 D_l < 2^(tau_l + 2) D_l",
)
def regret_up_factor() -> Finding:
    """With y = 2^tau_l: (y - 1) 2 against 4y."""
    return loose(
        "2^(tau_l + 1) D_l is enough.",
        polynomial("(y - 1)*2 < 4*y", y=1),
        polynomial("(y - 1)*2 < 2*y", y=1),
        at("(2**t - 1)*2 > 1.99*2**t", t=10),
        tight="2^(tau_l + 1) D_l",
    )


@claim(
    "Appendix C, last line for Regret_up",
    "(8 c2 ln K + c1 c2)/gap times the sum of 2^-(l-1) over l >= 1 is (8 c2 ln K + c1 c2)/gap",
)
def geometric_sum() -> Finding:
    """The sum is 2."""
    return refuted(
        "The geometric sum is 2, so the result is (16 c2 ln K + 2 c1 c2)/gap; with the factor that "
        "the second inequality gives away, (8 c2 ln K + 2 c1 c2)/gap. The rate is not touched.",
        induction("sum(2**(1-l), l, 1, n) == 2 - 2**(1-n)", 1),
        at("sum(2**(1-l), l, 1, 2) > 1.4"),
        counterexample="1 + 1/2 > 1 already",
        scope="step",
        repair="(16 c2 ln K + 2 c1 c2)/gap",
        considered=(
            "a sum from l = 2 would be 1, but D_1 = gap is among the groups",
            "no later line uses the constant",
        ),
    )


@claim(
    "Theorem 3",
    "with resampling the regret is O(log K/gap + log^2 K/eps): at most "
    "(256 (1 + ln K) + 48)/gap + 64 (1 + ln^2 K)/eps",
    breaks={"c": "63.9"},
)
def theorem_3_regret(c: str = "64") -> Finding:
    """P(J_r = j) <= 2 exp(-2^r D min(D, eps)/16) for each noise; D is a gap, L = ln K, h = ln|H|.

    Gaps above eps: 2^(r(j)-1) between 16 L/(D eps) and twice that. Epochs up to r(j) cost 2^r(j)/j,
    later ones in blocks at most 4 exp(-L)/v, v = D eps/16. Groups: the same with 1 + h and v =
    D^2/16; the tail of a group is at most 64/(exp(1) D) in all; the groups' 1/D add up to 2/gap.
    """
    return holds(
        "Assembled from the steps with their repairs. Lap(2/eps): the tail (2 + d) exp(-d)/4 with "
        "d = n D eps/4 is at most exp(-d/2)/2; Gumbel(2/eps) and Exp(2/eps), and with it "
        "Exp(1/eps), are below it. Privacy with Exp(1/eps) fails (privacy-exponential).",
        chain("(2 + d)/4 <= 1/2*exp(d/2)", "d", 0, factors=("1", "1")),
        identity(
            f"D*(2*(2*(16*L/(D*e))))/j == {c}*L/(e*j)",
            D=("1/10", 1), L=(1, 9), e=("1/10", 1), j=(2, 9),
        ),
        identity(f"D*4/(D*e/16) == {c}/e", D=("1/10", 1), e=("1/10", 1)),
        identity(f"2*D*(2*(2*(16*(1 + h)/D**2))) == 2*{c}*(1 + h)/D", D=("1/10", 1), h=(1, 9)),
        at(f"2*{c}/exp(1) <= 48"),
        rests=(
            "lemma-16-exponential", "lemma-16-gumbel (repaired)", "lemma-16-hoeffding",
            "lemma-6-one-over-j", "regret-down", "eq-8-blocks", "eq-8-integral (repaired)",
            "tau-l-of-one-action (repaired)", "geometric-sum (repaired)",
        ),
    )  # fmt: skip


@claim(
    "Corollary 5; Appendix D",
    "at gap sqrt(log K/T) the two parts T gap and log K/gap are both sqrt(T log K)",
    breaks={"k": "1.01"},
)
def corollary_5(k: str = "1") -> Finding:
    """L = log K."""
    return holds(
        "Smaller gaps cost at most T times the critical gap, larger ones are Theorem 3's. A rate "
        "without constants; its privacy half is privacy-laplace, -gumbel and -exponential.",
        identity(f"T*sqrt(L/T) == {k}*sqrt(T*L)", T=(1, 100), L=(1, 9)),
        identity(f"L/sqrt(L/T) == {k}*sqrt(T*L)", T=(1, 100), L=(1, 9)),
        rests=("theorem-3-regret",),
    )
