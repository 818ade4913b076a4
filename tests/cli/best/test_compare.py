"""`dpaudit compare`: what a researcher types, and what comes back."""

import json
import math
from pathlib import Path

import pytest

from dpaudit.cli import main
from dpaudit.report.markdown.leaderboard import markdown
from dpaudit.results.comparison import Leaderboard
from dpaudit.results.documents import parse, read
from dpaudit.results.made import lean, lines
from tests.report import samples

SMALL = ["compare", "ucb1", "adap-ucb", "rnm-ftnl", "--epsilon", "1", "--horizon", "300"]
ONE = [*SMALL, "--means", "0.7,0.3", "--runs", "50", "--workers", "1"]

REPORTS = Path(__file__).parents[3] / "reports"


def run(capsys, *arguments):
    code = main(list(arguments))
    out = capsys.readouterr()
    return code, out.out, out.err


def test_json_is_a_comparison_and_nothing_else_is_printed(capsys):
    code, out, err = run(capsys, *ONE, "--json", "-")
    assert (code, err) == (0, "")
    found = parse(json.loads(out))
    assert found.schema == "dpaudit/comparison/1"
    assert [f.feedback for f in found.fields] == ["bandit", "full-information"]
    assert found.fields[0].instance.means == [0.7, 0.3]
    assert (found.horizon, found.runs, found.complete) == (300, 50, True)


def test_the_tables_say_ranks_lower_bounds_and_what_is_audited(capsys):
    code, out, _ = run(capsys, *ONE)
    assert code == 0
    lines = out.splitlines()
    assert lines[0].startswith("0.7, 0.3: bandit, K = 2, T = 300, epsilon 1; at least: Lai-Robbins")
    assert "(Lai-Robbins)" in next(line for line in lines if " ucb1 " in line)
    audits = json.loads((REPORTS / "catalogue.json").read_text())["audits"]
    [low] = [a["lower_bound"] for a in audits if a["target"] == "adap-ucb"]
    adap_ucb = next(line for line in lines if " adap-ucb " in line)
    # 1 but for the rounding of doubles is 1.
    assert f"[{math.floor(low * 1000 + 1e-9) / 1000:g}, 1]" in adap_ucb
    assert "not private" in out
    assert "all intervals hold together at confidence 0.999" in out


def test_a_suite_a_file_and_a_class_of_ones_own(capsys, tmp_path):
    (tmp_path / "mine.toml").write_text("[near]\nmeans = [0.6, 0.5]\n[far]\nmeans = [0.9, 0.1]\n")
    (tmp_path / "blind.py").write_text(
        "class Blind:\n    def __init__(self, arms, epsilon, rng):\n        pass\n"
        "    def select(self, t):\n        return 1\n"
        "    def observe(self, t, arm, reward):\n        pass\n"
    )
    words = ["compare", "ucb1", f"{tmp_path}/blind.py:Blind", "--suite", f"{tmp_path}/mine.toml"]
    words += ["--horizon", "40", "--runs", "40", "--epsilon", "1", "--json", "-"]
    code, out, _ = run(capsys, *words)
    assert code == 0
    found = parse(json.loads(out))
    assert [f.instance.name for f in found.fields] == ["near", "far"]
    assert all(f.standings[1].privacy.how == "not audited" for f in found.fields)
    assert found.overall[0].instances == 2


def test_the_figure_names_every_learner_and_the_lower_bound(capsys, tmp_path):
    file = tmp_path / "best.svg"
    code, _, _ = run(capsys, *ONE, "--svg", str(file))
    assert code == 0
    text = file.read_text()
    for name in ("ucb1", "adap-ucb", "rnm-ftnl", "Azize et al.", "asymptotic lower bound"):
        assert name in text


WRONG = {
    "an unknown name": (["ucb2"], "ucb1"),
    "an unknown suite": (["ucb1", "--suite", "hrad"], "hard"),
    "no names": ([], "names: none given"),
    "means and suite": (["ucb1", "--means", "0.7,0.3", "--suite", "easy"], "not allowed"),
    "means out of range": (["ucb1", "--means", "0.7,1.3"], "means: got"),
    "words for means": (["ucb1", "--means", "a,b"], "means: got 'a,b'"),
    "no epsilon": (["adap-ucb", "--means", "0.7,0.3"], "epsilon"),
    "one run": (["ucb1", "--runs", "1"], "runs: got"),
    "an environment": (["ucb1", "--means", "0.7,0.3", "--environment", "lunar"], "environment"),
    "a hopeless horizon": (
        ["private-ucb-safe", "--epsilon", "1", "--means", "0.7,0.3", "--horizon", "1e13"],
        "--yes",
    ),
    "no room": (["dp-ts", "--epsilon", "1", "--horizon", "1e15"], "dp-ts has room for 1.759e+13"),
    "out without leaderboard": (["ucb1", "--out", "."], "leaderboard"),
    "longest without leaderboard": (["ucb1", "--longest", "3"], "leaderboard"),
    "names for the leaderboard": (["ucb1", "--leaderboard"], "leaderboard: takes no names"),
}


@pytest.mark.parametrize("case", WRONG)
def test_bad_input_is_refused_in_one_line(case, capsys):
    words, told = WRONG[case]
    try:
        code = main(["compare", *words])
    except SystemExit as ended:
        code = ended.code
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert told in err


def test_what_is_interrupted_is_kept_and_the_exit_code_says_so(capsys, monkeypatch):
    from dpaudit.laboratory.comparing import comparison

    original, calls = comparison.regret, []

    def interrupted(*arguments, **more):
        calls.append(more)
        if len(calls) > 1:
            raise KeyboardInterrupt
        return original(*arguments, **more)

    monkeypatch.setattr(comparison, "regret", interrupted)
    code, out, _ = run(capsys, *ONE, "--json", "-")
    found = parse(json.loads(out))
    assert (code, found.complete) == (3, False)
    assert [s.name for s in found.fields[0].standings] == ["ucb1"]


def test_a_journal_goes_on_and_is_refused_for_other_questions(capsys, tmp_path):
    journal = ["--journal", str(tmp_path / "j")]
    once = json.loads(run(capsys, *ONE, *journal, "--json", "-")[1])
    again = json.loads(run(capsys, *ONE, *journal, "--json", "-")[1])
    assert once["fields"][0]["duels"] == again["fields"][0]["duels"]
    code, _, err = run(capsys, *ONE, "--seed", "5", *journal)
    assert code == 2
    assert "is of another task" in err


def test_the_leaderboards_page_says_each_horizon_and_who_was_left_out():
    text = markdown(parse(samples.leaderboard()), "dpaudit compare --leaderboard")
    assert text.startswith("# Who is best\n")
    assert "## T = 1e+06" in text
    assert "Left out: ts-gaussian: it would take 3 days." in text
    assert "| 1 | adap-ucb |" in text


def test_a_committed_comparison_is_read_as_it_was():
    """Committed files leave out what is empty."""
    whole = parse(samples.leaderboard())
    single = parse(samples.comparison(suite="", epsilon=None, fields=[], overall=[]))
    for document in (whole, single):
        again = parse(json.loads(lines(lean(document.public()))))
        assert again == document


def test_the_committed_leaderboard_is_of_the_catalogue():
    from dpaudit.play.catalogue import catalogue
    from dpaudit.results.made import checkout

    found = read(checkout() / "leaderboard.json")
    assert isinstance(found, Leaderboard)
    assert [c.horizon for c in found.comparisons] == [10**6, 10**12]
    for c in found.comparisons:
        named = {each.name for each in c.overall} | {each.name for each in c.left_out}
        assert named <= set(catalogue())
        assert c.complete
