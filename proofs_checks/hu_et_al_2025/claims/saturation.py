"""Lemma C.1, eq. (8): how often a well-known optimal arm's draw is too low. Eqs. (14)-(16).

X = T gap^2 > e throughout (assumed before the lemma), and ln^alpha T >= 1.
"""

from __future__ import annotations

from dpaudit.ledger import (
    at,
    chain,
    claim,
    cover,
    holds,
    identity,
    loose,
    polynomial,
)
from dpaudit.ledger.claims import Finding

REST = "(3001/3000)**2*2/sqrt(3001)*(sqrt({m}) - 1/(2*{m}**(3/2)) + 1/{m}**(5/2) + {plus})"
"""Bound on sum_{r > 3000} of (r + 1)^(1/2) (sqrt(ln(r + 1) + c) + plus)/r^2, m = ln 3001 + 2 + c.

With u = r + 1 the terms decrease and are at most (3001/3000)^2 u^(-3/2)(...) there; in the
integral from 3001, ln u is ln 3001 plus an exponential variable of mean 2 (weight
2/sqrt(3001)), and sqrt lies below its third Taylor polynomial at m, with moments 4 and 16.
"""


@claim("Lemma C.1, eq. (8)", "E[1/P{theta > mu - gap/2 | mean} - 1] <= 72/(T gap^2)")
def lemma_c1_saturation() -> Finding:
    """1/P <= 1/Phi(z - W), z = (1 + sqrt(2)) sqrt(ln X), and P{W >= w} <= e^(-2 w^2).

    On steps of 1/8 up to w = 4. Beyond, 1/Phi(-w) <= 2.51 (w^2 + 1)/w exp(w^2/2) by eq. (5), times
    the weight 4 w exp(-2 w^2) at most 10.7 w^2 exp(-1.5 w^2) <= exp(-w^2), which from 4 on adds up
    to exp(-16)/8 at most: with X <= e^4 less than 10^-6. From ln X = 4 on every term times X
    decreases: the hazard rate at z - w exceeds z - w, and (z - w) dz/dln X > 1.
    """
    gain = "1/normal((1 + sqrt(2))*sqrt(l) - (j + 1)/8) - 1"
    weight = "(exp(-2*(j/8)**2) - exp(-2*((j + 1)/8)**2))"
    example = "binomial(95, k)/2**95/normal((k/95 - 1/4)*sqrt(95))"
    return loose(
        "summing over the mean's deviations in steps of 1/8 instead of bounding cell by cell "
        "gives 0.16 (boxes for ln X in [1, 4] and deviations up to 4, eq. (5) beyond; from there "
        "on the terms decrease, which is read); "
        "T = 11, gap 1/2, mu = 1/2, s = 95 reaches 0.042",
        cover(f"exp(l)*sum(({gain})*{weight}, j, 0, 31) <= 0.159", l=(1, 4)),
        at("2.51*(4 + 1/4)*4 <= 10.7*4"),
        at("2.51 > sqrt(2*pi)"),
        chain("10.7*w**2 <= exp(w**2/2)", "w", 4, factors=("1", "1", "1")),
        at("exp(4)*exp(-16)/8 <= 10**(-6)"),
        at("(1 + sqrt(2))**2/2 - (1 + sqrt(2))*3/(2*sqrt(4)) > 1"),
        at("95 >= 4*(1 + sqrt(2))**2*log(11/4)*4"),
        at(f"11/4*(sum({example}, k, 0, 95) - 1) >= 0.042"),
        at("0.16 <= 72"),
        tight="at most 0.16/(T gap^2)",
    )


@claim(
    "Lemma C.1, before eq. (14)",
    "s >= 4(1 + sqrt 2)^2 A/gap^2 gives gap/2 >= (1 + sqrt 2) sqrt(A/s), A = ln X ln^alpha T",
    breaks={"four": "3.99"},
)
def eq_14_condition(four: str = "4") -> Finding:
    """Equality at the smallest s."""
    return holds(
        "an equality at the smallest s, and the right side decreases in s",
        identity(
            f"(1 + sqrt(2))*sqrt(A/({four}*(1 + sqrt(2))**2*A/d**2)) == d/2",
            A=(1, 9),
            d=("1/10", 1),
        ),
    )


@claim(
    "Lemma C.1, eq. (15), up to step (a)",
    "mu - (1 + sqrt 2) sqrt(ln X) sigma <= mean - sqrt(2 ln X) sigma on S_0: missed w.p. 0.5/X",
    breaks={"two": "1.99"},
)
def eq_15_concentration(two: str = "2") -> Finding:
    """Eq. (4) at z = sqrt(2 ln X); 1 - (1 + sqrt 2) = -sqrt 2."""
    return holds(
        "an identity, and e^(-ln X) = 1/X; read as eq. (14) has it (in the extracted first line "
        "of (15) there is a 1/2 before the root, or a 4 under it is lost)",
        identity(
            f"sqrt(l*v/s) - sqrt((1 + sqrt(2))**2*l*v/s) == -sqrt({two}*l*v/s)",
            l=(1, 9),
            v=(1, 9),
            s=(1, 9),
        ),
        identity("exp(-sqrt(2*l)**2/2)/2 == 1/(2*exp(l))", l=(1, 9)),
    )


