"""The continual-sum mechanisms: exact without noise, and each item in as many nodes as allowed."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpaudit.algorithm.contract import BOOK, _fields
from dpaudit.machine.trees import (
    HYBRID,
    TREE,
    bit_length,
    hybrid_add,
    hybrid_sum,
    trailing_zeros,
    tree_add,
    tree_clear,
    tree_put,
    tree_redraw,
    tree_sum,
)

ITEMS = st.lists(st.floats(0, 1), min_size=1, max_size=70)
SILENT = 1e-12


def record(fields):
    return np.zeros(1, _fields(fields)).view(np.recarray)[0]


@given(ITEMS)
@settings(deadline=None, derandomize=True)
def test_with_silent_noise_every_prefix_sum_is_right(items):
    own, tree, hybrid = record(BOOK), record(TREE), record(HYBRID)
    rng = np.random.default_rng(0)
    for n, x in enumerate(items, 1):
        tree_add(own, tree, x, x, SILENT, rng)
        hybrid_add(own, hybrid, x, x, SILENT, SILENT, rng)
        # 1e-9 covers the silent noise and rounding.
        assert tree_sum(tree) == pytest.approx(sum(items[:n]), abs=1e-9)
        assert hybrid_sum(hybrid) == pytest.approx(sum(items[:n]), abs=1e-9)


@pytest.mark.parametrize("changed", range(1, 16))
def test_an_item_is_in_at_most_k_nodes_of_a_tree_below_2_to_the_k(changed):
    own, tree = record(BOOK), record(TREE)
    for n in range(1, 16):
        tree_add(own, tree, 0.0, float(n == changed), 1.0, np.random.default_rng(n))
    assert own.pure <= 4
    if changed == 1:
        assert own.pure == 4


@pytest.mark.parametrize("changed", range(1, 32))
def test_the_two_halves_of_the_hybrid_mechanism_both_pay(changed):
    """An item is in its block, and in its tree too unless it is the block's last."""
    own, arm = record(BOOK), record(HYBRID)
    for n in range(1, 33):
        depth = bit_length(n) - 1
        here = float(n == changed)
        hybrid_add(own, arm, 0.0, here, 1.0, float(max(depth, 1)), np.random.default_rng(n))
    power = changed & (changed - 1) == 0
    assert own.pure == 1.0 if power else 1.0 < own.pure <= 2.0
    if changed == 17:
        assert own.pure == 2.0  # first leaf of a full tree: all its levels, and the block


def test_redrawing_releases_every_node_of_the_sum_again():
    own, tree = record(BOOK), record(TREE)
    rng = np.random.default_rng(1)
    for n in range(1, 8):
        tree_put(tree, 0.0, float(n == 1))
        tree_redraw(own, tree, 1.0, rng)
    assert own.pure == 7.0


def test_a_cleared_tree_is_empty():
    own, tree = record(BOOK), record(TREE)
    for _ in range(11):
        tree_add(own, tree, 1.0, 1.0, 1.0, np.random.default_rng(0))
    tree_clear(tree)
    assert tree_sum(tree) == 0.0
    assert not tree.tree_sums.any()
    assert not tree.tree_noisy.any()


@given(st.integers(1, 2**50))
@settings(derandomize=True)
def test_bit_functions(n):
    assert bit_length(n) == n.bit_length()
    assert n % 2 ** trailing_zeros(n) == 0
    assert (n >> trailing_zeros(n)) & 1


def test_noise_variance_grows_with_the_number_of_nodes():
    """A sum of 7 items has 3 nodes: variance 3 * 2 scale^2. 10,000 runs; sd of the variance ratio
    is below 0.03, so 0.2 is a 6-sigma band; a tree with half the noise must fail."""
    for scale, passes in ((1.0, True), (0.5, False)):
        own = record(BOOK)
        rng = np.random.default_rng(5)
        sums = []
        for _ in range(10_000):
            tree = record(TREE)
            for _ in range(7):
                tree_add(own, tree, 0.0, 0.0, scale, rng)
            sums.append(tree_sum(tree))
        assert (math.isclose(np.var(sums), 6.0, rel_tol=0.2)) == passes
