"""Scaling studies: laws are told apart, and every verdict can come out."""

import json

import numpy as np
import pytest
from msgspec.structs import replace

from dpaudit.errors import UsageError
from dpaudit.laboratory.scaling import STUDIES, chosen, finish
from dpaudit.laboratory.scaling.laws import (
    LOG,
    LOG_SQUARED,
    Curve,
    compare,
    fit,
    slope,
)
from dpaudit.laboratory.scaling.measuring import Bench, doubling_gaps, equal_gaps
from dpaudit.laboratory.scaling.study import Design, Outcome, against_bound
from dpaudit.play.catalogue import catalogue
from dpaudit.proofs_checks.hu_et_al_2025 import bounds as hu_et_al_2025
from dpaudit.proofs_checks.hu_huang_mehta_2021.bounds.leader import (
    brackets,
    first_form,
    second_form,
)
from dpaudit.proofs_checks.wu_wang_2025.bounds import rounds as wu_wang_2025
from dpaudit.proofs_checks.wu_wang_2025.bounds.arms import from_answers
from dpaudit.proofs_checks.wu_wang_2025.bounds.conjecture import required_constants
from dpaudit.report.figures import draw_study
from dpaudit.results.made import lines
from dpaudit.results.scaling import Scaling, plain
from dpaudit.run.runner import Runner

K = 2.0 ** np.arange(4, 21, 2)
L = np.log(K)


def answer(y, x=K):
    return compare(Curve("made up", x, y), LOG, LOG_SQUARED).answer


def sampled(y, spread, runs=50):
    rng = np.random.default_rng(7)
    covariance = np.diag((spread * y) ** 2)
    return Curve("made up", K, y + rng.normal(size=len(y)) * spread * y, covariance, runs)


@pytest.mark.parametrize("offset", [-3.0, 0.0, 10.0])
def test_log_is_not_called_log_squared(offset):
    assert answer(offset + 5.0 * L) == "law"


@pytest.mark.parametrize("offset", [-3.0, 0.0, 5.0])
def test_log_squared_is_not_called_log(offset):
    assert answer(offset + L**2) == "extra"


def test_a_mixture_that_is_mostly_log_squared_is_not_called_log():
    assert answer(2.0 * L + L**2) in ("extra", "undecided")


def test_log_with_ripples_is_log():
    # Epochs that double leave a ripple of a few per cent.
    assert answer(6.0 * L * (1.0 + 0.03 * np.sin(2 * np.pi * np.log2(L)))) == "law"


def test_constant_is_not_called_log_and_log_is_not_called_constant():
    t = 2.0 ** np.arange(10, 61, 5)
    assert answer(7.0 - 3.0 * t**-0.5, t) == "constant"
    assert answer(np.log(t), t) == "law"


def test_what_falls_is_slower():
    assert answer(100.0 - L) == "slower"


@pytest.mark.parametrize("spread", [0.003, 0.01])
def test_simulated_curves_are_told_apart(spread):
    assert compare(sampled(4.0 * L, spread), LOG, LOG_SQUARED).answer == "law"
    assert compare(sampled(L**2, spread), LOG, LOG_SQUARED).answer == "extra"


def test_simulated_noise_decides_nothing():
    flat = Curve("noise", K, 4.0 * L, np.diag((2.0 * L) ** 2), 30)
    assert compare(flat, LOG, LOG_SQUARED).answer == "undecided"


def test_interval_of_the_extra_term_covers_zero_as_often_as_it_says():
    rng = np.random.default_rng(11)
    covariance = 0.01 * (np.eye(len(K)) + 0.9)
    root = np.linalg.cholesky(covariance)
    missed = 0
    for _ in range(2000):
        y = 4.0 * L + root @ rng.normal(size=len(K))
        found = fit(Curve("a", K, y, covariance, 10**6), dict([LOG, LOG_SQUARED]))
        missed += abs(found.coefficients[2]) > found.slack[2]
    # 2 expected at confidence 0.999; more than 12 has probability below 1e-6.
    assert missed <= 12


def test_slope_recovers_a_power():
    assert slope(Curve("a", K, 3.0 * K**0.5)).value == pytest.approx(0.5)
    noisy = slope(sampled(K**0.5, 0.01))
    assert noisy.low < 0.5 < noisy.high
    assert noisy.high - noisy.low < 0.05


@pytest.mark.parametrize(
    ("y", "stated", "verdict"),
    [
        (5.0 * L, "log", "as stated"),
        (5.0 * L, "log^2", "better than stated"),
        (L**2, "log^2", "as stated"),
        (L**2, "log", "violated"),
        (0.0 * L + 3.0, "log", "better than stated"),
    ],
)
def test_an_extra_log_factor_changes_the_verdict(y, stated, verdict):
    found = compare(Curve("made up", K, y), LOG, LOG_SQUARED)
    assert from_answers([found], extra_is_stated=stated == "log^2") == verdict


