"""Scaling studies: the one rule, its power, and a control for every study."""

import dataclasses
import json
import math

import numpy as np
import pytest
from msgspec.structs import replace

from dpaudit.errors import UsageError
from dpaudit.laboratory.scaling import STUDIES, chosen, decided, finish, rule
from dpaudit.laboratory.scaling.laws import CONSTANT, LOG, LOG_SQUARED, Curve, Ladder, power
from dpaudit.laboratory.scaling.measuring import Bench, Instance, doubling_gaps, equal_gaps
from dpaudit.laboratory.scaling.power import table
from dpaudit.laboratory.scaling.study import Design, Outcome
from dpaudit.play.catalogue import catalogue
from dpaudit.proofs_checks.hu_hegde_2022.bounds import thompson
from dpaudit.proofs_checks.hu_huang_mehta_2021.bounds.leader import (
    brackets,
    first_form,
    second_form,
)
from dpaudit.proofs_checks.wu_wang_2025.bounds import rounds as wu_wang_2025
from dpaudit.report.figures import draw_study
from dpaudit.results.made import lines
from dpaudit.results.scaling import Point, Scaling, plain
from dpaudit.run.runner import Runner

K = 2.0 ** np.arange(4, 21, 2)
L = np.log(K)
LADDER = Ladder(LOG, LOG_SQUARED, (CONSTANT,))


def answer(y, x=K, ladder=LADDER):
    return rule.judge(Curve("made up", x, np.asarray(y)), ladder).answer


def noisy(y, spread, runs=50):
    rng = np.random.default_rng(7)
    covariance = np.diag((spread * y) ** 2)
    return Curve("made up", K, y + rng.normal(size=len(y)) * spread * y, covariance, runs)


@pytest.mark.parametrize("offset", [-1.0, 0.0, 10.0])
def test_log_is_as_stated_whatever_its_offset(offset):
    assert answer(offset + 5.0 * L) == "as stated"


@pytest.mark.parametrize(
    ("y", "said"),
    [
        (3.0 + 0.0 * L, "slower"),
        (L**2, "faster"),
        (L**3, "faster"),
        (L + L**2 / L[-1], "faster"),
        (K, "faster"),
        (K**2, "faster"),
        (100.0 - L, "slower"),
        (6.0 * L * (1.0 + 0.02 * np.sin(2 * np.pi * np.log2(L))), "as stated"),
    ],
)
def test_each_growth_is_called_what_it_is(y, said):
    assert answer(y) == said


def test_without_a_slower_law_it_is_only_said_that_growth_is_no_faster():
    assert answer(L, ladder=Ladder(LOG, LOG_SQUARED)) == "no faster"


def test_simulated_noise_decides_nothing_and_little_noise_something():
    assert rule.judge(noisy(4.0 * L, 0.3), LADDER).answer == "undecided"
    assert rule.judge(noisy(4.0 * L, 0.005), LADDER).answer == "as stated"
    assert rule.judge(noisy(L**2, 0.005), LADDER).answer == "faster"


def test_few_points_and_points_at_zero_decide_nothing():
    assert answer(L[:4], K[:4]) == "undecided"
    assert answer(np.append(0.0, L[1:])) == "undecided"


def test_a_curve_that_would_not_show_the_faster_law_says_nothing():
    # Far slower than stated and no slower law to stand beside: the control drowns.
    judged = rule.judge(Curve("a", K, 1.0 + np.log(L)), Ladder(LOG_SQUARED, power(0.5, "K")))
    assert judged.control[0] <= rule.THRESHOLD
    assert judged.answer == "undecided"


def test_what_outgrows_the_faster_law_is_never_called_no_faster():
    x = 2.0 ** np.arange(2, 10)
    for exponent in (0.75, 1.0, 1.3, 1.7, 2.5, 3.0):
        assert answer(x**exponent, x, Ladder(CONSTANT, power(0.5))) in ("faster", "undecided")


def test_the_extra_part_is_exact_for_mixtures():
    for share in (0.0, 0.3, 0.9):
        extra = L**2 - L[0] ** 2
        y = 2.0 + L
        y = y + share / (1.0 - share) * y[-1] * extra / extra[-1]
        part = rule.extra_part(y, K, LOG, LOG_SQUARED)
        assert part == pytest.approx([share] * 3, abs=1e-9)


def test_the_interval_of_noise_covers_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(11)
    covariance = 0.01 * (np.eye(len(K)) + 0.9)
    y = 4.0 * L + rng.normal(size=(2000, len(K))) @ np.linalg.cholesky(covariance).T
    part = rule.extra_part(y, K, LOG, LOG_SQUARED, covariance, 3.29)
    missed = np.sum((part[:, 0] > 0.0) | (part[:, 2] < 0.0))
    # At most 2 expected at confidence 0.999; more than 12 has probability below 1e-6.
    assert missed <= 12
    narrow = rule.extra_part(y, K, LOG, LOG_SQUARED, 0.01 * covariance, 3.29)
    assert np.mean(narrow[:, 2] - narrow[:, 0]) < np.mean(part[:, 2] - part[:, 0])


