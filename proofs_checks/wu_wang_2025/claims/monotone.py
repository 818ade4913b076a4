"""Lemma 6 (better actions win more often) and Lemma 15 (binomial distribution functions)."""

from __future__ import annotations

from dpaudit.ledger import (
    at,
    claim,
    each,
    holds,
    identity,
    polynomial,
    typo,
    words,
)
from dpaudit.ledger.claims import Finding

GRID = ("1/10", "1/3", "1/2", "501/1000", "502/1000", "9/10")
"""Means at which the enumerations are made; the probabilities are polynomials in them."""


@claim("Lemma 15", "F(k; n, p) does not increase with p", breaks={"k": "0.99"})
def lemma_15(k: str = "1") -> Finding:
    """A, B = F(k; n, p), F(k; n, q) and C, D the same at k - 1; F(k; n+1, p) = (1-p) A + p C."""
    return holds(
        "By induction on n: for p <= q the difference at n + 1 is a sum of three products of "
        "numbers >= 0, as F(k) >= F(k - 1).",
        identity(
            f"((1-p)*A + p*C) - ((1-q)*B + q*D) == (1-q)*(A-B) + q*(C-D) + {k}*(q-p)*(A-C)",
            **dict.fromkeys("pqABCD", ("1/10", "9/10")),
        ),
        each(
            "sum(binomial(n, i)*p**i*(1-p)**(n-i), i, 0, k) >= sum(binomial(n, "
            "i)*q**i*(1-q)**(n-i), i, 0, k)",
            where="k < n and p < q",
            grid=True,
            n=[1, 4, 8],
            k=range(9),
            p=GRID,
            q=GRID,
        ),
    )


@claim(
    "Appendix A",
    "F(k; n, p) is the Beta(n - k, k + 1) distribution function at 1 - p",
    breaks={"k": "1.01"},
)
def binomial_and_beta(k: str = "1") -> Finding:
    """n = 3, k = 1: Beta(2, 2) has the distribution function 3x^2 - 2x^3."""
    return holds(
        "Instances n = 2 and 3, whose Beta functions are polynomials. At k = n the first "
        "parameter would be 0 and the identity has no meaning; F is 1 there, so Lemma 15 is "
        "not touched.",
        identity(
            f"sum(binomial(3, i)*p**i*(1-p)**(3-i), i, 0, 1) == {k}*(3*(1-p)**2 - 2*(1-p)**3)",
            p=("1/10", "9/10"),
        ),
        identity(
            f"sum(binomial(2, i)*p**i*(1-p)**(2-i), i, 0, 1) == {k}*(2*(1-p) - (1-p)**2)",
            p=("1/10", "9/10"),
        ),
        only="n = 2 and 3, k = 1",
        decides="integration by parts, for k < n; Lemma 15 does not need it (its own claim)",
    )


@claim("Appendix B", "the first display decomposes the distribution function of N_(r, j2)")
def appendix_b_index() -> Finding:
    """Its right side has j1 throughout."""
    return typo(
        "The left side should be that of N_(r, j1), as the sentence before announces and the next "
        "display (for j2) shows. 1 - F(s - x) there is P(G > s - x), which differs from "
        "P(G >= s - x) at whole numbers only, so the integral is right.",
        words(),
        correction="F of N_(r, j1) on the left",
        considered=("the display after it is the one for j2",),
    )


def _chosen(j: int) -> str:
    """P(J = j) for three arms and Gumbel noise after two rounds; z = exp(-eps/2)."""
    law = "*".join(
        f"binomial(2,{s})*{m}**{s}*(1-{m})**(2-{s})" for s, m in zip("abc", "pqu", strict=True)
    )
    term = f"{law}*z**{'abc'[j]}/(z**a + z**b + z**c)"
    for s in "cba":
        term = f"sum({term}, {s}, 0, 2)"
    return term


@claim(
    "Lemma 6",
    "with resampling a better action is played at least as often: P(J_r = j1) >= P(J_r = j2)",
    breaks={"k": "1.01"},
    slow=True,
)
def lemma_6_order(k: str = "1") -> Finding:
    """Also n = 1 with w the probability that a score one loss ahead of the other wins."""
    return holds(
        "Checked on a part of the family: two arms and one round, any noise (the difference is (q "
        "- p)(2w - 1)); three arms and two rounds with Gumbel noise, on a grid of means. The "
        "paper's proof, which we followed, is general. It needs the actions' losses to be "
        "independent, as the paper assumes; for K = 2 its H is the maximum of nothing.",
        identity(
            "(q*(1-p)*w + p*(1-q)*(1-w)) - (p*(1-q)*w + q*(1-p)*(1-w)) == (q - p)*(2*w - 1)",
            p=("1/10", "1/2"),
            q=("1/2", "9/10"),
            w=("1/2", 1),
        ),
        each(
            f"{_chosen(0)} >= {k}*({_chosen(1)})",
            where="p < q",
            grid=True,
            p=GRID,
            q=GRID,
            u=("0", "1/3", "1"),
            z=("1/5", "9/10"),
        ),
    )


@claim("Lemma 6", "P(J_r = j) <= 1/j", breaks={"third": "0.332"})
def lemma_6_one_over_j(third: str = "1/3") -> Finding:
    """j times the j-th probability is at most the sum of the first j."""
    return holds(
        "Given the order; written out for j = 3 with p_i = p_j + s_i, the sampled means agree. "
        "Attained where all means are equal (for J_0, which is uniform, 1/K <= 1/j).",
        polynomial("3*p <= (p + s) + (p + u) + p", p=0, s=0, u=0),
        each(
            f"{_chosen(2)} <= {third}",
            where="p < q and q < u",
            grid=True,
            p=GRID,
            q=GRID,
            u=GRID,
            z=("1/5", "9/10"),
        ),
        at("(1/1)/(1 + 1 + 1) == 1/3"),
    )
