"""Section 4: fixed losses (Corollary 10, Theorem 11; Appendices F and H) and Remark 14."""

from __future__ import annotations

from dpaudit.ledger import (
    at,
    chain,
    claim,
    each,
    holds,
    identity,
    polynomial,
    refuted,
    regret,
    typo,
    undecided,
)
from dpaudit.ledger.findings import Finding
from dpaudit.ledger.points import Part


@claim(
    "Appendix F, eq. (9)",
    "fixed losses: P(J_r = j) <= c1 exp(-2^r gap eps/c2) for each noise, with c2 = 8 and c1 <= 1",
    breaks={"half": "0.49", "one": "0.99"},
)
def eq_9(half: str = "1/2", one: str = "1") -> Finding:
    """The closed forms of two arms; d = gap 2^(r-1) eps/2 for scale 2/eps."""
    return holds(
        "Laplace exp(-d)(2 + d)/4 <= exp(-d/2)/2, Gumbel 1/(1 + exp(d)) <= exp(-d), exponential "
        "(scale 1/eps) exp(-2d)/2.",
        chain(f"(2 + d)/4 <= {half}*exp(d/2)", "d", 0, factors=("1", "1")),
        polynomial(f"y <= {one}*(1 + y)", y=1),
        identity("2**(r-1)*g*e/2/2 == 2**r*g*e/8", r=(1, 9), g=("1/10", 1), e=("1/10", 1)),
    )


@claim("Corollary 10", "fixed losses, any B: the regret is O(log^2 K/eps)", slow=True)
def corollary_10() -> Finding:
    """Losses 0.5 and 0.5 + g, eps = 10, Gumbel noise: for smaller g it costs more."""

    def pays(relation: str, bound: str, gap: float, rounds: int, runs: int, b: str) -> Part:
        return regret(
            "rnm-ftnl-gumbel",
            relation,
            bound,
            means=[0.5, 0.5 + gap],
            horizon=rounds,
            runs=runs,
            seed=3,
            epsilon=10.0,
            environment="deterministic",
            resample=b,
        )

    return typo(
        "B is left open, but resampling turns fixed losses into Bernoulli ones and brings back a "
        "term of order 1/gap, of which the bound knows nothing. Without resampling eq. (9) holds "
        "and the proof goes through (for eps = O(log^2 K), see theorem-11-large-epsilon).",
        pays(">=", "200*log(2)**2/10", 0.02, 2**11 - 1, 4000, "1"),
        pays(">=", "600*log(2)**2/10", 0.005, 2**15 - 1, 600, "1"),
        pays("<=", "20*log(2)**2/10", 0.02, 2**11 - 1, 50000, "0"),
        pays("<=", "20*log(2)**2/10", 0.005, 2**15 - 1, 50000, "0"),
        correction="B = 0 in the statement",
        counterexample="losses 0.5 and 0.5 + g with B = 1: regret of order 1/g at any eps",
        considered=(
            "Section 4.2 repeats the analysis 'without considering the sampling errors', B = 0",
            "Theorem 11 and Table 2 name B = 0 for this setting",
            "Table 1 calls the row an extension of the result in the original setting, B = 1",
        ),
    )


@claim("Section 4.2, sketch of Theorem 11", "fixed losses: G_(r, i) = 2^(r-2) mu_i")
def sketch_sums() -> Finding:
    """Epoch r has the rounds 2^(r-1), ..., 2^r - 1."""
    return typo(
        "Epoch r has 2^(r-1) rounds. The display after it, about J_(r-1), is right.",
        each("2**r - 2**(r-1) > 2**(r-2)", r=range(2, 20)),
        each("2**r - 2**(r-1) == 2**(r-1)", r=range(1, 20)),
        correction="G_(r, i) = 2^(r-1) mu_i",
        counterexample="r = 2: rounds 2 and 3, so G = 2 mu_i, printed mu_i",
        considered=("Appendix H has 2^(r-1)", "2^(r-2) would be right for G_(r-1, i)"),
    )


