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

from dpaudit.algorithm.contract import BOOK
from dpaudit.algorithms.baselines import ucb1
from dpaudit.errors import UsageError
from dpaudit.machine.compiling import deep_copy
from dpaudit.machine.leaps import nodes, tails, thinning
from dpaudit.machine.leaps.nodes import tree_take
from dpaudit.machine.trees import TREE, tree_add
from dpaudit.play.catalogue import find
from dpaudit.play.environments import LONG, play_environment, stochastic

DIFFERENT = 5e-7
RUNS = 20_000
FEW = 2_000
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
    "dp-ts": ({"means": [1.0, 0.1], "horizons": 700, "epsilon": 1000.0}, 0.9),
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


def nobody_comes_near(arms, arm, t, rounds):
    return rounds < 40


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("thompson", {thinning.geometric: half_of_them}),
        ("hedge", {thinning.geometric: half_of_them}),
        ("ucb1", {ucb1.stays: nobody_comes_near}),
    ],
)
def test_leaps_that_are_too_long_are_seen(name, wrong):
    settings, _ = CASES[name]
    entry = find(name)
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


@pytest.mark.parametrize(("before", "items"), [(0, 1), (12, 1), (12, 3), (12, 4), (5, 1000)])
def test_a_tree_that_takes_many_items_has_the_nodes_of_one_that_takes_them_singly(before, items):
    fields = [(n, *((k[0], (k[1],)) if isinstance(k, tuple) else (k,))) for n, k in TREE.items()]
    one, many = (np.zeros(1, np.dtype(fields, align=True)).view(np.recarray)[0] for _ in range(2))
    own = np.zeros(1, np.dtype(list(BOOK.items()))).view(np.recarray)[0]
    rng = np.random.default_rng(2)
    for tree in (one, many):
        for _ in range(before):
            tree_add(own, tree, 1.0, 1.0, 3.0, rng)
    kept = many.tree_noisy.copy()
    for _ in range(items):
        tree_add(own, one, 0.5, 0.5, 3.0, rng)
    tree_take(many, items, 0.5 * items, 3.0, rng)
    assert many.tree_items == one.tree_items == before + items
    assert many.tree_sums.sum() == one.tree_sums.sum() == before + 0.5 * items
    assert np.array_equal(many.tree_noisy != 0.0, one.tree_noisy != 0.0)
    stays = [before >> i == (before + items) >> i for i in range(len(kept))]
    assert np.all(many.tree_noisy[stays] == kept[stays])
    noise = (many.tree_noisy - many.tree_sums)[~np.array(stays) & (many.tree_noisy != 0.0)]
    assert len(noise) > 0
    assert np.all(noise != 0.0)


def test_the_noise_of_a_tree_is_hardly_ever_below_its_bound():
    """With a bound for 1 in 10 in place of e^-69 it is: the bound is of the right size."""
    rng = np.random.default_rng(4)
    drawn = rng.laplace(0.0, 2.0, (100_000, 8)).sum(axis=1)
    bound = 2.0 / nodes.TILT * (math.log(10.0) - 8 * math.log1p(-(nodes.TILT**2)))
    assert np.mean(drawn < -bound) < 0.1
    assert drawn.min() < -0.5 * bound


def test_python_and_compiled_far_play_are_the_same():
    for name, (settings, _) in CASES.items():
        given = {"runs": 2} | settings
        one = regret(name, given | {"python": True}, far=True)
        assert np.array_equal(one.regret, regret(name, given, far=True).regret)
