"""Section 5 and Appendix D.3: the lower bound (Theorem 12), where D is the smallest gap, L = ln K;
then what the text says about its experiments, its earlier version and other papers."""

from __future__ import annotations

from dpaudit.ledger import (
    ambiguous,
    at,
    claim,
    cover,
    holds,
    identity,
    laboratory,
    loose,
    polynomial,
    refuted,
    typo,
    words,
)
from dpaudit.ledger.claims import Finding


@claim(
    "Theorem 12",
    "regret at least 0.0066 ln K/D and at least 0.02 ln K/eps for every eps-DP algorithm",
    breaks={"c": "0.0067", "d": "0.021"},
)
def theorem_12(c: str = "0.0066", d: str = "0.02") -> Finding:
    """A proof that rests on no paper that is not at hand: Fano's inequality, and a coupling.

    Instance j: mean 1/2 + D for action j, else 1/2. A vector's divergence is at most 4 D^2 +
    D^2/(1/4 - D^2). Averaged over j, for n <= ln K/(40 D^2) vectors Fano leaves an error of at
    least 1 - 28/120 - ln 2/ln K. Two instances can be drawn so that a vector differs with
    probability D; more than 10 n D do with probability 0.1 at most (Markov), and group privacy
    gives P_j(J = j) <= exp(10 eps n D) P_i(J = j) + 0.1, at most sqrt(K)/K + 0.1 on average.
    """
    return holds(
        "each of ln K/(40 D^2) rounds costs 0.266 D on average over the instances, and each of "
        "ln K/(20 eps D) rounds 0.4 D; T is large enough for both",
        cover("D**2/(1/4 - D**2) <= 16/3*D**2", D=("1/1000", "0.2499")),
        at("1 - 28/3/40 - log(2)/log(4) >= 0.266"),
        at(f"0.266/40 >= {c}"),
        at("1/2 + 1/10 <= 0.6"),
        at(f"0.4/20 == {d}"),
        rests=("packing-distance",),
    )


@claim("Section 5, after Theorem 12", "the non-private term requires D > 1/4")
def theorem_12_gap_condition() -> Finding:
    """Theorem 12 itself asks for D in (0, 1/4)."""
    return typo(
        "The relation is reversed: Theorem 12 asks for D < 1/4, and the next sentence takes "
        "D = sqrt(ln(K)/T), which is below 1/4 from T = 16 ln(K) on",
        at("sqrt(log(4)/1000) < 1/4"),
        identity("sqrt(L/(16*L)) == 1/4", L=(1, 9)),
        polynomial("16*L <= 16*L + s", L=0, s=0),
        correction="D < 1/4",
        counterexample="K = 4, T = 1000: D = sqrt(ln(4)/1000) = 0.037, an instance that "
        "Theorem 12 admits and D > 1/4 would exclude",
        considered=(
            "Theorem 12, a few lines above, states the interval (0, 1/4) for the same term.",
            "The other relations in the sentence are printed as in the theorem.",
        ),
    )


@claim(
    "Section 5, after Theorem 12",
    "with D = sqrt(L/T) the minimax bound holds provided that T >= L/(100 eps^2)",
)
def minimax_condition() -> Finding:
    """T >= L/(10 eps D) squared is T >= L/(100 eps^2); D < 1/4 is T > 16 L, and is not implied."""
    return refuted(
        "Theorem 12's own D < 1/4 asks for T > 16 ln K as well, which the condition implies for "
        "eps < 1/40 but not beyond (K = 4, eps = 1, T = 1: D = 1.18). At T = 1 the regret is at "
        "most 1, while sqrt(T ln K) grows with K.",
        at("1 < c*sqrt(1*log(K))", c=1, K=4),
        identity("(L/(10*e*sqrt(L/T)))**2 == T*L/(100*e**2)", L=(1, 9), e=("0.1", 2), T=(10, 99)),
        identity("L/(16*sqrt(L/T)**2) == T/16", L=(1, 9), T=(10, 99)),
        at("1/(100*e**2) >= 16", e="1/40"),
        counterexample="T = 1, K > exp(1/c^2), eps^2 = ln K/100: regret at most 1 < c sqrt(ln K)",
        scope="conclusion",
        repair="T >= ln K/(100 eps^2) and T > 16 ln K",
        considered=("for T > 16 ln K the sentence is right",),
    )