@claim(
    "Appendix H",
    "regret <= 3 + sum over r >= 3, which is 3 + 2 times the sum of Lemma 13 over s = r - 2",
    breaks={"three": "2.99", "two": "2.01"},
)
def theorem_11_shift(three: str = "3", two: str = "2") -> Finding:
    """The second display, over J_(r+1) with factor 2^(r+1), is the same shift."""
    return holds(
        "Rounds 1 to 3 cost at most 1 each; 2^(r-1) = 2 * 2^(r-2) = 2 * 2^s. With the weights of "
        "Gumbel(2/eps) the gaps enter as gap eps/2, and 2/eps becomes 4/eps.",
        at(f"2**0 + 2**1 <= {three}"),
        identity(f"2**(r-1) == {two}*2**(r-2)", r=(3, 12)),
        identity("2**((r+2)-1) == 2**(r+1)", r=(1, 12)),
    )


@claim(
    "Theorem 11; Corollary 10", "3 + 2/eps times the sum of Lemma 13 is O(log K/eps), for every eps"
)
def theorem_11_large_epsilon() -> Finding:
    """J_0 is uniform: losses 0 and 1 cost 1/2 in round 1, whatever eps."""
    return refuted(
        "The first rounds cost a constant, which is not O(log K/eps) once eps is large against log "
        "K. O(1 + log K/eps) holds for all eps, and O(log K/eps) for eps up to a constant.",
        each("1/2 > C*log(2)/(2*C)", C=[1, 10, 100, 1000]),
        polynomial("3 <= 3 + u", u=0),
        regret(
            "rnm-ftnl-gumbel",
            ">=",
            "20*log(2)/200",
            means=[0.0, 1.0],
            horizon=3,
            runs=10000,
            seed=5,
            epsilon=200.0,
            environment="deterministic",
        ),
        counterexample="K = 2, losses 0 and 1: regret >= 1/2 > C log(2)/eps for eps = 2C",
        scope="conclusion",
        repair="eps = O(log K), or O(1 + log K/eps)",
        considered=(
            "eps is small in most of the literature, but neither theorem nor setting says so",
            "Theorem 3 is not concerned: its log K/gap covers the constant",
            "every learner pays (K-1)/K at first where one loss is 0 and K - 1 are 1",
        ),
    )


@claim(
    "Theorem 11", "fixed losses, B = 0, Gumbel or exponential noise: regret O(log K/eps), optimal"
)
def theorem_11_regret() -> Finding:
    """No constants."""
    return undecided(
        "A rate without constants. Its steps are the claims around this one and Lemmas 12 and 13; "
        "with their repairs it goes through for eps = O(log K). Optimal by Theorem 7 for K >= 4."
    )


@claim("Section 4.2", "whether Laplace noise gives O(log K/eps) too remains unknown")
def laplace_with_fixed_losses() -> Finding:
    """Between the two bounds of the paper."""
    return undecided("The authors leave this open, and no part here settles it.")


@claim(
    "Appendix H",
    "exponential noise loses no more in expectation than Gumbel noise of the same scale",
    breaks={"third": "0.34"},
)
def exponential_beats_gumbel(third: str = "1/3") -> Finding:
    """Three arms, weights 1 >= x >= y; action x wins with x times the integral of (1-u)(1-uy)."""
    best, middle, last = "(1 - (x+y)/2 + x*y/3)", f"(1/2 - {third}*y/2)", f"(1/2 - {third}*x/2)"
    return holds(
        "The ratio of the two probabilities of an action is, up to a common factor, the printed "
        "integral without its own term, and grows with its weight: the exponential version moves "
        "mass to better actions. So for any number of actions; the three-arm integrals are given "
        "here, x = 1/(1+a), y = x/(1+b).",
        identity(f"{best} - {middle} == (1 - x)*(1/2 - y/3)", x=("1/2", 1), y=("1/10", "1/2")),
        identity(f"{middle} - {last} == (x - y)/6", x=("1/2", 1), y=("1/10", "1/2")),
        identity(
            f"{best} + x*{middle} + y*{last} == 1",
            x=("1/2", 1),
            y=("1/10", "1/2"),
        ),
    )


@claim("Remark 14, point 3", "the sum in the denominator runs over j")
def remark_14_index() -> Finding:
    """Its terms have the index i."""
    return undecided(
        "noticed on reading: the sum over j with gap_j > eps has terms in i, and j is fixed "
        "outside; i is meant."
    )


