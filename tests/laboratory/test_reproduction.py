"""The papers' experiments: what they are made of, how sentences are judged, what is written."""

import dataclasses
import itertools
import json

import numpy as np
import pytest

from dpaudit.cli.work.reproduce import save
from dpaudit.errors import UsageError
from dpaudit.laboratory.experiments import EXPERIMENTS, find_experiment
from dpaudit.laboratory.experiments import checks as c
from dpaudit.laboratory.experiments.terms import Curve, Experiment, Measured, Point, Sentence
from dpaudit.laboratory.reproduction import reproduce
from dpaudit.play.catalogue import find
from dpaudit.proofs_checks.hu_et_al_2025.figures import constant, increasing, variance
from dpaudit.proofs_checks.tossou_dimitrakakis_2016.figures import (
    gap_does_not_grow,
    input_epsilon,
    spread_below,
    spread_reaches,
)
from dpaudit.results.made import lines
from dpaudit.results.reproduction import plain
from dpaudit.run.runner import Runner

ALL = [pytest.param(each, id=name) for name, each in EXPERIMENTS.items()]
SENTENCES = [
    pytest.param(experiment, sentence, id=f"{name}-{i}")
    for name, experiment in EXPERIMENTS.items()
    for i, sentence in enumerate(experiment.sentences)
]
LAZY = Curve("lazy", "anytime-lazy-ucb", 0.5)
SMALL = Experiment(
    name="small",
    paper="hu_huang_mehta_2021",
    where="nowhere",
    means=(0.8, 0.2),
    horizon=2000,
    runs=60,
    curves=(
        Curve("ucb", "ucb1"),
        LAZY,
        Curve("told", "dp-ts-ucb", sweep=(Point(1, 100), Point(2, 300, {"alpha": 0.5}))),
        Curve("eta", "dp-ts-ucb", quantity="gdp", panel="b", sweep=(Point(1, 100),)),
    ),
    sentences=(
        Sentence("without privacy there is less regret", c.below_at("", "ucb", "lazy")),
        Sentence("and with it more", c.below_at("", "lazy", "ucb")),
    ),
)


def curve(level, label="a", noise=0.02, power=1.0, points=20, runs=20, seed=0, opening=0):
    x = np.linspace(1000 / points, 1000, points)
    rng = np.random.default_rng(seed)
    factor = 1 + noise * rng.standard_normal((runs, 1))
    return Measured(Curve(label, "ucb1"), x, level * (x / 1000) ** power * factor, opening)


def ask(check, **curves):
    return check({("", name): measured for name, measured in curves.items()})


@pytest.mark.parametrize("experiment", ALL)
def test_every_curve_can_be_run_as_it_is_described(experiment):
    keys = [each.key for each in experiment.curves]
    assert len(set(keys)) == len(keys)
    for each in experiment.curves:
        algorithm = find(each.target)
        means = each.means or experiment.means
        for point in each.sweep or (Point(0, experiment.horizon),):
            given = {**each.parameters, **point.parameters}
            algorithm.settings(
                arms=len(means), epsilon=each.epsilon, horizon=point.horizon, given=given
            )
    assert experiment.sentences
    assert experiment.notes


def test_the_experiments_are_the_papers_figures():
    figures = {name: (each.horizon, each.runs) for name, each in EXPERIMENTS.items()}
    assert figures == {
        **{f"hu-huang-mehta-figure-{i}": (10**6, 20) for i in (1, 2)},
        **{f"hu-hegde-figure-{i}": (10**5, 100) for i in range(1, 6)},
        "tossou-figure-2": (10**5, 100),
        **{f"hu-et-al-figure-{i}": (10**6, 20) for i in range(3, 8)},
    }


def test_parameters_that_the_papers_print_come_out():
    assert variance(0.0, 1) == pytest.approx(1.18, abs=0.005)
    assert variance(1.0, 2000) == pytest.approx(60.46, abs=0.005)
    # Corollary 3.2 inverts 2 e zeta + sqrt(2 e zeta ln(1/delta)) = target.
    for target in (0.1, 1.0):
        twice = 2 * input_epsilon(target) * 10.584448464950803
        assert twice + np.sqrt(twice * 10) == pytest.approx(target)


