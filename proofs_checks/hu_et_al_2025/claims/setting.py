"""Section 2.2, Gaussian differential privacy, and the facts of Appendix A."""

from __future__ import annotations

from dpaudit.ledger import (
    at,
    chain,
    claim,
    cover,
    each,
    holds,
    identity,
    loose,
    polynomial,
)
from dpaudit.ledger.claims import Finding
from dpaudit.proofs_checks.hu_et_al_2025 import Box


@claim(
    "Section 2.2, G_eta",
    "the trade-off function of N(0,1) against N(eta,1) is Phi(Phi^-1(1 - x) - eta)",
    breaks={"half": "0.499"},
)
def gdp_trade_off_function(half: str = "1/2") -> Finding:
    """The log-likelihood ratio increases in z, so the best tests (Neyman-Pearson) are {z >= c}."""
    return holds(
        "the log-ratio of the densities is linear and increasing in z, so the best tests are "
        "z >= c, with errors x = Phi(-c) and Phi(c - eta); and Phi^-1(1 - Phi(-c)) = c",
        identity(f"-(z - eta)**2/2 + z**2/2 == eta*z - {half}*eta**2", z=(1, 3), eta=("1/10", 4)),
        identity("1 - normal(-c) == normal(c)", c=("1/10", 4)),
    )


@claim(
    "Theorem 2.4",
    "delta(eps) = Phi(-eps/eta + eta/2) - e^eps Phi(-eps/eta - eta/2) for N(eta,1) against N(0,1)",
    breaks={"half": "0.499"},
)
def theorem_2_4_duality(half: str = "1/2") -> Finding:
    """The best event is where the log-ratio exceeds eps: z >= c = eps/eta + eta/2."""
    c = f"(a/eta + {half}*eta)"
    box: Box = {"a": ("1/10", 2), "eta": ("1/2", 4)}
    return holds(
        "the log-ratio eta z - eta^2/2 is eps at c = eps/eta + eta/2; the event z >= c has "
        "probability Phi(eta - c) and Phi(-c), the two terms of delta(eps) (the theorem for all "
        "mechanisms is quoted from Dong et al.)",
        identity(f"eta*{c} - eta**2/2 == a", **box),
        identity(f"normal(eta - {c}) == normal(-a/eta + eta/2)", **box),
        identity(f"normal(-{c}) == normal(-a/eta - eta/2)", **box),
        only="normal pairs",
        decides="Dong et al. (2022), Corollary 2.13, for all mechanisms",
    )


@claim(
    "Section 2.2, Remark after Theorem 2.4",
    "for a fixed eps, delta(eps) increases in eta",
    breaks={"half": "0.499"},
)
def remark_delta_increases(half: str = "1/2") -> Finding:
    """With a, b the two arguments, e^eps pdf(b) = pdf(a), so d delta / d eta = pdf(a) > 0."""
    box: Box = {"a": ("1/10", 3), "eta": ("1/10", 4)}
    return holds(
        "e^eps pdf(-eps/eta - eta/2) = pdf(-eps/eta + eta/2), and the derivatives of the two "
        "arguments differ by 1, so the derivative of delta is pdf(-eps/eta + eta/2) > 0",
        identity(f"a - (a/eta + {half}*eta)**2/2 == -(a/eta - {half}*eta)**2/2", **box),
        identity("(a/eta**2 + 1/2) - (a/eta**2 - 1/2) == 1", **box),
    )


@claim(
    "Theorem 4.7",
    "composing two normal pairs of levels eta_1, eta_2 gives the level sqrt(eta_1^2 + eta_2^2)",
    breaks={"square": "1.999"},
)
def theorem_4_7_composition(square: str = "2") -> Finding:
    """The joint log-ratio at (z, w) is that of one pair of level s at u = (a z + b w)/s."""
    s = f"sqrt(a**{square} + b**{square})"
    box: Box = {"a": ("1/2", 3), "b": ("1/2", 3)}
    return holds(
        "two independent normal pairs are one pair of level s in the direction u, which has mean "
        "0 or s and variance 1; what is orthogonal to u has the same law in both worlds",
        identity(
            f"a*z - a**2/2 + b*w - b**2/2 == {s}*((a*z + b*w)/{s}) - {s}**2/2",
            **box,
            z=(1, 3),
            w=(1, 3),
        ),
        identity(f"(a/{s})**2 + (b/{s})**2 == 1", **box),
        only="Gaussian releases",
        decides="Dong et al. (2022) for all mechanisms; the paper composes Gaussian releases only",
    )


