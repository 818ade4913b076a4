"""Theorem 3.3 and Appendix A.2: regret of DP-UCB, whose mechanisms all receive an item a round."""

from __future__ import annotations

from dpaudit.ledger import (
    at,
    claim,
    cover,
    each,
    holds,
    identity,
    loose,
    polynomial,
    refuted,
    undecided,
)
from dpaudit.ledger.claims import Finding
from dpaudit.proofs_checks.tossou_dimitrakakis_2016.claims.noise import tail


@claim(
    "Theorem 3.3 and Appendix B.5 (lambda4)",
    "1/(1 - sqrt(3.5)/2) = 4 (2 + sqrt(3.5))",
    breaks={"c": "4.01"},
)
def lambda_4(c: str = "4") -> Finding:
    """(2 - sqrt(3.5))(2 + sqrt(3.5)) = 1/2."""
    return holds(
        "rationalising the denominator; this is where the 2 + sqrt(3.5) of C comes from",
        identity(f"x/(1 - sqrt(7/2)/2) == {c}*(2 + sqrt(7/2))*x", x=(1, 2)),
    )


@claim(
    "Theorem 3.3, C",
    "C = 56 (2 + sqrt(3.5)) sqrt(log t)/epsilon is twice the coefficient of log n + 1 in the "
    "condition h_n <= lambda4 c_{t,n} on sqrt(n), with log(4/gamma) taken as 3.5 log t",
    breaks={"c": "57"},
)
def constant_c(c: str = "56") -> Finding:
    """h_n <= lambda4 sqrt(2 u/n), u = log t: sqrt(n) >= sqrt(8)(3.5 u)(log n + 1)/(...)."""
    a = "(sqrt(8)*(7/2)*u/(e*(1 - sqrt(7/2)/2)*sqrt(2)*sqrt(u)))"
    return holds(
        "log n = 2 log sqrt(n) gives the factor 2; log(4/gamma) is log 4 more than 3.5 log t "
        "(see threshold-of-c)",
        identity(f"2*{a} == {c}*(2 + sqrt(7/2))*sqrt(u)/e", u=(1, 9), e=("1/10", 1)),
        at("log(4*10**(7/2)) > 7/2*log(10)"),
    )


@claim(
    "Theorem 3.3",
    "n = C^2 (ln C + 7)^2 pulls make h_n <= lambda4 c_{t,n}, for n <= t, h_n as in Appendix A.2 "
    "epsilon <= 1, t >= 3 and C <= e^500",
    breaks={"c": "6.9"},
)
def threshold_of_c(c: str = "7") -> Finding:
    """With w = ln C, u = ln t and m = C (w + 7): m >= C/2 (1 + ln 4/(3.5 u)) (2 ln m + 1)."""
    return holds(
        "C drops the 4 of log(4 t^3.5), but its slack covers that wherever the threshold is at "
        "most t: then w + ln(w + 7) <= u/2 and u >= 18, so the extra term is at most 0.22",
        at("log(4)/3.5 < 0.3961"),
        polynomial("0.3961*(u/2 + 1/2) <= 0.22*u", u=18),
        cover(f"log(w + {c}) + 1/2 + 0.22 <= {c}", w=(0, 500)),
        cover("(216.7*sqrt(u))**2*(log(216.7*sqrt(u)) + 7)**2 > exp(u)", u=("1.09", 18)),
        at("56*(2 + sqrt(3.5)) > 216.7"),
        only="n <= t, t >= 3, epsilon <= 1, C <= e^500",
        decides="with log n in h_n, which Algorithm 2 does not have (a2-log-n)",
    )


