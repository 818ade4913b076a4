"""The reference is that of the code, and has every public name with types, words and an example."""

import re

import pytest

import dpaudit
from tests.guide.reference import PACKAGES, PAGE, PUBLIC, examples, page, said, signature

RESULTS = ("AuditResult", "ProofResult", "RegretResult", "Card")
"""Nobody makes them by name."""
NAMES = {name: getattr(module, name) for _, module, names in PUBLIC.values() for name in names}


def test_the_page_is_that_of_the_code():
    again = "python -m tests.guide.reference"
    assert PAGE.read_text() == page(examples()), f"the code has changed: {again}"


def test_no_public_name_is_left_out():
    assert {*dpaudit.__all__} - {"releases"} <= set(NAMES)
    headings = re.findall(r"^### `(\w+)`$", PAGE.read_text(), re.M)
    assert headings == list(NAMES)


def test_every_name_has_an_example_that_is_run():
    found = examples()
    assert set(found) == set(NAMES)
    for name, block in found.items():
        assert re.search(rf"\b{name}\b", block) or name in RESULTS, name
        assert block.startswith("```py\n" if name in PACKAGES else "```python\n"), name


@pytest.mark.parametrize("name", NAMES)
def test_every_name_has_types_and_words(name):
    thing = NAMES[name]
    shown = signature(name, thing)
    assert shown.startswith((name, f"class {name}"))
    assert "<" not in shown  # an address
    for line in shown.splitlines()[1:-1]:
        assert ": " in line or " = " in line or line.strip() in ("*,", "*"), line
    assert said(thing) or shown.count("\n") > 1, "no docstring"


def test_what_is_missing_is_seen(monkeypatch):
    def bare(x):
        return x

    assert said(bare) == ""
    assert ": " not in signature("bare", bare).partition(")")[0]
    kept = examples()
    kept.pop("audit")
    assert PAGE.read_text() != page(kept)
    monkeypatch.setattr(dpaudit.audit, "__doc__", "Other words.")
    assert PAGE.read_text() != page(examples())
