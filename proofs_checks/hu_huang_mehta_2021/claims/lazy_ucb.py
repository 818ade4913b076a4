"""Section 4.1 and Appendix B: Anytime-Lazy-UCB, its privacy (Theorem 2) and regret (Theorem 3).

x stands for 24 L/(D m), of which d_j is the base-2 logarithm rounded up; omega(r) = 2**(r+1) - 1.
"""

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
    induction,
    loose,
    polynomial,
    proved,
    typo,
)
from dpaudit.ledger.claims import Finding


@claim("Theorem 2", "Algorithm 1 is eps-DP", breaks={"level": "0.999"})
def theorem_2_privacy(level: str = "1") -> Finding:
    """Every observation enters one release, with Lap(1/eps) on a sum of sensitivity 1."""
    return holds(
        "no action path of 7 rounds with 2 arms, or of 6 rounds with 3, books more than eps, "
        "whichever round is changed; a reward moved from 0 to 1 books exactly eps",
        bookings("anytime-lazy-ucb", level, epsilon=1.0, arms=2, rounds=7),
        bookings("anytime-lazy-ucb", level, epsilon=1.0, arms=3, rounds=6),
        proved("anytime-lazy-ucb", level),
    )


@claim(
    "Appendix B.1, eq. (21)",
    "the density of a sum plus Lap(1/eps) changes by a factor e^eps at most when one reward does",
    breaks={"c": "0.999"},
)
def theorem_2_density(c: str = "1") -> Finding:
    """The log-ratio is piecewise linear in y, with corners at the two sums (0 and t)."""
    return holds(
        "|y - t| - |y| is linear between its corners 0 and t and constant beyond, and at most 1 "
        "at every corner and beyond",
        each(f"abs(y - t) - abs(y) <= {c}", t=[-1, 0, 1], y=range(-3, 4)),
    )


@claim(
    "Section 4.1, AdaP-UCB, item (b)",
    "Lap(1/eps) on a sum of n rewards is Lap(1/(eps n)) on their mean",
    breaks={"c": "1.001"},
)
def noise_on_sum_or_mean(c: str = "1") -> Finding:
    """Change of variables in the density of Fact 14."""
    return holds(
        "the densities agree for all n, eps and y >= 0",
        identity(
            f"n*(eps/2)*exp(-eps*(n*y)) == {c}*(eps*n/2)*exp(-(eps*n)*y)",
            n=(1, 64),
            eps=("0.1", 5),
            y=("0.01", 3),
        ),
    )


@claim(
    "Algorithm 1, lines 6 and 7, and Appendix B.2.1",
    "2**(r+1) - 1 pulls process the epochs 0 to r",
    breaks={"c": "1.001"},
)
def pulls_of_epochs(c: str = "1") -> Finding:
    """omega(r), the sum of 2^q for q up to r."""
    return holds(
        "by induction on r",
        induction(f"sum(2**q, q, 0, r) == {c}*(2**(r + 1) - 1)", 0),
    )


@claim(
    "Section 4.1, proof sketch of Theorem 3",
    "the last processed epoch r of an arm is at most log2(T)",
    breaks={"c": "1.99"},
)
def last_epoch(c: str = "2") -> Finding:
    """omega(r) <= T means 2^(r+1) <= T + 1."""
    return holds("T + 1 <= 2 T", at(f"T + 1 <= {c}*T", T=1), polynomial(f"T + 1 <= {c}*T", T=1))


@claim(
    "Appendix B.2.1, eq. (23)",
    "sum to r+1 of 2^q is at most sum to d+1 plus the sum from d+1 to r+1",
)
def eq_23_split() -> Finding:
    """The term q = d + 1 is counted twice. N = 2^(d+1); 2^(r+2) is N X for r >= d - 1."""
    return loose(
        "omega(d) in place of omega(d+1) suffices here, as the second sum starts at q = d + 1; "
        "in eq. (24), whose sum starts at s = d + 1, omega(d+1) also covers s = d",
        polynomial("N*X - 1 <= (2*N - 1) + (N*X - N)", N=2, X=1),
        identity("N*X - 1 == (N - 1) + (N*X - N)", N=(2, 64), X=(1, 64)),
        each(
            "sum(2**q, q, 0, r + 1) <= sum(2**q, q, 0, d) + sum(2**q, q, d + 1, r + 1)",
            r=range(24),
            d=range(24),
            grid=True,
        ),
        at("sum(2**q, q, 0, 6) > sum(2**q, q, 0, 4) - 1/1000 + sum(2**q, q, 5, 6)"),
        tight="omega(d), attained for r >= d - 1",
    )


