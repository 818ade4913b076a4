"""Goals and derivations: what covers a goal, what speaks against it; finder and checker agree."""

import json

import pytest

from dpaudit.ledger import at, chain, cover, each, identity, polynomial
from dpaudit.ledger.goals import Unbound, derive, goal_of, negated
from dpaudit.recheck import Refused
from dpaudit.recheck.goals import step


def agreed(goal, parts, *, true=True):
    """The finder's step, accepted by the checker."""
    parts = json.loads(json.dumps(parts))
    [found] = derive([goal], parts, true=true)
    step(
        goal, found["rule"], [parts[int(name[1:]) - 1] for name in found["by"]], found.get("at", {})
    )
    return found


@pytest.mark.parametrize(
    ("goal", "parts"),
    [
        ("exp(x) > x for x in [1, 2]", [cover("exp(x) > x", x=(0, 3))]),
        ("exp(x) > x for x in {1, 3/2}", [cover("exp(x) > x", x=(0, 3))]),
        ("exp(x) > x for whole x in [1, 3]", [cover("exp(x) > x", x=(0, 3))]),
        ("x*x >= x for x >= 2", [polynomial("x*x >= x", x=1)]),
        ("log(x) <= x - 1 for x >= 1", [chain("log(x) <= x - 1", "x", 1, factors=("x",))]),
        ("2**n > n for whole n in [3, 5]", [each("2**n > n", n=range(1, 9))]),
        ("2**n > n for n in {2, 4}", [each("2**n > n", n=range(1, 9))]),
        ("1 < 2", [at("1 < 2")]),
        ("(a + b)**2 == a**2 + 2*a*b + b**2 for a >= 0, b >= 5",
         [identity("(a + b)**2 == a**2 + 2*a*b + b**2", a=(1, 2), b=(1, 2))]),
        ("exp(x) >= 1/2 + x/2 for x in [0, 9]",
         [cover("exp(x) >= 1/2 + x/2", x=(0, 4)), cover("exp(x) >= 1/2 + x/2", x=(4, 9))]),
    ],
)  # fmt: skip
def test_parts_that_hold_on_all_of_the_domain_cover_a_goal(goal, parts):
    assert agreed(goal, parts)["rule"] == "covered"


@pytest.mark.parametrize(
    ("goal", "parts"),
    [
        ("exp(x) > x for x in [1, 4]", [cover("exp(x) > x", x=(0, 3))]),
        ("exp(x) > x for x >= 1", [cover("exp(x) > x", x=(0, 3))]),
        ("exp(x) > x + 1/9 for x in [1, 2]", [cover("exp(x) > x", x=(0, 3))]),
        ("2**n > n for n in [3, 5]", [each("2**n > n", n=range(1, 9))]),
        ("2**n > n for whole n in [3, 9]", [each("2**n > n", n=range(1, 9))]),
        ("2**n > n for whole n in [3, 5]", [each("2**n > n", where="n > 3", n=range(1, 9))]),
        ("1 < 3", [at("1 < 2")]),
        ("x > 1 for x = 4", [at("x > 1", x=3)]),
        ("floor(x) == 0 for x >= 0", [identity("floor(x)*0 == 0", x=("1/10", "1/5"))]),
        ("exp(x) >= 1/2 + x/2 for x in [0, 9]",
         [cover("exp(x) >= 1/2 + x/2", x=(0, 4)), cover("exp(x) >= 1/2 + x/2", x=(5, 9))]),
    ],
)  # fmt: skip
def test_parts_that_leave_a_gap_cover_nothing(goal, parts):
    parts = json.loads(json.dumps(parts))
    with pytest.raises(Unbound):
        derive([goal], parts, true=True)
    with pytest.raises(Refused):
        step(goal, "covered", parts, {})


def test_a_goal_is_false_at_a_point_of_its_domain_only():
    part = at("x*x < x", x="1/2")
    found = agreed("x*x >= x for x >= 0", [part], true=False)
    assert (found["rule"], found["at"]) == ("false", {"x": "1/2"})
    outside = "x*x >= x for x >= 1"
    with pytest.raises(Unbound):
        derive([outside], [part], true=False)
    part = json.loads(json.dumps(part))
    for goal, point in (
        (outside, "1/2"),
        ("x*x >= x for x >= 0", "1/3"),
        ("x >= 0 for x >= 0", "1/2"),
    ):
        with pytest.raises(Refused):
            step(goal, "false", [part], {"x": point})


def test_words_are_no_formula_and_formulas_no_words():
    for goal, rule in (("words: it is said", "covered"), ("1 < 2", "words"), ("1 < 2", "said")):
        with pytest.raises(Refused):
            step(goal, rule, [{"kind": "words"}], {})


@pytest.mark.parametrize(
    "part",
    [
        at("x > 1", x=3),
        cover("exp(x) > x", x=(0, 3)),
        each("2**n > n", where="n > 3", n=range(1, 9)),
        polynomial("x*x >= x", x=1),
    ],
    ids=lambda part: part["kind"],
)
def test_what_a_part_shows_covers_itself_and_not_its_negation(part):
    assert agreed(goal_of(part), [part])["rule"] == "covered"
    with pytest.raises(Unbound):
        derive([negated(goal_of(part))], [part], true=True)
    assert agreed(negated(goal_of(part)), [part], true=False)["rule"] == "false"