class Recording(dict):
    """Curves made up on demand, so that a sentence shows which ones it looks at."""

    def __init__(self, experiment, rng):
        self.known = {each.key: each for each in experiment.curves}
        self.rng = rng

    def __missing__(self, key):
        described = self.known[key]
        x = np.array([p.x for p in described.sweep] or np.linspace(1e4, 1e6, 50))
        level = self.rng.choice([100.0, 101.0, 700.0, 40_000.0]) * self.rng.uniform(1, 1.02)
        power, noise = self.rng.choice([0.0, 0.01, 1.0]), self.rng.choice([0.0, 0.001, 0.5])
        exact = described.quantity == "gdp"
        spread = 0.0 if exact else noise * self.rng.standard_normal((20, 1))
        shape = ((x + 1) / (x[-1] + 1)) ** power
        self[key] = Measured(described, x, level * (1 + spread) * np.atleast_2d(shape))
        return self[key]


@pytest.mark.parametrize(("experiment", "sentence"), SENTENCES)
def test_every_sentence_can_be_confirmed_and_contradicted(experiment, sentence):
    rng = np.random.default_rng(1)
    seen = set()
    for _ in range(20_000):
        verdict, numbers = sentence.check(Recording(experiment, rng))
        assert verdict in (True, False, None)
        assert numbers
        seen.add(verdict)
        if {True, False} <= seen:
            return
    pytest.fail(f"{sentence.text}: only {seen}")


LOW, HIGH = curve(100), curve(150, seed=1)
FLAT, RISING = curve(300, power=0.01), curve(300, power=0.5, seed=1)


@pytest.mark.parametrize(
    ("check", "one", "two"),
    [
        (c.always_below("", "one", "two"), LOW, HIGH),
        (c.below_at("", "one", "two"), LOW, HIGH),
        (c.below_at("", "one", "two", fraction=0.5), LOW, HIGH),
        (c.worst_of("", "one", "two"), HIGH, LOW),
        (c.best_of("", "one", "two"), LOW, HIGH),
        (increasing("", "one", "two"), LOW, HIGH),
        (gap_does_not_grow("", "one", "two"), FLAT, RISING),
    ],
)
def test_swapped_curves_turn_the_verdict_and_equal_ones_leave_it_open(check, one, two):
    assert ask(check, one=one, two=two)[0] is True
    assert ask(check, one=two, two=one)[0] is False
    same = curve(100, seed=2), curve(100, seed=3)
    assert ask(check, one=same[0], two=same[1])[0] is None
    assert ask(check, one=one, two=one)[0] is None


def test_always_means_every_point():
    crossing = curve(120, power=0.2, seed=4)
    verdict, numbers = ask(c.always_below("", "one", "two"), one=crossing, two=HIGH)
    assert verdict is False
    assert "surely above" in numbers
    assert ask(c.below_at("", "one", "two"), one=crossing, two=HIGH)[0] is True
    tie = dataclasses.replace(HIGH, samples=HIGH.samples.copy())
    tie.samples[:, 0] = LOW.samples[:, 0]
    verdict, numbers = ask(c.always_below("", "one", "two"), one=LOW, two=tie)
    assert verdict is None
    assert "below it at 19 of 20 points, surely at 19" in numbers


def test_similar_is_a_ratio():
    check = c.similar("", "one", "two")
    assert ask(check, one=LOW, two=curve(103, seed=1))[0] is True
    assert ask(check, one=LOW, two=HIGH)[0] is False
    assert ask(check, one=HIGH, two=LOW)[0] is False
    assert ask(check, one=curve(100, noise=0.6), two=curve(120, noise=0.6, seed=1))[0] is None


def test_spreads_and_constants():
    wide = curve(100, noise=0.5, runs=100)
    assert ask(spread_below("", 30, "one"), one=LOW)[0] is True
    assert ask(spread_below("", 30, "one"), one=wide)[0] is False
    assert ask(spread_below("", np.ptp(wide.samples[:, -1]), "one"), one=wide)[0] is None
    assert ask(spread_reaches("", 30, "one"), one=LOW)[0] is False
    assert ask(spread_reaches("", np.ptp(wide.samples[:, -1]), "one"), one=wide)[0] is True
    assert ask(spread_reaches("", 30, "one"), one=wide)[0] is True
    assert ask(constant("", "one"), one=curve(1, power=0.0, noise=0.0))[0] is True
    assert ask(constant("", "one"), one=curve(1, noise=0.0))[0] is False


def test_the_gap_is_measured_behind_the_opening():
    late = curve(300, power=0.01, opening=600)
    assert "at 600" in ask(gap_does_not_grow("", "one", "two"), one=late, two=RISING)[1]
    never = curve(300, opening=5000)
    verdict, numbers = ask(gap_does_not_grow("", "one", "two"), one=never, two=FLAT)
    assert verdict is False
    assert "opening of 5,000 rounds is not over" in numbers


