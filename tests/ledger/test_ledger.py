"""The ledger as committed: complete, current, and every entry carries what it must."""

import pytest
from dpaudit.ledger.digests import code_digest

from dpaudit.ledger.certificates import FOLDER, is_current, load, run_claim
from dpaudit.ledger.claims import VERDICTS, claims_of, find_claim
from dpaudit.papers import TITLES
from dpaudit.recheck import seal

CLAIMS = [claim for paper in TITLES for claim in claims_of(paper)]
ENTRIES = {(p, i): e for p in TITLES for i, e in load(p, FOLDER).items()}
QUICK = 0.15
"""Seconds up to which a check is run again by the tests; the digest vouches for the others."""


def entries(verdict):
    return [
        pytest.param(e, id=f"{p}/{i}") for (p, i), e in ENTRIES.items() if e["verdict"] == verdict
    ]


def test_there_are_at_least_200_claims_and_every_paper_has_thirty():
    assert len(CLAIMS) >= 200
    for paper in TITLES:
        assert len(claims_of(paper)) >= 30


def test_ids_are_unique_within_a_paper():
    keys = [(c.paper, c.id) for c in CLAIMS]
    assert len(set(keys)) == len(keys)


def test_the_committed_ledger_is_of_the_code_as_it_is():
    stale = [c.id for c in CLAIMS if not is_current(c, ENTRIES.get((c.paper, c.id)))]
    assert stale == [], "run `make claims` and commit reports/"
    assert set(ENTRIES) == {(c.paper, c.id) for c in CLAIMS}


@pytest.mark.parametrize("paper", TITLES)
def test_quick_checks_give_again_what_is_committed(paper):
    quick = [c for c in claims_of(paper) if ENTRIES[paper, c.id]["seconds"] <= QUICK]
    assert len(quick) >= 10
    for claim in quick:
        fresh = run_claim(paper, claim.id)
        committed = ENTRIES[paper, claim.id]
        varying = {"seconds": 0, "seal": ""}
        assert {**fresh, **varying} == {**committed, **varying}


@pytest.mark.parametrize("entry", entries("holds"))
def test_what_holds_breaks_when_its_constant_is_moved(entry):
    assert entry["broken"]
    assert "holds" not in entry["broken"].values()


@pytest.mark.parametrize("entry", entries("loose"))
def test_what_is_loose_has_a_tight_constant(entry):
    assert entry["tight"]
    assert entry["parts"]


@pytest.mark.parametrize("entry", [*entries("refuted"), *entries("typo")])
def test_an_accusation_has_a_repair_and_was_considered(entry):
    assert entry["repair"]
    assert entry["considered"]
    assert entry["parts"]
    if entry["verdict"] == "refuted":
        assert entry["counterexample"]
        assert entry["scope"] in ("step", "conclusion")


@pytest.mark.parametrize("entry", entries("undecided"))
def test_undecided_says_why_and_is_not_a_failed_check(entry):
    assert len(entry["detail"]) > 20
    assert not entry["detail"].startswith("could not be shown")


def test_every_verdict_is_known_and_every_place_is_named():
    for entry in ENTRIES.values():
        assert entry["verdict"] in VERDICTS
        assert entry["where"]
        assert len(entry["statement"]) > 10


def test_a_digest_follows_the_code_and_nothing_else(monkeypatch):
    claim = CLAIMS[0]
    before = code_digest(claim)
    import inspect

    source = inspect.getsource(inspect.getmodule(claim.check))
    monkeypatch.setattr(inspect, "getsource", lambda _: source + "\n# a comment\n")
    assert code_digest(claim) == before
    monkeypatch.setattr(inspect, "getsource", lambda _: source + "\nother = 1\n")
    assert code_digest(claim) != before


def test_a_digest_covers_the_algorithms_only_of_claims_that_run_them(monkeypatch):
    from dpaudit.ledger import digests

    running = find_claim("hu_huang_mehta_2021", "theorem-4-privacy")
    before = {c.id: code_digest(c) for c in (CLAIMS[0], running)}
    plain = digests._plain
    touched = lambda name: plain(name) + ("pass" if name.startswith("algorithms.") else "")  # noqa: E731
    monkeypatch.setattr(digests, "_plain", touched)
    assert code_digest(CLAIMS[0]) == before[CLAIMS[0].id]
    assert code_digest(running) != before[running.id]


def test_an_entry_changed_by_hand_is_run_again():
    claim = CLAIMS[0]
    entry = {**ENTRIES[claim.paper, claim.id], "detail": "something else"}
    assert not is_current(claim, entry)
    assert is_current(claim, {**entry, "seal": seal(entry)})
