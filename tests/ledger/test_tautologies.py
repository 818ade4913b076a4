"""No check is a tautology: each is fed the negated statement, and must fail; and no entry rests on
algebra alone that says nothing of the paper's."""

import ast
import copy
import json

import pytest

from dpaudit.ledger import claims_of
from dpaudit.ledger.certificates import load
from dpaudit.ledger.formulas import NotShown
from dpaudit.ledger.goals import LABORATORY, PLAYED, WORDS, derive, negated
from dpaudit.paper_rooms import papers
from dpaudit.recheck import Refused, check

KEYS = [(c.paper, c.id) for p in papers("claims") for c in claims_of(p) if not c.slow]
NUMBERS = {0, 1, -1}


@pytest.fixture(scope="module")
def fresh(certificates):
    return load(papers("claims"), certificates)


def formulas(entry):
    return [g for g in entry.goals if not g.startswith((WORDS, LABORATORY, *PLAYED))]


def refused(part):
    try:
        check(part)
    except Refused:
        return True
    return False


def derived(goal, parts, *, true):
    try:
        derive([goal], parts, true=true)
    except NotShown:
        return False
    return True


def turned(part):
    """A part that claims the opposite of what it shows."""
    part = copy.deepcopy(part)
    part["statement"] = negated(part["statement"])
    return part


@pytest.mark.parametrize("paper", papers("claims"))
def test_every_part_with_its_statement_negated_is_refused(paper, fresh):
    for (own, name), entry in fresh.items():
        for part in json.loads(json.dumps(entry.parts)) if own == paper else ():
            if "statement" in part:
                assert refused(turned(part)), f"{name}: {turned(part)['statement']}"


@pytest.mark.parametrize("paper", papers("claims"))
def test_the_negation_of_a_goal_is_not_derived(paper, fresh):
    for (own, name), entry in fresh.items():
        if own != paper or entry.verdict == "undecided":
            continue
        for step in entry.derivation:
            goal = entry.goals[step["goal"]]
            if goal not in formulas(entry):
                continue
            covered, opposite = step["rule"] == "covered", negated(goal)
            if not covered:  # there, and not elsewhere in the domain
                at = ", ".join(f"{variable} = {x}" for variable, x in step["at"].items())
                opposite = opposite.partition(" for ")[0] + (f" for {at}" if at else "")
            assert not derived(opposite, entry.parts, true=covered), f"{name}: {opposite}"


def empty(goal):
    """Whether a goal is an identity of sums and products of variables, with no number and no
    function in it: true whatever any paper says."""
    formula = goal.partition(" for ")[0]
    tree = ast.parse(formula, mode="eval").body
    nodes = list(ast.walk(tree))
    plain = (ast.Compare, ast.BinOp, ast.UnaryOp, ast.Name, ast.Constant, ast.operator, ast.unaryop)
    if not all(isinstance(n, (*plain, ast.cmpop, ast.expr_context)) for n in nodes):
        return False
    same = isinstance(tree, ast.Compare) and isinstance(tree.ops[0], ast.Eq)
    numbers = {n.value for n in nodes if isinstance(n, ast.Constant)}
    variables = {n.id for n in nodes if isinstance(n, ast.Name)}
    return same and numbers <= NUMBERS and bool(variables)


@pytest.mark.parametrize(
    ("goal", "says_nothing"),
    [
        ("n + (t - n) == t for n >= 0, t >= 0", True),
        ("m*(1/m) == 1 for m >= 1", True),
        ("a*b == b*a", True),
        ("2*a**2 == a*a for a >= 0", False),
        ("m*(1/m) <= 1 for m >= 1", False),
        ("exp(a) == 1 + a for a >= 0", False),
    ],
)
def test_what_says_nothing_is_seen(goal, says_nothing):
    assert empty(goal) is says_nothing


IDENTITIES = {
    "wu_wang_2025/lemma-15": "an induction step of the binomial distribution",
    "wu_wang_2025/resampling-keeps-means": "the law of resampled losses, outcome by outcome",
    "wu_wang_2025/resampling-worst-case": "the law of resampled losses, outcome by outcome",
    "hu_huang_mehta_2021/beta-posterior": "a likelihood times a prior, exponent by exponent",
    "hu_huang_mehta_2021/eq-36-dominance": "a likelihood ratio; the print names it",
    "hu_huang_mehta_2021/eq-36-indices": "the parameters that step (c) hands to Fact 18",
    "hu_hegde_2022/eq-2-ratio": "two products of probabilities of independent samples",
    "hu_hegde_2022/regret-identity": "regret by gaps; the print is an identity",
    "hu_huang_mehta_2021/regret-by-gaps": "regret by gaps; the print is an identity",
    "hu_huang_mehta_2021/lemma-6-odds": "two products of probabilities of independent samples",
    "tossou_dimitrakakis_2016/regret-decomposition": "regret by gaps; the print is an identity",
    "hu_et_al_2025/lemma-d3": "two products of probabilities of independent samples",
}
"""Entries whose goals are identities without numbers, because the paper's own line is one."""


def test_no_entry_rests_on_empty_algebra_but_where_the_paper_prints_an_identity():
    own = {}
    for paper in papers("claims"):
        for claim in claims_of(paper):
            goals = [g for g in claim.words.goals if not g.startswith((WORDS, LABORATORY, *PLAYED))]
            if goals and all(map(empty, goals)) and len(goals) == len(claim.words.goals):
                own[f"{paper}/{claim.id}"] = goals
    assert own.keys() - IDENTITIES.keys() == set()
