"""Modules are short and say what they are; folders are small; nothing is left open."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.edges import House

ROOT = Path(__file__).parents[2]
LONGEST = 400
"""Lines of a module."""
MOST = 9
"""Modules of a folder, besides its `__init__`."""
OPEN = re.compile(r"\b(TODO|FIXME|XXX|NotImplementedError)\b")


def faults(path: Path) -> Iterator[str]:
    """What is wrong with a module."""
    text = path.read_text()
    if len(text.splitlines()) > LONGEST:
        yield f"{len(text.splitlines())} lines"
    if len((ast.get_docstring(ast.parse(text)) or "").split()) < 2:
        yield "no docstring"
    if OPEN.search(text):
        yield "something left open"


def crowded(root: Path) -> dict[str, int]:
    """The folders that hold too many modules."""
    tests = (root / "tests").rglob("*.py")
    paths = [path for path in (*House(root).modules.values(), *tests) if path.stem != "__init__"]
    counts = Counter(str(path.parent.relative_to(root)) for path in paths)
    return {folder: n for folder, n in counts.items() if n > MOST}


@pytest.mark.parametrize(
    "path", House(ROOT).modules.values(), ids=lambda p: str(p.relative_to(ROOT))
)
def test_modules_are_short_say_what_they_are_and_leave_nothing_open(path):
    assert list(faults(path)) == []


def test_no_folder_holds_more_than_nine_modules():
    assert crowded(ROOT) == {}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('"""A docstring."""\n' + "x = 1\n" * LONGEST, "401 lines"),
        ("x = 1\n", "no docstring"),
        ('"""."""\nx = 1\n', "no docstring"),
        ('"""A docstring."""\n# TO' + "DO: more\n", "something left open"),
        ('"""A docstring."""\nraise NotImplemented' + "Error\n", "something left open"),
    ],
)
def test_each_fault_is_seen(text, fault, tmp_path):
    module = tmp_path / "module.py"
    module.write_text(text)
    assert list(faults(module)) == [fault]
    module.write_text('"""A docstring."""\n')
    assert list(faults(module)) == []


def test_a_crowded_folder_is_seen(tmp_path):
    for folder in ("dpaudit", "tests"):
        (tmp_path / folder).mkdir()
        for name in ["__init__", *"abcdefghi"]:
            (tmp_path / folder / f"{name}.py").touch()
    assert crowded(tmp_path) == {}
    for folder in ("dpaudit", "tests"):
        (tmp_path / folder / "j.py").touch()
    assert crowded(tmp_path) == {"dpaudit": 10, "tests": 10}
