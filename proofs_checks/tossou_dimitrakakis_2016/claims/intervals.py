"""Lemma B.1: the intervals between the releases of a mean."""

from __future__ import annotations

from dpaudit.ledger import (
    at,
    chain,
    claim,
    each,
    holds,
    polynomial,
    typo,
    undecided,
)
from dpaudit.ledger.claims import Finding

Y_SERIES = (
    # epsilon = 1/10, v = 11/10: the first y' with sum i^-v >= y'^-v/epsilon is 5
    ("sum(i**(-11/10), i, 1, 4) < 10*4**(-11/10)", "sum(i**(-11/10), i, 1, 3) < 10*3**(-11/10)"),
    ("sum(i**(-11/10), i, 1, 5) >= 10*5**(-11/10)", "sum(i**(-11/10), i, 1, 2) < 10*2**(-11/10)"),
)
BASIC = "5**(-11/20) > 1/10*sum(i**(-11/20), i, 1, 5)"


@claim(
    "Lemma B.1",
    "no interval is longer than ceil(1/epsilon)",
    breaks={"m": "floor(1/e)"},
)
def intervals_are_bounded(m: str = "ceil(1/e)") -> Finding:
    """m terms, each at least the last, sum to m times the last >= last/epsilon."""
    return holds(
        "after ceil(1/epsilon) terms either condition is met, since decreasing terms are at least "
        "m times the last together; checked on a sample of epsilon and W_n",
        polynomial("(x + r + s) + (x + s) + x >= 3*x", x=0, r=0, s=0),
        each(
            f"sum(i**(-3/4), i, w + 1, w + {m}) >= (w + {m})**(-3/4)/e",
            w=[0, 1, 5, 50, 300],
            e=["9/10", "7/10", "3/10", "3/20"],
            grid=True,
        ),
        each(
            f"sum(i**(-11/10), i, w + 1, w + {m}) >= (w + {m})**(-11/10)/e",
            w=[0, 1, 5, 50, 300],
            e=["9/10", "7/10", "3/10", "3/20"],
            grid=True,
        ),
    )


@claim(
    "Lemma B.1 (x)",
    "a step that meets x's condition meets y's as well, so the x series supports both bounds",
    breaks={"c": "1.01"},
)
def x_implies_y(c: str = "1") -> Finding:
    """With a_i = i^(-v/2) >= a, the last one: sum a_i^2 >= a sum a_i >= a (a/epsilon)."""
    return holds(
        "the squares of decreasing terms are at least the last term times the terms",
        polynomial(
            f"(a + r + s)**2 + (a + s)**2 + a**2 >= {c}*a*((a + r + s) + (a + s) + a)",
            a=0,
            r=0,
            s=0,
        ),
        at(f"(1 + 1/100)**2 + 1 >= {c}*((1 + 1/100) + 1)"),
    )


@claim(
    "Lemma B.1 (y) with Appendix B.2, (B.2) to (B.3)",
    "y's condition carries the terms n^(-v/2) (exp(n^(-v/2)) - 1) too",
    breaks={"c": "1.01"},
)
def y_carries_the_second_bound(c: str = "1") -> Finding:
    """They are n^-v times (e^u - 1)/u at u = n^(-v/2), which grows with u, so falls with n."""
    return holds(
        "(e^u - 1)/u has the derivative (u e^u - e^u + 1)/u^2 >= 0",
        chain(f"u*exp(u) - {c}*exp(u) + 1 >= 0", "u", 0, factors=("1",)),
    )


@claim(
    "Lemma B.1, proof",
    "(B.5) to (B.6) follows from the condition on y",
)
def lemma_b1_proof_letter() -> Finding:
    """Both sentences of the proof name y."""
    return typo(
        "The second sentence must name x: (B.5) sums n^(-v/2), as x's condition does, and y's "
        "condition does not imply it. So y's series goes with the second bound of Theorem 3.4 "
        "only; x's goes with both (x-implies-y).",
        *[at(statement) for pair in Y_SERIES for statement in pair],
        at(BASIC),
        at("7**(-11/20) <= 1/10*sum(i**(-11/20), i, 1, 7)"),
        at("6**(-11/20) > 1/10*sum(i**(-11/20), i, 1, 6)"),
        correction="the conditions on x",
        counterexample="epsilon = 0.1, v = 1.1: the y series releases after 5 pulls, which costs "
        "5^-0.55 = 0.413; 0.1 (1 + ... + 5^-0.55) = 0.311. The x series releases after 7",
        considered=(
            "The proof ends with both x - W_n and y - W_n, so both were meant to appear.",
            "The lemma itself asks to use one of the two series throughout.",
        ),
    )


@claim(
    "Theorem 3.5 and Appendix B.5",
    "the first interval f_0 is at most 1/epsilon",
)
def first_interval() -> Finding:
    """For 1/2 < epsilon < 1 one pull is not enough, and f_0 = 2."""
    return typo(
        "Lemma B.1 has the right bound, ceil(1/epsilon): whole pulls can exceed 1/epsilon.",
        at("1 < 1/e", e="7/10"),
        at("1 + 2**(-11/20) >= 2**(-11/20)/e", e="7/10"),
        at("1 + 2**(-11/10) >= 2**(-11/10)/e", e="7/10"),
        at("2 > 1/e", e="7/10"),
        at("2 <= ceil(1/e)", e="7/10"),
        correction="f_0 <= ceil(1/epsilon)",
        counterexample="epsilon = 0.7: f_0 = 2 > 1.43, for the x and the y series",
        considered=("If 1/epsilon is whole, the two agree; epsilon in (0, 1] is general.",),
    )


@claim(
    "Appendix B.5, effect of the intervals",
    "dividing by f and multiplying by f cancel, so the intervals cost f_0 only",
)
def intervals_cancel() -> Finding:
    """An argument in words."""
    return undecided(
        "A heuristic without formulas: it does not say what an index that came out too large or "
        "too small costs, which then stays for an interval (the terms 4 t^-3.5 count one pull).",
        decides="Theorem 3.5 with the noise's own bound in the index, where an error costs f pulls",
    )
