"""Safe noise as an option: the same algorithm, with releases that hold in floating point."""

import numpy as np
import pytest

import dpaudit
from dpaudit.errors import UsageError
from dpaudit.machine.releases import laplace
from dpaudit.machine.safe import sum_release, with_safe_laplace
from dpaudit.machine.safe_laplace import grid_of, safe_laplace
from dpaudit.play.catalogue import catalogue, find
from dpaudit.results.claimed import guarantee
from dpaudit.testing import check_learner


def test_a_name_that_ends_with_safe_is_the_entry_with_safe_noise():
    safe = find("anytime-lazy-ucb-safe")
    assert safe is find("anytime-lazy-ucb-safe")
    assert safe.card.name == "anytime-lazy-ucb-safe"
    assert safe.exact is None  # no exact engine computes with this noise
    assert "anytime-lazy-ucb-safe" not in catalogue()
    for wrong in ("anytime-lazy-safe", "-safe"):
        with pytest.raises(UsageError, match="unknown name"):
            find(wrong)


def test_only_algorithms_with_laplace_releases_have_a_safe_variant():
    refused = set()
    for name in catalogue():
        try:
            with_safe_laplace(find(name))
        except UsageError:
            refused.add(name)
    with pytest.raises(UsageError, match="rnm-ftnl makes no Laplace release"):
        with_safe_laplace(find("rnm-ftnl"))
    assert {"rnm-ftnl", "ts-gaussian", "ucb1"} <= refused
    assert not refused & {"anytime-lazy-ucb", "dp-ts", "dp-ucb", "ftnl", "private-ucb"}


@pytest.mark.parametrize("name", ["anytime-lazy-ucb-safe", "lazy-dp-ts-safe"])
def test_the_safe_variant_passes_the_conformance_suite(name):
    """Plain Python and compiled alike, by leaps alike, and nothing past the releases."""
    check_learner(name, epsilon=0.3)


def test_every_number_that_the_safe_variant_releases_is_on_the_grid():
    def released(name):
        learner = dpaudit.learner(name, arms=2, epsilon=0.3, rng=np.random.default_rng(1))
        for t in range(1, 40):
            learner.observe(t, learner.select(t), 1.0)
        sums = [arm.noisy_mean * (1 << arm.epoch) for arm in learner.arms]
        return [x / grid_of(1.0 / 0.3) % 1.0 for x in sums]

    assert released("anytime-lazy-ucb-safe") == [0.0, 0.0]
    assert all(x > 0.0 for x in released("anytime-lazy-ucb"))


def test_the_safe_variant_is_audited_as_it_claims():
    """Confidence 1 - 1e-6. The control runs the same variant and claims half of its epsilon."""
    result = dpaudit.audit(
        "anytime-lazy-ucb-safe", epsilon=1.0, rounds=6, runs=4_000_000, confidence=1 - 1e-6
    )
    assert result.verdict == "consistent"
    assert result.lower_bound > 0.8
    assert result.upper_bound == pytest.approx(1.0, abs=1e-6)
    wrong = dpaudit.audit(
        "anytime-lazy-ucb-safe",
        epsilon=1.0,
        claim=guarantee(0.5, 0.0),
        rounds=6,
        runs=20_000,
        confidence=1 - 1e-6,
    )
    assert wrong.verdict == "violated"


@pytest.mark.parametrize("which", [laplace, safe_laplace], ids=lambda f: f.__name__)
def test_releases_of_a_sum_are_the_same_in_python_and_compiled(which):
    rows = [
        sum_release(0.7, which, python=python)([1, 2, 0.5], 300, np.random.default_rng(4))
        for python in (True, False)
    ]
    assert np.array_equal(*rows)
    assert len(set(rows[0])) > 200


def test_scales_are_checked():
    with pytest.raises(UsageError, match="scale"):
        sum_release(0.0)