def real_points(factor):
    """Exact regret of a learner, against its value times a factor as bound."""
    bench = Bench("made up")
    found = bench.exact("s", "rnm-ftnl-gumbel", equal_gaps(4, 0.5), [2**10, 2**20], epsilon=0.1)
    return [replace(p, bound=factor * p.regret) for p in found]


@pytest.mark.parametrize(("factor", "verdict"), [(0.99, "violated"), (1.01, "as stated")])
def test_a_bound_set_too_low_is_violated(factor, verdict):
    assert against_bound(real_points(factor))[0] == verdict


def test_a_bound_within_the_error_is_not_decided():
    points = [replace(p, error=0.05 * p.regret) for p in real_points(1.01)]
    assert against_bound(points)[0] == "not decided"


def test_the_lower_bound_study_would_notice_a_learner_below_it(monkeypatch):
    study = STUDIES["wu_wang_2025/theorem-7-lower-bound"]
    assert finish(study, quick=True).verdict == "as stated"
    higher = wu_wang_2025.least_regret
    monkeypatch.setattr(wu_wang_2025, "least_regret", lambda k, e: 10.0 * higher(k, e))
    assert finish(study, quick=True).verdict == "violated"


def test_the_alpha_study_would_notice_a_bound_that_is_broken(monkeypatch):
    monkeypatch.setattr(hu_et_al_2025, "proved", lambda *_: 1.0)
    study = STUDIES["hu_et_al_2025/theorem-4-2-alpha"]
    assert finish(study, quick=True).verdict == "violated"


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("wu_wang_2025/theorem-3-rounds", "as stated"),
        ("wu_wang_2025/theorem-2-rounds", "better than stated"),
        ("wu_wang_2025/remark-14-conjecture", "violated"),
        ("hu_huang_mehta_2021/theorem-9-second-form", "violated"),
        ("tossou_dimitrakakis_2016/theorem-3-5", "violated"),
    ],
)
def test_quick_verdicts(name, verdict):
    outcome = finish(STUDIES[name], quick=True)
    assert outcome.verdict == verdict
    assert outcome.points


def test_growth_in_rounds_is_below_its_error():
    outcome = finish(STUDIES["wu_wang_2025/theorem-3-rounds"], quick=True)
    assert all(abs(g) < 1e-9 for g in outcome.numbers["growth_upper_half"].values())


def test_the_conjecture_fails_for_every_noise():
    _, growths = required_constants(Bench("x", quick=True))
    assert {g["noise"] for g in growths} == {
        "rnm-ftnl-laplace",
        "rnm-ftnl-exponential",
        "rnm-ftnl-exponential-repaired",
        "rnm-ftnl-gumbel",
    }
    assert all(g["growth_of_ln_c1_per_doubling"] > 0.05 for g in growths)


def test_brackets_and_bounds_by_hand():
    instance = doubling_gaps(7, 0.25, 3).rewards()
    assert brackets(instance) == [(0.25, 2), (0.5, 2), (1.0, 2)]
    one = equal_gaps(2, 0.5).rewards()
    assert first_form(one, 0.1) == pytest.approx(256 / 0.1)
    # All gaps equal: log(largest/max(gap, epsilon, 1/T)) = 0.
    assert second_form(one, 0.1, 2**20) == pytest.approx(512 / 0.5)


def test_the_same_seed_gives_the_same_numbers_for_any_number_of_workers():
    study = STUDIES["hu_huang_mehta_2021/theorem-3-lazy-ucb"]
    found = []
    for workers in (1, 2):
        with Runner(workers):
            found.append(finish(study, quick=True, seed=4))
    one, two = found
    other = finish(study, quick=True, seed=5)
    assert one.points == two.points
    assert one.answer == two.answer
    assert one.points != other.points


def test_figures_are_the_same_each_time(tmp_path):
    finished = finish(STUDIES["wu_wang_2025/remark-14-conjecture"], quick=True)
    for name in ("a.svg", "b.svg"):
        draw_study(finished, tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_studies_name_known_algorithms_and_papers():
    for key, study in STUDIES.items():
        assert key == f"{study.paper}/{study.name}"
        assert set(study.targets) <= set(catalogue())
        assert catalogue()[study.targets[0]].card.paper or study.grid


def test_targets_restrict_the_studies_and_unknown_ones_are_named():
    assert {s.name for s in chosen("dp-ts")} == {"theorem-2-log-log"}
    assert [s.name for s in chosen("theorem-3-5")] == ["theorem-3-5"]
    assert chosen("ucb1") == []
    with pytest.raises(UsageError, match="did you mean dp-ts"):
        chosen("dp-tss")


def test_infinities_are_null_in_json():
    study = Design("a", "b", "c", "d", ("dp-ts",), "e", "f", lambda _: Outcome(
        "not decided", "", [], {"x": float("inf"), "y": np.float64(2.0)}
    ))  # fmt: skip
    text = lines(plain(Scaling(version="", studies=[finish(study)])))
    assert json.loads(text)["studies"][0]["numbers"] == {"x": None, "y": 2.0}
