"""Each line of a card's pseudo-code is tied to the code that does it; every lost tie is noticed."""

import io
import itertools
import re
import tokenize
from dataclasses import replace

import pytest

from dpaudit.algorithm.card import Line
from dpaudit.algorithm.cites import CITE, complaints
from dpaudit.play.catalogue import catalogue, find, home
from dpaudit.testing import Subject, each_pseudocode_line_is_cited_once

SHARED = 1
"""Lines of code in the whole catalogue that do two lines of a paper at once."""


def files():
    """One entry of each file of the catalogue."""
    return list({home(entry): entry for entry in catalogue().values()}.items())


FILES = pytest.mark.parametrize(
    ("path", "entry"), files(), ids=[f"{path.parent.name}/{path.stem}" for path, _ in files()]
)


def labels(source):
    return [
        f"{match[1]} {number}" for match in CITE.finditer(source) for number in match[2].split(", ")
    ]


def exchanged(source, one, other):
    """The source with two labels exchanged, wherever they are cited."""

    def swap(match):
        held = [f"{match[1]} {number}" for number in match[2].split(", ")]
        now = [{one: other, other: one}.get(label, label) for label in held]
        return f"# {match[1]} " + ", ".join(label.split()[1] for label in now)

    return CITE.sub(swap, source)


@FILES
def test_every_exchange_of_two_labels_is_noticed(path, entry):
    source, lines = path.read_text(), entry.card.pseudocode
    assert complaints(lines, source) == []
    pairs = list(itertools.combinations(labels(source), 2))
    for one, other in pairs:
        swapped = exchanged(source, one, other)
        assert swapped != source
        assert complaints(lines, swapped), f"{one} and {other}"


@FILES
def test_every_lost_doubled_or_added_cite_is_noticed(path, entry):
    source, lines = path.read_text(), entry.card.pseudocode
    written = source.splitlines()
    for number, line in enumerate(written):
        if CITE.search(line):
            lost = [*written[:number], CITE.sub("", line), *written[number + 1 :]]
            assert complaints(lines, "\n".join(lost)), line
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    free = [t.start[0] - 1 for t in tokens if t.type == tokenize.NL and not t.line.strip()]
    assert free
    structure = [line.label for line in lines if not line.code]
    known = [*labels(source), *structure, "l. 99"]
    for i in range(max(len(free), len(known))):
        label, number = known[i % len(known)], free[i % len(free)]
        added = [*written[:number], f"# {label}", *written[number:]]
        assert complaints(lines, "\n".join(added)), f"{label} added at line {number + 1}"


@FILES
def test_every_cite_that_moves_up_or_down_a_line_is_noticed(path, entry):
    source, lines = path.read_text(), entry.card.pseudocode
    written = source.splitlines()
    for number, line in enumerate(written):
        match = CITE.search(line)
        if match is None:
            continue
        bare = [*written]
        bare[number] = CITE.sub("", written[number]).rstrip()
        for there in (number - 1, number + 1):
            moved = [*bare]
            moved[there] += f"  {match[0]}"
            assert complaints(lines, "\n".join(moved)), f"{match[0]} at {written[there]!r}"


def test_few_lines_of_code_do_two_lines_of_a_paper():
    shared = [
        line for path, _ in files() for line in re.findall(r"# [ls]\. \d+, .*", path.read_text())
    ]
    assert len(shared) <= SHARED, shared


SOURCE = '''
"""A file."""


def card():
    """Says l. 1."""
    return "return arm"


def select(arms, own, t, rng):
    """Play."""
    if t == 1:  # l. 2
        return 0  # l. 3

    return int(own.playing)  # l. 4


ENTRIES = [select]
'''
LINES = (
    Line("l. 1", "input: arms"),
    Line("l. 2", "if t = 1", "if t == 1:"),
    Line("l. 3", "play the first", "return 0"),
    Line("l. 4", "play J", "return int("),
)


def test_a_cite_stands_at_code_of_a_step():
    assert complaints(LINES, SOURCE) == []
    for where in ("ENTRIES = [select]", '    """Play."""', 'return "return arm"'):
        moved = SOURCE.replace("  # l. 4", "").replace(where, f"{where}  # l. 4")
        assert complaints(LINES, moved), where
    above = SOURCE.replace(
        "    return int(own.playing)  # l. 4", "    # l. 4\n    return int(own.playing)"
    )
    assert complaints(LINES, above)


@pytest.mark.parametrize(
    ("label", "changed", "complaint"),
    [
        ("l. 1", Line("l. 1", "draw J"), "has no code"),
        ("l. 3", Line("l. 3", "play the first", "return 1"), "which is not 'return 1'"),
        ("l. 3", Line("l. 3", "play the first", "return"), "stands in 2 lines of code"),
        ("l. 3", Line("l. 3", "else"), "not labels of lines with code"),
    ],
)
def test_a_card_that_does_not_say_what_the_code_does_is_noticed(label, changed, complaint):
    lines = [changed if line.label == label else line for line in LINES]
    assert any(complaint in found for found in complaints(lines, SOURCE))


def test_a_comment_that_mixes_labels_with_words_is_noticed():
    assert complaints(LINES, SOURCE.replace("# l. 4", "# as l. 4 says"))
    assert complaints(LINES, SOURCE.replace("# l. 4", "# l. 4  # l. 3"))


def test_a_line_that_another_entry_does_must_be_in_a_step_of_this_one():
    lazy = find("lazy-dp-ts")
    for same in ("anytime-lazy-ucb l. 4", "anytime-lazy-ucb l. 99", "rnm-ftnl l. 4"):
        lines = [replace(line, same=same) if line.same else line for line in lazy.card.pseudocode]
        card = replace(lazy.card, pseudocode=tuple(lines))
        with pytest.raises(AssertionError, match=f"{same} is cited in no step"):
            each_pseudocode_line_is_cited_once(Subject(replace(lazy, card=card), 1.0, {}))
