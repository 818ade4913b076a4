"""What forced paths book is a proof only where bookings hang on the actions alone."""

import math
import re

import numpy as np
import pytest

import tests.prover.hostile_bandit
import tests.prover.hostile_odd  # noqa: F401
from dpaudit.auditor.book.actions import why_not
from dpaudit.auditor.search import make_pair
from dpaudit.auditor.upper import Accounting
from dpaudit.play.tables import configured
from dpaudit.results.audit import Guarantee
from dpaudit.results.found import Upper
from tests.auditor.book.by_actions import COUNTED, NOISY
from tests.prover.hostile_made import HOSTILE

NOTHING_KNOWN = Upper(math.inf, "none", proof=False)
ROUNDS = 6


def set_up(algorithm, arms=2, rounds=ROUNDS, **given):
    return configured(algorithm, arms=arms, rounds=rounds, epsilon=1.0, parameters=given)


def accounting(who, claim=None, rounds=ROUNDS):
    return Accounting(who, claim or Guarantee("pure", 1.0), rounds)


@pytest.mark.parametrize("name", NOISY)
def test_what_hangs_on_more_than_the_actions_is_refused(name):
    """And is run on symbols to the end: it is no construct that is refused."""
    assert re.search(
        "may hang on more|may be 0 or below|no sum of", why_not(set_up(NOISY[name]), ROUNDS)
    )


def test_what_is_refused_is_not_called_a_proof():
    who = set_up(NOISY["a_coin_lets_release"])
    assert accounting(who).proved_here(NOTHING_KNOWN) is None
    assert not accounting(who).upper().proof


@pytest.mark.parametrize("name", COUNTED)
def test_what_hangs_on_the_actions_alone_is_shown(name):
    known = COUNTED[name]
    found = accounting(set_up(known.algorithm)).proved_here(NOTHING_KNOWN)
    assert found.proof
    assert found.how.startswith(f"proved to T = {ROUNDS}: ")
    assert found.bound == pytest.approx(known.most)


BANDITS = [n for n, h in HOSTILE.items() if h.algorithm.card.feedback == "bandit"]


@pytest.mark.parametrize("name", BANDITS)
def test_of_hostile_algorithms_none_is_shown_that_books_otherwise_in_another_run(name):
    """Same path, other tables and seeds. Those that lose more than is booked are the prover's."""
    algorithm = HOSTILE[name].algorithm
    if why_not(set_up(algorithm, 3), ROUNDS):
        return
    who, rng = set_up(algorithm, 3), np.random.default_rng(0)
    for _ in range(40):
        path, changed = rng.integers(0, 3, ROUNDS), 1 + int(rng.integers(ROUNDS))
        booked = []
        for seed in range(4):
            pair = make_pair(rng.random((ROUNDS, 3)), changed, np.zeros(3), np.ones(3))
            booked.append(who.trace(pair.rewards, pair.neighbour, path, seed).pure)
        np.testing.assert_allclose(booked, [booked[0]] * 4, atol=1e-9)


@pytest.mark.parametrize(
    ("name", "arms", "rounds", "given", "bound"),
    [
        # Nine rounds of eight arms: one reward is in one noisy sum of scale 1, or of scale 2.
        ("dp-ucb-bound", 8, 9, {}, 1.0),
        ("dp-ucb-bound-repaired", 8, 9, {}, 0.5),
        # One draw on one reward, n = 1: 1/1 by a deviation of 1.
        ("ts-gaussian", 16, 17, {"offset": "0"}, 1.0),
        # On one reward of n = 2: 1/2 by a deviation of sqrt(1/2).
        ("m-ts-gaussian", 16, 17, {"b": 1}, math.sqrt(0.5)),
    ],
)
def test_catalogue_algorithms_at_the_length_where_their_first_releases_decide(
    name, arms, rounds, given, bound
):
    who = set_up(name, arms, rounds, **given)
    notion = who.algorithm.card.privacy.notion.value
    claim = Guarantee.of(notion, 1.0)
    found = accounting(who, claim, rounds).proved_here(NOTHING_KNOWN)
    assert found.proof
    assert found.bound == pytest.approx(bound)


def test_releases_of_unlike_sizes_are_paired_before_they_are_composed():
    """dp-ucb-int, as printed: an arm that waits is released in each round. One that is pulled again
    is released less often, at another scale; the bound is of the largest first releases, the
    largest second ones, and so on."""
    claim = Guarantee("approximate", 1.0, 1e-5)
    rounds = 6
    who = set_up("dp-ucb-int", 2, rounds, redraw="printed")
    found = accounting(who, claim, rounds).proved_here(NOTHING_KNOWN)
    alone = accounting(who, claim, rounds).upper()
    assert found.proof
    assert not alone.proof
    assert found.bound >= alone.bound - 1e-6


def test_nothing_is_tried_where_enough_is_known():
    """What is proved for every T is kept if it says as much; a smaller bound takes its place."""
    account = accounting(set_up("private-ucb", rounds=8), rounds=8)
    assert account.proved_here(Upper(0.375, "proved for every T", proof=True)) is None
    assert account.proved_here(Upper(1.0, "proved for every T", proof=True)).bound == 0.375
