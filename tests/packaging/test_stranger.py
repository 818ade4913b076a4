"""A stranger's contract file is a target of every command, without a change of ours."""

import json
import re

import pytest

from dpaudit import errors
from dpaudit.cli import main
from tests.packaging.wheel import ROOT

FILE = "algorithms/somebody_2026/explore_then_commit.py"
TARGET = "mine.py:explore-then-commit"
STUDY = """
from dpaudit.laboratory.scaling.measuring import equal_gaps
from dpaudit.laboratory.scaling.study import Design, Outcome

def at_most_linear(bench):
    name, world = "mine.py:explore-then-commit", equal_gaps(2, 0.5)
    found, _ = bench.simulate("mine", name, world, [16, 64], 50, epsilon=1.0)
    return Outcome("measured", found, {})

STUDIES = (
    Design(
        name="linear",
        paper="somebody_2026",
        where="Theorem 2",
        question="does it stay below?",
        targets=("explore-then-commit",),
        laws="T",
        grid="T = 16, 64",
        run=at_most_linear,
    ),
)
"""


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A folder with the algorithm that CONTRIBUTING.md adds, whose paper is not in our list, and a
    study of it."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    (block,) = re.findall(rf"^```python\n# {FILE}\n(.*?)^```", text, re.M | re.S)
    (tmp_path / "mine.py").write_text(block + STUDY)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DPAUDIT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path


SAID = {
    f"show {TARGET}": (0, "paper:          somebody_2026, Algorithm 1"),
    f"prove {TARGET}": (0, "epsilon at most 1.0 times its epsilon, for every T, every K"),
    f"regret {TARGET} --means 0.6,0.4 --horizon 64 --epsilon 1 --runs 50": (0, "mean regret"),
    f"compare {TARGET} ucb1 --means 0.6,0.4 --horizon 64 --epsilon 1 --runs 50": (0, TARGET),
    f"curve {TARGET} --rounds 3": (0, "this pair is mu-GDP for mu = "),
    f"scaling {TARGET} --quick": (0, "0 of 1 statements violated"),
    "scaling mine.py:linear --quick --out out": (0, "not decided"),
    f"optimal --rounds 3 --epsilon 1 --feedback bandit --alone --out out --beside {TARGET}": (
        0,
        "explore-then-commit",
    ),
    f"audit {TARGET} --epsilon 1 --rounds 3 --runs 2000 --json out.json": (0, ""),
}


def test_every_command_takes_it(mine, capsys):
    for command, (code, said) in SAID.items():
        assert main(command.split()) in (code, 4 if "audit" in command else code), command
        assert said in capsys.readouterr().out
    result = json.loads((mine / "out.json").read_text())
    assert (result["target"], result["upper_bound"]) == (TARGET, 1.0)
    assert main(["report", "--out", "pages", "out.json"]) == 0
    assert "explore-then-commit" in (mine / "pages" / "index.html").read_text()


def test_the_conformance_suite_takes_it(mine):
    from dpaudit.testing import check_learner

    check_learner(TARGET)
    text = (mine / "mine.py").read_text().replace("1.0 / own.epsilon", "0.5 / own.epsilon")
    (mine / "half.py").write_text(text.replace('"l. 3", "', '"l. 3", "half: '))
    assert main("prove half.py:explore-then-commit".split()) == 0  # epsilon 2: a bound all the same


REFUSED = {
    "audit mine.py:no --epsilon 1": "mine.py: entry: unknown name 'no'; known: explore-then-commit",
    "scaling mine.py:no": "target: mine.py has no STUDIES of 'no'",
    "curve mine.py:at_most_linear --rounds 3": "is a class; this is for algorithms",
    f"wrap {TARGET}": "explore-then-commit keeps the contract",
    f"optimal --rounds 3 --epsilon 1 --beside {TARGET}": "has bandit feedback",
    f"regret {TARGET} --means 0.6,0.4 --horizon 64 --epsilon 1 --exact": "no exact engine",
}


@pytest.mark.parametrize("command", REFUSED)
def test_what_does_not_fit_is_said_in_a_line(mine, capsys, command):
    assert main(command.split()) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert REFUSED[command] in line


BROKEN = {
    "releases.laplace(": "numba does not compile this step (Unknown attribute",
    "math.nothing(": "raised AttributeError: module 'math' has no attribute 'nothing'",
}


@pytest.mark.parametrize("call", BROKEN)
def test_what_a_strangers_step_does_wrong_is_one_line_with_its_own(mine, call, capsys):
    text = (mine / "mine.py").read_text().replace("noisy = laplace(", f"noisy = {call}")
    (mine / "odd.py").write_text(f"import math\nfrom dpaudit.machine import releases\n{text}")
    assert main("audit odd.py:explore-then-commit --epsilon 1 --rounds 4 --runs 2000".split()) == 2
    [line] = capsys.readouterr().err.splitlines()
    number = 3 + max(n for n, each in enumerate(text.splitlines()) if call in each)
    assert f"odd.py, line {number}: {BROKEN[call]}" in line


def test_what_our_own_code_raises_is_no_fault_of_the_input():
    with pytest.raises(AttributeError), errors.in_strangers_code():
        errors.shortened(None)
