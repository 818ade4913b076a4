"""The core alone audits a stranger's learner, and asks for what it lacks by name."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dpaudit.errors import EXTRAS
from tests.packaging.wheel import ROOT, build, environment, install, run

MOST = 250
"""Megabytes that the core may take, installed."""
TEST = """
from leaky import Leaky

class Blind:
    feedback = "full-information"
    def __init__(self, arms, epsilon, rng):
        self.rng, self.arms = rng, arms
    def select(self, t):
        return int(self.rng.integers(self.arms))
    def observe(self, t, arm, reward):
        pass

def test_leaky(dp_audit):
    dp_audit(Leaky, epsilon=1.0, arms=2, rounds=8, runs=40_000)

def test_blind(dp_audit):
    dp_audit(Blind, epsilon=1.0, arms=2, rounds=8, runs=40_000, inconclusive="pass")
"""
ASKED = {
    "regret ucb1 --means 0.6,0.5 --horizon 100": ("regret", "numba", "contract"),
    "audit rnm-ftnl --epsilon 1 --rounds 4": ("this audit", "python-flint", "contract"),
    "prove ucb1": ("prove", "z3-solver", "contract"),
    "claims": ("claims", "python-flint", "laws"),
}


@pytest.fixture(scope="module")
def core(tmp_path_factory):
    """An environment with the wheel and what the core depends on, and a project in a folder."""
    folder = tmp_path_factory.mktemp("core")
    python = environment(folder / "environment", str(build(folder)))
    project = folder / "project"
    for name in ("algorithms", "config"):
        (project / name).mkdir(parents=True)
        (project / name / "__init__.py").write_text("raise RuntimeError('not for you')\n")
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)
    learner = next(block for block in blocks if block.startswith("# leaky.py"))
    call = next(block for block in blocks if "dpaudit.audit(Leaky" in block)
    (project / "leaky.py").write_text(learner)
    (project / "call.py").write_text(call)
    (project / "test_privacy.py").write_text(TEST)
    return python, project


def size(python):
    """Megabytes of the environment's packages."""
    words = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    place = subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    files = (Path(folder) / name for folder, _, names in os.walk(place) for name in names)
    return sum(file.stat().st_size for file in files) / 1e6


def test_the_core_is_small_and_audits_a_learner(core):
    python, project = core
    assert size(python) <= MOST
    done = run(python, "call.py", cwd=project)
    assert done.returncode == 0, done.stderr
    verdict, bound, *_ = done.stdout.split()
    assert verdict == "violated"
    assert float(bound) > 1.0
    words = "-m dpaudit audit leaky.py:Leaky --epsilon 1 --rounds 8 --runs 40000 --html page.html"
    assert run(python, *words.split(), cwd=project).returncode == 1
    assert "Leaky" in (project / "page.html").read_text()


@pytest.mark.parametrize("command", ASKED)
def test_what_is_missing_is_asked_for_by_name(core, command):
    python, project = core
    done = run(python, "-m", "dpaudit", *command.split(), cwd=project)
    assert (done.returncode, done.stdout) == (2, "")
    who, package, extra = ASKED[command]
    assert done.stderr == f"dpaudit: {who} needs {package}: pip install 'dpaudit[{extra}]'\n"


def test_what_is_missing_is_asked_for_in_python_too(core):
    python, project = core
    for code in (
        "dpaudit.regret('ucb1', means=[0.6, 0.5], horizon=10)",
        "dpaudit.audit('rnm-ftnl', epsilon=1)",
        "dpaudit.prove",
    ):
        done = run(python, "-c", f"import dpaudit\n{code}", cwd=project)
        assert re.search(r"UsageError: .* needs .*: pip install 'dpaudit\[", done.stderr)


def test_the_fixture_works_with_the_core(core):
    python, project = core
    install(python, "pytest")
    done = run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=project)
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "violates its claim" in done.stdout


STRANGER = """
import dpaudit
from dpaudit.testing import check_learner

class Mine:
    def __init__(self, arms: int, epsilon: float, rng: object) -> None: ...
    def select(self, t: int) -> int:
        return 0
    def observe(self, t: int, arm: int, reward: float) -> None: ...

result = dpaudit.audit(Mine, epsilon=1.0, arms=2, rounds=8)
bound: float = result.lower_bound
check_learner(Mine)
"""
UNREAD = "[mypy]\nstrict = True\n[mypy-numpy.*,scipy.*,rich.*]\nfollow_imports = skip\n"


def test_mypy_sees_the_types_in_a_strangers_project(core):
    python, project = core
    (project / "mypy.ini").write_text(UNREAD)  # so that it takes seconds
    for source, code, said in (
        (STRANGER, 0, "Success: no issues found in 1 source file"),
        (STRANGER.replace("bound: float", "bound: str"), 1, 'has type "float", variable has type'),
    ):
        (project / "mine.py").write_text(source)
        words = ["-m", "mypy", "--python-executable", python, "mine.py"]
        done = run(sys.executable, *words, cwd=project)
        assert (done.returncode, said in done.stdout) == (code, True), done.stdout


def test_an_extra_brings_each_package_that_is_asked_for():
    text = (ROOT / "pyproject.toml").read_text()
    for package, extra in EXTRAS.values():
        (line,) = re.findall(rf"^{extra} = \[(.*)\]$", text, re.M)
        assert f'"{package}>=' in line
    core = text[text.index("dependencies = [") : text.index("[project.optional")]
    assert not any(f'"{package}>' in core for package, _ in EXTRAS.values())
