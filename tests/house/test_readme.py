"""The README is true."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def blocks(language):
    found = re.findall(r"^```(\w*)\n(.*?)^```", (ROOT / "README.md").read_text(), re.S | re.M)
    return [body for name, body in found if name == language]


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory, certificates):
    """A folder with the README's learner in it. Certificates that other tests have made of this
    code need not be made again."""
    if not (ROOT / "reports/certificates").exists():
        shutil.copytree(certificates, ROOT / "reports/certificates")
    folder = tmp_path_factory.mktemp("newcomer")
    (folder / "leaky.py").write_text(next(b for b in blocks("python") if "class Leaky" in b))
    return folder


def test_the_python_of_the_readme_runs(newcomer):
    code = "\n".join(b for b in blocks("python") if "class Leaky" not in b)
    out = subprocess.run(
        [sys.executable, "-c", code],
        cwd=newcomer,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert out.returncode == 0, out.stderr
    assert out.stdout.startswith("violated 1.")


def commands():
    lines = [line.split("#")[0].strip() for block in blocks("") for line in block.splitlines()]
    return [line for line in lines if line.startswith("dpaudit ")]


@pytest.mark.parametrize("command", commands())
def test_each_command_of_the_readme_runs(command, newcomer):
    out = subprocess.run(
        [sys.executable, "-m", *shlex.split(command)],
        cwd=newcomer,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    violates = command.startswith("dpaudit audit") and (
        "Leaky" in command or "rnm-ftnl " in command
    )
    expected = 1 if violates else 0
    assert out.returncode == expected, out.stderr
    assert out.stdout


def test_the_readme_names_the_make_targets_that_exist():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M))
    named = set(re.findall(r"\bmake ([a-z]+)", (ROOT / "README.md").read_text()))
    assert {"audit", "test"} <= named <= targets | {"are"}
