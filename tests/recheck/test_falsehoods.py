"""False statements, written by hand, each in the guise of a part that the checker would take: it
refuses them because it expands, differentiates and encloses, not because a sample point hits."""

import pytest

from dpaudit.recheck import Refused, check
from dpaudit.recheck.goals import covered

# In 97ths, where the checker once compared both sides of an identity, and nowhere else.
SHARES = [18, 73, 9, 33, 16, 64, 58, 61, 84, 49, 27, 13]


def identity(statement, **domain):
    return {"kind": "identity", "statement": statement, "domain": domain or {"x": ["0", "1"]}}


def polynomial(statement, *coefficients):
    given = [{"powers": [n], "coefficient": c} for n, c in enumerate(coefficients)]
    return {"kind": "polynomial", "statement": statement, "from": {"x": "0"}, "coefficients": given}


def evident(statement, start="0"):
    return {"kind": "evident", "statement": statement, "from": {"x": start}}


def chain(statement, *links, closing, start="0", end=None):
    first, *rest = links
    given = [{"expression": first}, *({"expression": e, "factor": f} for e, f in rest)]
    return {
        "kind": "chain",
        "statement": statement,
        "variable": "x",
        "start": start,
        "end": end,
        "links": given,
        "closing": closing,
    }


def induction(statement, step, base="1"):
    return {
        "kind": "induction",
        "statement": statement,
        "start": 1,
        "base": {"kind": "point", "statement": statement, "at": {"n": "1"}, "sides": [base, base]},
        "step": step,
    }


def vanishing(points):
    return " * ".join(f"(x - {n}/97)" for n in points) + " == 0"


def cover(statement):
    return {
        "kind": "cover",
        "statement": statement,
        "domain": {"x": ["0", "1"]},
        "tree": ".",
        "leaves": [["0", "1"]],
    }


ZERO = polynomial("0 >= 0", "0")
FALSE = {
    "a difference of 1e-30": identity("x == x + 1/10**30"),
    "a polynomial that vanishes at twelve points": identity(vanishing(SHARES)),
    "a polynomial that vanishes at all points of 1/97": identity(vanishing(range(1, 97))),
    "a chain for a function worth -1.7 million at 1": chain(
        "10**6*(1 - exp(x)) >= 0",
        "10**6*(1 - exp(x))",
        ("0", "1"),
        closing=ZERO,
    ),
    "a kink far out": chain(
        "max(x, 2*x - 1000) <= x + 1", "x + 1 - max(x, 2*x - 1000)", ("0", "1"), closing=ZERO
    ),
    "abs(x) == x": identity("abs(x) == x", x=["-1", "1"]),
    "abs(x) == x, where it was true at all points tried": identity(
        "abs(x) == x", x=["-1/1000", "1"]
    ),
    "the root of a square": identity("sqrt((x - 1)**2) == x - 1"),
    "a root that is almost a number": identity(
        "sqrt(2)*x == 141421356237309504880168872421/10**29*x"
    ),
    "an exponential of a sum": identity("exp(x)**2 == exp(x**2)"),
    "a logarithm of a sum": identity("log(1 + x) == log(1) + log(1 + x**2)"),
    "0 divided by 0": identity("(x - 1/2)/(x - 1/2) == 1"),
    "a step": identity("floor(x/2) == 0", x=["0", "3"]),
    "a wave in the exponent": identity("exp(x*(x - 1/97)) == exp(x*(x - 1/97) + 1/10**40)"),
    "the normal distribution is not symmetric about 1": identity("1 - normal(1 - x) == normal(x)"),
    "a pole after the start": chain(
        "1/(x - 5) <= 0",
        "0 - 1/(x - 5)",
        ("1/(x - 5)**2", "1"),
        closing=evident("1/(x - 5)**2 >= 0"),
    ),
    "a logarithm that is not defined at the start": evident("exp(log(x - 1)) >= 0"),
    "a root of what is negative": evident("sqrt(x - 3) >= 0"),
    "a quotient by what may be 0": evident("1/x >= 0"),
    "a jump that looks like a slope": chain(
        "x - 2*floor(x/50) >= 0", "x - 2*floor(x/50)", ("1", "1"), closing=polynomial("1 >= 0", "1")
    ),
    "a derivative that is off by 1e-30": chain(
        "x >= x**2/10**30",
        "x - x**2/10**30",
        ("1", "1"),
        closing=polynomial("1 >= 0", "1"),
    ),
    "a factor that turns negative": chain(
        "x - x**2/100 >= 0",
        "x - x**2/100",
        ("(1 - x/50)**2", "1 - x/50"),
        closing=evident("(1 - x/50)**2 >= 0"),
    ),
    "a sum that grows by more": induction(
        "sum(k, k, 1, n) == n**2 - n/2 + 1/2",
        identity("n + 1 == n + 1", n=["1", "51"]),
    ),
    "a sum that begins later": induction(
        "sum(1, k, 3, n) == n - 1",
        identity("1 == 1", n=["1", "51"]),
        base="0",
    ),
    "a negative coefficient": polynomial("x**2 - x/10**9 >= 0", "0", "-1/1000000000", "1"),
    "an inequality that fails on a small piece": cover("(x - 1/2)**2 >= 1/10**12"),
}


def test_there_are_the_five_that_were_taken_once_and_ten_more():
    assert len(FALSE) >= 15


@pytest.mark.parametrize("name", FALSE)
def test_a_false_statement_is_refused(name):
    with pytest.raises(Refused):
        check(FALSE[name])


TRUE = [
    identity("(x + 1)**12 - x*(x + 1)**11 == (x + 1)**11"),
    identity("abs(x) == x", x=["1", "2"]),
    identity("sqrt((x - 1)**2) == 1 - x", x=["0", "1/2"]),
    identity("sqrt(8)*x == 2*sqrt(2)*x"),
    identity("exp(x)**2 == exp(2*x)"),
    identity("log(x**2) == 2*log(x)", x=["1", "9"]),
    identity("1 - normal(1 - x) == normal(x - 1)"),
    chain(
        "exp(x) >= 1 + x",
        "exp(x) - (1 + x)",
        ("exp(x) - 1", "1"),
        ("exp(x)", "1"),
        closing=evident("exp(x) >= 0"),
    ),
    induction(
        "sum(k, k, 1, n) == n**2/2 + n/2",
        identity("n + 1 == (n + 1)**2/2 + (n + 1)/2 - (n**2/2 + n/2)", n=["1", "51"]),
    ),
]


@pytest.mark.parametrize("part", TRUE, ids=lambda part: part["statement"])
def test_the_like_that_is_true_is_accepted(part):
    check(part)


def test_an_identity_says_nothing_where_its_sides_part():
    """Equal on an interval is not equal beyond, where a root of a square changes its sign."""
    part = identity("sqrt((x - 1)**2) == x - 1", x=["2", "3"])
    check(part)
    assert covered("sqrt((x - 1)**2) == x - 1 for x in [2, 3]", [part])
    assert not covered("sqrt((x - 1)**2) == x - 1 for x >= 0", [part])
    part = identity("log(x**2) == 2*log(x)", x=["2", "3"])
    assert covered("log(x**2) == 2*log(x) for x >= 1", [part])
