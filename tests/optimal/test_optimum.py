"""The optimum against its definition, and against learners that are known."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import OptimizeResult
from scipy.sparse import coo_array, vstack

from dpaudit.cli import main
from dpaudit.errors import Unfinished, UsageError
from dpaudit.optimal import general, solving
from dpaudit.optimal.certificate import document
from dpaudit.optimal.general import optimum as by_highs
from dpaudit.optimal.program import build, check_size
from dpaudit.optimal.question import asked
from dpaudit.optimal.solving import solve
from dpaudit.recheck.optima import proved
from tests.optimal.plain import optimum

SMALL = [
    {"rounds": 3, "epsilon": 1, "gap": "0.3"},
    {"rounds": 4, "epsilon": "0.5"},
    {"rounds": 4, "epsilon": 2, "gap": 1},
    {"rounds": 2, "epsilon": 1, "arms": 3},
    {"rounds": 3, "epsilon": 1, "delta": "0.05"},
    {"rounds": 3, "epsilon": "0.2", "delta": "0.3"},
    {"rounds": 4, "epsilon": 1, "feedback": "bandit"},
    {"rounds": 5, "epsilon": "0.7", "gap": "0.8", "feedback": "bandit"},
    {"rounds": 3, "epsilon": 1, "arms": 3, "feedback": "bandit"},
]


def definition(question):
    return optimum(
        question.rounds,
        question.arms,
        float(question.epsilon),
        float(question.gap),
        question.feedback,
        float(question.delta),
    )


@pytest.mark.parametrize("given", SMALL, ids=str)
def test_reductions_lose_nothing(given):
    question = asked(**given)
    assert solve(question).value == pytest.approx(definition(question), abs=1e-7)


def highs(program):
    """What the general solver makes of a program."""
    x, _ = by_highs(program)
    return float(program.cost @ x[: len(program.cost)]) + float(program.question.first)


@pytest.mark.parametrize("given", SMALL, ids=str)
def test_renamings_lose_nothing_and_the_two_solvers_agree(given):
    question = asked(**given)
    whole, reduced = build(question, reduced=False), build(question)
    assert whole.offsets[-1] > reduced.offsets[-1]
    value = solve(question).value
    assert highs(whole) == pytest.approx(value, abs=1e-7)
    assert highs(reduced) == pytest.approx(value, abs=1e-7)


def test_merging_histories_by_counts_would_lose_something():
    """A control: counts are enough to play well, and to be private is about all actions at once."""
    question = asked(rounds=4, epsilon=1)
    program = build(question)
    last, base = program.levels[-1], program.offsets[-2]
    letters = np.array(list(itertools.product(range(3), repeat=3)))
    by_counts = np.sort(letters, axis=1) @ [9, 3, 1]
    merged = last.of.reshape(-1, 27)[:, by_counts].ravel()
    rows = np.arange(len(merged))
    same = coo_array(
        (
            np.repeat([1.0, -1.0], len(rows)),
            (np.tile(rows, 2), base + np.concatenate([last.of, merged])),
        ),
        shape=(len(rows), program.offsets[-1]),
    )
    equal = vstack([program.equal, same]).tocsr()
    right = np.concatenate([program.right, np.zeros(len(rows))])
    assert highs(replace(program, equal=equal, right=right)) > solve(question).value + 0.01


@pytest.mark.parametrize("given", [*SMALL, {"rounds": 5, "epsilon": 1}], ids=str)
def test_certificate_and_learner_enclose_the_optimum(given):
    solved = solve(asked(**given))
    bound = proved(document(solved))
    assert 0 <= solved.value - float(bound) <= 1e-6


def test_the_known_optima():
    assert solve(asked(rounds=5, epsilon=1)).value == pytest.approx(0.91867, abs=1e-5)
    # One round is seen and one played: randomised response, and the best that is there to say.
    truth = math.e / (1 + math.e)
    informed = 0.5 * (0.75**2 * truth + 0.25**2 * (1 - truth) + 2 * 0.25 * 0.75 * 0.5)
    assert solve(asked(rounds=2, epsilon=1)).value == pytest.approx(0.75 - informed, abs=1e-8)


def test_more_privacy_costs_more_and_less_feedback_too():
    values = [solve(asked(rounds=4, epsilon=e)).value for e in ("0.1", "0.5", 1, 2, 4)]
    assert values == sorted(values, reverse=True)
    for epsilon in ("0.5", 2):
        one, two = (
            solve(asked(rounds=4, epsilon=epsilon, feedback=f)).value
            for f in ("full-information", "bandit")
        )
        assert one < two


def regret_by_enumeration(question, learner):
    """Of the learner on the first instance, from the tables."""
    n, gap = question.rounds - 1, float(question.gap)
    mean = [0.5 - gap / 2, 0.5 + gap / 2]
    total = gap / 2
    for table in itertools.product(itertools.product((0, 1), repeat=2), repeat=n):
        chance = np.prod(
            [m if x else 1 - m for row in table for x, m in zip(row, mean, strict=True)]
        )
        column = 0
        for row in table:
            column = 3 * column + question.letters.index((0, 0) if row == (1, 1) else row)
        for code, actions in enumerate(itertools.product((0, 1), repeat=n)):
            total += chance * learner[code, column] * gap * sum(actions)
    return total


def test_the_learner_is_private_and_has_its_regret():
    question = asked(rounds=4, epsilon=1)
    solved = solve(question)
    learner = solved.learner
    assert np.allclose(learner.sum(axis=0), 1.0)
    columns = np.array(list(itertools.product(range(3), repeat=3)))
    worst = 0.0
    for i, j in itertools.permutations(range(27), 2):
        if (columns[i] != columns[j]).sum() == 1:
            worst = max(worst, float((learner[:, i] / learner[:, j]).max()))
    assert math.log(worst) <= 1 + 1e-12
    # What is played does not depend on what comes.
    for t in (1, 2):
        early = learner.reshape(2**t, -1, 27).sum(axis=1).reshape(2**t, 3**t, -1)
        assert np.ptp(early, axis=2).max() < 1e-12
    assert regret_by_enumeration(question, learner) == pytest.approx(solved.value, abs=1e-12)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"rounds": 1, "epsilon": 1}, "rounds: got"),
        ({"rounds": "x", "epsilon": 1}, "rounds: got"),
        ({"rounds": 3, "epsilon": 0}, "epsilon: got"),
        ({"rounds": 3, "epsilon": "1/0"}, "epsilon: got"),
        ({"rounds": 3, "epsilon": "nan"}, "epsilon: got"),
        ({"rounds": 3, "epsilon": 1, "gap": 0}, "gap: got"),
        ({"rounds": 3, "epsilon": 1, "arms": 1}, "arms: got"),
        ({"rounds": 3, "epsilon": 1, "feedback": "none"}, "feedback: got"),
        ({"rounds": 3, "epsilon": 1, "feedback": "bandit", "delta": "0.1"}, "delta: got"),
    ],
)
def test_bad_input_is_one_line(given, error):
    with pytest.raises(UsageError, match=error):
        asked(**given)


def test_a_program_too_large_is_refused_before_it_is_built(monkeypatch):
    monkeypatch.setattr(solving, "Game", None)  # would raise
    monkeypatch.setattr(solving, "build", None)
    with pytest.raises(UsageError, match=r"13,436,928 pairs of histories needs about 17 GB"):
        check_size(asked(rounds=9, epsilon=1))
    with pytest.raises(UsageError, match=r"1,959,552 pairs of histories needs about 4 GB"):
        check_size(asked(rounds=8, epsilon=1, delta="0.1"), 2**31)
    for words in (["--rounds", "9"], ["--rounds", "8", "--arms", "3"], ["--rounds", "60"]):
        assert main(["optimal", "--epsilon", "1", *words]) == 2


@pytest.mark.parametrize("status", [1, 2, 3, 4])
def test_no_optimum_is_the_solvers_word_and_never_a_result(status, monkeypatch, tmp_path, capsys):
    said = OptimizeResult(status=status, x=None, fun=None, message="HiGHS Status 8: Infeasible")
    monkeypatch.setattr(general, "linprog", lambda *_, **__: said)
    with pytest.raises(Unfinished, match=r"the solver \(HiGHS\) says: HiGHS Status 8"):
        solve(asked(rounds=3, epsilon=1, delta="0.1"))
    words = ["--rounds", "3", "--epsilon", "1", "--delta", "0.1", "--out", str(tmp_path)]
    assert main(["optimal", *words]) == 3
    assert list(tmp_path.iterdir()) == []
    assert "at least" not in capsys.readouterr().out
