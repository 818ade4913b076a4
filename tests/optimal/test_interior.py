"""The interior-point method: its equations, its processes, and what is left of it when it stops."""

import json

import numpy as np
import pytest
from scipy.linalg import null_space

from dpaudit.cli import main
from dpaudit.errors import Unfinished
from dpaudit.optimal import solving
from dpaudit.optimal.certificate import document
from dpaudit.optimal.interior import method
from dpaudit.optimal.interior.apart import Apart
from dpaudit.optimal.interior.blocks import Links
from dpaudit.optimal.interior.game import Game
from dpaudit.optimal.interior.newton import Eliminated, Here, Newton, Pair
from dpaudit.optimal.interior.thin import thin
from dpaudit.optimal.program import ratio_above
from dpaudit.optimal.question import asked
from dpaudit.optimal.solving import TIGHT, solve
from dpaudit.recheck.optima import proved

GAMES = [
    {"rounds": 2, "epsilon": 1},
    {"rounds": 4, "epsilon": "0.5"},
    {"rounds": 3, "epsilon": 1, "arms": 3},
    {"rounds": 4, "epsilon": 1, "feedback": "bandit"},
]


def game(given):
    question = asked(**given)
    return Game(question, float(ratio_above(question.epsilon)))


def weights(of, seed=1):
    shape = len(of.changes), of.rows, of.columns
    return np.random.default_rng(seed).uniform(0.1, 10.0, shape)


def consistent(of):
    """A basis of the changes that leave a learner consistent, from the definition."""
    rows = []
    for level in range(2, of.levels + 1):
        # What follows a history sums up to the same whatever the letters are that it has not seen.
        for a in range(of.arms ** (level - 2)):
            after = of.arms ** (of.levels - level + 1)
            wide = of.columns // of.width(level - 1)
            for o in range(of.width(level - 1)):
                for other in range(1, wide):
                    row = np.zeros((of.rows, of.columns))
                    row[a * after : (a + 1) * after, o * wide] += 1.0
                    row[a * after : (a + 1) * after, o * wide + other] -= 1.0
                    rows.append(row.ravel())
    first = of.columns // of.width(1)
    for o in range(of.width(1)):
        row = np.zeros((of.rows, of.columns))
        for k in range(of.arms):
            row[:, of.renamed[k, o] * first] += 1.0
        rows.append(row.ravel())
    return null_space(np.array(rows))


@pytest.mark.parametrize("given", GAMES, ids=str)
def test_the_step_solves_newtons_equations(given):
    of = game(given)
    weight, gradient = weights(of), np.random.default_rng(2).normal(size=(of.rows, of.columns))
    found = Newton(of, weight, Here(of)).step(gradient)
    basis = consistent(of)
    pushed = [of.slack(v.reshape(of.rows, -1)) for v in basis.T]
    hessian = np.array([[float((weight * a * b).sum()) for b in pushed] for a in pushed])
    wanted = basis @ np.linalg.solve(hessian, -basis.T @ gradient.ravel()) if pushed else 0.0
    assert np.allclose(found.ravel(), wanted, rtol=1e-8, atol=1e-10)
    # The control: other weights have another step.
    if pushed:
        other = Newton(of, weights(of, 3), Here(of)).step(gradient)
        assert not np.allclose(found, other, rtol=1e-2)


def test_independent_histories_first_is_the_same_elimination():
    of = game({"rounds": 4, "epsilon": 1})
    weight = weights(of)
    first, last = (Links(of, weight[:, row]) for row in (0, 1))
    above = of.width(of.levels - 1)
    one, two = Pair(first, last, above), Eliminated([first, last], of.columns, above)
    assert np.allclose(one.block.values, two.block.values, rtol=1e-10)
    gradients = np.random.default_rng(4).normal(size=(2, of.columns))
    assert np.allclose(one.up(gradients), two.up(gradients))
    p = np.random.default_rng(5).normal(size=above)
    assert np.allclose(one.down(p, of.columns), two.down(p, of.columns))
    alone, _ = of.apart
    assert not set(of.neighbour[:, alone].ravel()) & set(alone)


def test_processes_of_their_own_find_the_same(monkeypatch):
    question = asked(rounds=4, epsilon=1)
    here = solve(question)
    monkeypatch.setattr(solving, "APART", 0)
    apart = solve(question)
    assert apart.value == pytest.approx(here.value, abs=1e-12)


