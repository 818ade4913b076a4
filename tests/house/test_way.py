"""A request passes few modules."""

import threading
from pathlib import Path

import numba
import pytest

from tests.house.way import HOUSE, REQUESTS, apart, in_a_process, way

MOST = 15
"""Modules of dpaudit that a request passes, besides those of the command line."""
MORE = {
    "black-box": 30,
    "two-world": 24,
    "prove": 23,
    "report": 47,
    "claims": 20,
    "regret": 18,
    "scaling": 27,
}
"""A claim's quotation and goals are read by a module of their own, and formulas are set as
mathematics by one. An audit asks for a proof of what its releases book. With learners of the field:
each run's own randomness, how runs are kept apart, the search over lengths of play and its walks,
and the test of independence are rooms. A claim's level of trust asks for the kernel's record and
the theorems, and privacy claims ask the prover, whose way is measured apart; a report has pages of
optima and of open questions, and blueprints. A study of regret has what was asked, the bands, what
is measured besides and the world's means in modules of their own, the rule of scaling studies is
one, and a report has pages of comparisons. An audit knows kinds of learners: who are neighbours,
what is seen, what is claimed and what is bound to it are four rooms' affair, and what a learner
prints is heard by one more. What an engine finds is apart from the answer, and from what it could
have found. Every point of a study has its lower bounds, from three modules; a report has those, the
guide's pages, what would mend a violation, by the prover's graph, and the crate. That is more than
a person follows in one go: the next redesign begins here."""


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_passes_few_modules(name):
    inside, _ = apart(in_a_process(name))
    mine = [m for m in inside if name == "prove" or not m.startswith("prover/")]
    assert 3 <= len(mine) <= MORE.get(name, MOST), sorted(mine)


@numba.njit
def compiled(x):
    return x + 1


def plain(x):
    return compiled(x) + compiled.py_func(x)


def in_a_thread():
    each = threading.Thread(target=plain, args=(1,))
    each.start()
    each.join()


def test_what_python_runs_is_counted_and_what_is_compiled_is_not():
    here = {"house": Path(__file__).parent}
    assert way(lambda: compiled(1), **here)["test_way.py"] == [
        "test_what_python_runs_is_counted_and_what_is_compiled_is_not.<locals>.<lambda>"
    ]
    assert way(in_a_thread, **here)["test_way.py"] == ["compiled", "in_a_thread", "plain"]


def test_the_command_line_is_told_apart():
    assert apart({"cli/audit.py": ["run"], "run/task.py": ["f"]}) == (
        {"run/task.py": ["f"]},
        {"cli/audit.py": ["run"]},
    )
    assert (HOUSE / "cli" / "__init__.py").is_file()
