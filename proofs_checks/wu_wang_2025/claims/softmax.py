"""Lemmas 12 and 13: f(x), the mean of y_i = 2^x a_i under the weights exp(-y_i), summed over x."""

from __future__ import annotations

from dpaudit.ledger import (
    at,
    claim,
    cover,
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