@pytest.mark.parametrize(("low", "high", "said"), [
    (0.41, 0.5, 1), (0.39, 0.5, 0), (0.1, 0.39, -1), (0.1, 0.41, 0),
])  # fmt: skip
def test_the_threshold_is_where_it_is_said_to_be(low, high, said):
    assert rule.side(np.array([low, low, high])) == said


def test_another_threshold_gives_other_answers():
    mixed = rule.judge(Curve("a", K, L + 0.45 * L**2 / L[-1]), LADDER)
    assert mixed.answer != "faster"
    assert rule.verdict([], [mixed], threshold=0.2)[0] == "violated"
    plain_log = rule.judge(Curve("a", K, L**2), LADDER)
    assert rule.verdict([], [plain_log])[0] == "violated"
    assert rule.verdict([], [plain_log], threshold=1.5)[0] != "violated"


def test_the_power_table_says_what_the_rule_does():
    found = {(p.laws, p.truth, p.noise): p.answers for p in table(draws=8)}
    laws = LADDER.words
    assert found[laws, "log", 0.0] == {"as stated": 1.0}
    assert found[laws, "constant", 0.01] == {"slower": 1.0}
    assert found[laws, "log^2", 0.01] == {"faster": 1.0}
    # A factor log log is not told from none: the table has to say so.
    assert found[laws, "log * log log", 0.0] == {"as stated": 1.0}
    assert found[laws, "log", 0.05].get("undecided", 0.0) > 0.0
    assert all(abs(sum(a.values()) - 1.0) < 1e-12 for a in found.values())
    wrong = [a.get("faster", 0.0) for (_, truth, _), a in found.items() if truth == "constant"]
    assert max(wrong) == 0.0


def point(regret, bound, idle=100.0, error=0.0):
    return Point(series="s", x=1.0, target="t", regret=regret, error=error, bound=bound, idle=idle)


@pytest.mark.parametrize(
    ("given", "lower", "verdict"),
    [
        (point(1.01, 1.0), False, "violated"),
        (point(0.99, 1.0), False, "not contradicted"),
        (point(0.99, 1.0, error=0.05), False, "not decided"),
        (point(1.01, 1.0, error=0.05), False, "not decided"),
        (point(0.5, 1.0, idle=0.9), False, "not decided"),
        (point(0.99, 1.0), True, "violated"),
    ],
)
def test_explicit_bounds(given, lower, verdict):
    assert rule.verdict([given], [], lower=lower)[0] == verdict


def test_a_lower_bound_needs_a_learner_that_is_below_it():
    above, below = point(2.0, 1.0), point(0.5, 1.0)
    assert rule.verdict([above], [], [below], lower=True)[0] == "not contradicted"
    assert rule.verdict([above], [], [above], lower=True)[0] == "not decided"


def test_constants_and_laws_together():
    slow, fast = (rule.judge(Curve("a", K, y), LADDER) for y in (3.0 + 0 * L, L**2))
    inside, outside = point(0.5, 1.0), point(2.0, 1.0)
    assert rule.verdict([inside], [slow]) == ("not needed by any", "constant and law")
    assert rule.verdict([inside], [fast]) == ("violated", "law")
    assert rule.verdict([outside], [slow]) == ("violated", "constant")
    # A statement that some constants will do falls only if no curve keeps its law.
    assert rule.verdict([], [slow, fast], every=True)[0] == "not decided"
    assert rule.verdict([], [fast, fast], every=True)[0] == "violated"


def test_sensitivity_names_what_hangs_on_a_threshold():
    design = dataclasses.replace(STUDIES["wu_wang_2025/theorem-3-rounds"])
    study = decided(design, Outcome("", [point(0.7, 1.0)], {}, [(Curve("a", K, L), LADDER)]))
    by = {each.threshold: each for each in study.sensitivity}
    assert by["stated constant"].halved == "violated"
    assert by["stated constant"].doubled == "not contradicted"
    assert by["extra part"].halved == by["extra part"].doubled == "not contradicted"


CHEAP = (
    "wu_wang_2025/theorem-3-rounds wu_wang_2025/theorem-2-rounds wu_wang_2025/remark-14-conjecture "
    "wu_wang_2025/theorem-7-lower-bound wu_wang_2025/theorem-11-large-epsilon "
    "hu_huang_mehta_2021/theorem-9-second-form hu_huang_mehta_2021/gap-and-epsilon "
    "hu_huang_mehta_2021/theorem-3-lazy-ucb hu_huang_mehta_2021/theorem-5-lazy-ts "
    "hu_huang_mehta_2021/theorem-12-lower-bound hu_huang_mehta_2021/section-5-ftnl "
    "hu_hegde_2022/theorem-4-lazy-ts tossou_dimitrakakis_2016/theorem-3-2 "
    "tossou_dimitrakakis_2016/theorem-3-3"
).split()
"""Studies whose small grids take a second."""