@claim(
    "Lemma C.1, eq. (15), step (b)",
    "1/(1 - 0.5/X) - 1 <= 0.613/X for X >= e",
    breaks={"bound": "0.612"},
)
def eq_15_constant(bound: str = "0.613") -> Finding:
    """0.5/(1 - 0.5/e) = 0.6127."""
    return holds(
        "0.5/X times 1/(1 - 0.5/X), which is largest at X = e",
        identity("1/(1 - 0.5/X) - 1 == 0.5/X*(1/(1 - 0.5/X))", X=(3, 9)),
        at(f"0.5/(1 - 0.5/exp(1)) <= {bound}"),
    )


@claim(
    "Lemma C.1, eq. (16), step (a)",
    "z/(z^2 + 1) >= 1/(2 z) for z^2 = ln((r + 1) X) >= 1",
    breaks={"two": "1.99"},
)
def eq_16_mills(two: str = "2") -> Finding:
    """z^2 >= 1 is where X > e is used."""
    return holds("2 z^2 >= z^2 + 1", polynomial(f"{two}*v >= v + 1", v=1))


@claim(
    "Lemma C.1, eq. (16), one cell",
    "steps (a) and (b) give 4 sqrt(2 pi) sqrt((r + 1) X ln((r + 1) X))/(r X)^2",
    breaks={"four": "4.01"},
)
def eq_16_cell(four: str = "4") -> Finding:
    """2 sqrt(2 pi) sqrt(l) sqrt((r + 1) X) times 2 exp(-2 ln(r X))."""
    left = "2*sqrt(2*pi)*sqrt(log((r + 1)*X))*((r + 1)*X)**0.5*2*exp(-2*log(r*X))"
    right = f"{four}*sqrt(2*pi)*sqrt((r + 1)*X*log((r + 1)*X))/(r*X)**2"
    return holds("an identity", identity(f"{left} == {right}", r=(1, 9), X=(3, 9)))


@claim(
    "Lemma C.1, eq. (16), from the cells to the sum",
    "sqrt(a + ln X)/sqrt(X) <= sqrt(a) + 1 for X >= 1, a = ln(r + 1)",
)
def eq_16_split() -> Finding:
    """sqrt(a + b) <= sqrt(a) + sqrt(b) and ln X <= X; sharper: decreasing in X from e on."""
    return loose(
        "true by sqrt(a + b) <= sqrt(a) + sqrt(b) and ln X <= X; but (a + ln X)/X decreases for "
        "X >= e: with X = e y, a + 1 + ln y <= (a + 1) y. So sqrt((a + 1)/e) will do",
        identity("(sqrt(a) + sqrt(b))**2 == a + b + 2*sqrt(a)*sqrt(b)", a=(1, 9), b=(1, 9)),
        chain("log(y) <= y - 1", "y", 1, factors=("y",)),
        polynomial("a + 1 + (y - 1) <= (a + 1)*y", a=0, y=1),
        cover("sqrt((a + 1)/exp(1)) <= sqrt(a) + 1", a=("1/2", 9)),
        tight="sqrt((a + 1)/e)",
    )


@claim(
    "Lemma C.1, eq. (16), the sum",
    "sum over r >= 1 of (sqrt((r + 1) ln(r + 1)) + sqrt(r + 1))/r^2 <= 7.034",
    breaks={"bound": "7.033"},
)
def eq_16_sum(bound: str = "7.034") -> Finding:
    """3000 terms and REST; the sum is 7.03372."""
    term = "sqrt(r + 1)*(sqrt(log(r + 1)) + 1)/r**2"
    rest = REST.format(m="(log(3001) + 2)", plus="1")
    return holds(
        "3000 terms, and for the rest an integral in which sqrt is bounded by its third Taylor "
        "polynomial (the square of which exceeds 1 + d)",
        at(f"sum({term}, r, 1, 3000) + {rest} <= {bound}"),
        identity(
            "(1 + d/2 - d**2/8 + d**3/16)**2 - (1 + d) == d**4*((d - 2)**2 + 16)/256",
            d=("1/10", 9),
        ),
    )


@claim(
    "Lemma C.1, eq. (16), last line, and eq. (8)",
    "4 sqrt(2 pi) 7.034 + 0.613 <= 72",
    breaks={"bound": "71.13"},
)
def eq_16_total(bound: str = "72") -> Finding:
    """70.5265 + 0.613 = 71.14 (the extracted last line, '20,2235', is garbled)."""
    return holds("the sum is 71.1395", at(f"4*sqrt(2*pi)*7.034 + 0.613 <= {bound}"))


@claim(
    "Lemma C.1, eq. (16), constant",
    "the second term of (14) is at most 4 sqrt(2 pi) 7.034/(T gap^2) = 70.53/(T gap^2)",
)
def eq_16_constant() -> Finding:
    """With eq-16-split's sharper step: 4 sqrt(2 pi/e) sum sqrt((r+1)(ln(r+1)+1))/r^2."""
    term = "sqrt(r + 1)*sqrt(log(r + 1) + 1)/r**2"
    rest = REST.format(m="(log(3001) + 3)", plus="0")
    scale = "4*sqrt(2*pi/exp(1))"
    return loose(
        "the cells times X are largest at X = e, where they add up to 30.87 at most; their first "
        "3000 alone to more than 29.9",
        at("4*sqrt(2*pi)*7.034 <= 70.53"),
        at(f"{scale}*(sum({term}, r, 1, 3000) + {rest}) <= 30.87"),
        at(f"{scale}*sum({term}, r, 1, 3000) >= 29.9"),
        tight="at most 30.87/(T gap^2)",
    )
