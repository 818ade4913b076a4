"""Algorithm 3 and its privacy: Lemma 3.1, Theorem 3.4 and its corollaries, Appendix B.1 to B.4."""

from __future__ import annotations

from dpaudit.ledger import (
    at,
    bookings,
    chain,
    claim,
    cover,
    each,
    holds,
    identity,
    loose,
    polynomial,
    refuted,
    sharp,
    typo,
)
from dpaudit.ledger.claims import Finding
from dpaudit.proofs_checks.tossou_dimitrakakis_2016.claims.noise import below


def waiting(first: int, last: int, pulls: int, mean: str) -> str:
    """Log-probability that arm 2, with these pulls and mean, waits in rounds first..last.

    epsilon = 1, so f = 1, and as printed both arms are redrawn in every round; arm 1's rewards are
    0. v = 1.1: after n pulls the scale is n^(-9/20). The rounds are independent given the actions.
    """
    terms = []
    for t in range(first, last + 1):
        others = t - pulls - 1
        gap = f"({mean} + sqrt(2*log({t}))*({pulls}**(-1/2) - {others}**(-1/2)))"
        a, b = f"{pulls}**(-9/20)", f"{others}**(-9/20)"
        if pulls == others:
            x = f"(({mean})/{a})"
            terms.append(f"log(exp(-{x})*(2 + {x})/4)")
        else:
            down = below(f"(-{gap})", a, b)
            terms.append(f"log({below(gap, a, b)} if {gap} >= 0 else 1 - {down})")
    return " + ".join(terms)


@claim(
    "Fact B.1",
    "Laplace noise of scale b on a value of sensitivity d is d/b-DP: |x - d| <= |x| + d",
    breaks={"c": "0.99"},
)
def fact_b1(c: str = "1") -> Finding:
    """The squares are compared, for x = y and x = -y with y >= 0."""
    return holds(
        "the log-ratio of the densities is (|x - d| - |x|)/b <= d/b",
        polynomial(f"(y - d)**2 <= (y + {c}*d)**2", y=0, d=0),
        polynomial(f"(-y - d)**2 <= (y + {c}*d)**2", y=0, d=0),
    )


@claim(
    "Fact B.2, eq. (B.11)",
    "P(|Lap(b)| >= b ln(1/gamma)) = gamma",
    breaks={"c": "1.01"},
)
def fact_b2(c: str = "1") -> Finding:
    """The two-sided tail of Lap(b) at x is exp(-x/b)."""
    return holds(
        "exp(-ln(1/gamma)) = gamma",
        identity(f"exp(-{c}*(b*log(1/g))/b) == g", b=("1/10", 9), g=("1/100", "99/100")),
    )


@claim(
    "Lemma 3.1",
    "noise of scale n^(v/2 - 1) on a mean of n rewards is n^(-v/2)-DP",
    breaks={"c": "1.01"},
)
def lemma_3_1(c: str = "1") -> Finding:
    """Sensitivity 1/n over the scale."""
    return holds(
        "(1/n)/n^(v/2 - 1) = n^(-v/2); the confidence term of Algorithm 3's index does not depend "
        "on rewards",
        identity(f"(1/n)/n**({c}*v/2 - 1) == n**(-v/2)", n=(2, 50), v=(1, "3/2")),
    )


@claim(
    "Algorithm 3, the first K f rounds",
    "the sums s_a hold the rewards of all n_a pulls",
)
def first_rewards_are_lost() -> Finding:
    """With rewards 1 the mean must be 1."""
    return typo(
        "The line that adds a reward to s_a is not reached in the first K f rounds, while n_a "
        "counts their pulls; the first released mean is 0 plus noise.",
        each("(n - f)/n < 1", where="n >= f", n=range(1, 31), f=range(1, 11)),
        each("((n - f) + f)/n == 1", where="n >= f", n=range(1, 31), f=range(1, 11)),
        correction="the first K f rounds also add the observed reward to s_a",
        counterexample="f = 2, rewards 1: after four rounds with K = 2, n_a = 2 and s_a = 0",
        considered=(
            "Algorithm 1 inserts the rewards of its first rounds, and Lemma 3.1 speaks of a mean.",
            "The update stands inside the else-branch, before its `end if`.",
        ),
    )


