"""Levels of trust: what showed the parts, and what is left to a reader."""

import json

import pytest

from dpaudit.ledger import published as module
from dpaudit.ledger.published import published, uses_of
from dpaudit.paper_rooms import papers
from dpaudit.report.markdown.claims import ledger_page
from dpaudit.report.page.claims import claims_section
from dpaudit.results.claims import LEVELS, Certificate, Claims, levels
from dpaudit.results.documents import read
from dpaudit.results.made import committed

[LEDGER] = [d for d in map(read, committed()) if isinstance(d, Claims)]
POINT = {"kind": "point", "statement": "1 < 2", "at": {}}
DRAWN = {"kind": "counts", "target": "ucb1"}
WORDS = {"kind": "words"}


def certificate(*parts, trust="checked", name="no-such-claim"):
    return Certificate(
        id=name,
        paper="wu_wang_2025",
        where="Lemma 1",
        statement="1 < 2",
        method="exact numbers",
        verdict="holds",
        detail="",
        counterexample=None,
        tight=None,
        trust=trust,
        parts=list(parts),
        broken={},
    )


@pytest.mark.parametrize(
    ("parts", "trust", "kernel", "shown", "level"),
    [
        ([POINT], "checked", True, "kernel", "kernel"),
        ([POINT], "checked", False, "checked", "checked"),
        # Words between quotation and goals stay, whatever the kernel says of the parts.
        ([POINT], "read", True, "kernel", "read"),
        ([POINT], "read", False, "checked", "read"),
        ([POINT, DRAWN], "statistical", False, "statistical", "statistical"),
        # Of samples the kernel sees the arithmetic alone.
        ([POINT, DRAWN], "statistical", True, "statistical", "statistical"),
        ([POINT, WORDS], "read", False, "checked", "read"),
        ([WORDS], "read", False, "none", "read"),
        ([], "read", False, "none", "read"),
    ],
)
def test_the_level_is_the_weakest_link(monkeypatch, parts, trust, kernel, shown, level):
    monkeypatch.setattr(module, "accepted", lambda *_: kernel)
    entry = published(certificate(*parts, trust=trust))
    assert (entry.shown, entry.trust) == (shown, level)


def test_a_theorem_that_is_the_claim_is_of_the_kernel_as_long_as_it_is_accepted(monkeypatch):
    made = certificate(DRAWN, trust="statistical", name="privacy-exponential")
    monkeypatch.setattr(module, "accepted", lambda *_: False)
    monkeypatch.setattr(module.theorems, "is_accepted", lambda *_: True)
    entry = published(made)
    assert (entry.shown, entry.trust) == ("kernel", "kernel")
    assert entry.theorem == "Refuted.exponential_1_is_not_enough"
    monkeypatch.setattr(module.theorems, "is_accepted", lambda *_: False)
    entry = published(made)
    assert (entry.shown, entry.trust, entry.theorem) == ("statistical", "statistical", "")


def test_a_level_says_nothing_of_a_claim_without_a_reader_or_a_theorem():
    for entry in LEDGER.claims:
        assert entry.trust in LEVELS
        assert (entry.trust == "kernel") <= (entry.shown == "kernel")
        assert (entry.trust == "statistical") <= (entry.shown == "statistical")
        assert entry.theorem == "" or entry.shown == entry.trust == "kernel"


@pytest.mark.parametrize("paper", papers("claims"))
def test_what_is_committed_uses_what_the_paper_s_file_says(paper):
    own = {c.id: c.uses for c in LEDGER.claims if c.paper == paper and c.uses}
    assert own == uses_of(paper)


def test_ledger_pages_and_json_have_the_levels_and_count_them():
    said = levels(LEDGER.claims)
    tally = {level: sum(c.shown == level for c in LEDGER.claims) for level in LEVELS}
    assert all(f"{level} {n}" in said for level, n in tally.items() if n)
    assert said in ledger_page(LEDGER.claims)
    page = claims_section(LEDGER.claims, "0", {})
    assert "What has to be trusted" in page
    for level in ("kernel", "checked", "statistical", "none"):
        assert f"{level}: {LEVELS[level]}" in page.replace("&#x27;", "'")
    [document] = [json.loads(f.read_text()) for f in committed() if f.stem == "claims"]
    # What is empty is left out of a committed entry.
    said_of_any = {key for entry in document["claims"] for key in entry}
    assert {"trust", "shown", "theorem", "uses"} <= said_of_any