@claim(
    "Remark 14, point 3",
    "the conjecture is stronger than eq. (5) where gap_j > eps",
    breaks={"k": "0.99"},
)
def remark_14_stronger(k: str = "1") -> Finding:
    """y/(1 + S) <= y; exponents 2^(r+1) and 2^(r-1)."""
    return holds(
        "Its denominator is at least 1, its exponent at least that of eq. (5).",
        polynomial(f"y <= {k}*y*(1 + S)", y=0, S=0),
        polynomial("m*v <= 4*m*v", m=0, v=0),
    )


@claim(
    "Remark 14, point 3",
    "the conjecture would bound the sum over gaps above eps by c1 c2/(2 eps) times Lemma 13's",
    breaks={"k": "1.01"},
)
def remark_14_consequence(k: str = "1") -> Finding:
    """gap 2^(r-1) = c2/(2 eps) 2^r a with a = gap eps/c2, and J_(r-1) has the exponent 2^r a."""
    return holds(
        "Term by term; the first epoch (J_0) costs at most 1 besides.",
        identity(
            f"g*2**(r-1) == {k}*c/(2*e)*(2**r*(g*e/c))",
            g=("1/10", 1),
            e=("1/10", 1),
            c=(1, 20),
            r=(1, 9),
        ),
    )


@claim(
    "Remark 14, point 3",
    "conjecture: P(J_r = j) <= c1 y_j/(1 + sum y_i), y_i = exp(-2^(r+1) gap_i eps/c2), gaps > eps",
)
def remark_14_conjecture() -> Finding:
    """x = n eps, n = 2^(r-1), Gumbel noise: weights exp(-x gap/2), and 2^(r+1) eps = 4x."""
    crowd = (
        "exp(-x*d/2)/(1 + exp(-x*d/2) + N*exp(-x/2))"
        " > {c1}*exp(-4*x*d/c)/(1 + exp(-4*x*d/c) + N*exp(-4*x/c))"
    )
    pair = "1/(1 + exp(x/2)) > c1*exp(-4*x/c)"
    noisy = "(1 - (1 - exp(-1/8))/2)**n/2 > c1*exp(-n/16)"
    return refuted(
        "False for all c1, c2. If c2 < 8, two fixed losses 0 and 1: P(J = 2) = 1/(1 + exp(x/2)), "
        "bound c1 exp(-4x/c2), x large. If c2 = 8, losses 0 and Bernoulli(1/2), eps = 1/4: P >= E "
        "exp(-eps G/2)/2, which decays slower than exp(-eps n/4) by Jensen. If c2 > 8, fixed "
        "losses 0, 2 eps and N = exp(x/2) times 1, with x = n eps large and eps = x/n small: "
        "action 2 has P about 1/3, but the crowd fills the conjecture's denominator with "
        "exp(x/2 - 4x/c2). The open problem itself is not touched.",
        at(crowd.format(c1=2), x=16, d="1/128", N=2980, c=16),
        each(crowd.format(c1=100), x=[512], d=["2**-20"], N=["10**110"], c=[9, 16, 100, 10000]),
        each(pair, x=[2048], c1=[100], c=[1, 4, 7, "7.9"]),
        at(noisy, n=4096, c1=100),
        counterexample=(
            "c1 = 2, c2 = 16: eps = 1/256, r = 13 (n = 4096, x = 16), losses 0, 1/128 and 2980 "
            "times 1: P(J = 2) = 0.94/(1 + 0.94 + 1.0) = 0.32, allowed 2 * 0.97/(1.97 + 2980 "
            "exp(-4)) = 0.034"
        ),
        scope="conclusion",
        repair="none known; numerator and denominator cannot share the constant c2",
        considered=(
            "c1, c2 depending on the instance would make it empty; those of eq. (5) are universal",
            "for gaps all equal, and for fixed losses with c2 = 8 and Gumbel noise, it is true",
            "shown for Gumbel(2/eps), B = 0; the text names no noise. Resampling leaves losses 0 "
            "and 1 as they are and the mean of the middle one",
            "the authors call it a conjecture that they can neither prove nor disprove",
        ),
    )
