"""The pytest plugin in a project of its own: one good and one leaking learner."""

import json
import subprocess
import sys
from xml.etree import ElementTree

import pytest

PYPROJECT = """
[tool.pytest.ini_options]
addopts = "--strict-markers -p no:cacheprovider"
filterwarnings = ["error"]

[tool.dpaudit]
confidence = 0.99

[[tool.dpaudit.audits]]
name = "good"
target = "learners.py:Good"
epsilon = 1.0
rounds = 4
runs = 20000

[[tool.dpaudit.audits]]
name = "leaky"
target = "learners.py:Leaky"
epsilon = 1.0
rounds = 4
runs = 20000
"""
LEARNERS = '''
import numpy as np


class Good:
    """Follows the noisy leader of the last epoch."""

    feedback = "full-information"
    scale = 2.0

    def __init__(self, arms, epsilon, rng):
        self.sums, self.epsilon, self.rng = np.zeros(arms), epsilon, rng
        self.leader, self.seen, self.epoch = 0, 0, 1

    def select(self, t):
        return self.leader

    def observe(self, t, arm, reward):
        self.sums += reward
        self.seen += 1
        if self.seen == self.epoch:
            noise = self.rng.laplace(0, self.scale / self.epsilon, len(self.sums))
            self.leader = int(np.argmax(self.sums + noise))
            self.sums, self.seen, self.epoch = np.zeros(len(self.sums)), 0, 2 * self.epoch


class Leaky(Good):
    scale = 0.5
'''
TESTS = """
import pytest
from learners import Good, Leaky


def test_good(dp_audit):
    assert dp_audit(Good, epsilon=1.0, rounds=4).verdict == "consistent"


def test_leaky(dp_audit):
    dp_audit(Leaky, epsilon=1.0, rounds=4)


@pytest.mark.dp_audit(runs=4000, audits=2)
def test_two(dp_audit):
    first = dp_audit("anytime-lazy-ucb", epsilon=1.0, rounds=4)
    second = dp_audit("rnm-ftnl-laplace", epsilon=1.0, rounds=4)
    assert first.confidence == second.confidence


def test_no_audit():
    pass
"""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    (tmp_path / "learners.py").write_text(LEARNERS)
    (tmp_path / "test_learners.py").write_text(TESTS)
    return tmp_path


def run(folder, *arguments, command=("-m", "pytest")):
    out = subprocess.run(
        [sys.executable, *command, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    return out.returncode, out.stdout + out.stderr


BUDGET = ("--dpaudit-runs", "12000")


def test_the_leaking_learner_fails_with_witness_and_replay(project):
    xml, saved = project / "out.xml", project / "saved.json"
    code, out = run(
        project, *BUDGET, f"--junitxml={xml}", "--dpaudit-save", str(saved), "--dpaudit-seed", "3"
    )
    assert code == 1
    assert "1 failed, 3 passed" in out
    assert "dpaudit 0.1.0: confidence 0.999 for the session, seed 3" in out
    assert "learners.py:Leaky violates its claim: epsilon >=" in out
    for words in ("rewards    arm 0", "neighbour  arm 0", "event", "is changed"):
        assert words in out
    assert "dpaudit audit learners.py:Leaky --epsilon 1" in out
    assert "pytest test_learners.py::test_leaky --dpaudit-seed 3" in out
    assert out.count("privacy audits") == 1
    properties = {
        p.get("name"): p.get("value")
        for case in ElementTree.parse(xml).iter("testcase")
        if case.get("name") == "test_leaky"
        for p in case.iter("property")
    }
    assert properties["dpaudit_verdict"] == "violated"
    assert float(properties["dpaudit_lower_bound"]) > 1.0
    audits = json.loads(saved.read_text())["audits"]
    assert [a["name"].split("::")[1] for a in audits] == [
        "test_good",
        "test_leaky",
        "test_two",
        "test_two#2",
    ]
    # One confidence: the errors of all audits together are at most that of the session.
    assert sum(1 - a["confidence"] for a in audits) <= 0.001 + 1e-12
    replay = next(line for line in out.splitlines() if line.strip().startswith("again"))
    code, again = run(project, *replay.split()[2:], command=("-m", "dpaudit"))
    assert code == 1
    first, second = (
        text.split("epsilon >= ")[1].split()[0]
        for text in (out[out.index("Leaky violates") :], again)
    )
    assert first == second

    # Compared with the saved session: as before, and worse where the saved bound was lower.
    code, out = run(project, *BUDGET, "--dpaudit-seed", "3", "--dpaudit-compare", str(saved), "-n2")
    assert code == 1
    assert out.count("as before") == 4
    audits[0]["lower_bound"] = 0.001
    saved.write_text(json.dumps({"schema": "dpaudit/catalogue/1", "audits": audits}))
    compare = ("--dpaudit-compare", str(saved), "--dpaudit-fail-worse", "10", "-k", "good")
    code, out = run(project, *BUDGET, "--dpaudit-seed", "3", *compare)
    assert code == 1
    assert "worse than the saved session: lower bound was 0.001" in out


def test_the_gate_stops_early_and_still_rejects(project):
    code, out = run(project, "--dpaudit-gate", "on", "-k", "leaky")
    assert code == 1
    assert "Leaky violates its claim" in out


def test_the_gate_rejects_a_claim_with_a_delta(project):
    """A private learner is accused with probability 1e-7."""
    told = TESTS.replace("epsilon=1.0", "delta=0.05, epsilon=1.0")
    told = told.replace('== "consistent"', '!= "violated"')
    (project / "test_learners.py").write_text(told)
    sure = ("--dpaudit-confidence", "0.9999999", "--dpaudit-runs", "8000")
    asked = (*sure, "--dpaudit-gate", "on", "--dpaudit-inconclusive", "pass")
    code, out = run(project, *asked, "-k", "leaky or good")
    assert code == 1
    assert "Leaky violates its claim: epsilon >= 1" in out
    assert "1 failed, 1 passed" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--dpaudit-confidence", "2"), "--dpaudit-confidence: got 2.0"),
        (("--dpaudit-gate", "maybe"), "--dpaudit-gate: got 'maybe'"),
        (("--dpaudit-fail-worse", "5"), "--dpaudit-fail-worse: needs --dpaudit-compare FILE"),
        (("--dpaudit-compare", "learners.py"), "not JSON"),
        (("--dpaudit-compare", "none.json"), "cannot be read"),
    ],
)
def test_bad_options_are_one_line_and_exit_4(project, arguments, message):
    code, out = run(project, *arguments)
    assert code == 4
    assert message in out
    assert "Traceback" not in out


