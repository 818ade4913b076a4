"""Sections 1-2: regret, differential privacy, related work."""

from __future__ import annotations

from dpaudit.ledger import (
    at,
    chain,
    claim,
    holds,
    identity,
    polynomial,
    typo,
)
from dpaudit.ledger.claims import Finding

UNION = "(r*q1 - s1) + (r*q2 - s2) <= {c}*r*(q1 + q2)"
"""Two outcomes that fall short of r times the neighbour's by s1, s2 >= 0, together."""


@claim(
    "Section 2.1, display",
    "T mu_1 less the expected reward is the sum of expected pulls times gaps (here: three arms)",
    breaks={"c": "1.001"},
)
def regret_identity(c: str = "1") -> Finding:
    """The pulls sum to T; every further arm adds one term of the same kind."""
    return holds(
        "both sides agree as polynomials",
        identity(
            f"(n1 + n2 + n3)*m1 - (n1*m1 + n2*m2 + n3*m3) == n2*(m1 - m2) + {c}*n3*(m1 - m3)",
            n1=(1, 9),
            n2=(1, 9),
            n3=(1, 9),
            m1=("1/2", 1),
            m2=("1/10", "1/2"),
            m3=("1/10", "1/2"),
        ),
    )


@claim(
    "Definition 1",
    "bounding every single outcome by e^eps is the same as bounding every set of outcomes",
    breaks={"c": "0.999"},
)
def definition_1_events(c: str = "1") -> Finding:
    """r = e^eps; one step of the union over a finite set."""
    return holds(
        "shortfalls add up; the converse takes sets of one outcome",
        polynomial(UNION.format(c=c), r=1, q1=0, q2=0, s1=0, s2=0),
    )


@claim(
    "Section 2.2, remark after Definition 1",
    "max divergence is the largest ln P(Q=y)/P(Q'=y) over the support of Q'",
)
def max_divergence_support() -> Finding:
    """Dwork & Roth (2014), Definition 3.6, take the support of Q."""
    return typo(
        "over the support of Q' the quantity misses outcomes that only Q has: it stays below eps, "
        "in both directions, for a pair that no eps allows",
        at("log((1/2)/1) <= eps", eps=1),
        at("log(1/(1/2)) <= eps", eps=1),
        at("1/2 > r*0", r=10**9),
        polynomial(UNION.format(c="1"), r=1, q1=0, q2=0, s1=0, s2=0),
        correction="the maximum is over the support of Q",
        counterexample="Q = (1/2, 1/2), Q' = (1, 0): as printed D(Q, Q') = -ln 2 and "
        "D(Q', Q) = ln 2, but the second outcome has probability 1/2 against 0",
        considered=(
            "what the remark concludes from it (eps-DP bounds the divergence) is true either way",
            "HHM print the same definition, so it is not an artefact of the extraction",
        ),
    )


@claim(
    "Section 2.3, paragraph 3",
    "the parameters of a Beta distribution must be non-negative",
    breaks={"sign": "-1"},
)
def beta_parameters(sign: str = "1") -> Finding:
    """The density x^(-a-1) of parameter -a integrates over [e^(-y), 1] to (e^(a y) - 1)/a; z = a y.

    `sign` is that of a.
    """
    return holds(
        "at a parameter below 0 that integral is at least y, so it grows without bound; at 0 it is "
        "y. What is needed is therefore positive, which the algorithms' parameters are (clipping)",
        chain(f"({sign})*(exp(({sign})*z) - 1) >= z", "z", 0, factors=("1", "1")),
    )


@claim(
    "Section 2.1, footnote 1",
    "rewards in [0, 1] reduce to Bernoulli rewards: tossing a coin of that bias keeps privacy",
    breaks={"c": "0.99"},
)
def bernoulli_reduction(c: str = "1") -> Finding:
    """An outcome has probability 1 on a 0 and 1 + u on a 1, ratio at most r = 1 + u + w."""
    corners = ("1", "1 + u")
    return holds(
        "both sides are linear in either reward, so the four corners suffice; where the outcome is "
        "likelier on a 0 the roles of 0 and 1 change",
        *(
            polynomial(f"{here} <= {c}*(1 + u + w)*({there})", u=0, w=0)
            for here in corners
            for there in corners
        ),
    )


@claim(
    "Section 3.2.2, remark (a)",
    "the regret bound of Theorem 4 matches the lower bound: 1/e + 1/d is within a factor 2 of "
    "1/min(e, d)",
    breaks={"c": "1.99"},
)
def matches_lower_bound(c: str = "2") -> Finding:
    """Larger of the two = d + w, smaller = d; both sides times d (d + w)."""
    return holds(
        "this takes both fractions of the lower bound to stand under its sum, as Section 2.3 does "
        "with the factor K",
        polynomial("d + w <= d + (d + w)", d=0, w=0),
        polynomial(f"d + (d + w) <= {c}*(d + w)", d=0, w=0),
    )


@claim(
    "Section 3.2.2, remark (a)",
    "Theorem 4 gives the same guarantee as Anytime-Lazy-UCB in HHM, up to the logarithm's base",
    breaks={"base": "3"},
)
def same_order_as_anytime(base: str = "2") -> Finding:
    """HHM state the sum of ln T/min(gap, eps)."""
    return holds(
        "one is the other times 1/ln 2",
        identity(f"log2(T)/m == log(T)/m/log({base})", T=(2, 100000), m=("1/100", 1)),
    )
