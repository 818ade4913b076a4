"""Algorithm 1: its epochs, the algorithm it varies, and Bernoulli resampling (Section 3.1)."""

from __future__ import annotations

from dpaudit.ledger import (
    at,
    claim,
    cover,
    each,
    holds,
    identity,
    induction,
    refuted,
    typo,
    words,
)
from dpaudit.ledger.claims import Finding


@claim("Algorithm 1, line 4", "epochs r = 1, ..., ceil(log2(T - 1)) + 1 are those T rounds need")
def epoch_count() -> Finding:
    """Epoch r has the rounds 2^(r-1), ..., 2^r - 1."""
    return typo(
        "For T = 2 there is one epoch, and round 2 is never played; for T = 1 the logarithm is "
        "that of 0. For T = 6 there is one epoch more than needed, which is harmless. From T = 3 "
        "on there are always enough epochs.",
        at("2**(ceillog2(T - 1) + 1) - 1 < T", T=2),
        at("2**ceillog2(T - 1) - 1 >= T", T=6),
        each("2**(ceillog2(T - 1) + 1) - 1 >= T", T=range(3, 1025)),
        each("2**ceillog2(T + 1) - 1 >= T", T=range(1, 1025)),
        each("2**(ceillog2(T + 1) - 1) <= T", T=range(1, 1025)),
        correction="r = 1, ..., ceil(log2(T + 1))",
        counterexample="T = 2: ceil(log2 1) + 1 = 1 epoch, which is round 1 alone",
        considered=(
            "the proofs take T = 2^R - 1 with R epochs, which is ceil(log2(T + 1))",
            "the loop might be meant to stop at T: that cures T = 6 but not T = 1 and T = 2",
        ),
    )


@claim(
    "Algorithm 1, line 6; Section 3.2",
    "the first n epochs have 2^n - 1 rounds",
    breaks={"k": "1.01"},
)
def epochs_cover_the_rounds(k: str = "1") -> Finding:
    """Also used as sum of 2^(r-1) up to r(j), less than 2^r(j)."""
    return holds(
        "By induction.",
        induction(f"sum(2**(r-1), r, 1, n) == {k}*2**n - 1", 1),
    )


@claim("Section 3.2; Appendix C", "the regret of T = 2^(R+1) - 1 rounds is a sum over R epochs")
def horizon_of_the_proof() -> Finding:
    """The same paragraph first says T = 2^R - 1."""
    return typo(
        "R epochs have 2^R - 1 rounds.",
        each("sum(2**(r-1), r, 1, R) < 2**(R+1) - 1", R=range(1, 13)),
        induction("sum(2**(r-1), r, 1, R) == 2**R - 1", 1),
        correction="T = 2^R - 1",
        counterexample="R = 1: one epoch, one round, but 2^2 - 1 = 3",
        considered=(
            "the sentence before has T = 2^R - 1, and all sums run to R",
            "Hu et al. write 2^(R+1) - 1 because their epochs start at 0",
        ),
    )


@claim("Algorithm 1, line 1; Section 2.2", "B = 0 with Lap(2/eps) is Hu et al.'s RNM-FTNL")
def original_recovered() -> Finding:
    """Hu et al., Algorithm 4, lines 2 and 5, in the version we have."""
    return typo(
        "In the version of Hu et al. that we have, Algorithm 4 and the proof of Lemma 24 add "
        "Lap(1/eps), and the first action is fixed. The scale 2/eps is the one that eps-privacy "
        "needs (privacy-laplace): the change is an improvement that could be pointed out.",
        words(),
        correction="with Lap(2/eps) in place of Lap(1/eps), which is not eps-private",
        considered=("another version of Hu et al. may have the scale 2/eps",),
    )


@claim(
    "Algorithm 1, line 12; Section 3.1",
    "resampled losses are independent Bernoulli variables of the same means",
    breaks={"k": "1.01"},
)
def resampling_keeps_means(k: str = "1") -> Finding:
    """Two arms with two-point losses: x or y with weight w, z or u with weight v."""
    both = "w*v*x*z + w*(1-v)*x*u + (1-w)*v*y*z + (1-w)*(1-v)*y*u"
    first = "w*v*x*(1-z) + w*(1-v)*x*(1-u) + (1-w)*v*y*(1-z) + (1-w)*(1-v)*y*(1-u)"
    means = "(w*x + (1-w)*y)*(v*z + (1-v)*u)"
    box = dict.fromkeys("wvxyzu", ("1/10", "9/10"))
    return holds(
        "Shown for two arms with two losses each: that both resampled losses are 1 has the product "
        "of the means as its probability, and that the first is 1 its mean. For more it is the "
        "same: an expectation of a product is the product of expectations.",
        identity(f"{both} == {k}*{means}", **box),
        identity(f"{both} + {first} == w*x + (1-w)*y", **box),
        only="two actions with two losses each",
        decides="the same for any law: an expectation of a product is one of expectations",
    )


