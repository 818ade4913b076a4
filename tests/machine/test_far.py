"""Far play has the law of play round by round: 20,000 runs of each, two tests, and what must fail.

Seeds are fixed. Each pair is compared by Kolmogorov-Smirnov and by the z of the means; either is
taken for a difference below p = 5e-7, so that a false alarm of a pair has probability 1e-6 at most.
"""

import dataclasses
import math
from typing import Any, cast

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import beta, ks_2samp, kstest, norm

from dpaudit.algorithms.baselines import ucb1
from dpaudit.errors import UsageError
from dpaudit.machine.compiling import deep_copy
from dpaudit.machine.leaps import passage, tails, thinning
from dpaudit.machine.leaps.passage import append
from dpaudit.machine.trees import TREE, trailing_zeros
from dpaudit.play.catalogue import find
from dpaudit.play.environments import LONG, play_environment, stochastic

DIFFERENT = 5e-7
RUNS = 20_000
FEW = 4_000
"""Are enough for the controls that are far off, and spared where a run is a few steps."""


def regret(target: Any, settings: dict[str, Any], *, far: bool) -> Any:
    given = {"epsilon": 1.0, "runs": RUNS, "seed": 11 + far, "far": far, "leaping": False}
    return play_environment(target, **given | settings)


def p_value(one: Any, other: Any) -> float:
    """The smaller one of the two tests. Sums of gaps are rounded: in another order they differ."""
    one, other = np.round(one, 6), np.round(other, 6)
    error = math.sqrt(one.var() / len(one) + other.var() / len(other))
    z = abs(one.mean() - other.mean()) / error if error > 0 else 0.0
    return min(float(ks_2samp(one, other).pvalue), float(2.0 * ndtr(-z)))


# Where, and the largest part of the rounds that may be steps.
CASES: dict[str, tuple[dict[str, Any], float]] = {
    "thompson": ({"means": [0.9, 0.3], "horizons": 600}, 0.8),
    "lazy-dp-ts": ({"means": [1.0, 0.05], "horizons": 1100, "epsilon": 20.0}, 0.93),
    "ts-gaussian": ({"means": [1.0, 0.1], "horizons": 1000}, 0.9),
    "m-ts-gaussian": ({"means": [1.0, 0.1], "horizons": 1000, "b": 3, "c": 0.2}, 0.8),
    "dp-ts-ucb": ({"means": [0.9, 0.3, 0.2], "horizons": 1500}, 0.9),
    "ucb1": ({"means": [0.9, 0.3], "horizons": 1500}, 0.9),
    "kl-ucb": ({"means": [0.9, 0.3], "horizons": 90}, 0.9),
    "hedge": ({"means": [0.8, 0.4, 0.4], "horizons": 400}, 0.8),
    "follow-the-leader": ({"means": [0.6, 0.5], "horizons": 400}, 0.6),
    "private-ucb": ({"means": [0.9, 0.3], "horizons": 1000, "epsilon": 1e5}, 0.8),
    "dp-ucb-bound": ({"means": [0.9, 0.2], "horizons": 1000, "epsilon": 20.0}, 0.3),
    "dp-ucb": ({"means": [0.9, 0.3], "horizons": 500, "epsilon": 3.0}, 0.5),
    "dp-ts": ({"means": [1.0, 0.1], "horizons": 700, "epsilon": 1000.0}, 0.9),
    "dp-ts noise": ({"means": [0.9, 0.2], "horizons": 2000, "epsilon": 20.0}, 0.8),
    "dp-ts printed": (
        {"means": [0.9, 0.5, 0.2], "horizons": 800, "epsilon": 300.0, "average": "printed"},
        0.7,
    ),
    "dp-ts afresh": (
        {"means": [0.9, 0.2], "horizons": 900, "epsilon": 100.0, "invoke": "afresh"},
        0.7,
    ),
    "dp-ucb-int": ({"means": [0.9, 0.3], "horizons": 1000, "epsilon": 0.5}, 0.5),
    "dp-se": ({"means": [0.95, 0.8, 0.4], "horizons": 3000, "epsilon": 0.4, "beta": 0.9}, 0.1),
    "rnm-ftnl-gumbel": ({"means": [0.7, 0.5], "horizons": 500, "resample": "1"}, 0.1),
}


