"""Lemma 4.1 and its proof in Appendix B.

x = 1 - alpha, L = ln T, w = L^x, phi = sqrt(2 pi e) e^(x L/2) L^(1 + x/2).
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
    polynomial,
    refuted,
    undecided,
)
from dpaudit.ledger.findings import Finding

MILLION = "log(10**6)"


@claim(
    "Lemma 4.1",
    "the largest of phi draws is below mu with probability at most 3/T (the proof's last line)",
    breaks={"square": "13.3"},
)
def lemma_4_1(square: str = "2*pi*exp(1)") -> Finding:
    """Split at mean >= mu - sqrt(L/(2s)) instead of the paper's sqrt(L/s); T >= e.

    Then P <= e^-L + Phi(sqrt(w/2))^phi, and, as x L >= w - 1, the second exponent is
    phi (-ln Phi(sqrt(w/2))) >= L r(w), r(w) = c_0 e^((w-1)/2) sqrt(w) (-ln Phi(sqrt(w/2))).
    For w >= 2 eq. (5) gives r(w) >= sqrt(2) e^(w/4) w/(w + 2).
    """
    rate = f"sqrt({square})*exp((w - 1)/2)*sqrt(w)*(-log(normal(sqrt(w/2))))"
    return holds(
        "true, though not by the printed chain (see lemma-4-1-step-b): splitting at sqrt(L/(2s)) "
        "gives 1/T + 1/T, and with floor(phi) draws at most (1 + 1/Phi(sqrt(1/2)))/T < 2.4/T",
        identity("exp(-2*s*sqrt(L/(2*s))**2) == exp(-L)", s=(1, 9), L=(2, 9)),
        identity("sqrt(L/(2*s))**2/(L**a/s) == L**(1 - a)/2", s=(1, 9), L=(2, 9), a=("1/10", 1)),
        cover(f"{rate} >= 1", w=(1, 2)),
        chain("sqrt(2)*exp(w/4)*w >= w + 2", "w", 2, factors="1"),
        at("1 + 1/normal(sqrt(1/2)) < 2.4"),
    )


@claim(
    "Appendix B, step (b)",
    "1 - sqrt(w)/(sqrt(2 pi)(w + 1)) e^(-w/2) <= 1 - 1/(sqrt(2 pi) sqrt(w)) e^(-(x L + 1)/2)",
)
def lemma_4_1_step_b() -> Finding:
    """Dropping the 1 enlarges the probability; Fact A.1's slack pays for it if x L is large."""
    step = "sqrt(w)/(w + 1)*exp(-w/2) {} 1/sqrt(w)*exp(-(x*L + 1)/2)"
    both = step.replace("w", "(L**x)").replace("L", MILLION)
    return refuted(
        "Step (b) goes the wrong way for alpha > 0.8953 at T = 10^6 (alpha > 0.64 at T = 100), and "
        "at alpha = 1 for every T by a factor of 2; the lemma's conclusion holds.",
        at("1/(1 + 1)*exp(-1/2) < 1/1*exp(-1/2)"),
        at(both.format("<"), x="0.1047"),
        at(both.format(">"), x="0.1048"),
        at(both.replace("10**6", "100").format("<"), x="0.35"),
        polynomial("2*w >= w + 1", w=1),
        counterexample=(
            "alpha = 1, any T: w = 1, so the left probability is e^-1/2/(2 sqrt(2 pi)) = 0.121 and "
            "the right one, which should not exceed it, e^-1/2/sqrt(2 pi) = 0.242"
        ),
        scope="step",
        repair=(
            "split at sqrt(ln T/(2s)) (see lemma-4-1), nothing else changes; or put 2 w for "
            "w + 1, which needs c_0 = 2 sqrt(2 pi e)"
        ),
        considered=(
            "Extraction may have lost a factor 2 in this line. But the last display cancels "
            "sqrt(2 pi e) against c_0 = sqrt(2 pi e) and leaves 1/T: with a 2 it would be "
            "1/sqrt(T). Some step between (a) and the end fails in every reading.",
            "For alpha = 0 the slack e^(1/2) of Fact A.1 covers the missing 1 from T = 5 on.",
        ),
    )


