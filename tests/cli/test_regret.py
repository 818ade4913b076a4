"""`dpaudit regret`: what a researcher types, and what comes back."""

import json

import pytest

from dpaudit.cli import main

UCB = ["regret", "ucb1", "--means", "0.7,0.3", "--horizon", "300", "--runs", "50"]


def run(capsys, *arguments):
    code = main(list(arguments))
    out = capsys.readouterr()
    return code, out.out, out.err


def test_json_has_the_fixed_fields_and_nothing_else_is_printed(capsys):
    code, out, err = run(capsys, *UCB, "--json", "-")
    assert (code, err) == (0, "")
    result = json.loads(out)
    assert result["schema"] == "dpaudit/regret/2"
    sizes = {len(result[key]) for key in ("horizons", "mean", "low", "high")}
    assert sizes == {len(result["horizons"])}
    assert (result["runs"], result["exact"], result["horizons"][-1]) == (50, False, 300)
    assert all(
        a <= b <= c for a, b, c in zip(result["low"], result["mean"], result["high"], strict=True)
    )


def test_the_figures_of_the_issue(capsys):
    far = "regret anytime-lazy-ucb --means 0.75,0.625,0.5,0.375,0.25 --epsilon 0.5 --horizon 1e12"
    code, out, _ = run(capsys, *far.split(), "--runs", "500")
    assert code == 0
    assert "1e+12" in out
    exact = "regret rnm-ftnl --means 0.75,0.25 --epsilon 0.1 --horizon 1e18 --exact --json -"
    code, out, _ = run(capsys, *exact.split())
    result = json.loads(out)
    assert (code, result["exact"], result["runs"]) == (0, True, 0)
    assert result["horizons"][-1] == 10**18
    assert 0 < result["mean"][-1] < 100
    assert result["high"][-1] - result["low"][-1] < 1e-3


def test_the_table_says_what_it_is_of(capsys):
    code, out, _ = run(capsys, *UCB, "--points", "4")
    assert code == 0
    assert out.startswith("ucb1, bernoulli 0.7, 0.3: 50 runs, confidence 0.999")
    header = "horizon mean regret low high normal low normal high 5 % median 95 %"
    header += " over Lai-Robbins ~ over testing"
    assert out.splitlines()[1].split() == header.split()
    assert len(out.splitlines()) == 9
    assert "lower bound: Lai-Robbins (Lai & Robbins (1985)), consistent learners; asympt" in out
    assert "low and high hold whatever the law of a run" in out.splitlines()[-1]


def test_the_curve_is_drawn_and_drawn_the_same_again(tmp_path, capsys):
    drawn = []
    for name in ("a.svg", "b.svg"):
        assert run(capsys, *UCB, "--svg", str(tmp_path / name))[0] == 0
        drawn.append((tmp_path / name).read_text())
    assert drawn[0] == drawn[1]
    assert "pseudo-regret" in drawn[0]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--means", "0.7;0.3"], "means: got '0.7;0.3'"),
        (["--means", "0.7,1.3"], "means: got [0.7, 1.3]"),
        (["--values", "0,1"], "values, probabilities: one needs the other"),
        (["--exact"], "target: got 'ucb1', which has no exact engine"),
        (["--epsilon", "x"], "epsilon: got 'x'"),
        (["--param", "factor"], "param: got 'factor'"),
        (["--svg", "/nonexistent/x.svg"], "svg: cannot write"),
        (["--horizon", "1e30"], "horizon: got '1e30'"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(capsys, more, message):
    base = [word for word in UCB if not ("--exact" in more and word in ("--runs", "50"))]
    code, _, err = run(capsys, *base, *more)
    assert code == 2
    assert message in err
    assert len(err.splitlines()) == 1


def test_a_finite_environment_from_the_command_line(capsys):
    given = ["--values", "0,0.5,1", "--probabilities", "0.2,0.3,0.5;0.5,0.3,0.2"]
    code, out, _ = run(capsys, "regret", "ucb1", "--horizon", "50", "--runs", "9", *given)
    assert code == 0
    assert "finite 0.65, 0.35" in out
