"""The committed record: what it says, and that it says nothing about anything else."""

import argparse
import json
import re

import msgspec
import pytest

from dpaudit.cli.work import claims, rocq
from dpaudit.kernel.sheets import sheet
from dpaudit.results import kernel, made
from dpaudit.results.kernel import KernelRun, PaperRun, letters, parts_digest, read_run

FILE = made.committed()[0].with_name("kernel.json")
RUN = read_run(FILE)
REALS = {
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
}
"""The axioms of Coq's standard real numbers."""
MACHINE = ("PrimInt63.", "Uint63.", "PrimFloat.", "FloatAxioms.", "FloatOps.", "Sint63.")
"""Numbers of the machine, with which the kernel computes."""
recorded = pytest.mark.skipif(
    RUN is not None and not RUN.papers, reason="no run is recorded yet: `make kernel` makes one"
)


def test_the_record_is_sealed_and_small():
    assert RUN is not None
    assert FILE.stat().st_size < 60_000


@recorded
def test_nothing_but_the_reals_and_the_machine_numbers_is_assumed():
    assert RUN.axioms
    assert [a for a in RUN.axioms if a not in REALS and not a.startswith(MACHINE)] == []


@recorded
def test_how_many_parts_and_claims_the_kernel_accepted():
    found = [entry.partition(" ")[2] for p in RUN.papers.values() for entry in p.claims.values()]
    formulas = "".join(found).replace("n", "")
    assert formulas.count("a") >= 0.97 * len(formulas)
    assert sum(set(own) == {"a"} for own in found) >= 300


@recorded
def test_every_moved_constant_makes_its_claim_false():
    for paper, run in RUN.papers.items():
        false, _, all_ = run.moved.partition(" of ")
        assert false == all_ != "", paper


@recorded
def test_the_record_is_of_the_certificates_as_they_are(certificates):
    for path in certificates.glob("*.json"):
        for entry in json.loads(path.read_text())["claims"]:
            if entry["parts"]:
                assert letters(RUN, path.stem, entry["id"], entry["parts"]), entry["id"]


def test_the_generated_files_are_short_and_leave_nothing_open(certificates):
    """Of the claims that take no minutes, without what moved constants make false: 64 kB more."""
    size = 0
    for path in certificates.glob("*.json"):
        text = sheet(path.stem, json.loads(path.read_text())["claims"]).text()
        assert "Without" not in text, path.stem
        assert text.count("\nLemma ") == text.count("\nQed.") > 100
        assert not re.search(r"\b(Admitted|admit|Axiom|Parameter|Abort)\b", text)
        size += len(text)
    assert 300_000 < size < 1_300_000


@pytest.mark.parametrize("option", ["fresh", "moved"])
def test_the_options_of_the_command_reach_the_run(option, monkeypatch, tmp_path):
    given = argparse.Namespace(fresh=False, moved=False, workers=None, out=None)
    setattr(given, option, True)
    asked = {}
    monkeypatch.setattr(rocq, "run", lambda *_, **named: asked.update(named) or 0)
    claims._rocq([], {}, tmp_path / "certificates", given)
    assert [name for name in ("fresh", "moved") if asked[name]] == [option]


PARTS = [{"kind": "point", "statement": "1 < 2", "at": {}}, {"kind": "words"}]


@pytest.fixture
def small(monkeypatch):
    """A record of one claim, as the committed one."""

    def put(found):
        claims = {"one": f"{parts_digest(PARTS)} {found}"}
        run = KernelRun(
            coqc="8.16.1",
            interval="4.6.1",
            prelude="p",
            axioms=[],
            papers={"paper": PaperRun("f", claims)},
        ).sealed()
        monkeypatch.setattr(kernel, "committed_run", lambda: run)
        return run

    return put


def test_a_claim_is_accepted_if_each_of_its_parts_is(small):
    small("aa")
    assert kernel.accepted("paper", "one", PARTS)
    for found in ("an", "ar", "at", "a", "aaa", ""):
        small(found)
        assert not kernel.accepted("paper", "one", PARTS)


def test_a_record_says_nothing_about_other_parts(small):
    small("aa")
    assert not kernel.accepted("paper", "two", PARTS)
    assert not kernel.accepted("other", "one", PARTS)
    changed = [{**PARTS[0], "statement": "1 < 3"}, PARTS[1]]
    assert not kernel.accepted("paper", "one", changed)
    assert not kernel.accepted("paper", "one", [])
    # What a kernel does not see may change.
    assert kernel.accepted("paper", "one", [PARTS[0], {"kind": "words", "text": "other"}])
    assert not kernel.accepted("paper", "one", [PARTS[0], {"kind": "proved"}])


def test_a_record_that_was_changed_by_hand_is_none(small, tmp_path):
    file = tmp_path / "kernel.json"
    file.write_bytes(msgspec.json.encode(small("ar")))
    assert read_run(file) is not None
    file.write_text(file.read_text().replace(" ar", " aa"))
    assert read_run(file) is None
    file.write_text("{")
    assert read_run(file) is None
    assert read_run(tmp_path / "none.json") is None