def test_verdicts_on_equal_means_are_rarely_certain():
    """At level 0.001 and two-sided, 2000 comparisons of skew runs give about 4 certain ones."""
    rng = np.random.default_rng(5)
    certain = 0
    for _ in range(2000):
        a, b = rng.gamma(4.0, size=(2, 20, 1))
        found = c.difference(a, b)
        certain += bool(found.surely_positive(c.LEVEL)[0] or found.surely_negative(c.LEVEL)[0])
    assert certain <= 16


def test_same_seed_same_numbers_for_any_number_of_workers():
    results = []
    for workers in (1, 2):
        with Runner(workers):
            results.append(reproduce(SMALL, seed=3))
    for one, two in zip(*(r.curves for r in results), strict=True):
        assert np.array_equal(one.samples, two.samples)
    assert results[0].result.sentences == results[1].result.sentences
    other = reproduce(SMALL, seed=4)
    assert not np.array_equal(results[0].curves[1].samples, other.curves[1].samples)


def test_curves_of_one_learner_are_independent():
    twins = dataclasses.replace(
        SMALL, curves=(LAZY, dataclasses.replace(LAZY, label="again")), sentences=()
    )
    one, two = reproduce(twins, runs=400).curves
    assert not np.array_equal(one.samples, two.samples)
    difference = c.difference(one.samples, two.samples)
    assert abs(difference.value[-1]) <= 4.5 * difference.error[-1]


def test_a_result_says_what_was_found_and_how_to_make_it_again():
    result = reproduce(SMALL, seed=3, runs=40).result
    verdicts = [judged.verdict for judged in result.sentences]
    assert verdicts == ["confirmed", "not confirmed"]
    document = json.loads(lines(plain(result)))
    assert document["schema"] == "dpaudit/reproduction/1"
    assert document["complete"] is True
    assert document["parameters"]["runs"] == 40
    assert "40 runs a curve, not the experiment's 60" in document["notes"]
    assert document["command"] == "dpaudit reproduce small --seed 3 --runs 40"
    ucb, lazy, told, eta = document["curves"]
    assert len(ucb["horizons"]) == len(ucb["mean"]) == 50
    assert ucb["horizons"][-1] == 2000
    low, mean, high = (np.array(lazy[name]) for name in ("low", "mean", "high"))
    assert np.all((low <= mean) & (mean <= high))
    assert told["x"] == [1, 2]
    assert told["sweep"][1] == {"x": 2, "horizon": 300, "parameters": {"alpha": 0.5}}
    assert eta["quantity"] == "gdp"
    assert eta["mean"] == [pytest.approx(2.875, abs=0.001)]


def test_a_curve_is_the_regret_study_of_its_learner():
    """Against the laboratory's own study, by other draws."""
    from dpaudit.laboratory.studies import regret

    study = regret(
        "anytime-lazy-ucb", means=(0.8, 0.2), horizon=2000, epsilon=0.5, runs=400, points=1
    )
    found = reproduce(SMALL, runs=400).curves[1]
    assert abs(study.mean[-1] - found.mean[-1]) <= study.high[-1] - study.mean[-1] + found.slack[-1]


def test_files_are_the_same_for_the_same_numbers(tmp_path):
    for folder in "ab":
        save(reproduce(SMALL, runs=10), tmp_path / folder)
    for ending in ("svg", "csv"):
        one, two = ((tmp_path / folder / f"small.{ending}").read_text() for folder in "ab")
        assert one == two
    rows = (tmp_path / "a" / "small.csv").read_text().splitlines()
    assert rows[0] == "panel,label,quantity,runs,x,mean,low,high,smallest,largest"
    assert len(rows) == 1 + 50 + 50 + 2 + 1
    picture = (tmp_path / "a" / "small.svg").read_text()
    assert "GDP parameter" in picture
    assert "pseudo-regret" in picture


def test_bad_input_is_a_usage_error(tmp_path):
    with pytest.raises(UsageError, match="did you mean hu-hegde-figure-5"):
        find_experiment("hu-hegde-fig-5")
    with pytest.raises(UsageError, match="runs: got 1,"):
        reproduce(SMALL, runs=1)
    with pytest.raises(UsageError, match="seed: got -1"):
        reproduce(SMALL, seed=-1)
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write"):
        save(reproduce(SMALL, runs=2), tmp_path / "file")


def test_an_interrupt_keeps_the_finished_curves_without_verdicts():
    calls = itertools.count()

    def interrupt(name, done, total):
        if next(calls) == 2:
            raise KeyboardInterrupt

    result = reproduce(SMALL, runs=5, progress=interrupt)
    assert not result.result.complete
    assert [each.curve.label for each in result.curves] == ["ucb", "lazy"]
    assert result.result.sentences == []