@claim(
    "Algorithm 3, the condition n_a mod f = 0, against Section 3.3 (one release an interval)",
    "an arm's mean is released once for every f pulls",
)
def redrawn_while_waiting() -> Finding:
    """The log-ratio of one path of actions, the rounds being independent given the actions."""
    loss = f"({waiting(3, 12, 1, '0')}) - ({waiting(3, 12, 1, '1')})"
    return refuted(
        "The condition stays true while an arm waits, so as printed its mean is released with new "
        "noise in every round, and the actions can show more than Theorem 3.4 allows. One release "
        "an interval, as the text says, obeys the theorem.",
        at("sum(1**(-11/20), t, 3, 12) > sum(n**(-11/20), n, 1, 12)"),
        at(f"{loss} > 9"),
        bookings("dp-ucb-int", "sum(n**(-11/20), n, 1, 6)", epsilon=1.0, arms=2, rounds=6, v=1.1),
        counterexample="epsilon = 1 (f = 1), v = 1.1: arm 2 is pulled in round 2 and waits in "
        "rounds 3 to 12; ten releases of level 1 make 10, where Theorem 3.4 allows 5.25. With all "
        "rewards 0 or only r_2 = 1 the log-ratio of these actions is above 9",
        scope="conclusion",
        repair="release when n_a reaches a multiple of f, and keep the index until the next",
        considered=(
            "Section 3: 'only releases a new mean once at the beginning of each interval'; "
            "Section 3.3 and Appendix B.2 count one release in f pulls.",
        ),
    )


@claim(
    "Theorem 3.4, first bound, for one release an interval",
    "Algorithm 3 is epsilon'-DP with epsilon' = epsilon times the sum of n^(-v/2)",
    breaks={"c": "0.99"},
)
def theorem_3_4_first_bound(c: str = "1") -> Finding:
    """Every path of actions of six or seven rounds; f = 1, 2 and 3."""
    return holds(
        "for small T on all paths, in which releases have n <= T - 2; for every T the levels of "
        "the releases add up as in every-fth-term. At f = 1 the sum is reached",
        bookings("dp-ucb-int", f"{c}*sum(n**(-11/20), n, 1, 4)", epsilon=1.0, arms=2, rounds=6,
                 v=1.1),
        bookings("dp-ucb-int", f"{c}*1/2*sum(n**(-11/20), n, 1, 6)", epsilon=0.5, arms=2, rounds=7,
                 v=1.1),
        bookings("dp-ucb-int", f"{c}*0.4*sum(n**(-3/4), n, 1, 6)", epsilon=0.4, arms=2, rounds=7,
                 v=1.5),
        only="T <= 6 and 7, K = 2",
        decides="the prover: the steps on symbols, for every T and K",
    )  # fmt: skip


@claim(
    "Theorem 3.4, second bound; Appendix B.3, eq. (B.7)",
    "the denominator in the sum over n is the square root of t^v",
)
def theorem_3_4_denominator() -> Finding:
    """Appendix B.2 derives the sum with n^v, (B.3)."""
    term = "(exp(n**(-3/4)) - 1)"
    return typo(
        "With t^v the sum is smaller than the composition (B.3) that it is to restate.",
        at(f"sum({term}*t**(-3/4), n, 1, t) < 1.505", t=2),
        at(f"sum({term}*n**(-3/4), n, 1, t) > 2.2", t=2),
        at(f"sum({term}*t**(-3/4), n, 1, t) < 1/3*sum({term}*n**(-3/4), n, 1, t)", t=100),
        correction="square root of n^v",
        counterexample="epsilon = 1, v = 1.5, t = 2: 1.50 with t^v, 2.20 with n^v",
        considered=(
            "(B.1) to (B.3) have n^v, and (B.8) names its summation variable t in both places.",
            "Extraction keeps n and t apart in the same fraction.",
        ),
    )


@claim(
    "Theorem 3.4 and Appendix B.2 (mean loss of a release)",
    "the expected log-ratio of one Laplace release of level x is at most x (e^x - 1)",
)
def mean_loss_of_a_release() -> Finding:
    """The divergence between Lap(1) and its shift by x is x - 1 + exp(-x)."""
    return loose(
        "the composition theorem's term for any mechanism; for Laplace releases the exact mean "
        "loss is at most half of it",
        chain("x - 1 + exp(-x) <= x**2/2", "x", 0, factors=("1", "1", "1")),
        chain("x**2 <= x*(exp(x) - 1)", "x", 0, factors=("1", "1", "1")),
        tight="x - 1 + exp(-x)",
    )