@claim(
    "Appendix B.2.1, eq. (24), second line",
    "omega(d+1) + P sum over q from d+1 to s+1 of 2^q is at most omega(d) + P omega(s+1), P <= 1",
)
def eq_24_second_line() -> Finding:
    """Both sides are linear in P, so P = 0 and P = 1 decide."""
    printed = "(2**(d + 1) - 1) + P*(2**(s + 2) - 1)"
    left = "(2**(d + 2) - 1) + P*sum(2**q, q, d + 1, s + 1)"
    corrected = "(2**(d + 2) - 1) + P*(2**(s + 2) - 1)"
    d, s = range(1, 16), range(1, 18)
    return typo(
        "The first term must stay omega(d+1): left minus right is 2^(d+1) (1 - P) + P, at least 1 "
        "for every probability P",
        identity(
            "(2*N - 1) + P*(X - N) - ((N - 1) + P*(X - 1)) == N*(1 - P) + P",
            N=(2, 64),
            P=(0, 1),
            X=(4, 99),
        ),
        polynomial("2*N*h + (1 - h) >= 1", N=1, h=0),
        each(f"{left} > {printed}", where="s > d", d=d, s=s, P=[0, 1], grid=True),
        each(f"{left} <= {corrected}", where="s > d", d=d, s=s, P=[0, 1], grid=True),
        correction="omega(d+1) in the second line too",
        counterexample="d = 5, P{r_j = 6} = 1: left 127 + (64 + 128) = 319, right 63 + 255 = 318",
        considered=(
            "The reason given for the step (the sum is at most omega(s+1)) leaves omega(d+1) as "
            "it is, and the sketch in Section 4.1 prints omega(d+1) on both sides.",
            "The order of the bound is not affected: omega(d+1) = 2 omega(d) + 1.",
            "Eq. (23) holds with omega(d), but the sum of eq. (24) leaves out s = d, where up to "
            "omega(d+1) pulls are possible.",
        ),
    )


@claim(
    "Section 4.1 and Appendix B.2.1, Lemma 19",
    "rounding log2(x) up to d gives x <= 2^d <= 2 x",
    breaks={"c": "1.99"},
)
def threshold_rounded_up(c: str = "2") -> Finding:
    """`log` is nowhere defined; here it has to be base 2. p = 2^(d-1) < x = p + s <= 2 p."""
    return holds(
        "2^d = 2 p < 2 x; a natural logarithm of 100 rounds up to 5, but 2^5 < 100",
        polynomial(f"2*p <= {c}*(p + s)", p=0, s=0),
        at("log(100) < 5"),
        at("2**5 < 100"),
    )


@claim(
    "Appendix B.2.1, eq. (24), third line",
    "omega(d+1) is at most 192 ln(T)/(D m)",
    breaks={"c": "7.99"},
)
def eq_24_first_term(c: str = "8") -> Finding:
    """The constant behind the O: 2^d = (2 - h) x with 0 < h <= 1, and 8 * 24 = 192."""
    return holds(
        "2^(d+2) - 1 <= 8 x for every rounding; 8 cannot be replaced by 7.99 (x = 1025)",
        at(f"2**(ceillog2(x) + 2) - 1 <= {c}*x", x=1025),
        polynomial(f"4*(2 - h)*x - 1 <= {c}*x", x=0, h=0),
        each(f"2**(ceillog2(x) + 2) - 1 <= {c}*x", x=[17, 33, 65, 129, 257, 513, 1025], grid=True),
    )


@claim(
    "Lemma 19, eq. (27)",
    "if arm j's index is at least arm 1's, one of three events occurs",
    breaks={"c": "1.99"},
)
def eq_27_three_events(c: str = "2") -> Finding:
    """Bonuses b (arm j) and w (arm 1); s1, s2, s3 by how much each event fails; D = 2 b + s3."""
    return holds(
        "if none occurs, arm j's index mu_j + 2b - s1 is below arm 1's mu_j + D + s2",
        at(f"b + b <= {c}*b", b=1),
        polynomial(
            f"(mu + b - s1) + b <= (mu + ({c}*b + s3) - w + s2) + w",
            mu=0,
            b=0,
            w=0,
            s1=0,
            s2=0,
            s3=0,
        ),
    )


@claim(
    "Lemma 19, eq. (28)",
    "each tail event has probability at most 1/(2 t^3) + 1/t^6, an O(1/t^3)",
    breaks={"c": "3.01"},
)
def eq_28_tails(c: str = "3") -> Finding:
    """One Laplace tail beyond ln(t^3)/eps, one Hoeffding tail at sqrt(ln(t^3)/n)."""
    return holds(
        "both tails in closed form (one-sided)",
        identity(
            f"exp(-eps*({c}*log(t)/eps))/2 + exp(-2*n*({c}*log(t)/n)) == t**(-3)/2 + t**(-6)",
            t=(2, 40),
            eps=("0.1", 2),
            n=(1, 64),
        ),
    )


