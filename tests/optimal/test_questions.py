"""The open questions: what is said there is what the commands find, and the papers' words."""

import json
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from dpaudit import paper_rooms
from dpaudit.cli import main
from dpaudit.cli.look.questions import NotFound, Sources, place, questions, shown
from dpaudit.ledger.words import anchors, papers_folder, write_anchors
from dpaudit.papers import TITLES
from dpaudit.results.made import committed
from dpaudit.results.questions import Number

ASKED = questions().questions
NUMBERS = [(q, n) for q in ASKED for n in q.sources]
SLOW = re.compile(r"--rounds (1024|20)|--all|horizon 1000000|--losses 8")
"""Commands that `dpaudit questions --recheck` runs, and this suite does not."""
SOURCES = Sources()


@pytest.mark.parametrize(
    ("question", "number"), NUMBERS, ids=[f"{q.id}-{n.name}" for q, n in NUMBERS]
)
def test_the_number_is_what_its_source_holds(question, number):
    assert bool(number.run) != bool(number.result)
    assert number.value in question.says
    if not SLOW.search(number.run):
        assert shown(number, SOURCES) == number.value


def test_most_commands_are_run_here_too():
    run = {n.run for _, n in NUMBERS if n.run}
    assert len([r for r in run if not SLOW.search(r)]) >= 7
    assert all(n.as_ for _, n in NUMBERS if n.run)


@pytest.mark.parametrize("question", ASKED, ids=lambda q: q.id)
def test_a_question_is_quoted_asked_and_says_what_is_left(question):
    assert question.paper in TITLES
    assert question.asked.endswith("?")
    assert question.answer == "decided" or question.left
    assert question.quotation
    assert re.fullmatch(r"\d+ [0-9a-f]{16}", question.anchor)
    # No digits behind the point but those that were found.
    found = {n.value for n in question.sources}
    assert set(re.findall(r"\d+\.\d{3,}", question.says)) <= found
    assert question.command.startswith("dpaudit ") or question.answer == "open"


@pytest.mark.skipif(papers_folder() is None, reason="the papers' texts are not at hand")
@pytest.mark.parametrize("question", ASKED, ids=lambda q: q.id)
def test_the_words_stand_where_the_anchor_says(question):
    assert question.anchor in list(anchors(question.paper, question.quotation))


def test_an_anchor_is_written_beside_a_question(tmp_path, monkeypatch):
    """From a text made up here: the room's name is the paper's."""
    import importlib

    words = importlib.import_module("dpaudit.ledger.words")
    room = tmp_path / "nobody_2099"
    room.mkdir()
    (tmp_path / "nobody_2099.txt").write_text("One line.\nIt remains\nunknown.\n")
    monkeypatch.setattr(words, "papers_folder", lambda: tmp_path)
    file = room / "questions.toml"
    file.write_text('[one]\nquotation = "It remains unknown."\n\n[two]\nquotation = "Lost."\n')
    assert write_anchors(file) == ["two"]
    assert re.search(r'^\[one\]\nanchor = "2 [0-9a-f]{16}"\n', file.read_text())
    words.text_of.cache_clear()


def test_every_paper_with_an_open_question_is_there(capsys):
    assert len({q.id for q in ASKED}) == len(ASKED) >= 16
    assert len({q.paper for q in ASKED}) == 5
    assert main(["questions"]) == 0
    out = capsys.readouterr().out
    assert all(q.id in out for q in ASKED)
    assert "(not found yet)" not in out
    assert main(["questions", "--paper", "hu_et_al_2025", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {q["paper"] for q in found["questions"]} == {"hu_et_al_2025"}
    assert main(["questions", "--paper", "nobody"]) == 2


def altered(monkeypatch, tmp_path, **changes):
    """One question with one number, in a room of its own."""
    number = {"name": "mu", "run": "curve ts-gaussian --rounds 4", "at": "mu_high", "as": "4"}
    number = {"value": "0.7193", **number, **changes}
    entry = {
        "id": "one", "paper": "hu_et_al_2025", "where": "here", "asked": "why?", "answer": "open",
        "says": "it is {mu}", "means": "this", "left": "all", "sources": [number],
    }  # fmt: skip
    monkeypatch.setattr(paper_rooms, "questions", lambda: [dict(entry)])
    monkeypatch.setattr(paper_rooms, "beside", lambda _, name: tmp_path / name)


@pytest.mark.parametrize(
    ("changes", "code", "shown_there"),
    [
        ({}, 0, "the same"),
        ({"value": "0.7194"}, 1, "another"),
        ({"value": ""}, 1, "another"),
        ({"at": "mu_higher"}, 1, "there is no mu_higher"),
        ({"run": "curve nobody --rounds 4"}, 1, "exit code 2"),
        ({"at": "target"}, 1, "no number"),
    ],
)
def test_a_number_that_is_another_is_seen(
    changes, code, shown_there, monkeypatch, tmp_path, capsys
):
    altered(monkeypatch, tmp_path, **changes)
    assert main(["questions", "--recheck"]) == code
    assert shown_there in capsys.readouterr().out


def test_numbers_are_made_and_kept(monkeypatch, tmp_path, capsys):
    altered(monkeypatch, tmp_path, value="0.1")
    assert main(["questions", "--make"]) == 0
    assert json.loads((tmp_path / "questions.json").read_text()) == {"one": {"mu": "0.7193"}}
    altered(monkeypatch, tmp_path, at="nothing")
    assert main(["questions", "--make"]) == 2
    assert "nothing is kept" in capsys.readouterr().err


def test_a_place_is_one_entry():
    found = {"a": [{"k": 1, "v": 5}, {"k": 2, "v": 6}, {"k": 2, "v": 7}]}
    assert place(found, "a[k=1].v") == 5
    assert place(found, "a.-1.v") == 7
    assert place(found, "a[k=2,v=6].v") == 6
    assert place(found, "a[k=1,w=].v") == 5
    for at in ("a[k=2].v", "a[k=3].v", "a.3.v", "b", "a.0.w"):
        with pytest.raises(NotFound):
            place(found, at)


def test_bounds_are_rounded_to_their_side():
    source = Sources()
    source.run = lambda _: {"low": 1.23456, "other": 2.0}
    one = Number(name="x", value="", at="low", run="x", as_="3 down")
    assert shown(one, source) == "1.234"
    assert shown(replace(one, as_="3 up"), source) == "1.235"
    assert shown(replace(one, as_="2"), source) == "1.23"
    assert shown(replace(one, at="other", over="low", as_="3"), source) == "1.620"


def test_committed_results_are_those_that_are_named():
    names = {file.stem for file in committed()}
    assert {n.result for _, n in NUMBERS if n.result} <= names
    assert Path(paper_rooms.beside("wu_wang_2025", "questions.json")).is_file()
