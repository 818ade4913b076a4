"""The ledger as committed: complete, made again the same, and every entry carries what it must."""

import json

import msgspec
import pytest

from dpaudit import digests
from dpaudit.ledger import claims_of
from dpaudit.ledger.certificates import code_digest, is_current, keep, load, plain, plays
from dpaudit.ledger.claims import find_claim
from dpaudit.ledger.published import published
from dpaudit.paper_rooms import papers
from dpaudit.recheck import seal
from dpaudit.results.claims import VERDICTS, Claims
from dpaudit.results.made import Made, checkout

PAPERS = papers("claims")
CLAIMS = [claim for paper in PAPERS for claim in claims_of(paper)]
TEXT = (checkout() / "claims.json").read_text()
COMMITTED = {(e.paper, e.id): e for e in msgspec.json.decode(TEXT, type=Claims).claims}
FRESH = [pytest.param((c.paper, c.id), id=f"{c.paper}/{c.id}") for c in CLAIMS if not c.slow]


def entries(verdict):
    return [
        pytest.param(e, id=f"{p}/{i}") for (p, i), e in COMMITTED.items() if e.verdict == verdict
    ]


@pytest.fixture(scope="module")
def fresh(certificates):
    return load(PAPERS, certificates)


def test_there_are_at_least_200_claims_and_every_paper_at_hand_has_thirty():
    assert len(CLAIMS) >= 200
    assert set(papers()) - set(PAPERS) == {"azize_et_al_2025", "cesari_colomboni_2026"}
    for paper in PAPERS:
        assert len(claims_of(paper)) >= 30


def test_ids_are_unique_within_a_paper():
    keys = [(c.paper, c.id) for c in CLAIMS]
    assert len(set(keys)) == len(keys)


def test_the_committed_ledger_has_every_claim_in_order_and_values_only():
    about = [(e.paper, e.id, e.where, e.statement) for e in COMMITTED.values()]
    assert about == [(c.paper, c.id, c.where, c.statement) for c in CLAIMS]
    assert not set(json.loads(TEXT)["claims"][0]) & {"seconds", "code", "seal", "parts"}


@pytest.mark.parametrize("paper", PAPERS)
def test_checks_give_again_what_is_committed(paper, fresh):
    found = {key: entry for key, entry in fresh.items() if key[0] == paper}
    assert len(found) >= 30
    for key, made in found.items():
        again = msgspec.structs.replace(published(made), seconds=0.0)
        assert again == COMMITTED[key], "say `make claims` and commit reports/claims.json"


@pytest.mark.parametrize("key", FRESH)
def test_what_holds_breaks_when_its_constant_is_moved(key, fresh):
    if fresh[key].verdict == "holds" and fresh[key].method != "experiment":
        assert fresh[key].broken
    assert fresh[key].verdict not in fresh[key].broken.values()


@pytest.mark.parametrize("key", FRESH)
def test_every_verdict_but_undecided_has_parts(key, fresh):
    assert bool(fresh[key].parts) == (fresh[key].verdict != "undecided")


@pytest.mark.parametrize("entry", entries("loose"))
def test_what_is_loose_has_a_tight_constant(entry):
    assert entry.tight


@pytest.mark.parametrize("entry", [*entries("refuted"), *entries("typo")])
def test_an_accusation_has_a_repair_and_was_considered(entry):
    assert entry.repair
    assert entry.considered
    if entry.verdict == "refuted":
        assert entry.counterexample
        assert entry.scope in ("step", "conclusion")


@pytest.mark.parametrize("entry", entries("undecided"))
def test_undecided_says_why_and_is_not_a_failed_check(entry):
    assert len(entry.detail) > 20
    assert not entry.detail.startswith("could not be shown")


def test_every_verdict_is_known_and_every_place_is_named():
    for entry in COMMITTED.values():
        assert entry.verdict in VERDICTS
        assert entry.where
        assert len(entry.statement) > 10