@claim(
    "Lemma 19, eq. (29)",
    "with 2^d >= 24 L/(D m) the bonus of arm j is below D/2",
)
def eq_29_constant() -> Finding:
    """a = sqrt(m/D) and b = m/eps are at most 1; the bonus is D (sqrt(3/c) a + 3 b/c)."""
    bonus = "sqrt(3/{c})*a + 3*b/{c}"
    return loose(
        "the bonus is at most 0.479 D; the root of sqrt(3/c) + 3/c = 1/2 is c = 6 (2 + sqrt(3))",
        cover(bonus.format(c="24") + " < 1/2", a=(0, 1), b=(0, 1)),
        cover(bonus.format(c="24") + " <= 0.479", a=(0, 1), b=(0, 1)),
        cover(bonus.format(c="22.4") + " < 1/2", a=(0, 1), b=(0, 1)),
        at(bonus.format(c="22.39") + " > 1/2", a=1, b=1),
        at("6*(2 + sqrt(3)) <= 22.4"),
        tight="22.4 in place of 24",
    )


@claim(
    "Lemma 19, eq. (30)",
    "summing 1/t^3 over arm 1's epochs and over t > omega(s-1) gives 1/omega(s-1) at most, and "
    "omega(s+1) <= 7 omega(s-1)",
    breaks={"c": "6.99"},
)
def eq_30_sums(c: str = "7") -> Finding:
    """At most t values of tau; 1/t^2 <= 1/(t-1) - 1/t; N = 2^s."""
    return holds(
        "1 + log2(t - 1) <= t; the sum telescopes; the ratio is 7 at s = 1 and falls to 4",
        cover("log2(u) <= u", u=(1, 2)),
        chain("log2(u) <= u", "u", 2, factors=("u", "1")),
        polynomial("t*(t - 1) <= t**2", t=2),
        at(f"4*N - 1 <= {c}*(N - 1)", N=2),
        polynomial(f"4*N - 1 <= {c}*(N - 1)", N=2),
    )


@claim(
    "Lemma 19 and eq. (24)",
    "P{r_j = s} omega(s+1) = O(1), so that the sum over s adds O(log T)",
)
def lemma_19_sum() -> Finding:
    """t^-3 + 2 t^-6 <= 1.25 t^-3 from t = 2 on; (i + 2)/4^i bounds a dyadic block of t."""
    return loose(
        "P{r_j = s} omega(s+1) decays like s/2^s (at most 5 ((4/3)(s+2) + 4/9)/2^s), so its sum "
        "over all s is below 29: the O(log T) in eq. (24) is an O(1)",
        polynomial("8 <= t**3", t=2),
        induction("sum((i + 2)/4**i, i, 0, n) == 28/9 - (4/3*(n + 3) + 4/9)/4**(n + 1)", 0),
        induction(
            "sum(5*(4/3*s + 28/9)/2**s, s, 1, n) == 5*(4/3*(2 - (n + 2)/2**n) + 28/9*(1 - 1/2**n))",
            1,
        ),
        at("5*(4/3*2 + 28/9) < 29"),
        tight="O(1), below 29, in place of O(log T)",
    )


@claim(
    "Appendix B.2.2, eq. (31)",
    "with D* = sqrt(K L/T) both T D* and K L/D* are sqrt(K T L)",
    breaks={"c": "1.001"},
)
def eq_31_critical_gap(c: str = "1") -> Finding:
    """The instance-independent bound of Theorems 3 and 5."""
    box = {"K": (2, 50), "T": (10, 1000), "L": (1, 9)}
    return holds(
        "two identities",
        identity(f"T*sqrt(K*L/T) == {c}*sqrt(K*T*L)", **box),
        identity(f"K*L/sqrt(K*L/T) == {c}*sqrt(K*T*L)", **box),
    )


@claim(
    "Theorem 3",
    "regret at most the sum of 192 ln T/min(gap, eps) + 29 gap, and O(sqrt(K T log T) + "
    "K log(T)/eps)",
    breaks={"c": "191.9"},
)
def theorem_3_regret(c: str = "192") -> Finding:
    """Eq. (24) with the constants of its steps; then eq. (31) for the second form."""
    return holds(
        "the pulls of an arm are at most omega(d+1) <= 192 ln T/(D m) and less than 29 more",
        identity(f"8*(24*L/(D*m))*D == {c}*L/m", L=(1, 9), D=("1/10", 1), m=("1/10", 1)),
        polynomial("29*D <= 29*(D + s)", D=0, s=0),
        rests=(
            "eq-23-split",
            "eq-24-second-line (repaired)",
            "eq-24-first-term",
            "threshold-rounded-up",
            "eq-27-three-events",
            "eq-28-tails",
            "eq-29-constant",
            "eq-30-sums",
            "lemma-19-sum",
            "eq-31-critical-gap",
        ),
    )
