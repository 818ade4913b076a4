"""Section 4: fixed losses (Corollary 10, Theorem 11; Appendices F and H) and Remark 14."""

from __future__ import annotations

from dpaudit.ledger import (
    ambiguous,
    at,
    chain,
    claim,
    each,
    evident,
    holds,
    identity,
    polynomial,
    refuted,
    regret,
    typo,
    words,
)
from dpaudit.ledger.claims import Finding
from dpaudit.ledger.parts import Part


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
    """B = 1, means 1/2 and 1/2 + g, any noise: KL = -log(1 - 4 g^2)/2, 1 + s = 1/(1 - 4 g^2)."""

    def pays(relation: str, bound: str, gap: float, rounds: int, runs: int, b: str) -> Part:
        return regret(
            "rnm-ftnl-gumbel",
            relation,
            bound,
            means=[0.5, 0.5 + gap],
            horizon=rounds,
            runs=runs,
            seed=20240917,
            epsilon=10.0,
            environment="deterministic",
            resample=b,
        )

    return refuted(
        "B is left open, but resampling turns fixed losses into Bernoulli ones and brings back a "
        "term of order 1/gap: for g <= 1/5 some epoch has n rounds, 1/(48 g^2) <= n <= 1/(24 g^2), "
        "n KL <= 3 n g^2 <= 1/8, so by Pinsker the total variation from two equal arms is at most "
        "sqrt(n KL/2) <= 1/4 and the worse arm has probability at least 1/4 in the next 2n rounds: "
        "regret n g/2 >= 1/(96 g), whatever eps. Sampled runs at eps = 10 agree. Without "
        "resampling eq. (9) holds and the proof goes through (for bounded eps, see "
        "theorem-11-large-epsilon).",
        at("1/(96*g) > c*log(2)**2/e", g="1/100000", c=1000, e=1),
        chain("log(1 + s)/2 <= 3/4*s/(1 + s)", "s", 0, "1/3", factors=("(1 + s)**2",)),
        identity("1/(24*g**2)*(3/4*(4*g**2)) == 1/8", g=("1/100", "1/4")),
        at("sqrt((1/8)/2) == 1/4"),
        pays(">=", "200*log(2)**2/10", 0.02, 2**11 - 1, 4000, "1"),
        pays(">=", "600*log(2)**2/10", 0.005, 2**15 - 1, 600, "1"),
        pays("<=", "20*log(2)**2/10", 0.02, 2**11 - 1, 50000, "0"),
        pays("<=", "20*log(2)**2/10", 0.005, 2**15 - 1, 50000, "0"),
        counterexample="losses 1/2 and 1/2 + g with B = 1: regret at least 1/(96 g) at any eps",
        scope="conclusion",
        repair="B = 0 in the statement",
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
    "Theorem 11; Appendix H",
    "the 3 of the first rounds is O(log K/eps): 3 <= 4.33 log K/eps for K >= 2 and eps <= 1",
    breaks={"c": "4.32"},
)
def theorem_11_first_rounds(c: str = "4.33") -> Finding:
    """log K/eps >= log K for eps <= 1."""
    return holds(
        "By K = 2 and monotonicity, with 1/eps = 1 + s; for eps <= E the constant is 4.33 E.",
        chain(f"3 <= {c}*log(K)", "K", 2, factors=("K",)),
        polynomial("q <= q*(1 + s)", q=0, s=0),
        only="epsilon <= 1",
        decides="for eps <= E the constant is 4.33 E; unbounded eps: theorem-11-large-epsilon",
    )


@claim("Theorem 11; Corollary 10", "the rates hold for every eps")
def theorem_11_large_epsilon() -> Finding:
    """J_0 is uniform: losses 0 and 1 cost 1/2 in round 1, whatever eps."""
    return ambiguous(
        "eps is not bounded in the two statements. It has to be by O(log K), or the rate "
        "O(1 + log K/eps): two fixed losses 0 and 1 cost 1/2 in round 1 at any eps, and log 2/eps "
        "tends to 0. For eps up to a constant, as is usual, nothing changes.",
        at("1/2 > c*log(2)/(4*c)", c=1),
        repair="O(1 + log K/eps), or eps at most a constant",
        counterexample="K = 2, losses 0 and 1, eps = 4 c: regret 1/2 > c log(2)/eps = 0.17",
        considered=("a private learner is of interest for small eps, as the paper has it",),
    )


