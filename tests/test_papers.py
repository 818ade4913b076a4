"""The bibliography, and the rooms of the papers: what stands there is found."""

import dataclasses
import sys

from dpaudit import paper_rooms, papers
from dpaudit.ledger import claims_of
from dpaudit.play import catalogue


def test_papers_are_sorted_as_listed_then_baselines_then_unknown_ones():
    keys = ["zhou_2030", "baselines", "wu_wang_2025", "abe_2031", "hu_huang_mehta_2021"]
    assert sorted(keys, key=papers.order) == [
        "hu_huang_mehta_2021",
        "wu_wang_2025",
        "baselines",
        "abe_2031",
        "zhou_2030",
    ]


def test_every_paper_of_the_bibliography_has_a_room():
    assert paper_rooms.papers() == list(papers.TITLES)
    assert papers.TITLES["wu_wang_2025"].startswith("Wu & Wang (2025), Improved regret")


def test_a_card_with_an_unknown_paper_sorts_last_and_breaks_nothing(monkeypatch):
    from dpaudit.algorithms.baselines import ucb1

    [known] = [entry for entry in ucb1.ENTRIES if entry.card.name == "ucb1"]
    card = dataclasses.replace(known.card, name="a-stranger", paper="nobody_2099")
    stranger = dataclasses.replace(known, card=card)
    monkeypatch.setattr(ucb1, "ENTRIES", [*ucb1.ENTRIES, stranger])
    catalogue.catalogue.cache_clear()
    try:
        assert list(catalogue.catalogue())[-1] == "a-stranger"
        assert catalogue.find("a-stranger") is stranger
    finally:
        monkeypatch.undo()
        catalogue.catalogue.cache_clear()


ROOM = {
    "__init__.py": '"""A paper."""',
    "claims/__init__.py": 'MODULES = ["second"]',
    "claims/first.py": "from dpaudit.ledger import at, claim, holds\n\n"
    '@claim("Lemma 1", "1 is less than 2", breaks={"c": "1/2"})\n'
    'def lemma_1(c="2"):\n    return holds("plainly", at(f"1 < {c}"))\n',
    "claims/second.py": "from dpaudit.ledger import claim, undecided\n\n"
    '@claim("Section 2", "nothing is said")\ndef nothing():\n    return undecided("no")\n',
    "bounds.py": "from dpaudit.laboratory.scaling.study import Design\n\n"
    'STUDIES = (Design("tried", "new_2099", "", "", ("ucb1",), "", "", lambda bench: None),)\n',
}


def test_a_new_room_is_found_with_its_claims_and_studies(tmp_path, monkeypatch):
    from dpaudit import proofs_checks

    for name, text in ROOM.items():
        (tmp_path / "new_2099" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "new_2099" / name).write_text(text)
    monkeypatch.setattr(proofs_checks, "__path__", [*proofs_checks.__path__, str(tmp_path)])
    found = paper_rooms.papers, paper_rooms.modules
    for each in found:
        each.cache_clear()
    try:
        assert paper_rooms.papers() == [*papers.TITLES, "new_2099"]
        # A module that no list names comes behind those that are named.
        assert [c.id for c in claims_of("new_2099")] == ["nothing", "lemma-1"]
        assert [c.find().verdict for c in claims_of("new_2099")] == ["undecided", "holds"]
        [bounds] = paper_rooms.modules("new_2099", "bounds")
        assert bounds.STUDIES[0].name == "tried"
        assert paper_rooms.modules("new_2099", "figures") == []
    finally:
        for each in found:
            each.cache_clear()
        for name in [name for name in sys.modules if "new_2099" in name]:
            del sys.modules[name]