@claim(
    "Appendix A.2",
    "in Algorithm 2 the noise of a mean of n rewards is at most h_n with log n, as in "
    "Algorithm 1, but for probability gamma = t^-3.5",
)
def a2_log_n() -> Finding:
    """A mechanism that holds t - 1 = 1023 items, n = 1 of them a reward of its arm."""
    x = "(sqrt(8)*log(4*2**35)*(log(n) + 1)/9)"
    return refuted(
        "Algorithm 2 inserts an item into every mechanism in every round, so a mechanism's noise "
        "is that of t - 1 items, however few rewards its arm has: log t belongs in h_n. The "
        "condition then asks for an order of log(t)^3/epsilon^2 pulls, not "
        "log(t) (log log t)^2/epsilon^2.",
        at(f"2*{tail(9, x)} > 1/20", n=1),
        at("1/20 > 2**(-35)"),
        at(f"2*{tail(9, f'{x}/log(2)')} > 2**(-35)", n=1),
        at("1 + 0.3961/log(3) <= 2"),
        each("floorlog2(t - 1) > floorlog2(n)", where="2*n <= t - 1", n=range(1, 9),
             t=range(17, 65)),
        counterexample="t = 1024, n = 1: nine nodes of scale 9/epsilon exceed h_1 = 72.6/epsilon "
        "with probability 0.06, not 2^-35",
        scope="step",
        repair="log t in place of log n in h_n, and C^2 (log t + 1)^2 pulls in place of "
        "C^2 (ln C + 7)^2",
        considered=(
            "Section 3.2 says that all arms get the same scale of noise and that n does not grow "
            "with the zeros, so the items are t - 1 indeed.",
            "Appendix A.2 repeats A.1's formula, where the mechanism holds n items.",
            "With natural logarithms in the nodes' scales the probability is smaller, but far from "
            "2^-35 as well.",
        ),
    )  # fmt: skip


@claim(
    "Theorem 3.3, proof",
    "the failure probabilities 4 t^-3.5 over n, n_a < t sum up to at most 4 zeta(1.5) = 10.4495",
)
def zeta_sum() -> Finding:
    """(t - 1)^2 pairs a round; beyond N the terms are below 4 t^-1.5, in all below 8/sqrt(N).

    They are at least 4 t^-1.5 - 8 t^-2.5, in all at least 8/sqrt(N + 1) - 16/3 N^-1.5.
    """
    term = "4*(t - 1)**2*t**(-7/2)"
    return loose(
        "a round has at most (t - 1)^2 pairs, not t^2; their sum 4 zeta(1.5) - 8 zeta(2.5) + "
        "4 zeta(3.5) is between 4.22 and 4.226",
        each("(t - 1)**2 <= t**2", t=range(1, 101)),
        at("sum(4*t**(-3/2), t, 1, 1000) + 8/sqrt(1000) < 10.46"),
        at(f"sum({term}, t, 1, 1500) + 8/sqrt(1500) < 4.226"),
        at(f"sum({term}, t, 1, 1500) + 8/sqrt(1501) - 16/3*1500**(-3/2) > 4.22"),
        tight="at most 4.226",
    )


@claim(
    "Theorem 3.3 at the horizon of Section 4",
    "for 3 <= t <= 1.6 * 10^8 and epsilon <= 1 the bound holds whatever is played: "
    "C^2 (ln C + 7)^2 is more than t",
    breaks={"last": "19"},
)
def theorem_3_3_up_to_1e8(last: str = "18.9") -> Finding:
    """C^2 (ln C + 7)^2 against t, in u = ln t; 56 (2 + sqrt(3.5)) = 216.77."""
    return holds(
        "no arm can have more than t pulls in t rounds; so 10^5 rounds, as in Section 4, do not "
        "test this bound, where it is at least 999 times larger",
        at("56*(2 + sqrt(3.5)) > 216.7"),
        cover(
            "(216.7*sqrt(u))**2*(log(216.7*sqrt(u)) + 7)**2 > exp(u)",
            u=("1.09", last),
        ),
        at("exp(18.9) > 16*10**7"),
        at("(735*(log(735) + 7))**2 > 999*100000"),
        at("56*(2 + sqrt(3.5))*sqrt(log(100000)) > 735"),
        only="3 <= t <= 1.6 * 10^8, epsilon <= 1",
        decides="theorem-3-3, for larger t",
    )


@claim("Theorem 3.3", "the regret bound of DP-UCB")
def theorem_3_3() -> Finding:
    """Its proof uses the noise of n items for mechanisms of t items."""
    return undecided(
        "A statement on all instances and all t; the proof does not show it (a2-log-n). For "
        "epsilon <= 1 and t <= 1.6 * 10^8 it holds trivially (theorem-3-3-up-to-1e8).",
        decides="the step that is missing: DP-UCB's noise at a round depends on t only, and stays "
        "for a block of 2^k rounds; how many pulls of a bad arm does one large draw cost?",
    )