def test_nothing_heavy_is_loaded_by_a_session_without_audits(project):
    probe = (
        "import sys\n\n\ndef test_light():\n    heavy = {'numba', 'scipy', 'flint', 'msgspec'}\n"
    )
    (project / "test_light.py").write_text(probe + "    assert not heavy & set(sys.modules)\n")
    code, out = run(project, "test_light.py")
    assert code == 0, out


def test_dpaudit_run_audits_what_pyproject_lists(project):
    wanted = ("--json", "r.json", "--markdown", "r.md", "--junit", "r.xml", "--sarif", "r.sarif")
    code, out = run(project, "run", *wanted, "--badge", "r.svg", command=("-m", "dpaudit"))
    assert code == 1, out
    audits = json.loads((project / "r.json").read_text())["audits"]
    assert [(a["name"], a["verdict"]) for a in audits] == [
        ("good", "consistent"),
        ("leaky", "violated"),
    ]
    assert all(a["confidence"] == pytest.approx(0.995) for a in audits)
    assert (project / "r.md").read_text().startswith("### 1 of 2 privacy claims violated")
    suite = ElementTree.parse(project / "r.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    [result] = json.loads((project / "r.sarif").read_text())["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    line = place["region"]["startLine"]
    assert place["artifactLocation"]["uri"] == "learners.py"
    assert LEARNERS.splitlines()[line - 1].startswith("class Leaky")
    assert "epsilon" in ElementTree.parse(project / "r.svg").getroot().get("aria-label")


def test_dpaudit_run_goes_on_from_its_journal(project):
    def audits(name):
        code, out = run(project, "run", "--journal", "j", "--json", name, command=("-m", "dpaudit"))
        assert code == 1, out
        found = json.loads((project / name).read_text())["audits"]
        return [{**audit, "seconds": 0} for audit in found]

    first = audits("1.json")
    whole = (project / "j").read_bytes()
    # a tail that is missing is played again, and nothing else
    (project / "j").write_bytes(whole[: len(whole) * 2 // 3])
    assert audits("2.json") == first
    assert sorted((project / "j").read_bytes().splitlines()) == sorted(whole.splitlines())
    (project / "learners.py").write_text(LEARNERS + "\n")
    code, out = run(project, "run", "--journal", "j", command=("-m", "dpaudit"))
    assert code == 2
    assert "j is of another task (run, dpaudit" in out
