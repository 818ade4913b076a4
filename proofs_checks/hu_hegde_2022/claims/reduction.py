"""Equations (2), (4) and (5): from the private posterior to the non-private one of arm 1.

D stands for mu_1 - y_j = gap/6; d for the gap.
"""

from __future__ import annotations

from dpaudit.ledger import (
    at,
    chain,
    claim,
    cover,
    each,
    holds,
    identity,
    induction,
    polynomial,
    typo,
    words,
)
from dpaudit.ledger.claims import Finding

ONE_OBSERVATION = "(1 - c)*(c*(1 - d**2) + (1 - c*d)*(1 - d)**2/(2 - d))"
"""D E[(1-p)/p] for n = 1, d = 1 - y, 1 - mu = c d: p = d^2 after a 0 and 1 - y^2 after a 1."""


@claim(
    "Section 3.1.2 (2), first inequality",
    "P(J = j, theta_j <= y) is at most P(theta_1 <= y)/P(theta_1 > y) times P(J = 1)",
    breaks={"c": "1.01"},
)
def eq_2_ratio(c: str = "1") -> Finding:
    """a = P(theta_1 <= y), b = P(all others <= y), independent given the past.

    The left event needs all of them <= y: at most a b. The event on the right holds where theta_1
    is above y and the others are not: at least (1 - a) b. G_1 is known given the past.
    """
    return holds(
        "a/(1-a) times (1-a) b is a b",
        identity(f"a/(1 - a)*((1 - a)*b) == {c}*a*b", a=("1/10", "9/10"), b=("1/10", 1)),
    )


@claim(
    "Section 3.1.2 (2), second inequality; Section 3.2.2 (4)",
    "p/(1-p) grows with p, so a posterior further to the right has the smaller ratio",
    breaks={"c": "-0.01"},
)
def eq_2_monotone(c: str = "1") -> Finding:
    """p < p + w < 1, both sides times (1 - p)(1 - p - w)."""
    return holds(
        "the difference of the two sides is w",
        polynomial(f"p*(1 - p - w) <= (p + ({c})*w)*(1 - p)", p=0, w=0),
    )


@claim(
    "Section 3.1.2, after (2)",
    "a larger mean of as many observations gives a stochastically larger Beta posterior "
    "(whole numbers of successes, n <= 7, y in tenths)",
    breaks={"c": "-1"},
)
def stochastic_dominance(c: str = "1") -> Finding:
    """P(Beta(s+1, n-s+1) > y) = P(binomial(n+1, y) <= s); for real parameters the likelihood ratio
    is a power of the odds x/(1-x), which grow (eq-2-monotone)."""
    tail = "sum(binomial(n + 1, k)*y**k*(1 - y)**(n + 1 - k), k, 0, {0})"
    return holds(
        "one success more adds a term >= 0",
        each(
            f"{tail.format('s')} <= {tail.format(f's + {c}')}",
            where="s < n",
            n=range(1, 8),
            s=range(7),
            y=[f"{i}/10" for i in range(1, 10)],
        ),
        polynomial("p*(1 - p - w) <= (p + w)*(1 - p)", p=0, w=0),
        only="whole numbers of successes, n <= 7, y in tenths",
        decides="the likelihood ratio is a power of the odds, for real parameters",
    )


@claim("Section 3.1.2, after (2)", "theta'_1 has the parameters alpha'_j + 1, beta'_j + 1")
def eq_2_index() -> Finding:
    """It replaces theta_1 in (2)."""
    return typo(
        "The posterior of theta'_1 is written, and named, as that of arm j, but (2) uses it for "
        "arm 1; the dominance in the same paragraph is that of arm 1 too.",
        words(),
        correction="alpha'_1 + 1, beta'_1 + 1; arm 1",
        considered=("a subscript misread in extraction: it is printed twice",),
    )


