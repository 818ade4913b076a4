"""The catalogue's own bounds, and that they are what forcing every path books: for two arms and few
rounds the largest booking is the proved bound, or less for a reason that is written down."""

import functools
import math

import numpy as np
import pytest

from dpaudit.auditor.upper import without_loss
from dpaudit.ledger.published.theorems import register
from dpaudit.machine.compiling import bound
from dpaudit.play import tables
from dpaudit.play.catalogue import catalogue, find
from dpaudit.prover.prove import prove

BOUNDS = {
    "anytime-lazy-ucb": 1.0,
    "lazy-dp-ts": 1.0,
    "ftnl": 1.0,
    "rnm-ftnl": 2.0,
    "rnm-ftnl-repaired": 1.0,
    "rnm-ftnl-exponential": 2.0,
    "rnm-ftnl-exponential-repaired": 1.0,
    "rnm-ftnl-gumbel": 1.0,
    "rnm-ftnl-laplace": 1.0,
    "adap-ucb": 1.0,
    "adap-klucb": 1.0,
    "dp-klucb": 1.0,
    "dp-imed": 1.0,
    "random-prefix-ftl": 1.0,
    "dp-se": 1.0,
    "dp-ts": 1.0,
    "dp-ucb": 2.0,
    "dp-ucb-repaired": 1.0,
    "dp-ucb-bound": 2.0,
    "dp-ucb-bound-repaired": 1.0,
    "private-ucb": 1.0,  # 1/K of one arm's tree
    # One draw of squared size 1/(2n) / (1/n) for each of phi = sqrt(2 pi e) draws, 4.13 of them.
    "dp-ts-ucb": math.sqrt(math.sqrt(2.0 * math.pi * math.e)),
}
GROWING = {"ts-gaussian", "m-ts-gaussian", "dp-ucb-int"}
LEAKING = {
    "thompson": "successes = unprotected(",
    "hedge": "top = max(top, unprotected(",
    "kl-ucb": "unprotected(own, arm.total",
    "ucb1": "unprotected(own, arm.average",
    "follow-the-leader": "best_total = unprotected(",
}
EXCEEDS = {
    "dp-se": "an epoch has more rounds than eight",
    "private-ucb": "an arm has seven rounds at most: three levels of the four of its scale",
    "dp-ts-ucb": "the budget of draws, sqrt(2 pi e) at alpha = 1, is not used up in eight rounds",
    "dp-ucb-int": "its first release is behind the second round: a term less",
}
ROUNDS = {n: (3, 5) for n in BOUNDS if n.startswith("rnm-ftnl-") and n != "rnm-ftnl-repaired"}
"""Where every path of eight rounds takes seconds."""


@functools.cache
def proved(name, arms, rounds):
    return prove(name, arms=arms, rounds=rounds)


def test_every_entry_is_in_one_table():
    assert {*BOUNDS, *GROWING, *LEAKING} == set(catalogue())


@pytest.mark.parametrize("name", BOUNDS)
def test_the_bound_of_an_entry(name):
    found = proved(name, None, None)
    assert found.bound == pytest.approx(BOUNDS[name], rel=1e-5)
    assert found.bound >= BOUNDS[name] * (1 - 1e-12)
    assert (found.rounds, found.arms) == ("every", "every")
    if name in register().algorithms:  # the theorem about it has its hypothesis
        assert register().algorithms[name].unmet(found) is None


@pytest.mark.parametrize("name", sorted(LEAKING))
def test_the_line_of_a_leak(name):
    found = proved(name, None, None)
    assert found.bound is None
    assert LEAKING[name] in found.leak.text
    assert found.leak.line > 0


@pytest.mark.parametrize("name", sorted(GROWING))
def test_what_grows_has_no_bound_for_every_horizon(name):
    found = proved(name, None, None)
    assert found.bound is None
    assert found.growth


@functools.cache
def forced(name, rounds):
    """The largest booking of two arms, of all paths, all changed rounds and all directions."""
    algorithm = find(name)
    settings = algorithm.settings(arms=2, epsilon=1.0, horizon=rounds, given={})
    who = tables.Configured(without_loss(algorithm), settings)
    found = tables.force_paths(who, np.full((rounds, 2), 0.5))
    return max(found.pure, math.sqrt(found.gdp))


@pytest.mark.parametrize("name", [*BOUNDS, *sorted(GROWING)])
def test_the_bound_is_what_forced_paths_book(name, monkeypatch):
    monkeypatch.setattr(tables, "compiled_driver", bound)  # plain: nothing is compiled for this
    every = ROUNDS.get(name, (3, 5, 8))
    for rounds in every:
        arms = 2 if name == "private-ucb" else None
        most = proved(name, arms, rounds if name in GROWING else None).bound
        books = forced(name, rounds)
        assert books <= most * (1 + 1e-9)
    reached = books == pytest.approx(most, rel=1e-5)
    assert reached == (name not in EXCEEDS), (books, most)


def test_a_tree_run_afresh_in_each_round_books_more_and_more(monkeypatch):
    """Epoch r books 1/2 (2^(r + 1) - 1)/(r + 1) for its first item, and 1/2 at its end: about
    T/(4 log2 T) of it. Proved is T/2: each round of the epoch books 1/2 at most."""
    monkeypatch.setattr(tables, "compiled_driver", bound)
    found = prove("dp-ts", invoke="afresh")
    assert (found.bound, found.law) == (None, "1/2 T")
    assert "1/2 * (1 + arm0.epoch)^-1 again in each round" in found.growth
    algorithm = find("dp-ts")
    for rounds in (4, 8):
        settings = algorithm.settings(
            arms=2, epsilon=1.0, horizon=rounds, given={"invoke": "afresh"}
        )
        who = tables.Configured(without_loss(algorithm), settings)
        books = tables.force_paths(who, np.full((rounds, 2), 0.5)).pure
        # The other arm is pulled once; epochs end at 2^(r + 2) - 1 pulls.
        whole = (r for r in range(8) if 2 ** (r + 2) - 1 <= rounds - 1)
        assert books == pytest.approx(max((2 ** (r + 1) - 1) / (2 * r + 2) + 0.5 for r in whole))
        assert books <= rounds / 2