def test_a_process_that_is_gone_is_said_in_one_line():
    of = game({"rounds": 3, "epsilon": 1})
    hands = Apart(of)
    hands.processes[0].kill()
    hands.processes[0].wait()
    with pytest.raises(Unfinished, match="lost one of its processes"):
        Newton(of, weights(of), hands)
    hands.close()
    assert all(process.poll() is not None for process in hands.processes)


def test_few_multipliers_prove_as_much(monkeypatch):
    question = asked(rounds=5, epsilon=1)
    many = solve(question)
    monkeypatch.setattr(solving, "MANY", 100)
    few = solve(question)
    assert len(few.code) < len(many.code) / 3
    assert len(document(few)["multipliers"]) < len(document(many)["multipliers"]) / 4
    assert 0.0 <= few.value - float(proved(document(few))) <= TIGHT
    # The control: with fewer bits it proves less.
    monkeypatch.setattr(solving, "_bits", lambda *_: 12)
    assert few.value - float(proved(document(solve(question)))) > 10 * TIGHT


@pytest.mark.parametrize("steps", [method.MOST_STEPS, 7], ids=["finished", "stopped"])
def test_few_multipliers_that_prove_less_are_not_taken(steps, monkeypatch):
    """The control: few that prove as much are, also where the solver stopped short."""
    question, few = asked(rounds=5, epsilon=1), thin
    monkeypatch.setattr(method, "MOST_STEPS", steps)
    many = solve(question)
    monkeypatch.setattr(solving, "MANY", 100)
    assert bool(many.stopped) == (steps == 7)
    sizes = []
    for part in (1.0, 0.99):
        monkeypatch.setattr(solving, "thin", lambda of, z, by=part: by * few(of, z))
        found = solve(question)
        sizes.append(len(found.code))
        assert abs(float(proved(document(found))) - float(proved(document(many)))) < TIGHT
    assert sizes[0] < 0.6 * sizes[1]


def test_where_the_small_programs_fail_the_multipliers_stay(monkeypatch):
    of = game({"rounds": 3, "epsilon": 1})
    z = np.abs(weights(of))
    assert np.count_nonzero(thin(of, z)) < np.count_nonzero(z)
    failed = type("Answer", (), {"status": 4, "x": None})
    monkeypatch.setattr("dpaudit.optimal.interior.thin.linprog", lambda *_, **__: failed)
    assert np.array_equal(thin(of, z), z)


def stopping(at, error):
    def progress(step, low, high):
        if step == at:
            raise error

    return progress


def test_an_interrupt_leaves_a_weaker_bound_that_is_true():
    question = asked(rounds=5, epsilon=1)
    solved = solve(question)
    early = solve(question, stopping(6, KeyboardInterrupt()))
    assert early.stopped == "interrupted after step 6"
    bound = float(proved(document(early)))
    assert 0.5 < bound < solved.value - 1e-3
    assert early.value > solved.value + 1e-3


def test_the_command_ends_with_3_and_a_certificate_when_it_is_not_done(
    monkeypatch, tmp_path, capsys
):
    monkeypatch.setattr(method, "MOST_STEPS", 7)
    words = ["optimal", "--rounds", "5", "--epsilon", "1", "--out", str(tmp_path)]
    assert main(words) == 3
    out = capsys.readouterr().out
    assert "not finished: the solver (interior point) stopped after step 6" in out
    assert "the catalogue" not in out
    [file] = tmp_path.iterdir()
    assert main(["optimal", "--recheck", "--out", str(tmp_path)]) == 0
    capsys.readouterr()
    assert main([*words, "--json", "-"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert not found["finished"]
    assert found["gap"] > TIGHT
    assert file.name == found["certificate"]


def test_ctrl_c_leaves_a_certificate(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("dpaudit.cli.work.optimal.closing_in", stopping(5, KeyboardInterrupt()))
    words = ["optimal", "--rounds", "5", "--epsilon", "1", "--out", str(tmp_path)]
    assert main(words) == 3
    assert "not finished: interrupted after step 5" in capsys.readouterr().out
    assert main(["optimal", "--recheck", "--out", str(tmp_path)]) == 0
