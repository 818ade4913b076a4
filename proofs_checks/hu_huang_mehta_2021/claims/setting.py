"""Sections 1 to 3: the rates that are compared, the regret, and the definition of privacy."""

from __future__ import annotations

from dpaudit.ledger import at, claim, holds, identity, polynomial, typo
from dpaudit.ledger.claims import Finding


@claim(
    "Section 1.1, eq. (5) and the abstract",
    "for positive numbers 1/min(a, b) and 1/a + 1/b differ by a factor between 1 and 2",
    breaks={"c": "1.999"},
)
def two_forms_of_the_rate(c: str = "2") -> Finding:
    """log K / min(D, eps) in the abstract, log K / D + log K / eps in eq. (5); likewise eq. (2)."""
    return holds(
        "with a <= b = a + s both inequalities are polynomial after multiplying by a b",
        at(f"1/a + 1/b <= {c}/min(a, b)", a=1, b=1),
        polynomial("a + s <= a + (a + s)", a=0, s=0),
        polynomial(f"a + (a + s) <= {c}*(a + s)", a=0, s=0),
    )


@claim(
    "Section 3.1 and Section 4.1, after Theorem 3",
    "a sum over the K - 1 suboptimal arms matches K log(T)/eps up to a factor 2",
    breaks={"c": "1.99"},
)
def arms_counted(c: str = "2") -> Finding:
    """Eq. (2) sums over suboptimal arms, Shariff & Sheffet's bound has K."""
    return holds(
        "K <= 2 (K - 1) from K = 2 on, with equality at 2",
        at(f"K <= {c}*(K - 1)", K=2),
        polynomial(f"K <= {c}*(K - 1)", K=2),
    )


@claim(
    "Section 2.1, eq. (7), and eq. (25)",
    "T mu_1 minus the mean reward collected is the sum of pulls times gaps",
    breaks={"c": "1.01"},
)
def regret_by_gaps(c: str = "1") -> Finding:
    """Three arms, m1 the best mean, n1 + n2 + n3 = T."""
    return holds(
        "an identity (three arms shown; more arms add terms of the same form)",
        at(f"3*0.9 - (0.9 + 0.5 + 0.4) == 0.4 + {c}*0.5"),
        identity(
            f"(n1 + n2 + n3)*m1 - (n1*m1 + n2*m2 + n3*m3) == n2*(m1 - m2) + {c}*n3*(m1 - m3)",
            n1=(1, 9),
            n2=(1, 9),
            n3=(1, 9),
            m1=("0.1", "0.9"),
            m2=("0.1", "0.9"),
            m3=("0.1", "0.9"),
        ),
    )


@claim(
    "Definition 1 and Appendix B.1, eq. (17)",
    "if every single action sequence obeys P <= e^eps P', so does every set of them",
    breaks={"c": "0.999"},
)
def definition_1_pointwise(c: str = "1") -> Finding:
    """The proofs check points, the definition asks for sets; prefixes t <= T are such sets."""
    return holds(
        "with slacks s1, s2 >= 0 of two points the inequality of their union has slack s1 + s2; "
        "finitely many points follow one by one",
        at(f"2*q1 + 2*q2 <= {c}*2*(q1 + q2)", q1="1/4", q2="1/4"),
        polynomial(f"(e*q1 - s1) + (e*q2 - s2) <= {c}*e*(q1 + q2)", e=1, q1=0, q2=0, s1=0, s2=0),
    )


@claim(
    "Section 2.2, max-divergence",
    "Definition 1 can be read as max over y in supp(Q') of ln(Q(y)/Q'(y)) <= eps",
)
def max_divergence_support() -> Finding:
    """Dwork & Roth (2014), Definition 3.6, take the support of the first argument, Q."""
    return typo(
        "Over the support of Q' the maximum overlooks outputs that only Q can produce; over the "
        "support of Q it is the ratio bound of Definition 1. For the paper's algorithms both "
        "supports are the same, so nothing depends on it",
        # Q = (1/2, 1/2), Q' = (1, 0): both printed divergences are at most ln 2 ...
        at("(1/2)/1 <= 2"),
        at("1/(1/2) <= 2"),
        at("0/(1/2) <= 2"),
        # ... and yet Q's second output is impossible under Q'.
        at("1/2 > 2*0"),
        # Off supp(Q) the ratio bound says 0 <= e^eps Q'(y).
        polynomial("0 <= e*q", e=1, q=0),
        correction="the maximum over y in supp(Q)",
        counterexample="Q = (1/2, 1/2), Q' = (1, 0), eps = ln 2: over supp(Q') = {1} the maximum "
        "is ln(1/2) < 0, and with the roles exchanged ln 2; but Q(2) = 1/2 > e^eps Q'(2) = 0",
        considered=(
            "The direction the text uses (eps-DP gives a divergence of at most eps) holds with "
            "either support; only the converse needs supp(Q).",
            "The next sentence asks for the ratio at all possible outputs y, which is the "
            "corrected form.",
            "The support of Q' keeps the denominator positive, but then the value is no longer "
            "the max-divergence of the work cited.",
        ),
    )


@claim(
    "Section 3.2, end, and the abstract",
    "a/D + b (1 + log T)/eps exceeds a/D + b/eps by a factor 1 + log T at most",
    breaks={"c": "0.99"},
)
def bounds_differ_by_log_horizon(c: str = "1") -> Finding:
    """Upper bound (3) against lower bound (5), once (3) has its missing 1 +."""
    return holds(
        "polynomial in x = log K / D, y = log K / eps and l = log T",
        at(f"x + y*(1 + l) <= {c}*(1 + l)*(x + y)", x=0, y=1, l=1),
        polynomial(f"x + y*(1 + l) <= {c}*(1 + l)*(x + y)", x=0, y=0, l=0),
    )
