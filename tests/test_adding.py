"""What CONTRIBUTING.md says about adding: its code blocks are written into a copy of the tree,
and the command line there knows what they add, with nothing else edited."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"```(?:python|toml)\n# (\S+\.(?:py|toml))\n(.*?)```", re.S)
BLOCKS = dict(BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text("utf-8")))
PAPER = "somebody_2026"


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    home = tmp_path_factory.mktemp("tree")
    skip = shutil.ignore_patterns("__pycache__")
    for part in ("dpaudit", "algorithms", "proofs_checks"):
        shutil.copytree(ROOT / part, home / part, symlinks=True, ignore=skip)
    shutil.copytree(ROOT / "tests" / "algorithms", home / "tests" / "algorithms")
    (home / "tests" / "__init__.py").write_text("")
    (home / "pyproject.toml").write_text("")  # a checkout: what is made is kept in it
    for path, text in BLOCKS.items():
        file = home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        for folder in file.relative_to(home).parents:
            opened = home / folder / "__init__.py"
            if folder != Path() and not opened.exists():
                opened.write_text("")
        file.write_text(text)
    return home


@pytest.fixture(scope="module")
def dpaudit(copy):
    def command(*words):
        done = subprocess.run(
            [sys.executable, "-m", "dpaudit", *words],
            capture_output=True,
            text=True,
            timeout=200,
            cwd=copy,
            env={**os.environ, "PYTHONPATH": str(copy), "COLUMNS": "200"},
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    return command


def test_the_page_shows_an_algorithm_a_claim_a_study_and_an_engine_in_files_that_are_not_there():
    rooms = [path.split("/")[0] for path in BLOCKS]
    assert sorted(rooms) == ["algorithms", "dpaudit", *["proofs_checks"] * 3, "tests"]
    assert not any((ROOT / path).exists() for path in BLOCKS)


def test_the_algorithm_is_listed_with_a_paper_that_nobody_knows(dpaudit):
    code, out, err = dpaudit("algorithms")
    assert code == 0, err
    assert "explore-then-commit" in out
    assert PAPER in out


def test_the_algorithm_is_audited_and_proved(dpaudit):
    code, out, err = dpaudit(
        "audit", "explore-then-commit", "--epsilon", "1", "--rounds", "4", "--runs", "2000"
    )
    assert code in (0, 4), err
    assert "explore-then-commit" in out


def test_the_algorithm_passes_the_conformance_suite(copy):
    check = "from dpaudit.testing import check_learner; check_learner('explore-then-commit')"
    done = subprocess.run(
        [sys.executable, "-c", check],
        capture_output=True,
        text=True,
        timeout=200,
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_algorithm_is_compared_with_its_second_definition_and_its_mutants_are_killed(copy):
    def python(*words):
        done = subprocess.run(
            [sys.executable, "-m", *words],
            capture_output=True,
            text=True,
            timeout=600,
            cwd=copy,
            env={**os.environ, "PYTHONPATH": str(copy)},
            check=False,
        )
        return done.stdout + done.stderr

    words = "tests/algorithms/test_second.py -q -p no:cacheprovider -k explore-then-commit".split()
    assert "3 passed" in python("pytest", *words)
    said = python("tests.algorithms.mutations", "explore-then-commit")
    # Only > and >= between noisy numbers, which are never equal.
    assert "18 mutants, 1 survive;" in said
    assert "comparison   line  30" in said


def test_the_claim_is_checked(dpaudit):
    code, out, err = dpaudit("claims", "--paper", PAPER, "--show", "theorem-1", "--fresh")
    assert code == 0, err
    for word in (
        "ln x <= x - 1",
        "holds",
        "the logarithm of x is at most x - 1",
        "checked",
        "covered",
    ):
        assert word in out


def test_the_study_is_run(dpaudit):
    code, out, err = dpaudit("scaling", "theorem-2-linear", "--quick")
    assert code == 0, err
    assert "not contradicted" in out


def test_the_engine_is_asked_for_by_its_name(dpaudit):
    words = "audit explore-then-commit --epsilon 1 --rounds 4 --runs 2000 --engine".split()
    code, out, err = dpaudit(*words, "last-action")
    assert code in (0, 4), err
    assert "last-action: asked for" in out
    code, _, err = dpaudit(*words, "first-action")
    assert code == 2
    assert "last-action" in err


def test_what_was_there_is_there_still(dpaudit):
    code, _, err = dpaudit("scaling", "explore-then-rest", "--quick")
    assert code == 2
    assert "explore-then-commit" in err