@claim(
    "Theorem 11",
    "fixed losses, B = 0, Gumbel or exponential noise: regret O(log K/eps), at most 3 + 8 ln K/eps",
    breaks={"c": "7.9"},
)
def theorem_11_regret(c: str = "8") -> Finding:
    """a_i = gap_i eps/2, so 2/eps becomes 2/(eps/2); Lemma 13 with its better constant 2 ln K."""
    return holds(
        "Three first rounds and 4/eps times the sum of Lemma 13, at most 2 ln K; for eps <= 1 in "
        "all 12.33 ln K/eps. Exponential noise of the same scale does no worse, nor does the "
        "printed Exp(1/eps), which is not eps-private (privacy-exponential). Optimal by theorem-7 "
        "for K >= 4.",
        identity(f"2/(e/2)*(2*L) == {c}*L/e", e=("1/10", 1), L=(1, 9)),
        chain("3 <= 4.33*log(K)", "K", 2, factors=("K",)),
        only="epsilon <= 1",
        decides="for larger eps the rate is O(1 + log K/eps), see theorem-11-large-epsilon",
        rests=(
            "gumbel-softmax (repaired)",
            "theorem-11-shift",
            "theorem-11-first-rounds",
            "lemma-13",
            "exponential-beats-gumbel",
        ),
    )


@claim(
    "Appendix H",
    "report-noisy-max with Exp(1/eps) loses no more in expectation than with Gumbel(2/eps)",
    breaks={"third": "0.34"},
)
def exponential_beats_gumbel(third: str = "1/3") -> Finding:
    """Three arms, weights 1 >= x >= y; action x wins with x times the integral of (1-u)(1-uy).

    From Gumbel(1/eps) to Gumbel(2/eps): the slope of the softmax mean in the inverse scale is minus
    the variance of the losses, here of two with weights w and v.
    """
    best, middle, last = "(1 - (x+y)/2 + x*y/3)", f"(1/2 - {third}*y/2)", f"(1/2 - {third}*x/2)"
    return holds(
        "The ratio of the two probabilities of an action is, up to a common factor, the printed "
        "integral without its own term, and grows with its weight: the exponential version moves "
        "mass to better actions. So for any number of actions; the three-arm integrals are given "
        "here. And from the scale 1/eps to 2/eps the softmax mean does not fall.",
        identity(f"{best} - {middle} == (1 - x)*(1/2 - y/3)", x=("1/2", 1), y=("1/10", "1/2")),
        identity(f"{middle} - {last} == (x - y)/6", x=("1/2", 1), y=("1/10", "1/2")),
        identity(
            "((1-y)*y*w + (1-z)*z*v)/(w + v) + (w*y + v*z)**2/(w + v)**2"
            " == (w*y + v*z)/(w + v) - w*v*(y - z)**2/(w + v)**2",
            **dict.fromkeys("wvyz", ("1/10", "9/10")),
        ),
        evident("w*v*(y - z)**2 >= 0", w=0, v=0, y=0, z=0),
        identity(
            f"{best} + x*{middle} + y*{last} == 1",
            x=("1/2", 1),
            y=("1/10", "1/2"),
        ),
    )


