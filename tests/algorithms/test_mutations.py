"""Every mutant of a small selection is killed; all of them are by
`python -m tests.algorithms.mutations`."""

import pytest

from tests.algorithms.equivalents import EQUIVALENT, why_equivalent
from tests.algorithms.mutations import files, killed_by, mutants

FILES = files()
A_FILE = 6
"""Mutants of each file that are played here."""


def selection(path):
    """Mutants spread over the kinds of change and over the file."""
    mine = [mutant for mutant in mutants(path) if not why_equivalent(mutant.id)]
    by_kind = {}
    for mutant in mine[len(path.stem) % 3 :: 2]:
        by_kind.setdefault(mutant.kind, []).append(mutant)
    columns = list(by_kind.values())
    turns = [column[i] for i in range(len(mine)) for column in columns if i < len(column)]
    return turns[:A_FILE] or mine


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_mutants_are_killed(path):
    chosen = selection(path)
    assert len(chosen) >= 3
    assert [mutant.id for mutant in chosen if not killed_by(mutant, FILES[path])] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_algorithm_has_at_least_five_mutants(path):
    assert len([mutant for mutant in mutants(path) if not why_equivalent(mutant.id)]) >= 5


def test_what_is_not_changed_is_not_killed():
    path, names = next(iter(FILES.items()))
    mutant = mutants(path)[0]
    same = type(mutant)(path, "", "none", 0, "", __import__("ast").parse(path.read_text("utf-8")))
    assert killed_by(same, names) == ""


def test_every_equivalence_is_about_a_mutant_that_there_is():
    made = [mutant.id for path in FILES for mutant in mutants(path)]
    for pattern, reason in EQUIVALENT:
        assert reason
        assert any(why_equivalent(each) == reason for each in made), pattern
