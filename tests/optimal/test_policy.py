"""What the best learner does, and where another differs: the numbers are those of the two laws."""

import itertools
import json
import math

import numpy as np
import pytest

from dpaudit.cli import main
from dpaudit.optimal import policy as module
from dpaudit.optimal.efficiency import Needed, beside, of_instance, with_needed
from dpaudit.optimal.policy import by_level, policy
from dpaudit.optimal.question import asked
from dpaudit.optimal.solving import TIGHT, solve

QUESTION = asked(rounds=3, epsilon=1)


@pytest.fixture(scope="module")
def learner():
    return solve(QUESTION).learner


def test_a_history_is_reached_as_often_as_it_happens(learner):
    found = policy(QUESTION, learner, "hedge", runs=50)
    for length, times in itertools.groupby(found.choices, lambda c: len(c.letters)):
        level = list(times)
        assert sum(c.reached for c in level) == pytest.approx(1.0), length
        assert all(sum(c.best) == pytest.approx(1.0) for c in level)
    # One round is seen: the best there is to say is randomised response.
    truth = math.e / (1 + math.e)
    one = policy(
        asked(rounds=2, epsilon=1), solve(asked(rounds=2, epsilon=1)).learner, "hedge", runs=5
    )
    assert {c.letters: round(c.best[0], 6) for c in one.choices} == {
        "00": 0.5,
        "01": round(truth, 6),
        "10": round(1 - truth, 6),
    }


def test_levels_are_sums_of_what_follows(learner):
    short, whole = by_level(QUESTION, learner)
    assert np.allclose(short.sum(axis=0), 1.0)
    assert np.allclose(whole.reshape(2, 2, 9).sum(axis=1)[:, ::3], short)


def test_a_learner_beside_itself_is_not_apart_and_beside_another_is(monkeypatch):
    """But for a probability of 2e-6 no difference is beyond the two radii."""
    seen = []

    def counted(*given):
        seen.append(played(*given))
        return seen[-1]

    played = module._played
    monkeypatch.setattr(module, "_played", counted)
    question = asked(rounds=3, epsilon=1)
    policy(question, solve(question).learner, "rnm-ftnl-gumbel", runs=2_000)
    for name, same in (("rnm-ftnl-gumbel", True), ("follow-the-leader", False)):
        found = policy(question, seen[0], name, runs=2_000, seed=1_000)
        met = [c for c in found.choices if c.apart is not None and c.reached > 0]
        beyond = [c for c in met if c.apart > 2 * c.radius]
        assert bool(beyond) != same, name


def test_the_command_prints_and_draws_it(tmp_path, capsys):
    picture = tmp_path / "policy.svg"
    words = ["optimal", "--rounds", "3", "--epsilon", "1", "--out", str(tmp_path / "certificates")]
    assert main([*words, "--alone", "--policy", "hedge", "--svg", str(picture)]) == 0
    out = capsys.readouterr().out
    assert "apart (total variation) on average" in out
    assert "hedge in 20,000 runs on each table" in out
    assert "the best" in picture.read_text()
    assert main([*words, "--alone", "--policy", "hedge", "--json", "-"]) == 0
    assert len(json.loads(capsys.readouterr().out)["policy"]["choices"]) == 3 + 2 * 9


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--svg", "x.svg"], "svg: draws a policy"),
        (["--policy", "ucb1"], "policy: ucb1 learns from bandit"),
        (["--policy", "nobody"], "unknown name 'nobody'"),
    ],
)
def test_bad_input_is_one_line(words, error, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["optimal", "--rounds", "3", "--epsilon", "1", *words]) == 2
    assert error in capsys.readouterr().err
    assert main(["optimal", "--rounds", "7", "--epsilon", "1", "--policy"]) == 2
    assert "729 letter sequences, allowed are 243" in capsys.readouterr().err


def test_the_needed_epsilon_is_where_the_best_learner_has_the_regret():
    question = asked(rounds=4, epsilon=1)
    [found] = with_needed(question, beside(question, names=["rnm-ftnl-gumbel"]))
    assert found.needed_low < found.needed_high <= 1.1 * found.needed_low
    worse, better = (
        solve(asked(rounds=4, epsilon=f"{e:.6g}")).value
        for e in (found.needed_low, found.needed_high)
    )
    assert worse > found.high
    assert better <= found.low
    # Itself needs what it has; a little less regret needs more, and nobody has none.
    needed = Needed(question)
    at = solve(question).value
    low, high = needed.between(at, at)
    assert low <= 1.0 <= high
    assert needed.between(at - 0.1, at - 0.1)[0] > high
    assert needed.between(0.0, 0.0)[1] is None
    assert needed.between(1.0, 1.0) == (0.0, pytest.approx(0.005))
    assert needed.between(at - 2 * TIGHT, at + 2 * TIGHT)[0] <= low


@pytest.mark.parametrize(
    ("given", "fits"),
    [
        (([0.75, 0.25], "bernoulli", 4, 1.0, "full-information"), True),
        (([0.4, 0.4, 0.6], "bernoulli", 3, 1.0, "bandit"), True),
        (([0.7, 0.25], "bernoulli", 4, 1.0, "bandit"), False),
        (([0.25, 0.75, 0.75], "bernoulli", 3, 1.0, "bandit"), False),
        (([0.75, 0.25], "deterministic", 4, 1.0, "bandit"), False),
        (([0.75, 0.25], "bernoulli", 4, None, "bandit"), False),
        (([0.75, 0.25], "bernoulli", 10**6, 1.0, "bandit"), False),
        (([0.75, 0.25], "bernoulli", 9, 1.0, "full-information"), False),
    ],
)
def test_an_instance_of_a_comparison_is_one_of_the_question_or_not(given, fits):
    assert (of_instance(*given) is not None) == fits


def test_compare_says_where_the_optimum_is(capsys):
    words = ["compare", "rnm-ftnl-gumbel", "hedge", "--means", "0.75,0.25", "--epsilon", "1"]
    assert main([*words, "--horizon", "4", "--runs", "20"]) == 0
    assert "no 1-DP learner has less regret than 0.778989 both here" in capsys.readouterr().out