@claim(
    "Appendix D.3, step 1 and footnote 12",
    "two instances of the packing have total variation D exactly, witnessed by (1, 0)",
    breaks={"c": "1.001"},
)
def packing_distance(c: str = "1") -> Finding:
    """p = 1/2 + D for the own arm, 1/2 for the other; only two coordinates differ."""
    return holds(
        "the four probabilities differ by D, -D, 0, 0; D > D/2",
        identity(f"(1/2 + D)*(1 - 1/2) - 1/2*(1 - (1/2 + D)) == {c}*D", D=("0.01", "0.24")),
        identity("(1/2 + D)*(1/2) - 1/2*(1/2 + D) == 0", D=("0.01", "0.24")),
        identity("(1 - (1/2 + D))*(1/2) - 1/2*(1 - (1/2 + D)) == 0", D=("0.01", "0.24")),
    )


@claim(
    "Appendix D.3, step 2",
    "Acharya et al.'s inequality fails for M = 2, eps = 0: 0.9 against 1.6",
    breaks={"c": "0.45"},
)
def acharya_counterexample(c: str = "0.8") -> Finding:
    """The paper's own correction of another paper."""
    return holds(
        "0.9 * 2 * 1/(1 + 1) = 0.9 < 0.8 * 2 * min(1, 2)",
        at(f"0.9*M*(M - 1)/(M - 1 + 1) < {c}*M*min(1, M/1)", M=2),
    )


@claim(
    "Appendix D.3, step 2",
    "x/(x + y) >= min(1, x/y)/2 for positive x and y, hence 0.45 in place of 0.8",
    breaks={"c": "0.501"},
)
def acharya_repaired(c: str = "1/2") -> Finding:
    """x = y + s, or y = x + s; 0.9/2 = 0.45."""
    return holds(
        "both cases are polynomial, with equality at x = y",
        at(f"y >= {c}*(y + y)", y=1),
        polynomial(f"y + s >= {c}*((y + s) + y)", y=0, s=0),
        polynomial(f"x*(x + s) >= {c}*x*(x + (x + s))", x=0, s=0),
        identity("0.9*M*x*(1/2) == 0.45*M*x", M=(2, 9), x=("0.1", 1)),
    )


@claim(
    "Appendix D.3, after eq. (56)",
    "for n <= ln(K)/(10 eps D) the error is at least 0.45 (K-1)/K >= 0.2",
)
def error_at_least() -> Finding:
    """`log` must be natural here: e^(10 eps n D) = K."""
    return loose(
        "K >= 4 gives 0.3375; with logarithms of base 2 the bound would fall below 0.2 at K = 4",
        identity("exp(10*e*(log(K)/(10*e*D))*D) == K", K=(4, 99), e=("0.1", 2), D=("0.01", "0.2")),
        polynomial("0.45*(K - 1) >= 0.2*K", K=4),
        polynomial("0.45*(K - 1) >= 0.3375*K", K=4),
        at("0.45*(K - 1)/K == 0.3375", K=4),
        at("0.45*(K - 1)/exp(log2(K)) < 0.2", K=4),
        tight="0.3375 in place of 0.2",
    )


@claim(
    "Appendix D.3, step 3",
    "the regret is at least 0.2 * 0.49 * m* D = 0.0098 ln(K)/eps",
    breaks={"c": "0.0099"},
)
def batch_to_online(c: str = "0.0098") -> Finding:
    """m* = L/(10 eps D) need not be whole; where the second term of the maximum counts, eps < D."""
    return holds(
        "the product is exact; for eps < D < 1/4 and K >= 4 m* is above 2.2, so rounding it down "
        "costs a factor of at most 1.5",
        identity(f"0.2*0.49*(L/(10*e*D))*D == {c}*L/e", L=(1, 9), e=("0.1", 2), D=("0.01", "0.2")),
        at("log(4)/(10*(1/4)*(1/4)) > 2.2"),
        polynomial("2 + s + 1 <= 1.5*(2 + s)", s=0),
    )