@claim(
    "Fact A.1", "ln^(1-alpha) T <= (1 - alpha) ln T + 1 for T > e^3 and alpha in [0, 1]", slow=True
)
def fact_a1_power_of_logarithm() -> Finding:
    """x -> L^x is convex, so below its chord 1 + x(L - 1); in the chains L = e^u, x = 1 - alpha."""
    powers = [f"{k}/10" for k in range(1, 10)]
    return loose(
        "L^x is convex in x = 1 - alpha, so it is at most its chord 1 + x(L - 1) for every L > 0: "
        "the condition T > e^3 is not needed and 1 + x L can be lowered by x; there is equality "
        "at alpha = 0 and alpha = 1 (certified for x = 0.1, ..., 0.9 and all L >= 1)",
        cover("L**x <= x*L + 1", x=("1/1000", 1), L=(3, 60)),
        *(
            chain(f"exp({x}*u) <= {x}*(exp(u) - 1) + 1", "u", 0, factors=(f"10*exp(-{x}*u)", "1"))
            for x in powers
        ),
        cover("L**x <= x*(L - 1) + 1", x=("1/10", "9/10"), L=(2, 60)),
        at("3**1 > 1*(3 - 1.001) + 1"),
        tight="(1 - alpha)(ln T - 1) + 1, for all T > 1",
    )


@claim(
    "Fact A.1, proof",
    "f' vanishes at ln(ln L)/ln L, L = ln T, which lies in [0, 1] for T > e^3",
    breaks={"power": "2.718"},
)
def fact_a1_turning_point(power: str = "3") -> Finding:
    """With l = ln L: L^(1-alpha) ln L = L there; the point is >= 0 as soon as L >= e."""
    return holds(
        "L^(1-alpha) ln L = L at alpha = ln(ln L)/ln L; ln L >= 1 from T = e^e = 15.2 on, and "
        "ln l <= l always",
        identity("exp((1 - log(l)/l)*l)*l == exp(l)", l=(1, 6)),
        at(f"log({power}) >= 1"),
        chain("log(l) <= l", "l", 1, factors=("l",)),
    )


@claim(
    "Fact A.2",
    "Hoeffding: a mean of n variables in [0, 1] is off by >= a with probability <= 2 exp(-2 n a^2)",
    breaks={"two": "2.001"},
)
def fact_a2_hoeffding(two: str = "2") -> Finding:
    """The second derivative of ln E e^(l X) is a variance u(1 - u) <= 1/4; Markov with l = 4 a."""
    inside = "(binomial(n, k)*q**k*(1 - q)**(n - k) if abs(k/n - q) >= a else 0)"
    return holds(
        "the variance of a tilted variable in [0, 1] is at most u(1 - u) <= 1/4, u its mean, which "
        "is Hoeffding's lemma, and l^2/8 - l a is -2 a^2 at l = 4 a; and the bound is compared "
        "with exact binomial tails on a grid",
        identity("1/4 - u*(1 - u) == (u - 1/2)**2", u=("1/10", 1)),
        identity(f"(4*a)**2/8 - 4*a*a == -{two}*a**2", a=("1/10", 1)),
        each(
            f"sum({inside}, k, 0, n) <= 2*exp(-{two}*n*a**2)",
            grid=True,
            n=[1, 2, 3, 5, 8],
            q=["1/10", "3/10", "1/2", "4/5"],
            a=["1/20", "1/5", "1/2", "7/10"],
        ),
    )


@claim(
    "Fact A.3, eq. (4)",
    "P{Z > mu + z sigma} <= exp(-z^2/2)/2 for z > 0",
    breaks={"half": "0.499"},
)
def fact_a3_upper_tail(half: str = "1/2") -> Finding:
    """The margin is 0 at 0 and at infinity, and its derivative changes sign once."""
    return holds(
        "the margin is 0 at z = 0 and in the limit, and its derivative exp(-z^2/2) (1/sqrt(2 pi) "
        "- z/2) is first positive, then negative; the margin itself covered on [0.01, 6]",
        cover("1/sqrt(2*pi) - z/2 > 0", z=(0, "0.797")),
        at("1/sqrt(2*pi) < 0.399"),
        polynomial("z/2 >= 0.399", z="0.798"),
        cover(f"normal(-z) <= {half}*exp(-z**2/2)", z=("1/100", 6)),
        at(f"normal(-0) <= {half} + 10**(-9)"),
    )


@claim(
    "Fact A.3, eq. (5)",
    "P{Z > mu + z sigma} >= z/(z^2 + 1) exp(-z^2/2)/sqrt(2 pi) for z > 0",
    breaks={"one": "0.98"},
)
def fact_a3_lower_tail(one: str = "1") -> Finding:
    """The margin's derivative is -2 pdf(z)/(1 + z^2)^2 < 0 and its limit 0."""
    return holds(
        "with pdf' = -z pdf, the margin's derivative is -2 pdf/(1 + z^2)^2 < 0, and its limit is "
        "0; the margin itself covered on [0, 2] and at 5 and 10",
        identity(
            "-1 - ((1 - z**2)/(1 + z**2)**2 - z**2/(1 + z**2)) == -2/(1 + z**2)**2",
            z=("1/10", 5),
        ),
        cover(f"normal(-z) >= z/(z**2 + {one})*exp(-z**2/2)/sqrt(2*pi)", z=(0, 2)),
        at(f"normal(-z) >= z/(z**2 + {one})*exp(-z**2/2)/sqrt(2*pi)", z=5),
        at(f"normal(-z) >= z/(z**2 + {one})*exp(-z**2/2)/sqrt(2*pi)", z=10),
    )
