"""What a card says about the paper leads to the paper's claims, and reads as it always did."""

import json
import re

import pytest

from dpaudit.algorithm.card import Adjacency, Notion
from dpaudit.errors import UsageError
from dpaudit.ledger.claims import find_claim
from dpaudit.play.catalogue import catalogue

CARDS = [entry.card for entry in catalogue().values() if entry.card.paper != "baselines"]
LABEL = re.compile(r"(?:Theorem|Section) \d+(?:\.\d+)*")


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)
def test_privacy_and_regret_lead_to_claims_of_the_paper_about_what_they_name(card):
    for text, ids in (
        (card.privacy.where, card.privacy.claims),
        (card.regret, card.regret_claims),
    ):
        if "Theorem" in text:
            assert ids, f"{text!r} names no claim of the ledger"
        for name in ids:
            where = set(LABEL.findall(find_claim(card.paper, name).where))
            stated = set(LABEL.findall(text))
            related = [f"{part}.".startswith(f"{label}.") for part in where for label in stated]
            assert any(related) or name.startswith(card.name), (
                f"{name} is about {where}, not {stated}"
            )


def test_every_published_claim_of_privacy_is_in_the_ledger():
    for card in CARDS:
        proved_here = card.privacy.where == "proof in the notes"
        assert bool(card.privacy.claims) is not (card.privacy.notion is Notion.NONE or proved_here)


def test_a_claim_that_is_not_there_is_noticed():
    with pytest.raises(UsageError, match="theorem-88"):
        find_claim("hu_huang_mehta_2021", "theorem-88-privacy")


def test_types_read_in_json_as_the_words_they_were():
    words = {"none", "pure", "approximate", "gdp"}
    assert {str(notion) for notion in Notion} == words
    for entry in catalogue().values():
        read = json.loads(json.dumps(entry.card.public()))
        assert read["privacy"]["notion"] in words
        assert type(entry.card.public()["neighbours"]) is str
        assert read["neighbours"] in ("one reward vector replaced", "one loss vector replaced")
        assert Adjacency(read["neighbours"]) is entry.card.neighbours