@claim(
    "Theorem 12 and Section 1.1, eq. (5)",
    "a maximum of two terms is at least half their sum",
    breaks={"c": "1.99"},
)
def maximum_or_sum(c: str = "2") -> Finding:
    """The theorem has a maximum, eq. (5) a sum; b = a + s is the larger."""
    return holds(
        "a + b <= 2 max(a, b)",
        at(f"a + a <= {c}*a", a=1),
        polynomial(f"a + (a + s) <= {c}*(a + s)", a=0, s=0),
    )


@claim("Section 6", "AdaP-KLUCB is by Asi et al. (2022)")
def source_of_adap_klucb() -> Finding:
    """Footnote 9 and Section 4.1 cite Azize & Basu (2022)."""
    return typo(
        "Section 6 attributes AdaP-KLUCB to Asi et al. (2022); footnote 9 and Section 4.1 "
        "attribute it to Azize & Basu (2022), who compare bandit algorithms.",
        words(),
        correction="Azize & Basu (2022)",
        considered=("Asi et al. (2022) are cited for the full information setting only",),
    )


@claim("Appendix C, eq. (44), last line", "the quantifier runs over j")
def quantifier_of_eq_44() -> Finding:
    """The event is about theta_i."""
    return typo(
        "The last line of eq. (44) bounds theta_i for all j other than 1; all i other than 1 is "
        "meant, as in the lines before.",
        words(),
        correction="for all i other than 1",
        considered=("the lines before have i",),
    )


@claim("Section 5, eq. (9)", "brackets are subsets of K")
def set_of_actions_in_eq_9() -> Finding:
    """K is a number."""
    return typo(
        "Eq. (9) takes j from K, a number; [K], the set of actions, is meant.",
        words(),
        correction="j in [K]",
        considered=("brackets lost in extraction: [K] is printed elsewhere",),
    )


@claim("Section 6", "Lazy-DP-TS does better than DP-SE and Anytime-Lazy-UCB in every experiment")
def experiments_ordering() -> Finding:
    """Figures 1 and 2, 20 runs each, T = 10^6."""
    text = "epsilon = {}: Lazy-DP-TS always does better than DP-SE and Anytime-Lazy-UCB"
    return holds(
        "confirmed by the laboratory in both settings at all three epsilon",
        *(
            laboratory(
                f"hu-huang-mehta-figure-{figure}",
                text.format(epsilon),
                "at the end; natural logarithm",
            )
            for figure in (1, 2)
            for epsilon in ("0.25", "0.5", "1")
        ),
        only="the two settings, epsilon = 0.25, 0.5, 1, T = 10^6",
        decides="nothing more is claimed; 20 runs, as in the paper",
    )


@claim("Section 6", "the empirical performance of Lazy-DP-TS is similar to AdaP-KLUCB's")
def experiments_similar() -> Finding:
    """Figures 1 and 2; alpha = 3.1 is AdaP-KLUCB's own constant."""
    text = "epsilon = {}: Lazy-DP-TS and AdaP-KLUCB do about equally well"
    two, natural = "log base 2; alpha = 3.1", "natural logarithm; alpha = 3.1"
    return ambiguous(
        "With a base-2 logarithm in line 4 the two are close in the first setting at eps = 0.25, "
        "in each of five experiments of that size; at eps = 0.5 in four, and one leaves it "
        "open. With the natural one of Appendix C Lazy-DP-TS has a third to two thirds of "
        "AdaP-KLUCB's regret in all six experiments.",
        laboratory("hu-huang-mehta-figure-1", text.format("0.25"), two),
        laboratory("hu-huang-mehta-figure-1", text.format("1"), natural, "not confirmed"),
        laboratory("hu-huang-mehta-figure-2", text.format("1"), natural, "not confirmed"),
        repair="say which logarithm and which constants the experiments have",
        counterexample="second setting, eps = 1, natural logarithm: 965 +- 67 against 3154 +- 123",
        considered=(
            "AdaP-KLUCB as recalled from the literature, with its constant 3.1 and with 1",
        ),
    )
