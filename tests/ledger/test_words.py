"""Quotations: every entry has one, it stands in the paper where its anchor says; what no entry is
about has a reason."""

import re

import pytest

from dpaudit.ledger import claims_of
from dpaudit.ledger.words import anchors, papers_folder, passages, read
from dpaudit.paper_rooms import papers
from dpaudit.recheck.register import anchored, register
from tests.ledger.coverage import items

CLAIMS = [claim for paper in papers("claims") for claim in claims_of(paper)]
TEXTS = papers_folder()
at_hand = pytest.mark.skipif(TEXTS is None, reason="the papers' texts are not at hand")


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: f"{c.paper}/{c.id}")
def test_every_entry_is_quoted_anchored_and_read(claim):
    words = claim.words
    assert words.quotation
    assert re.fullmatch(r"\d+ [0-9a-f]{16}", words.anchor)
    assert words.reading
    assert len(words.readings) != 1


@at_hand
@pytest.mark.parametrize("paper", papers("claims"))
def test_finder_and_checker_find_every_anchor(paper):
    for claim in claims_of(paper):
        assert claim.words.anchor in list(anchors(paper, claim.words.quotation)), claim.id
        assert anchored(paper, claim.words.quotation, claim.words.anchor), claim.id


@at_hand
def test_an_anchor_is_of_the_words_and_of_their_place():
    claim = CLAIMS[0]
    words = claim.words
    assert anchored(claim.paper, words.quotation, "1 0123456789abcdef") is False
    assert anchored(claim.paper, words.quotation[:-3], words.anchor) is False
    assert anchored(claim.paper, "words that no paper has", words.anchor) is False
    assert anchored("nobody_2099", words.quotation, words.anchor) is None


def test_what_a_quotation_leaves_out_is_part_of_its_passage():
    text = "a " * 100 + "one two three four " + "b " * 100
    [(_, passage)] = passages(text, "one … four")
    assert "one two three four" in passage
    assert list(passages(text, "four … one")) == []


def test_the_checker_reads_the_same_register_as_the_finder():
    for paper in papers("claims"):
        own = register(paper)
        assert {c.id for c in claims_of(paper)} == set(own)
        for claim in claims_of(paper):
            assert own[claim.id]["statement"] == claim.statement
            assert own[claim.id]["quotation"] == claim.words.quotation
            assert tuple(own[claim.id]["goals"]) == claim.words.goals


def test_an_unknown_key_in_the_words_is_refused(tmp_path):
    file = tmp_path / "x.toml"
    file.write_text('[a]\nquotes = "b"\n')
    with pytest.raises(ValueError, match="a has quotes"):
        read(file)


@at_hand
@pytest.mark.parametrize("paper", papers("claims"))
def test_what_is_numbered_is_covered_by_an_entry_or_a_reason(paper):
    found = items(paper)
    assert len(found) > 60
    assert [item.name for item in found if not item.covered] == []