@pytest.mark.parametrize("name", CASES)
def test_far_play_has_the_law_of_single_rounds(name):
    settings, part = CASES[name]
    entry = find(name.split()[0])
    plain = regret(entry, settings, far=False).regret[:, -1]
    played = regret(entry, settings, far=True)
    assert played.steps.mean() < part * settings["horizons"]
    assert played.neglected.max() < 1e-15
    assert p_value(played.regret[:, -1], plain) > DIFFERENT
    # The same comparison sees a first arm that is worse by a tenth.
    moved = {"means": [m * (0.9 if j == 0 else 1.0) for j, m in enumerate(settings["means"])]}
    runs = FEW if played.steps.mean() > 50 else RUNS
    other = regret(entry, settings | moved | {"runs": runs}, far=True).regret[:, -1]
    assert p_value(other, plain) < DIFFERENT


def half_of_them(chance, rng):
    """Half of the candidates are overlooked."""
    return int(rng.standard_exponential() / (0.5 * chance + 1e-18)) + 1


def walks_on(trees, rooms, sides, rounds, scale, rng):
    """The noise of trees is not looked at on the way."""
    noise = np.zeros(len(trees))
    for _ in range(rounds):
        append(trees, noise, 0, scale, rng)
    return rounds


def nobody_comes_near(arms, arm, t, rounds):
    return rounds < 40


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("thompson", {thinning.geometric: half_of_them}),
        ("hedge", {thinning.geometric: half_of_them}),
        ("ucb1", {ucb1.stays: nobody_comes_near}),
        ("dp-ts noise", {thinning.geometric: half_of_them}),
        ("dp-ucb", {passage.walk: walks_on}),
    ],
)
def test_leaps_that_are_too_long_are_seen(name, wrong):
    settings, _ = CASES[name]
    entry = find(name.split()[0])
    plain = regret(entry, settings, far=False).regret[:, -1]
    broken = dataclasses.replace(
        entry, stretch=deep_copy(cast(Any, entry.stretch), lambda inner: inner, dict(wrong))
    )
    assert p_value(regret(broken, settings, far=True).regret[:, -1], plain) < DIFFERENT


LAWS = [
    (tails.BETA, 3.0, 5.0, 0.9),
    (tails.BETA, 1.0, 40.0, 0.2),
    (tails.BETA, 50.0, 1.0, 0.9995),
    (tails.BETA, 3e5, 1e5, 0.752),
    (tails.BETA, 2.0, 3.0, 0.3),
    (tails.NORMAL, 0.3, 0.1, 0.6),
    (tails.NORMAL, 0.3, 0.1, 0.2),
]


@pytest.mark.parametrize(("family", "a", "b", "level"), LAWS)
def test_draws_above_a_level_have_the_law_that_they_should(family, a, b, level):
    """Kolmogorov-Smirnov on 20,000 draws at 1e-6; the control is the law without the condition."""
    law = beta(a, b) if family == tails.BETA else norm(a, b)
    chance = tails.above(family, a, b, level)
    assert chance == pytest.approx(law.sf(level), rel=1e-9)
    assert tails.below(family, a, b, level) == pytest.approx(law.cdf(level), rel=1e-9)
    rng = np.random.default_rng(3)
    drawn = [tails.draw_above(family, a, b, level, chance, rng) for _ in range(RUNS)]
    assert min(drawn) > level
    assert kstest(drawn, lambda x: 1.0 - law.sf(x) / law.sf(level)).pvalue > 1e-6
    assert kstest(drawn, law.cdf).pvalue < 1e-6


@pytest.mark.parametrize(
    ("a", "b", "x"), [(1e4, 3e3, 0.75), (1e12, 1.0, 1 - 7e-11), (9e11, 3e11, 0.749997)]
)
def test_far_tails_keep_their_digits(a, b, x):
    assert tails.below(tails.BETA, a, b, x) == pytest.approx(beta.cdf(x, a, b), rel=1e-3)


