"""Sections 1 and 2: densities, the regret, Definition 1, and what is quoted of earlier work."""

from __future__ import annotations

from dpaudit.ledger import (
    ambiguous,
    at,
    chain,
    claim,
    holds,
    identity,
    loose,
    polynomial,
    typo,
    words,
)
from dpaudit.ledger.claims import Finding


@claim("Section 2.2", "Lap(b) has the density b/2 * exp(-|x|/b)")
def laplace_density() -> Finding:
    """Of scale b = 2, the printed function has mass 4 (1 - exp(-1/2)) = 1.57 on [-1, 1]."""
    return typo(
        "The printed function has mass b^2, which is 1 for b = 1 only; for b = 2 the interval "
        "[-1, 1] alone has mass above 1. With 1/(2b) each half has mass 1/2: its distribution "
        "function rises by (1 - exp(-h)) exp(-x)/2 from x to x + h (in units of b), which lies "
        "between h times the density at either end.",
        at("b**2*(1 - exp(-1/b)) > 1.57", b=2),
        chain("h * exp(-h) <= 1 - exp(-h)", "h", 0, factors=("exp(h)",)),
        chain("1 - exp(-h) <= h", "h", 0, factors=("1", "1")),
        correction="1/(2b) * exp(-|x|/b)",
        counterexample="b = 2: exp(-|x|/2) has mass 4 (1 - exp(-1/2)) = 1.57 on [-1, 1]",
        considered=(
            "the densities of Exp(b) and Gumbel(b) in Section 3.1 both carry 1/b",
            "a fraction lost in extraction would leave the same text; nothing depends on it",
        ),
    )


@claim(
    "Section 3.1",
    "Exp(b): exp(-x/b)/b from 0 on, and Gumbel(b): exp(-x/b - exp(-x/b))/b, are densities",
    breaks={"b": "0.99"},
)
def exponential_and_gumbel_densities(b: str = "1") -> Finding:
    """In units of the scale; u = exp(-x) carries the Gumbel density over into exp(-u)."""
    return holds(
        "The exponential distribution function 1 - exp(-x) has the printed slope and total mass "
        "1; with u = exp(-x) the Gumbel density times |dx/du| = 1/u is exp(-u).",
        chain(f"{b} * (1 - exp(-h)) >= h * exp(-h)", "h", 0, factors=("exp(h)",)),
        chain(f"1 - exp(-h) <= {b} * h", "h", 0, factors=("1", "1")),
        identity("exp(-x - exp(-x)) / exp(-x) == exp(-exp(-x))", x=(-3, 3)),
    )


@claim(
    "Section 2.1, eq. (1)",
    "expected losses minus T times the best mean equal the summed expected gaps of the actions",
    breaks={"k": "1.01"},
)
def regret_as_gaps(k: str = "1") -> Finding:
    """Follow the leader (ties at random), two Bernoulli arms, round 2: all 16 outcomes."""
    law = "p**a*(1-p)**(1-a)*q**b*(1-q)**(1-b)*p**c*(1-p)**(1-c)*q**d*(1-q)**(1-d)"
    loss = "((1-a+b)/2*c + (1+a-b)/2*d)"
    total = f"{law}*{loss}"
    for name in "dcba":
        total = f"sum({total}, {name}, 0, 1)"
    return holds(
        "Shown for follow the leader with two Bernoulli arms at round 2: summed over all outcomes, "
        "the excess loss is the gap times the probability of the worse arm. In general it is so "
        "because a round's losses are drawn apart from what chose its action.",
        identity(f"{total} - p == {k}*(q - p)*(1 + p - q)/2", p=("1/10", "2/5"), q=("1/2", "9/10")),
        only="follow the leader, two Bernoulli arms, round 2",
        decides="the tower rule, for any learner: given the past a round's losses have their means",
    )


@claim(
    "Definition 1",
    "the condition on sets of action sequences, at all t <= T, is that on single sequences at T",
    breaks={"e": "0.99*e"},
)
def definition_1(e: str = "e") -> Finding:
    """Two sequences merged: into a set, or into one shorter sequence."""
    return holds(
        "If a + s = e c and b + u = e d with s, u >= 0, then a + b <= e (c + d): a set, and a "
        "prefix (the sum over its continuations), inherit the ratio.",
        polynomial(f"(e*c - s) + (e*d - u) <= {e}*(c + d)", c=0, d=0, s=0, u=0, e=1),
    )


@claim(
    "Section 2.2, eq. (2); Remark 9",
    "log K/gap + log K/eps, its larger summand and log K/min(gap, eps) are the same up to 2",
    breaks={"k": "1.99"},
)
def forms_of_the_lower_bound(k: str = "2") -> Finding:
    """Hu et al. state their Theorem 12 with max and Corollary 10 (b) with 1/min."""
    return holds(
        "With v the smaller and v + s the larger of the two summands.",
        polynomial(f"v + (v + s) <= {k}*(v + s)", v=0, s=0),
        polynomial("v + s <= v + (v + s)", v=0, s=0),
    )


