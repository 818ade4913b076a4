"""Appendix A: the distributions and tail bounds that the proofs rest on."""

from __future__ import annotations

from dpaudit.ledger import (
    at,
    chain,
    claim,
    each,
    holds,
    identity,
    polynomial,
    typo,
)
from dpaudit.ledger.claims import Finding

KL = "({x}*log({x}/{y}) + (1 - {x})*log((1 - {x})/(1 - {y})))"
"""Bernoulli Kullback-Leibler divergence, Fact 17."""


@claim(
    "Fact 13, eq. (10)",
    "the normaliser of Beta(a, b) is (a-1)! (b-1)!/(a+b-1)! for whole a, b",
    breaks={"c": "1.001"},
)
def fact_13_beta(c: str = "1") -> Finding:
    """The integral expanded by the binomial theorem; whole parameters are what Fact 18 uses."""
    return holds(
        "exact for a, b up to 8",
        each(
            "sum(binomial(b - 1, k)*(-1)**k/(a + k), k, 0, b - 1)"
            f" == {c}*factorial(a - 1)*factorial(b - 1)/factorial(a + b - 1)",
            a=range(1, 9),
            b=range(1, 9),
        ),
        only="whole a, b up to 8",
        decides="induction on b by parts; the proofs use whole parameters",
    )


@claim(
    "Fact 14, eq. (11)",
    "exp(-|x|/b)/(2b) is the density whose upper tail is exp(-x/b)/2",
    breaks={"c": "1.001"},
)
def fact_14_laplace(c: str = "1") -> Finding:
    """Over any step h the tail loses between h times the density at its end and at its start."""
    return holds(
        "h e^-h <= 1 - e^-h <= h for all h >= 0 (scale 1, times e^-x/2), so the density is the "
        "tail's derivative, and both halves together have mass 1",
        at(f"{c}*h*exp(-h) <= 1 - exp(-h)", h="1/10000"),
        chain(f"{c}*h*exp(-h) <= 1 - exp(-h)", "h", 0, factors=("exp(h)",)),
        chain(f"1 - exp(-h) <= {c}*h", "h", 0, factors=("exp(h)", "exp(-h)")),
    )


@claim(
    "Fact 15, eq. (12)",
    "|sum - mean| >= a has probability at most 2 exp(-2 a^2/n) for n variables in [0, 1]",
    breaks={"c": "-2.01"},
)
def fact_15_hoeffding(c: str = "-2") -> Finding:
    """Hoeffding's lemma (variance at most 1/4) and the best exponent."""
    return holds(
        "a variance in [0, 1] is at most 1/4; optimising l = 4a/n gives the printed exponent; "
        "binomial tails up to n = 8 obey it",
        polynomial("(1/2 + s)*(1/2 - s) <= 1/4", s=0),
        identity(f"n*(4*a/n)**2/8 - (4*a/n)*a == {c}*a**2/n", n=(1, 9), a=("0.1", 5)),
        each(
            "sum((binomial(n, k)*p**k*(1 - p)**(n - k) if abs(k - n*p) >= a else 0), k, 0, n)"
            " <= 2*exp(-2*a**2/n)",
            n=range(1, 9),
            p=["1/10", "1/4", "1/2", "4/5"],
            a=["1/2", "1", "2", "3"],
            grid=True,
        ),
    )


@claim(
    "Fact 16, eq. (13)",
    "|Lap(b)| exceeds b ln(1/d) with probability exactly d",
    breaks={"c": "1.01"},
)
def fact_16_laplace_tail(c: str = "1") -> Finding:
    """Two tails of exp(-x/b)/2 each, Fact 14."""
    return holds(
        "2 exp(-ln(1/d))/2 = d",
        identity(f"2*(exp(-(b*log(1/d))/b)/2) == {c}*d", d=("0.1", "0.9"), b=("0.1", 9)),
    )


