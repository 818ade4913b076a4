"""The open questions: what is said there is what the commands print."""

import json
import re
import shlex

import pytest

from dpaudit.cli import main
from dpaudit.cli.look.questions import questions
from dpaudit.papers import TITLES

ASKED = questions().questions


def said(text):
    """In one line, as tables and folded text have it."""
    return " ".join(text.split())


@pytest.mark.parametrize("question", ASKED, ids=lambda q: q.id)
def test_the_numbers_are_those_that_the_command_prints(question, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = shlex.split(question.command)
    assert words.pop(0) == "dpaudit"
    assert main(words + (["--out", str(tmp_path)] if words[0] == "optimal" else [])) in (0, 1)
    printed = said(capsys.readouterr().out)
    assert question.shows
    for text in question.shows:
        assert text in printed, text


@pytest.mark.parametrize("question", ASKED, ids=lambda q: q.id)
def test_a_question_is_of_a_known_paper_and_says_what_is_left(question):
    assert question.paper in TITLES
    assert question.asked.endswith("?")
    assert question.answer == "decided" or question.left
    numbers = [text for text in question.shows if re.fullmatch(r"[\d.]{8,}", text)]
    for text in numbers:
        assert text in question.says


def test_every_paper_with_an_open_question_is_there(capsys):
    assert len({q.id for q in ASKED}) == len(ASKED) >= 8
    assert main(["questions"]) == 0
    out = capsys.readouterr().out
    assert all(q.id in out for q in ASKED)
    assert main(["questions", "--paper", "hu_et_al_2025", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {q["paper"] for q in found["questions"]} == {"hu_et_al_2025"}
    assert main(["questions", "--paper", "nobody"]) == 2