@claim("Remark 14, point 3", "the sum in the denominator runs over j")
def remark_14_index() -> Finding:
    """Its terms have the index i."""
    return typo(
        "The sum over j with gap_j > eps has terms in i, and j is fixed outside; i is meant.",
        words(),
        correction="the sum over i with gap_i > eps",
        considered=("with j the terms would not depend on the index of the sum",),
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


CROWD = "c1*exp(-4*x*d/c)/(1 + exp(-4*x*d/c) + N*exp(-4*x/c))"
"""The conjecture's bound for action 2, gaps 0, d > eps and N times 1; x = n eps, 2^(r+1) = 4n."""


@claim(
    "Remark 14, point 3",
    "conjecture: for some c1, c2 and all j with gap_j > eps, P(J_r = j) <= c1 y_j/(1 + sum y_i), "
    "y_i = exp(-2^(r+1) gap_i eps/c2), the sum over gaps > eps",
)
def remark_14_conjecture() -> Finding:
    """n = 2^(r-1), Gumbel(2/eps): weights exp(-eps G/2); E exp(-eps G/2) >= exp(-x gap/2)."""
    crowd = f"exp(-x*d/2)/(2 + N*exp(-x/2)) > {CROWD}"
    exponential = f"exp(-1)*(1 - exp(2*x*d - 1))*(1 - N*exp(-(x + 1 - 2*x*d)))/2 > {CROWD}"
    laplace = f"exp(-1)/2*(1/2)*(1 - N*exp(-(x/2 + 1 - x*d))/2)/2 > {CROWD}"
    return refuted(
        "False for all c1 and c2, with Gumbel noise, with and without resampling. If c2 < 8: "
        "losses 0 and 1, P(J = 2) = 1/(1 + exp(x/2)) >= exp(-x/2)/2, bound c1 exp(-4x/c2), x "
        "large. If c2 = 8: losses 0 and Bernoulli(1/2), eps = 1/4, P(J = 2) >= E exp(-eps G/2)/2, "
        "which decays slower than the bound c1 exp(-n/16). If c2 > 8: losses 0, 2 eps and N = "
        "floor(exp(x/2)) times 1, n >= 4x^2: P(J = 2) >= E exp(-eps G_2/2)/3 >= exp(-1/4)/3 > 1/4, "
        "while the crowd makes the bound at most c1 exp(-x (1/2 - 4/c2)), which is 1/4 at x = "
        "log(4 c1)/(1/2 - 4/c2). The crowd (N near exp(x) or exp(x/2)) does the same to "
        "exponential and Laplace noise, shown for some c1, c2. The open problem itself is not "
        "touched.",
        at(crowd, x=16, d="1/128", N=2980, c=16, c1=2),
        at("exp(-1/4)/3 > 1/4"),
        identity("c1*exp(-log(4*c1)) == 1/4", c1=(1, 100)),
        at("(1 + exp(-1/8))/2 > exp(-1/16)"),
        polynomial("1 + y <= 2*y", y=1),
        each(crowd, x=[512], d=["2**-20"], N=["10**110"], c=[9, 16, 100, 10000], c1=[100]),
        each(exponential, x=[128], d=["2**-20"], N=["10**55"], c=[8, 16, 100], c1=[100]),
        each(laplace, x=[512], d=["2**-20"], N=["10**110"], c=[9, 16, 100], c1=[100]),
        counterexample=(
            "c1 = 2, c2 = 16: eps = 1/256, r = 13 (n = 4096, x = 16), losses 0, 1/128 and 2980 "
            "times 1: P(J = 2) >= 0.94/(2 + 1.0) = 0.31, allowed 2 * 0.97/(1.97 + 2980 exp(-4)) = "
            "0.034"
        ),
        scope="conclusion",
        repair="none known; numerator and denominator cannot share the constant c2",
        considered=(
            "c1, c2 depending on the instance would make it empty; those of eq. (5), with which it "
            "is compared, are universal",
            "any factor in 2^(r+1) is absorbed by c2, and the index of the sum (j for i) is clear",
            "for gaps all equal, and for fixed losses with c2 = 8 and Gumbel noise, it is true",
            "the text names no noise and no B: resampling leaves losses 0 and 1 as they are, and "
            "the middle one enters by its mean only (Jensen; Markov for the other two noises)",
            "the authors call it a conjecture that they can neither prove nor disprove",
        ),
    )


@claim(
    "Abstract",
    "for fixed losses upper and lower bounds match at log K/eps",
    breaks={"c": "12.32"},
)
def abstract_rates(c: str = "12.33") -> Finding:
    """Upper bound 3 + 8 ln K/eps, lower bound 0.2075 ln K/eps."""
    return holds(
        "Between 0.2075 and 12.33 times ln K/eps for K >= 4 and eps <= 1.",
        at(f"8 + 4.33 <= {c}"),
        at(f"0.2075 <= {c}"),
        only="epsilon <= 1, K >= 4 and T large",
        decides="for the rest see theorem-11-large-epsilon, theorem-7-small-k, theorem-7-horizon",
        rests=("theorem-11-regret", "theorem-7"),
    )