def with_source(monkeypatch, change):
    """The digests as they would be with other sources of modules."""
    source = digests._source
    monkeypatch.setattr(digests, "_source", lambda name: change(name, source(name)))
    digests._binding.cache_clear()


@pytest.fixture(autouse=True)
def own_sources():
    yield
    digests._binding.cache_clear()


def stale(monkeypatch, module):
    """The claims whose digest changes with the code of a module."""
    before = {(c.paper, c.id): code_digest(c) for c in CLAIMS}
    with monkeypatch.context() as patch:
        with_source(patch, lambda name, text: text + ("\nother = 1\n" if name == module else ""))
        return {c.id for c in CLAIMS if code_digest(c) != before[c.paper, c.id]}


def test_a_digest_follows_the_code_and_nothing_else(monkeypatch):
    claim = CLAIMS[0]
    before, home = code_digest(claim), claim.check.__module__
    name = f"def {claim.check.__name__}("
    for old, new, same in (
        ("\n", "\n# a comment\n", True),
        ("\n@claim(", "\n\ndef unused():\n    pass\n\n\n@claim(", True),
        ("    return ", "    other = 1\n    return ", False),
    ):
        with monkeypatch.context() as patch:
            change = lambda m, t, old=old, new=new: (  # noqa: E731
                t.partition(name)[0] + name + t.partition(name)[2].replace(old, new, 1)
                if m == home
                else t
            )
            with_source(patch, change)
            assert (code_digest(claim) == before) is same, new


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("dpaudit.algorithms.hu_et_al_2025.dp_ts_ucb", {"dp-ts-ucb"}),
        # FTNL and Wu & Wang's variants are made of its steps.
        (
            "dpaudit.algorithms.hu_huang_mehta_2021.rnm_ftnl",
            {
                "ftnl",
                "rnm-ftnl",
                "rnm-ftnl-repaired",
                "rnm-ftnl-laplace",
                "rnm-ftnl-exponential",
                "rnm-ftnl-exponential-repaired",
                "rnm-ftnl-gumbel",
            },
        ),
    ],
)
def test_an_algorithm_makes_stale_only_the_claims_that_play_it(module, names, monkeypatch):
    found = stale(monkeypatch, module)
    assert found == {c.id for c in CLAIMS if names & set(plays(c))}
    assert 0 < len(found) <= 10


def test_what_all_play_through_makes_all_stale_that_play(monkeypatch):
    assert stale(monkeypatch, "dpaudit.play.tables") == {c.id for c in CLAIMS if plays(c)}
    assert stale(monkeypatch, "dpaudit.algorithms.baselines.ucb1") == set()


def test_a_check_plays_nothing_that_its_code_does_not_name(fresh):
    for (paper, name), made in fresh.items():
        played = {part["target"] for part in made.parts if "target" in part}
        assert played <= set(plays(find_claim(paper, name)))


def test_a_certificate_is_current_until_it_or_the_code_changes(fresh, tmp_path):
    claim = next(c for c in CLAIMS if not c.slow)
    known = fresh[claim.paper, claim.id]
    made = Made(tmp_path)
    name = f"claims/{claim.paper}/{claim.id}"
    assert made.state(name, code_digest(claim)) == "unknown"
    assert not is_current(claim, known, made)
    keep({(claim.paper, claim.id): known}, tmp_path / "certificates")
    made = Made(tmp_path)
    assert made.state(name, code_digest(claim)) == "current"
    assert is_current(claim, known, made)
    changed = msgspec.structs.replace(known, detail="something else")
    assert not is_current(claim, changed, made)
    sealed = msgspec.structs.replace(changed, seal=seal(plain(changed)))
    assert is_current(claim, sealed, made)
    assert made.state(name, "of other code") == "stale"
    assert not is_current(claim, known, Made(tmp_path / "elsewhere"))