@claim(
    "Appendix B.2, (B.2) to (B.3) and (B.5) to (B.6), interval f",
    "a sum of decreasing terms over every f-th index is at most 1/f of the whole sum",
    breaks={"c": "0.9"},
)
def every_fth_term(c: str = "1") -> Finding:
    """Each block's last term is its least; 1/ceil(1/epsilon) <= epsilon does the rest."""
    return holds(
        "a term is at most the mean of its block, whose terms are not smaller; with f = "
        "ceil(1/epsilon) this covers an epsilon whose inverse is not whole",
        polynomial(f"x + x + x <= {c}*((x + r + s) + (x + s) + x)", x=0, r=0, s=0),
        each(
            f"sum((j*f)**(-3/4), j, 1, m) < {c}*sum(n**(-3/4), n, 1, m*f)/f",
            f=range(2, 6),
            m=[1, 2, 5, 20, 60],
            grid=True,
        ),
        each("1/ceil(1/e) <= e", e=[f"{k}/37" for k in range(1, 38)], grid=True),
    )


@claim(
    "Corollary 3.1, first bound (Appendix B.3, integral test)",
    "the sum of n^(-v/2) to t is at most (t^(1 - v/2) - v/2)/(1 - v/2)",
    breaks={"q": "p + 1/1000"},
)
def corollary_3_1_integral(q: str = "p") -> Finding:
    """p = v/2; the step p log(1 + y) <= log(1 + p y), y = 1/n, has the derivative shown."""
    return holds(
        "equality at t = 1; the step is p/(1 + y) <= p/(1 + p y) integrated, for every p <= 1",
        each(f"1 <= (1 - ({q}))/(1 - p)", p=["51/100", "11/20", "3/4"]),
        polynomial("1 + (1 - s)*y <= 1 + y", s=0, y=0),
        polynomial("x*(x + 1)**3 <= (x + 3/4)**4", x=0),
        polynomial("x**9*(x + 1)**11 <= (x + 11/20)**20", x=0),
    )


@claim(
    "Corollary 3.1, proof (Section 3.3 and B.3)",
    "e^x <= 1 + 2 x on [0, 1]",
)
def exponential_bound() -> Finding:
    """(e^x - 1)/x increases to e - 1 at 1; below 10^-6 it is at most e^(10^-6)."""
    return sharp(
        "(exp(x) - 1)/x",
        "2",
        lambda s: cover(s, x=("1/1000000", 1)),
        "so 2 zeta(v) in Corollaries 3.1 and 3.2 may be 1.719 zeta(v)",
        x=("1/1000000", 1),
    )


@claim(
    "Corollary 3.1, second bound, eq. (B.8) to (B.10)",
    "the composition bound is at most 2 epsilon z + sqrt(2 epsilon z ln(1/delta')), z = zeta(v)",
    breaks={"c": "1.7"},
)
def corollary_3_1_zeta(c: str = "2") -> Finding:
    """Term by term: n^(-v/2) (exp(n^(-v/2)) - 1) <= 2 n^-v; the first term needs 1.718."""
    return holds(
        "each term of (B.8) is at most that of (B.9), whose sums are zeta(v)",
        each(
            f"n**(-3/4)*(exp(n**(-3/4)) - 1) <= {c}*n**(-3/2)", n=range(1, 60), grid=True
        ),
        cover(f"exp(x) - 1 <= {c}*x", x=("1/1000", 1)),
        identity("e*(2*z) + sqrt(e*(2*z*d)) == 2*e*z + sqrt(2*e*z*d)",
                 e=("1/10", 1), z=(1, 9), d=(1, 9)),
    )  # fmt: skip


@claim(
    "Corollary 3.2",
    "epsilon = (sqrt((L + 4 epsilon')/(8 z)) - sqrt(L/(8 z)))^2, L = log(1/delta'), makes the "
    "second bound equal epsilon'",
    breaks={"c": "4.01"},
)
def corollary_3_2(c: str = "4") -> Finding:
    """In s = sqrt(epsilon): 2 z s^2 + sqrt(2 z L) s = epsilon'."""
    s = f"(sqrt((u + {c}*x)/(8*z)) - sqrt(u/(8*z)))"
    return holds(
        "the positive root of the quadratic; it is below 1, since 2 epsilon z <= epsilon' <= 1 < z",
        identity(f"2*z*{s}**2 + {s}*sqrt(2*z*u) == x", u=(1, 9), x=("1/10", 1), z=(2, 9)),
    )