def committed():
    from dpaudit.results.documents import read
    from dpaudit.results.made import checkout

    return read(checkout() / "scaling.json").studies


def test_every_study_caught_its_control_and_every_verdict_of_the_rule_can_come_out():
    studies = committed()
    missed = [s.study for s in studies if s.control.verdict != "violated"]
    undecided = [s.study for s in studies if s.verdict == "not decided"]
    assert set(missed) <= set(undecided)
    assert len(undecided) <= 1


class Worse(Bench):
    """Measures play at random in place of the learner."""

    def exact(self, *given, **how):
        return [spoiled(p) for p in super().exact(*given, **how)]

    def simulate(self, *given, **how):
        points, covariance = super().simulate(*given, **how)
        return [spoiled(p) for p in points], covariance


def spoiled(p):
    return replace(p, regret=p.idle, error=0.0)


@pytest.mark.parametrize("name", CHEAP)
def test_a_control_is_caught_in_small_too(name):
    design = STUDIES[name]
    study = finish(design, quick=True)
    assert study.control.verdict == "violated"
    assert study.points
    explicit_from_above = any(p.bound for p in study.points) and not study.lower
    if explicit_from_above:
        bad = decided(design, design.run(Worse(name, 0, True)))
        assert bad.verdict == "violated"


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("wu_wang_2025/theorem-3-rounds", "not contradicted"),
        ("wu_wang_2025/theorem-2-rounds", "not needed by any"),
        ("wu_wang_2025/remark-14-conjecture", "violated"),
        ("wu_wang_2025/theorem-11-large-epsilon", "violated"),
        ("hu_huang_mehta_2021/theorem-9-second-form", "violated"),
    ],
)
def test_quick_verdicts(name, verdict):
    assert finish(STUDIES[name], quick=True).verdict == verdict


def test_the_lower_bound_study_would_notice_a_learner_below_it(monkeypatch):
    study = STUDIES["wu_wang_2025/theorem-7-lower-bound"]
    higher = wu_wang_2025.least_regret
    monkeypatch.setattr(wu_wang_2025, "least_regret", lambda k, e: 10.0 * higher(k, e))
    assert finish(study, quick=True).verdict == "violated"


def test_the_crossing_of_the_bonus_solves_its_equation():
    pulls = thompson.crossing(0.8, 1.0, 2.0**16) / 0.8
    bonus = 6 * math.sqrt(8) * math.log2(pulls + 1) * 16 / pulls
    assert bonus == pytest.approx(0.8)


def test_brackets_and_bounds_by_hand():
    instance = doubling_gaps(7, 0.25, 3).rewards()
    assert brackets(instance) == [(0.25, 2), (0.5, 2), (1.0, 2)]
    one = equal_gaps(2, 0.5).rewards()
    assert first_form(one, 0.1) == pytest.approx(256 / 0.1)
    # All gaps equal: log(largest/max(gap, epsilon, 1/T)) = 0.
    assert second_form(one, 0.1, 2**20) == pytest.approx(512 / 0.5)


def test_play_at_random_by_hand():
    three = Instance("a", (0.0, 0.5, 1.0), (1, 2, 1))
    assert three.idle(losses=True) == three.idle(losses=False) == pytest.approx(0.5)
    bench = Bench("made up")
    (p,) = bench.exact("s", "rnm-ftnl-gumbel", equal_gaps(4, 0.5), [2**10], epsilon=0.1)
    assert p.idle == pytest.approx(0.75 * 0.5 * 2**10)


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
        assert study.grid


def test_targets_restrict_the_studies_and_unknown_ones_are_named():
    assert {s.name for s in chosen("dp-ts")} == {"theorem-2-log-log", "dp-ts-gap-free"}
    assert [s.name for s in chosen("theorem-3-5")] == ["theorem-3-5"]
    assert [s.name for s in chosen("kl-ucb")] == ["quoted-without-privacy"]
    with pytest.raises(UsageError, match="did you mean dp-ts"):
        chosen("dp-tss")


def test_infinities_are_null_in_json():
    study = Design("a", "b", "c", "d", ("dp-ts",), "e", "f", lambda _: Outcome(
        "", [], {"x": float("inf"), "y": np.float64(2.0)}
    ))  # fmt: skip
    text = lines(plain(Scaling(version="", studies=[finish(study)])))
    assert json.loads(text)["studies"][0]["numbers"] == {"x": None, "y": 2.0}
