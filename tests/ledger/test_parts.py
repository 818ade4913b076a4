"""Each method: a true statement, a false one near the truth, and one that it must leave open."""

import json

import pytest

from dpaudit.ledger import (
    at,
    bookings,
    chain,
    counts,
    cover,
    each,
    evident,
    identity,
    induction,
    polynomial,
    regret,
    sharp,
)
from dpaudit.ledger.formulas import NotShown
from dpaudit.ledger.parts import Fails
from dpaudit.recheck import Refused, check

RNM = {
    "epsilon": 1.0,
    "runs": 40_000,
    "seed": 3,
    "rewards": [[1, 0], [0, 1], [0, 1], [0, 0]],
    "neighbour": [[1, 0], [1, 0], [0, 1], [0, 0]],
}


def ucb(limit, **changed):
    given = {"means": [0.7, 0.3], "horizon": 300, "runs": 400, "seed": 1, **changed}
    return regret("ucb1", "<=", limit, **given)


METHODS = {
    "point": (
        lambda: at("exp(1) < 2.7182819"),
        lambda: at("exp(1) < 2.7182818"),
        lambda: at("sqrt(2)**2 == 2"),
    ),
    "each": (
        lambda: each("sum(1/k, k, 1, n) <= 1 + log(n)", n=range(1, 9)),
        lambda: each("sum(1/k, k, 1, n) < 1 + log(n)", n=range(1, 9)),
        lambda: each("log(exp(n)) >= n", n=range(1, 9)),
    ),
    "cover": (
        lambda: cover("exp(x*y) < 1 + 1.719*x*y", x=("1/5", 1), y=("1/5", 1)),
        lambda: cover("exp(x*y) < 1 + 1.7*x*y", x=("1/5", 1), y=("1/5", 1)),
        lambda: cover("exp(x) >= 1 + x", x=(-1, 1)),
    ),
    "chain": (
        lambda: chain("log(x) <= x - 1", "x", 1, factors=("x",)),
        lambda: chain("log(x) <= 0.999*(x - 1)", "x", 1, 2, factors=("x",)),
        lambda: chain("log(x) <= x - 1", "x", 1, factors=("1",)),
    ),
    "polynomial": (
        lambda: polynomial("x**2*y >= x", x=1, y=1),
        lambda: polynomial("x**2*y > x", x=1, y=1),
        lambda: polynomial("x**2 - 2*x + 1.1 >= 0", x=0),
    ),
    "evident": (
        lambda: evident("x*exp(-x) + (1 - x)**2 >= 0", x=0),
        lambda: evident("x*exp(-x) - 1/10**9 >= 0", x=0),
        lambda: evident("x - log(1 + x) >= 0", x=0),
    ),
    "identity": (
        lambda: identity("log(a*b) == log(a) + log(b)", a=(1, 2), b=(1, 2)),
        lambda: identity("log(a*b) == log(a) + log(b) + 1/10**6", a=(1, 2), b=(1, 2)),
        lambda: identity("max(a, b) == (a + b + abs(a - b))/2", a=(-1, 2), b=(-1, 2)),
    ),
    "induction": (
        lambda: induction("sum(k**2, k, 1, n) == n*(n + 1)*(2*n + 1)/6", 1),
        lambda: induction("sum(1/k**2, k, 1, n) <= 1.9 - 1/n", 1, factors=("1",)),
        lambda: induction("sum(1/k**2, k, 1, n) <= 2 - 1/n", 1),
    ),
    "bookings": (
        lambda: bookings("rnm-ftnl-laplace", "1", epsilon=1.0, arms=2, rounds=3),
        lambda: bookings("rnm-ftnl-laplace", "0.999", epsilon=1.0, arms=2, rounds=3),
        lambda: bookings("ucb1", "1", epsilon=None, arms=2, rounds=3),
    ),
    "counts": (
        lambda: counts("rnm-ftnl", "0.3", event="...0", **RNM),
        lambda: counts("rnm-ftnl", "5", event="...0", **RNM),
        lambda: counts("rnm-ftnl", "0.3", event="....", **RNM),
    ),
    "regret": (
        lambda: ucb("60"),
        lambda: ucb("10"),
        lambda: ucb("60", runs=12),
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", METHODS)
def test_a_true_statement_is_shown_and_the_checker_agrees(kind):
    part = METHODS[kind][0]()
    assert part["kind"] == kind
    check(json.loads(json.dumps(part)))


@pytest.mark.parametrize("kind", METHODS)
def test_a_false_statement_near_the_truth_is_not_shown(kind):
    with pytest.raises(NotShown):
        METHODS[kind][1]()


@pytest.mark.parametrize("kind", ["point", "each", "cover", "polynomial", "identity"])
def test_a_false_statement_fails_at_a_point(kind):
    with pytest.raises(Fails) as failure:
        METHODS[kind][1]()
    with pytest.raises(Fails):
        at(failure.value.statement, **failure.value.point)


@pytest.mark.parametrize("kind", METHODS)
def test_what_a_method_cannot_decide_is_left_open(kind):
    with pytest.raises(NotShown) as reason:
        METHODS[kind][2]()
    assert not isinstance(reason.value, Fails)


def test_a_sharp_constant_holds_a_generous_one_is_loose_a_small_one_refuted():
    def judge(printed):
        return sharp("x*(1 - x)", printed, lambda s: cover(s, x=(0, 1)), "the parabola", x=(0, 1))

    assert judge("0.251").verdict == "holds"
    generous = judge("0.3")
    assert (generous.verdict, generous.tight) == ("loose", "0.2501")
    with pytest.raises(Fails):
        judge("0.2499")


def test_a_formula_with_anything_else_in_it_is_refused():
    for formula in ("__import__('os') == 1", "x.real == 1", "[1] == 1", "(lambda: 1)() == 1"):
        with pytest.raises(NotShown):
            at(formula, x=1)
        with pytest.raises(Refused):
            check({"kind": "point", "statement": formula, "at": {"x": "1"}, "sides": ["1", "1"]})
