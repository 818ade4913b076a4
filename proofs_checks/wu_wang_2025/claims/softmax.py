"""Lemmas 12 and 13: f(x), the mean of y_i = 2^x a_i under the weights exp(-y_i), summed over x."""

from __future__ import annotations

from dpaudit.ledger import (
    at,
    chain,
    claim,
    cover,
    each,
    evident,
    holds,
    identity,
    loose,
    polynomial,
    typo,
)
from dpaudit.ledger.claims import Finding

BOX = dict.fromkeys("yzuv", ("1/10", "9/10"))


@claim("Lemma 12; Appendix G", "f'(x) <= log(2) f(x) for all real a_i", breaks={"k": "1.01"})
def lemma_12(k: str = "1") -> Finding:
    """dy/dx = log(2) y, and the slope of y exp(-y) is (1 - y) exp(-y)."""
    mean = "(w*y + v*z)/(w + v)"
    slope = "((1-y)*y*w + (1-z)*z*v)/(w + v) + (w*y + v*z)*(y*w + z*v)/(w + v)**2"
    box = dict.fromkeys("wvyz", ("1/10", "9/10"))
    return holds(
        "f'/log 2 is f less the variance of y, here for two actions of weights w and v: w v (y - "
        "z)^2/(w + v)^2. For more it is a sum of such squares. The constant is attained where all "
        "a_i are equal.",
        identity(f"{slope} == {k}*{mean} - w*v*(y - z)**2/(w + v)**2", **box),
        evident("w*v*(y - z)**2 >= 0", w=0, v=0, y=0, z=0),
    )


LEFT = "K*y*exp(-y)/(1 + K*exp(-y))"
RIGHT = "(log(1 + K*exp(-y/2)) - log(1 + K*exp(-y)))"
"""One best action and K at the same gap: f(r), and log(2) times the integral of f over [r-1, r]."""


@claim(
    "Lemma 13; Appendix G, eqs. (10) and (11)",
    "f(r) is at most 1 + log 2 = 1.69 times the integral of f over [r - 1, r]",
    slow=True,
)
def lemma_13_integral_bound() -> Finding:
    """From f' <= log(2) f alone: f(x) >= f(r) 2^(x-r), whose integral is f(r)/(2 log 2)."""
    return loose(
        "2 log 2 = 1.386 is enough: f(x) >= f(r) 2^(x-r) on [r-1, r], and the integral of 2^(x-r) "
        "is 1/(2 log 2). It is approached where nearly all actions are at one small gap. Covered "
        "here for one best action and K = 1 to 4 at the same gap.",
        cover(f"{LEFT} <= (1 + log(2))/log(2)*{RIGHT}", K=(1, 4), y=(1, 4)),
        cover(f"{LEFT} <= 2*{RIGHT}", K=(1, 4), y=(1, 4)),
        at(f"{LEFT} > 1.99*{RIGHT}", K="10**9", y="1/1000"),
        at("2*log(2) < 1 + log(2)"),
        tight="2 log(2)",
    )


@claim(
    "Lemma 13; Appendix G",
    "-log(sum of exp(-2^x a_i))/log 2 has the slope f(x); it is at least -log K/log 2 at x = 0",
    breaks={"k": "1.01"},
)
def lemma_13_antiderivative(k: str = "1") -> Finding:
    """Chain rule, with d(2^x a)/dx = log(2) 2^x a; three actions, a_1 = 0."""
    top, weights = "(y*exp(-y) + z*exp(-z))", "(1 + exp(-y) + exp(-z))"
    return holds(
        "Slope by the chain rule, written out for three actions; K weights exp(-a_i) <= 1 sum to "
        "at most K.",
        identity(
            f"-1/log(2) * (-log(2)*y*exp(-y) - {k}*log(2)*z*exp(-z))/{weights} == {top}/{weights}",
            y=("1/10", 5),
            z=("1/10", 5),
        ),
        polynomial("1 + 1 <= 1 + (1 + a)", a=0),
    )


@claim("Appendix G, end of the proof of Lemma 13", "the integral of f over x >= 0 is 2 log K/log 2")
def lemma_13_integral() -> Finding:
    """F(infinity) - F(0) = log(sum of exp(-a_i))/log 2."""
    return typo(
        "It is log(sum of exp(-a_i))/log 2, so at most log K/log 2, which it approaches as all "
        "a_i tend to 0. As an upper bound the printed value is true and twice too large; Lemma 13 "
        "stands.",
        at("log(1 + exp(-a))/log(2) < 1/2", a=1),
        at("2*log(2)/log(2) > 1.99"),
        cover("log(1 + exp(-a)) <= log(2)", a=("1/1000", 20)),
        correction="<= log K/log 2",
        counterexample="K = 2, a_2 = 1: log2(1 + 1/e) = 0.452, printed 2",
        considered=(
            "F(0) >= -log K/log 2 stands two lines above, so <= and the factor 1 are meant",
            "no later line uses the constant",
        ),
    )