@claim(
    "Fact 17, eq. (14)",
    "a mean of n binary variables reaches mu + lambda with probability at most exp(-n d)",
    breaks={"c": "1.001"},
)
def fact_17_upper_tail(c: str = "1") -> Finding:
    """Chernoff's exponent at its best l, with x = u/(1+u) and mu = w/(1+w) written as odds."""
    x, m = "(u/(1 + u))", "(w/(1 + w))"
    rate = f"({x}*log({x}/{m}) + (1/(1 + u))*log((1 + w)/(1 + u)))"
    return holds(
        "at e^l = u/w the exponent is minus the divergence; binomial tails up to n = 6 obey it",
        at(f"1/2 <= exp(-{c}*" + KL.format(x="0.999999", y="0.5") + ")"),
        identity(f"log(1/(1 + w) + {m}*(u/w)) - {x}*log(u/w) == -{c}*{rate}", u=(1, 5), w=(1, 5)),
        each(
            "sum(binomial(n, k)*y**k*(1 - y)**(n - k), k, ceil(n*x), n) <= exp(-n*"
            + KL.format(x="x", y="y")
            + ")",
            where="y < x",
            n=range(1, 7),
            x=[f"{k}/10" for k in range(1, 10)],
            y=[f"{k}/10" for k in range(1, 10)],
            grid=True,
        ),
    )


@claim(
    "Fact 17, eq. (15)",
    "a mean of n binary variables is >= mu - lambda with probability at most exp(-n d)",
)
def fact_17_lower_tail() -> Finding:
    """The lower tail, with the relation that belongs to the upper one."""
    return typo(
        "The event must be a mean <= mu - lambda; as printed it contains everything typical",
        at(
            "sum(binomial(2, k)/4, k, 1, 2) > exp(-2*" + KL.format(x="0.01", y="0.5") + ")",
        ),
        at("0.9 > exp(-1*" + KL.format(x="0.01", y="0.9") + ")"),
        each(
            "sum(binomial(n, k)*y**k*(1 - y)**(n - k), k, 0, floor(n*x)) <= exp(-n*"
            + KL.format(x="x", y="y")
            + ")",
            where="x < y",
            n=range(1, 7),
            x=[f"{k}/10" for k in range(1, 10)],
            y=[f"{k}/10" for k in range(1, 10)],
            grid=True,
        ),
        correction="P{X <= mu - lambda} <= exp(-n d(mu - lambda, mu))",
        counterexample="n = 1, mu = 0.9, lambda = 0.89: P{X >= 0.01} = 0.9, but the bound is "
        "exp(-d(0.01, 0.9)) = 0.108",
        considered=(
            "Other relations around it are printed correctly, so the sign is not lost in "
            "extraction.",
            "The only use, step (f) of eq. (36), bounds a distribution function, which is the "
            "corrected form.",
        ),
    )


@claim(
    "Fact 18, eq. (16)",
    "the Beta(a, b) distribution function at y is 1 minus the Binomial(a+b-1, y) one at a - 1",
    breaks={"last": "a - 2"},
)
def fact_18_beta_binomial(last: str = "a - 1") -> Finding:
    """Both sides are polynomials in y of degree a + b - 1 <= 9, compared at 11 points."""
    return holds(
        "exact for a, b up to 5: polynomials of degree at most 9 that agree at 11 points",
        each(
            "factorial(a + b - 1)/(factorial(a - 1)*factorial(b - 1))"
            "*sum(binomial(b - 1, k)*(-1)**k*y**(a + k)/(a + k), k, 0, b - 1)"
            f" == 1 - sum(binomial(a + b - 1, k)*y**k*(1 - y)**(a + b - 1 - k), k, 0, {last})",
            a=range(1, 6),
            b=range(1, 6),
            y=[f"{k}/16" for k in range(1, 12)],
        ),
        only="a, b up to 5",
        decides="integration by parts, a times",
    )


@claim(
    "Lemma 20, eq. (36), step (g)",
    "Pinsker: the Bernoulli divergence d(x, y) is at least 2 (x - y)^2",
    breaks={"c": "2.01"},
)
def pinsker(c: str = "2") -> Finding:
    """The second derivative of d(x, y) - 2 (x - y)^2 in x is 1/(x(1 - x)) - 4."""
    divergence = KL.format(x="x", y="(x + s)")
    return holds(
        "4 x (1 - x) <= 1, so the margin is convex in x and touches 0 at x = y; at a point close "
        "to x = y = 1/2, where the constant is attained, and on a grid it is as stated",
        polynomial("4*(1/2 + s)*(1/2 - s) <= 1", s=0),
        at(f"{divergence} >= {c}*s**2", x="0.4999", s="0.0002"),
        each(
            f"{divergence} - {c}*s**2 >= 0",
            where="x + s < 1 and x + s > 0",
            x=[f"{k}/20" for k in range(1, 20)],
            s=["-1/7", "-1/50", "1/50", "1/7"],
            grid=True,
        ),
    )