@claim(
    "Section 3.2.2, below (5)",
    "Lemma 2.9 of Agrawal & Goyal, as HHM cite it, for one observation: "
    "E[P(theta'_1 <= y)/P(theta'_1 > y)] is at most 0.563/(mu_1 - y), less than their 3/(mu_1 - y)",
    breaks={"c": "0.562"},
)
def lemma_2_9_one_observation(c: str = "0.563") -> Finding:
    """Its first case; the paper uses the lemma and prints no constant."""
    return holds(
        "over all means and thresholds; 9/16 is approached at 1 - mu_1 = (1 - y)/4, y to 1",
        cover(f"{ONE_OBSERVATION} <= {c}", c=(0, 1), d=(0, 1)),
        at(f"{ONE_OBSERVATION} == 9/16", c="1/4", d=0),
        only="one observation",
        decides="more observations: lemma-2-9-more-observations, on a grid",
    )


@claim(
    "Section 3.2.2, below (5)",
    "the same for n = 2, 4, 8 observations, n <= 8/(mu_1 - y), at the points of a grid",
    breaks={"c": "0.4"},
)
def lemma_2_9_more_observations(c: str = "0.5625") -> Finding:
    """P(theta'_1 > y) after s successes is P(binomial(n+1, y) <= s); m = mu_1."""
    above = "sum(binomial(n + 1, k)*y**k*(1 - y)**(n + 1 - k), k, 0, s)"
    ratio = f"sum(binomial(n, s)*m**s*(1 - m)**(n - s)*(1/({above}) - 1), s, 0, n)"
    return holds(
        "below the best constant for n = 1 at every point of the grid; 3 is generous",
        each(
            f"(m - y)*{ratio} <= {c}",
            where="y < m and n*(m - y) <= 8",
            grid=True,
            n=[2, 4, 8],
            m=["0.05", "0.2", "0.4", "0.6", "0.8", "0.9", "0.95", "0.99"],
            y=["0.01", "0.1", "0.3", "0.5", "0.7", "0.85", "0.94", "0.98"],
        ),
        only="n = 2, 4, 8 and means on a grid",
        decides="Agrawal & Goyal's own proof, whose text is not at hand",
    )


@claim(
    "Section 3.2.2, d_1",
    "d_1 = log(8/(mu_1 - y_j)) is log(48/gap)",
    breaks={"c": "47"},
)
def split_point(c: str = "48") -> Finding:
    """With y_j = mu_1 - gap/6."""
    return holds(
        "48 = 8 times 6",
        identity(f"8/(m - (m - d/6)) == {c}/d", m=("1/2", 1), d=("1/10", "1/2")),
    )


@claim(
    "Section 3.2.2, below (5)",
    "the sum for r <= floor(d_1) is O(1/gap^2): at most 3456/gap^2",
    breaks={"c": "3455"},
)
def first_sum(c: str = "3456") -> Finding:
    """3/D times 2 + 4 + ... + 2^(n+1) < 4 2^n with 2^n <= 8/D."""
    return holds(
        "geometric sum, with the 3/(mu_1 - y) of Lemma 2.9",
        induction("sum(2**(k + 1), k, 0, n) == 2**(n + 2) - 2", 0),
        identity(f"3/(d/6)*4*(8/(d/6)) == {c}/d**2", d=("1/10", 1)),
    )


@claim(
    "Section 3.2.2, below (5)",
    "the sum for r >= ceil(d_1) is O(log T/gap^2): each r adds at most O(1/D^2)",
    breaks={"c": "7.9"},
)
def second_sum(c: str = "8") -> Finding:
    """Second case of Lemma 2.9 with x = D^2 2^r, all times D^2; its three terms one by one."""
    return holds(
        "2 x/(exp(x/4) - 1) <= 8, 2 x exp(-x/2) <= 4, 2 2^r/(2^r + 1) <= 2",
        chain(f"2*x <= {c}*(exp(x/4) - 1)", "x", 0, factors=("1", "1")),
        chain("2*x <= 4*exp(x/2)", "x", 0, factors=("1", "1")),
        polynomial("2*p <= 2*(p + 1)", p=0),
    )


@claim(
    "Section 3.2.2 (5)",
    "between two updates arm 1 is pulled 2^(r+1) times",
    breaks={"c": "1.01"},
)
def eq_5_pulls(c: str = "1") -> Finding:
    """Update r happens after 1 + 2 + ... + 2^r = 2^(r+1) - 1 pulls."""
    return holds(
        "the difference of two such sums; fewer pulls if T comes first",
        identity(f"(2**(r + 2) - 1) - (2**(r + 1) - 1) == {c}*2**(r + 1)", r=(0, 20)),
    )