@claim(
    "Lemma 13",
    "the sum of f(r) over r >= 1 is O(log K), by the proof (1 + log 2)/log 2 log K",
    slow=True,
)
def lemma_13() -> Finding:
    """S(y) = log sum of exp(-y a_i) is convex: -y S'(y) <= 2 (S(y/2) - S(y)), which telescopes."""
    return loose(
        "2.443 log K from the proof (with the integral put right). Convexity of S(y) = log sum of "
        "exp(-y a_i) gives f(r) <= 2 (S(2^(r-1)) - S(2^r)), so the sum is at most 2 S(1) <= 2 log "
        "K; K equal small gaps approach 2 as K grows. The inequality is covered here for three "
        "actions (y and z the two gaps).",
        cover(
            "(y*exp(-y) + z*exp(-z))/(1 + exp(-y) + exp(-z)) <= 2*(log(1 + exp(-y/2) + exp(-z/2)) "
            "- log(1 + exp(-y) + exp(-z)))",
            y=("1/2", 6),
            z=("1/2", 6),
        ),
        at("(1 + log(2))/log(2) > 2.44"),
        at(
            "sum(K*2**r*a*exp(-2**r*a)/(1 + K*exp(-2**r*a)), r, 1, 30) > 1.97*log(K + 1)",
            K="10**300",
            a=f"684/{2**25}",
        ),
        tight="2 log K",
    )


@claim(
    "Section 4.2 (left open), Corollary 10",
    "Laplace noise gives the rate for fixed losses, too: regret at most 1 + 50.5 ln K/eps for B = "
    "0",
    breaks={"c": "50.3"},
)
def laplace_with_fixed_losses(c: str = "50.5") -> Finding:
    """P(J = j) <= exp(-a_j) (4.4/Z + L_j/4), L_j = min(a_j, ln+ 1/Z_j), summed over epochs.

    After n rounds a_j = n gap_j eps/2 and w_j = exp(-a_j); Z is the sum of all w, W of those of
    suboptimal actions, Z_j = W - w_j. The score of j, in units of the noise, exceeds the others:
    (I) above 0: the others stay below x with probability at most exp(-(Z - w_j) e^-x/2), which
    integrates to w_j/(Z - w_j) <= 2 w_j/Z.
    (II) at -y, 0 <= y <= a_j: density and best action give w_j/4; another action i stays below
    with probability at most (1 + u_i)^(-1/2), u_i = e^y w_i: 1 - u/2 <= e^(-u/2) for u <= 1, else
    1/(2u). The product is at most (1 + e^y Z_j)^(-1/2), integral at most L_j + 2; and, by
    Bernoulli's inequality, at most (1 + e^y)^(-Z_j/2) <= (2 e^(y/2))^(-Z_j/2), integral at most
    4/Z_j 2^(-Z_j/2). As Z <= 2 + Z_j, it is L_j + 8.5/Z in both cases.
    (III) below -a_j: w_j/8 2^(-Z_j/2) <= 2.13 w_j/(8 Z).
    Summed over epochs: a_j w_j/Z by Lemma 13, 2 ln K. For j other than the smallest gap's,
    Z_j >= W/2. Epochs with W >= 1/2 have Z <= 3 where L_j > 0. With W < 1/2, W at most squares
    from epoch to epoch, and the sum of a_j w_j is at most W (ln K + ln 1/W), an entropy. The
    smallest gap's action adds a^2 exp(-a), summed over doublings of a.
    """
    total = "8.8 + (1.5/log(2) + 6*log(4) + 1.4544 + 2.226/log(2))/4"
    return holds(
        "The question that the authors leave open has the answer yes, with a proof of our own. "
        "(Measured, from 2.8 to 3.9 in place of 50.5/2, in units of the noise's scale.)",
        polynomial("4*u**2 >= 1 + u", u=1),
        chain("u >= log(1 + u)", "u", 0, factors=("1 + u",)),
        polynomial("1 + s**2 >= 2*s", s=1),
        each("(1 + s)**w <= 1 + w*s", grid=True, s=["1/10", 1, 10, 1000], w=["1/9", "1/2", "8/9"]),
        at("4*2**(-1/2)*3 <= 8.5"),
        cover("(2 + 2.8854*y)*exp(-y) <= 2.13", y=(0, 1)),
        chain("2 + 2.8854*y <= 2.13*exp(y)", "y", 1, factors=("1", "1")),
        at("2/log(2) <= 2.8854"),
        at("2 + 8.5/4 + 2.13/8 <= 4.4"),
        cover("sum((2**k*x)**2*exp(-2**k*x), k, -20, 6) + 2**-18 <= 1.5", x=(1, 2)),
        at("sum(2**(-(2**i))*(2**i + 1), i, 0, 6)*log(2) + 10**(-15) <= 1.4544"),
        cover("exp(-L)*(L + log(2))*L <= 0.744", L=(0, 2)),
        chain("(L + 0.7)*L <= 0.744*exp(L)", "L", 2, factors=("1", "1", "1")),
        at("2*0.744 + sum(2**(-(2**i))*(2**i + 1)*2**i, i, 2, 6)*log(2)**2 + 10**(-10) <= 2.226"),
        at(f"4*({total}) <= {c}"),
        rests=("lemma-13",),
    )