@claim("Section 2.2, eq. (2); Table 1", "Hu et al.'s lower bound holds for all problem instances")
def lower_bound_conditions() -> Finding:
    """Gap 1, fixed losses 0 and 1: following the leader, without noise, costs at most round 1."""
    return ambiguous(
        "Hu et al.'s Theorem 12 asks for a gap below 1/4, K >= 4 and T at least max(ln K/(16 "
        "gap^2), ln K/(10 eps gap)); the quotation drops this. At gap 1 no log K/gap is paid.",
        at("1 < c*log(K)", c=1, K=3),
        repair="state the conditions: gap < 1/4, K >= 4, T large",
        counterexample="gap 1 and fixed losses: following the leader costs at most 1, and log K is "
        "unbounded",
        considered=("as a statement about the worst instance it is Hu et al.'s theorem",),
    )


@claim("Section 1", "the best instance-independent lower bound is O(sqrt(T log K) + log K/eps)")
def lower_bound_symbol() -> Finding:
    """Table 1 and Hu et al., eq. (6)."""
    return typo(
        "The sentence quotes a lower bound, so O should be Omega, as in Hu et al.'s eq. (6).",
        words(),
        correction="Omega(sqrt(T log K) + log K/eps)",
        considered=("Table 1 has the expression in its column of lower bounds",),
    )


@claim("Theorem 2", "RNM-FTNL's regret is O(log K/gap + log K log T/eps) by Hu et al.")
def theorem_2_regret() -> Finding:
    """Hu et al., Theorem 9: log T stands for log(largest gap / max(gap, eps, 1/T))."""
    return loose(
        "Follows, since max(gap, eps, 1/T) = 1/T + s >= 1/T and gaps are at most 1. But the "
        "theorem cited has the logarithm of 1/max(gap, eps, 1/T), which stops growing at "
        "T = 1/max(gap, eps). (The 1 in the better form covers equal gaps, where its logarithm "
        "is 0.)",
        polynomial("q <= q + s", q=0, s=0),
        at("log(1/max(gap, 1/T)) < log(T)/10", gap="1/10", T="2**60"),
        tight="log K (1 + log(largest gap / max(gap, eps, 1/T))) / eps, if some gap exceeds eps",
    )


@claim("Section 1; Remark 4", "no earlier bound was free of T and logarithmic in K")
def first_free_of_t() -> Finding:
    """Hu et al., Theorem 9, second form: once 1/T <= gap its logarithm no longer moves."""
    return ambiguous(
        "Hu et al.'s Theorem 9 is, once T >= 1/max(gap, eps), free of T and logarithmic in K as "
        "well, at the price of log(1/max(gap, eps)). What is new here is a privacy term free of T "
        "and of the gap.",
        at("log(1/max(g, 1/T)) == log(1/g)", g=1, T=1000),
        repair="the first whose privacy term is free of T and of the gaps",
        counterexample="T >= 1/gap: log(1/max(gap, eps, 1/T)) does not depend on T",
        considered=("Table 1 quotes Hu et al.'s bound with log T, which hides this",),
    )


@claim(
    "Section 1; Remark 4",
    "log^2 K/eps improves on log K log T/eps as soon as T > K",
    breaks={"k": "0.99"},
)
def improves_when_t_exceeds_k(k: str = "1") -> Finding:
    """With u = log K and log T = u + s."""
    return holds(
        "The ratio of the two terms is log K/log T.",
        polynomial(f"u*u <= {k}*u*(u + s)", u=0, s=0),
    )


@claim("Remark 4", "Hu et al.'s sum over groups gives O(log K/gap + K log K/eps)")
def remark_4_groups() -> Finding:
    """Their first bound: the sum of 1 + log |J_l| over the groups that are not empty."""
    return loose(
        "Since 1 + ln n <= n, the sum over groups is at most the number K - 1 of suboptimal "
        "actions: K/eps, without the logarithm; groups of one action attain it.",
        chain("1 + log(n) <= n", "n", 1, factors=("n",)),
        at("(K - 1) * (1 + log(1)) > 0.999 * (K - 1)", K=100),
        at("K - 1 < K * log(K)", K=100),
        tight="(K - 1)/eps",
    )


@claim("Section 3.2; Appendix C", "the tail bound is Hu et al.'s Lemma 9, the sum their Theorem 24")
def labels_of_hu_et_al() -> Finding:
    """One counter runs through Hu et al.: number 9 is a theorem, number 24 a lemma."""
    return typo(
        "In the version at hand the two labels are exchanged: the tail bound is Lemma 24, and the "
        "sum stands in the proof of Theorem 9.",
        words(),
        correction="Lemma 24 and Theorem 9",
        considered=(
            "another version of Hu et al. may number otherwise",
            "Appendix C cites Theorem 9, correctly, for the other half of the regret",
        ),
    )


@claim("Section 2.2; Section 3.2; Appendix D", "FNM-FTNL; Algorithm 3; Corollary ??")
def labels_of_its_own() -> Finding:
    """References to what is not there."""
    return typo(
        "FNM-FTNL (three times) is RNM-FTNL; the only algorithm is Algorithm 1; Appendix D refers "
        "to a corollary that has no number.",
        words(),
        correction="RNM-FTNL; Algorithm 1; no corollary is needed",
        considered=("a number lost in extraction would not leave two question marks",),
    )
