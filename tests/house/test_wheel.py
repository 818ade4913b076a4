"""What is built without the checkout works without the checkout."""

import re
import sys
from functools import partial
from pathlib import Path

import pytest

from dpaudit.play.catalogue import catalogue
from tests.packaging.wheel import ROOT, build
from tests.packaging.wheel import run as process

FOLDERS = {"dpaudit": "", "algorithms": "dpaudit", "proofs_checks": "dpaudit"}
"""What is installed, and inside which package."""
RESULTS = ("catalogue", "claims", "scaling", "reproduction", "optima", "kernel", "leaderboard")


run = partial(process, sys.executable)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with what a wheel would hold: setuptools' own build, which needs no network."""
    folder = tmp_path_factory.mktemp("wheel")
    target, wheel = folder / "installed", build(folder)
    words = "-m pip install --quiet --no-deps --no-index --ignore-installed --prefix"
    done = run(*words.split(), str(target), str(wheel), cwd=folder)
    assert done.returncode == 0, done.stderr
    return next(target.rglob("site-packages"))


@pytest.fixture(scope="module")
def dpaudit(installed):
    """Runs a command of the installed package, in an empty folder beside it."""
    folder = installed.parent / "elsewhere"
    folder.mkdir()

    def command(*words):
        cache = str(folder / "cache")
        given = {"cwd": folder, "path": installed, "DPAUDIT_CACHE_DIR": cache}
        done = run("-m", "dpaudit", *words, **given)
        assert done.returncode == 0, done.stderr
        return done.stdout, folder

    return command


def test_every_module_and_what_they_read_is_in_it(installed):
    here = {
        inside / path.relative_to(ROOT)
        for name, inside in FOLDERS.items()
        for path in (ROOT / name).rglob("*.py")
    }
    assert {p.relative_to(installed) for p in installed.rglob("*.py")} == here
    assert all(p.name.partition("-")[0] == "dpaudit" for p in installed.iterdir())
    reports = installed.parents[2] / "share" / "dpaudit" / "reports"
    assert {p.stem for p in reports.glob("*.json")} == set(RESULTS)
    assert {p.stem for p in reports.glob("proofs/*.json")} == set(catalogue())
    read = {
        p.relative_to(ROOT) for s in ("css", "js", "md") for p in (ROOT / "dpaudit").rglob(f"*.{s}")
    }
    assert all((installed / path).is_file() for path in read)
    assert (installed / "dpaudit" / "py.typed").is_file()
    assert not (installed / "tests").exists()


def test_the_installed_packages_are_the_ones_that_are_run(installed):
    code = "from dpaudit import algorithms\nprint(algorithms.__file__)"
    out = run("-c", code, cwd=installed.parent, path=installed).stdout
    assert Path(out.strip()).parents[1] == installed / "dpaudit"


LEARNER = """
from algorithms import first
from config import ARMS

class Silent:
    def __init__(self, arms, epsilon, rng):
        assert arms == ARMS
    def select(self, t):
        return first()
    def observe(self, t, arm, reward):
        pass
"""


def test_a_project_with_modules_of_the_same_names_is_left_alone(installed, tmp_path):
    """It does not meet our modules, and we do not meet its own."""
    for name in ("algorithms", "proofs_checks", "tests", "reports", "config"):
        package = tmp_path / name
        package.mkdir()
        (package / "__init__.py").write_text("ARMS = 2\ndef first():\n    return 0\n")
    (tmp_path / "learner.py").write_text(LEARNER)
    given = {"cwd": tmp_path, "path": installed, "DPAUDIT_CACHE_DIR": str(tmp_path / "cache")}
    listed = run("-m", "dpaudit", "algorithms", "--json", **given)
    assert listed.stdout.count('"name": "anytime-lazy-ucb"') == 1, listed.stderr
    for target in ("learner.py:Silent", "learner:Silent"):
        words = f"-m dpaudit audit {target} --rounds 4 --runs 2000 --epsilon 1".split()
        done = run(*words, **given)
        assert done.returncode in (0, 4), done.stderr
    assert run("-c", "import algorithms; print(algorithms.first())", **given).stdout == "0\n"


def test_a_strangers_contract_file_is_a_target(installed, tmp_path):
    text = (ROOT / "CONTRIBUTING.md").read_text()
    name = "algorithms/somebody_2026/explore_then_commit.py"
    (block,) = re.findall(rf"^```python\n# {name}\n(.*?)^```", text, re.M | re.S)
    (tmp_path / "mine.py").write_text(block)
    given = {"cwd": tmp_path, "path": installed, "DPAUDIT_CACHE_DIR": str(tmp_path / "cache")}
    done = run("-m", "dpaudit", "prove", "mine.py:explore-then-commit", **given)
    assert "epsilon at most 1.0 times its epsilon" in done.stdout, done.stderr


def test_the_catalogue_is_listed(dpaudit):
    assert "anytime-lazy-ucb" in dpaudit("algorithms", "--json")[0]


def test_the_guide_is_there(dpaudit):
    assert "first-audit" in dpaudit("guide")[0]
    assert dpaudit("guide", "verdicts")[0].startswith("# Reading a verdict")


def test_an_audit_runs(dpaudit):
    words = ["audit", "rnm-ftnl-repaired", "--epsilon", "1", "--rounds", "3", "--json", "-"]
    assert '"verdict": "consistent"' in dpaudit(*words)[0]


def test_the_report_is_made_of_the_results_that_came_along(dpaudit):
    _, folder = dpaudit("report", "--out", "pages")
    pages = {p.name for p in (folder / "pages").iterdir()}
    assert {"index.html", "hu_et_al_2025.html"} <= pages
    assert "rnm-ftnl-exponential" in (folder / "pages" / "index.html").read_text()


def test_certificates_are_rechecked(dpaudit):
    text, _ = dpaudit("claims", "--paper", "hu_et_al_2025", "--recheck")
    assert " certificates accepted" in text.splitlines()[-1]