@claim(
    "Appendix B, from step (a) to the last line",
    "(1 - sqrt(w)/(sqrt(2 pi)(w + 1)) e^(-w/2))^phi + 2/T^2 <= 3/T",
)
def lemma_4_1_split() -> Finding:
    """At alpha = 1: 1 - e^(-1/2)/(2 sqrt(2 pi)) to the power c_0 ln T is T^-0.533."""
    line_a = "T**(sqrt(2*pi*exp(1))*log(1 - exp(-1/2)/(2*sqrt(2*pi)))) + 2/T**2"
    exact = "T**(sqrt(2*pi*exp(1))*log(normal(1))) + 2/T**2"
    return refuted(
        "At alpha = 1 the line after (a) is T^-0.533 + 2/T^2, above 3/T from T = 9 on; even the "
        "exact Phi(1)^phi is T^-0.714. So allowing for an error sqrt(ln T/s) of the mean cannot "
        "give the lemma at alpha = 1, whatever the bound on the tail; sqrt(ln T/(2s)) can.",
        cover(f"{line_a} > 3/T", T=(9, 1000)),
        at(f"{line_a} > 500/T", T=10**6),
        at(f"{exact} > 50/T", T=10**6),
        at("sqrt(2*pi*exp(1))*log(normal(sqrt(1/2))) < -1"),
        counterexample=(
            "alpha = 1, T = 100: phi = 4.1327 ln 100 = 19.03, (1 - 0.12099)^19.03 = 0.0860 > 0.03"
        ),
        scope="step",
        repair="the event |mean - mu| <= sqrt(ln T/(2s)), one-sided: the bound becomes 2/T",
        considered=(
            "This uses only the line after (a), which is eq. (5) put in, and the last line; what "
            "extraction lost between them does not matter.",
            "Repeating draws 2 phi times would also do, at the price of sqrt(2) in privacy.",
        ),
    )


@claim(
    "Appendix B, last equality",
    "phi/c_0 * 1/sqrt(L^x) * T^(-x/2) = ln T",
    breaks={"power": "0.499"},
)
def lemma_4_1_exponent(power: str = "0.5") -> Finding:
    """The budget is chosen for this."""
    return holds(
        "an identity: 0.5(3 - alpha) = 1 + x/2",
        identity(
            f"exp(x*L/2)*L**({power}*(2 + x))/sqrt(L**x)/exp(x*L/2) == L",
            x=("1/10", 1),
            L=(2, 20),
        ),
    )


@claim("Appendix B, last inequality", "1/T + 2/T^2 <= 3/T for T >= 1", breaks={"three": "2.99"})
def lemma_4_1_last_sum(three: str = "3") -> Finding:
    """Times T^2."""
    return holds("equality at T = 1", polynomial(f"T + 2 <= {three}*T", T=1))


@claim(
    "Appendix B, second line",
    "the mean is off by sqrt(ln T/s) with probability at most 2/T^2",
    breaks={"two": "1.99"},
)
def lemma_4_1_mean(two: str = "2") -> Finding:
    """Fact A.2 with a = sqrt(L/s)."""
    return holds(
        "Hoeffding's exponent is 2 ln T",
        identity(f"2*exp(-{two}*s*sqrt(L/s)**2) == 2*exp(-2*L)", s=(1, 9), L=(2, 9)),
    )


@claim(
    "Appendix B, third line",
    "the draws of arm i are written theta_1, around the mean of arm 1",
)
def lemma_4_1_arm() -> Finding:
    """Harmless: the probability does not depend on the arm."""
    return undecided(
        "noticed on reading: the lemma is about arm i, one line has theta_1 and the mean of arm 1. "
        "The probability in that line is the same for every arm."
    )


@claim(
    "Lemma 4.1, exact probabilities",
    "for Bernoulli rewards and T = 100 the probability is at most 0.01/T on a grid",
    breaks={"bound": "0.0001"},
)
def lemma_4_1_bernoulli(bound: str = "0.01") -> Finding:
    """Binomial mean, then the power phi of the normal distribution function; pi from below."""
    budget = "sqrt(2*3.14159*exp(1))*100**((1 - a)/2)*log(100)**((3 - a)/2)"
    below = f"exp({budget}*log(normal((m - k/s)*sqrt(s/log(100)**a))))"
    return holds(
        "numbers of rewards, means and alpha on a grid; the largest values are near m = 1/2",
        each(
            f"100*sum(binomial(s, k)*m**k*(1 - m)**(s - k)*{below}, k, 0, s) <= {bound}",
            grid=True,
            s=[1, 4, 16],
            m=["1/4", "1/2", "3/4"],
            a=[0, "1/2", 1],
        ),
    )