@claim(
    "Section 3.1; footnote 1",
    "the worst case with resampling is not worse than without",
    breaks={"k": "1.01"},
)
def resampling_worst_case(k: str = "1") -> Finding:
    """Resampled runs are plain runs on Bernoulli instances, which are among all instances: here the
    chance that action 2 is strictly ahead after one round, for two losses each."""
    return holds(
        "The regret with B = 1 is that with B = 0 on the Bernoulli instance of the same means, so "
        "its supremum is over fewer instances. Whether it is strictly better is left open.",
        identity(
            "w*v*x*(1-z) + w*(1-v)*x*(1-u) + (1-w)*v*y*(1-z) + (1-w)*(1-v)*y*(1-u)"
            f" == {k}*(w*x + (1-w)*y)*(1 - (v*z + (1-v)*u))",
            **dict.fromkeys("wvxyzu", ("1/10", "9/10")),
        ),
        rests=("resampling-keeps-means",),
    )


PRINTED = "((0.8 if 0.4 < 0.3 else 0) + (0.2 if 0 < 0.3 else 0))"
"""P(the second loss is the smaller one) in the example of Section 3.1."""


@claim(
    "Section 3.1, example",
    "losses 0.3, and 0.4 or 0 with 0.8 and 0.2: without noise P(J_1 = 2) = 0.8",
)
def resampling_example() -> Finding:
    """Line 16 takes the smallest loss."""
    return refuted(
        "Action 1 is indeed the better one (0.3 against 0.32). But action 2 is taken only where "
        "its loss is the smaller, that is 0: with probability 0.2, not 0.8. The point it is to "
        "illustrate stands, with other numbers.",
        at("0.8*0.4 + 0.2*0 > 0.3"),
        at(f"{PRINTED} == 0.2"),
        at("(0.9 if 0.01 < 0.02 else 0) + (0.1 if 1 < 0.02 else 0) == 0.9"),
        at("0.9*0.01 + 0.1*1 > 0.02"),
        counterexample="J_1 = 2 needs a second loss below 0.3; it is 0.4 with probability 0.8",
        scope="step",
        repair="losses 0.02, and 0.01 or 1 with 0.9 and 0.1 (mean 0.109): P(J_1 = 2) = 0.9, and "
        "resampling lowers the regret (see resampling-example-regret)",
        considered=(
            "read as rewards, action 2 would be the better one, against the text",
            "the means 0.3 and 0.32 make action 1 the better one, as the text says; so no single "
            "number is evidently misprinted",
        ),
    )


@claim(
    "Section 3.1, example",
    "on that instance resampling lowers the regret",
    slow=True,
)
def resampling_example_regret() -> Finding:
    """Tie 0.572, action 2 ahead 0.204, action 1 ahead 0.224; s is 1 over the noise's scale.

    The repair's instance, without noise, summed over the six epochs of 63 rounds, in gaps: action 2
    is taken after n rounds if all its n losses were 0.01, or, resampled, if it has fewer ones.
    """
    n = "2**(r-1)"
    plain = f"1/2 + sum(2**r*(9/10)**({n}), r, 1, 5)"
    ones = f"binomial({n}, b)*(109/1000)**b*(891/1000)**({n}-b)"
    best = f"binomial({n}, a)*(2/100)**a*(98/100)**({n}-a)"
    chosen = (
        f"sum(sum({ones}*{best}*(1 if b < a else (1/2 if b == a else 0)), a, 0, {n}), b, 0, {n})"
    )
    sampled = f"1/2 + sum(2**r*{chosen}, r, 1, 5)"
    resampled = "0.3*(1-0.32) + (0.3*0.32 + 0.7*0.68)/2"
    gumbel = (
        "0.8/(1 + exp(0.1*s)) + 0.2/(1 + exp(-0.3*s)) + 1/100000 < 0.204/(1 + exp(-s)) + 0.286 + "
        "0.224/(1 + exp(s))"
    )
    laplace = (
        "0.8*exp(-0.1*s)*(2 + 0.1*s)/4 + 0.2*(1 - exp(-0.3*s)*(2 + 0.3*s)/4) + 1/100000"
        " < 0.204*(1 - exp(-s)*(2 + s)/4) + 0.286 + 0.224*exp(-s)*(2 + s)/4"
    )
    exponential = (
        "0.8*exp(-0.1*s)/2 + 0.2*(1 - exp(-0.3*s)/2) + 1/100000 < 0.204*(1 - exp(-s)/2) + 0.286 + "
        "0.224*exp(-s)/2"
    )
    return refuted(
        "A consequence of the claim before, not a slip of its own. Resampling raises P(J_1 = 2): "
        "without noise from 0.2 to 0.49, and for each of the three noises (of scale 1/s) at every "
        "s from 1/2 to 20. With losses 0.02, and 0.01 or 1 with 0.9 and 0.1, it falls from 0.9 to "
        "0.46, and the regret of 63 rounds from 2.10 to 1.34 (without noise).",
        at(f"{resampled} == 0.49"),
        at(f"{PRINTED} < {resampled}"),
        cover(gumbel, s=("1/2", 20)),
        cover(laplace, s=("1/2", 20)),
        cover(exponential, s=("1/2", 20)),
        at(f"{plain} > 23.6"),
        at(f"{sampled} < 15.1"),
        counterexample=(
            "no noise: P(J_1 = 2) = 0.2; resampled 0.3*0.68 + (0.3*0.32 + 0.7*0.68)/2 = 0.49"
        ),
        scope="step",
        repair="losses 0.02, and 0.01 or 1 with 0.9 and 0.1",
        considered=(
            "the general statement, some instances gain, holds with the mended example",
            "P(J_1 = 2) <= 1/2 <= P(J_1 = 1) after resampling is true, here 0.49",
        ),
    )
