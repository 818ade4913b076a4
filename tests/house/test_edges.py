"""Rooms name only the rooms that the table allows, and never in a circle."""

from pathlib import Path

import pytest

from tests.house.edges import Edge, House, circle, module_of, room_of
from tests.house.table import ALLOWED, FOUND, NARROW

ROOT = Path(__file__).parents[2]
HOUSE = House(ROOT)
EDGES = HOUSE.edges()


def between(edges: list[Edge]) -> dict[tuple[str, str], list[Edge]]:
    """The edges that leave a room, by the two rooms."""
    found: dict[tuple[str, str], list[Edge]] = {}
    for edge in edges:
        rooms = room_of(edge.here), room_of(edge.there)
        if rooms[0] != rooms[1]:
            found.setdefault(rooms, []).append(edge)
    return found


def forbidden(edges: list[Edge]) -> list[str]:
    """What the table does not allow, with the line."""
    return [
        f"{edge.here}, line {edge.line}, names {edge.there}: {here} -> {there}"
        for (here, there), own in between(edges).items()
        for edge in own
        if not (there in ALLOWED.get(here, "").split() or (here, there) in FOUND)
        or edge.there not in NARROW.get((here, there), {edge.there})
    ]


def test_every_room_is_in_the_table():
    assert {room_of(module) for module in HOUSE.modules} <= set(ALLOWED)


@pytest.mark.parametrize("room", ALLOWED)
def test_rooms_name_only_the_rooms_below_them(room):
    assert [line for line in forbidden(EDGES) if f": {room} -> " in line] == []


def test_no_rooms_name_each_other_in_a_circle():
    assert circle(set(between(EDGES)) - FOUND) == []


def test_the_table_itself_has_no_circle():
    assert circle({(a, b) for a, below in ALLOWED.items() for b in below.split()}) == []


def test_the_checker_of_certificates_shares_no_code_with_the_finders():
    assert ALLOWED["recheck"] == "play"
    own = [edge for edge in House(ROOT).edges() if room_of(edge.here) == "recheck"]
    outside = {edge.here for edge in own if room_of(edge.there) != "recheck"}
    assert outside == {"dpaudit.recheck.replay"}  # what was played is played again


def house(folder: Path, **modules: str) -> House:
    """A small house: `run__task="import os"` is dpaudit/run/task.py."""
    for name in ("dpaudit/__init__", "dpaudit/cli/__init__", "algorithms/__init__", *modules):
        path = folder / f"{name.replace('__', '/') if name in modules else name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(modules.get(name, ""))
    return House(folder)


UPWARDS = {
    "at the top": "import dpaudit.cli.audit",
    "from a module": "from dpaudit.cli.audit import run",
    "from a room": "from dpaudit.cli import audit",
    "relative": "from ..cli import audit",
    "in a function": "def f():\n    from dpaudit.cli import audit",
    "by its name": "import importlib\nimportlib.import_module('dpaudit.cli.audit')",
    "a piece of its name": "x = 'audit'\nimportlib.import_module(f'dpaudit.cli.{x}')",
    "module and function": "KINDS = {'audit': 'dpaudit.cli.audit:run'}",
    "a module and all of it": "HOMES = {'audit': 'dpaudit.cli.audit:'}",
    "a module in a table": "HOMES = {'audit': 'dpaudit.cli.audit'}",
    "for types": "if typing.TYPE_CHECKING:\n    import dpaudit.cli.audit",
}


@pytest.mark.parametrize("source", UPWARDS.values(), ids=UPWARDS)
def test_each_way_of_naming_an_upper_room_is_seen(source, tmp_path):
    small = house(tmp_path, dpaudit__run__task=source, dpaudit__cli__audit="")
    found = forbidden(small.edges())
    assert found
    assert all(": run -> cli" in line for line in found)


def test_a_narrow_edge_is_for_its_modules_only(tmp_path):
    source = "from dpaudit.auditor import job, statistics"
    small = house(
        tmp_path,
        dpaudit__ledger__samples=source,
        dpaudit__auditor__job="",
        dpaudit__auditor__statistics="",
    )
    assert [line.partition(" names ")[2] for line in forbidden(small.edges())] == [
        "dpaudit.auditor.job: ledger -> auditor"
    ]


PUBLIC = {
    "an attribute": "import dpaudit\ndpaudit.audit('x')",
    "a name": "def f():\n    from dpaudit import audit",
}


@pytest.mark.parametrize("source", PUBLIC.values(), ids=PUBLIC)
def test_the_public_names_are_not_for_the_rooms_themselves(source, tmp_path):
    small = house(tmp_path, dpaudit__run__task=source)
    assert [line.rpartition(": ")[2] for line in forbidden(small.edges())] == ["run -> dpaudit"]


@pytest.mark.parametrize(
    "source",
    [
        "import importlib\nHOUSE = 'dpaudit.algorithms'\nimportlib.import_module(f'{HOUSE}.ucb1')",
        "import pkgutil\nfrom dpaudit import algorithms\npkgutil.iter_modules(algorithms.__path__)",
        "import importlib\nimportlib.import_module('dpaudit.algorithms')",
    ],
)
def test_a_package_that_is_searched_is_named(source, tmp_path):
    small = house(tmp_path, dpaudit__run__task=source)
    assert {(e.here, e.there) for e in small.edges()} == {
        ("dpaudit.run.task", "dpaudit.algorithms")
    }


@pytest.mark.parametrize(
    "source",
    [
        '"""See dpaudit.cli.audit."""',
        "from dpaudit import __version__",
        "import dpaudit\nprint(dpaudit.__version__)",
        "COMMAND = 'algorithms'",
    ],
)
def test_words_are_not_edges(source, tmp_path):
    assert house(tmp_path, dpaudit__run__task=source, dpaudit__cli__audit="").edges() == []


def test_a_circle_is_found():
    assert circle({("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")}) == ["a", "b", "c", "a"]
    assert circle({("a", "b"), ("b", "c"), ("a", "c")}) == []


def test_modules_and_rooms_are_named_by_their_place():
    assert module_of(Path("dpaudit/run/__init__.py")) == "dpaudit.run"
    assert module_of(Path("algorithms/baselines/ucb1.py")) == "dpaudit.algorithms.baselines.ucb1"
    assert room_of("dpaudit.run.task") == "run"
    assert room_of("dpaudit.config") == "config"
    assert room_of("dpaudit.algorithms.baselines.ucb1") == "algorithms"
    assert room_of("dpaudit") == "dpaudit"
