"""`[tool.dpaudit]`: what is read, and how mistakes are named with key and line."""

import pytest

from dpaudit.config import read_project
from dpaudit.errors import UsageError

GOOD = """[project]
name = "x"

[tool.dpaudit]
confidence = 0.99
seed = 7

[[tool.dpaudit.audits]]
target = "a.py:A"
epsilon = 1

[[tool.dpaudit.audits]]
target = "rnm-ftnl"
epsilon = 0.5
parameters = { factor = 2.0 }
"""


def test_a_project_is_read(tmp_path):
    (tmp_path / "pyproject.toml").write_text(GOOD)
    project = read_project(tmp_path / "pyproject.toml")
    assert (project.confidence, project.seed, len(project.audits)) == (0.99, 7, 2)
    assert project.audits[1]["parameters"] == {"factor": 2.0}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("seed = 7", "sed = 7", ":6: key: unknown name 'sed'; did you mean seed"),
        ("seed = 7", 'seed = "7"', ":6: seed: got '7', allowed is of type int"),
        ("seed = 7", "seed = true", ":6: seed: got True"),
        ("epsilon = 0.5", 'epsilon = "x"', ":14: epsilon: got 'x', allowed is a number"),
        ("epsilon = 0.5", "epsilom = 0.5", ":14: key: unknown name 'epsilom'"),
        ('target = "a.py:A"\n', "", ":8: audit 1 has no target"),
        ("[tool.dpaudit]", "[tool.other]", "has no"),
        ("seed = 7", "seed = ", "line 6"),
    ],
)
def test_mistakes_are_named_with_key_and_line(tmp_path, old, new, message):
    text = GOOD.replace(old, new)
    if new == "[tool.other]":
        text = text[: text.index("[[tool")]
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(UsageError) as error:
        read_project(tmp_path / "pyproject.toml")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_no_file_and_no_audits(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        read_project(tmp_path / "none.toml")
    (tmp_path / "p.toml").write_text("[tool.dpaudit]\nseed = 1\n")
    with pytest.raises(UsageError, match=r"p.toml:1: no \[\[tool.dpaudit.audits\]\]"):
        read_project(tmp_path / "p.toml")