def test_far_play_is_taken_at_far_horizons_only_and_only_where_it_is_known():
    assert not stochastic("thompson", [0.6, 0.4], LONG - 1).far
    assert stochastic("thompson", [0.6, 0.4], LONG).far
    assert not stochastic("thompson", [0.6, 0.4], LONG, leaping=False).far
    assert not stochastic("anytime-lazy-ucb", [0.6, 0.4], LONG, epsilon=1).far
    other = dataclasses.replace(find("thompson"), observe=find("ucb1").observe)
    assert not stochastic(other, [0.6, 0.4], LONG).far
    with pytest.raises(UsageError, match="far: anytime-lazy-ucb has no leaps in law"):
        stochastic("anytime-lazy-ucb", [0.6, 0.4], 10, epsilon=1, far=True)


def test_noise_of_another_kind_has_no_leaps_that_draw_the_usual_one():
    assert find("dp-ts").stretch is not None
    assert not stochastic("dp-ts-safe", [0.6, 0.4], LONG, epsilon=1.0).far


FIELDS = [(n, *((k[0], (k[1],)) if isinstance(k, tuple) else (k,))) for n, k in TREE.items()]
SCALE = 2.0


def trees_at(items, count):
    """Trees of so many items, with some noise in the nodes that there are."""
    trees = np.zeros(count, np.dtype(FIELDS, align=True)).view(np.recarray)
    trees.tree_items = items
    for level in range(10):
        if (items >> level) & 1:
            trees.tree_noisy[:, level] = 0.3
    return trees


def drawn_singly(items, rooms, sides, rounds, rng):
    """Every node of the same walk: the items, and the noise at its end."""
    noise = trees_at(items, len(rooms)).tree_noisy
    bounds = rooms + sides * noise.sum(axis=1)
    for done in range(1, rounds + 1):
        level = trailing_zeros(items + done)
        noise[:, :level] = 0.0
        noise[:, level] = rng.laplace(0.0, SCALE, len(rooms))
        if np.any(sides * noise.sum(axis=1) > bounds):
            break
    return done, *noise.sum(axis=1)


WALKS = [(0, 60, [8.0], [-1.0]), (12, 90, [11.0], [1.0]), (5, 100, [12.0, 9.0], [1.0, -1.0])]


@pytest.mark.parametrize(("items", "rounds", "rooms", "sides"), WALKS)
def test_a_walk_ends_where_and_as_one_does_that_draws_every_node(items, rounds, rooms, sides):
    """Kolmogorov-Smirnov of its length and of each tree's noise at its end, 4,000 walks of each, at
    1e-7; the control has a quarter more room."""
    rooms, sides, rng = np.array(rooms), np.array(sides), np.random.default_rng(7)
    found, right, wider = [], [], []
    for _ in range(4_000):
        trees = trees_at(items, len(rooms))
        done = passage.walk(trees, rooms, sides, rounds, SCALE, rng)
        assert np.all(trees.tree_items == items + done)
        found.append((done, *(passage.noise_of(tree) for tree in trees)))
        right.append(drawn_singly(items, rooms, sides, rounds, rng))
        wider.append(drawn_singly(items, 1.25 * rooms, sides, rounds, rng)[0])
    for here, there in zip(np.transpose(found), np.transpose(right), strict=True):
        assert ks_2samp(here, there).pvalue > 1e-7
    assert ks_2samp(np.transpose(found)[0], wider).pvalue < 1e-7


def test_a_walk_over_2_to_the_40_items_needs_no_more_than_a_glance():
    """Where there is room, all nodes but the last are gone without a draw."""
    tree, rng = trees_at(0, 1), np.random.default_rng(5)
    assert passage.walk(tree, np.full(1, 400.0), np.ones(1), 2**40, SCALE, rng) == 2**40
    assert np.count_nonzero(tree.tree_noisy) == 1
    assert passage.walk(tree, np.full(1, -1.0), np.ones(1), 2**40, SCALE, rng) == 1


def test_python_and_compiled_far_play_are_the_same():
    for name, (settings, _) in CASES.items():
        given = {"runs": 2} | settings
        entry = find(name.split()[0])
        one = regret(entry, given | {"python": True}, far=True)
        assert np.array_equal(one.regret, regret(entry, given, far=True).regret)
